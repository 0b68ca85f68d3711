//! Visible `Index` and `IntoIterator` `impl`s that are inlined at `v[i]` and `for x in &v`.
//!
//! If `Index` and `IndexMut` are plain ([`crate::lower::items::access_impls`]), an element is also a place of the
//! adjoint. The `impl`s of reference structs, those without an `IndexMut`, and those that select a field are inlined
//! instead.

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::Span;

use super::{CallPath, InlineFn, Owner};
use crate::ir::{Expr, Ty, base_name};
use crate::lower::items::access_impls::marker_impl;
use crate::lower::items::attributes::is_conditional;
use crate::lower::iter::Producer;
use crate::lower::types::{lower_type, text, ungrouped};
use crate::lower::value::Value;
use crate::lower::{Environment, Lower};

/// The traits with their methods.
const METHODS: &[(&str, &str)] = &[
    ("Index", "index"),
    ("IndexMut", "index_mut"),
    ("IntoIterator", "into_iter"),
];

/// The inline functions of such `impl`s among the items.
pub fn access_inline_fns(items: &[&syn::Item], env: &Environment) -> Vec<Rc<InlineFn>> {
    let plain = plainly_indexed(items);
    let of_impl = |item: &&syn::Item| {
        let syn::Item::Impl(i) = *item else {
            return None;
        };
        let name = owner_name(&i.self_ty);
        let method = access_method(i)?;
        let is_record = env.reference_structs.contains_key(&name);
        let is_plain = method != "into_iter" && plain.contains(&name) && !is_record;
        let is_own = env.has_type(&name) && !is_conditional(&i.attrs);
        if is_plain || !is_own {
            return None;
        }
        let f = i.items.iter().find_map(|inner| match inner {
            syn::ImplItem::Fn(f) if f.sig.ident == method => Some(f),
            _ => None,
        })?;
        let mut sig = f.sig.clone();
        if method == "into_iter" {
            sig.output = syn::ReturnType::Default;
        }
        Some(Rc::new(InlineFn {
            sig,
            body: f.block.clone(),
            owner: Some(Owner {
                ty: (*i.self_ty).clone(),
                generics: i.generics.clone(),
            }),
            is_nested: false,
            only_in_generic: false,
        }))
    };
    items.iter().filter_map(of_impl).collect()
}

/// Whether the `impl` is of one of these traits.
pub fn is_access_impl(item: &syn::ItemImpl) -> bool {
    access_method(item).is_some()
}

fn access_method(item: &syn::ItemImpl) -> Option<&'static str> {
    let (path, _) = item.trait_.as_ref()?;
    let name = &path.segments.last()?.ident;
    let found = METHODS.iter().find(|(of, _)| name == of)?;
    Some(found.1)
}

/// The name of the `impl` type, without references.
fn owner_name(ty: &syn::Type) -> String {
    match ungrouped(ty) {
        syn::Type::Reference(r) => owner_name(&r.elem),
        ty => base_name(&text(ty)).to_string(),
    }
}

/// The types whose `Index` and `IndexMut` are both plain.
fn plainly_indexed(items: &[&syn::Item]) -> HashSet<String> {
    let of = |method: &str| -> HashSet<String> {
        let plain = items.iter().filter_map(|item| match item {
            syn::Item::Impl(i) if access_method(i) == Some(method) => {
                matches!(marker_impl(i), Some(Ok(_))).then(|| owner_name(&i.self_ty))
            }
            _ => None,
        });
        plain.collect()
    };
    of("index")
        .intersection(&of("index_mut"))
        .cloned()
        .collect()
}

impl Lower {
    /// Inlines `base[index]`, if there is an inline function for it.
    pub fn inline_index(
        &mut self,
        base: &Value,
        index: &(Expr, Ty),
        written: bool,
        span: Span,
    ) -> Option<Value> {
        let name = if written { "index_mut" } else { "index" };
        let template = self.find_access_method(name, base, |l, t| {
            let takes = t.sig.inputs.iter().nth(1);
            matches!(takes, Some(syn::FnArg::Typed(arg)) if l.index_type_fits(&lower_type(&arg.ty, &l.env).0, &index.1))
        })?;
        let index = Value::Expr(index.0.clone(), index.1.clone());
        let args = vec![base.clone(), index];
        let element = self.inline_call(&template, args, CallPath::EMPTY, span);
        Some(match element {
            Value::PlaceRef(place, _) => Value::Place(place),
            other => other,
        })
    }

    /// The items of a value with a visible `IntoIterator`.
    pub fn inline_into_iter(&mut self, value: &Value, span: Span) -> Option<Rc<Producer>> {
        let by = match value {
            Value::PlaceRef(_, mutable) | Value::RefToAggregate(_, mutable) => Some(*mutable),
            _ => None,
        };
        let template = self.find_access_method("into_iter", value, |_, t| {
            let of = t.owner.as_ref().map(|of| ungrouped(&of.ty));
            match (of, by) {
                (Some(syn::Type::Reference(r)), Some(by)) => r.mutability.is_some() == by,
                (Some(of), None) => !matches!(of, syn::Type::Reference(_)),
                _ => false,
            }
        })?;
        let items = self.inline_call(&template, vec![value.clone()], CallPath::EMPTY, span);
        self.producer(items, span)
    }

    /// The inline function of this name for the value's type that fits; for an index, also the only one.
    fn find_access_method(
        &mut self,
        name: &str,
        of: &Value,
        fits: impl Fn(&Lower, &InlineFn) -> bool,
    ) -> Option<Rc<InlineFn>> {
        let named = |t: &InlineFn| t.sig.ident == name && t.owner.is_some();
        if !self.env.templates.iter().any(|t| named(t)) {
            return None;
        }
        let mut ty = self.value_ty(of);
        while let Ty::Boxed(inner) = ty {
            ty = self.shallow(&inner);
        }
        let Ty::Named(of) = ty else {
            return None;
        };
        let is_of = |t: &InlineFn| {
            let owner = t.owner.as_ref().map(|owner| owner_name(&owner.ty));
            owner.as_deref() == Some(base_name(&of))
        };
        let mut all = self.env.templates.iter().filter(|t| named(t) && is_of(t));
        let found = all.clone().find(|t| fits(self, t));
        match found {
            Some(found) => Some(Rc::clone(found)),
            None if name == "into_iter" => None,
            None => all.next().filter(|_| all.next().is_none()).map(Rc::clone),
        }
    }

    /// Whether an index of type `found` may be passed for a parameter of type `takes`.
    fn index_type_fits(&self, takes: &Ty, found: &Ty) -> bool {
        match (takes, self.shallow(found)) {
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len(),
            (Ty::Int(_), found) => matches!(found, Ty::Int(_)) || self.infer.is_int(&found),
            (takes, found) => *takes == found,
        }
    }
}
