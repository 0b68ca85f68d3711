//! The sweeps of a method that takes `self` by value, with `self` passed by reference.
//!
//! A method call doesn't show how the method takes `self`, and the caller still has the value afterwards: it restored
//! the state before the call. So the caller passes the value and its adjoint by reference, as for any method.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::handle::{CONTEXT, HandleFacts, Sweeps, sweeps};
use super::names::NameDecls;
use crate::emit::interface::{Interface, Param, method_sweep};
use crate::emit::public::copy_for_sweep;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{private, tape};
use crate::ir::Mode;
use crate::ir::demand::param_bit;

/// Wrappers of the two sweeps that take `self` by value.
pub fn by_ref_sweeps(
    interface: &Interface<'_>,
    own: &Sweeps,
    vis: &TokenBuf,
    lints: &TokenBuf,
) -> TokenBuf {
    let mut lent = interface.clone();
    lent.inner_items = TokenBuf::empty();
    lent.fallbacks = TokenBuf::empty();
    let Some(receiver) = lent.params.iter_mut().find(|p| p.is_self) else {
        return TokenBuf::empty();
    };
    receiver.mode = Mode::Shared;
    receiver.declared = code!(&self);
    let adjoint = |p: &Param| format_ident!("_{}_adj", p.name, span = Span::mixed_site());
    let adjoints: Vec<Ident> = lent.params.iter().map(adjoint).collect();
    let content = Sweeps {
        names: NameDecls::undeclared(),
        fused: None,
        calls_sweeps: false,
        forward: forward(interface),
        reverse: reverse(interface, &adjoints, &own.seed),
        seed: own.seed.clone(),
        seed_is_optional: own.seed_is_optional,
        adjoints,
        facts: HandleFacts::conservative(),
    };
    let method = &interface.item.sig.ident;
    sweeps(&lent, &content, vis, lints, &|which| {
        method_sweep(method, which)
    })
}

fn forward(interface: &Interface<'_>) -> TokenBuf {
    let (sweep, turbofish) = (interface.sweep_path("forward"), interface.sweep_turbofish());
    let (context, tape) = (&context(), &tape());
    let args = interface.sweep_list(code!(#context), code!(#tape), |param| {
        let value = value(param);
        code!(#value,)
    });
    code!(#sweep #turbofish(#args))
}

/// Adds the increment of `self` to the caller's adjoint, if the caller has one.
fn reverse(interface: &Interface<'_>, adjoints: &[Ident], seed: &Ident) -> TokenBuf {
    let (sweep, turbofish) = (interface.sweep_path("reverse"), interface.sweep_turbofish());
    let (mut first, mut args) = (TokenBuf::empty(), TokenBuf::empty());
    let (mut increments, mut others) = (Vec::new(), Vec::new());
    let mut add = TokenBuf::empty();
    for (k, (param, adjoint)) in interface.params.iter().zip(adjoints).enumerate() {
        let list = if param.is_self { &mut first } else { &mut args };
        list.add(value(param));
        list.add(code!(,));
        if !param.by_value() {
            args.add(code!(#adjoint,));
            continue;
        }
        let increment = &format_ident!("{}_increment", param.name, span = Span::mixed_site());
        increments.push(code!(#increment));
        match param.is_self {
            true => add = add_increment(param, k, adjoint, increment),
            false => others.push(code!(#increment)),
        }
    }
    let (context, tape) = (&context(), &tape());
    code! {
        let (#(#increments,)*) = #sweep #turbofish(#first #context, #tape, #args #seed);
        #add
        (#(#others,)*)
    }
}

fn add_increment(param: &Param, k: usize, adjoint: &Ident, increment: &Ident) -> TokenBuf {
    let (p, marker, bit) = (private(), marker(&param.ty), param_bit(k));
    if !param.adjoint {
        return code!(let _ = #increment;);
    }
    code! {
        if const { #p::demanded::<__Caller>(#bit, u64::MAX, false) } {
            #p::Shape::<#marker>::accumulate(#adjoint, &#increment);
        }
    }
}

/// The parameter as an argument; `self` is copied, because the caller keeps it.
fn value(param: &Param) -> TokenBuf {
    let name = &param.name;
    match param.is_self {
        true => copy_for_sweep(name, &code!(&*#name)),
        false => code!(#name),
    }
}

fn context() -> Ident {
    Ident::new(CONTEXT, Span::mixed_site())
}
