//! Infers that a place of unknown type is a list, by the methods called on it.

use proc_macro2::Span;

use super::super::value::Value;
use super::super::{Lower, Ty};
use crate::ir::Place;
use crate::lower::std_lib::method::is_in_collection;

impl Lower {
    /// Infers a sequence for a receiver of unknown type whose method returns an `Option` of an element, if no visible
    /// method has this name. A check makes rustc reject a wrong guess.
    pub(crate) fn infer_sequence(&mut self, value: &Value, m: &syn::ExprMethodCall) {
        let (Value::Place(p) | Value::PlaceRef(p, _)) = value else {
            return;
        };
        if is_in_collection(p) && self.env.signatures.has_method(&m.method.to_string()) {
            return;
        }
        let p = self.deref_boxes(p);
        if self.is_open(&p.ty) {
            self.check_place("lends", &p, m.method.span());
            self.unify_with_slice(&p);
        }
    }

    /// Infers a list for a receiver of unknown type that is filled, sorted or reversed, if no visible method has this
    /// name. A check makes rustc reject a wrong guess.
    pub(crate) fn infer_list(&mut self, value: &Value, m: &syn::ExprMethodCall) {
        if let Value::Place(p) | Value::PlaceRef(p, true) = value {
            let p = self.deref_boxes(p);
            self.infer_list_place(&p, &m.method.to_string(), m.method.span());
        }
    }

    /// Infers a list for the place, unless its type is known or may have a method of this name.
    pub fn infer_list_place(&mut self, place: &Place, name: &str, span: Span) {
        if self.is_open(&place.ty) && !self.may_have_method(place, name) {
            self.check_place("list_of", place, span);
            self.unify_with_slice(place);
        }
    }

    /// Infers a list for a place that has a length, unless its type is known or may have its own `len`.
    pub(crate) fn infer_list_by_len(&mut self, place: &Place, span: Span) {
        let is_open = self.is_open(&place.ty);
        let is_list = is_open || matches!(self.shallow(&place.ty), Ty::Slice(_));
        if !is_list || self.may_have_method(place, "len") {
            return;
        }
        let unseen = is_open || self.infer.is_external(&place.ty);
        if unseen && self.reference_at(place).is_none() {
            self.check_length(place, span);
        }
        if is_open {
            self.unify_with_slice(place);
        }
    }

    fn unify_with_slice(&mut self, place: &Place) {
        let element = self.fresh_ty();
        self.infer.mark_sequence(&place.ty, &element);
    }

    /// Whether nothing has determined the type yet.
    fn is_open(&self, ty: &Ty) -> bool {
        let ty = self.shallow(ty);
        matches!(ty, Ty::Infer(_)) && !self.infer.is_number(&ty)
    }

    /// Whether the place may be of a user type that has a method of this name.
    fn may_have_method(&mut self, place: &Place, name: &str) -> bool {
        let ty = self.shallow(&place.ty);
        self.env.signatures.has_method(name)
            || self.has_constructor(&ty)
            || self.is_noted_struct(place)
    }
}
