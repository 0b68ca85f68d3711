//! Methods that change their `Option`.

use proc_macro2::Span;

use crate::ir::{Expr, Place, Ty};
use crate::lower::aggregate::split_enum::{EnumKind, SplitEnum, not};
use crate::lower::infer::expectation::by_value;
use crate::lower::value::Value;
use crate::lower::{LabeledStmt, Lower};

impl Lower {
    /// `option.take()`: the value moves out and `None` stays.
    pub(super) fn take_payload(&mut self, c: SplitEnum, place: Option<Place>, span: Span) -> Value {
        let none = self.known_variant(EnumKind::Option, false, Value::Unit);
        self.replace_payload(c, place, none, span)
    }

    /// `Some(value)`, evaluated here, with the payload type of the receiver.
    pub(super) fn eval_some(&mut self, value: &syn::Expr, c: &SplitEnum, span: Span) -> Value {
        let held = self.value_ty(&c.payload);
        let value = self.lower_coerced(value, by_value(held));
        let value = self.copy_to_temp(value, span);
        self.known_variant(EnumKind::Option, true, value)
    }

    /// `option.replace(value)`: stores `new`, which is `Some(value)`, and returns the old value.
    pub(super) fn replace_payload(
        &mut self,
        c: SplitEnum,
        place: Option<Place>,
        new: Value,
        span: Span,
    ) -> Value {
        let c = owned(c);
        let payload = self.value_ty(&c.payload);
        let number = payload.is_scalar() || self.infer.is_number(&payload);
        if let Some(place) = place.clone().filter(|_| !number) {
            let (new, ty) = self.read(new, span);
            self.unify(&place.ty, &ty);
            return self.exchange(place, Value::Expr(new, ty), span);
        }
        let taken = self.owned_split_enum("taken", c.clone(), false, span);
        self.set_split_enum(&c, place, new, span);
        Value::SplitEnum(Box::new(taken))
    }

    fn set_split_enum(&mut self, c: &SplitEnum, place: Option<Place>, value: Value, span: Span) {
        match place {
            Some(place) => self.assign_place(place, value, span),
            None => self.store_split_enum(c, value, span),
        }
    }

    /// `option.insert(value)`, where `some` is `Some(value)`.
    pub(super) fn insert_payload(
        &mut self,
        c: SplitEnum,
        place: Option<Place>,
        some: Value,
        span: Span,
    ) -> Value {
        let c = owned(c);
        self.set_split_enum(&c, place, some, span);
        self.borrow_split_enum(c, true, span).payload
    }

    /// `option.get_or_insert(value)` and the like: `value` is evaluated and stored if the `Option` is `None`.
    pub(super) fn get_or_insert(
        &mut self,
        c: SplitEnum,
        place: Option<Place>,
        span: Span,
        value: impl FnOnce(&mut Self, Ty) -> Value,
    ) -> Value {
        let c = owned(c);
        let ty = self.value_ty(&c.payload);
        let (raws, ()) = self.in_block(|l| {
            let value = value(l, ty.clone());
            let value = l.coerce_to_object(value, &ty, span);
            let some = l.known_variant(EnumKind::Option, true, value);
            l.set_split_enum(&c, place, some, span);
        });
        let id = self.stmt_id(span);
        self.out
            .push(LabeledStmt::If(id, not(c.tag.clone()), raws, Vec::new()));
        self.borrow_split_enum(c, true, span).payload
    }

    /// `option.take_if(f)`
    pub(super) fn take_if(
        &mut self,
        c: SplitEnum,
        place: Option<Place>,
        f: &syn::Expr,
        span: Span,
    ) -> Option<Value> {
        let f = self.callable(f)?;
        let c = owned(c);
        let seen = self.borrow_split_enum(c.clone(), true, span);
        let test = self.branch_on_tag(
            seen,
            span,
            |l, v| Value::Expr(l.predicate(&f, &v, span), Ty::Bool),
            |_, _| {
                Value::Expr(
                    crate::lower::aggregate::split_enum::bool_lit(false),
                    Ty::Bool,
                )
            },
        );
        let (test, _): (Expr, Ty) = self.read(test, span);
        let test = self.freeze_tag(test, span);
        let then = self.in_block(|l| l.take_payload(c, place, span));
        let els = self.in_block(|l| l.known_variant(EnumKind::Option, false, Value::Unit));
        Some(self.emit_branch(span, test, then, els))
    }
}

/// The `Option` behind a reference to one; an `Option` that holds a reference stays.
fn owned(c: SplitEnum) -> SplitEnum {
    match c.by_ref {
        Some(_) => Lower::deref_split_enum(c),
        None => c,
    }
}
