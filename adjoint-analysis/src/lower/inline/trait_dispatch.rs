//! Generic functions that call trait methods on a type parameter. They are inlined and monomorphised at the call, where
//! the type is known.

use std::collections::HashSet;

use quote::ToTokens;

use super::eligibility::{has_float_methods, takes_visible_trait};
use crate::lower::Environment;
use crate::lower::items::generics;
use crate::lower::tokens::identifiers;

/// Whether the body calls a trait method of its own or its `impl`'s type parameters, directly or through another
/// function.
pub fn dispatches(sig: &syn::Signature, body: &syn::Block, env: &Environment) -> bool {
    let own = param_methods(&sig.generics, env);
    let is_one = |name: &str| {
        own.contains(name)
            || env.dispatched_methods.contains(name)
            || env.dispatching_fns.contains(name)
    };
    (!own.is_empty() || !env.dispatched_methods.is_empty()) && mentions(body, &is_one)
}

/// The names of the functions and methods among the items that do so.
pub fn dispatching_fns<'a>(
    items: impl Iterator<Item = &'a syn::Item>,
    env: &Environment,
) -> HashSet<String> {
    let none = syn::Generics::default();
    let mut open: Vec<(&syn::Signature, &syn::Block, HashSet<String>)> = Vec::new();
    let mut add = |sig: &'a syn::Signature, body: &'a syn::Block, around: &syn::Generics| {
        let mut methods = param_methods(&sig.generics, env);
        methods.extend(param_methods(around, env));
        if !methods.is_empty() {
            open.push((sig, body, methods));
        }
    };
    for item in items {
        match item {
            syn::Item::Fn(f) => add(&f.sig, &f.block, &none),
            syn::Item::Impl(i) => {
                for inner in &i.items {
                    if let syn::ImplItem::Fn(f) = inner {
                        add(&f.sig, &f.block, &i.generics);
                    }
                }
            }
            _ => {}
        }
    }
    let mut names = HashSet::new();
    loop {
        let known = names.len();
        for (sig, body, methods) in &open {
            let is_one = |name: &str| methods.contains(name) || names.contains(name);
            if takes_visible_trait(sig, env) || mentions(body, &is_one) {
                names.insert(sig.ident.to_string());
            }
        }
        if names.len() == known {
            return names;
        }
    }
}

/// The methods of the type parameters by visible traits, if one of the traits has methods on floats.
pub fn param_methods(of: &syn::Generics, env: &Environment) -> HashSet<String> {
    let own = of.type_params().flat_map(|t| generics::bounds(of, t));
    let bounds = own.chain(generics::outer_param_bounds(of));
    let traits = bounds.filter_map(|b| env.traits.get(&generics::trait_name(b)?));
    let mut methods = HashSet::new();
    for of in traits.filter(|of| generics::is_non_number_trait(of, env)) {
        let all = generics::with_supertraits(of, env);
        if all.iter().any(|of| has_float_methods(of, env)) {
            let items = all.iter().flat_map(|of| &of.items);
            methods.extend(items.filter_map(|inner| match inner {
                syn::TraitItem::Fn(f) => Some(f.sig.ident.to_string()),
                _ => None,
            }));
        }
    }
    methods
}

fn mentions(body: &syn::Block, is_one: &dyn Fn(&str) -> bool) -> bool {
    let mut named = Vec::new();
    identifiers(&body.to_token_stream(), &mut named);
    named.iter().any(|name| is_one(name))
}
