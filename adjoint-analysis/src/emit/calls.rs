//! Calls of other annotated functions, through their handles.
//!
//! A handle has the callee's name in the type namespace, so imports of the function also import the handle. Each sweep
//! starts with `use callee as __linked_0; use fallback::linked::*;` (`names`); inside a block it is
//! `use callee as __callee; use fallback::called::*;`. If there is no handle, the glob import supplies a fallback type
//! whose methods don't compile, with an error that says what is missing.

pub mod bound_methods;
pub(super) mod by_value_receiver;
pub(super) mod conditional;
pub(super) mod demand;
pub(super) mod empty_adjoint;
pub(super) mod external_callee;
pub(super) mod fallback;
pub mod handle;
pub(super) mod links;
pub(super) mod names;
pub(super) mod number_methods;
pub mod operator;
pub(super) mod queries;
mod results;

use std::rc::Rc;

use proc_macro2::{Delimiter, Ident, Span};
use quote::quote_spanned;

use self::empty_adjoint::placeholder_name;
use self::external_callee::NeededBy;
use super::interface::{by_value_sweep, method_sweep};
use super::token_buf::{TokenBuf, code};
use super::types::marker;
use super::{Emit, private, tape};
use crate::ir::{AdjArg, Arg, Call, Callee, CodeId, Expr, FloatTy, IntTy, Mode, Place, StmtId, Ty};
use crate::mir::code::CaptureMode;

/// The argument list of a sweep, in parts; each argument ends in a comma.
#[derive(Default)]
struct SweepArgs {
    /// The position of the call.
    at: Option<Span>,
    first: TokenBuf,
    context: TokenBuf,
    others: TokenBuf,
}

impl SweepArgs {
    /// The argument order for functions of types; see [`super::interface::Interface::first`].
    fn sibling_order(self) -> TokenBuf {
        let (first, context, others) = (self.first, self.context, self.others);
        code!(#first #context #others)
    }

    /// The argument order for all other functions.
    fn handle_order(self) -> TokenBuf {
        let (first, context, others) = (self.first, self.context, self.others);
        code!(#context #first #others)
    }
}

impl Emit<'_> {
    /// A call without a derivative, as the user wrote it.
    pub fn primal_call(&self, call: &Call) -> TokenBuf {
        self.with_splits(&call.args, &[], |emit| emit.as_written(call))
            .bind(call.result.map(|v| self.result_pattern(v)))
    }

    fn as_written(&self, call: &Call) -> TokenBuf {
        let path = self.path(call);
        let is_method = call.callee.is_method();
        let args = call.args.iter().skip(usize::from(is_method));
        let args = args.map(|a| self.argument(a));
        match call.receiver() {
            Some(place) => {
                let receiver = match self.is_deref(place) {
                    true => self.receiver(place),
                    false => self.borrowed_receiver(call, place),
                };
                code!(#receiver.#path(#(#args),*))
            }
            None => code!(#path(#(#args),*)),
        }
    }

    /// The forward sweep of the callee.
    pub fn forward_call(&self, id: StmtId, call: &Call) -> TokenBuf {
        let (tape, context) = (self.tape_argument(call), self.context(id));
        self.with_splits(&call.args, &[], |emit| {
            let args = call.args.iter().skip(1).map(|a| emit.argument(a));
            let args = SweepArgs {
                at: emit.stmt_spans.stmt_span(id),
                first: emit.first_argument(call),
                context: code!(#context, #tape,),
                others: code!(#(#args,)*),
            };
            let sweep = emit.sweep_call(call, "forward", args);
            match emit.is_conditional_call(call) {
                true => emit.sweep_or_call(id, sweep, emit.as_written(call)),
                false => sweep,
            }
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
    ) -> TokenBuf {
        let (p, tape, context) = (private(), self.tape_argument(call), self.context(id));
        let mut before = TokenBuf::empty();
        let mut after = TokenBuf::empty();
        for (k, (arg, adjoint)) in call.args.iter().zip(adjoints).enumerate() {
            if let Some(primal) = arg.place() {
                let demand = self.argument_demand(id, k, arg);
                before.add(self.placeholder_adjoint((id, k, arg), primal, adjoint));
                if let AdjArg::Scratch(Some(target)) = adjoint {
                    after.add(self.add_scratch(k, target, demand));
                }
            }
        }
        let places: Vec<Place> = adjoints.iter().filter_map(adjoint_place).cloned().collect();
        let body = self.with_splits(&call.args, &places, |emit| {
            let mut list = TokenBuf::empty();
            for (k, (arg, adjoint)) in call.args.iter().zip(adjoints).enumerate() {
                if k > 0 {
                    let primal = emit.argument(arg);
                    list.add(code!(#primal,));
                }
                let is_reference = arg.place().is_some();
                list.add(match adjoint {
                    AdjArg::Place(place) => {
                        let lent = emit.borrowed_adjoint((id, k, arg), place);
                        code!(#lent,)
                    }
                    AdjArg::Scratch(_) => {
                        let name = placeholder_name(k);
                        code!(&mut #name,)
                    }
                    _ if is_reference => code!((),),
                    _ => TokenBuf::empty(),
                });
            }
            let seed = seed.map_or_else(
                || {
                    let p = private();
                    code!(#p::unseeded())
                },
                |s| {
                    let seed = match s {
                        Expr::Read(adjoint) => emit.moved_seed(call, adjoint),
                        s => emit.expr(s),
                    };
                    // Rustc selects the operator by the types of the operands.
                    match call.callee.operator() {
                        Some(_) => seed,
                        None => code!(#p::seeded(#seed)),
                    }
                },
            );
            let args = SweepArgs {
                at: emit.stmt_spans.stmt_span(id),
                first: emit.first_argument(call),
                context: code!(#context, #tape,),
                others: code!(#list #seed),
            };
            emit.sweep_call(call, "reverse", args)
        });
        let increments: Vec<TokenBuf> = call
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

    /// The tape argument. For a callee without an adjoint, its type is wrong on purpose: the error is placed at the
    /// call.
    fn tape_argument(&self, call: &Call) -> TokenBuf {
        match self.external_of(call).map(|callee| callee.needed_by) {
            Some(NeededBy::AllCallers) => {
                let at = self.span_of(call);
                let tape = TokenBuf::from(tape()).delimited(Delimiter::Parenthesis);
                code!(&mut *)
                    .with_span(at)
                    .then(tape.with_delimiter_span(at))
            }
            _ => tape().into(),
        }
    }

    fn result_pattern(&self, v: crate::ir::VarId) -> TokenBuf {
        let name = self.name(v);
        let ty = self.annotation(v);
        code!(mut #name #ty)
    }
    /// The callee's path as the user wrote it, or the name of a method.
    pub fn path(&self, call: &Call) -> TokenBuf {
        self.written_path(&call.callee)
    }

    fn written_path(&self, callee: &Callee) -> TokenBuf {
        match callee.path {
            Some(code) => self.user_code(code, &[]),
            None => super::types::parse(&callee.name),
        }
    }

    /// `handle::method(args)`
    fn sweep_call(&self, call: &Call, method: &str, args: SweepArgs) -> TokenBuf {
        self.handle_call(call, method, args, true)
    }

    /// The same without a caller context.
    fn plain_handle_call(&self, call: &Call, method: &str, others: TokenBuf) -> TokenBuf {
        let args = SweepArgs {
            others,
            ..SweepArgs::default()
        };
        self.handle_call(call, method, args, false)
    }

    fn handle_call(&self, call: &Call, method: &str, args: SweepArgs, context: bool) -> TokenBuf {
        if let Some(receiver) = call.receiver() {
            return self.method_sweep_call(call, receiver, method, args.sibling_order());
        }
        let path: syn::Result<syn::ExprPath> = syn::parse2(self.path(call).into());
        let Ok(mut path) = path else {
            return TokenBuf::empty();
        };
        if call.callee.operator().is_some() {
            let at = args.at.filter(|_| !self.is_listing);
            return operator::sweep_call(call, &path, method, at, args.handle_order());
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
        // Sweeps have the caller context as an additional type parameter.
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
        if let Some(sibling) = associated_sweep(&path, sibling) {
            let of_trait = context.then(|| self.same_function_check(&path)).flatten();
            let (sibling, generics, args) = (&sibling, generics.as_ref(), args.sibling_order());
            let sweep = code!(#sibling #generics(#args));
            return match of_trait {
                Some(check) => code!({ #check #sweep }),
                None => sweep,
            };
        }
        // If the callee has no handle, rustc reports that at its name, once for both sweeps.
        let mut callee = block_callee_name(&path);
        let at = callee.span();
        // Listings for readers use the callee's own name.
        let may_be_named =
            (context || self.is_external(call)) && !is_mem_function(&path) && !self.is_listing;
        let named = may_be_named.then(|| self.handle_name(&call.callee));
        let names = match named.flatten() {
            Some(name) => {
                callee = Ident::new(&name.to_string(), at);
                TokenBuf::empty()
            }
            None => block_imports(&path),
        };
        let method = Ident::new(method, at);
        let sweep = quote_spanned!(at=> #callee::#method);
        let (generics, args) = (generics.as_ref(), args.handle_order());
        match names.is_empty() {
            true => code!(#sweep #generics(#args)),
            false => code!({ #names #sweep #generics(#args) }),
        }
    }

    /// A rustc check that `<S as Tr>::f` and `S::f` are one function, because the sweeps are those of `S::f`. Emitted
    /// in the forward sweep only.
    fn same_function_check(&self, path: &syn::ExprPath) -> Option<TokenBuf> {
        let q = path.qself.as_ref().filter(|_| !self.in_reverse)?;
        let (p, ty) = (private(), &q.ty);
        let function = &path.path.segments.last()?.ident;
        let of = path.path.segments.iter().take(q.position);
        let mut name = syn::Path {
            leading_colon: path.path.leading_colon,
            segments: of.cloned().collect(),
        };
        name.segments.last_mut()?.arguments = syn::PathArguments::None;
        let name = &quote::quote!(#name);
        let check = code! {
            #[allow(unused_imports)]
            use #name as _;
            #p::demand::one_function(#path, <#ty>::#function);
        };
        Some(check.located_at(function.span()))
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

    /// Calls a sweep of a method: a hidden sibling method, resolved through the receiver.
    fn method_sweep_call(
        &self,
        call: &Call,
        receiver: &Place,
        which: &str,
        args: TokenBuf,
    ) -> TokenBuf {
        let mut tokens = self.path(call).into_iter();
        let Some(proc_macro2::TokenTree::Ident(name)) = tokens.next() else {
            return TokenBuf::empty();
        };
        let generics = tokens.collect();
        let generics = syn::parse2::<syn::AngleBracketedGenericArguments>(generics)
            .ok()
            .map(|mut g| {
                g.args.push(syn::parse_quote!(_));
                g
            });
        // If a type behind a reference has no sweeps, rustc then uses the error message of `adjoint`.
        let receiver = match self.is_deref(receiver) {
            true => {
                let name = self.name(receiver.root);
                match self.is_checked_shared(call) {
                    true => code!((&*#name)),
                    false => code!((*#name)),
                }
            }
            false => self.borrowed_receiver(call, receiver),
        };
        // Rustc reports a missing sibling at the receiver, so the receiver gets the span of the method name and macro
        // hygiene.
        let at = Span::call_site().located_at(name.span());
        let mut sibling = method_sweep(&name, which);
        sibling.set_span(at);
        let receiver = receiver.located_at(at);
        let generics = generics.as_ref();
        code!(#receiver.#sibling #generics(#args)).outer_located_at(at)
    }

    /// The receiver expression. It is mutable if the method may write it and its variable isn't a shared reference.
    fn borrowed_receiver(&self, call: &Call, place: &Place) -> TokenBuf {
        if self.is_checked_shared(call) {
            let lent = TokenBuf::prefixed("&", self.place(place));
            return lent.delimited(Delimiter::Parenthesis);
        }
        let may_change = matches!(call.args.first(), Some(Arg::Mut(_)));
        match may_change && self.plan.func.var(place.root).mode != Mode::Shared {
            true => self.place_mut(place),
            false => self.place(place),
        }
    }

    /// Whether a rustc check asserts that the method does not write its receiver.
    fn is_checked_shared(&self, call: &Call) -> bool {
        let by = |id: CodeId| self.code[id.index()].modes.first();
        call.callee.path.and_then(by) == Some(&CaptureMode::Borrow)
    }

    /// The adjoint of a call's result, moved out as the seed and replaced by zero, so that its type need not be
    /// `Clone`.
    fn moved_seed(&self, call: &Call, adjoint: &Place) -> TokenBuf {
        let shape = self.borrow(adjoint, false);
        let zero = match call
            .result
            .map(|v| self.result_op(v, "result_zero", shape.clone()))
        {
            Some(Some(zero)) => zero,
            _ if matches!(adjoint.ty, Ty::Named(_)) && adjoint.is_whole() => {
                let zero_like = self.shape_function(adjoint.root, "zero_like");
                code!(#zero_like(#shape))
            }
            _ if matches!(adjoint.ty, Ty::Named(_)) => {
                let (p, marker) = (private(), marker(&adjoint.ty));
                code!(#p::Shape::<#marker>::zero_like(#shape))
            }
            _ => return self.expr(&Expr::Read(adjoint.clone())),
        };
        let (held, adjoint) = (
            &Ident::new("zero", Span::mixed_site()),
            self.borrow(adjoint, true),
        );
        code!({ let #held = #zero; ::core::mem::replace(#adjoint, #held) })
    }

    /// The first argument, unless it is a receiver.
    fn first_argument(&self, call: &Call) -> TokenBuf {
        let first = call.args.first().filter(|_| !call.callee.is_method());
        first.map_or_else(TokenBuf::empty, |arg| {
            let arg = self.argument(arg);
            code!(#arg,)
        })
    }

    fn argument(&self, arg: &Arg) -> TokenBuf {
        match arg {
            Arg::Value(e) => self.expr(e),
            Arg::Shared(p) if is_shared_ref(&p.ty) => self.place(p),
            Arg::Shared(p) => self.borrow(p, false),
            Arg::Mut(p) => self.borrow(p, true),
        }
    }

    /// A copy of the emitter, for code that is emitted with a different state.
    pub fn fork(&self) -> Emit<'_> {
        Emit {
            plan: self.plan,
            code: self.code,
            names: Rc::clone(&self.names),
            reborrows: self.reborrows.clone(),
            elements: self.elements.clone(),
            finite_factors: self.finite_factors.clone(),
            slot_suffix: self.slot_suffix.clone(),
            frame_slots: Rc::clone(&self.frame_slots),
            iteration_var: self.iteration_var.clone(),
            moved: self.moved.clone(),
            named_later: Rc::clone(&self.named_later),
            in_reverse: self.in_reverse,
            is_fused: self.is_fused,
            in_known_loop: self.in_known_loop,
            result_calls: Rc::clone(&self.result_calls),
            primal_results: Rc::clone(&self.primal_results),
            decl_spans: Rc::clone(&self.decl_spans),
            stmt_spans: self.stmt_spans.clone(),
            implied_demands: Rc::clone(&self.implied_demands),
            tests: Rc::clone(&self.tests),
            scales: self.scales.clone(),
            expanded: Rc::clone(&self.expanded),
            carried: Rc::clone(&self.carried),
            is_in_vector_loop: self.is_in_vector_loop,
            bound_methods: self.bound_methods.clone(),
            optional_seed: self.optional_seed,
            result_annotation: Rc::clone(&self.result_annotation),
            queries: Rc::clone(&self.queries),
            externals: Rc::clone(&self.externals),
            reversal_demands: Rc::clone(&self.reversal_demands),
            name_table: Rc::clone(&self.name_table),
            names_by_trait: self.names_by_trait,
            is_listing: self.is_listing,
        }
    }
}

/// Whether values of the type are shared references, such as `&str`.
pub fn is_shared_ref(ty: &Ty) -> bool {
    matches!(ty, Ty::Discrete(name) if name.starts_with('&') && !name.starts_with("&mut"))
}

/// The local name of the callee's handle in a block. It is a fixed name, because the fallback declares it too.
fn block_callee_name(path: &syn::ExprPath) -> Ident {
    let last = path.path.segments.last();
    let span = last.map_or_else(Span::call_site, |s| s.ident.span());
    Ident::new("__callee", span)
}

fn block_imports(path: &syn::ExprPath) -> TokenBuf {
    let (p, callee) = (private(), block_callee_name(path));
    let names = match is_mem_function(path) {
        true => code!(mem),
        false => code!(called),
    };
    code! {
        #[allow(unused_imports)]
        use #path as #callee;
        #[allow(unused_imports)]
        use #p::fallback::#names::*;
    }
}

/// Functions of `std::mem` that can also be user functions.
pub const MEM_FUNCTIONS: [&str; 3] = ["swap", "replace", "take"];

/// Whether the path has the name of one of these functions.
fn is_mem_function(path: &syn::ExprPath) -> bool {
    MEM_FUNCTIONS
        .into_iter()
        .any(|name| path.path.is_ident(name))
}

/// The sibling of an associated function `Type::f`, `<Type>::f` or `<Type as Trait>::f`; a capital marks a type's name.
fn associated_sweep(path: &syn::ExprPath, which: &str) -> Option<syn::ExprPath> {
    if let Some(q) = &path.qself {
        let ty = &q.ty;
        let sibling = method_sweep(&path.path.segments.last()?.ident, which);
        return Some(syn::parse_quote!(<#ty>::#sibling));
    }
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

/// Whether the type contains numbers whose types only rustc infers.
pub(super) fn contains_inferred_number(ty: &Ty) -> bool {
    let open = |ty: &Ty| match ty {
        Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer) => true,
        ty => contains_inferred_number(ty),
    };
    match ty {
        Ty::Tuple(ts) => ts.iter().any(open),
        Ty::Option(t) => open(t),
        Ty::Result(t, e) => open(t) || open(e),
        _ => false,
    }
}
