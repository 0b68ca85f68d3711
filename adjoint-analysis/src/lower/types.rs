//! Conversion of Rust types to IR types.

use std::collections::HashMap;

use quote::ToTokens;
use syn::visit::Visit;

use super::inline::substitute_type;
use super::{Environment, Mode};
use crate::ir::{FloatTy, IntTy, Ty};

/// Lowers a type as written to the referent's type and the mode of reference. A reference to a function counts as the
/// function itself.
pub fn lower_type(ty: &syn::Type, env: &Environment) -> (Ty, Mode) {
    match ungrouped(ty) {
        syn::Type::Reference(r) if r.mutability.is_none() && is_callable_type(&r.elem, env) => {
            (value_type(&r.elem, env), Mode::Owned)
        }
        syn::Type::Reference(r) => {
            let (inner, _) = lower_type(&r.elem, env);
            (
                inner,
                if r.mutability.is_some() {
                    Mode::Mut
                } else {
                    Mode::Shared
                },
            )
        }
        ty => (value_type(ty, env), Mode::Owned),
    }
}

/// The type without parentheses, and without the invisible group around a fragment of a `macro_rules!`.
pub fn ungrouped(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Group(g) => ungrouped(&g.elem),
        syn::Type::Paren(p) => ungrouped(&p.elem),
        _ => ty,
    }
}

/// Whether the type is an `Option` of a reference.
pub fn is_option_of_reference(ty: &syn::Type) -> bool {
    matches!(payload_type(ty), Some((owner, syn::Type::Reference(_))) if owner == "Option")
}

/// The payload type of an `Option` or `Result` (of `Ok`), and the name of the enum.
pub fn payload_type(ty: &syn::Type) -> Option<(&syn::Ident, &syn::Type)> {
    let syn::Type::Path(p) = ungrouped(ty) else {
        return None;
    };
    let last = p.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
        return None;
    };
    let is_choice = last.ident == "Option" || last.ident == "Result";
    match args.args.first().filter(|_| is_choice)? {
        syn::GenericArgument::Type(ty) => Some((&last.ident, ungrouped(ty))),
        _ => None,
    }
}

/// Whether the type is a reference to floats, or a tuple or an `Option` that holds one.
pub fn holds_float_ref(ty: &syn::Type, env: &Environment) -> bool {
    match ungrouped(ty) {
        syn::Type::Reference(r) => lower_type(&r.elem, env).0.carries_floats(),
        syn::Type::Tuple(t) => t.elems.iter().any(|ty| holds_float_ref(ty, env)),
        syn::Type::Path(p) => p.path.segments.last().is_some_and(|last| {
            let syn::PathArguments::AngleBracketed(given) = &last.arguments else {
                return false;
            };
            let is_held = |a: &syn::GenericArgument| matches!(a, syn::GenericArgument::Type(ty) if holds_float_ref(ty, env));
            last.ident == "Option" && given.args.iter().any(is_held)
        }),
        _ => false,
    }
}

fn value_type(ty: &syn::Type, env: &Environment) -> Ty {
    let element = |t: &syn::Type| Box::new(lower_type(t, env).0);
    match ty {
        syn::Type::Array(a) => Ty::Array(element(&a.elem), text(&a.len)),
        syn::Type::Slice(s) => Ty::Slice(element(&s.elem)),
        syn::Type::Tuple(t) if t.elems.is_empty() => Ty::Unit,
        syn::Type::Tuple(t) => Ty::Tuple(t.elems.iter().map(|t| lower_type(t, env).0).collect()),
        syn::Type::Paren(_) | syn::Type::Group(_) => lower_type(ty, env).0,
        syn::Type::Infer(_) => Ty::Unknown,
        syn::Type::Path(p) => match env.associated_type(p) {
            Some((ty, owner)) => lower_type(&ty, &env.impl_environment(owner, p)).0,
            None if p.qself.is_some() => Ty::Named(text(p)),
            None => path_type(p, env),
        },
        _ => Ty::Discrete(text(ty)),
    }
}

fn path_type(path: &syn::TypePath, env: &Environment) -> Ty {
    let Some(last) = path.path.segments.last() else {
        return Ty::Unknown;
    };
    let name = last.ident.to_string();
    let argument = || match &last.arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.iter().find_map(|a| match a {
            syn::GenericArgument::Type(t) => Some(Box::new(lower_type(t, env).0)),
            _ => None,
        }),
        _ => None,
    };
    if let Some(int) = IntTy::from_name(&name) {
        return Ty::Int(int);
    }
    if path.path.segments.len() == 1
        && let Some(alias) = env.aliases.get(&name)
    {
        let stands_for = expand_alias(alias, &last.arguments);
        // A recursive alias is an error of rustc's.
        let mut inner = env.clone();
        inner.aliases.remove(&name);
        return lower_type(&stands_for, &inner).0;
    }
    match name.as_str() {
        "f64" => Ty::F64,
        "f32" => Ty::Float(FloatTy::F32),
        "bool" => Ty::Bool,
        "char" | "str" | "String" => Ty::Discrete(name),
        "Vec" => argument().map_or(Ty::Unknown, Ty::Vec),
        "Box" => argument().map_or(Ty::Unknown, Ty::Boxed),
        "Option" => argument().map_or(Ty::Unknown, Ty::Option),
        "Result" => result_type(path, last, env),
        "Range" | "RangeInclusive" if !env.has_type(&name) => match argument().as_deref() {
            Some(Ty::Int(_)) => Ty::Discrete(text(path)),
            _ => Ty::Named(text(path)),
        },
        "Ordering" if !env.has_type(&name) => Ty::Discrete("::core::cmp::Ordering".into()),
        "Self" if env.self_ty.is_some() => Ty::Named(env.self_ty.clone().unwrap_or_default()),
        _ if env.fn_params.contains(&name) => Ty::Discrete(name),
        _ if env.float_params.contains(&name) => Ty::Float(FloatTy::Param(name)),
        _ => Ty::Named(text(path)),
    }
}

/// The first raw pointer found in a type.
pub fn raw_pointer(ty: &syn::Type) -> Option<&syn::Type> {
    struct Find<'t>(Option<&'t syn::Type>);
    impl<'t> Visit<'t> for Find<'t> {
        fn visit_type(&mut self, ty: &'t syn::Type) {
            if matches!(ty, syn::Type::Ptr(_)) {
                self.0 = Some(ty);
            }
            syn::visit::visit_type(self, ty);
        }
    }
    let mut find = Find(None);
    find.visit_type(ty);
    find.0
}

/// The item type of std's `Range` or `RangeInclusive`, and whether the end is included.
pub fn range_type<'t>(ty: &'t syn::Type, env: &Environment) -> Option<(&'t syn::Type, bool)> {
    let syn::Type::Path(p) = ungrouped(ty) else {
        return None;
    };
    let last = p.path.segments.last()?;
    let name = last.ident.to_string();
    let is_range = matches!(name.as_str(), "Range" | "RangeInclusive") && !env.has_type(&name);
    let syn::PathArguments::AngleBracketed(given) = &last.arguments else {
        return None;
    };
    match given.args.first() {
        Some(syn::GenericArgument::Type(of)) if is_range => Some((of, name == "RangeInclusive")),
        _ => None,
    }
}

/// Expands a type alias with these generic arguments.
pub fn expand_alias(alias: &syn::ItemType, arguments: &syn::PathArguments) -> syn::Type {
    let mut given = match arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.iter().collect(),
        _ => Vec::new(),
    };
    given.retain(|a| !matches!(a, syn::GenericArgument::Lifetime(_)));
    let mut given = given.into_iter().map(ToTokens::to_token_stream);
    let mut stands_for = HashMap::new();
    for param in &alias.generics.params {
        let (name, default) = match param {
            syn::GenericParam::Type(t) => (
                &t.ident,
                t.default.as_ref().map(|(_, d)| d.to_token_stream()),
            ),
            syn::GenericParam::Const(c) => (
                &c.ident,
                c.default.as_ref().map(|(_, d)| d.to_token_stream()),
            ),
            syn::GenericParam::Lifetime(_) => continue,
        };
        if let Some(by) = given.next().or(default) {
            stands_for.insert(name.to_string(), by);
        }
    }
    let mut ty = (*alias.ty).clone();
    substitute_type(stands_for, &mut ty);
    ty
}

/// Lowers `Result<T, E>`; with one argument it is an alias, whose error type is unknown.
fn result_type(path: &syn::TypePath, last: &syn::PathSegment, env: &Environment) -> Ty {
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
        return Ty::Named(text(path));
    };
    let mut types = args.args.iter().filter_map(|a| match a {
        syn::GenericArgument::Type(t) => Some(Box::new(lower_type(t, env).0)),
        _ => None,
    });
    match (types.next(), types.next()) {
        (Some(ok), Some(err)) => Ty::Result(ok, err),
        (Some(ok), None) => Ty::Result(ok, Box::new(Ty::Unknown)),
        _ => Ty::Named(text(path)),
    }
}

/// Whether values of the type can be called repeatedly: `fn(f64) -> f64`, `impl Fn(f64) -> f64`, `dyn Fn(f64) -> f64`.
pub fn is_fn_type(ty: &syn::Type) -> bool {
    match ungrouped(ty) {
        syn::Type::FnPtr(_) => true,
        syn::Type::ImplTrait(t) => t.bounds.iter().any(|b| is_bound(b, "Fn")),
        syn::Type::TraitObject(t) => t.bounds.iter().any(|b| is_bound(b, "Fn")),
        _ => false,
    }
}

/// Whether a lowered type is a function type.
pub fn is_lowered_fn_type(ty: &Ty, env: &Environment) -> bool {
    let begins = |name: &String| {
        ["impl ", "dyn ", "fn ", "fn("]
            .iter()
            .any(|k| name.starts_with(k))
    };
    matches!(ty, Ty::Discrete(name) if begins(name) || env.fn_params.contains(name))
}

fn is_callable_type(ty: &syn::Type, env: &Environment) -> bool {
    let param =
        |name: &String| matches!(ungrouped(ty), syn::Type::Path(p) if p.path.is_ident(name));
    is_fn_type(ty) || env.fn_params.iter().any(param)
}

/// Whether the bound is the trait of this name.
pub fn is_bound(bound: &syn::TypeParamBound, name: &str) -> bool {
    matches!(bound, syn::TypeParamBound::Trait(t)
        if t.path.segments.last().is_some_and(|s| s.ident == name))
}

/// The number of arguments of a bound `Fn`, `FnMut` or `FnOnce`; `None` for other bounds.
pub fn fn_bound_arity(bound: &syn::TypeParamBound) -> Option<usize> {
    fn_bound_inputs(bound).map(|inputs| inputs.len())
}

/// The argument types of a bound `Fn`, `FnMut` or `FnOnce`; `None` for other bounds.
pub fn fn_bound_inputs(bound: &syn::TypeParamBound) -> Option<Vec<&syn::Type>> {
    let syn::TypeParamBound::Trait(t) = bound else {
        return None;
    };
    let last = t.path.segments.last()?;
    match &last.arguments {
        syn::PathArguments::Parenthesized(args) if last.ident.to_string().starts_with("Fn") => {
            Some(args.inputs.iter().map(|arg| &arg.ty).collect())
        }
        _ => None,
    }
}

/// The tokens as text.
pub fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}
