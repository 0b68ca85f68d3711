//! The sweeps of a method that takes `self` by value, with `self` passed by reference.
//!
//! A method call doesn't show how the method takes `self`, and the caller still has the value afterwards: it restored
//! the state before the call. So the caller passes the value and its adjoint by reference, as for any method.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::handle::{CONTEXT, Sweeps, Told, sweeps};
use super::names::Names;
use crate::emit::interface::{Interface, Param, method_sweep};
use crate::emit::piece::{Piece, code};
use crate::emit::public::once;
use crate::emit::types::marker;
use crate::emit::{private, tape};
use crate::ir::Mode;
use crate::ir::demand::param_bit;

/// Wrappers of the two sweeps that take `self` by value.
pub fn lent(interface: &Interface<'_>, own: &Sweeps, vis: &Piece, lints: &Piece) -> Piece {
    let mut lent = interface.clone();
    lent.inner_items = Piece::empty();
    lent.unseen = Piece::empty();
    let Some(receiver) = lent.params.iter_mut().find(|p| p.is_self) else {
        return Piece::empty();
    };
    receiver.mode = Mode::Shared;
    receiver.declared = code!(&self);
    let adjoint = |p: &Param| format_ident!("_{}_adj", p.name, span = Span::mixed_site());
    let adjoints: Vec<Ident> = lent.params.iter().map(adjoint).collect();
    let content = Sweeps {
        names: Names::none(),
        calls: false,
        forward: forward(interface),
        reverse: reverse(interface, &adjoints, &own.seed),
        seed: own.seed.clone(),
        seed_is_optional: own.seed_is_optional,
        adjoints,
        told: Told::all(),
    };
    let method = &interface.item.sig.ident;
    sweeps(&lent, &content, vis, lints, &|which| {
        method_sweep(method, which)
    })
}

fn forward(interface: &Interface<'_>) -> Piece {
    let (sweep, turbofish) = (interface.sweep("forward"), interface.sweep_turbofish());
    let (context, tape) = (&context(), &tape());
    let args = interface.sweep_list(code!(#context), code!(#tape), |param| {
        let value = value(param);
        code!(#value,)
    });
    code!(#sweep #turbofish(#args))
}

/// Adds the increment of `self` to the caller's adjoint, if the caller has one.
fn reverse(interface: &Interface<'_>, adjoints: &[Ident], seed: &Ident) -> Piece {
    let (sweep, turbofish) = (interface.sweep("reverse"), interface.sweep_turbofish());
    let (mut first, mut args) = (Piece::empty(), Piece::empty());
    let (mut increments, mut others) = (Vec::new(), Vec::new());
    let mut add = Piece::empty();
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
            true => add = added(param, k, adjoint, increment),
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

fn added(param: &Param, k: usize, adjoint: &Ident, increment: &Ident) -> Piece {
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
fn value(param: &Param) -> Piece {
    let name = &param.name;
    match param.is_self {
        true => once(name, &code!(&*#name)),
        false => code!(#name),
    }
}

fn context() -> Ident {
    Ident::new(CONTEXT, Span::mixed_site())
}
