//! The calls of both sweeps, as the public functions make them.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::copy_for_sweep;
use crate::emit::interface::{Interface, Param, adjoint_name};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{private, tape};
use crate::ir::Mode;

/// The call of the forward sweep.
pub fn forward(interface: &Interface<'_>) -> TokenBuf {
    let (path, turbofish) = (interface.sweep_path("forward"), interface.sweep_turbofish());
    let (tape, p) = (&tape(), private());
    let args = interface.sweep_list(code!(#p::outermost()), code!(#tape), |param| {
        let value = argument(param);
        code!(#value,)
    });
    code!(#path #turbofish(#args))
}

/// The call of the reverse sweep, which declares the increments of the parameters by value. `adjoint` is the argument for a
/// parameter's adjoint.
pub fn reverse(
    interface: &Interface<'_>,
    adjoint: &dyn Fn(&Ident) -> TokenBuf,
    seed: TokenBuf,
) -> TokenBuf {
    let (call, increments) = (
        with_adjoints(interface, "reverse", adjoint, seed),
        declared_increments(interface),
    );
    code!(let #increments = #call;)
}

/// The call of the fused sweeps, which declares the result and the increments of the parameters by value.
pub fn fused(interface: &Interface<'_>, ret: &Ident, seed: TokenBuf) -> TokenBuf {
    let (call, increments) = (
        with_adjoints(interface, "fused", &|adjoint| code!(#adjoint), seed),
        declared_increments(interface),
    );
    code!(let (#ret, #increments) = #call;)
}

/// A call with the parameters, their adjoints and the seed.
fn with_adjoints(
    interface: &Interface<'_>,
    which: &str,
    adjoint: &dyn Fn(&Ident) -> TokenBuf,
    seed: TokenBuf,
) -> TokenBuf {
    let (path, turbofish) = (interface.sweep_path(which), interface.sweep_turbofish());
    let (tape, p) = (&tape(), private());
    let first = interface.leading_param().map(|param| {
        let value = argument(param);
        code!(#value,)
    });
    let args: TokenBuf = interface
        .params
        .iter()
        .map(|param| {
            let value = (!interface.is_leading(param))
                .then(|| argument(param))
                .map(|value| code!(#value,));
            match (param.by_value(), param.adjoint) {
                (true, _) => code!(#value),
                (false, true) => {
                    let adjoint = adjoint(&adjoint_name(&param.name));
                    code!(#value #adjoint,)
                }
                (false, false) => code!(#value (),),
            }
        })
        .collect();
    code!(#path #turbofish(#first #p::outermost(), #tape, #args #seed))
}

/// The pattern that declares the increments.
fn declared_increments(interface: &Interface<'_>) -> TokenBuf {
    let owned = interface.params.iter().filter(|p| p.by_value());
    let names = owned.map(|param| match param.adjoint {
        true => increment_name(param).into(),
        false => code!(_),
    });
    let names: Vec<TokenBuf> = names.collect();
    code!((#(#names,)*))
}

/// The parameters whose adjoints the reverse sweep returns, with the names of these increments.
pub fn increments<'a>(interface: &'a Interface<'_>) -> impl Iterator<Item = (&'a Param, Ident)> {
    let owned = interface
        .params
        .iter()
        .filter(|p| p.by_value() && p.adjoint);
    owned.map(|param| (param, increment_name(param)))
}

/// The name of what the reverse sweep returns for a parameter.
pub fn increment_name(param: &Param) -> Ident {
    format_ident!("{}_increment", param.name, span = Span::mixed_site())
}

/// The seed where the result is no dependent.
pub fn no_seed(interface: &Interface<'_>, ret: &Ident) -> TokenBuf {
    let p = private();
    match &interface.seed {
        Some(ty) => {
            let marker = marker(ty);
            code!(#p::seeded(#p::Shape::<#marker>::zero_like(&#ret)))
        }
        None => code!(::core::default::Default::default()),
    }
}

/// The parameter as an argument of a sweep: borrowed or copied.
fn argument(param: &Param) -> TokenBuf {
    let name = &param.name;
    match param.mode {
        Mode::Owned if param.is_function => code!(&#name),
        Mode::Owned if !param.ty.is_scalar() => copy_for_sweep(name, &code!(&#name)),
        Mode::Mut => code!(&mut *#name),
        _ => code!(#name),
    }
}
