//! What may be written: a place as it is, and a copy of what has none, so that nothing is written to what it was copied
//! from (`o.unwrap().put(x)`, `&mut (s, t).0`, `{ r }.a = x`).

use super::strip_parens;
use crate::ir::Place;
use crate::lower::aggregate::tagged::Family;
use crate::lower::value::Value;
use crate::lower::{Lower, Ty, span};

impl Lower {
    /// An expression that may be written: a copy, where it has no place.
    pub fn written(&mut self, e: &syn::Expr) -> Value {
        self.is_written = is_part(e);
        let value = self.expr(e);
        self.unnamed(e, value)
    }

    /// What a part is taken of, which may be written.
    pub fn whole_of(&mut self, e: &syn::Expr) -> Value {
        match std::mem::take(&mut self.is_written) {
            true => self.written(e),
            false => self.expr(e),
        }
    }

    /// What an expression makes that is no place, in variables of its own: what is written there is written nowhere
    /// else.
    pub fn unnamed(&mut self, e: &syn::Expr, value: Value) -> Value {
        match makes_value(e) || is_made(e) {
            true => self.apart_from_others(e, value),
            false => value,
        }
    }

    /// What such an expression gives, in places that nobody else sees.
    fn apart_from_others(&mut self, e: &syn::Expr, value: Value) -> Value {
        let (makes, span) = (makes_value(e), span::of(e));
        match value {
            Value::Choice(c) if c.by_ref.is_none() => {
                // What is known of it may change.
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

    /// Whether what a call gives is in a place that others see: not if it was made for it, or moved out of there.
    fn is_others(&self, place: &Place, e: &syn::Expr) -> bool {
        let moved = matches!(self.shallow(&place.ty), Ty::Vec(_) | Ty::Boxed(_));
        !self.is_fresh(place) && (!moved || clones(e))
    }
}

/// Whether the expression is a part of another.
fn is_part(e: &syn::Expr) -> bool {
    is_part_of(e, |_| true)
}

/// Whether the expression is a block, a tuple or `Some(..)`: copies of what it names.
pub fn makes_value(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::Block(_) | syn::Expr::Tuple(_) => true,
        syn::Expr::Call(c) => matches!(strip_parens(&c.func), syn::Expr::Path(p)
            if p.path.segments.last().is_some_and(|s| Family::of_variant(&s.ident.to_string()).is_some())),
        _ => false,
    }
}

/// Whether the expression is a part of one that is such.
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

/// Whether a method on the way copies what it is called on.
fn clones(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::MethodCall(m) => {
            let copies = ["clone", "cloned", "copied", "to_owned"];
            copies.iter().any(|name| m.method == name) || clones(&m.receiver)
        }
        _ => false,
    }
}
