//! Inference of generic arguments from the types of values.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::generics;
use crate::ir::{Expr, Ty};
use crate::lower::Lower;
use crate::lower::types::{fn_bound_arity, lower_type, text, ungrouped};

/// Inferred generic arguments, by parameter name.
pub type GenericArgs = HashMap<String, TokenStream>;

impl Lower {
    /// The type of the literal of a visible generic struct, if the fields determine all of its arguments.
    pub fn struct_literal_type(&self, of: &str, fields: &[(String, Expr)]) -> Option<Ty> {
        let field = |name: &str| {
            let key = (of.to_string(), name.to_string());
            self.env.generic_fields.get(&key)
        };
        let params = value_params(&field(&fields.first()?.0)?.generics);
        let mut found = GenericArgs::new();
        for (name, value) in fields {
            let ty = self.infer.resolve_known(&value.ty(&self.draft.func));
            infer_args(&field(name)?.ty, &ty, &params, &mut found);
        }
        let arguments = params.iter().map(|p| Some(found.get(p)?.to_string()));
        let arguments = arguments.collect::<Option<Vec<_>>>()?.join(", ");
        let ty = syn::parse_str(&format!("{of}<{arguments}>")).ok()?;
        Some(lower_type(&ty, &self.env).0)
    }

    /// The struct type with `_` arguments, which rustc infers, if the struct is visible and generic.
    pub fn with_inferred_args(&self, of: &str) -> Option<String> {
        let mut fields = self.env.generic_fields.iter();
        let (_, field) = fields.find(|((owner, _), _)| owner == of)?;
        let open = vec!["_"; value_params(&field.generics).len()];
        Some(format!("{of}<{}>", open.join(", ")))
    }
}

/// The const parameters, and the type parameters that are not functions.
pub fn value_params(generics: &syn::Generics) -> Vec<String> {
    let is_called =
        |t: &syn::TypeParam| generics::bounds(generics, t).any(|b| fn_bound_arity(b).is_some());
    let name = |param: &syn::GenericParam| match param {
        syn::GenericParam::Type(t) if !is_called(t) => Some(t.ident.to_string()),
        syn::GenericParam::Const(c) => Some(c.ident.to_string()),
        _ => None,
    };
    generics.params.iter().filter_map(name).collect()
}

/// Infers the parameters in the type `formal` from a value of the type `actual`.
pub fn infer_args(formal: &syn::Type, actual: &Ty, params: &[String], found: &mut GenericArgs) {
    match (ungrouped(formal), actual) {
        (_, Ty::Unknown | Ty::Infer(_)) => {}
        (syn::Type::Reference(r), ty) => infer_args(&r.elem, ty, params, found),
        (syn::Type::Slice(s), Ty::Slice(t) | Ty::Vec(t) | Ty::Array(t, _)) => {
            infer_args(&s.elem, t, params, found);
        }
        (syn::Type::Array(a), Ty::Array(t, extent)) => {
            infer_args(&a.elem, t, params, found);
            let name = text(&a.len);
            if params.contains(&name) {
                found.entry(name).or_insert_with(|| extent_tokens(extent));
            }
        }
        (syn::Type::Tuple(t), Ty::Tuple(parts)) => {
            let parts = t.elems.iter().zip(parts);
            parts.for_each(|(t, part)| infer_args(t, part, params, found));
        }
        (syn::Type::Path(p), ty) => {
            if let Some(name) = p.path.get_ident().map(ToString::to_string)
                && params.contains(&name)
            {
                if let Some(ty) = type_tokens(ty) {
                    found.entry(name).or_insert(ty);
                }
                return;
            }
            match (ty, path_args(&p.path).first()) {
                (
                    Ty::Vec(t) | Ty::Option(t) | Ty::Boxed(t),
                    Some(syn::GenericArgument::Type(of)),
                ) => {
                    infer_args(of, t, params, found);
                }
                (Ty::Named(actual), _) => {
                    if let Ok(actual) = syn::parse_str::<syn::TypePath>(actual) {
                        infer_path_args(&p.path, &actual.path, params, found);
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// The tokens of the type, if all of it is known.
fn type_tokens(ty: &Ty) -> Option<TokenStream> {
    let text = ty.to_string();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let whole = !matches!(ty, Ty::Slice(_) | Ty::Discrete(_)) && !words.any(|word| word == "_");
    whole.then(|| text.parse().ok()).flatten()
}

fn path_args(path: &syn::Path) -> Vec<&syn::GenericArgument> {
    match path.segments.last().map(|s| &s.arguments) {
        Some(syn::PathArguments::AngleBracketed(args)) => {
            let lifetime =
                |a: &&syn::GenericArgument| matches!(a, syn::GenericArgument::Lifetime(_));
            args.args.iter().filter(|a| !lifetime(a)).collect()
        }
        _ => Vec::new(),
    }
}

/// Infers `T` of `Matrix<T>` from a `Matrix<f64>`.
pub fn infer_path_args(
    formal: &syn::Path,
    actual: &syn::Path,
    params: &[String],
    found: &mut GenericArgs,
) {
    for (formal, actual) in path_args(formal).into_iter().zip(path_args(actual)) {
        let name = text(formal);
        let is_told = !matches!(actual, syn::GenericArgument::Type(syn::Type::Infer(_)));
        if params.contains(&name) && is_told {
            found.entry(name).or_insert_with(|| quote!(#actual));
        }
    }
}

/// An extent as it is written in a type and as a generic argument.
fn extent_tokens(extent: &str) -> TokenStream {
    let tokens: TokenStream = extent.parse().unwrap_or_default();
    match tokens.clone().into_iter().count() {
        1 => tokens,
        _ => quote!({ #tokens }),
    }
}
