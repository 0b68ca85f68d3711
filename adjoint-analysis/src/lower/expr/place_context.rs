//! Mutable place contexts: an lvalue is used in place, and an rvalue is copied to a variable, so that a write does not
//! reach the variable it was read from (`o.unwrap().put(x)`, `&mut (s, t).0`, `{ r }.a = x`).

use super::strip_parens;
use crate::ir::Place;
use crate::lower::aggregate::split_enum::EnumKind;
use crate::lower::value::Value;
use crate::lower::{Lower, Ty, span};

impl Lower {
    /// Lowers an expression in a mutable place context; an rvalue is copied to a variable.
    pub fn lower_mut_place(&mut self, e: &syn::Expr) -> Value {
        self.in_mutable_place = is_projection(e);
        let value = self.expr(e);
        self.materialize_rvalue(e, value)
    }

    /// Lowers the base of a field or index expression, in the mutable place context of the latter.
    pub fn lower_base(&mut self, e: &syn::Expr) -> Value {
        match std::mem::take(&mut self.in_mutable_place) {
            true => self.lower_mut_place(e),
            false => self.expr(e),
        }
    }

    /// Copies the value of a block, tuple, `Some(..)` or call to variables, so that a write to it changes nothing else.
    pub fn materialize_rvalue(&mut self, e: &syn::Expr, value: Value) -> Value {
        match is_copying_expr(e) || is_call(e) {
            true => self.materialize_aliased(e, value),
            false => value,
        }
    }

    /// Copies the value to variables, except for parts that are not aliased.
    fn materialize_aliased(&mut self, e: &syn::Expr, value: Value) -> Value {
        let (makes, span) = (is_copying_expr(e), span::of_expr(e));
        match value {
            Value::SplitEnum(c) if c.by_ref.is_none() => {
                // The tag may change, so it gets a variable.
                let mutable = !matches!(c.payload, Value::PlaceRef(..));
                Value::SplitEnum(Box::new(self.owned_split_enum("t", *c, mutable, span)))
            }
            Value::Tuple(_) | Value::RefStruct(..) => {
                value.map_parts(|part| self.materialize_aliased(e, part))
            }
            Value::Place(p) if makes || self.is_aliased_result(&p, e) => {
                self.copy_to_temp(Value::Place(p), span)
            }
            Value::PlaceRef(p, mutable) if makes => {
                self.copy_to_temp(Value::PlaceRef(p, mutable), span)
            }
            Value::Expr(e, ty) if makes || self.shallow(&ty).element().is_some() => {
                self.copy_to_temp(Value::Expr(e, ty), span)
            }
            value => value,
        }
    }

    /// Whether the place that a call returned is aliased: it is neither a fresh temporary nor moved out.
    fn is_aliased_result(&self, place: &Place, e: &syn::Expr) -> bool {
        let moved = matches!(self.shallow(&place.ty), Ty::Vec(_) | Ty::Boxed(_));
        !self.is_fresh_temp(place) && (!moved || clones_receiver(e))
    }
}

/// Whether the expression is a field or an element.
fn is_projection(e: &syn::Expr) -> bool {
    is_projection_of(e, |_| true)
}

/// Whether the expression is a block, a tuple or `Some(..)`, which copies what it names.
pub fn is_copying_expr(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::Block(_) | syn::Expr::Tuple(_) => true,
        syn::Expr::Call(c) => matches!(strip_parens(&c.func), syn::Expr::Path(p)
            if p.path.segments.last().is_some_and(|s| EnumKind::of_variant(&s.ident.to_string()).is_some())),
        _ => false,
    }
}

/// Whether a base of the field or index expression satisfies `such`.
pub fn is_projection_of(e: &syn::Expr, such: fn(&syn::Expr) -> bool) -> bool {
    match strip_parens(e) {
        syn::Expr::Field(f) => such(&f.base) || is_projection_of(&f.base, such),
        syn::Expr::Index(i) => such(&i.expr) || is_projection_of(&i.expr, such),
        _ => false,
    }
}

/// Whether the expression is a call.
pub fn is_call(e: &syn::Expr) -> bool {
    matches!(
        strip_parens(e),
        syn::Expr::MethodCall(_) | syn::Expr::Call(_)
    )
}

/// Whether a method in the receiver chain clones its receiver.
fn clones_receiver(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::MethodCall(m) => {
            let copies = ["clone", "cloned", "copied", "to_owned"];
            copies.iter().any(|name| m.method == name) || clones_receiver(&m.receiver)
        }
        _ => false,
    }
}
