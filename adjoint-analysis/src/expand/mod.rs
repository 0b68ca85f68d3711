//! The whole way of an annotated item, from tokens to tokens.

pub mod function;
mod module;

pub use function::{Analysed, analyse};

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::stub;
use crate::lower::Environment;
use crate::options::Options;

/// `#[adjoint(args)]` on a function, a module or an `impl`: the item as it is, and its adjoint or the
/// errors.
pub fn expand(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let item: syn::Item = match syn::parse2(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#tokens #error);
        }
    };
    let options = Options::parse(args);
    match (item, options) {
        (syn::Item::Fn(item), Ok(options)) => {
            let beside = function::beside(&item, &options, &Environment::default());
            quote!(#item #beside)
        }
        (syn::Item::Mod(item), Ok(options)) => module::module(item, &options),
        (syn::Item::Impl(item), Ok(options)) => {
            module::implementation(item, &options, &Environment::default())
        }
        (syn::Item::Fn(item), Err(error)) => {
            let (error, env) = (error.write_errors(), Environment::default());
            let stub = stub::stub(&item, &item.sig.ident, &env);
            quote!(#item #error #stub)
        }
        (item, Err(error)) => {
            let error = error.write_errors();
            quote!(#item #error)
        }
        (item, Ok(_)) => {
            let message = "`#[adjoint]` goes on a function, an inline module or an inherent `impl`\n\
                           help: put it on the functions themselves";
            let error = syn::Error::new_spanned(&item, message).to_compile_error();
            quote!(#item #error)
        }
    }
}
