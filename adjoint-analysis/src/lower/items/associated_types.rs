//! Associated types: resolution of paths such as `<Ema as Method>::Output`.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident};

use crate::ir::base_name;
use crate::lower::Environment;
use crate::lower::tokens::identifiers;
use crate::lower::types::{text, ungrouped};

/// The associated types of the visible `impl`s, by the names of the implementing type and of the associated type.
#[derive(Clone, Debug, Default)]
pub struct AssociatedTypes(HashMap<(String, String), Vec<AssociatedType>>);

/// An associated type in one `impl`.
#[derive(Clone, Debug)]
struct AssociatedType {
    of_trait: syn::PathSegment,
    /// `None` if it depends on the generic parameters of the `impl`.
    ty: Option<syn::Type>,
}

/// Traits of operators, whose output is a number for numbers.
const OPERATOR_TRAITS: &[&str] = &["Add", "Sub", "Mul", "Div", "Rem", "Neg"];

/// Adds the associated types of the `impl`s among the items to the environment.
pub fn declare_associated_types<'a>(
    env: &mut Environment,
    items: impl Iterator<Item = &'a syn::Item>,
) {
    for item in items {
        if let syn::Item::Impl(i) = item
            && let Some((path, _)) = &i.trait_
            && let Some(of_trait) = path.segments.last()
        {
            let owner = base_name(&text(&i.self_ty)).to_string();
            for inner in &i.items {
                if let syn::ImplItem::Type(t) = inner {
                    let key = (owner.clone(), t.ident.to_string());
                    let given = AssociatedType {
                        of_trait: of_trait.clone(),
                        ty: (!mentions_parameter(&t.ty, &i.generics)).then(|| t.ty.clone()),
                    };
                    env.associated_types.0.entry(key).or_default().push(given);
                }
            }
        }
    }
}

fn mentions_parameter(ty: &syn::Type, generics: &syn::Generics) -> bool {
    let mut names = Vec::new();
    identifiers(&ty.to_token_stream(), &mut names);
    let is_one = |param: &syn::GenericParam| match param {
        syn::GenericParam::Type(t) => names.iter().any(|name| t.ident == name),
        syn::GenericParam::Const(c) => names.iter().any(|name| c.ident == name),
        syn::GenericParam::Lifetime(_) => false,
    };
    generics.params.iter().any(is_one)
}

impl Environment {
    /// The type that the path of an associated type denotes, and the type whose `impl` defines it, if visible `impl`s
    /// agree.
    pub fn associated_type(&self, path: &syn::TypePath) -> Option<(syn::Type, String)> {
        let mut segments = path.path.segments.iter().rev();
        let name = segments.next()?.ident.to_string();
        let (owner, of_trait) = match &path.qself {
            Some(of) => (text(ungrouped(&of.ty)), segments.next()),
            None if path.path.segments.len() == 2 => (segments.next()?.ident.to_string(), None),
            None => return None,
        };
        let owner = match owner.as_str() {
            "Self" => self.self_ty.clone()?,
            _ => owner,
        };
        let is_number =
            matches!(owner.as_str(), "f64" | "f32") || self.float_params.contains(&owner);
        if let (true, "Output", Some(of_trait)) = (is_number, name.as_str(), of_trait)
            && OPERATOR_TRAITS
                .iter()
                .any(|operator| of_trait.ident == operator)
        {
            return Some((syn::parse_str(&owner).ok()?, owner));
        }
        let given = self
            .associated_types
            .0
            .get(&(base_name(&owner).to_string(), name))?;
        let is_of = |g: &&AssociatedType| of_trait.is_none_or(|of| of.ident == g.of_trait.ident);
        let of: Vec<&AssociatedType> = given.iter().filter(is_of).collect();
        let exact: Vec<&AssociatedType> = match of_trait {
            Some(path) => of
                .iter()
                .copied()
                .filter(|g| text(&g.of_trait) == text(path))
                .collect(),
            None => Vec::new(),
        };
        let of = if exact.is_empty() { of } else { exact };
        let ty = of.first()?.ty.clone()?;
        let is_same =
            |g: &&AssociatedType| g.ty.as_ref().is_some_and(|other| text(other) == text(&ty));
        of.iter().all(is_same).then_some((ty, owner))
    }

    /// The types that `Self::Name` denotes in the `impl`s of the type, where these agree.
    pub fn associated_types(&self, owner: &str) -> HashMap<String, TokenStream> {
        let owner = base_name(owner);
        let own = self.associated_types.0.keys().filter(|(of, _)| of == owner);
        let found = own.filter_map(|(_, name)| {
            let (of, named) = (format_ident!("{owner}"), format_ident!("{name}"));
            let (ty, _) = self.associated_type(&syn::parse_quote!(#of::#named))?;
            Some((name.clone(), ty.to_token_stream()))
        });
        found.collect()
    }

    /// The environment in which that type is written.
    pub fn impl_environment(&self, owner: String, name: &syn::TypePath) -> Environment {
        let mut env = self.clone();
        // A type that denotes itself is an error for rustc.
        if let Some(last) = name.path.segments.last() {
            let key = (base_name(&owner).to_string(), last.ident.to_string());
            env.associated_types.0.remove(&key);
        }
        env.self_ty = Some(owner);
        env
    }
}
