//! Whole-slice operations, element by element.

use proc_macro2::Span;

use crate::ir::construct::usize_lit;
use crate::ir::{BinOp, Expr, Place, Proj};
use crate::lower::value::Value;
use crate::lower::{Lower, StmtKind, Ty};
use crate::mir::code::CaptureMode;

impl Lower {
    /// `to[..].copy_from_slice(from)`, element by element, after a check of the lengths.
    pub fn copy_slice(&mut self, to: Place, from: Place, span: Span) {
        self.unify_elements(&to, &from);
        let n = self.temp(span, "len", Expr::Len(to.clone()), Ty::USIZE);
        let whole_to = self.check_same_length(&to, &from, span);
        let read_n = Expr::Read(n);
        self.counted_loop(read_n, span, |l, k| {
            let value = l.element(&from, k.clone(), span);
            let target = l.element(&whole_to, k, span);
            l.assign_place(target, Value::Place(value), span);
        });
    }

    /// Emits std's check that both slices have the same length; returns the destination.
    fn check_same_length(&mut self, to: &Place, from: &Place, span: Span) -> Place {
        let places = vec![to.clone(), from.clone()];
        let by = vec![CaptureMode::Borrow, CaptureMode::Borrow];
        let tokens = quote::quote!(assert_eq!(
            __place_0.len(),
            __place_1.len(),
            "copy_from_slice: source slice length does not match destination slice length"
        ));
        let code = self.add_code(tokens, by);
        self.emit(span, StmtKind::Passive(code, places));
        to.clone()
    }

    /// `place[..].fill(value)`
    pub fn fill(&mut self, place: Place, value: Expr, ty: Ty, span: Span) {
        let value = self.stable_operand(value, ty.clone(), span);
        let n = self.temp(span, "len", Expr::Len(place.clone()), Ty::USIZE);
        self.counted_loop(Expr::Read(n), span, |l, k| {
            let target = l.element(&place, k, span);
            l.assign_place(target, Value::Expr(value.clone(), ty.clone()), span);
        });
    }

    /// `v.copy_within(range, at)`: the part is copied out before it is written.
    pub fn copy_within(&mut self, v: Place, range: Value, at: Value, span: Span) {
        let Some((lo, hi)) = self.range_bounds(&range, &v, span) else {
            return;
        };
        let Some(element) = self.shallow(&v.ty).element().cloned() else {
            return;
        };
        let (at, ty) = self.read(at, span);
        self.unify(&ty, &Ty::USIZE);
        let at = self.stable_operand(at, Ty::USIZE, span);
        let part = self.slice(&v, Some(lo), Some(hi));
        let part = self.temp(span, "part", Expr::Read(part), Ty::Vec(Box::new(element)));
        let n = Expr::Len(part.clone());
        let end = Expr::Binary(BinOp::Add, Box::new(at.clone()), Box::new(n));
        let end = self.stable_operand(end, Ty::USIZE, span);
        let to = self.slice(&v, Some(at), Some(end));
        self.copy_slice(to, part, span);
    }

    fn unify_elements(&mut self, a: &Place, b: &Place) {
        let element = |l: &Self, p: &Place| l.shallow(&p.ty).element().cloned();
        if let (Some(a), Some(b)) = (element(self, a), element(self, b)) {
            self.unify(&a, &b);
        }
    }

    /// `a.swap_with_slice(b)`
    pub fn swap_slices(&mut self, a: &Place, b: &Place, span: Span) {
        self.unify_elements(a, b);
        self.check_same_length(a, b, span);
        self.counted_loop(Expr::Len(a.clone()), span, |l, k| {
            let (a, b) = (l.element(a, k.clone(), span), l.element(b, k, span));
            l.emit(span, StmtKind::Swap(a, b));
        });
    }

    /// `v.reverse()`
    pub fn reverse_slice(&mut self, v: &Place, span: Span) {
        let n = self.temp(span, "len", Expr::Len(v.clone()), Ty::USIZE);
        let n = Expr::Read(n);
        let half = Expr::Binary(BinOp::Div, Box::new(n.clone()), Box::new(usize_lit(2)));
        self.counted_loop(half, span, |l, k| {
            let last = Expr::Binary(BinOp::Sub, Box::new(n), Box::new(usize_lit(1)));
            let mirrored = Expr::Binary(BinOp::Sub, Box::new(last), Box::new(k.clone()));
            let (a, b) = (l.element(v, k, span), l.element(v, mirrored, span));
            l.emit(span, StmtKind::Swap(a, b));
        });
    }

    /// `v.rotate_left(by)`, `v.rotate_right(by)`: both parts are reversed, then the whole.
    pub fn rotate(&mut self, v: &Place, by: Expr, left: bool, span: Span) {
        let mid = match left {
            true => by,
            false => Expr::Binary(BinOp::Sub, Box::new(Expr::Len(v.clone())), Box::new(by)),
        };
        let mid = self.stable_operand(mid, Ty::USIZE, span);
        let part = match self.shallow(&v.ty).element() {
            Some(element) => Ty::Slice(Box::new(element.clone())),
            None => return,
        };
        self.reverse_slice(
            &v.project(Proj::Range(None, Some(Box::new(mid.clone()))), part.clone()),
            span,
        );
        self.reverse_slice(
            &v.project(Proj::Range(Some(Box::new(mid)), None), part),
            span,
        );
        self.reverse_slice(v, span);
    }
}
