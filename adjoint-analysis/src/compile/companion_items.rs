//! The items that are emitted beside a function: its adjoint, or errors and a stub.

use proc_macro2::TokenStream;
use quote::quote;

use super::compiled;
use super::parameters::named;
use crate::emit::calls::handle::is_own;
use crate::emit::interface::Home;
use crate::emit::public::stub;
use crate::ir::{Mode, Ty};
use crate::lower::inline::is_written_out;
use crate::lower::items::generics;
use crate::lower::types::lower_type;
use crate::lower::{Environment, signature};
use crate::options::Options;
use crate::refuse::Refusal;
use crate::roles;
use crate::roles::floats::takes_floats;

/// The items beside the function: its adjoint, or errors and a stub.
pub fn companion_items(item: &syn::ItemFn, options: &Options, env: &Environment) -> TokenStream {
    companion_items_at(sweep_location(item, options, env), item, options, env)
}

/// The same with a given location of the sweeps.
pub fn companion_items_at(
    home: Home,
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    let item = &*named(item);
    let made = compiled(home.clone(), item, options, env);
    made.unwrap_or_else(|refusals| refused_at(home, item, options, env, &refusals))
}

/// The items beside a function that is inlined where it is called: its adjoint, if it can have one by itself.
pub fn companion_items_of_inlined(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    let home = sweep_location(item, options, env);
    if is_written_out(&item.sig, &item.block, env) {
        return inlined_only(item, env, &home);
    }
    let item = &*named(item);
    match compiled(home.clone(), item, options, env) {
        Ok(made) => made,
        Err(refusals) if refusals.iter().any(|r| r.reason.is_of_template()) => {
            inlined_only(item, env, &home)
        }
        Err(refusals) => refused_at(home, item, options, env, &refusals),
    }
}

/// The items beside a function that is not annotated itself: its adjoint, or the reason why it has none, for callers.
pub fn companion_items_if_possible(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    let item = &*named(item);
    let home = sweep_location(item, options, env);
    let made = compiled(home.clone(), item, options, env);
    made.unwrap_or_else(|refusals| match refusals.first() {
        Some(refusal) => {
            let (why, help) = (refusal.reason.message(), refusal.reason.help());
            let missing = stub::missing(item, env, &home, &why, &help);
            let refused = stub::unasked(item, options, env, home, refusal);
            quote!(#refused #missing)
        }
        None => TokenStream::new(),
    })
}

/// The items beside a function that is only inlined.
fn inlined_only(item: &syn::ItemFn, env: &Environment, home: &Home) -> TokenStream {
    let help = "call it from a function of its module that has an adjoint, and whose parameters hold the floats";
    let missing = stub::missing(
        item,
        env,
        home,
        "it is written out where it is called",
        help,
    );
    let handle = stub::written_out(item, env, home);
    quote!(#handle #missing)
}

/// The items beside a function of an annotated module or `impl` that is not annotated itself and shows no floats in its
/// signature: sweeps for callers that don't see it, or the reason why it has none.
pub fn companion_items_unasked(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    if is_written_out(&item.sig, &item.block, env) {
        return inlined_only(item, env, &sweep_location(item, options, env));
    }
    let is_taken = env.has_type(&item.sig.ident.to_string());
    match !is_taken && takes_floats(&item.sig, env) && can_be_asked(&item.sig, env) {
        true => companion_items_if_possible(item, options, env),
        false => {
            let home = sweep_location(item, options, env);
            stub::missing(item, env, &home, "it takes no floats", "call it as it is")
        }
    }
}

/// Whether both sweeps can take the parameters, though their types are unknown: none is passed by value that may lack a
/// copy or zeros.
fn can_be_asked(sig: &syn::Signature, env: &Environment) -> bool {
    let env = generics::in_function(sig, env);
    sig.inputs.iter().all(|arg| match arg {
        syn::FnArg::Receiver(r) => signature::receiver_mode(r) != Mode::Owned,
        syn::FnArg::Typed(t) => {
            let (ty, mode) = lower_type(&t.ty, &env);
            mode != Mode::Owned || is_own(&ty) || matches!(ty, Ty::Named(_) | Ty::Discrete(_))
        }
    })
}

fn refused_at(
    home: Home,
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
    refusals: &[Refusal],
) -> TokenStream {
    let options = &*roles::completed(item, options, env);
    let errors = refusals.iter().map(|r| r.to_error().to_compile_error());
    let stub = stub::stub(item, options, env, home);
    quote!(#(#errors)* #stub)
}

/// The location of the sweeps of a function or method.
pub fn sweep_location(item: &syn::ItemFn, options: &Options, env: &Environment) -> Home {
    let of_impl = env.self_ty.is_some() || signature::self_type(&item.sig).is_some();
    match (of_impl, &options.handle) {
        (true, _) => Home::Impl,
        (false, Some(handle)) => Home::Handle(handle.clone()),
        (false, None) => Home::Handle(item.sig.ident.clone()),
    }
}
