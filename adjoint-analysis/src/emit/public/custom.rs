//! `#[adjoint(custom = path)]`: the body is opaque, and the user provides the adjoint.
//!
//! The forward sweep runs the function and saves the entry values of `&mut` parameters; the reverse sweep restores them
//! and passes copies to the user's adjoint, which recomputes the primal.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::entry_values::EntryValues;
use super::{attempt, value_and_gradient};
use crate::emit::calls::empty_adjoint::zeros_if_empty;
use crate::emit::calls::handle::{HandleFacts, Sweeps, sweep_items};
use crate::emit::calls::names::NameDecls;
use crate::emit::interface::{Interface, adjoint_name};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{private, public};
use crate::ir::Mode;

/// All items generated for the user's function.
pub fn items(interface: &Interface<'_>, path: &syn::Path) -> TokenStream {
    let receiver = interface
        .params
        .iter()
        .any(|p| p.is_self)
        .then(|| quote!(self,));
    let (args, used) = (
        public::forwarded_args(interface, true),
        public::mention_function(interface),
    );
    let body = TokenBuf::from(quote!(#used #path(#receiver #args)));
    let public = public::functions(interface, false, &|| body.clone());
    let attempt = attempt::function(interface);
    let gradients = value_and_gradient::functions(interface);
    let home = sweep_items(interface, &sweeps(interface, path));
    quote!(#public #attempt #gradients #home)
}

fn sweeps(interface: &Interface<'_>, path: &syn::Path) -> Sweeps {
    let p = private();
    let mut restore = TokenStream::new();
    let (mut primal_args, mut adjoint_args) = (TokenStream::new(), TokenStream::new());
    let (mut increments, mut adjoints) = (Vec::new(), Vec::new());
    for (k, param) in interface.params.iter().enumerate() {
        let (name, marker) = (&param.name, marker(&param.ty));
        let adjoint = format_ident!("{}", adjoint_name(name), span = Span::mixed_site());
        adjoints.push(adjoint.clone());
        match param.mode {
            Mode::Mut => {
                let copy = format_ident!("{}_entry", name, span = Span::mixed_site());
                restore.extend(quote!(let mut #copy = #p::owned(&*#name);));
                primal_args.extend(quote!(&mut *#name,));
                adjoint_args.extend(quote!(#p::lend(&mut #copy),));
            }
            Mode::Owned if !param.ty.is_scalar() => {
                primal_args.extend(quote!(::core::clone::Clone::clone(&#name),));
                adjoint_args.extend(quote!(::core::clone::Clone::clone(&#name),));
            }
            _ => {
                primal_args.extend(quote!(#name,));
                adjoint_args.extend(quote!(#name,));
            }
        }
        if param.by_value() && param.ty.carries_floats() {
            restore.extend(quote!(let mut #adjoint = #p::Shape::<#marker>::zero_like(&#name);));
            increments.push(quote!(#adjoint));
            if param.adjoint {
                adjoint_args.extend(quote!(&mut #adjoint,));
            }
        } else if param.by_value() {
            increments.push(quote!(()));
        } else if param.adjoint {
            // The user's adjoint has a parameter for each of them.
            restore.extend(zeros_if_empty(param, &adjoint, k));
            adjoint_args.extend(quote!(&mut *#adjoint,));
        }
    }
    let seed = Ident::new("seed", Span::mixed_site());
    if interface.public_seed().is_some() {
        let by_ref = matches!(interface.seed, Some(crate::ir::Ty::Vec(_)));
        adjoint_args.extend(if by_ref {
            quote!(&#seed,)
        } else {
            quote!(#seed,)
        });
    }
    let (function, entry) = (interface.function_path(), EntryValues::of(interface));
    let is_reversed = code!(const { #p::is_reversed::<__Caller>() });
    let (save, load) = (entry.save_if(&is_reversed), entry.restore_if(&is_reversed));
    Sweeps {
        names: NameDecls::undeclared(),
        fused: None,
        calls_sweeps: false,
        forward: quote!(#save #function(#primal_args)).into(),
        reverse: quote! {
            #load
            #restore
            if const { #p::demanded::<__Caller>(u64::MAX, u64::MAX, false) } {
                #path(#adjoint_args);
            }
            (#(#increments,)*)
        }
        .into(),
        seed,
        seed_is_optional: false,
        adjoints,
        facts: HandleFacts::conservative(),
    }
}
