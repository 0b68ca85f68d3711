//! Scrutinees: a pattern matches the place itself; an rvalue is first stored in a temporary.

use proc_macro2::Span;

use crate::ir::{Expr, Place};
use crate::lower::aggregate::split_enum::SplitEnum;
use crate::lower::expr::strip_parens;
use crate::lower::value::Value;
use crate::lower::{Lower, span};

impl Lower {
    /// The scrutinee `e` for patterns that may bind a part of it as `&mut`: its place if it has one, else a temporary.
    pub fn lower_scrutinee<'p>(
        &mut self,
        mut pats: impl Iterator<Item = &'p syn::Pat>,
        e: &syn::Expr,
        value: Value,
    ) -> Value {
        let span = span::of_expr(e);
        let lent = match strip_parens(e) {
            syn::Expr::Reference(r) => Some(r.mutability.is_some()),
            _ => None,
        };
        let value = match (value, lent) {
            (Value::RefToAggregate(of, mutable), _) => {
                let placed = match mutable {
                    true => *of,
                    false => self.place_scrutinee(*of, span),
                };
                return self.ref_to(placed, mutable, span);
            }
            (Value::Tuple(parts), Some(true)) => self.ref_to(Value::Tuple(parts), true, span),
            (Value::Tuple(parts), Some(false)) => {
                let placed = self.place_scrutinee(Value::Tuple(parts), span);
                return self.ref_to(placed, false, span);
            }
            (value, _) if !pats.any(binds_mut) => return self.place_scrutinee(value, span),
            (value, _) => self.materialize_rvalue(e, value),
        };
        match value {
            value @ (Value::Place(_) | Value::Tuple(_) | Value::RefStruct(..)) => value,
            value => self.place_scrutinee(value, span),
        }
    }

    /// The scrutinee for patterns that don't write it: it has a place, so it can be tested several times.
    pub fn place_scrutinee(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Expr(e, ty) => {
                let place: Place = self.temp(span, "on", e, ty);
                Value::Place(place)
            }
            Value::Tuple(_) | Value::RefStruct(..) => {
                value.map_parts(|p| self.place_scrutinee(p, span))
            }
            Value::Place(p) if self.shallow(&p.ty).is_scalar() => {
                let ty = p.ty.clone();
                Value::Place(self.temp(span, "on", Expr::Read(p), ty))
            }
            Value::SplitEnum(c) if !is_in_variables(&c) => {
                Value::SplitEnum(Box::new(self.owned_split_enum("on", *c, false, span)))
            }
            other => other,
        }
    }
}

/// Whether the pattern binds a part by `ref mut`.
pub fn binds_mut(pat: &syn::Pat) -> bool {
    struct Find(bool);
    impl<'ast> syn::visit::Visit<'ast> for Find {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0 |= p.by_ref.is_some() && p.mutability.is_some();
            syn::visit::visit_pat_ident(self, p);
        }
    }
    let mut find = Find(false);
    syn::visit::Visit::visit_pat(&mut find, pat);
    find.0
}

/// Whether tag and payloads are in variables, or are known.
pub fn is_in_variables(c: &SplitEnum) -> bool {
    let tag = match &c.tag {
        Expr::Lit(..) => true,
        Expr::Read(p) => p.is_whole(),
        _ => false,
    };
    tag && has_place(&c.payload) && has_place(&c.err_payload)
}

/// Whether the value, or each part of it, has a place or doesn't exist.
fn has_place(value: &Value) -> bool {
    match value {
        Value::Tuple(parts) | Value::RefStruct(_, parts) => parts.iter().all(has_place),
        Value::RefToAggregate(of, _) => has_place(of),
        Value::SplitEnum(c) => is_in_variables(c),
        Value::Place(_) | Value::PlaceRef(..) | Value::Unit | Value::Uninit(_) => true,
        _ => false,
    }
}
