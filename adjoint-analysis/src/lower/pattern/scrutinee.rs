//! Scrutinees: a pattern matches the place itself; an rvalue is first stored in a temporary.

use proc_macro2::Span;

use crate::ir::{Expr, Place};
use crate::lower::aggregate::tagged::Choice;
use crate::lower::expr::strip_parens;
use crate::lower::value::Value;
use crate::lower::{Lower, span};

impl Lower {
    /// The scrutinee `e` for patterns that may bind a part of it as `&mut`: its place if it has one, else a temporary.
    pub fn looked_into<'p>(
        &mut self,
        mut pats: impl Iterator<Item = &'p syn::Pat>,
        e: &syn::Expr,
        value: Value,
    ) -> Value {
        let span = span::of(e);
        let lent = match strip_parens(e) {
            syn::Expr::Reference(r) => Some(r.mutability.is_some()),
            _ => None,
        };
        let value = match (value, lent) {
            (Value::Lent(of, mutable), _) => {
                let placed = match mutable {
                    true => *of,
                    false => self.scrutinee(*of, span),
                };
                return self.referred(placed, mutable, span);
            }
            (Value::Tuple(parts), Some(true)) => self.referred(Value::Tuple(parts), true, span),
            (Value::Tuple(parts), Some(false)) => {
                let placed = self.scrutinee(Value::Tuple(parts), span);
                return self.referred(placed, false, span);
            }
            (value, _) if !pats.any(binds_mut) => return self.scrutinee(value, span),
            (value, _) => self.unnamed(e, value),
        };
        match value {
            value @ (Value::Place(_) | Value::Tuple(_) | Value::Record(..)) => value,
            value => self.scrutinee(value, span),
        }
    }

    /// The scrutinee for patterns that don't write it: it has a place, so it can be tested several times.
    pub fn scrutinee(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Expr(e, ty) => {
                let place: Place = self.temp(span, "on", e, ty);
                Value::Place(place)
            }
            Value::Tuple(_) | Value::Record(..) => value.map(|p| self.scrutinee(p, span)),
            Value::Place(p) if self.shallow(&p.ty).is_scalar() => {
                let ty = p.ty.clone();
                Value::Place(self.temp(span, "on", Expr::Read(p), ty))
            }
            Value::Choice(c) if !is_settled(&c) => {
                Value::Choice(Box::new(self.own_choice("on", *c, false, span)))
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
pub fn is_settled(c: &Choice) -> bool {
    let tag = match &c.tag {
        Expr::Lit(..) => true,
        Expr::Read(p) => p.is_whole(),
        _ => false,
    };
    tag && is_placed(&c.yes) && is_placed(&c.no)
}

/// Whether the value, or each part of it, has a place or doesn't exist.
fn is_placed(value: &Value) -> bool {
    match value {
        Value::Tuple(parts) | Value::Record(_, parts) => parts.iter().all(is_placed),
        Value::Lent(of, _) => is_placed(of),
        Value::Choice(c) => is_settled(c),
        Value::Place(_) | Value::View(..) | Value::Unit | Value::Absent(_) => true,
        _ => false,
    }
}
