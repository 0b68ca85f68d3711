//! Functions that call a trait's methods on a type parameter: which methods these are, only the types show that it stands
//! for, so such functions are written out where they are called with values of some.

use std::collections::HashSet;

use quote::ToTokens;

use super::which::on_floats;
use crate::lower::code::words;
use crate::lower::{Environment, generics};

/// Whether the body calls a method that only the arguments of its type parameters have, or of those of its `impl`.
pub fn dispatches(sig: &syn::Signature, body: &syn::Block, env: &Environment) -> bool {
    let names = methods_of(&sig.generics, env);
    (!names.is_empty() || !env.dispatched.is_empty())
        && mentions(body, &|name| {
            names.contains(name) || env.dispatched.contains(name)
        })
}

/// The names of such methods in an `impl`: those that traits which are seen give its parameters, and those of its own
/// that call them.
pub fn dispatched(item: &syn::ItemImpl, env: &Environment) -> HashSet<String> {
    let mut names = methods_of(&item.generics, env);
    if names.is_empty() {
        return names;
    }
    loop {
        let known = names.len();
        for inner in &item.items {
            if let syn::ImplItem::Fn(f) = inner
                && mentions(&f.block, &|name| names.contains(name))
            {
                names.insert(f.sig.ident.to_string());
            }
        }
        if names.len() == known {
            return names;
        }
    }
}

/// The methods on floats of the traits that the parameters have, as far as these are seen.
fn methods_of(of: &syn::Generics, env: &Environment) -> HashSet<String> {
    let bounds = of.type_params().flat_map(|t| generics::bounds(of, t));
    let traits = bounds.filter_map(|b| env.traits.get(&generics::trait_name(b)?));
    let traits = traits.filter(|of| generics::of_no_number(of) && on_floats(of, env));
    let methods = traits
        .flat_map(|of| &of.items)
        .filter_map(|inner| match inner {
            syn::TraitItem::Fn(f) => Some(f.sig.ident.to_string()),
            _ => None,
        });
    methods.collect()
}

fn mentions(body: &syn::Block, is_one: &dyn Fn(&str) -> bool) -> bool {
    let mut named = Vec::new();
    words(&body.to_token_stream(), &mut named);
    named.iter().any(|name| is_one(name))
}
