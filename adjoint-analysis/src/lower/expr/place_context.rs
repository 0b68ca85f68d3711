//! Mutable place contexts: an lvalue is used in place, and an rvalue is copied to a variable, so that a write does not
//! reach the variable it was read from (`o.unwrap().put(x)`, `&mut (s, t).0`, `{ r }.a = x`).

use super::strip_parens;
use crate::ir::Place;
use crate::lower::aggregate::tagged::Family;
use crate::lower::value::Value;
use crate::lower::{Lower, Ty, span};

impl Lower {
    /// Lowers an expression in a mutable place context; an rvalue is copied to a variable.
    pub fn written(&mut self, e: &syn::Expr) -> Value {
        self.is_written = is_part(e);
        let value = self.expr(e);
        self.unnamed(e, value)
    }

    /// Lowers the base of a field or index expression, in the mutable place context of the latter.
    pub fn whole_of(&mut self, e: &syn::Expr) -> Value {
        match std::mem::take(&mut self.is_written) {
            true => self.written(e),
            false => self.expr(e),
        }
    }

    /// Copies the value of a block, tuple, `Some(..)` or call to variables, so that a write to it changes nothing else.
    pub fn unnamed(&mut self, e: &syn::Expr, value: Value) -> Value {
        match makes_value(e) || is_made(e) {
            true => self.apart_from_others(e, value),
            false => value,
        }
    }

    /// Copies the value to variables, except for parts that are not aliased.
    fn apart_from_others(&mut self, e: &syn::Expr, value: Value) -> Value {
        let (makes, span) = (makes_value(e), span::of(e));
        match value {
            Value::Choice(c) if c.by_ref.is_none() => {
                // The tag may change, so it gets a variable.
                let mutable = !matches!(c.yes, Value::View(..));
                Value::Choice(Box::new(self.own_choice("t", *c, mutable, span)))
            }
            Value::Tuple(_) | Value::Record(..) => {
                value.map(|part| self.apart_from_others(e, part))
            }
            Value::Place(p) if makes || self.is_others(&p, e) => self.pin(Value::Place(p), span),
            Value::View(p, mutable) if makes => self.pin(Value::View(p, mutable), span),
            Value::Expr(e, ty) if makes || self.shallow(&ty).element().is_some() => {
                self.pin(Value::Expr(e, ty), span)
            }
            value => value,
        }
    }

    /// Whether the place that a call returned is aliased: it is neither a fresh temporary nor moved out.
    fn is_others(&self, place: &Place, e: &syn::Expr) -> bool {
        let moved = matches!(self.shallow(&place.ty), Ty::Vec(_) | Ty::Boxed(_));
        !self.is_fresh(place) && (!moved || clones(e))
    }
}

/// Whether the expression is a field or an element.
fn is_part(e: &syn::Expr) -> bool {
    is_part_of(e, |_| true)
}

/// Whether the expression is a block, a tuple or `Some(..)`, which copies what it names.
pub fn makes_value(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::Block(_) | syn::Expr::Tuple(_) => true,
        syn::Expr::Call(c) => matches!(strip_parens(&c.func), syn::Expr::Path(p)
            if p.path.segments.last().is_some_and(|s| Family::of_variant(&s.ident.to_string()).is_some())),
        _ => false,
    }
}

/// Whether a base of the field or index expression satisfies `such`.
pub fn is_part_of(e: &syn::Expr, such: fn(&syn::Expr) -> bool) -> bool {
    match strip_parens(e) {
        syn::Expr::Field(f) => such(&f.base) || is_part_of(&f.base, such),
        syn::Expr::Index(i) => such(&i.expr) || is_part_of(&i.expr, such),
        _ => false,
    }
}

/// Whether the expression is a call.
pub fn is_made(e: &syn::Expr) -> bool {
    matches!(
        strip_parens(e),
        syn::Expr::MethodCall(_) | syn::Expr::Call(_)
    )
}

/// Whether a method in the receiver chain clones its receiver.
fn clones(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::MethodCall(m) => {
            let copies = ["clone", "cloned", "copied", "to_owned"];
            copies.iter().any(|name| m.method == name) || clones(&m.receiver)
        }
        _ => false,
    }
}
