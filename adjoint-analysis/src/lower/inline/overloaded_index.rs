//! Visible `Index` and `IntoIterator` `impl`s that are inlined at `v[i]` and `for x in &v`.
//!
//! If `Index` and `IndexMut` are plain ([`crate::lower::items::access_impls`]), an element is also a place of the
//! adjoint. The `impl`s of reference structs, those without an `IndexMut`, and those that select a field are inlined
//! instead.

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::Span;

use super::{Named, Owner, Template};
use crate::ir::{Expr, Ty, base_name};
use crate::lower::items::access_impls::mark;
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
pub fn overloaded(items: &[&syn::Item], env: &Environment) -> Vec<Rc<Template>> {
    let plain = plainly_indexed(items);
    let of_impl = |item: &&syn::Item| {
        let syn::Item::Impl(i) = *item else {
            return None;
        };
        let name = owner_name(&i.self_ty);
        let method = method_of(i)?;
        let is_record = env.records.contains_key(&name);
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
        Some(Rc::new(Template {
            sig,
            body: f.block.clone(),
            owner: Some(Owner {
                ty: (*i.self_ty).clone(),
                generics: i.generics.clone(),
            }),
            is_inner: false,
            in_generics: false,
        }))
    };
    items.iter().filter_map(of_impl).collect()
}

/// Whether the `impl` is of one of these traits.
pub fn is_overloaded(item: &syn::ItemImpl) -> bool {
    method_of(item).is_some()
}

fn method_of(item: &syn::ItemImpl) -> Option<&'static str> {
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
            syn::Item::Impl(i) if method_of(i) == Some(method) => {
                matches!(mark(i), Some(Ok(_))).then(|| owner_name(&i.self_ty))
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
    pub fn overloaded_index(
        &mut self,
        base: &Value,
        index: &(Expr, Ty),
        written: bool,
        span: Span,
    ) -> Option<Value> {
        let name = if written { "index_mut" } else { "index" };
        let template = self.overload_of(name, base, |l, t| {
            let takes = t.sig.inputs.iter().nth(1);
            matches!(takes, Some(syn::FnArg::Typed(arg)) if l.fits(&lower_type(&arg.ty, &l.env).0, &index.1))
        })?;
        let index = Value::Expr(index.0.clone(), index.1.clone());
        let args = vec![base.clone(), index];
        let element = self.write_out(&template, args, Named::NOTHING, span);
        Some(match element {
            Value::View(place, _) => Value::Place(place),
            other => other,
        })
    }

    /// The items of a value with a visible `IntoIterator`.
    pub fn overloaded_items(&mut self, value: &Value, span: Span) -> Option<Rc<Producer>> {
        let by = match value {
            Value::View(_, mutable) | Value::Lent(_, mutable) => Some(*mutable),
            _ => None,
        };
        let template = self.overload_of("into_iter", value, |_, t| {
            let of = t.owner.as_ref().map(|of| ungrouped(&of.ty));
            match (of, by) {
                (Some(syn::Type::Reference(r)), Some(by)) => r.mutability.is_some() == by,
                (Some(of), None) => !matches!(of, syn::Type::Reference(_)),
                _ => false,
            }
        })?;
        let items = self.write_out(&template, vec![value.clone()], Named::NOTHING, span);
        self.producer(items, span)
    }

    /// The inline function of this name for the value's type that fits; for an index, also the only one.
    fn overload_of(
        &mut self,
        name: &str,
        of: &Value,
        fits: impl Fn(&Lower, &Template) -> bool,
    ) -> Option<Rc<Template>> {
        let named = |t: &Template| t.sig.ident == name && t.owner.is_some();
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
        let is_of = |t: &Template| {
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
    fn fits(&self, takes: &Ty, found: &Ty) -> bool {
        match (takes, self.shallow(found)) {
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len(),
            (Ty::Int(_), found) => matches!(found, Ty::Int(_)) || self.infer.is_int(&found),
            (takes, found) => *takes == found,
        }
    }
}
