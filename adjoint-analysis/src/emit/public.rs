//! The public functions: here `f_adjoint` and `f_adjoint_with`, in files of their own those that call these or share their
//! sweeps.

pub(super) mod attempt;
pub mod custom;
pub(super) mod direct_jacobian;
pub mod documentation;
pub(super) mod entry_values;
mod exit_values;
pub(super) mod jacobian;
pub mod nondifferentiable;
pub(super) mod pullback;
mod repeats;
pub mod stub;
mod sweep_calls;
pub(super) mod tape_calls;
pub(super) mod value_and_gradient;

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::interface::{
    Interface, Param, SweepLocation, adjoint_function_name, adjoint_name, tape_parameter,
};
use super::token_buf::{TokenBuf, code};
use super::types::{marker, parse};
use super::{allowed_lints, private, tape};
use crate::ir::{FloatTy, Mode, Ty, VarId};
use crate::plan::Plan;
use tape_calls::TapeCalls;

/// The two functions; `body` computes the adjoint on the given tape. With `where_called` they are `#[inline]`: rustc
/// then rejects, at their callers only, derivatives that an external callee lacks.
pub fn functions(
    interface: &Interface<'_>,
    where_called: bool,
    body: &dyn Fn() -> TokenBuf,
) -> TokenBuf {
    if let SweepLocation::Operator(_) = interface.location {
        // The adjoint of an operator has no public name.
        return TokenBuf::empty();
    }
    let body = body();
    let inline = &where_called.then(|| code!(#[inline]));
    let sig = &interface.item.sig;
    let vis = &interface.item.vis;
    let name = adjoint_function_name(sig);
    let with = &format_ident!("{}_adjoint_with", sig.ident, span = sig.ident.span());
    let (generics, output) = (&sig.generics.params, &sig.output);
    let clause = &interface.where_clause();
    let (receiver, params) = &parameters(interface, true);
    let (args, call) = (forwarded_args(interface, true), adjoint_call(interface));
    let (tape, p, lints) = (&tape(), private(), &allowed_lints());
    let tape_parameter = tape_parameter();
    let (text, text_with) = (
        documentation::adjoint(interface),
        documentation::on_tape(interface, &name),
    );
    let (text, text_with) = (&text[..], &text_with[..]);
    code! {
        #[doc = #text]
        #lints
        #inline
        #[track_caller]
        #vis fn #name<#generics>(#receiver #params) #output #clause {
            let mut #tape = #p::Tape::new();
            #call(&mut #tape, #args)
        }

        #[doc = #text_with]
        #lints
        #inline
        #[track_caller]
        #vis fn #with<#generics>(#receiver #tape_parameter, #params) #output #clause {
            #body
        }
    }
}

/// The path of `f_adjoint_with` for a call.
pub fn adjoint_call(interface: &Interface<'_>) -> TokenBuf {
    let sig = &interface.item.sig;
    let with = format_ident!("{}_adjoint_with", sig.ident, span = sig.ident.span());
    interface.public_call(&with)
}

/// The receiver, if any, and the other parameters: `x: &[f64], x_adj: &mut [f64], ..` and the seed, or without the
/// adjoints.
pub fn parameters(interface: &Interface<'_>, with_adjoints: bool) -> (Option<TokenBuf>, TokenBuf) {
    let (mut receiver, mut list) = (None, TokenBuf::empty());
    for p in &interface.params {
        let (declared, referent) = (&p.declared, &p.referent);
        match p.is_self {
            true => receiver = Some(code!(#declared,)),
            false => list.add(code!(#declared,)),
        }
        if p.adjoint && with_adjoints {
            let adjoint = adjoint_name(&p.name);
            list.add(code!(#adjoint: &mut #referent,));
        }
    }
    if let Some(ty) = interface.public_seed().filter(|_| with_adjoints) {
        list.add(code!(ret_adj: #ty,));
    }
    (receiver, list)
}

/// The arguments that forward these parameters, without the receiver.
pub fn forwarded_args(interface: &Interface<'_>, with_adjoints: bool) -> TokenBuf {
    let adjoint = |adjoint: &Ident| match with_adjoints {
        true => code!(#adjoint,),
        false => TokenBuf::empty(),
    };
    let has_seed = interface.public_seed().is_some() && with_adjoints;
    arguments(interface, adjoint, has_seed.then(|| code!(ret_adj,)))
}

/// The arguments for all parameters except the receiver, with their adjoints and the seed.
pub fn arguments(
    interface: &Interface<'_>,
    adjoint: impl Fn(&Ident) -> TokenBuf,
    seed: Option<TokenBuf>,
) -> TokenBuf {
    let mut list = TokenBuf::empty();
    for p in &interface.params {
        let name = &p.name;
        if !p.is_self {
            list.add(code!(#name,));
        }
        if p.adjoint {
            list.add(adjoint(&adjoint_name(name)));
        }
    }
    list.add(seed);
    list
}

/// The body of the adjoint: checks, both sweeps, and the result.
pub fn adjoint_body(interface: &Interface<'_>, plan: &Plan) -> TokenBuf {
    let ret = &Ident::new("ret", Span::mixed_site());
    let (late, early): (Vec<_>, Vec<_>) =
        adjoint_params(interface, plan).partition(|(_, resizes)| *resizes);
    let [checks, late_checks] = [early, late].map(|params| {
        let params = params.into_iter();
        params
            .map(|(param, resizes)| final_shape_check(interface, param, resizes))
            .collect::<TokenBuf>()
    });
    let add = accumulate_increments(interface);
    let seed = seed_argument(interface, ret);
    let kept = changed_params(interface, plan);
    let keep: TokenBuf = kept.iter().map(|param| exit_values::save(param)).collect();
    let give_back: TokenBuf = kept
        .iter()
        .rev()
        .map(|param| exit_values::restore(param))
        .collect();
    let used = mention_function(interface);
    let forward = sweep_calls::forward(interface);
    let reverse = sweep_calls::reverse(interface, &|adjoint| code!(#adjoint), seed);
    let TapeCalls {
        begin,
        turn,
        end,
        abandon,
    } = TapeCalls::of(plan, &kept);
    let (failure, seed_check) = (
        return_failure(interface, ret, abandon, true),
        check_seed(interface, ret),
    );
    code! {
        #used
        #checks
        #begin
        let #ret = #forward;
        #failure
        #late_checks
        #seed_check
        #keep
        #turn
        #reverse
        #give_back
        #end
        #add
        #ret
    }
}

/// The body of the adjoint of a function with a fused plan.
pub fn fused_body(interface: &Interface<'_>, plan: &Plan) -> TokenBuf {
    let ret = &Ident::new("ret", Span::mixed_site());
    let params = adjoint_params(interface, plan);
    let checks: TokenBuf = params
        .map(|(param, _)| shape_check(interface, param))
        .collect();
    let used = mention_function(interface);
    let fused = sweep_calls::fused(interface, ret, seed_argument(interface, ret));
    let TapeCalls { begin, end, .. } = TapeCalls::of(plan, &[]);
    let add = accumulate_increments(interface);
    code! {
        #used
        #checks
        #begin
        #fused
        #end
        #add
        #ret
    }
}

/// The parameters with adjoints, and whether the function may resize them, so that only the exit value has the adjoint's
/// shape.
fn adjoint_params<'a>(
    interface: &'a Interface<'_>,
    plan: &Plan,
) -> impl Iterator<Item = (&'a Param, bool)> {
    let params = interface.params.iter().zip(&plan.func.params);
    let resizes = |param: &Param, v: VarId| param.mode == Mode::Mut && plan.may_resize(v);
    let all = params.map(move |(param, v)| (param, resizes(param, *v)));
    all.filter(|(param, _)| param.adjoint)
}

/// The check of a parameter's adjoint, where the parameter has the shape that it has behind the forward sweep.
fn final_shape_check(interface: &Interface<'_>, param: &Param, resizes: bool) -> TokenBuf {
    let reshape = resizes.then(|| reshape(param));
    shape_check(interface, param).then(reshape)
}

/// The checks of all adjoints, behind the forward sweep.
fn shape_checks(interface: &Interface<'_>, plan: &Plan) -> TokenBuf {
    let params = adjoint_params(interface, plan);
    let checks = params.map(|(param, resizes)| final_shape_check(interface, param, resizes));
    checks.collect()
}

/// Adds what the reverse sweep returns for parameters by value to their adjoints.
fn accumulate_increments(interface: &Interface<'_>) -> TokenBuf {
    let p = private();
    let add = |(param, increment): (&Param, Ident)| {
        let adjoint = adjoint_name(&param.name);
        match &param.ty {
            Ty::Float(FloatTy::F32 | FloatTy::F64) => code!(*#adjoint += #increment;),
            ty => {
                let marker = marker(ty);
                code!(<() as #p::Carried<#marker, _>>::accumulate(#adjoint, &#increment);)
                    .with_span(param.name.span())
            }
        }
    };
    sweep_calls::increments(interface).map(add).collect()
}

/// The seed as an argument of the reverse sweep. `ret` has the shape of the result.
fn seed_argument(interface: &Interface<'_>, ret: &Ident) -> TokenBuf {
    let p = private();
    match (&interface.seed, interface.ret_is_dependent) {
        (Some(Ty::Vec(_)), true) => code!(ret_adj.to_vec()),
        (Some(Ty::Boxed(slice)), true) if matches!(**slice, Ty::Slice(_)) => {
            code!(#p::seeded(::std::boxed::Box::<[_]>::from(ret_adj)))
        }
        (Some(_), true) if interface.ret.has_default() => code!(ret_adj),
        (Some(_), true) => code!(#p::seeded(ret_adj)),
        _ => sweep_calls::no_seed(interface, ret),
    }
}

/// Whether the parameter has an `impl Trait` in its type.
fn has_impl_trait(arg: &syn::FnArg) -> bool {
    struct Anonymous(bool);
    impl<'ast> syn::visit::Visit<'ast> for Anonymous {
        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut found = Anonymous(false);
    syn::visit::Visit::visit_fn_arg(&mut found, arg);
    found.0
}

/// A mention of the user's function, so that it counts as used if its adjoint is.
pub fn mention_function(interface: &Interface<'_>) -> TokenBuf {
    let (function, turbofish) = (&interface.item.sig.ident, &interface.turbofish());
    // A function with an `impl Trait` parameter can only be named in a call; a parameter of the same name hides it.
    let hides = |param: &Param| param.name == *function;
    if interface.item.sig.inputs.iter().any(has_impl_trait) || interface.params.iter().any(hides) {
        return TokenBuf::empty();
    }
    if let Some(of) = &interface.impl_trait {
        // Calls must not resolve to a method of the same name of another trait.
        let (p, name) = (
            private(),
            parse(of.split('<').next().unwrap_or_default().trim()),
        );
        let of = parse(of);
        return code!({
            #[allow(unused_imports)]
            use #name as _;
            #p::demand::one_function(<Self as #of>::#function #turbofish, Self::#function #turbofish);
        });
    }
    match interface.location {
        super::interface::SweepLocation::Handle(_) => code!(let _ = #function #turbofish;),
        SweepLocation::Impl | SweepLocation::Operator(_) => {
            code!(let _ = Self::#function #turbofish;)
        }
    }
}

impl Param {
    /// Whether the reverse sweep returns its adjoint as an increment.
    pub fn by_value(&self) -> bool {
        self.mode == Mode::Owned
    }

    /// Whether its increment contains floats. An excluded parameter of an unknown type need not.
    pub fn returns_floats(&self) -> bool {
        self.ty.carries_floats()
            && (self.adjoint
                || !self.has_references && !matches!(self.ty, Ty::Named(_) | Ty::Unknown))
    }
}

/// A copy of a parameter for one sweep. Rustc reports at the parameter if it isn't `Clone`.
pub fn copy_for_sweep(name: &Ident, value: &TokenBuf) -> TokenBuf {
    let p = private();
    code!(#p::Twice::once(#value)).located_at(name.span())
}

/// The parameters that the reverse sweep leaves with other values than they had behind the forward sweep.
fn changed_params<'a>(interface: &'a Interface<'_>, plan: &Plan) -> Vec<&'a Param> {
    let position = |v: VarId| plan.func.params.iter().position(|p| *p == v);
    let changed = plan.changed_params().into_iter().filter_map(position);
    changed.filter_map(|at| interface.params.get(at)).collect()
}

/// The name of a checked value in a panic message.
fn checked_name(interface: &Interface<'_>, value: &impl ToString) -> String {
    let function = interface.item.sig.ident.to_string();
    format!("{function}::{}", value.to_string()).replace("r#", "")
}

/// The check that a parameter's adjoint has the parameter's shape.
fn shape_check(interface: &Interface<'_>, param: &Param) -> TokenBuf {
    let (p, name, adjoint) = (private(), &param.name, adjoint_name(&param.name));
    if param.ty.has_static_shape() {
        return TokenBuf::empty();
    }
    let text = &checked_name(interface, name)[..];
    if let Ty::Slice(t) | Ty::Vec(t) = &param.ty
        && t.is_float()
    {
        let value = match param.mode {
            Mode::Owned => code!(&#name),
            _ => code!(#name),
        };
        return code!(#p::check_length(#text, #value, #adjoint););
    }
    let marker = marker(&param.ty);
    let value = match param.mode {
        Mode::Owned => code!(&#name),
        _ => code!(&*#name),
    };
    // Types without an adjoint are reported at the parameter.
    let check = code!(<() as #p::Carried<#marker, _>>::check(#text, #value, &*#adjoint););
    check.with_span(name.span())
}

/// Returns early on `Err` and `None`: the adjoints stay unchanged, whatever the seed is.
fn return_failure(
    interface: &Interface<'_>,
    ret: &Ident,
    abandon: Option<TokenBuf>,
    has_seed: bool,
) -> Option<TokenBuf> {
    if !interface.can_fail() {
        return None;
    }
    let (p, seed) = (private(), has_seed.then(|| failing_seed(interface)));
    Some(code! {
        if !#p::Outcome::is_success(&#ret) #seed {
            #abandon
            return #ret;
        }
    })
}

/// An `Err` with floats is differentiated where the seed is an `Err` too: the condition for all others.
fn failing_seed(interface: &Interface<'_>) -> Option<TokenBuf> {
    let p = private();
    let takes_errors = interface.ret_is_dependent
        && matches!(&interface.ret, Ty::Result(_, error) if error.carries_floats());
    takes_errors.then(|| code!(&& #p::Outcome::is_success(&ret_adj)))
}

/// The check that the seed has the result's shape.
fn check_seed(interface: &Interface<'_>, ret: &Ident) -> Option<TokenBuf> {
    let ty = interface
        .seed
        .as_ref()
        .filter(|_| interface.ret_is_dependent)?;
    if ty.has_static_shape() {
        return None;
    }
    let (p, marker) = (private(), marker(ty));
    let text = &checked_name(interface, &"ret")[..];
    let (value, adjoint) = match ty {
        Ty::Vec(t) if t.is_float() => {
            return Some(code!(#p::check_length(#text, &#ret, ret_adj);));
        }
        Ty::Boxed(slice) if matches!(**slice, Ty::Slice(_)) => (code!(&#ret[..]), code!(ret_adj)),
        Ty::Vec(_) => (code!(&#ret[..]), code!(ret_adj)),
        _ => (code!(&#ret), code!(&ret_adj)),
    };
    Some(code!(<() as #p::Carried<#marker, _>>::check(#text, #value, #adjoint);))
}

/// Copies the discrete parts of the exit value to a parameter's adjoint, which the caller may have made from the entry
/// value.
fn reshape(param: &Param) -> TokenBuf {
    let (p, name, adjoint) = (private(), &param.name, adjoint_name(&param.name));
    if param.ty.holds_only_reals() {
        return TokenBuf::empty();
    }
    match &param.ty {
        Ty::Slice(t) => {
            let marker = marker(t);
            code!(for (value, adjoint) in #name.iter().zip(#adjoint.iter_mut()) {
                #p::reshape_adjoint::<#marker, _>(value, adjoint);
            })
        }
        ty => {
            let marker = marker(ty);
            code!(#p::reshape_adjoint::<#marker, _>(&*#name, #adjoint);)
        }
    }
}
