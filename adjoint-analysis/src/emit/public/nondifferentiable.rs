//! Functions without a derivative: those whose results contain no floats (a search, a test, `m.index(i, j)`), and
//! functions of an `impl` without float parameters, such as `Matrix::zeros(rows, cols)`.
//!
//! A caller that doesn't see their types can't know this and uses their sweeps: the forward sweep calls the function,
//! the reverse sweep only restores `&mut` arguments.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::entry_values::EntryValues;
use super::stub::interface;
use crate::emit::calls::handle::{self, HandleFacts, Reads, Sweeps};
use crate::emit::calls::names::NameDecls;
use crate::emit::interface::{Interface, Param, SweepLocation};
use crate::emit::private;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::lower::Environment;
use crate::lower::signature::holds_references;
use crate::options::Options;

/// The sweeps of the function.
pub fn items(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
    home: SweepLocation,
) -> TokenStream {
    let no_parameter = Options {
        wrt: Some(Vec::new()),
        of: Some(Vec::new()),
        ..options.clone()
    };
    let mut interface = interface(item, &no_parameter, env, home);
    let args = item.sig.inputs.iter().enumerate();
    for (param, (k, arg)) in interface.params.iter_mut().zip(args) {
        if let syn::FnArg::Typed(arg) = arg {
            rename(param, k, &arg.ty);
        }
    }
    handle::sweep_items(&interface, &sweeps(&interface)).into()
}

/// Renames the parameter: its own name may hide the function's.
fn rename(param: &mut Param, k: usize, ty: &syn::Type) {
    param.name = Ident::new(&format!("arg_{k}"), Span::mixed_site());
    let name = &param.name;
    param.declared = quote!(#name: #ty).into();
    param.has_references = param.by_value() && holds_references(ty);
}

fn sweeps(interface: &Interface<'_>) -> Sweeps {
    let p = private();
    let params = || interface.params.iter();
    let (function, args) = (interface.function_path(), params().map(|param| &param.name));
    let increments = params().filter(|param| param.by_value()).map(increment);
    let entry = EntryValues::of(interface);
    let restored = code!(const { #p::demanded::<__Caller>(0, 0, true) });
    let (save, load) = (entry.save_if(&restored), entry.restore_if(&restored));
    Sweeps {
        names: NameDecls::undeclared(),
        fused: None,
        calls_sweeps: false,
        forward: code!(#save #function(#(#args),*)),
        reverse: code!(#load (#(#increments,)*)),
        seed: Ident::new("_seed", Span::mixed_site()),
        seed_is_optional: interface.seed_is_optional(),
        adjoints: params()
            .map(|_| Ident::new("_", Span::mixed_site()))
            .collect(),
        facts: HandleFacts {
            reads: Reads::ForAll(code!(())),
            depends: code!(()),
        },
    }
}

/// Zeros, if the caller adds the increment to an adjoint.
fn increment(param: &Param) -> TokenBuf {
    if !param.returns_floats() {
        return code!(());
    }
    let (p, name, marker) = (private(), &param.name, marker(&param.ty));
    code!(#p::Shape::<#marker>::zero_like(&#name))
}
