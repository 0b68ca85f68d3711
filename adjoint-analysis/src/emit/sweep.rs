//! The statements of a sweep.

use proc_macro2::{Ident, Span};

use super::token_buf::{TokenBuf, code};
use super::types::{blank, marker, typed_zero, zero};
use super::{Emit, private, tape};
use crate::ir::place::are_disjoint;
use crate::ir::{
    Block, Demand, Expr, FloatTy, IntTy, Origin, Place, RecordId, Stmt, StmtKind, Ty, UnOp, VarId,
};

mod checkpointed;
mod control;
mod distributed;
pub(super) mod expr;
pub(super) mod frames;
mod fused;
mod known_loop;
mod live_ranges;
pub(super) mod memory;
mod moves;
pub(super) mod reborrow_splits;
mod records;
mod room;
mod runs;
mod selects;
pub(super) mod spans;

use checkpointed::takes_snapshots;
use frames::primal_mark;

/// Adjacent statements under one test.
struct Guarded<'a> {
    demand: Demand,
    /// The statements of the block, from the first one on.
    stmts: &'a [Stmt],
    count: usize,
    code: Vec<TokenBuf>,
}

impl Emit<'_> {
    /// The statements of a block.
    pub fn block(&self, block: &Block) -> TokenBuf {
        let mut out: Vec<TokenBuf> = Vec::new();
        let mut rest = &block.stmts[..];
        let mut marked = None;
        // Adjacent statements for the same callers share a test.
        let mut guarded: Option<Guarded<'_>> = None;
        while let Some(stmt) = rest.first() {
            let marks = self.is_listing && marked.replace(stmt.id) != Some(stmt.id);
            let guard = self.shared_test(stmt);
            if let Some(group) = guarded.take_if(|g| marks || guard != Some(g.demand)) {
                out.push(self.emit_guarded(group));
            }
            if marks {
                out.push(primal_mark(stmt.id));
            }
            let moved = self.moved_at(block, block.stmts.len() - rest.len());
            let (taken, code) = match moved.is_empty() {
                true => self.emit_first(rest),
                false => Emit {
                    moved,
                    ..self.fork()
                }
                .emit_first(rest),
            };
            match guard {
                Some(demand) => {
                    let group = guarded.get_or_insert_with(|| Guarded {
                        demand,
                        stmts: rest,
                        count: 0,
                        code: Vec::new(),
                    });
                    group.count += taken;
                    group.code.push(code);
                }
                None => out.push(code),
            }
            rest = &rest[taken..];
        }
        out.extend(guarded.map(|group| self.emit_guarded(group)));
        out.into_iter().collect()
    }

    /// The code of the first statement, without the shared test, and how many statements it covers.
    fn emit_first(&self, stmts: &[Stmt]) -> (usize, TokenBuf) {
        let stmt = &stmts[0];
        match &stmt.kind {
            StmtKind::Record(r, p) => self
                .push_run(stmts)
                .unwrap_or_else(|| (1, self.record(*r, p))),
            StmtKind::Let(v, None) => {
                let restored = |next: &Stmt| match &next.kind {
                    StmtKind::Restore(record, p) if p.is_whole() && p.root == *v => Some(*record),
                    _ => None,
                };
                match stmts.get(1).and_then(restored) {
                    Some(record) => self
                        .pop_run(stmts)
                        .unwrap_or_else(|| (2, self.let_restored(*v, record))),
                    None => (1, self.let_blank(*v)),
                }
            }
            StmtKind::Replay(_, forward) => (1, self.in_scope(forward, &stmts[1..])),
            StmtKind::Loop(_, body) => {
                let split = self.split_live_ranges(body, &stmts[1..]);
                (1, self.stmt(stmt).then(split))
            }
            StmtKind::When(demand, body) if self.shared_test(stmt).is_some() => {
                (1, self.with_demand(*demand).block(body))
            }
            _ => (1, self.stmt(stmt)),
        }
    }

    /// The test of a statement, if it can be shared with adjacent ones.
    fn shared_test(&self, stmt: &Stmt) -> Option<Demand> {
        let demand = match &stmt.kind {
            StmtKind::When(demand, body) => {
                let inside = self.with_demand(*demand);
                (!inside.calls_sweep(body)).then_some(*demand)?
            }
            StmtKind::Record(r, _) | StmtKind::Restore(r, _) | StmtKind::RecordControl(r, _) => {
                self.plan.record(*r).demand
            }
            _ => return None,
        };
        self.needs_test(demand).then_some(demand)
    }

    fn emit_guarded(&self, group: Guarded<'_>) -> TokenBuf {
        let test = self.test(group.demand);
        if let (1, StmtKind::Record(record, place)) = (group.count, &group.stmts[0].kind)
            && let Some(call) = self.record_if(&test, *record, place)
        {
            return call;
        }
        let code = group.code.into_iter().collect::<TokenBuf>();
        code!(if #test { #code })
    }

    fn stmt(&self, stmt: &Stmt) -> TokenBuf {
        match self.is_listing {
            true => self.emit_stmt(stmt),
            false => self.stmt_spans.at_stmt(stmt.id, || self.emit_stmt(stmt)),
        }
    }

    fn emit_stmt(&self, stmt: &Stmt) -> TokenBuf {
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => self.let_value(*v, e),
            StmtKind::Let(v, None) => self.let_blank(*v),
            StmtKind::Assign(p, e) => self.assign(p, e),
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
                let code = self.user_code(*code, places);
                code!(#code;)
            }
            StmtKind::If(test, then, els) => self.branch(test, then, els),
            StmtKind::Loop(head, body) => self.known_loop(body, |emit| {
                let checkpointed = takes_snapshots(body)
                    .then(|| emit.checkpointed_loop(stmt.id, head, body))
                    .flatten();
                checkpointed.unwrap_or_else(|| emit.loop_(stmt.id, head, body))
            }),
            StmtKind::Take(records) => self.take(stmt.id, records),
            StmtKind::Replay(_, forward) => self.in_scope(forward, &[]),
            StmtKind::Break => code!(break;),
            StmtKind::Zero(p) => self.zero(p),
            StmtKind::Record(r, p) => self.record(*r, p),
            StmtKind::Restore(r, p) => self.restore(*r, p),
            StmtKind::RecordControl(r, e) => self.record_way(*r, e),
            StmtKind::RestoreControl(r, v) => self.restore_way(*r, *v),
        }
    }

    fn assign(&self, place: &Place, e: &Expr) -> TokenBuf {
        let e = self.expr(e);
        // The seed may be absent; callers for which the result is varied have one.
        if place.is_whole() && self.optional_seed == Some(place.root) {
            let (p, seed) = (private(), self.name(place.root));
            return code!(#seed = #p::seeded(#e););
        }
        let target = self.place_mut(place);
        code!(#target = #e;)
    }

    fn let_value(&self, v: VarId, value: &Expr) -> TokenBuf {
        let (name, taken) = (self.name(v), self.taken(v, value));
        let ty = &self.plan.func.var(v).ty;
        let blank = match taken {
            Some(_) => blank(ty),
            None => zero(ty).filter(|_| self.in_reverse && ty.is_scalar()),
        };
        let is_taken = taken.is_some();
        let mut e = taken.unwrap_or_else(|| self.expr(value));
        let made_for = self
            .plan
            .var_demands
            .get(&v)
            .filter(|_| is_taken || !is_free_to_evaluate(value));
        if let (Some(blank), Some(demand)) = (blank, made_for) {
            e = self.if_demanded(*demand, e, blank);
        }
        if self.in_reverse {
            e = self.typed(v, e);
        }
        let ty = match has_known_type(value) && !self.is_listing {
            true => TokenBuf::empty(),
            false => self.annotation(v),
        };
        code!(let mut #name #ty = #e;)
    }

    /// Declares a variable without a value; an adjoint starts as zeros in its primal's shape.
    pub fn let_blank(&self, v: VarId) -> TokenBuf {
        let (name, var) = (self.name(v), self.plan.func.var(v));
        if let Some(zero) = typed_zero(&var.ty).filter(|_| !self.is_listing) {
            return code!(let mut #name = #zero;);
        }
        let ty = self.annotation(v);
        if let Some(zero) = zero(&var.ty) {
            return code!(let mut #name #ty = #zero;);
        }
        match var.origin {
            Origin::Adjoint(of) => {
                let mut zero = self.zero_like(&self.plan.func.place(of));
                let demand = self.plan.var_demands.get(&v).copied();
                if let (Some(demand), Some(blank)) = (demand, blank(&var.ty)) {
                    zero = self.if_demanded(demand, zero, blank);
                }
                match &var.ty {
                    Ty::Slice(_) => code!(let mut #name = #zero;),
                    _ => code!(let mut #name #ty = #zero;),
                }
            }
            _ => match blank(&var.ty) {
                Some(blank) => {
                    let blank = self.typed(v, blank);
                    code!(let mut #name #ty = #blank;)
                }
                None => code!(let mut #name #ty;),
            },
        }
    }

    /// Zeros with the shape of the value at a place.
    pub fn zero_like(&self, place: &Place) -> TokenBuf {
        let (p, value) = (private(), self.borrow(place, false));
        let of_result = place
            .is_whole()
            .then(|| self.result_op(place.root, "result_zero", value.clone()));
        if let Some(zero) = of_result.flatten() {
            return zero;
        }
        match &place.ty {
            // A local is an array or a `Vec`, even if only the call that made it knows which.
            Ty::Slice(t) if !place.is_whole() || self.is_reference(place.root) => {
                let element = marker(t);
                code!(#p::zeros_like::<#element, _>(#value))
            }
            _ if place.is_whole() => {
                let zero_like = self.shape_function(place.root, "zero_like");
                code!(#zero_like(#value))
            }
            ty => {
                let marker = marker(ty);
                code!(#p::Shape::<#marker>::zero_like(#value))
            }
        }
    }

    fn let_restored(&self, v: VarId, record: RecordId) -> TokenBuf {
        let (name, ty) = (self.name(v), &self.plan.func.var(v).ty);
        let (note, loaded) = (self.annotation(v), self.load_variable(v, record));
        let demand = self.plan.record(record).demand;
        if let (Ty::Float(_), false) = (ty, self.is_implied(demand)) {
            let value = self.pop_if(record, ty, &self.test(demand));
            let value = self.typed_restored(v, value);
            let note = Some(note).filter(|_| self.is_listing);
            return code!(let mut #name #note = #value;);
        }
        match blank(ty) {
            Some(blank) => {
                let value = self.typed_restored(v, self.if_demanded(demand, loaded, blank));
                code!(let mut #name #note = #value;)
            }
            None => {
                let value = self.typed(v, loaded);
                match self.is_implied(demand) {
                    true => code!(let mut #name #note = #value;),
                    false => {
                        let test = self.test(demand);
                        code!(let mut #name #note; if #test { #name = #value; })
                    }
                }
            }
        }
    }

    /// Loads the recorded value of a whole variable from the tape.
    fn load_variable(&self, v: VarId, record: RecordId) -> TokenBuf {
        let tape = tape();
        let of_result = self.result_op(v, "result_load", code!(#tape));
        if let Some(loaded) = of_result {
            return self.typed_result(v, loaded);
        }
        let witness = self.load_with_witness(v);
        witness.unwrap_or_else(|| self.pop(record, &self.plan.func.var(v).ty))
    }

    fn increment(&self, place: &Place, e: &Expr) -> TokenBuf {
        let unknown = place.ty == Ty::Unknown;
        // The primal may add integers, which have no adjoint.
        let is_adjoint = matches!(self.plan.func.var(place.root).origin, Origin::Adjoint(_));
        let copies = unknown && matches!(e, Expr::Read(p) if p.ty == Ty::Unknown);
        if (is_adjoint && copies) || (!place.ty.is_float() && !unknown) {
            return self.accumulate(place, e);
        }
        if let Expr::Cast(e, Ty::Unknown) = e {
            let (p, to, e) = (private(), self.borrow(place, true), self.expr(e));
            return match unknown {
                true => code!({
                    use #p::AddNothing as _;
                    #p::Target(#to).add_number(#e);
                }),
                false => code!(#p::add_converted(#to, #e);),
            };
        }
        let (p, old) = (self.place_mut(place), self.place(place));
        // Generic numbers need not implement `+=`.
        let generic = unknown || is_generic_float(&place.ty);
        match e {
            Expr::Unary(UnOp::Neg, inner) => {
                let inner = self.subtrahend(inner);
                match generic {
                    true => code!(#p = #old - #inner;),
                    false => code!(#p -= #inner;),
                }
            }
            e if generic => {
                let e = self.subtrahend(e);
                code!(#p = #old + #e;)
            }
            e => {
                let e = self.expr(e);
                code!(#p += #e;)
            }
        }
    }

    /// The elementwise increment of an aggregate.
    fn accumulate(&self, place: &Place, e: &Expr) -> TokenBuf {
        let (p, marker) = (private(), marker(&place.ty));
        let to = &self.borrow(place, true);
        if let (Origin::Adjoint(of), Expr::Read(from), true) =
            (self.plan.func.var(place.root).origin, e, place.is_whole())
        {
            let from = self.borrow(from, false);
            if let Some(add) = self.result_op(of, "result_accumulate", code!(#to, #from)) {
                return code!(#add;);
            }
        }
        if let (Ty::Unknown | Ty::Named(_), Expr::Read(from)) = (&place.ty, e)
            && from.is_whole()
            && self.plan.func.var(from.root).origin == Origin::Temp
        {
            // A callee whose result has no floats returns no increment.
            let from = self.borrow(from, false);
            return code!({
                use #p::AddTo as _;
                #p::Increment(#from).add_to(#to);
            });
        }
        let from = match e {
            // Arrays, `Vec`s and slices are added as slices.
            Expr::Read(from) if list_constructor(&from.ty) != list_constructor(&place.ty) => {
                let (to, from) = (self.receiver_for(place, true), self.receiver(from));
                return code!(#p::Shape::<#marker>::accumulate(&mut #to[..], &#from[..]););
            }
            Expr::Read(from) => self.borrow(from, false),
            e => TokenBuf::prefixed("&", self.expr(e)),
        };
        if place.is_whole() {
            let accumulate = self.shape_function(place.root, "accumulate");
            return code!(#accumulate(#to, #from););
        }
        code!(#p::Shape::<#marker>::accumulate(#to, #from);)
    }

    fn swap(&self, a: &Place, b: &Place) -> TokenBuf {
        match a.root == b.root {
            false => {
                let (a, b) = (self.borrow(a, true), self.borrow(b, true));
                code!(::core::mem::swap(#a, #b);)
            }
            true => self.swap_within(a, b),
        }
    }

    /// Swaps two parts of one variable.
    fn swap_within(&self, a: &Place, b: &Place) -> TokenBuf {
        use crate::ir::Proj;
        if let (Some((Proj::Index(i), base)), Some((Proj::Index(j), other))) =
            (a.proj.split_last(), b.proj.split_last())
            && base == other
        {
            let base = Place {
                root: a.root,
                proj: base.to_vec(),
                ty: Ty::Slice(Box::new(a.ty.clone())),
            };
            let base = self.receiver_for(&base, true);
            let (i, j) = (self.expr(i), self.expr(j));
            return code!(#base.swap(#i, #j););
        }
        if are_disjoint(a, b) {
            return self.with_disjoint(a, b, |emit| {
                let (a, b) = (emit.borrow(a, true), emit.borrow(b, true));
                code!(::core::mem::swap(#a, #b);)
            });
        }
        let (to_a, to_b) = (self.place_mut(a), self.place_mut(b));
        let [a, b] = [a, b].map(|p| self.expr(&Expr::Read(p.clone())));
        let held = &Ident::new("held", Span::mixed_site());
        code!({ let #held = #a; #to_a = #b; #to_b = #held; })
    }

    fn zero(&self, place: &Place) -> TokenBuf {
        if let Some(zero) = zero(&place.ty).filter(|_| place.ty.is_float()) {
            let place = self.place_mut(place);
            return code!(#place = #zero;);
        }
        let (p, marker, place) = (private(), marker(&place.ty), self.borrow(place, true));
        code!(#p::Shape::<#marker>::set_zero(#place);)
    }
}

/// Whether rustc knows the expression's type at once, so that an annotation would only cost time.
fn has_known_type(e: &Expr) -> bool {
    let known = |ty: &Ty| {
        matches!(ty, Ty::Bool | Ty::Float(FloatTy::F32 | FloatTy::F64))
            || matches!(ty, Ty::Int(t) if *t != IntTy::Infer)
    };
    match e {
        Expr::Lit(_, ty) => known(ty),
        Expr::Read(p) => p.is_whole() && known(&p.ty),
        Expr::Len(_) => true,
        Expr::Unary(_, a) => has_known_type(a),
        Expr::Binary(_, a, b) => has_known_type(a) && has_known_type(b),
        Expr::Intrinsic(_, args) => args.iter().all(has_known_type),
        _ => false,
    }
}

/// Whether the expression is free to evaluate and can't panic, so that it needs no test.
fn is_free_to_evaluate(e: &Expr) -> bool {
    match e {
        Expr::Lit(..) => true,
        Expr::Read(p) | Expr::Len(p) => p.is_whole(),
        _ => false,
    }
}

/// The type constructor of a list type, without its elements.
fn list_constructor(ty: &Ty) -> Option<std::mem::Discriminant<Ty>> {
    ty.element().map(|_| std::mem::discriminant(ty))
}

fn is_generic_float(ty: &Ty) -> bool {
    matches!(ty, Ty::Float(crate::ir::FloatTy::Param(_)))
}
