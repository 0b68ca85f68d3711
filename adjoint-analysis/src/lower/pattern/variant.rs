//! Patterns and constructors of users' structs and enums.
//!
//! A path can't be resolved here, so Rust's naming rules classify it: `Shape::Circle` is a variant, `geometry::Point` a
//! struct, `LIMIT` a constant.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;

use super::{and_test, place_or_ref, ref_mutability};
use crate::ir::{Expr, Proj};
use crate::lower::aggregate::split_enum::{EnumKind, bool_lit, not};
use crate::lower::types::text;
use crate::lower::value::Value;
use crate::lower::{Lower, Ty};
use crate::refuse::Reason;

impl Lower {
    /// The test of a pattern that is `None`, a constant, or a variant without fields.
    pub fn constant_test(
        &mut self,
        path: &impl ToTokens,
        value: &Value,
        span: Span,
    ) -> Option<Expr> {
        let name = text(path).replace(' ', "");
        if std_variant(&name) == Some("None") {
            let c = self.split_enum(value.clone(), EnumKind::Option, span);
            return Some(not(c.tag));
        }
        let ty = self.value_ty(value);
        if ty.is_scalar() || self.infer.is_int(&ty) {
            let (code, places) = self.capture(quote::quote!(#path));
            return self.equals(value, Expr::Code(code, places, ty));
        }
        let place = self.place_of(value.clone(), span);
        let tokens = quote::quote!(::core::matches!(__place_0, #path));
        let code = self.add_code(tokens, vec![crate::mir::code::CaptureMode::Value]);
        Some(Expr::Code(code, vec![place], Ty::Bool))
    }

    /// The test of `Path(..)` or `Path { .. }`.
    pub fn variant_test(&mut self, pat: &syn::Pat, value: &Value, span: Span) -> Option<Expr> {
        let path = pattern_path(pat)?;
        let own = match std_variant(&path) {
            Some(name) => {
                let c = self.split_enum(value.clone(), EnumKind::of_variant(name)?, span);
                let test = if matches!(name, "Some" | "Ok") {
                    c.tag
                } else {
                    not(c.tag)
                };
                (test != bool_lit(true)).then_some(test)
            }
            None if matches!(value, Value::RefStruct(..) | Value::RefToAggregate(..)) => None,
            None => {
                let place = self.place_of(value.clone(), span);
                Some(Expr::Is(self.deref_boxes(&place), path))
            }
        };
        let outer = std::mem::replace(&mut self.pattern_tested, true);
        let parts = self.variant_parts(pat, value.clone(), span);
        self.pattern_tested = outer;
        let inner = parts
            .iter()
            .filter_map(|(pat, part)| self.pattern_test(pat, part));
        let inner: Vec<Expr> = inner.collect();
        own.into_iter().chain(inner).reduce(and_test)
    }

    /// Pairs the subpatterns of `Path(..)` or `Path { .. }` with the fields that they match.
    pub fn variant_parts<'p>(
        &mut self,
        pat: &'p syn::Pat,
        value: Value,
        span: Span,
    ) -> Vec<(&'p syn::Pat, Value)> {
        let Some(path) = pattern_path(pat) else {
            return Vec::new();
        };
        if let (Some(name), syn::Pat::TupleStruct(t)) = (std_variant(&path), pat) {
            let Some(family) = EnumKind::of_variant(name) else {
                return Vec::new();
            };
            let c = self.split_enum(value, family, span);
            let payload = if name == "Err" {
                c.err_payload
            } else {
                c.payload
            };
            return t
                .elems
                .iter()
                .take(1)
                .map(|pat| (pat, payload.clone()))
                .collect();
        }
        let lent = match &value {
            Value::RefToAggregate(_, mutable) => Some(*mutable),
            _ => None,
        };
        if let Value::RefStruct(of, held) = value.clone().strip_ref() {
            let mut parts = Vec::new();
            for (field, pat) in self.field_patterns(pat, span) {
                let part = of.part(&held, &field).unwrap_or(Value::Diverges);
                let part = match lent {
                    Some(mutable) => self.ref_to(part, mutable, span),
                    None => part,
                };
                parts.push((pat, part));
            }
            return parts;
        }
        let by_ref = ref_mutability(&value);
        let place = self.place_of(value, span);
        let place = self.deref_boxes(&place);
        let is_struct = !self.pattern_tested && !is_variant_path(&path);
        let mut parts = Vec::new();
        for (field, pat) in self.field_patterns(pat, span) {
            let ty = match self.pattern_field_type(&path, &field) {
                Some(ty) => ty,
                None if is_struct => self.type_of_field(&place, &field),
                None => self.infer.fresh_external(),
            };
            let step = match is_struct {
                true => Proj::Field(field),
                false => Proj::Variant(path.clone(), field),
            };
            parts.push((pat, place_or_ref(place.project(step, ty), by_ref)));
        }
        parts
    }

    /// The fields that a pattern matches by name or position, with their subpatterns.
    fn field_patterns<'p>(&mut self, pat: &'p syn::Pat, span: Span) -> Vec<(String, &'p syn::Pat)> {
        match pat {
            syn::Pat::Struct(s) => {
                let field = |f: &'p syn::FieldPat| (member_name(&f.member), &*f.pat);
                s.fields.iter().map(field).collect()
            }
            syn::Pat::TupleStruct(t) => {
                let rest = t.elems.iter().position(|p| matches!(p, syn::Pat::Rest(_)));
                if rest.is_some_and(|at| at + 1 < t.elems.len()) {
                    let what = "a field behind `..`, whose number is not known here,";
                    self.refuse(span, Reason::Pattern(what.into()));
                }
                let fields = t
                    .elems
                    .iter()
                    .take(rest.unwrap_or(t.elems.len()))
                    .enumerate();
                fields.map(|(i, pat)| (i.to_string(), pat)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Lowers the constructor `Path(a, b)`; `None` if the path is no struct or variant.
    pub fn lower_constructor(
        &mut self,
        path: &syn::Path,
        args: &[Value],
        span: Span,
    ) -> Option<Value> {
        let name = text(path).replace(' ', "");
        if let (Some(name), [value]) = (std_variant(&name), args) {
            return Some(self.variant_value(name, value.clone()));
        }
        let last = path.segments.last()?.ident.to_string();
        let is_function =
            path.get_ident().is_some() && self.env.signatures.function(&last).is_some();
        if is_function || !last.starts_with(|c: char| c.is_uppercase()) {
            return None;
        }
        let args = args.iter().cloned().enumerate();
        let held = args.clone().map(|(i, value)| (i.to_string(), value));
        if let Some(record) = self.build_ref_struct(&name, held.collect(), None, &span) {
            return Some(record);
        }
        let fields: Vec<_> = args
            .map(|(i, value)| (i.to_string(), self.field_expr(value, span)))
            .collect();
        let ty = match enum_of_variant(&name) {
            Some(owner) => self.type_of_literal(owner, &fields),
            None if self.is_visible_type(&name) => Ty::Named(name.clone()),
            None if has_arguments(path) => Ty::Named(type_name(path)),
            None => {
                let told = self.struct_literal_type(&name, &fields);
                told.unwrap_or_else(|| {
                    let ty = self.fresh_ty();
                    self.user_types.constructed.push((ty.clone(), name.clone()));
                    ty
                })
            }
        };
        Some(Value::Expr(Expr::Variant(name, fields, ty.clone()), ty))
    }

    /// Lowers `None`, or a variant without fields, as an expression; `None` for other paths.
    pub fn unit_variant(&mut self, path: &syn::Path) -> Option<Value> {
        let name = text(path).replace(' ', "");
        if std_variant(&name) == Some("None") {
            return Some(self.variant_value("None", Value::Unit));
        }
        let last = path.segments.last()?.ident.to_string();
        let is_variant = last.starts_with(|c: char| c.is_uppercase())
            && last.contains(|c: char| c.is_lowercase());
        // A path of one segment may be a constant.
        let owner = enum_of_variant(&name).filter(|_| is_variant)?;
        let ty = self.type_of_literal(owner, &[]);
        Some(Value::Expr(Expr::Variant(name, Vec::new(), ty.clone()), ty))
    }

    fn field_expr(&mut self, value: Value, span: Span) -> Expr {
        if let Some(text) = self.param_text(&value) {
            return text;
        }
        if let Value::PlaceRef(..) = value {
            let what = "a struct or variant that holds a reference";
            self.refuse(span, Reason::Reference(what.into()));
        }
        // A literal has the type of the field, which may be visible only to rustc.
        let ty = self.value_ty(&value);
        self.infer.mark_external(&ty);
        self.read(value, span).0
    }

    /// Whether the declaration of the struct or enum is visible and has no generics.
    fn is_visible_type(&self, name: &str) -> bool {
        let is_of = |of: &str| match of.strip_prefix(name) {
            Some(variant) => variant.is_empty() || variant.starts_with("::"),
            None => false,
        };
        self.env.fields.keys().any(|(of, _)| is_of(of)) || self.may_be_object(name)
    }

    /// The type of a struct or variant literal: known at once if its declaration is visible or its fields determine its
    /// arguments.
    pub fn type_of_literal(&mut self, name: String, fields: &[(String, Expr)]) -> Ty {
        if let ("Self", Some(own)) = (name.as_str(), &self.env.self_ty) {
            return Ty::Named(own.clone());
        }
        if self.is_visible_type(&name) {
            return Ty::Named(name);
        }
        if let Some(ty) = self.struct_literal_type(&name, fields) {
            return ty;
        }
        let ty = self.fresh_ty();
        self.constructed_types.push((ty.clone(), name));
        ty
    }

    /// `Path { a: x, b }`, `Path { a: x, ..base }`
    pub fn struct_literal(&mut self, s: &syn::ExprStruct, expected: Option<&Ty>) -> Value {
        let span = s.path.span();
        let name = text(&s.path).replace(' ', "");
        let mut fields = s.fields.iter();
        let values = s.fields.iter().map(|f| &f.expr).chain(s.rest.as_deref());
        let mut values = self.operands_with(values, &mut |l, e| {
            let field = fields.next().map(|f| member_name(&f.member));
            if let Some(field) = &field
                && let Some(function) = l.fn_for_field(&name, field, e)
            {
                return function;
            }
            let taken = field.and_then(|field| l.expected_field_type(&s.path, &field, expected));
            l.lower_coerced(e, taken)
        });
        if values.iter().any(|v| matches!(v, Value::Diverges)) {
            return Value::Diverges;
        }
        let base = s.rest.as_ref().and_then(|_| values.pop());
        let held = s.fields.iter().zip(values.iter().cloned());
        let held = held
            .map(|(f, value)| (member_name(&f.member), value))
            .collect();
        if let Some(record) = self.build_ref_struct(&name, held, base.clone(), &s.path) {
            return record;
        }
        let named: Vec<(String, Expr)> = s
            .fields
            .iter()
            .zip(values)
            .map(|(f, value)| {
                (
                    member_name(&f.member),
                    self.field_expr(value, f.expr.span()),
                )
            })
            .collect();
        let owner = enum_of_variant(&name).unwrap_or_else(|| type_name(&s.path));
        let ty = self.type_of_literal(owner, &named);
        let Some(base) = base else {
            return Value::Expr(Expr::Variant(name, named, ty.clone()), ty);
        };
        // Functional update: a copy of the base, with the named fields replaced.
        let (whole, base_ty) = self.read(base, span);
        self.unify(&base_ty, &ty);
        let place = self.temp(span, "updated", whole, ty);
        for (field, e) in named {
            let ty = e.ty(&self.draft.func);
            let target = place.project(Proj::Field(field), ty);
            self.emit(span, crate::lower::StmtKind::Assign(target, e));
        }
        Value::Place(place)
    }
}

/// The standard library's variant that the path names.
pub fn std_variant(path: &str) -> Option<&'static str> {
    let (owner, last) = path.rsplit_once("::").unwrap_or(("", path));
    let owner = owner.rsplit("::").next().unwrap_or_default();
    let owner = owner.split('<').next().unwrap_or_default();
    ["Some", "None", "Ok", "Err"].into_iter().find(|name| {
        let families = if matches!(*name, "Some" | "None") {
            "Option"
        } else {
            "Result"
        };
        *name == last && (owner.is_empty() || owner == families)
    })
}

/// The path of `Path(..)` or `Path { .. }`.
pub fn pattern_path(pat: &syn::Pat) -> Option<String> {
    let path = match pat {
        syn::Pat::TupleStruct(t) => &t.path,
        syn::Pat::Struct(s) => &s.path,
        _ => return None,
    };
    Some(text(path).replace(' ', ""))
}

/// Whether the last segment of a path has generic arguments.
fn has_arguments(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|s| !s.arguments.is_none())
}

/// Converts a struct's path from expression to type syntax: `M::<2>` becomes `M<2>`.
pub fn type_name(path: &syn::Path) -> String {
    match has_arguments(path) {
        true => text(path).replace(":: <", "<"),
        false => text(path).replace(' ', ""),
    }
}

/// The enum of a variant's path.
fn enum_of_variant(path: &str) -> Option<String> {
    let path = strip_generic_args(path);
    let (owner, _) = path.rsplit_once("::")?;
    is_variant_path(&path).then(|| owner.to_string())
}

/// Whether the path names a variant: its last segment but one is capitalised, as an enum's name is.
fn is_variant_path(path: &str) -> bool {
    let path = strip_generic_args(path);
    let Some((owner, _)) = path.rsplit_once("::") else {
        return false;
    };
    let owner = owner.rsplit("::").next().unwrap_or(owner);
    owner.starts_with(|c: char| c.is_uppercase())
}

/// Strips generic arguments: `A::<T>::B` becomes `A::B`.
fn strip_generic_args(path: &str) -> String {
    let mut depth = 0;
    let path = path.replace("::<", "<");
    let kept = path.chars().filter(|c| {
        depth += usize::from(*c == '<');
        let outside = depth == 0;
        depth = depth.saturating_sub(usize::from(*c == '>'));
        outside
    });
    kept.collect()
}

fn member_name(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name.to_string(),
        syn::Member::Unnamed(i) => i.index.to_string(),
    }
}
