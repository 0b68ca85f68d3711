//! The items of a function's body, repeated at the start of both sweeps.

use std::collections::BTreeSet;

use quote::{ToTokens, quote};

use crate::emit::token_buf::TokenBuf;
use crate::lower::items::attributes::is_adjoint;
use crate::lower::tokens::identifiers;

/// The constants, imports, types and functions declared in the body. The functions named in `called`, and those that
/// they mention, are annotated.
pub fn inner_items(block: &syn::Block, mut called: BTreeSet<String>) -> TokenBuf {
    let items = crate::lower::items::constants::block_items(block);
    while items.clone().any(|item| extend_called(item, &mut called)) {}
    let items = items.map(
        |item| match annotatable_functions(item).any(|f| called.contains(&f)) {
            true => quote!(#[::adjoint::adjoint] #item),
            false => quote!(#item),
        },
    );
    quote!(#(#items)*).into()
}

/// The functions in an item that can be annotated and aren't.
fn annotatable_functions(item: &syn::Item) -> impl Iterator<Item = String> {
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

/// Adds the names that an item mentions if one of its functions is in `called`; returns whether there are new ones.
fn extend_called(item: &syn::Item, called: &mut BTreeSet<String>) -> bool {
    let known = called.len();
    if annotatable_functions(item).any(|f| called.contains(&f)) {
        let mut found = Vec::new();
        identifiers(&item.to_token_stream(), &mut found);
        called.extend(found);
    }
    called.len() > known
}
