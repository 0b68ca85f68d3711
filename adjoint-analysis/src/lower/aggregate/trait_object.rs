//! Coercions of values to trait objects. A trait object is an enum with a variant for each implementing type; a
//! coercion wraps the value in its variant.

use std::collections::BTreeMap;

use proc_macro2::Span;

use crate::ir::{Expr, Place, Proj};
use crate::lower::expr::strip_parens;
use crate::lower::infer::expectation::ParamType;
use crate::lower::value::Value;
use crate::lower::{Lower, Mode, Ty};

/// The enums of trait objects: for each, the variants by payload type.
pub type ObjectEnums = BTreeMap<String, BTreeMap<String, String>>;

impl Lower {
    /// Coerces a value to a trait object, if one is expected.
    pub fn coerce_to_object(&mut self, value: Value, expected: &Ty, span: Span) -> Value {
        if self.env.object_enums.is_empty()
            || matches!(value, Value::PlaceRef(..) | Value::Diverges)
        {
            return value;
        }
        let found = self.value_ty(&value);
        match (found, self.shallow(expected)) {
            (Ty::Named(own), Ty::Named(object)) => match self.object_variant(&object, &own) {
                Some(variant) => {
                    let (held, _) = self.read(value, span);
                    wrap_in_variant(variant, held, object)
                }
                None => value,
            },
            (Ty::Boxed(own), Ty::Boxed(object)) => match (self.shallow(&own), *object) {
                (Ty::Named(own), Ty::Named(object)) => match self.object_variant(&object, &own) {
                    Some(variant) => {
                        let held = self.unbox_value(value, own, span);
                        self.box_value(&wrap_in_variant(variant, held, object), span)
                    }
                    None => value,
                },
                _ => value,
            },
            _ => value,
        }
    }

    /// Coerces the owned arguments of a call to trait objects, where its parameters expect them.
    pub fn coerce_args_to_objects(
        &mut self,
        args: Vec<Value>,
        takes: &[Option<ParamType>],
        span: Span,
    ) -> Vec<Value> {
        let args = args.into_iter().enumerate();
        let put = |(k, value): (usize, Value)| match takes.get(k) {
            Some(Some(taken)) if taken.mode == Mode::Owned => {
                self.coerce_to_object(value, &taken.ty, span)
            }
            _ => value,
        };
        args.map(put).collect()
    }

    /// Reads the content of a box: `*boxed`.
    fn unbox_value(&mut self, boxed: Value, held: String, span: Span) -> Expr {
        match boxed {
            Value::Expr(Expr::Aggregate(mut parts, _), _) if parts.len() == 1 => parts.remove(0),
            boxed => {
                let place = self.place_of(boxed, span);
                let held = place.project(Proj::Deref, Ty::Named(held));
                self.read(Value::Place(held), span).0
            }
        }
    }

    /// Whether the type is a variant of some trait object's enum.
    pub fn may_be_object(&self, own: &str) -> bool {
        self.env
            .object_enums
            .values()
            .any(|held| held.contains_key(own))
    }

    /// Whether the expression is a branch or block whose arms may be different trait objects of the type.
    pub fn may_select_object(&self, e: &syn::Expr, ty: &Ty) -> bool {
        let chooses = matches!(
            e,
            syn::Expr::If(_) | syn::Expr::Match(_) | syn::Expr::Block(_)
        );
        let is_object = |name: &&str| self.env.object_enums.contains_key(*name);
        chooses && ty.user_types().iter().any(is_object)
    }

    /// The parameter types of a method, if the function uses trait objects at all.
    pub fn object_params(&mut self, receiver: &Value, name: &str) -> Vec<Option<ParamType>> {
        if self.env.object_enums.is_empty() {
            return Vec::new();
        }
        let known = self.resolve_receiver_method(receiver, name);
        known.map_or_else(Vec::new, |known| known.params().to_vec())
    }

    /// Whether the left side of an assignment may be a box of a trait object.
    pub fn may_hold_object(&self, left: &syn::Expr) -> bool {
        let is_place = matches!(
            strip_parens(left),
            syn::Expr::Path(_) | syn::Expr::Field(_) | syn::Expr::Index(_) | syn::Expr::Unary(_)
        );
        is_place && !self.env.object_enums.is_empty()
    }

    /// Whether the elements of a list contain trait objects: their size then differs from that in the user's program.
    pub fn holds_objects(&self, list: &Place) -> bool {
        let list = self.infer.resolve_known(&list.ty);
        let is_twin = |name: &&str| {
            self.env.twins.contains(*name) || self.env.object_enums.contains_key(*name)
        };
        match list.element() {
            Some(Ty::Boxed(_)) | None => false,
            Some(element) => element.user_types().iter().any(is_twin),
        }
    }

    /// `Box::new(value)`
    pub fn box_value(&mut self, value: &Value, span: Span) -> Value {
        let (e, inner) = self.read(value.clone(), span);
        let ty = Ty::Boxed(Box::new(inner));
        Value::Expr(Expr::Aggregate(vec![e], ty.clone()), ty)
    }

    /// The variant of a trait object's enum that holds the type.
    fn object_variant(&self, object: &str, own: &str) -> Option<String> {
        let variant = self.env.object_enums.get(object)?.get(own)?;
        Some(format!("{object}::{variant}"))
    }
}

fn wrap_in_variant(variant: String, held: Expr, object: String) -> Value {
    let ty = Ty::Named(object);
    let fields = vec![("0".to_string(), held)];
    Value::Expr(Expr::Variant(variant, fields, ty.clone()), ty)
}
