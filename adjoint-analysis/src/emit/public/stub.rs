//! The items generated for a refused function: its signatures, so that callers don't get more errors.

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::visit_mut::VisitMut;

use super::{attempt, jacobian, pullback, value_and_gradient};
use crate::emit::calls::handle::{self, HandleFacts, Sweeps};
use crate::emit::calls::names::NameDecls;
use crate::emit::interface::generic::{carrier_params, clone_params, mentioned_in_signature};
use crate::emit::interface::{
    Interface, Param, SweepLocation, adjoint_function_name, name_and_referent, parameter_decl,
};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{private, public};
use crate::ir::{Mode, Ty};
use crate::lower::Environment;
use crate::lower::items::generics::in_function;
use crate::lower::signature::receiver_mode;
use crate::lower::types::lower_type;
use crate::options::Options;
use crate::refuse::Refusal;
use crate::roles;

/// `f_adjoint`, `f_adjoint_with` and the sweeps, with unreachable bodies, next to the macro's errors.
pub fn stub(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
    home: SweepLocation,
) -> TokenStream {
    let item = &with_owned_result(item);
    let interface = interface(item, options, env, home);
    let body = TokenBuf::from(quote!(::core::unreachable!()));
    let public = public::functions(&interface, false, &|| body.clone());
    let attempt = attempt::stub(&interface);
    let gradients = value_and_gradient::stubs(&interface);
    let jacobian = jacobian::functions(&interface, || body.clone());
    let pullback = pullback::functions(&interface, |_| body.clone());
    let home = handle::sweep_items(&interface, &sweeps(&interface, body));
    quote!(#public #attempt #gradients #jacobian #pullback #home)
}

/// The sweeps of a method that wasn't annotated itself and is refused: a compile error with the reason, at their
/// callers only. `None` if the method's types may not be valid in sweeps.
pub fn unannotated_method(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
    home: SweepLocation,
    refusal: &Refusal,
) -> Option<TokenStream> {
    let interface = interface(item, options, env, home);
    if !handle::is_builtin(&interface.ret) || !item.sig.generics.params.is_empty() {
        return None;
    }
    let (p, reason) = (private(), &refusal.reason);
    let message = format!("{}. help: {}", reason.message(), reason.help());
    let message = Literal::string(&message);
    let body = code!(const { #p::refused::<__Caller>(#message) }; ::core::unreachable!());
    let sweeps = sweeps(&interface, body.located_at(refusal.span));
    let home = handle::sweep_items(&interface, &sweeps);
    Some(quote!(#home))
}

/// The placeholder for the handle of a function that is always inlined: a caller that doesn't see the body can't
/// differentiate the call, and gets a compile error there.
pub fn inlined_handle(item: &syn::ItemFn, env: &Environment, home: &SweepLocation) -> TokenStream {
    let (p, vis) = (private(), &item.vis);
    match home {
        SweepLocation::Handle(handle) if !env.has_type(&handle.to_string()) => quote! {
            #[doc(hidden)]
            #[allow(dead_code, non_camel_case_types)]
            #vis type #handle = #p::fallback::WrittenOut<()>;
        },
        _ => TokenStream::new(),
    }
}

/// The placeholder for `f_adjoint` in an annotated module if `f` has no adjoint: a call of it violates a bound, whose
/// error message gives the reason.
pub fn missing_adjoint(
    item: &syn::ItemFn,
    env: &Environment,
    home: &SweepLocation,
    why: &str,
    help: &str,
) -> TokenStream {
    let name = adjoint_function_name(&item.sig);
    let is_free = |names: &Rc<HashSet<String>>| !names.contains(&name.to_string());
    if !matches!(home, SweepLocation::Handle(_)) || !env.module_names.as_ref().is_some_and(is_free)
    {
        return TokenStream::new();
    }
    let interface = interface(item, &Options::default(), env, home.clone());
    let adjoints = interface
        .params
        .iter()
        .filter(|param| param.adjoint)
        .count();
    let taken = interface.params.len() + adjoints + usize::from(interface.public_seed().is_some());
    let others = (1..taken).map(|_| quote!(_: impl ::core::marker::Sized,));
    let (vis, function) = (&item.vis, &item.sig.ident);
    let (p, reason) = (private(), format_ident!("__NoAdjointOf_{}", function));
    let (message, help) = (
        format!("`{function}` has no adjoint: {why}"),
        format!("help: {help}"),
    );
    quote! {
        #[doc(hidden)]
        #[allow(clippy::all, unused, non_camel_case_types)]
        #[diagnostic::on_unimplemented(message = #message, label = #help)]
        #vis trait #reason {}

        // With an `impl` of the trait, rustc doesn't suggest to write one.
        #[diagnostic::do_not_recommend]
        impl #reason for #p::Tape {}

        #[doc(hidden)]
        #[allow(clippy::all, unused, private_bounds)]
        #vis fn #name<R>(#(#others)* _: impl #reason) -> R {
            ::core::unreachable!()
        }
    }
}

fn sweeps(interface: &Interface<'_>, body: TokenBuf) -> Sweeps {
    let params = 0..interface.params.len();
    Sweeps {
        names: NameDecls::undeclared(),
        fused: None,
        calls_sweeps: false,
        forward: body.clone(),
        reverse: body,
        seed: Ident::new("_seed", Span::mixed_site()),
        seed_is_optional: false,
        adjoints: params.map(|k| format_ident!("_adjoint_{k}")).collect(),
        facts: HandleFacts::conservative(),
    }
}

/// The function with owned types in place of returned references, which would lack lifetimes, and `String` in place of
/// an error type that can't be stored.
fn with_owned_result(item: &syn::ItemFn) -> syn::ItemFn {
    let mut item = item.clone();
    if let syn::ReturnType::Type(_, ty) = &mut item.sig.output {
        ReferencesToOwned.visit_type_mut(ty);
        if let Some(error) = roles::uncopyable_error(ty).cloned() {
            ReplaceByString { of: error }.visit_type_mut(ty);
        }
    }
    item
}

/// Replaces a type by `String`.
struct ReplaceByString {
    of: syn::Type,
}

impl VisitMut for ReplaceByString {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if *ty == self.of {
            *ty = syn::parse_quote!(::std::string::String);
        }
        syn::visit_mut::visit_type_mut(self, ty);
    }
}

/// Replaces references by owned types.
struct ReferencesToOwned;

impl VisitMut for ReferencesToOwned {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if let syn::Type::Reference(reference) = ty {
            *ty = match &*reference.elem {
                syn::Type::Slice(slice) => {
                    let element = &slice.elem;
                    syn::parse_quote!(::std::vec::Vec<#element>)
                }
                referent => referent.clone(),
            };
        }
        syn::visit_mut::visit_type_mut(self, ty);
    }
}

/// The interface as far as the signature determines it.
pub(in crate::emit) fn interface<'a>(
    item: &'a syn::ItemFn,
    options: &Options,
    env: &Environment,
    home: SweepLocation,
) -> Interface<'a> {
    let sig = &item.sig;
    let env = in_function(sig, env);
    let ret = match &sig.output {
        syn::ReturnType::Type(_, ty) => lower_type(ty, &env).0,
        syn::ReturnType::Default => Ty::Unit,
    };
    let args = sig.inputs.iter().enumerate();
    let params: Vec<Param> = args.map(|(k, arg)| param(k, arg, options, &env)).collect();
    let types = params.iter().map(|p| &p.ty).chain([&ret]);
    let seed = Some(ret.clone()).filter(Ty::carries_floats);
    Interface {
        impl_trait: env.implemented_trait.clone(),
        carrier_params: carrier_params(&params, seed.as_ref(), &env),
        clone_params: clone_params(&params, &env),
        struct_params: mentioned_in_signature(types, &env, &env.float_params),
        params,
        wrt: options.wrt.clone().unwrap_or_default(),
        of: options.of.clone(),
        jacobian: options.jacobian,
        pullback: options.pullback,
        item,
        seed,
        ret,
        ret_is_dependent: roles::returns_dependent(options),
        float_params: match home {
            SweepLocation::Operator(_) => Vec::new(),
            _ => env.float_params,
        },
        location: home,
        inner_items: TokenBuf::empty(),
        fallbacks: TokenBuf::empty(),
        excluded: Vec::new(),
        summary: "There is none yet: see the error.".into(),
        report: String::new(),
    }
}

/// One parameter. A generated name replaces a missing one, or one that could be the name of another parameter's
/// adjoint.
fn param(k: usize, arg: &syn::FnArg, options: &Options, env: &Environment) -> Param {
    let (ty, mode) = match arg {
        syn::FnArg::Receiver(r) => (Ty::Named("Self".into()), receiver_mode(r)),
        syn::FnArg::Typed(t) => lower_type(&t.ty, env),
    };
    let usable = name_and_referent(arg).filter(|(name, _)| !name.to_string().ends_with("_adj"));
    let adjoint = ty.carries_floats() && {
        let name = name_and_referent(arg).map(|(name, _)| name);
        roles::has_role(name.as_ref(), mode == Mode::Mut, options)
    };
    let is_self = matches!(arg, syn::FnArg::Receiver(_));
    let (name, declared, referent) = match (usable, arg) {
        (Some((name, referent)), _) => (name, parameter_decl(arg), referent),
        (None, syn::FnArg::Typed(t)) => {
            let (name, ty) = (Ident::new(&format!("arg_{k}"), Span::mixed_site()), &t.ty);
            let referent = match &**ty {
                syn::Type::Reference(r) => &r.elem,
                _ => ty,
            };
            (name.clone(), quote!(#name: #ty), quote!(#referent))
        }
        (None, syn::FnArg::Receiver(_)) => {
            (format_ident!("self"), parameter_decl(arg), quote!(Self))
        }
    };
    let referent = match (mode, arg) {
        (Mode::Owned, syn::FnArg::Typed(t)) => {
            let mut returned = t.ty.clone();
            ReferencesToOwned.visit_type_mut(&mut returned);
            quote!(#returned)
        }
        _ => referent,
    };
    Param {
        name,
        declared: declared.into(),
        referent: referent.into(),
        mode,
        ty,
        adjoint,
        is_self,
        has_references: false,
        is_function: false,
    }
}
