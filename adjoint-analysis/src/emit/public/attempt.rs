//! `f_adjoint_try`: the adjoint on a tape, where a lack of memory is an error and leaves the caller's values as they were.
//!
//! What the adjoint may change is saved on a tape of its own, as a sweep would save it. The function is `#[inline]`, so that
//! it is compiled only if it is called.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::{adjoint_call, documentation, parameters};
use crate::emit::interface::{Interface, Param, SweepLocation, adjoint_name, tape_parameter};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{allowed_lints, private, tape};
use crate::ir::{Mode, Ty};
use crate::lower::signature::holds_references;

/// The function; none for one that returns references, which are into what is put back. `body` is made of the call.
fn with_body(interface: &Interface<'_>, body: impl FnOnce() -> TokenBuf) -> Option<TokenBuf> {
    let sig = &interface.item.sig;
    let output = match &sig.output {
        _ if matches!(interface.location, SweepLocation::Operator(_)) => return None,
        syn::ReturnType::Default => code!(()),
        syn::ReturnType::Type(_, ty) if holds_references(ty) => return None,
        syn::ReturnType::Type(_, ty) => code!(#ty),
    };
    let name = format_ident!("{}_adjoint_try", sig.ident, span = sig.ident.span());
    let (vis, generics, clause) = (
        &interface.item.vis,
        &sig.generics.params,
        &interface.where_clause(),
    );
    let (receiver, params) = &parameters(interface, true);
    let (p, lints, tape_parameter, body) = (private(), &allowed_lints(), tape_parameter(), body());
    let text = &documentation::attempt(interface)[..];
    Some(code! {
        #[doc = #text]
        #lints
        #[inline]
        #[track_caller]
        #vis fn #name<#generics>(#receiver #tape_parameter, #params) -> ::core::result::Result<#output, #p::SweepError> #clause {
            #body
        }
    })
}

/// The function for one without an adjoint.
pub fn stub(interface: &Interface<'_>) -> Option<TokenBuf> {
    with_body(interface, || code!(::core::unreachable!()))
}

/// The function.
pub fn function(interface: &Interface<'_>) -> Option<TokenBuf> {
    with_body(interface, || {
        let (tape, p) = (&tape(), private());
        let (call, args) = (adjoint_call(interface), lent_args(interface));
        let (result, entry) = (&local("result"), &local("entry"));
        let (mut save, mut restore) = (TokenBuf::empty(), TokenBuf::empty());
        for changed in interface.params.iter().flat_map(changed) {
            save.add(changed.on_entry("save", code!(&*), entry));
            let back = changed.on_entry("restore", code!(&mut *), entry);
            restore = back.then(restore);
        }
        code! {
            let mut #entry = #p::Tape::new();
            #save
            let #result = #tape.attempt(|#tape| #call(#tape, #args));
            if #result.is_err() { #restore }
            #result
        }
    })
}

/// What an adjoint may change.
struct Changed<'a> {
    name: Ident,
    ty: &'a Ty,
    /// Whether a type that can't be saved is an error; else such a value stays changed.
    is_savable: bool,
    /// The position of the parameter.
    at: Span,
}

/// What it may change of a parameter.
fn changed(param: &Param) -> impl Iterator<Item = Changed<'_>> {
    let of = |name: Ident| Changed {
        name,
        ty: &param.ty,
        is_savable: param.adjoint,
        at: param.name.span(),
    };
    let value = (param.mode == Mode::Mut).then(|| of(param.name.clone()));
    let adjoint = param.adjoint.then(|| of(adjoint_name(&param.name)));
    value.into_iter().chain(adjoint)
}

impl Changed<'_> {
    /// Saves or restores the value behind this borrow.
    fn on_entry(&self, method: &str, borrow: TokenBuf, entry: &Ident) -> TokenBuf {
        let (p, name, marker) = (private(), &self.name, marker(self.ty));
        let method = TokenBuf::name(method);
        if self.is_savable {
            // Types without an adjoint are reported at the parameter, as by the shape checks.
            let path = code!(<() as #p::Carried<#marker, _>>::#method).with_span(self.at);
            return code!(#path(#borrow #name, &mut #entry););
        }
        let context = code!(::core::marker::PhantomData::<#p::Outermost>);
        code!({
            use #p::Unkept as _;
            #p::kept::<#marker, _>(#borrow #name).#method(#context, &mut #entry);
        })
    }
}

/// The arguments of the adjoint, of which those behind `&mut` are lent.
fn lent_args(interface: &Interface<'_>) -> TokenBuf {
    let mut list = TokenBuf::empty();
    for param in &interface.params {
        let (name, adjoint) = (&param.name, adjoint_name(&param.name));
        match param.mode {
            _ if param.is_self => {}
            Mode::Mut => list.add(code!(&mut *#name,)),
            _ => list.add(code!(#name,)),
        }
        list.add(param.adjoint.then(|| code!(&mut *#adjoint,)));
    }
    let seed = interface.public_seed();
    list.add(seed.is_some().then(|| code!(ret_adj,)));
    list
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
