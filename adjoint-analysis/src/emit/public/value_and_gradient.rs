//! `f_value_and_gradient` and `f_value_and_gradient_with`, for functions that return one float: they call the adjoint
//! with zero adjoints and a seed of one.
//!
//! Both are `#[inline]`, so that they are compiled only if they are called.

use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use syn::visit::{self, Visit};

use super::documentation;
use super::{adjoint_call, arguments, forwarded_args, parameters};
use crate::emit::interface::{Interface, Param, SweepLocation, adjoint_name, tape_parameter};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{allowed_lints, private, tape};
use crate::ir::{FloatTy, Mode, Ty};
use crate::lower::types::ungrouped;

/// The two functions that call the adjoint.
pub fn functions(interface: &Interface<'_>) -> Option<TokenBuf> {
    with_body(interface, body)
}

/// The two functions for a function without an adjoint.
pub fn stubs(interface: &Interface<'_>) -> Option<TokenBuf> {
    with_body(interface, |_, _| code!(::core::unreachable!()))
}

/// `None` if the function doesn't have exactly one float to differentiate, or the type of a gradient can't be named.
fn with_body(
    interface: &Interface<'_>,
    body: impl Fn(&Interface<'_>, &[&Param]) -> TokenBuf,
) -> Option<TokenBuf> {
    if let SweepLocation::Operator(_) = interface.location {
        return None;
    }
    let value = &returned_float(interface)?;
    let of = interface.gradient_params();
    let types = of
        .iter()
        .map(|p| gradient_type(p))
        .collect::<Option<Vec<_>>>()?;
    if of.is_empty() {
        return None;
    }
    let gradients = &alone_or_tuple(types);
    let sig = &interface.item.sig;
    let vis = &interface.item.vis;
    let name = format_ident!("{}_value_and_gradient", sig.ident, span = sig.ident.span());
    let with = format_ident!("{}_with", name, span = sig.ident.span());
    let (generics, clause) = (&sig.generics.params, &interface.where_clause());
    let (receiver, params) = &parameters(interface, false);
    let (tape, p, lints, tape_parameter) = (&tape(), private(), &allowed_lints(), tape_parameter());
    let (call, args) = (
        interface.public_call(&with),
        forwarded_args(interface, false),
    );
    let (text, text_with) = (
        documentation::gradient(interface),
        documentation::on_tape(interface, &name),
    );
    let (text, text_with) = (&text[..], &text_with[..]);
    let body = body(interface, &of);
    Some(code! {
        #[doc = #text]
        #lints
        #[inline]
        #vis fn #name<#generics>(#receiver #params) -> (#value, #gradients) #clause {
            let mut #tape = #p::Tape::new();
            #call(&mut #tape, #args)
        }

        #[doc = #text_with]
        #lints
        #[inline]
        #vis fn #with<#generics>(#receiver #tape_parameter, #params) -> (#value, #gradients) #clause {
            #body
        }
    })
}

/// Declares zero adjoints, calls the adjoint, and returns the value and the gradients.
fn body(interface: &Interface<'_>, of: &[&Param]) -> TokenBuf {
    let zeros: TokenBuf = of.iter().map(|param| zero(param)).collect();
    let one = match interface.ret {
        Ty::Float(FloatTy::F32 | FloatTy::F64) => code!(1.0),
        _ => {
            let p = private();
            code!(#p::num_traits::One::one())
        }
    };
    let (call, tape) = (adjoint_call(interface), tape());
    let args = arguments(
        interface,
        |adjoint| code!(&mut #adjoint,),
        Some(code!(#one,)),
    );
    let value = &Ident::new("value", Span::mixed_site());
    let names = of.iter().map(|param| adjoint_name(&param.name).into());
    let gradients = alone_or_tuple(names.collect());
    code! {
        #zeros
        let #value = #call(#tape, #args);
        (#value, #gradients)
    }
}

fn alone_or_tuple(mut parts: Vec<TokenBuf>) -> TokenBuf {
    match parts.len() {
        1 => parts.remove(0),
        _ => code!((#(#parts),*)),
    }
}

/// `let mut x_adj = ..;`
pub fn zero(param: &Param) -> TokenBuf {
    let (p, name, adjoint) = (private(), &param.name, adjoint_name(&param.name));
    let value = match param.mode {
        Mode::Owned => code!(&#name),
        Mode::Mut => code!(&*#name),
        _ => code!(#name),
    };
    let zero = match &param.ty {
        Ty::Float(FloatTy::F32 | FloatTy::F64) => code!(0.0),
        Ty::Float(_) => code!(#p::num_traits::Zero::zero()),
        Ty::Slice(element) => {
            let marker = marker(element);
            code!(#p::zeros_like::<#marker, _>(#value))
        }
        ty => {
            let marker = marker(ty);
            // Types without an adjoint are reported at the parameter, as by the shape checks.
            code!(<() as #p::Carried<#marker, _>>::zero_like(#value)).with_span(name.span())
        }
    };
    code!(let mut #adjoint = #zero;)
}

/// The type of the returned float, if it is the only dependent.
fn returned_float(interface: &Interface<'_>) -> Option<TokenBuf> {
    let is_written = |param: &Param| param.adjoint && param.mode == Mode::Mut;
    let is_float = matches!(interface.ret, Ty::Float(_)) && interface.ret_is_dependent;
    if !is_float || interface.params.iter().any(is_written) {
        return None;
    }
    match &interface.item.sig.output {
        syn::ReturnType::Type(_, ty) if !matches!(ungrouped(ty), syn::Type::Reference(_)) => {
            Some(quote!(#ty).into())
        }
        _ => None,
    }
}

/// The owned type of the gradient with respect to a parameter; `None` if it can't be named as a return type.
fn gradient_type(param: &Param) -> Option<TokenBuf> {
    let referent: syn::Type = syn::parse2(param.referent.clone().into()).ok()?;
    let mut unnamed = Unnamed(false);
    unnamed.visit_type(&referent);
    match (ungrouped(&referent), &param.ty) {
        _ if unnamed.0 => None,
        (syn::Type::Slice(slice), _) => {
            let element = &slice.elem;
            Some(quote!(::std::vec::Vec<#element>).into())
        }
        // An alias of a slice's type.
        (ty, Ty::Slice(_)) => Some(quote!(<#ty as ::std::borrow::ToOwned>::Owned).into()),
        (ty, _) => Some(quote!(#ty).into()),
    }
}

/// Finds parts that can't be named in a return type: `impl Trait`, trait objects, elided lifetimes.
struct Unnamed(bool);

impl<'ast> Visit<'ast> for Unnamed {
    fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
        self.0 = true;
    }

    fn visit_type_trait_object(&mut self, _: &'ast syn::TypeTraitObject) {
        self.0 = true;
    }

    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        self.0 |= lifetime.ident == "_";
    }

    fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
        self.0 |= reference.lifetime.is_none();
        visit::visit_type_reference(self, reference);
    }
}
