//! The statements of a sweep.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::types::{annotation, marker, parse, tokens, zero};
use super::{Emit, private, tape};
use crate::ir::stmt::Rev;
use crate::ir::{
    Block, Expr, LoopHead, Origin, Place, Range, RecordId, Stmt, StmtId, StmtKind, Ty, UnOp, VarId,
};
use crate::plan::statement::disjoint;
use crate::plan::{RecordKind, Storage};

impl Emit<'_> {
    /// The statements of a block.
    pub fn block(&self, block: &Block) -> TokenStream {
        let mut out = TokenStream::new();
        let mut stmts = block.stmts.iter().peekable();
        let mut marked = None;
        while let Some(stmt) = stmts.next() {
            if self.marks && marked.replace(stmt.id) != Some(stmt.id) {
                out.extend(mark(stmt.id));
            }
            if let StmtKind::Let(v, None) = &stmt.kind {
                let next = stmts.peek().map(|s| &s.kind);
                if let Some(StmtKind::Restore(record, place)) = next
                    && place.is_whole()
                    && place.root == *v
                {
                    out.extend(self.let_restored(*v, *record));
                    stmts.next();
                    continue;
                }
            }
            out.extend(self.stmt(stmt));
        }
        out
    }

    fn stmt(&self, stmt: &Stmt) -> TokenStream {
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => self.let_value(*v, e),
            StmtKind::Let(v, None) => self.let_blank(*v),
            StmtKind::Assign(p, e) => {
                let (p, e) = (self.target(p), self.expr(e));
                quote!(#p = #e;)
            }
            StmtKind::Incr(p, e) => self.increment(p, e),
            StmtKind::Swap(a, b) => self.swap(a, b),
            StmtKind::Insert(p, at, e) => self.insert(p, at.as_ref(), e),
            StmtKind::Remove(v, p, at) => self.remove(*v, p, at.as_ref()),
            StmtKind::When(demand, body) => self.when(*demand, body),
            StmtKind::Call(call) => self.primal_call(call),
            StmtKind::Forward(call) => self.forward_call(stmt.id, call),
            StmtKind::Reverse {
                call,
                adjoints,
                seed,
            } => self.reverse_call(stmt.id, call, adjoints, seed.as_ref()),
            StmtKind::Passive(code, places) => {
                let code = self.code(*code, places);
                quote!(#code;)
            }
            StmtKind::If(test, then, els) => self.branch(test, then, els),
            StmtKind::Loop(head, body) => self.loop_(stmt.id, head, body),
            StmtKind::Break => quote!(break;),
            StmtKind::Zero(p) => self.zero(p),
            StmtKind::Record(r, p) => self.record(*r, p),
            StmtKind::Restore(r, p) => self.restore(*r, p),
            StmtKind::RecordWay(r, e) => self.record_way(*r, e),
            StmtKind::RestoreWay(r, v) => self.restore_way(*r, *v),
        }
    }

    // Variables.

    fn let_value(&self, v: VarId, e: &Expr) -> TokenStream {
        let (name, mut e) = (self.name(v), self.expr(e));
        let ty = &self.plan.func.var(v).ty;
        let blank = zero(ty).filter(|_| self.in_reverse && ty.is_scalar());
        if let (Some(blank), Some(demand)) = (blank, self.plan.made_for.get(&v)) {
            e = self.either(*demand, e, blank);
        }
        let ty = annotation(ty);
        quote!(let mut #name #ty = #e;)
    }

    /// A variable without a value of its own: an adjoint starts at zero, in its primal's shape.
    pub fn let_blank(&self, v: VarId) -> TokenStream {
        let (name, var) = (self.name(v), self.plan.func.var(v));
        let ty = annotation(&var.ty);
        if let Some(zero) = zero(&var.ty) {
            return quote!(let mut #name #ty = #zero;);
        }
        match var.origin {
            Origin::Adjoint(of) => {
                let mut zero = self.zero_like(&self.plan.func.place(of));
                let demand = self.plan.made_for.get(&v).copied();
                if let Some(demand) = demand.filter(|_| var.ty.has_blank()) {
                    let empty = quote!(::core::default::Default::default());
                    zero = self.either(demand, zero, empty);
                }
                match &var.ty {
                    Ty::Slice(_) => quote!(let mut #name = #zero;),
                    _ => quote!(let mut #name #ty = #zero;),
                }
            }
            _ if var.ty.has_blank() => {
                quote!(let mut #name #ty = ::core::default::Default::default();)
            }
            _ => quote!(let mut #name #ty;),
        }
    }

    /// Zeros in the shape of the value at a place.
    pub fn zero_like(&self, place: &Place) -> TokenStream {
        let (p, value) = (private(), self.borrow(place, false));
        let of_result = place
            .is_whole()
            .then(|| self.on_result(place.root, "result_zero", value.clone()));
        if let Some(zero) = of_result.flatten() {
            return zero;
        }
        match &place.ty {
            // A local is an array or a `Vec`, even if only its maker knows which.
            Ty::Slice(t) if !place.is_whole() || self.is_reference(place.root) => {
                let element = marker(t);
                quote!(#p::zeros_like::<#element, _>(#value))
            }
            ty => {
                let marker = marker(ty);
                quote!(#p::Shape::<#marker>::zero_like(#value))
            }
        }
    }

    fn let_restored(&self, v: VarId, record: RecordId) -> TokenStream {
        let (name, ty) = (self.name(v), &self.plan.func.var(v).ty);
        let (note, value) = (annotation(ty), self.loaded(v, record));
        let blank = zero(ty).or_else(|| {
            ty.has_blank()
                .then(|| quote!(::core::default::Default::default()))
        });
        match blank {
            Some(blank) => {
                let value = self.either(self.plan.record(record).demand, value, blank);
                quote!(let mut #name #note = #value;)
            }
            None if self.is_wanted(self.plan.record(record).demand) => {
                quote!(let mut #name #note = #value;)
            }
            None => {
                let test = self.test(self.plan.record(record).demand);
                quote!(let mut #name #note; if #test { #name = #value; })
            }
        }
    }

    /// The recorded value of a whole variable, anew.
    fn loaded(&self, v: VarId, record: RecordId) -> TokenStream {
        let tape = tape();
        let of_result = self.on_result(v, "result_load", quote!(#tape));
        of_result.unwrap_or_else(|| self.popped(record, &self.plan.func.var(v).ty))
    }

    fn increment(&self, place: &Place, e: &Expr) -> TokenStream {
        let unknown = place.ty == Ty::Unknown;
        let copies = unknown && matches!(e, Expr::Read(p) if p.ty == Ty::Unknown);
        if copies || (!place.ty.is_float() && !unknown) {
            return self.accumulate(place, e);
        }
        if let Expr::Cast(e, Ty::Unknown) = e {
            let (p, to, e) = (private(), self.borrow(place, true), self.expr(e));
            return quote!(#p::add_converted(#to, #e););
        }
        let (p, old) = (self.target(place), self.place(place));
        match e {
            Expr::Unary(UnOp::Neg, inner) => {
                let inner = self.expr(inner);
                match generic(&place.ty) {
                    true => quote!(#p = #old - #inner;),
                    false => quote!(#p -= #inner;),
                }
            }
            e => {
                let e = self.expr(e);
                match generic(&place.ty) {
                    true => quote!(#p = #old + #e;),
                    false => quote!(#p += #e;),
                }
            }
        }
    }

    /// The elementwise increment of an aggregate.
    fn accumulate(&self, place: &Place, e: &Expr) -> TokenStream {
        let (p, marker) = (private(), marker(&place.ty));
        let to = self.borrow(place, true);
        if let (Origin::Adjoint(of), Expr::Read(from), true) =
            (self.plan.func.var(place.root).origin, e, place.is_whole())
        {
            let from = self.borrow(from, false);
            if let Some(add) = self.on_result(of, "result_accumulate", quote!(#to, #from)) {
                return quote!(#add;);
            }
        }
        let from = match e {
            // An array, a `Vec` and a slice have slices in common.
            Expr::Read(from) if kind(&from.ty) != kind(&place.ty) => {
                let (to, from) = (self.receiver(place), self.receiver(from));
                return quote!(#p::Shape::<#marker>::accumulate(&mut #to[..], &#from[..]););
            }
            Expr::Read(from) => self.borrow(from, false),
            e => {
                let e = self.expr(e);
                quote!(&#e)
            }
        };
        quote!(#p::Shape::<#marker>::accumulate(#to, #from);)
    }

    fn swap(&self, a: &Place, b: &Place) -> TokenStream {
        match a.root == b.root {
            false => {
                let (a, b) = (self.borrow(a, true), self.borrow(b, true));
                quote!(::core::mem::swap(#a, #b);)
            }
            true => self.swap_within(a, b),
        }
    }

    /// Two elements of one sequence.
    fn swap_within(&self, a: &Place, b: &Place) -> TokenStream {
        use crate::ir::Proj;
        let (Some((Proj::Index(i), base)), Some((Proj::Index(j), other))) =
            (a.proj.split_last(), b.proj.split_last())
        else {
            let (a, b) = (self.borrow(a, true), self.borrow(b, true));
            return quote!(::core::mem::swap(#a, #b););
        };
        if base == other {
            let base = Place {
                root: a.root,
                proj: base.to_vec(),
                ty: Ty::Slice(Box::new(a.ty.clone())),
            };
            let base = self.receiver(&base);
            let (i, j) = (self.expr(i), self.expr(j));
            return quote!(#base.swap(#i, #j););
        }
        if disjoint(a, b) {
            return self.apart(a, b, |emit| {
                let (a, b) = (emit.borrow(a, true), emit.borrow(b, true));
                quote!(::core::mem::swap(#a, #b))
            });
        }
        let (to_a, to_b, a, b) = (self.target(a), self.target(b), self.place(a), self.place(b));
        let held = Ident::new("held", Span::mixed_site());
        quote!(let #held = #a; #to_a = #b; #to_b = #held;)
    }

    fn zero(&self, place: &Place) -> TokenStream {
        if let Some(zero) = zero(&place.ty).filter(|_| place.ty.is_float()) {
            let place = self.target(place);
            return quote!(#place = #zero;);
        }
        let (p, marker, place) = (private(), marker(&place.ty), self.borrow(place, true));
        quote!(#p::Shape::<#marker>::set_zero(#place);)
    }

    // Control.

    fn branch(&self, test: &Expr, then: &Block, els: &Block) -> TokenStream {
        let (test_tokens, then_tokens) = (self.expr(test), self.block(then));
        if els.is_empty() {
            return quote!(if #test_tokens { #then_tokens });
        }
        let els = self.block(els);
        match then.is_empty() {
            true => quote!(if !(#test_tokens) { #els }),
            false => quote!(if #test_tokens { #then_tokens } else { #els }),
        }
    }

    fn loop_(&self, id: StmtId, head: &LoopHead, body: &Block) -> TokenStream {
        let slots = self.slots(id);
        match head {
            LoopHead::Counted(v, range) if !slots.is_empty() => {
                self.framed(*v, range, body, &slots, true)
            }
            LoopHead::Reversed(v, range) if !slots.is_empty() => {
                self.framed(*v, range, body, &slots, false)
            }
            LoopHead::Counted(v, range) => {
                let (v, range, body) = (self.name(*v), self.range(range), self.block(body));
                quote!(for #v in #range { #body })
            }
            LoopHead::Reversed(v, range) => self.reversed(*v, range, body),
            LoopHead::ReversedFrom(v, range, trips) => {
                let (trips, body) = (self.name(*trips), self.block(body));
                let (name, k) = (self.name(*v), trip());
                let nth = self.nth(range);
                quote!(for #k in (0..#trips).rev() { let #name = #nth; #body })
            }
            LoopHead::While(test) => {
                let (test, body) = (self.expr(test), self.block(body));
                quote!(while #test { #body })
            }
            LoopHead::Forever => {
                let body = self.block(body);
                quote!(loop { #body })
            }
            LoopHead::Times(trips) => {
                let (trips, body) = (self.name(*trips), self.block(body));
                quote!(for _ in 0..#trips { #body })
            }
        }
    }

    /// The range as the user wrote it.
    pub fn range(&self, r: &Range) -> TokenStream {
        let (lo, hi) = (self.expr(&r.lo), self.expr(&r.hi));
        let range = if r.inclusive {
            quote!(#lo..=#hi)
        } else {
            quote!(#lo..#hi)
        };
        let step = r.step.as_ref().map(|s| {
            let s = self.expr(s);
            quote!(.step_by(#s))
        });
        match (r.rev, step) {
            (Rev::No, None) => range,
            (Rev::No, Some(step)) => quote!((#range)#step),
            (Rev::BeforeStep, step) => quote!((#range).rev()#step),
            (Rev::AfterStep, step) => quote!((#range)#step.rev()),
        }
    }

    fn reversed(&self, v: VarId, range: &Range, body: &Block) -> TokenStream {
        let (name, body) = (self.name(v), self.block(body));
        if range.step.is_none() {
            let rev = match range.rev {
                Rev::No => Rev::BeforeStep,
                _ => Rev::No,
            };
            let range = self.range(&Range {
                rev,
                ..range.clone()
            });
            return quote!(for #name in #range { #body });
        }
        let (k, n, nth) = (trip(), self.trips(range), self.nth(range));
        quote!(for #k in (0..#n).rev() { let #name = #nth; #body })
    }

    fn trips(&self, r: &Range) -> TokenStream {
        let (p, lo, hi, inclusive) = (private(), self.expr(&r.lo), self.expr(&r.hi), r.inclusive);
        let step = self.step(r);
        quote!(#p::trips(#lo, #hi, #inclusive, #step))
    }

    fn nth(&self, r: &Range) -> TokenStream {
        let (p, lo, hi, inclusive) = (private(), self.expr(&r.lo), self.expr(&r.hi), r.inclusive);
        let (step, k) = (self.step(r), trip());
        let order = match r.rev {
            Rev::No => quote!(Forward),
            Rev::BeforeStep => quote!(ReverseThenStep),
            Rev::AfterStep => quote!(StepThenReverse),
        };
        quote!(#p::nth(#lo, #hi, #inclusive, #step, #p::Order::#order, #k))
    }

    fn step(&self, r: &Range) -> TokenStream {
        r.step.as_ref().map_or_else(|| quote!(1), |s| self.expr(s))
    }

    // Records.

    /// Code that runs only for those that the record is made for.
    fn guarded(&self, record: RecordId, code: TokenStream) -> TokenStream {
        let demand = self.plan.record(record).demand;
        match self.is_wanted(demand) {
            true => code,
            false => {
                let test = self.test(demand);
                quote!(if #test { #code })
            }
        }
    }

    fn record(&self, record: RecordId, place: &Place) -> TokenStream {
        let tape = tape();
        let slot = self.slot(record);
        let code = match (&place.ty, slot) {
            (_, Some(slot)) => {
                let (value, k) = (self.place(place), trip());
                quote!(#slot[#k] = #value;)
            }
            (Ty::Float(_), None) => {
                let value = self.place(place);
                quote!(#tape.push_real(#value);)
            }
            (Ty::Int(crate::ir::IntTy::Infer), None) => {
                let value = self.place(place);
                quote!(#tape.push_number(#value);)
            }
            (Ty::Int(_), None) if self.plan.record(record).kind == RecordKind::Label => {
                let value = self.place(place);
                quote!(#tape.push_label(#value);)
            }
            (Ty::Int(_), None) => {
                let value = self.place(place);
                quote!(#tape.push_int(#value);)
            }
            (Ty::Bool, None) => {
                let value = self.place(place);
                quote!(#tape.push_flag(#value);)
            }
            (ty, None) => {
                let (p, marker, value) = (private(), marker(ty), self.borrow(place, false));
                let of_result = place.is_whole().then_some(quote!(#value, #tape));
                match of_result.and_then(|args| self.on_result(place.root, "result_save", args)) {
                    Some(save) => quote!(#save;),
                    None => quote!(#p::Shape::<#marker>::save(#value, #tape);),
                }
            }
        };
        self.guarded(record, code)
    }

    fn restore(&self, record: RecordId, place: &Place) -> TokenStream {
        let code = match place.ty.is_scalar() {
            true => {
                let (value, place_tokens) = (self.popped(record, &place.ty), self.target(place));
                quote!(#place_tokens = #value;)
            }
            false
                if place.is_whole() && !place.ty.has_blank() && !self.is_reference(place.root) =>
            {
                let (value, name) = (self.loaded(place.root, record), self.name(place.root));
                quote!(#name = #value;)
            }
            false => {
                let (p, marker, tape) = (private(), marker(&place.ty), tape());
                let value = self.borrow(place, true);
                quote!(#p::Shape::<#marker>::restore(#value, #tape);)
            }
        };
        self.guarded(record, code)
    }

    /// The recorded value.
    fn popped(&self, record: RecordId, ty: &Ty) -> TokenStream {
        let tape = tape();
        if let Some(slot) = self.slot(record) {
            let k = trip();
            return quote!(#slot[#k]);
        }
        match ty {
            Ty::Float(t) => {
                let t = parse(t.name());
                quote!(#tape.pop_real::<#t>())
            }
            // Both sweeps may see it as of another type.
            Ty::Int(crate::ir::IntTy::Infer) => quote!(#tape.pop_number()),
            Ty::Int(_) if self.plan.record(record).kind == RecordKind::Label => {
                quote!(#tape.pop_label())
            }
            Ty::Int(t) => {
                let t = parse(t.name());
                quote!(#tape.pop_int::<#t>())
            }
            Ty::Bool => quote!(#tape.pop_flag()),
            ty => {
                let (p, marker) = (private(), marker(ty));
                let named = tokens(ty).unwrap_or_else(|| quote!(_));
                quote!(<#named as #p::Shape<#marker>>::load(#tape))
            }
        }
    }

    fn record_way(&self, record: RecordId, e: &Expr) -> TokenStream {
        let (tape, e) = (tape(), self.expr(e));
        match self.plan.record(record).kind {
            RecordKind::Count => self.guarded(record, quote!(#tape.push_count(#e);)),
            _ => self.guarded(record, quote!(#tape.push_flag(#e);)),
        }
    }

    fn restore_way(&self, record: RecordId, v: VarId) -> TokenStream {
        let (tape, name) = (tape(), self.name(v));
        let demand = self.plan.record(record).demand;
        match self.plan.record(record).kind {
            RecordKind::Count => {
                let count = self.either(demand, quote!(#tape.pop_count()), quote!(0));
                quote!(let #name = #count;)
            }
            _ => {
                let flag = self.either(demand, quote!(#tape.pop_flag()), quote!(false));
                quote!(let #name = #flag;)
            }
        }
    }

    // Frames.

    /// The records in the frame of a loop, by type.
    fn slots(&self, of: StmtId) -> BTreeMap<String, Vec<(RecordId, Ty)>> {
        let mut slots: BTreeMap<String, Vec<(RecordId, Ty)>> = BTreeMap::new();
        for (i, record) in self.plan.records.iter().enumerate() {
            if let (Storage::Frame { of: owner, .. }, RecordKind::Value(ty)) =
                (&record.storage, &record.kind)
                && *owner == of
            {
                let entry = (RecordId(i as u32), ty.clone());
                slots.entry(ty.to_string()).or_default().push(entry);
            }
        }
        slots
    }

    fn slot(&self, record: RecordId) -> Option<Ident> {
        match self.plan.record(record).storage {
            Storage::Frame { .. } => Some(slot_name(record)),
            Storage::Stack => None,
        }
    }

    /// A counted loop whose records are in frames: opened and written, or read and closed.
    fn framed(
        &self,
        v: VarId,
        range: &Range,
        body: &Block,
        slots: &BTreeMap<String, Vec<(RecordId, Ty)>>,
        forward: bool,
    ) -> TokenStream {
        let (tape, p) = (tape(), private());
        let (count, trips) = (Ident::new("trips", Span::mixed_site()), self.trips(range));
        let (mut open, mut close) = (TokenStream::new(), TokenStream::new());
        for (number, records) in slots.values().enumerate() {
            let stack = Ident::new(&format!("stack_{number}"), Span::mixed_site());
            let frame = Ident::new("frame", Span::mixed_site());
            let ty = tokens(&records[0].1);
            let (take, put) = match records[0].1.is_float() {
                true => (quote!(reals_stack), quote!(put_reals)),
                false => (quote!(ints_stack), quote!(put_ints)),
            };
            let lengths: Vec<TokenStream> = records
                .iter()
                .map(|(r, _)| self.slot_length(*r, &count))
                .collect();
            let total = quote!((#(#lengths)+*));
            open.extend(quote!(let mut #stack = #tape.#take::<#ty>();));
            open.extend(match forward {
                true => quote!(let #frame = #p::open_frame(&mut #stack, #total);),
                false => quote!(let #frame = #p::top_frame(&#stack, #total);),
            });
            let split = if forward {
                quote!(split_at_mut)
            } else {
                quote!(split_at)
            };
            for ((record, _), length) in records.iter().zip(&lengths) {
                let slot = slot_name(*record);
                open.extend(quote!(let (#slot, #frame) = #frame.#split(#length);));
            }
            if !forward {
                close.extend(quote!(#p::close_frame(&mut #stack, #total);));
            }
            close.extend(quote!(#tape.#put(#stack);));
        }
        let (k, name, body) = (trip(), self.name(v), self.block(body));
        let nth = self.nth(range);
        let order = if forward {
            quote!(0..#count)
        } else {
            quote!((0..#count).rev())
        };
        quote! {
            {
                let #count = #trips;
                #open
                for #k in #order {
                    let #name = #nth;
                    #body
                }
                #close
            }
        }
    }

    fn slot_length(&self, record: RecordId, count: &Ident) -> TokenStream {
        self.either(self.plan.record(record).demand, quote!(#count), quote!(0))
    }
}

/// Stands for a comment that names the primal statement.
fn mark(of: StmtId) -> TokenStream {
    let number = proc_macro2::Literal::u32_unsuffixed(of.0);
    quote!(__primal!(#number);)
}

/// What a type is, its elements aside.
fn kind(ty: &Ty) -> Option<std::mem::Discriminant<Ty>> {
    ty.element().map(|_| std::mem::discriminant(ty))
}

/// The number of the iteration.
fn trip() -> Ident {
    Ident::new("trip", Span::mixed_site())
}

fn slot_name(record: RecordId) -> Ident {
    Ident::new(&format!("saved_{}", record.0), Span::mixed_site())
}

fn generic(ty: &Ty) -> bool {
    matches!(ty, Ty::Float(crate::ir::FloatTy::Param(_)))
}
