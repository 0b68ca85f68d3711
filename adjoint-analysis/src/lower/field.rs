//! Fields of tuples and structs.

use syn::spanned::Spanned;

use super::iter::Producer;
use super::types::{aliased, base_name, lower_type};
use super::value::Value;
use super::{Environment, Lower, Place, Ty};
use crate::ir::Proj;
use crate::refuse::Reason;

impl Environment {
    /// The type of a field that is seen.
    pub fn field(&self, of: &str, name: &str) -> Option<Ty> {
        let seen = self.fields.get(&(of.to_string(), name.to_string()));
        seen.cloned().or_else(|| self.generic_field(of, name))
    }

    /// The same of a generic struct with its arguments.
    fn generic_field(&self, of: &str, name: &str) -> Option<Ty> {
        let key = (base_name(of).to_string(), name.to_string());
        self.with_arguments(self.generic_fields.get(&key)?, of)
    }

    /// What an alias with the parameters of a type stands for, with the arguments that the type has.
    pub fn with_arguments(&self, alias: &syn::ItemType, of: &str) -> Option<Ty> {
        if !of.contains('<') {
            return None;
        }
        let of: syn::Path = syn::parse_str(of).ok()?;
        let ty = aliased(alias, &of.segments.last()?.arguments);
        Some(lower_type(&ty, self).0)
    }
}

impl Lower {
    pub(super) fn field(&mut self, f: &syn::ExprField) -> Value {
        let span = f.span();
        self.want_struct(&f.base);
        let base = self.expr(&f.base);
        let name = match &f.member {
            syn::Member::Named(n) => n.to_string(),
            syn::Member::Unnamed(i) => i.index.to_string(),
        };
        if let (Value::Tuple(vs), Ok(i)) = (&base, name.parse::<usize>()) {
            return match vs.get(i) {
                Some(v) => v.clone(),
                None => self.refuse(span, Reason::NotAPlace),
            };
        }
        if let Some(end) = end_of_range(&base, &name) {
            return end;
        }
        let base = self.place_of(base, span);
        let base = self.unboxed(&base);
        let ty = self.type_of_field(&base, &name);
        Value::Place(base.project(Proj::Field(name), ty))
    }

    /// The type of a field of a value, as far as the value's type tells.
    pub(super) fn type_of_field(&mut self, base: &Place, name: &str) -> Ty {
        match (self.shallow(&base.ty), name.parse::<usize>()) {
            (Ty::Tuple(ts), Ok(i)) if i < ts.len() => ts[i].clone(),
            (Ty::Named(of), _) => self.field_type((of, name.to_string())),
            _ => self.infer.declared_elsewhere(),
        }
    }

    /// The type of a field of a struct or variant that is seen, by the path of a pattern.
    pub(super) fn seen_field(&self, path: &str, name: &str) -> Option<Ty> {
        let of = match (path.strip_prefix("Self"), &self.env.self_ty) {
            (Some(variant), Some(own)) => format!("{own}{variant}"),
            _ => path.to_string(),
        };
        self.env.field(&of, name)
    }

    /// The type of a field. One that is not visible is the same each time; this is made use of where it
    /// turns out to be an `Option` or an integer.
    fn field_type(&mut self, field: (String, String)) -> Ty {
        if let Some(ty) = self.env.field(&field.0, &field.1) {
            return ty;
        }
        let seen = self.fields_seen.get(&field).into_iter().flatten();
        let option = |ty: &&Ty| matches!(self.shallow(ty), Ty::Option(_));
        if let Some(ty) = seen.clone().find(option) {
            return ty.clone();
        }
        let ty = self.infer.declared_elsewhere();
        self.fields_seen.entry(field).or_default().push(ty.clone());
        ty
    }

    /// What one use of a field has told is true of the others.
    pub(super) fn unify_fields(&mut self) {
        for types in std::mem::take(&mut self.fields_seen).into_values() {
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
fn end_of_range(base: &Value, name: &str) -> Option<Value> {
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
