//! The items that are emitted beside a function: its adjoint, or errors and a stub.

use proc_macro2::TokenStream;
use quote::quote;

use super::compile_function;
use super::parameters::name_params;
use crate::emit::calls::handle::is_builtin;
use crate::emit::interface::SweepLocation;
use crate::emit::public::stub;
use crate::ir::{Mode, Ty};
use crate::lower::inline::must_inline;
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
    home: SweepLocation,
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    let item = &*name_params(item);
    let made = compile_function(home.clone(), item, options, env);
    made.unwrap_or_else(|refusals| errors_and_stub(home, item, options, env, &refusals))
}

/// The items beside a function that is inlined where it is called: its adjoint, if it can have one by itself.
pub fn companion_items_of_inlined(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    let home = sweep_location(item, options, env);
    if must_inline(&item.sig, &item.block, env) {
        return inlined_only(item, env, &home);
    }
    let item = &*name_params(item);
    match compile_function(home.clone(), item, options, env) {
        Ok(made) => made,
        Err(refusals) if refusals.iter().any(|r| r.reason.is_of_template()) => {
            inlined_only(item, env, &home)
        }
        Err(refusals) => errors_and_stub(home, item, options, env, &refusals),
    }
}

/// The items beside a function that is not annotated itself: its adjoint, or the reason why it has none, for callers.
pub fn companion_items_if_possible(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    let item = &*name_params(item);
    let home = sweep_location(item, options, env);
    let made = compile_function(home.clone(), item, options, env);
    made.unwrap_or_else(|refusals| match refusals.first() {
        Some(refusal) => {
            let (why, help) = (refusal.reason.message(), refusal.reason.help());
            let missing = stub::missing_adjoint(item, env, &home, &why, &help);
            let refused = stub::unannotated_method(item, options, env, home, refusal);
            quote!(#refused #missing)
        }
        None => TokenStream::new(),
    })
}

/// The items beside a function that is only inlined.
fn inlined_only(item: &syn::ItemFn, env: &Environment, home: &SweepLocation) -> TokenStream {
    let help = "call it from a function of its module that has an adjoint, and whose parameters hold the floats";
    let missing = stub::missing_adjoint(
        item,
        env,
        home,
        "it is written out where it is called",
        help,
    );
    let handle = stub::inlined_handle(item, env, home);
    quote!(#handle #missing)
}

/// The items beside a function of an annotated module or `impl` that is not annotated itself and shows no floats in its
/// signature: sweeps for callers that don't see it, or the reason why it has none.
pub fn companion_items_unannotated(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    if must_inline(&item.sig, &item.block, env) {
        return inlined_only(item, env, &sweep_location(item, options, env));
    }
    let is_taken = env.has_type(&item.sig.ident.to_string());
    match !is_taken && takes_floats(&item.sig, env) && can_have_sweeps(&item.sig, env) {
        true => companion_items_if_possible(item, options, env),
        false => {
            let home = sweep_location(item, options, env);
            stub::missing_adjoint(item, env, &home, "it takes no floats", "call it as it is")
        }
    }
}

/// Whether both sweeps can take the parameters, though their types are unknown: none is passed by value that may lack a
/// copy or zeros.
fn can_have_sweeps(sig: &syn::Signature, env: &Environment) -> bool {
    let env = generics::in_function(sig, env);
    sig.inputs.iter().all(|arg| match arg {
        syn::FnArg::Receiver(r) => signature::receiver_mode(r) != Mode::Owned,
        syn::FnArg::Typed(t) => {
            let (ty, mode) = lower_type(&t.ty, &env);
            mode != Mode::Owned || is_builtin(&ty) || matches!(ty, Ty::Named(_) | Ty::Discrete(_))
        }
    })
}

fn errors_and_stub(
    home: SweepLocation,
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
    refusals: &[Refusal],
) -> TokenStream {
    let options = &*roles::complete_options(item, options, env);
    let errors = refusals.iter().map(|r| r.to_error().to_compile_error());
    let stub = stub::stub(item, options, env, home);
    quote!(#(#errors)* #stub)
}

/// The location of the sweeps of a function or method.
pub fn sweep_location(item: &syn::ItemFn, options: &Options, env: &Environment) -> SweepLocation {
    let of_impl = env.self_ty.is_some() || signature::self_span(&item.sig).is_some();
    match (of_impl, &options.handle) {
        (true, _) => SweepLocation::Impl,
        (false, Some(handle)) => SweepLocation::Handle(handle.clone()),
        (false, None) => SweepLocation::Handle(item.sig.ident.clone()),
    }
}
