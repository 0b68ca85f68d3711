//! Patterns: they bind names to places or values, and test.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::types::lower_type;
use super::value::{Binding, Value, usize_lit};
use super::{Lower, Origin, StmtKind, Ty};
use crate::ir::{BinOp, Expr, Place, Proj};
use crate::refuse::Reason;

impl Lower {
    /// Binds an irrefutable pattern (or one whose test has succeeded) to the value.
    pub fn bind_pattern(&mut self, pat: &syn::Pat, value: Value) {
        let span = pat.span();
        match pat {
            syn::Pat::Wild(_) | syn::Pat::Rest(_) | syn::Pat::Lit(_) | syn::Pat::Range(_) => {}
            syn::Pat::Paren(p) => self.bind_pattern(&p.pat, value),
            syn::Pat::Type(t) => {
                let (ty, _) = lower_type(&t.ty, &self.env);
                let found = self.value_ty(&value);
                self.unify(&ty, &found);
                self.bind_pattern(&t.pat, value);
            }
            syn::Pat::Ident(p) => self.bind_name(p, value),
            syn::Pat::Reference(r) => {
                let value = match value {
                    Value::View(p, _) => Value::Place(p),
                    other => other,
                };
                self.bind_pattern(&r.pat, value);
            }
            syn::Pat::Tuple(t) => {
                let parts = self.components(value, t.elems.len(), span);
                for (pat, part) in t.elems.iter().zip(parts) {
                    self.bind_pattern(pat, part);
                }
            }
            syn::Pat::Slice(s) => {
                let parts = self.elements(value, s.elems.len(), span);
                for (pat, part) in s.elems.iter().zip(parts) {
                    self.bind_pattern(pat, part);
                }
            }
            _ => {
                self.refuse(span, Reason::Pattern("this pattern".into()));
            }
        }
    }

    fn bind_name(&mut self, p: &syn::PatIdent, value: Value) {
        let name = p.ident.to_string();
        if let Some((at, _)) = &p.subpat {
            self.refuse(at.span(), Reason::Pattern("`name @ pattern`".into()));
        }
        let binding = match (value, p.by_ref.is_some()) {
            (Value::Place(place), true) => {
                let place = self.settle(place, p.ident.span());
                Binding::Value(Value::View(place, p.mutability.is_some()))
            }
            (value, _) => self.own(&name, value, p.ident.span()),
        };
        self.bind(&name, binding);
    }

    /// A binding that owns the value: a variable for what is not a reference.
    pub fn own(&mut self, name: &str, value: Value, span: Span) -> Binding {
        match value {
            Value::Tuple(parts) => {
                let parts = parts.into_iter().enumerate();
                let own = parts.map(|(i, v)| match self.own(&format!("{name}_{i}"), v, span) {
                    Binding::Var(v) => Value::Place(self.func.place(v)),
                    Binding::Value(v) => v,
                });
                Binding::Value(Value::Tuple(own.collect()))
            }
            Value::Place(place) if self.is_fresh(&place) => {
                self.func.rename(place.root, name);
                Binding::Var(place.root)
            }
            Value::Expr(..) | Value::Place(_) => {
                let (e, ty) = self.read(value, span);
                let var = self.new_var(name, ty, Origin::Local);
                self.emit(span, StmtKind::Let(var, Some(e)));
                Binding::Var(var)
            }
            other => Binding::Value(self.pin(other, span)),
        }
    }

    /// Whether the place is a temporary that the last statement made: a name can take it over.
    fn is_fresh(&self, place: &Place) -> bool {
        let made = match self.out.last() {
            Some(super::Raw::Stmt(stmt)) => stmt.declared(),
            _ => None,
        };
        place.is_whole()
            && made == Some(place.root)
            && self.func.var(place.root).origin == Origin::Temp
    }

    /// The components of a tuple value.
    pub fn components(&mut self, value: Value, n: usize, span: Span) -> Vec<Value> {
        match value {
            Value::Tuple(parts) if parts.len() == n => parts,
            Value::Expr(Expr::Aggregate(parts, Ty::Tuple(tys)), _) if parts.len() == n => {
                parts.into_iter().zip(tys).map(|(e, ty)| Value::Expr(e, ty)).collect()
            }
            Value::Tuple(_) | Value::Unit | Value::Closure(_) | Value::Iter(_) => {
                self.refuse(span, Reason::Pattern("a pattern of another shape than its value".into()));
                Vec::new()
            }
            Value::Never => vec![Value::Never; n],
            value => {
                let by_ref = reference(&value);
                let place = self.place_of(value, span);
                let tys = match self.shallow(&place.ty) {
                    Ty::Tuple(tys) if tys.len() == n => tys,
                    _ => {
                        let tys: Vec<Ty> = (0..n).map(|_| self.fresh()).collect();
                        self.unify(&place.ty, &Ty::Tuple(tys.clone()));
                        tys
                    }
                };
                let field = |(i, ty): (usize, Ty)| {
                    let part = place.project(Proj::Field(i.to_string()), ty);
                    match by_ref {
                        Some(mutable) => Value::View(part, mutable),
                        None => Value::Place(part),
                    }
                };
                tys.into_iter().enumerate().map(field).collect()
            }
        }
    }

    /// The first `n` elements of an array or slice value.
    pub fn elements(&mut self, value: Value, n: usize, span: Span) -> Vec<Value> {
        if let Value::Expr(Expr::Aggregate(parts, Ty::Array(ty, _)), _) = &value {
            if parts.len() == n {
                return parts.iter().map(|e| Value::Expr(e.clone(), (**ty).clone())).collect();
            }
        }
        let by_ref = reference(&value);
        let place = self.place_of(value, span);
        (0..n)
            .map(|i| {
                let part = self.element(&place, usize_lit(i), span);
                match by_ref {
                        Some(mutable) => Value::View(part, mutable),
                        None => Value::Place(part),
                    }
            })
            .collect()
    }

    /// The test whether the value matches; `None` if it always does.
    pub fn pattern_test(&mut self, pat: &syn::Pat, value: &Value) -> Option<Expr> {
        let span = pat.span();
        match pat {
            syn::Pat::Wild(_) | syn::Pat::Rest(_) | syn::Pat::Type(_) => None,
            syn::Pat::Ident(p) if p.subpat.is_none() && !is_constant_name(p) => None,
            syn::Pat::Ident(p) if p.subpat.is_none() => {
                let (code, places) = self.capture(quote::quote!(#p));
                let ty = self.value_ty(value);
                self.equals(value, Expr::Code(code, places, ty))
            }
            syn::Pat::Paren(p) => self.pattern_test(&p.pat, value),
            syn::Pat::Reference(r) => self.pattern_test(&r.pat, value),
            syn::Pat::Lit(l) => {
                let e = syn::Expr::Lit(l.clone());
                self.equals_expr(value, &e)
            }
            syn::Pat::Path(p) => self.equals_expr(value, &syn::Expr::Path(p.clone())),
            syn::Pat::Range(r) => self.range_test(r, value),
            syn::Pat::Or(o) => {
                let mut any: Option<Expr> = None;
                for case in &o.cases {
                    let test = self.pattern_test(case, value)?;
                    any = Some(match any {
                        None => test,
                        Some(a) => Expr::Binary(BinOp::Or, Box::new(a), Box::new(test)),
                    });
                }
                any
            }
            syn::Pat::Tuple(t) => {
                let parts = self.components(value.clone(), t.elems.len(), span);
                let tests = t.elems.iter().zip(&parts);
                let tests: Vec<Expr> =
                    tests.filter_map(|(pat, part)| self.pattern_test(pat, part)).collect();
                tests.into_iter().reduce(|a, b| Expr::Binary(BinOp::And, Box::new(a), Box::new(b)))
            }
            _ => {
                self.refuse(span, Reason::Pattern("this pattern".into()));
                None
            }
        }
    }

    fn equals_expr(&mut self, value: &Value, e: &syn::Expr) -> Option<Expr> {
        let expected = self.expr(e);
        let (expected, ty) = self.read(expected, e.span());
        let found = self.value_ty(value);
        self.unify(&ty, &found);
        self.equals(value, expected)
    }

    fn equals(&mut self, value: &Value, expected: Expr) -> Option<Expr> {
        let (found, _) = self.read(value.clone(), Span::call_site());
        Some(Expr::Binary(BinOp::Eq, Box::new(found), Box::new(expected)))
    }

    fn range_test(&mut self, r: &syn::PatRange, value: &Value) -> Option<Expr> {
        let upper = match r.limits {
            syn::RangeLimits::Closed(_) => BinOp::Le,
            syn::RangeLimits::HalfOpen(_) => BinOp::Lt,
        };
        let bounds = [(BinOp::Ge, &r.start), (upper, &r.end)];
        let mut tests = Vec::new();
        for (op, bound) in bounds {
            if let Some(bound) = bound {
                let limit = self.expr(bound);
                let test = self.binary(op, value.clone(), limit, bound.span());
                tests.push(self.read(test, bound.span()).0);
            }
        }
        tests.into_iter().reduce(|a, b| Expr::Binary(BinOp::And, Box::new(a), Box::new(b)))
    }

    /// The place of a value that patterns look into several times.
    pub fn scrutinee(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Expr(e, ty) => {
                let place: Place = self.temp(span, "on", e, ty);
                Value::Place(place)
            }
            Value::Tuple(parts) => {
                Value::Tuple(parts.into_iter().map(|p| self.scrutinee(p, span)).collect())
            }
            Value::Place(p) if self.shallow(&p.ty).is_scalar() => {
                let ty = p.ty.clone();
                Value::Place(self.temp(span, "on", Expr::Read(p), ty))
            }
            other => other,
        }
    }
}

/// A pattern name written in capitals is a constant, by Rust's naming rules.
fn is_constant_name(p: &syn::PatIdent) -> bool {
    let name = p.ident.to_string();
    p.by_ref.is_none() && p.mutability.is_none() && name.chars().all(|c| !c.is_lowercase())
        && name.starts_with(|c: char| c.is_uppercase())
}

/// Whether the value is a reference, and of which kind.
fn reference(value: &Value) -> Option<bool> {
    match value {
        Value::View(_, mutable) => Some(*mutable),
        _ => None,
    }
}
