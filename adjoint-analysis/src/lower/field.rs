//! Fields of tuples and structs.

use syn::spanned::Spanned;

use super::value::Value;
use super::{Lower, Place, Ty};
use crate::ir::Proj;
use crate::refuse::Reason;

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
        self.env.fields.get(&(of, name.to_string())).cloned()
    }

    /// The type of a field. One that is not visible is the same each time; this is made use of where it
    /// turns out to be an `Option` or an integer.
    fn field_type(&mut self, field: (String, String)) -> Ty {
        if let Some(ty) = self.env.fields.get(&field) {
            return ty.clone();
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
