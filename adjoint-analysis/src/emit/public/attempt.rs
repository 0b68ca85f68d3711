//! `f_adjoint_try`: the adjoint on a tape, where a lack of memory is an error and leaves the caller's values as they were.
//!
//! What the adjoint may change is saved on a tape of its own, as a sweep would save it. The function is `#[inline]`, so that
//! it is compiled only if it is called.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::{adjoint_call, documentation, parameters};
use crate::emit::interface::{Interface, Param, adjoint_name, tape_parameter};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{allowed_lints, private, tape};
use crate::ir::{Mode, Ty};
use crate::lower::signature::holds_references;

/// The function; none for a function that returns references, which are into what is put back.
pub fn function(interface: &Interface<'_>) -> Option<TokenBuf> {
    let sig = &interface.item.sig;
    let output = match &sig.output {
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
    let (tape, p, lints, tape_parameter) = (&tape(), private(), &allowed_lints(), tape_parameter());
    let (call, args) = (adjoint_call(interface), lent_args(interface));
    let (result, entry) = (&local("result"), &local("entry"));
    let (mut save, mut restore) = (TokenBuf::empty(), TokenBuf::empty());
    for changed in interface.params.iter().flat_map(changed) {
        let back = changed.restore(entry);
        save.add(changed.save(entry));
        restore = back.then(restore);
    }
    let text = &documentation::attempt(interface)[..];
    Some(code! {
        #[doc = #text]
        #lints
        #[inline]
        #[track_caller]
        #vis fn #name<#generics>(#receiver #tape_parameter, #params) -> ::core::result::Result<#output, #p::SweepError> #clause {
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
}

/// What it may change of a parameter.
fn changed(param: &Param) -> impl Iterator<Item = Changed<'_>> {
    let of = |name: Ident| Changed {
        name,
        ty: &param.ty,
        is_savable: param.adjoint,
    };
    let value = (param.mode == Mode::Mut).then(|| of(param.name.clone()));
    let adjoint = param.adjoint.then(|| of(adjoint_name(&param.name)));
    value.into_iter().chain(adjoint)
}

impl Changed<'_> {
    fn save(&self, entry: &Ident) -> TokenBuf {
        let (p, name, marker) = (private(), &self.name, marker(self.ty));
        match self.is_savable {
            true => code!(#p::Shape::<#marker>::save(&*#name, &mut #entry);),
            false => self.if_savable("save", code!(&*#name), entry),
        }
    }

    fn restore(&self, entry: &Ident) -> TokenBuf {
        let (p, name, marker) = (private(), &self.name, marker(self.ty));
        match self.is_savable {
            true => code!(#p::Shape::<#marker>::restore(&mut *#name, &mut #entry);),
            false => self.if_savable("restore", code!(&mut *#name), entry),
        }
    }

    /// Does it with types for which it can be done.
    fn if_savable(&self, method: &str, value: TokenBuf, entry: &Ident) -> TokenBuf {
        let (p, marker, method) = (private(), marker(self.ty), TokenBuf::name(method));
        let context = code!(::core::marker::PhantomData::<#p::Outermost>);
        code!({ use #p::Unkept as _; #p::kept::<#marker, _>(#value).#method(#context, &mut #entry); })
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
