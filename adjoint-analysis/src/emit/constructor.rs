//! Functions of an `impl` without a derivative: those that take no floats, such as `Matrix::zeros(rows, cols)`, and
//! methods that make none, such as `m.index(i, j)`.
//!
//! They have no adjoint, but a caller that doesn't see the types (`m.rows`), or whether a method changes what it is
//! called on, can't know that, and asks for the sweeps: the forward sweep is the function, the reverse sweep does
//! nothing.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::handle::{self, Sweeps, Told};
use super::interface::Home;
use super::named::Names;
use super::stub::interface;
use crate::lower::Environment;
use crate::options::Options;

/// The sweeps.
pub fn items(item: &syn::ItemFn, options: &Options, env: &Environment) -> TokenStream {
    let interface = interface(item, options, env, Home::Impl);
    let params = || interface.params.iter();
    let args = params().map(|param| &param.name);
    let increments = params().filter(|p| p.by_value()).map(|_| quote!(()));
    let (function, turbofish) = (&item.sig.ident, interface.turbofish());
    let sweeps = Sweeps {
        names: Names::none(),
        calls: false,
        forward: quote!(Self::#function #turbofish(#(#args),*)).into(),
        reverse: quote!((#(#increments,)*)).into(),
        seed: Ident::new("_seed", Span::mixed_site()),
        seed_is_optional: false,
        adjoints: params()
            .map(|_| Ident::new("_", Span::mixed_site()))
            .collect(),
        told: Told::all(),
    };
    handle::home(&interface, &sweeps).into()
}
