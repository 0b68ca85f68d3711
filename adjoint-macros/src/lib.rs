//! The attribute macro and the derive: entry points only. All decisions are made in
//! `adjoint-analysis`.

use proc_macro::TokenStream;

/// Generates the adjoint of a function beside it. The crate's documentation is the guide.
#[proc_macro_attribute]
pub fn adjoint(args: TokenStream, item: TokenStream) -> TokenStream {
    adjoint_analysis::expand::expand(args.into(), item.into()).into()
}

/// Implements the trait `Differentiable` for a struct or an enum, field by field. Each field must be
/// `Differentiable`; so must each type parameter. A type whose values functions return, or variables hold,
/// must be `Clone` as well.
#[proc_macro_derive(Differentiable)]
pub fn differentiable(item: TokenStream) -> TokenStream {
    adjoint_analysis::derive::derive(item.into()).into()
}

/// Goes on with an item that `adjoint` put off until rustc had resolved the conditions in it.
#[doc(hidden)]
#[proc_macro_derive(Configured, attributes(adjoint_arguments))]
pub fn configured(item: TokenStream) -> TokenStream {
    adjoint_analysis::expand::expand_rest(item.into()).into()
}

/// Removes what was there for its derive alone.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn remove(_: TokenStream, _: TokenStream) -> TokenStream {
    TokenStream::new()
}
