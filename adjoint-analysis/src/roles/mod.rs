//! The roles of parameters, from the signature and the attribute's arguments, and the refusals that do not depend on
//! the body.

pub(super) mod floats;
mod states;

use syn::spanned::Spanned;

use crate::ir::Mode;
use crate::lower::Environment;
use crate::lower::items::environment::is_untracked;
use crate::lower::items::generics::{in_function, is_fn_param};
use crate::lower::signature::{param_name, receiver_mode, unsupported_kinds};
use crate::lower::types::{is_bound, is_fn_type, lower_type, text, ungrouped};
use crate::options::Options;
use crate::refuse::{Reason, Refusals};

pub use states::{complete_options, states};

/// The parameters that have names, with their patterns.
pub fn named_params(sig: &syn::Signature) -> impl Iterator<Item = (&syn::Ident, &syn::PatType)> {
    sig.inputs.iter().filter_map(|arg| match arg {
        syn::FnArg::Typed(t) => param_name(t).map(|name| (name, t)),
        syn::FnArg::Receiver(_) => None,
    })
}

/// Whether the parameter is an independent or a dependent, if it carries floats.
pub fn has_role(name: Option<&syn::Ident>, written: bool, options: &Options) -> bool {
    let among = |list: &Option<Vec<syn::Ident>>| match list {
        None => true,
        Some(list) => name.is_some_and(|name| list.contains(name)),
    };
    among(&options.wrt) || written && among(&options.of)
}

/// The parameters that `wrt` and `of` exclude.
pub fn excluded_params(sig: &syn::Signature, options: &Options) -> Vec<String> {
    let lends =
        |ty: &syn::Type| matches!(ungrouped(ty), syn::Type::Reference(r) if r.mutability.is_some());
    let receiver = sig.receiver().filter(|receiver| {
        let name = syn::Ident::from(receiver.self_token);
        !has_role(Some(&name), receiver_mode(receiver) == Mode::Mut, options)
    });
    named_params(sig)
        .filter(|(name, arg)| !has_role(Some(name), lends(&arg.ty), options))
        .map(|(name, _)| name.to_string())
        .chain(receiver.map(|_| "self".to_string()))
        .collect()
}

/// Whether the returned value is a dependent, if it carries floats.
pub fn returns_dependent(options: &Options) -> bool {
    options
        .of
        .as_ref()
        .is_none_or(|list| list.iter().any(|name| name == "ret"))
}

/// Refuses attribute arguments that name no suitable parameter, and signatures without an adjoint.
pub fn check(sig: &syn::Signature, options: &Options, env: &Environment, refusals: &mut Refusals) {
    let env = in_function(sig, env);
    check_arguments(sig, options, &env, refusals);
    for (name, arg) in named_params(sig) {
        let (ty, mode) = lower_type(&arg.ty, &env);
        if is_stateful_function(&arg.ty, &env) {
            refusals.push(arg.ty.span(), Reason::Stateful(display_type(&arg.ty)));
            continue;
        }
        if !has_role(Some(name), mode == Mode::Mut, options) {
            continue;
        }
        if let Some(part) = without_adjoint(&arg.ty, &sig.generics, &env) {
            let reason = match part {
                syn::Type::ImplTrait(_) | syn::Type::TraitObject(_) => Reason::AnyType,
                _ => Reason::Type,
            };
            refusals.push(part.span(), reason(display_type(part)));
        } else if ty.carries_floats() {
            check_name_free(sig, &format!("{name}_adj"), refusals);
        }
    }
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        if let Some(error) = uncopyable_error(ty) {
            refusals.push(error.span(), Reason::Error(display_type(error)));
        }
        let reference = matches!(ungrouped(ty), syn::Type::Reference(_));
        match without_adjoint(ty, &sig.generics, &env) {
            _ if reference => refusals.push(ty.span(), Reason::Returned(display_type(ty))),
            Some(part) => refusals.push(part.span(), Reason::Type(display_type(part))),
            None if returns_dependent(options) && lower_type(ty, &env).0.carries_floats() => {
                check_name_free(sig, "ret_adj", refusals);
                check_seed_free(sig, options, &env, refusals);
            }
            None => {}
        }
    }
}

/// The refusals of a function whose results carry no floats: its types need no adjoint form.
pub fn check_passive_signature(
    sig: &syn::Signature,
    options: &Options,
    env: &Environment,
) -> Refusals {
    let mut refusals = Refusals::default();
    check_arguments(sig, options, &in_function(sig, env), &mut refusals);
    for (span, reason) in unsupported_kinds(sig, env) {
        refusals.push(span, reason);
    }
    refusals
}

/// Checks that the names in `wrt` and `of` are those of parameters suited to the role.
fn check_arguments(
    sig: &syn::Signature,
    options: &Options,
    env: &Environment,
    refusals: &mut Refusals,
) {
    let names = sig.receiver().map(|_| "`self`".to_string()).into_iter();
    let known: Vec<String> = names
        .chain(named_params(sig).map(|(name, _)| format!("`{name}`")))
        .collect();
    let returned = matches!(&sig.output, syn::ReturnType::Type(_, ty)
        if lower_type(ty, env).0.carries_floats());
    let mut check = |name: &syn::Ident, is_result: bool| {
        let reason = match (named_params(sig).find(|(n, _)| *n == name), sig.receiver()) {
            (None, _) if is_result && name == "ret" && returned => return,
            (None, _) if is_result && name == "ret" => Reason::NoFloats("ret".into()),
            (None, Some(receiver)) if name == "self" => {
                match is_result && receiver_mode(receiver) != Mode::Mut {
                    true => Reason::NotWritten("self".into()),
                    false => return,
                }
            }
            (None, _) => Reason::NoSuchParameter(name.to_string(), known.join(", ")),
            (Some((_, arg)), _) => {
                let (ty, mode) = lower_type(&arg.ty, env);
                let carries =
                    ty.carries_floats() || without_adjoint(&arg.ty, &sig.generics, env).is_some();
                match (carries, is_result && mode != Mode::Mut) {
                    (false, _) => Reason::NoFloats(name.to_string()),
                    (true, true) => Reason::NotWritten(name.to_string()),
                    (true, false) => return,
                }
            }
        };
        refusals.push(name.span(), reason);
    };
    options
        .wrt
        .iter()
        .flatten()
        .for_each(|name| check(name, false));
    options
        .of
        .iter()
        .flatten()
        .for_each(|name| check(name, true));
}

/// Refuses a parameter with the name of one that the generated functions add.
fn check_name_free(sig: &syn::Signature, added: &str, refusals: &mut Refusals) {
    if let Some((name, _)) = named_params(sig).find(|(name, _)| *name == added) {
        refusals.push(name.span(), Reason::NameTaken(added.into()));
    }
}

/// Refuses a parameter `ret` that has an adjoint: the seed has the name `ret_adj`.
fn check_seed_free(
    sig: &syn::Signature,
    options: &Options,
    env: &Environment,
    refusals: &mut Refusals,
) {
    for (name, arg) in named_params(sig).filter(|(name, _)| *name == "ret") {
        let (ty, mode) = lower_type(&arg.ty, env);
        if ty.carries_floats() && has_role(Some(name), mode == Mode::Mut, options) {
            refusals.push(name.span(), Reason::NameTaken("ret_adj".into()));
        }
    }
}

/// The part of a parameter's type that has no adjoint form, if there is one.
fn without_adjoint<'a>(
    ty: &'a syn::Type,
    generics: &syn::Generics,
    env: &Environment,
) -> Option<&'a syn::Type> {
    let referent = match ungrouped(ty) {
        syn::Type::Reference(r) => &r.elem,
        ty => ty,
    };
    let lent = matches!(ungrouped(ty), syn::Type::Reference(r) if r.mutability.is_some());
    match is_called_function(referent, generics) || lent && is_stateful_function(referent, env) {
        true => None,
        false => inner_without_adjoint(referent, env),
    }
}

/// Whether the parameter is a function that the body calls; it has no role itself.
pub fn is_called_function(ty: &syn::Type, generics: &syn::Generics) -> bool {
    let named = |param: &&syn::TypeParam| matches!(ungrouped(ty), syn::Type::Path(p) if p.path.is_ident(&param.ident));
    let param = generics.type_params().find(named);
    is_fn_type(ty) || param.is_some_and(|param| is_fn_param(generics, param))
}

/// Whether the type is a function that needs ownership or `&mut` to be called.
fn is_stateful_function(ty: &syn::Type, env: &Environment) -> bool {
    let by_owner = |b: &syn::TypeParamBound| is_bound(b, "FnMut") || is_bound(b, "FnOnce");
    match ungrouped(ty) {
        syn::Type::ImplTrait(t) => t.bounds.iter().any(by_owner),
        syn::Type::TraitObject(t) => t.bounds.iter().any(by_owner),
        syn::Type::Path(p) => env.fn_mut_params.iter().any(|name| p.path.is_ident(name)),
        _ => false,
    }
}

/// Like [`without_adjoint`], for an inner type: a reference is not allowed there.
fn inner_without_adjoint<'a>(ty: &'a syn::Type, env: &Environment) -> Option<&'a syn::Type> {
    let inner = |ty: &'a syn::Type| inner_without_adjoint(ty, env);
    match ty {
        syn::Type::Array(a) => inner(&a.elem),
        syn::Type::Slice(s) => inner(&s.elem),
        syn::Type::Paren(p) => inner(&p.elem),
        syn::Type::Group(g) => inner(&g.elem),
        syn::Type::Tuple(t) => t.elems.iter().find_map(inner),
        syn::Type::Path(p) if env.associated_type(p).is_some() => {
            let (stands_for, owner) = env.associated_type(p)?;
            let env = env.impl_environment(owner, p);
            inner_without_adjoint(&stands_for, &env)
                .is_some()
                .then_some(ty)
        }
        syn::Type::Path(p) if p.qself.is_none() => {
            let last = p.path.segments.last()?;
            let name = last.ident.to_string();
            // The names of the standard library count only for types with parameters.
            let hides = !last.arguments.is_none() && is_untracked(&name, env);
            if hides || env.fn_params.contains(&name) {
                return Some(ty);
            }
            match (name.as_str(), &last.arguments) {
                ("Vec" | "Box" | "Option" | "Result", syn::PathArguments::AngleBracketed(args)) => {
                    // The error of a `Result` carries no derivative.
                    args.args.first().and_then(|arg| match arg {
                        syn::GenericArgument::Type(ty) => inner(ty),
                        _ => None,
                    })
                }
                _ => None,
            }
        }
        syn::Type::Reference(_) if !lower_type(ty, env).0.carries_floats() => None,
        _ => Some(ty),
    }
}

/// The error type of a `Result` if it can't be copied for the reverse sweep: `Box<dyn Error>`.
pub fn uncopyable_error(ty: &syn::Type) -> Option<&syn::Type> {
    let error = type_arguments(ty, "Result")?.nth(1)?;
    let held = type_arguments(error, "Box")?.next()?;
    matches!(ungrouped(held), syn::Type::TraitObject(_)).then_some(error)
}

/// The type arguments of a type of this name.
fn type_arguments<'a>(
    ty: &'a syn::Type,
    name: &str,
) -> Option<impl Iterator<Item = &'a syn::Type>> {
    let syn::Type::Path(p) = ungrouped(ty) else {
        return None;
    };
    let last = p.path.segments.last().filter(|last| last.ident == name)?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    Some(arguments.args.iter().filter_map(|arg| match arg {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }))
}

/// The type in usual spacing: printed tokens have a space between any two.
fn display_type(ty: &syn::Type) -> String {
    let tight = [
        " :: ", ":: ", "< ", " <", " >", "> ", "& ", "* ", " ,", "( ", " )", "[ ", " ]", " ;",
    ];
    let text = tight
        .iter()
        .fold(text(ty), |text, spaced| text.replace(spaced, spaced.trim()));
    let text = text.replace("->", "-> ").replace("->  ", "-> ");
    ["fn", "Fn", "FnMut", "FnOnce"]
        .iter()
        .fold(text, |text, name| {
            text.replace(&format!("{name} ("), &format!("{name}("))
        })
}
