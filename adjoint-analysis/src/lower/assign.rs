//! Assignment, plain, compound and destructuring.

use syn::spanned::Spanned;

use super::value::Value;
use super::{Lower, StmtKind, Ty};
use crate::ir::{BinOp, Expr, Place, UnOp};
use crate::refuse::Reason;

impl Lower {
    /// `left = right`; the right side is evaluated first.
    pub fn assign(&mut self, a: &syn::ExprAssign) -> Value {
        let value = self.expr(&a.right);
        if matches!(value, Value::Never) {
            return Value::Never;
        }
        self.assign_to(&a.left, value);
        Value::Unit
    }

    /// Assigns a value to what stands on the left: a place, `_`, or a tuple or array of these.
    fn assign_to(&mut self, left: &syn::Expr, value: Value) {
        let span = left.span();
        match super::expr::strip_parens(left) {
            syn::Expr::Infer(_) => {}
            syn::Expr::Tuple(t) => {
                let value = self.pin(value, span);
                let parts = self.components(value, t.elems.len(), span);
                for (left, part) in t.elems.iter().zip(parts) {
                    self.assign_to(left, part);
                }
            }
            syn::Expr::Array(t) => {
                let value = self.pin(value, span);
                let parts = self.elements(value, t.elems.len(), span);
                for (left, part) in t.elems.iter().zip(parts) {
                    self.assign_to(left, part);
                }
            }
            left => {
                let outer = std::mem::take(&mut self.out);
                let place = self.expr(left);
                let raws = std::mem::replace(&mut self.out, outer);
                let value = match Self::is_pure(&raws) {
                    true => value,
                    false => self.pin(value, span),
                };
                self.out.extend(raws);
                self.store(place, value, span);
            }
        }
    }

    /// Writes the value to the place.
    pub fn store(&mut self, place: Value, value: Value, span: proc_macro2::Span) {
        match (place, value) {
            (Value::Choice(dest), value) => self.store_choice(&dest, value, span),
            (Value::Tuple(places), value) => {
                let value = self.pin(value, span);
                let parts = self.components(value, places.len(), span);
                for (place, part) in places.into_iter().zip(parts) {
                    self.store(place, part, span);
                }
            }
            (Value::Place(place), value) => self.assign_place(place, value, span),
            (Value::View(..), Value::View(..)) => {
                self.refuse(span, Reason::Reference("a reference that changes what it points to".into()));
            }
            (other, _) => self.refuse_use(&other, span, Reason::NotAPlace),
        }
    }

    /// `place = value`
    pub fn assign_place(&mut self, place: Place, value: Value, span: proc_macro2::Span) {
        if let Value::Choice(c) = value {
            return self.assign_choice(&place, *c, span);
        }
        let (e, ty) = self.read(value, span);
        self.unify(&place.ty, &ty);
        self.emit(span, StmtKind::Assign(place, e));
    }

    /// `left op= right`. For numbers the right side is evaluated first.
    pub fn compound_assign(&mut self, op: BinOp, b: &syn::ExprBinary) -> Value {
        let span = b.span();
        let right = self.expr(&b.right);
        if matches!(right, Value::Never) {
            return Value::Never;
        }
        let outer = std::mem::take(&mut self.out);
        let left = self.expr(&b.left);
        let raws = std::mem::replace(&mut self.out, outer);
        let right = match Self::is_pure(&raws) {
            true => right,
            false => self.pin(right, span),
        };
        self.out.extend(raws);
        let place = match left {
            Value::Place(place) => place,
            other => {
                self.refuse_use(&other, b.left.span(), Reason::NotAPlace);
                return Value::Unit;
            }
        };
        let (e, ty) = self.read(right, span);
        if !matches!(op, BinOp::Shl | BinOp::Shr) {
            self.unify(&place.ty, &ty);
        }
        self.update(op, place, e, span);
        Value::Unit
    }

    /// `place op= e`; sums of reals stay increments, which need no old value (`[TBR]` §5.1).
    pub fn update(&mut self, op: BinOp, place: Place, e: Expr, span: proc_macro2::Span) {
        let ty = self.shallow(&place.ty);
        let discrete = matches!(ty, Ty::Int(_) | Ty::Bool) || self.infer.is_int(&ty);
        let kind = match op {
            BinOp::Add if !discrete => StmtKind::Incr(place, e),
            BinOp::Sub if !discrete => {
                StmtKind::Incr(place, Expr::Unary(UnOp::Neg, Box::new(e)))
            }
            _ => {
                let old = Box::new(Expr::Read(place.clone()));
                StmtKind::Assign(place, Expr::Binary(op, old, Box::new(e)))
            }
        };
        self.emit(span, kind);
    }
}
