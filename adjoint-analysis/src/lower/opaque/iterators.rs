//! Iterators over opaque constants: their items are collected in a list.

use std::rc::Rc;

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::ir::{Expr, Place, Ty};
use crate::lower::Lower;
use crate::lower::iter::Producer;
use crate::lower::value::Value;
use crate::mir::code::CaptureMode;

/// Methods of iterators whose argument may depend on an independent.
const ITERATOR_METHODS: &[&str] = &[
    "all",
    "any",
    "chain",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "flat_map",
    "fold",
    "for_each",
    "inspect",
    "map",
    "map_while",
    "max_by",
    "max_by_key",
    "min_by",
    "min_by_key",
    "position",
    "reduce",
    "scan",
    "skip_while",
    "take_while",
    "try_fold",
    "zip",
];

/// Whether the method iterates with an argument that may depend on an independent, or without an end.
pub fn consumes_items(m: &syn::ExprMethodCall) -> bool {
    let takes = !m.args.is_empty() && ITERATOR_METHODS.iter().any(|name| m.method == name);
    takes || m.args.is_empty() && m.method == "cycle"
}

impl Lower {
    /// The items of an excluded parameter or an opaque constant, for iteration by `for`.
    pub fn opaque_items(&mut self, value: &Value, span: Span) -> Option<Rc<Producer>> {
        let (Value::Place(place) | Value::PlaceRef(place, false)) = value else {
            return None;
        };
        let place = self.deref_boxes(place);
        let is_left_out = self.is_excluded_param(place.root)
            && matches!(
                self.shallow(&place.ty),
                Ty::Named(_) | Ty::Infer(_) | Ty::Unknown
            )
            && !self.infer.is_number(&place.ty);
        if !is_left_out && self.opaque_place(value).is_none() {
            return None;
        }
        let is_view = matches!(value, Value::PlaceRef(..));
        // A value with a name may be used again.
        let is_found = place.is_whole() && self.opaque.vars.contains(&place.root);
        let by = if is_view {
            CaptureMode::Shared
        } else {
            CaptureMode::Value
        };
        let items = match is_view || is_found {
            true => quote_spanned!(span=> __place_0),
            false => quote_spanned!(span=> ::core::clone::Clone::clone(&__place_0)),
        };
        let items = quote_spanned!(span=> ::core::iter::IntoIterator::into_iter(#items));
        Some(self.collect_opaque(place, by, items, span))
    }

    /// The collected items of an opaque iterator, for an adapter or a consumer whose argument is not constant.
    pub fn opaque_iterator(&mut self, value: &Value, m: &syn::ExprMethodCall) -> Option<Value> {
        let place = self
            .opaque_place(value)
            .filter(|place| consumes_items(m) && place.is_whole())?;
        let span = m.method.span();
        let items = quote_spanned!(span=> __place_0);
        Some(Value::Iter(self.collect_opaque(
            place,
            CaptureMode::Value,
            items,
            span,
        )))
    }

    /// The initial value of a `mut` name: the collected items of an opaque iterator that is advanced; other values are
    /// unchanged.
    pub fn collect_advanced(&mut self, name: &str, value: Value, span: Span) -> Value {
        let is_advanced = self.opaque.advanced_iterators.contains(name);
        match self
            .opaque_place(&value)
            .filter(|place| is_advanced && place.is_whole())
        {
            Some(place) => {
                let items = quote_spanned!(span=> __place_0);
                Value::Iter(self.collect_opaque(place, CaptureMode::Value, items, span))
            }
            None => value,
        }
    }

    fn collect_opaque(
        &mut self,
        of: Place,
        by: CaptureMode,
        items: TokenStream,
        span: Span,
    ) -> Rc<Producer> {
        let tokens = quote_spanned! {span=>
            ::core::iter::Iterator::collect::<::std::vec::Vec<_>>(#items)
        };
        let code = self.add_code(tokens, vec![by]);
        let ty = Ty::Vec(Box::new(self.infer.fresh_external()));
        let list = self.temp(span, "items", Expr::Code(code, vec![of], ty.clone()), ty);
        let length = self.temp(span, "count", Expr::Len(list.clone()), Ty::USIZE);
        self.opaque.vars.insert(list.root);
        self.opaque.list_lengths.insert(list.root, length);
        Rc::new(Producer::Elements(list, None))
    }
}
