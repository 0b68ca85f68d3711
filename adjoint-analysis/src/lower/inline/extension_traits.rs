//! Trait methods that a module adds to std types, `impl Stats for [f64]`, or to any type,
//! `impl<T: Copy + Mul<Output = T>> Square for T`. Std types can't get adjoint methods, so these methods are inlined.

use std::rc::Rc;

use super::{InlineFn, Owner};
use crate::ir::{FloatTy, IntTy, Ty, base_name};
use crate::lower::std_lib::method::{INTEGER_METHODS, is_number_method, is_std_method};
use crate::lower::types::{text, ungrouped};
use crate::lower::value::Value;
use crate::lower::{Environment, Lower};

/// Methods that only iterators have inherently, so that a trait may add them to sequences.
const ITERATOR_ONLY: &[&str] = &["max", "min", "product", "sum"];

/// Distance between a receiver's type and an `impl`'s, in rustc's order of method lookup.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Exact,
    /// A number whose type is still open, or a slice `impl` for another sequence.
    Near,
    /// An `impl` for a type parameter.
    Blanket,
}

/// Whether the `impl` type is a number, sequence, tuple or type parameter.
pub fn is_std_or_blanket(ty: &syn::Type, generics: &syn::Generics) -> bool {
    match ungrouped(ty) {
        syn::Type::Slice(_) | syn::Type::Array(_) | syn::Type::Tuple(_) => true,
        syn::Type::Path(p) => p.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            let is_number = p.path.get_ident().is_some()
                && (matches!(name.as_str(), "f64" | "f32" | "bool")
                    || IntTy::from_name(&name).is_some());
            is_number || name == "Vec" || is_type_param(p, generics)
        }),
        _ => false,
    }
}

fn is_type_param(path: &syn::TypePath, generics: &syn::Generics) -> bool {
    generics.type_params().any(|t| path.path.is_ident(&t.ident))
}

/// Whether the type has an inherent method of this name, which takes precedence over a trait's.
pub fn has_inherent_method(ty: &Ty, name: &str, env: &Environment) -> bool {
    match ty {
        Ty::Float(_) | Ty::Int(_) | Ty::Bool | Ty::Infer(_) => {
            is_number_method(name) || INTEGER_METHODS.contains(&name)
        }
        Ty::Named(of) => env.signatures.method(of, name).is_some(),
        _ => is_std_method(name) && !ITERATOR_ONLY.contains(&name),
    }
}

impl Lower {
    /// The trait method of this name for values of the type, if it is unambiguous.
    pub(super) fn extension_method(&self, name: &str, ty: &Ty) -> Option<Rc<InlineFn>> {
        let found = self.extension_candidates(name, ty);
        let nearest = found.iter().map(|(distance, _)| *distance).min()?;
        let mut nearest = found
            .into_iter()
            .filter(|(distance, _)| *distance == nearest);
        let (_, template) = nearest.next()?;
        nearest.next().is_none().then_some(template)
    }

    /// Whether a trait has the method both for slices and for the receiver's type. The receiver's type may be one of
    /// these only.
    pub(super) fn is_ambiguous_extension(&mut self, name: &str, receiver: &Value) -> bool {
        let ty = self.value_ty(receiver);
        if !matches!(ty, Ty::Vec(_) | Ty::Array(..)) {
            return false;
        }
        let found = self.extension_candidates(name, &ty);
        let is = |near: bool| found.iter().any(|(d, _)| (*d == Distance::Near) == near);
        is(true) && is(false)
    }

    /// The trait methods of this name for values of the type.
    fn extension_candidates(&self, name: &str, ty: &Ty) -> Vec<(Distance, Rc<InlineFn>)> {
        let named = |t: &&Rc<InlineFn>| t.sig.ident == name && t.sig.receiver().is_some();
        let found = self.env.templates.iter().filter(named).filter_map(|t| {
            let of = t
                .owner
                .as_ref()
                .filter(|of| is_std_or_blanket(&of.ty, &of.generics))?;
            Some((self.distance(&of.ty, of, ty)?, Rc::clone(t)))
        });
        let found: Vec<_> = found.collect();
        match found.is_empty() || has_inherent_method(ty, name, &self.env) {
            true => Vec::new(),
            false => found,
        }
    }

    fn distance(&self, of: &syn::Type, owner: &Owner, ty: &Ty) -> Option<Distance> {
        let inner = |of: &syn::Type, ty: &Ty| self.distance(of, owner, &self.shallow(ty)).is_some();
        let found = match (ungrouped(of), ty) {
            (syn::Type::Slice(s), Ty::Slice(element)) if inner(&s.elem, element) => Distance::Exact,
            (syn::Type::Slice(s), ty) if ty.element().is_some_and(|e| inner(&s.elem, e)) => {
                Distance::Near
            }
            (syn::Type::Array(a), Ty::Array(element, extent)) if inner(&a.elem, element) => {
                let own = text(&a.len);
                let is_open = owner.generics.const_params().any(|c| c.ident == own);
                (is_open || own == *extent).then_some(Distance::Exact)?
            }
            (syn::Type::Tuple(t), Ty::Tuple(parts)) if t.elems.len() == parts.len() => {
                let mut pairs = t.elems.iter().zip(parts);
                pairs
                    .all(|(of, ty)| inner(of, ty))
                    .then_some(Distance::Exact)?
            }
            (syn::Type::Path(p), ty) if is_type_param(p, &owner.generics) => match ty {
                Ty::Infer(_) if !self.infer.is_number(ty) => return None,
                // Only the module's own types show whether they have another method of this name.
                Ty::Named(of) if !self.has_visible_fields(of) => return None,
                _ => Distance::Blanket,
            },
            (syn::Type::Path(p), ty) => self.path_distance(p, owner, ty)?,
            _ => return None,
        };
        Some(found)
    }

    /// Whether the struct or enum has visible fields.
    fn has_visible_fields(&self, name: &str) -> bool {
        let of = base_name(name);
        let is_of = |owner: &String| owner.split("::").next() == Some(of);
        self.env.fields.keys().any(|(owner, _)| is_of(owner))
            || self
                .env
                .generic_fields
                .keys()
                .any(|(owner, _)| is_of(owner))
    }

    fn path_distance(&self, p: &syn::TypePath, owner: &Owner, ty: &Ty) -> Option<Distance> {
        let last = p.path.segments.last()?;
        let name = last.ident.to_string();
        let same = match ty {
            Ty::Float(FloatTy::F32) => name == "f32",
            Ty::Float(FloatTy::F64) => name == "f64",
            Ty::Float(FloatTy::Infer) if name == "f64" => return Some(Distance::Near),
            Ty::Int(int) => IntTy::from_name(&name) == Some(*int),
            Ty::Bool => name == "bool",
            Ty::Named(of) => base_name(of) == name,
            Ty::Vec(element) if name == "Vec" => match &last.arguments {
                syn::PathArguments::AngleBracketed(given) => given.args.iter().any(|a| {
                    matches!(a, syn::GenericArgument::Type(of)
                        if self.distance(of, owner, &self.shallow(element)).is_some())
                }),
                _ => false,
            },
            ty @ Ty::Infer(_) => {
                let is_near = match name.as_str() {
                    "f64" => self.infer.is_number(ty) && !self.infer.is_int(ty),
                    _ => IntTy::from_name(&name).is_some() && self.infer.is_int(ty),
                };
                return is_near.then_some(Distance::Near);
            }
            _ => false,
        };
        same.then_some(Distance::Exact)
    }
}
