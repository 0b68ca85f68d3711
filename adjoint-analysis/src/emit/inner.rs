//! The items at the start of both sweeps: those of the body, and what a call of a method without sweeps runs
//! into, for the sake of the message.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::{ToTokens, quote};

use super::interface::method_sweep;
use super::piece::{Piece, code};
use super::{ident, private};
use crate::ir::{Func, StmtKind};
use crate::lower::Environment;
use crate::lower::attributes::is_adjoint;
use crate::lower::code::words;

const SWEEPS: &[&str] = &[
    "forward",
    "reverse",
    "result_zero",
    "result_save",
    "result_load",
];

/// Constants, imports, types and functions declared in the body, and the trait of unseen methods. The functions
/// that have to have an adjoint get one: those of these names, and what these mention.
pub fn inner_items(
    block: &syn::Block,
    func: &Func,
    mut called: BTreeSet<String>,
    env: &Environment,
) -> Piece {
    let items = crate::lower::items(block);
    while items.clone().any(|item| mentions(item, &mut called)) {}
    let items = items.map(|item| match functions(item).any(|f| called.contains(&f)) {
        true => quote!(#[::adjoint::adjoint] #item),
        false => quote!(#item),
    });
    Piece::from(quote!(#(#items)*)).then(unseen_methods(func, env))
}

/// The functions in an item that may get an adjoint and has no attribute for it.
fn functions(item: &syn::Item) -> impl Iterator<Item = String> {
    let names: Vec<String> = match item {
        syn::Item::Fn(f) if !f.attrs.iter().any(is_adjoint) => vec![f.sig.ident.to_string()],
        syn::Item::Impl(i) if i.trait_.is_none() && !i.attrs.iter().any(is_adjoint) => {
            let names = i.items.iter().filter_map(|inner| match inner {
                syn::ImplItem::Fn(f) => Some(f.sig.ident.to_string()),
                _ => None,
            });
            names.collect()
        }
        _ => Vec::new(),
    };
    names.into_iter()
}

/// Adds the names that an item mentions which holds one of the functions; whether there are new ones.
fn mentions(item: &syn::Item, called: &mut BTreeSet<String>) -> bool {
    let known = called.len();
    if functions(item).any(|f| called.contains(&f)) {
        let mut found = Vec::new();
        words(&item.to_token_stream(), &mut found);
        called.extend(found);
    }
    called.len() > known
}

/// A trait with the sweeps of all methods that are called and not seen. No type has it: rustc says so
/// where it finds no method in the type itself, in the words of the bound.
fn unseen_methods(func: &Func, env: &Environment) -> Piece {
    let mut names: Vec<&str> = Vec::new();
    func.body.walk(&mut |stmt| {
        if let StmtKind::Call(call) = &stmt.kind
            && let Some(name) = call.callee.name.strip_prefix('.')
            && !env.seen.has_method(name)
            && !names.contains(&name)
        {
            names.push(name);
        }
    });
    if names.is_empty() {
        return Piece::empty();
    }
    let mut sweeps = Piece::empty();
    for name in names {
        let name = ident(name, Span::call_site());
        for which in SWEEPS {
            let sweep = method_sweep(&name, which);
            sweeps.add(code!(fn #sweep(&self) {}));
        }
    }
    let p = private();
    code! {
        #[allow(dead_code)]
        trait __Unseen { #sweeps }
        impl<T: #p::AnnotatedMethod + ?Sized> __Unseen for T {}
    }
}
