//! Indexing of sequences: elements and subslices (`x[i]`, `m[(i, j)]`, `x[lo..hi]`).

use proc_macro2::Span;
use quote::{quote, quote_spanned};

use super::strip_parens;
use crate::ir::construct::usize_lit;
use crate::ir::{BinOp, Expr, Mode, Origin, Place, Proj};
use crate::lower::aggregate::reference_arrays::is_ref_array;
use crate::lower::span;
use crate::lower::value::Value;
use crate::lower::{Lower, Ty};
use crate::mir::code::tokens_at;
use crate::refuse::Reason;

impl Lower {
    /// `base[index]`
    pub(in crate::lower) fn index(&mut self, i: &syn::ExprIndex) -> Value {
        let span = span::join((span::of_expr(&i.expr), i.bracket_token.span.join()));
        if let syn::Expr::Range(r) = strip_parens(&i.index) {
            let base = self.lower_base(&i.expr);
            let base = self.hoist_table(base, span);
            return self.slice_range(base, r, span);
        }
        let written = self.in_mutable_place;
        let base = self.lower_base(&i.expr).strip_ref();
        if let Some(found) = self.lower_map_index(&base, &i.index, span) {
            return found;
        }
        let outer = std::mem::take(&mut self.out);
        let index = self.expr(&i.index);
        let raws = std::mem::replace(&mut self.out, outer);
        let base = match Self::is_pure(&raws) {
            true => base,
            false => self.freeze_receiver(base, span),
        };
        self.out.extend(raws);
        if let Value::Iter(_) = index {
            return self.index_by_range(base, &index, span);
        }
        if let Value::Tuple(parts) = &index {
            self.infer_tuple_index(parts);
        }
        let (index, ty) = self.read(index, span);
        let both = (index, ty);
        if let Some(element) = self.inline_index(&base, &both, written, span) {
            return element;
        }
        let (index, ty) = both;
        self.infer_index_type(&base, &ty);
        if let Value::Tuple(parts) = &base
            && is_ref_array(parts)
        {
            return self.index_ref_array(parts, index, span);
        }
        if let Some(value) = self.table_element(&base, &index, span) {
            return value;
        }
        if let Some(value) = self.indexed_item(&base, &index, span) {
            return value;
        }
        let base = self.place_of(base, span);
        Value::Place(self.element(&base, index, span))
    }

    /// `base[range]` with a range value in a variable.
    fn index_by_range(&mut self, base: Value, range: &Value, span: Span) -> Value {
        let base = self.place_of(base, span);
        let base = self.deref_boxes(&base);
        match self.range_bounds(range, &base, span) {
            Some((lo, hi)) => Value::Place(self.slice(&base, Some(lo), Some(hi))),
            None => self.refuse(span, Reason::Expression("an index by an iterator".into())),
        }
    }

    /// Infers positions for the components of a tuple index `(i, j)` of a user type, unless they are known to be
    /// something else. The type of a literal is left to rustc.
    fn infer_tuple_index(&mut self, parts: &[Value]) {
        for part in parts {
            let ty = self.value_ty(part);
            match part {
                Value::Expr(Expr::Lit(..), _) => self.infer.mark_external(&ty),
                _ => self.unify(&ty, &Ty::USIZE),
            }
        }
    }

    /// `base[index]`
    pub fn element(&mut self, base: &Place, index: Expr, span: Span) -> Place {
        let base = self.deref_boxes(base);
        let ty = self.shallow(&base.ty);
        let constructed = self.struct_literal_name(&ty).map(str::to_string);
        let ty = match constructed.map_or(ty, Ty::Named) {
            Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) => *t,
            // An excluded parameter is constant: its element is read in place, whatever its `Index` does.
            Ty::Named(_) | Ty::Infer(_) if self.is_excluded_param(base.root) => {
                self.infer.fresh_external()
            }
            Ty::Named(name) => {
                // The name may be an alias of an array.
                self.check_user_index(&name, &index, span);
                self.infer.fresh_external()
            }
            Ty::Infer(_) if self.is_user_index(&index) => {
                self.check_indexed_place(&base, &index, span);
                self.infer.fresh_external()
            }
            Ty::Infer(_) => {
                let element = self.fresh_ty();
                self.infer.mark_sequence(&base.ty, &element);
                element
            }
            _ => self.fresh_ty(),
        };
        base.index(index, ty)
    }

    /// Infers the type of an index: its enum for a variant, `usize` otherwise. An associated constant that indexes a
    /// user type may be a variant, so its type stays open.
    fn infer_index_type(&mut self, base: &Value, ty: &Ty) {
        let (ty, of) = (self.shallow(ty), self.value_ty(base));
        let variant = self.struct_literal_name(&ty).map(str::to_string);
        let is_users = matches!(of, Ty::Named(_)) || self.has_constructor(&of);
        match variant {
            Some(name) => self.unify(&ty, &Ty::Named(name)),
            None if is_users && self.may_be_variant_constant(&ty) => {}
            None => self.unify(&ty, &Ty::USIZE),
        }
    }

    /// Whether the type is only known as that of an associated constant, `Axis::X`, which may be a variant.
    fn may_be_variant_constant(&self, ty: &Ty) -> bool {
        let ty = self.shallow(ty);
        let of_types = &self.user_types.associated_constants;
        let is_open = matches!(ty, Ty::Infer(_)) && !self.infer.is_number(&ty);
        is_open && of_types.iter().any(|of| self.shallow(of) == ty)
    }

    /// Emits a check that the user type `of` has an adjoint that is indexed by the type of this index.
    fn check_user_index(&mut self, of: &str, index: &Expr, span: Span) {
        let is_open = self.may_be_variant_constant(&index.ty(&self.draft.func));
        let name = tokens_at(of, span);
        let demand = quote_spanned!(span=> ::adjoint::__private::demand::sequence_by::<#name, _>);
        match index {
            Expr::Read(place) if is_open => {
                let check =
                    self.new_check(quote!(#demand(|| __place_0)), vec![place.clone()], span);
                self.push_check(check, place);
            }
            Expr::Code(code, places, _) if is_open && places.is_empty() => {
                let index = self.draft.code[code.index()].tokens.clone();
                let key = ("sequence_by".into(), format!("{of}[{index}]"));
                if !self.emitted_checks.contains(&key) {
                    self.hoist_check(quote!(#demand(|| &#index)), key, span);
                }
            }
            index => {
                let by = self.index_check_type(index);
                self.check_type("sequence", &format!("{of}, {by}"), span);
            }
        }
    }

    /// Whether only user types have such an index: `m[(i, j)]`, `v[Axis::Left]`.
    fn is_user_index(&self, index: &Expr) -> bool {
        let ty = self.shallow(&index.ty(&self.draft.func));
        matches!(index, Expr::Aggregate(..)) || matches!(ty, Ty::Named(_))
    }

    /// The type of an index for a check, with `_` for the parts that rustc infers.
    fn index_check_type(&self, index: &Expr) -> String {
        match index {
            Expr::Aggregate(parts, _) => {
                let parts = parts.iter().map(|part| self.index_check_type(part) + ",");
                format!("({})", parts.collect::<String>())
            }
            index => match self.shallow(&index.ty(&self.draft.func)) {
                ty @ (Ty::Int(_) | Ty::Named(_)) => ty.to_string(),
                _ => "_".into(),
            },
        }
    }

    /// Emits a check that a base of unknown type has an adjoint that is indexed by the type of this index.
    pub fn check_indexed_place(&mut self, base: &Place, index: &Expr, span: Span) {
        let by = self.index_check_type(index);
        let at = format!("{:?} by {by}", base.proj);
        if self.index_checks.insert((base.root, at)) {
            let by = tokens_at(&by, span);
            let tokens = quote_spanned! {span=>
                ::adjoint::__private::demand::sequence_of::<_, #by>(|| __place_0)
            };
            let check = self.new_check(tokens, vec![base.clone()], span);
            self.push_check(check, base);
        }
    }

    /// The place behind any boxes, as auto-deref finds it.
    pub fn deref_boxes(&self, place: &Place) -> Place {
        let mut place = place.clone();
        while let Ty::Boxed(inner) = self.shallow(&place.ty) {
            place = place.project(Proj::Deref, *inner);
        }
        place
    }

    /// The place or reference behind any boxes; other values stay.
    pub fn deref_boxed_value(&self, value: Value) -> Value {
        match value {
            Value::Place(p) => Value::Place(self.deref_boxes(&p)),
            Value::PlaceRef(p, mutable) => Value::PlaceRef(self.deref_boxes(&p), mutable),
            other => other,
        }
    }

    /// `base[lo..hi]` as a place, whose bounds are evaluated now.
    fn slice_range(&mut self, base: Value, r: &syn::ExprRange, span: Span) -> Value {
        let base = self.place_of(base, span);
        let base = self.deref_boxes(&base);
        let lo = r.start.as_ref().map(|e| self.eval_usize(e));
        let hi = r.end.as_ref().map(|e| {
            let end = self.eval_usize(e);
            match r.limits {
                syn::RangeLimits::HalfOpen(_) => end,
                syn::RangeLimits::Closed(_) => {
                    let next = Expr::Binary(BinOp::Add, Box::new(end), Box::new(usize_lit(1)));
                    self.stable_operand(next, Ty::USIZE, span)
                }
            }
        });
        Value::Place(self.slice(&base, lo, hi))
    }

    /// `base[lo..hi]`
    pub fn slice(&mut self, base: &Place, lo: Option<Expr>, hi: Option<Expr>) -> Place {
        let ty = self.shallow(&base.ty);
        let element = match (ty, &lo, &hi) {
            // A full slice of an array: a later assignment may make the reference one to a subslice.
            (Ty::Array(t, _), None, None) => return self.as_slice(base.clone(), t),
            (_, None, None) => return base.clone(),
            (Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t), ..) => t,
            _ => Box::new(self.fresh_ty()),
        };
        base.project(
            Proj::Range(lo.map(Box::new), hi.map(Box::new)),
            Ty::Slice(element),
        )
    }

    /// A `usize` operand that is evaluated now: a literal or a read of a temporary.
    pub fn eval_usize(&mut self, e: &syn::Expr) -> Expr {
        let value = self.expr(e);
        let (expr, ty) = self.read(value, span::of_expr(e));
        self.unify(&ty, &Ty::USIZE);
        self.stable_operand(expr, Ty::USIZE, span::of_expr(e))
    }

    /// Copies the expression to a temporary, unless it is one that no later statement changes.
    pub fn stable_operand(&mut self, e: Expr, ty: Ty, span: Span) -> Expr {
        match e {
            Expr::Lit(..) => e,
            Expr::Read(ref p) if p.is_whole() && self.is_never_reassigned(p) => e,
            _ => Expr::Read(self.temp(span, "at", e, ty)),
        }
    }

    /// Whether the variable is never reassigned: nothing can write it, or it is an integer bound by `let` without
    /// `mut`.
    fn is_never_reassigned(&self, place: &Place) -> bool {
        self.is_read_only(place)
            || (matches!(place.ty, Ty::Int(_)) && self.immutable_vars.contains(&place.root))
    }

    /// Whether nothing can write the variable: a parameter by value or by `&`, a temporary or a loop index.
    pub fn is_read_only(&self, place: &Place) -> bool {
        let var = self.draft.func.var(place.root);
        match var.origin {
            Origin::Param => var.mode != Mode::Mut,
            Origin::Index | Origin::Temp | Origin::Label => true,
            _ => false,
        }
    }
}
