//! Calls of other annotated functions, through their handles.
//!
//! A handle has the callee's name in the type namespace, so it follows the name through imports. In
//! a block, `use callee as __callee; use fallback::*;` names it, or a fallback type whose methods can't
//! be had and say what is wrong where there is no handle.

use std::rc::Rc;

use proc_macro2::{Delimiter, Ident, Span};
use quote::quote_spanned;

use super::interface::{by_value_sweep, method_sweep};
use super::piece::{Piece, code};
use super::stand_in::{stand_in_borrowed, stand_in_name};
use super::{Emit, operator, private, tape};
use crate::ir::{
    AdjArg, Arg, Call, Callee, CodeId, Expr, FloatTy, IntTy, Mode, Place, Proj, StmtId, Told, Ty,
    VarId,
};
use crate::lower::code::By;
use crate::plan::statement::disjoint;

/// The arguments of a sweep, each with a comma behind it.
#[derive(Default)]
struct SweepArgs {
    first: Piece,
    context: Piece,
    others: Piece,
}

impl SweepArgs {
    /// The order of a type's functions, by [`super::interface::Interface::first`].
    fn of_sibling(self) -> Piece {
        let (first, context, others) = (self.first, self.context, self.others);
        code!(#first #context #others)
    }

    /// The order of all others.
    fn of_handle(self) -> Piece {
        let (first, context, others) = (self.first, self.context, self.others);
        code!(#context #first #others)
    }
}

impl Emit<'_> {
    /// A call without a derivative: as the user wrote it.
    pub fn primal_call(&self, call: &Call) -> Piece {
        let path = self.path(call);
        let is_method = call.callee.is_method();
        self.with_splits(&call.args, &[], |emit| {
            let args: Vec<Piece> = call
                .args
                .iter()
                .skip(usize::from(is_method))
                .map(|a| emit.argument(a))
                .collect();
            match call.receiver() {
                Some(place) => {
                    let receiver = match emit.is_deref(place) {
                        true => emit.receiver(place),
                        false => emit.lent_receiver(call, place),
                    };
                    code!(#receiver.#path(#(#args),*))
                }
                None => code!(#path(#(#args),*)),
            }
        })
        .bind(call.result.map(|v| self.result_pattern(v)))
    }

    /// The forward sweep of the callee.
    pub fn forward_call(&self, id: StmtId, call: &Call) -> Piece {
        let (tape, context) = (tape(), self.context(id));
        self.with_splits(&call.args, &[], |emit| {
            let args = call.args.iter().skip(1).map(|a| emit.argument(a));
            let args = SweepArgs {
                first: emit.first_argument(call),
                context: code!(#context, #tape,),
                others: code!(#(#args,)*),
            };
            emit.through_handle(call, "forward", args)
        })
        .bind(call.result.map(|v| self.result_pattern(v)))
    }

    /// The reverse sweep of the callee: adjoints by reference are incremented, those of values returned.
    pub fn reverse_call(
        &self,
        id: StmtId,
        call: &Call,
        adjoints: &[AdjArg],
        seed: Option<&Expr>,
    ) -> Piece {
        let (tape, context) = (tape(), self.context(id));
        let mut before = Piece::empty();
        let mut after = Piece::empty();
        for (k, (arg, adjoint)) in call.args.iter().zip(adjoints).enumerate() {
            if let Some(primal) = arg.place() {
                let demand = self.argument_demand(id, k, arg);
                before.add(self.stand_in(k, primal, adjoint, demand));
                if let AdjArg::Scratch(Some(target)) = adjoint {
                    after.add(self.add_scratch(k, target, demand));
                }
            }
        }
        let places: Vec<Place> = adjoints.iter().filter_map(adjoint_place).cloned().collect();
        let body = self.with_splits(&call.args, &places, |emit| {
            let mut list = Piece::empty();
            for (k, (arg, adjoint)) in call.args.iter().zip(adjoints).enumerate() {
                if k > 0 {
                    let primal = emit.argument(arg);
                    list.add(code!(#primal,));
                }
                let is_reference = arg.place().is_some();
                list.add(match adjoint {
                    AdjArg::Place(place) => {
                        let demand = emit.argument_demand(id, k, arg);
                        let lent = emit.borrow(place, true);
                        let given = match &place.ty {
                            // An array or a `Vec`, only its maker knows which: nothing else has its type.
                            Ty::Slice(_) if !place.is_unsized(&emit.plan.func) => lent,
                            _ => emit.either(demand, lent, stand_in_borrowed(k, arg)),
                        };
                        code!(#given,)
                    }
                    AdjArg::Scratch(_) => {
                        let name = stand_in_name(k);
                        code!(&mut #name,)
                    }
                    _ if is_reference => code!((),),
                    _ => Piece::empty(),
                });
            }
            let seed = seed.map_or_else(
                || code!(::core::default::Default::default()),
                |s| {
                    let seed = emit.expr(s);
                    // By the operands' types rustc finds the operator.
                    match call.callee.operator() {
                        Some(_) => seed,
                        None => code!(#seed.into()),
                    }
                },
            );
            let args = SweepArgs {
                first: emit.first_argument(call),
                context: code!(#context, #tape,),
                others: code!(#list #seed),
            };
            emit.through_handle(call, "reverse", args)
        });
        let increments: Vec<Piece> = call
            .args
            .iter()
            .zip(adjoints)
            .filter(|(arg, _)| arg.place().is_none())
            .map(|(_, adjoint)| match adjoint {
                AdjArg::Increment(v) => {
                    let name = self.name(*v);
                    code!(#name)
                }
                _ => code!(_),
            })
            .collect();
        let bound = body.bind(Some(code!((#(#increments,)*))));
        code!(#before #bound #after)
    }

    fn result_pattern(&self, v: crate::ir::VarId) -> Piece {
        let name = self.name(v);
        let ty = self.annotation(v);
        code!(mut #name #ty)
    }
    /// The path of the callee as the user wrote it, or the name of a method.
    pub fn path(&self, call: &Call) -> Piece {
        self.written_path(&call.callee)
    }

    fn written_path(&self, callee: &Callee) -> Piece {
        match callee.path {
            Some(code) => self.code(code, &[]),
            None => super::types::parse(&callee.name),
        }
    }

    /// `handle::method(args)`
    fn through_handle(&self, call: &Call, method: &str, args: SweepArgs) -> Piece {
        self.through(call, method, args, true)
    }

    /// The same for what has no context.
    fn through_handle_plain(&self, call: &Call, method: &str, others: Piece) -> Piece {
        let args = SweepArgs {
            others,
            ..SweepArgs::default()
        };
        self.through(call, method, args, false)
    }

    fn through(&self, call: &Call, method: &str, args: SweepArgs, context: bool) -> Piece {
        if let Some(receiver) = call.receiver() {
            return self.through_method(call, receiver, method, args.of_sibling());
        }
        let path: syn::Result<syn::ExprPath> = syn::parse2(self.path(call).into());
        let Ok(mut path) = path else {
            return Piece::empty();
        };
        if call.callee.operator().is_some() {
            return operator::sweep(call, &path, method, args.of_handle());
        }
        let generics = path
            .path
            .segments
            .last_mut()
            .map(|last| std::mem::replace(&mut last.arguments, syn::PathArguments::None));
        let mut method = method;
        if let (false, Some(syn::PathArguments::AngleBracketed(g))) = (context, &generics)
            && !g.args.is_empty()
        {
            method = match method {
                "result_load" => "result_load_as",
                method => method,
            };
        }
        let names_types = context || method == "result_load_as";
        // The context is one type parameter more.
        let generics = generics.filter(|_| names_types).and_then(|g| match g {
            syn::PathArguments::AngleBracketed(mut g) => {
                g.colon2_token.get_or_insert_with(Default::default);
                if context {
                    g.args.push(syn::parse_quote!(_));
                }
                Some(g)
            }
            _ => None,
        });
        let sibling = match call.args.first() {
            Some(Arg::Value(_)) => by_value_sweep(method),
            _ => method,
        };
        if let Some(sibling) = associated(&path, sibling) {
            let (sibling, generics, args) = (&sibling, generics.as_ref(), args.of_sibling());
            return code!(#sibling #generics(#args));
        }
        // Where the callee has no handle, rustc says so at its name, once for both sweeps.
        let callee = callee_name(&path, 0);
        let at = callee.span();
        let method = Ident::new(method, at);
        let sweep = quote_spanned!(at=> #callee::#method);
        let (names, generics, args) = (names(&path, 0), generics.as_ref(), args.of_handle());
        code!({ #names #sweep #generics(#args) })
    }

    /// What names the handle of the n-th callee in a block.
    pub fn callee_names(&self, callee: &Callee, n: usize) -> Piece {
        names(&self.callee_path(callee), n)
    }

    /// The path of a callee that has a handle, without generic arguments.
    pub fn callee_path(&self, callee: &Callee) -> syn::ExprPath {
        let tokens = self.written_path(callee);
        let mut path: syn::ExprPath = syn::parse_quote!(#tokens);
        if let Some(last) = path.path.segments.last_mut() {
            last.arguments = syn::PathArguments::None;
        }
        path
    }

    /// A method's sweep is its hidden sibling, found through the receiver.
    fn through_method(&self, call: &Call, receiver: &Place, which: &str, args: Piece) -> Piece {
        let mut tokens = self.path(call).into_iter();
        let Some(proc_macro2::TokenTree::Ident(name)) = tokens.next() else {
            return Piece::empty();
        };
        let generics = tokens.collect();
        let generics = syn::parse2::<syn::AngleBracketedGenericArguments>(generics)
            .ok()
            .map(|mut g| {
                g.args.push(syn::parse_quote!(_));
                g
            });
        // Of a type behind a reference, rustc says in our words that it has no sweeps.
        let receiver = match self.is_deref(receiver) {
            true => {
                let name = self.name(receiver.root);
                code!((*#name))
            }
            false => self.lent_receiver(call, receiver),
        };
        let sibling = method_sweep(&name, which);
        let generics = generics.as_ref();
        code!(#receiver.#sibling #generics(#args))
    }

    /// What a method is called on, in such a way that the method may change it if it is not in something
    /// that is only read.
    fn lent_receiver(&self, call: &Call, place: &Place) -> Piece {
        if self.is_confirmed(call) {
            let lent = Piece::after("&", self.place(place));
            return lent.within(Delimiter::Parenthesis);
        }
        let may_change = matches!(call.args.first(), Some(Arg::Mut(_)));
        match may_change && self.plan.func.var(place.root).mode != Mode::Shared {
            true => self.target(place),
            false => self.place(place),
        }
    }

    /// Whether rustc is asked that the method leaves its receiver as it is.
    fn is_confirmed(&self, call: &Call) -> bool {
        let by = |id: CodeId| self.code[id.index()].by.first();
        call.callee.path.and_then(by) == Some(&By::Borrow)
    }

    /// Something done with the result of a call whose type only the callee knows.
    pub fn on_result(&self, v: VarId, method: &str, args: Piece) -> Option<Piece> {
        let ty = &self.plan.func.var(v).ty;
        let unknown = super::types::tokens(ty).is_none() || holds_open(ty);
        let operator = |call: &Call| call.callee.operator().is_some();
        let call = self
            .results
            .get(&v)
            .filter(|call| unknown && !operator(call))?;
        let plain = call.result.is_some_and(|v| self.plain.contains(&v));
        if plain && matches!(self.plan.func.told(v), Some(Told::Call(..))) {
            return None;
        }
        match call.callee.is_method() {
            // One without an adjoint need not be annotated.
            true if !self.plan.adjoint.contains_key(&v) => None,
            true => self.method_of(call).map(|(ty, name)| {
                let is_path = |c: char| c.is_alphanumeric() || "_: ".contains(c);
                let owner = super::types::parse(&ty);
                // A path without arguments may be of a generic type: rustc finds them by those of the call.
                let owner = match ty.chars().all(is_path) {
                    true => owner,
                    false => code!(<#owner>),
                };
                let sibling = method_sweep(&name, method);
                code!(#owner::#sibling(#args))
            }),
            false => Some(self.through_handle_plain(call, method, args)),
        }
    }

    /// The type of a method's receiver, where it has a name, and the method's name.
    fn method_of(&self, call: &Call) -> Option<(String, Ident)> {
        call.callee.name.strip_prefix('.')?;
        let name = match self.path(call).into_iter().next()? {
            proc_macro2::TokenTree::Ident(name) => name,
            _ => return None,
        };
        match &call.args.first()?.place()?.ty {
            Ty::Named(ty) => Some((ty.clone(), name)),
            _ => None,
        }
    }

    /// The first argument, unless it stands in front of the dot.
    fn first_argument(&self, call: &Call) -> Piece {
        let first = call.args.first().filter(|_| !call.callee.is_method());
        first.map_or_else(Piece::empty, |arg| {
            let arg = self.argument(arg);
            code!(#arg,)
        })
    }

    fn argument(&self, arg: &Arg) -> Piece {
        match arg {
            Arg::Value(e) => self.expr(e),
            Arg::Shared(p) if is_reference(&p.ty) => self.place(p),
            Arg::Shared(p) => self.borrow(p, false),
            Arg::Mut(p) => self.borrow(p, true),
        }
    }

    /// Writes a call whose arguments may be disjoint parts of one variable: what was split by
    /// `split_at_mut` is split again around the call.
    fn with_splits(
        &self,
        args: &[Arg],
        adjoints: &[Place],
        write: impl FnOnce(&Emit<'_>) -> Piece,
    ) -> Written {
        let mut emit = self.copied();
        let mut places: Vec<(Place, bool)> = args
            .iter()
            .filter_map(|a| a.place().map(|p| (p.clone(), matches!(a, Arg::Mut(_)))))
            .collect();
        places.extend(adjoints.iter().map(|p| (p.clone(), true)));
        let mut splits = Piece::empty();
        let mut lists = Lists::default();
        let mut halves = Vec::new();
        for (i, (a, a_mut)) in places.iter().enumerate() {
            for (b, b_mut) in &places[i + 1..] {
                if a.root == b.root && (*a_mut || *b_mut) {
                    match disjoint(a, b) {
                        true => halves.push((a, b)),
                        false => lists.add(a, b),
                    }
                }
            }
        }
        for (list, parts) in lists.0 {
            emit.take_parts(&list, parts, &mut splits);
        }
        for (a, b) in halves {
            emit.split_apart(a, b, &mut splits);
        }
        Written {
            splits,
            call: write(&emit),
        }
    }

    /// A statement on two places that a split tells apart.
    pub fn apart(&self, a: &Place, b: &Place, write: impl FnOnce(&Emit<'_>) -> Piece) -> Piece {
        let (mut emit, mut splits) = (self.copied(), Piece::empty());
        emit.split_apart(a, b, &mut splits);
        let statement = write(&emit);
        match splits.is_empty() {
            true => statement,
            false => code!({ #splits #statement }),
        }
    }

    /// The state of printing, for a part that is printed differently.
    pub fn copied(&self) -> Emit<'_> {
        Emit {
            plan: self.plan,
            code: self.code,
            names: Rc::clone(&self.names),
            rebased: self.rebased.clone(),
            frames: Rc::clone(&self.frames),
            trip: self.trip.clone(),
            in_reverse: self.in_reverse,
            results: Rc::clone(&self.results),
            plain: Rc::clone(&self.plain),
            declared: Rc::clone(&self.declared),
            around: self.around,
            tests: Rc::clone(&self.tests),
            scales: self.scales.clone(),
            optional_seed: self.optional_seed,
            linked: Rc::clone(&self.linked),
            marks: self.marks,
        }
    }

    /// Splits where the ways to the two places part.
    fn split_apart(&mut self, a: &Place, b: &Place, splits: &mut Piece) {
        let Some(at) = a.proj.iter().zip(&b.proj).position(|(x, y)| x != y) else {
            return;
        };
        let base = Place {
            root: a.root,
            proj: a.proj[..at].to_vec(),
            ty: a.ty.clone(),
        };
        let (Proj::Head(mid) | Proj::Tail(mid)) = &a.proj[at] else {
            return self.borrow_common(base, splits);
        };
        let half = |step: Proj| base.project(step, a.ty.clone());
        let (head, tail) = (half(Proj::Head(mid.clone())), half(Proj::Tail(mid.clone())));
        if self
            .rebased
            .iter()
            .any(|(known, _)| known.root == head.root && known.proj == head.proj)
        {
            return;
        }
        let number = self.rebased.len();
        let name = |which: &str| Ident::new(&format!("{which}_{number}"), Span::mixed_site());
        let (head_name, tail_name) = (&name("head"), &name("tail"));
        let (whole, mid) = (self.receiver_for(&base, true), self.expr(mid));
        splits.add(code!(let (#head_name, #tail_name) = #whole.split_at_mut(#mid);));
        // Inner splits come later and are found first.
        self.rebased.insert(0, (head, head_name.clone()));
        self.rebased.insert(0, (tail, tail_name.clone()));
        debug_assert!(self.rebased.iter().any(|(half, _)| a.is_within(half)));
    }

    /// Borrows elements and ranges of a list at once.
    fn take_parts(&mut self, list: &Place, parts: Vec<Proj>, splits: &mut Piece) {
        let number = self.rebased.len();
        let name = |k: usize| Ident::new(&format!("part_{number}_{k}"), Span::mixed_site());
        let names: &[Ident] = &(0..parts.len()).map(name).collect::<Vec<_>>();
        let whole = &self.receiver_for(list, true);
        let only_elements = parts.iter().all(|part| matches!(part, Proj::Index(_)));
        let ranges = parts
            .iter()
            .map(|part| self.range_of(part, only_elements))
            .collect::<Vec<_>>();
        splits.add(code! {
            let end = #whole.len();
            let [#(#names),*] = #whole.get_disjoint_mut([#(#ranges),*]).unwrap();
        });
        for (part, name) in parts.into_iter().zip(names) {
            if matches!(part, Proj::Index(_)) && !only_elements {
                splits.add(code!(let #name = &mut #name[0];));
            }
            let place = list.project(part, Ty::Unknown);
            self.rebased.insert(0, (place, name.clone()));
        }
    }

    fn range_of(&self, part: &Proj, only_elements: bool) -> Piece {
        let bound = |e: &Option<Box<Expr>>| e.as_ref().map(|e| self.expr(e));
        match part {
            Proj::Index(i) if only_elements => self.expr(i),
            Proj::Index(i) => {
                let i = &self.expr(i);
                code!(#i..#i + 1)
            }
            Proj::Range(lo, hi) => {
                let lo = bound(lo).unwrap_or_else(|| code!(0));
                let hi = bound(hi).unwrap_or_else(|| code!(end));
                code!(#lo..#hi)
            }
            _ => Piece::empty(),
        }
    }

    /// Borrows once what two fields are parts of, where it is reached through an index.
    fn borrow_common(&mut self, base: Place, splits: &mut Piece) {
        let indexed = base.proj.iter().any(|step| matches!(step, Proj::Index(_)));
        let known =
            |(known, _): &(Place, Ident)| known.root == base.root && known.proj == base.proj;
        if !indexed || self.rebased.iter().any(known) {
            return;
        }
        let name = &Ident::new(&format!("whole_{}", self.rebased.len()), Span::mixed_site());
        let whole = self.borrow(&base, true);
        splits.add(code!(let #name = #whole;));
        self.rebased.insert(0, (base, name.clone()));
    }
}

/// Whether values of the type are shared references, such as texts.
pub fn is_reference(ty: &Ty) -> bool {
    matches!(ty, Ty::Discrete(name) if name.starts_with('&') && !name.starts_with("&mut"))
}

/// Lists of which a call is lent several parts, which rustc saw to share nothing, and these.
#[derive(Default)]
struct Lists(Vec<(Place, Vec<Proj>)>);

impl Lists {
    fn add(&mut self, a: &Place, b: &Place) {
        let Some(at) = a.proj.iter().zip(&b.proj).position(|(x, y)| x != y) else {
            return;
        };
        let parts = [&a.proj[at], &b.proj[at]];
        if !parts
            .iter()
            .all(|p| matches!(p, Proj::Index(_) | Proj::Range(..)))
        {
            return;
        }
        let list = Place {
            proj: a.proj[..at].to_vec(),
            ..a.clone()
        };
        let same =
            |(known, _): &(Place, Vec<Proj>)| known.root == list.root && known.proj == list.proj;
        let k = self.0.iter().position(same).unwrap_or_else(|| {
            self.0.push((list, Vec::new()));
            self.0.len() - 1
        });
        for part in parts {
            if !self.0[k].1.contains(part) {
                self.0[k].1.push(part.clone());
            }
        }
    }
}

/// A call, and the splits that have to surround it.
struct Written {
    splits: Piece,
    call: Piece,
}

impl Written {
    /// The statement `let pattern = call;`
    fn bind(self, pattern: Option<Piece>) -> Piece {
        let Written { splits, call } = self;
        let value = match splits.is_empty() {
            true => call,
            false => code!({ #splits #call }),
        };
        match pattern {
            Some(pattern) => code!(let #pattern = #value;),
            None => code!(#value;),
        }
    }
}

/// How many callees can be named in one block.
pub const CALLEE_NAMES: usize = 8;

/// The name of the n-th callee's handle in a block. It is the same in all blocks: the fallback declares
/// it.
pub fn callee_name(path: &syn::ExprPath, n: usize) -> Ident {
    let name = match n {
        0 => "__callee".into(),
        n => format!("__callee_{n}"),
    };
    let last = path.path.segments.last();
    let span = last.map_or_else(Span::call_site, |s| s.ident.span());
    Ident::new(&name, span)
}

fn names(path: &syn::ExprPath, n: usize) -> Piece {
    let (p, callee) = (private(), callee_name(path, n));
    let moves = |name| path.path.is_ident(name);
    let of_mem = n == 0 && ["swap", "replace", "take"].into_iter().any(moves);
    let of_mem = of_mem.then(|| code!(mem::));
    code! {
        #[allow(unused_imports)]
        use #path as #callee;
        #[allow(unused_imports)]
        use #p::fallback::#of_mem *;
    }
}

/// The sibling of an associated function, `Type::f` or `Self::f`: the type's name is in capitals.
fn associated(path: &syn::ExprPath, which: &str) -> Option<syn::ExprPath> {
    let n = path.path.segments.len();
    let owner = path.path.segments.get(n.checked_sub(2)?)?.ident.to_string();
    owner.starts_with(char::is_uppercase).then(|| {
        let mut path = path.clone();
        if let Some(last) = path.path.segments.last_mut() {
            last.ident = method_sweep(&last.ident, which);
        }
        path
    })
}

fn adjoint_place(adjoint: &AdjArg) -> Option<&Place> {
    match adjoint {
        AdjArg::Place(p) => Some(p),
        _ => None,
    }
}

/// Whether the type holds numbers of which only rustc knows what they are.
fn holds_open(ty: &Ty) -> bool {
    let open = |ty: &Ty| match ty {
        Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer) => true,
        ty => holds_open(ty),
    };
    match ty {
        Ty::Tuple(ts) => ts.iter().any(open),
        Ty::Option(t) => open(t),
        Ty::Result(t, e) => open(t) || open(e),
        _ => false,
    }
}
