//! Infers that a place of unknown type is a list, by the methods called on it.

use proc_macro2::Span;

use super::super::value::Value;
use super::super::{Lower, Ty};
use crate::ir::Place;
use crate::lower::std_lib::method::is_inside;

impl Lower {
    /// Infers a sequence for a receiver of unknown type whose method returns an `Option` of an element, if no visible
    /// method has this name. A check makes rustc reject a wrong guess.
    pub(crate) fn take_for_sequence(&mut self, value: &Value, m: &syn::ExprMethodCall) {
        let (Value::Place(p) | Value::View(p, _)) = value else {
            return;
        };
        if is_inside(p) && self.env.seen.has_method(&m.method.to_string()) {
            return;
        }
        let p = self.unboxed(p);
        if self.is_open(&p.ty) {
            self.demand_of_place("lends", &p, m.method.span());
            self.take_for_slice(&p);
        }
    }

    /// Infers a list for a receiver of unknown type that is filled, sorted or reversed, if no visible method has this
    /// name. A check makes rustc reject a wrong guess.
    pub(crate) fn take_for_list(&mut self, value: &Value, m: &syn::ExprMethodCall) {
        if let Value::Place(p) | Value::View(p, true) = value {
            let p = self.unboxed(p);
            self.list_by_method(&p, &m.method.to_string(), m.method.span());
        }
    }

    /// Infers a list for the place, unless its type is known or may have a method of this name.
    pub fn list_by_method(&mut self, place: &Place, name: &str, span: Span) {
        if self.is_open(&place.ty) && !self.may_have_method(place, name) {
            self.demand_of_place("list_of", place, span);
            self.take_for_slice(place);
        }
    }

    /// Infers a list for a place that has a length, unless its type is known or may have its own `len`.
    pub(crate) fn length_of_list(&mut self, place: &Place, span: Span) {
        let is_open = self.is_open(&place.ty);
        let is_list = is_open || matches!(self.shallow(&place.ty), Ty::Slice(_));
        if !is_list || self.may_have_method(place, "len") {
            return;
        }
        let unseen = is_open || self.infer.is_elsewhere(&place.ty);
        if unseen && self.reference_at(place).is_none() {
            self.demand_length(place, span);
        }
        if is_open {
            self.take_for_slice(place);
        }
    }

    fn take_for_slice(&mut self, place: &Place) {
        let element = self.fresh();
        self.infer.index(&place.ty, &element);
    }

    /// Whether nothing has determined the type yet.
    fn is_open(&self, ty: &Ty) -> bool {
        let ty = self.shallow(ty);
        matches!(ty, Ty::Infer(_)) && !self.infer.is_number(&ty)
    }

    /// Whether the place may be of a user type that has a method of this name.
    fn may_have_method(&mut self, place: &Place, name: &str) -> bool {
        let ty = self.shallow(&place.ty);
        self.env.seen.has_method(name) || self.is_constructed(&ty) || self.is_noted_struct(place)
    }
}
