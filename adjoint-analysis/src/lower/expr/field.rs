//! Fields of tuples and structs.

use syn::spanned::Spanned;

use crate::ir::{Proj, base_name};
use crate::lower::items::attributes::is_conditional;
use crate::lower::iter::Producer;
use crate::lower::types::{expand_alias, lower_type};
use crate::lower::value::Value;
use crate::lower::{Environment, Lower, Place, Ty};
use crate::refuse::Reason;

/// Collects the field types of the structs and variants that the items declare.
pub fn declare_field_types<'a>(env: &mut Environment, items: impl Iterator<Item = &'a syn::Item>) {
    for item in items {
        if let syn::Item::Struct(syn::ItemStruct { ident, .. })
        | syn::Item::Enum(syn::ItemEnum { ident, .. }) = item
        {
            env.remove_shadowed_fields(&ident.to_string());
        }
        match item {
            // The type may be compiled out by `cfg`, and another may have its name.
            syn::Item::Struct(s) if !is_conditional(&s.attrs) => {
                declare_variant_fields(s.ident.to_string(), &s.generics, &s.fields, env);
            }
            syn::Item::Enum(e) if !is_conditional(&e.attrs) && e.generics.params.is_empty() => {
                for variant in &e.variants {
                    let path = format!("{}::{}", e.ident, variant.ident);
                    declare_variant_fields(path, &e.generics, &variant.fields, env);
                }
            }
            _ => {}
        }
    }
}

fn declare_variant_fields(
    of: String,
    generics: &syn::Generics,
    fields: &syn::Fields,
    env: &mut Environment,
) {
    for (i, field) in fields.iter().enumerate() {
        let name = match &field.ident {
            Some(name) => name.to_string(),
            None => i.to_string(),
        };
        let (key, ty) = ((of.clone(), name), &field.ty);
        if generics.params.is_empty() {
            env.fields.insert(key, lower_type(ty, env).0);
        } else {
            let alias = syn::parse_quote!(type Field #generics = #ty;);
            env.generic_fields.insert(key, alias);
        }
    }
}

impl Environment {
    /// Removes the fields of an outer type that a type of this name shadows.
    fn remove_shadowed_fields(&mut self, name: &str) {
        let other = |of: &String| of.split("::").next() != Some(name);
        self.fields.retain(|(of, _), _| other(of));
        self.generic_fields.retain(|(of, _), _| other(of));
    }

    /// The type of a visible field.
    pub fn visible_field_type(&self, of: &str, name: &str) -> Option<Ty> {
        let seen = self.fields.get(&(of.to_string(), name.to_string()));
        seen.cloned().or_else(|| self.generic_field_type(of, name))
    }

    /// The type of a field of a generic struct, with the struct's arguments substituted.
    fn generic_field_type(&self, of: &str, name: &str) -> Option<Ty> {
        let key = (base_name(of).to_string(), name.to_string());
        self.substituted_alias(self.generic_fields.get(&key)?, of)
    }

    /// The type of an alias whose parameters are those of the type `of`, with the arguments of `of` substituted.
    pub fn substituted_alias(&self, alias: &syn::ItemType, of: &str) -> Option<Ty> {
        if !of.contains('<') {
            return None;
        }
        let of: syn::Path = syn::parse_str(of).ok()?;
        let ty = expand_alias(alias, &of.segments.last()?.arguments);
        Some(lower_type(&ty, self).0)
    }
}

impl Lower {
    pub(in crate::lower) fn field(&mut self, f: &syn::ExprField) -> Value {
        let span = f.span();
        self.expect_struct(&f.base);
        let base = self.lower_base(&f.base).strip_ref();
        let name = match &f.member {
            syn::Member::Named(n) => n.to_string(),
            syn::Member::Unnamed(i) => i.index.to_string(),
        };
        if let (Value::Tuple(vs), Ok(i)) = (&base, name.parse::<usize>()) {
            return match vs.get(i) {
                // The component is a number behind a reference, not a reference that a tuple holds.
                Some(Value::PlaceRef(p, true)) if self.infer.is_number(&self.shallow(&p.ty)) => {
                    Value::Place(p.clone())
                }
                Some(v) => v.clone(),
                None => self.refuse(span, Reason::NotAPlace),
            };
        }
        if let Value::RefStruct(of, parts) = &base {
            return of
                .part(parts, &name)
                .unwrap_or_else(|| self.refuse(span, Reason::NotAPlace));
        }
        if let Some(end) = range_endpoint(&base, &name) {
            return end;
        }
        let base = match self.table_field(base, &name, span) {
            Ok(scalar) => return scalar,
            Err(base) => self.place_of(base, span),
        };
        let base = self.deref_boxes(&base);
        let ty = self.type_of_field(&base, &name);
        Value::Place(base.project(Proj::Field(name), ty))
    }

    /// The type of a field of a place, as far as the place's type determines it.
    pub(in crate::lower) fn type_of_field(&mut self, base: &Place, name: &str) -> Ty {
        match (self.shallow(&base.ty), name.parse::<usize>()) {
            (Ty::Tuple(ts), Ok(i)) if i < ts.len() => ts[i].clone(),
            (Ty::Named(of), _) => self.named_field_type((of, name.to_string())),
            _ => self.infer.fresh_external(),
        }
    }

    /// The type of a visible field, by the path of a struct or variant pattern.
    pub(in crate::lower) fn pattern_field_type(&self, path: &str, name: &str) -> Option<Ty> {
        let of = match (path.strip_prefix("Self"), &self.env.self_ty) {
            (Some(variant), Some(own)) => format!("{own}{variant}"),
            _ => path.to_string(),
        };
        self.env.visible_field_type(&of, name)
    }

    /// The type of a field. Each use of a field that is not visible gets a fresh type; all of them are unified at the
    /// end if one is an `Option` or an integer.
    fn named_field_type(&mut self, field: (String, String)) -> Ty {
        if let Some(ty) = self.env.visible_field_type(&field.0, &field.1) {
            return ty;
        }
        let seen = self.field_uses.get(&field).into_iter().flatten();
        let option = |ty: &&Ty| matches!(self.shallow(ty), Ty::Option(_));
        if let Some(ty) = seen.clone().find(option) {
            return ty.clone();
        }
        let ty = self.infer.fresh_external();
        self.field_uses.entry(field).or_default().push(ty.clone());
        ty
    }

    /// Unifies the types of all uses of a field with the one that is known.
    pub(in crate::lower) fn unify_field_uses(&mut self) {
        for types in std::mem::take(&mut self.field_uses).into_values() {
            let option = |ty: &&Ty| matches!(self.shallow(ty), Ty::Option(_));
            let known = types.iter().find(option);
            let known = known.or_else(|| types.iter().find(|ty| self.infer.is_int(ty)));
            let Some(known) = known.cloned() else {
                continue;
            };
            for ty in &types {
                if matches!(self.shallow(ty), Ty::Infer(_) | Ty::Option(_)) {
                    self.unify(ty, &known);
                }
            }
        }
    }
}

/// `range.start`, `range.end`
pub fn range_endpoint(base: &Value, name: &str) -> Option<Value> {
    let Value::Iter(producer) = base else {
        return None;
    };
    let Producer::Range(bounds) = &**producer else {
        return None;
    };
    let end = match name {
        "start" => bounds.lo.clone(),
        "end" => bounds.hi.clone()?,
        _ => return None,
    };
    Some(Value::Expr(end, bounds.ty.clone()))
}
