//! Expansion of an annotated item, from tokens to tokens.

mod cfg;
mod checkpoint_attributes;
#[cfg(any(feature = "explain", feature = "testing"))]
pub mod find;
pub mod macro_rules;
mod module;
mod nesting;
mod objects;

pub use self::cfg::configured::expand_rest;

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;

use self::macro_rules::contexts;
use crate::compile::companion_items::{companion_items, sweep_location};
use crate::emit::public::stub;
use crate::lower::Environment;
use crate::options::Options;
use crate::refuse::{Reason, Refusal};

/// `#[adjoint(args)]` on a function, a module or an `impl`: the unchanged item, and its adjoint or the errors.
pub fn expand(args: TokenStream, tokens: TokenStream) -> TokenStream {
    match parse_or_error(&tokens) {
        Ok(item) => match self::cfg::configured::defer_to_derive(&args, &item) {
            Some(deferred) => deferred,
            None => expand_resolved(args, tokens, item),
        },
        Err(error) => error,
    }
}

/// [`expand`] after the conditions have been resolved; any that remain are refused.
pub fn expand_item(args: TokenStream, tokens: TokenStream) -> TokenStream {
    match parse_or_error(&tokens) {
        Ok(item) => expand_resolved(args, tokens, item),
        Err(error) => error,
    }
}

/// The item, or the tokens with an error if it can't be parsed.
pub(crate) fn parse_or_error(tokens: &TokenStream) -> Result<syn::Item, TokenStream> {
    let item = match nesting::refuse_deep(tokens) {
        Some(refusal) => Err(refusal.to_error()),
        None => contexts::parse_item(tokens),
    };
    item.map_err(|error| {
        let error = error.to_compile_error();
        quote!(#tokens #error)
    })
}

/// The expansion, without the attributes of checkpoints.
fn expand_resolved(args: TokenStream, tokens: TokenStream, item: syn::Item) -> TokenStream {
    match checkpoint_attributes::occur(&tokens) {
        true => checkpoint_attributes::strip(expand_parsed(args, tokens, item)),
        false => expand_parsed(args, tokens, item),
    }
}

fn expand_parsed(args: TokenStream, tokens: TokenStream, item: syn::Item) -> TokenStream {
    let options = Options::parse(args.clone());
    match (item, options) {
        (syn::Item::Fn(item), Ok(options)) => {
            let mut env = Environment::default();
            let item = match self::macro_rules::expand_in_function(&item) {
                Some(seen) => {
                    env.unbounded_macros = seen.unbounded_macros;
                    seen.item
                }
                None => item,
            };
            let beside = companion_items(&item, &options, &env);
            quote!(#tokens #beside)
        }
        (syn::Item::Mod(item), Ok(options)) => {
            let errors = Options::errors_on_group(args);
            let module = module::expand_module(item, &options);
            quote!(#module #errors)
        }
        (syn::Item::Impl(item), Ok(options)) => {
            let errors = Options::errors_on_group(args);
            let all = module::expand_impl_alone(item, &options);
            quote!(#all #errors)
        }
        (syn::Item::Fn(item), Err(error)) => {
            let (options, env) = (Options::salvage(args), Environment::default());
            let home = sweep_location(&item, &options, &env);
            let stub = stub::stub(&item, &options, &env, home);
            let error = error.write_errors();
            quote!(#item #error #stub)
        }
        (item, Err(error)) => {
            let error = error.write_errors();
            quote!(#item #error)
        }
        (item, Ok(_)) => {
            let error = not_a_function(&item).to_error().to_compile_error();
            quote!(#item #error)
        }
    }
}

/// The refusal of an item without functions.
pub fn not_a_function(item: &syn::Item) -> Refusal {
    let (what, span) = match item {
        syn::Item::Struct(item) => ("a struct", item.struct_token.span()),
        syn::Item::Enum(item) => ("an enum", item.enum_token.span()),
        syn::Item::Trait(item) => ("a trait", item.trait_token.span()),
        item => ("this item", item.span()),
    };
    Refusal {
        span,
        reason: Reason::NotAFunction(what.into()),
    }
}
