//! User iterators: types with a visible `impl Iterator`. Their items are the results of `next`.

use std::rc::Rc;

use proc_macro2::Span;

use crate::ir::{Ty, base_name};
use crate::lower::Lower;
use crate::lower::inline::closure::Callable;
use crate::lower::iter::Producer;
use crate::lower::iter::source::ADVANCING;
use crate::lower::types::{text, ungrouped};
use crate::lower::value::{Binding, Scope, Value};

/// The names of the types for which the items implement `Iterator`.
pub fn iterator_types(items: &[syn::Item]) -> impl Iterator<Item = String> + '_ {
    items.iter().filter_map(|item| {
        let syn::Item::Impl(i) = item else {
            return None;
        };
        let (path, _) = i.trait_.as_ref()?;
        let is_iterator = path.segments.last().is_some_and(|s| s.ident == "Iterator");
        is_iterator.then(|| base_name(&text(ungrouped(&i.self_ty))).to_string())
    })
}

/// Whether the method is one of `Iterator`, not of another trait that a struct may implement (`clone`, `eq`).
fn is_iterator_method(name: &str) -> bool {
    CONSUMING.contains(&name) || ADVANCING.contains(&name)
}

/// Provided methods of `Iterator` that consume the iterator.
const CONSUMING: &[&str] = &[
    "chain",
    "cloned",
    "collect",
    "copied",
    "count",
    "cycle",
    "enumerate",
    "filter",
    "filter_map",
    "flat_map",
    "flatten",
    "fold",
    "for_each",
    "fuse",
    "inspect",
    "into_iter",
    "is_sorted",
    "is_sorted_by",
    "is_sorted_by_key",
    "last",
    "map",
    "map_while",
    "max",
    "max_by",
    "max_by_key",
    "min",
    "min_by",
    "min_by_key",
    "partition",
    "peekable",
    "product",
    "reduce",
    "rev",
    "rfold",
    "rposition",
    "scan",
    "skip",
    "skip_while",
    "step_by",
    "sum",
    "take",
    "take_while",
    "try_for_each",
    "unzip",
    "zip",
];

/// The name of the iterator in the closure that calls its `next`.
const ITERATOR: &str = "__iterator";

impl Producer {
    /// Whether it borrows a named iterator and consumes its remaining items.
    pub fn borrows_named(&self) -> bool {
        match self {
            Producer::FromFn(Callable::Closure(f)) => {
                let named = f.scopes.last().and_then(|scope| scope.get(ITERATOR));
                matches!(named, Some(Binding::Value(Value::Iter(_))))
            }
            p => p.inner().any(Producer::borrows_named),
        }
    }
}

impl Lower {
    /// The items of a user iterator, which is moved here or borrowed by `&mut`.
    pub fn user_iterator_items(&mut self, value: Value, span: Span) -> Option<Rc<Producer>> {
        let of = self.iterator_type(&value)?;
        let is_copied = self.env.copy_types.contains(base_name(&of));
        let held = match value {
            Value::RefToAggregate(..) => Binding::Value(value),
            Value::PlaceRef(p, mutable) => {
                Binding::Value(Value::PlaceRef(self.freeze_place(p, span), mutable))
            }
            // A moved value is not used again, so it needs no copy.
            Value::Place(p) if !is_copied => {
                Binding::Value(Value::PlaceRef(self.freeze_place(p, span), true))
            }
            value => self.owned_binding("items", value, true, span),
        };
        self.items_from_next(held, span)
    }

    /// The remaining items of a named iterator, which is borrowed.
    pub fn remaining_items(&mut self, cursor: &Rc<Producer>, span: Span) -> Rc<Producer> {
        let held = Binding::Value(Value::Iter(cursor.clone()));
        let items = self.items_from_next(held, span);
        items.unwrap_or_else(|| Rc::new(Producer::Empty))
    }

    /// The results of an iterator's `next`.
    fn items_from_next(&mut self, iterator: Binding, span: Span) -> Option<Rc<Producer>> {
        let name = ITERATOR.to_string();
        self.scopes.push(Scope::from([(name, iterator)]));
        let next = self.closure(&syn::parse_quote_spanned!(span=> || __iterator.next()));
        self.scopes.pop();
        match next {
            Value::Closure(next) => Some(Rc::new(Producer::FromFn(Callable::Closure(next)))),
            _ => None,
        }
    }

    /// A provided `Iterator` method of a user iterator; an inherent method takes precedence.
    pub fn user_iterator_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let of = self.iterator_type(receiver)?;
        // `next` is always the type's own method, even if its body is not visible.
        let is_own = name == "next" || self.env.signatures.method(&of, name).is_some();
        if is_own || !is_iterator_method(name) {
            return None;
        }
        let span = m.method.span();
        // These methods borrow the iterator.
        let lent = match receiver {
            Value::RefStruct(..) if ADVANCING.contains(&name) => {
                Value::RefToAggregate(Box::new(receiver.clone()), true)
            }
            Value::Place(place) if ADVANCING.contains(&name) => {
                Value::PlaceRef(place.clone(), true)
            }
            other => self.copy_if_reassigned(other.clone(), span),
        };
        let items = self.user_iterator_items(lent, span)?;
        Some(match name {
            "by_ref" => Value::Iter(items),
            name => self.adapter(name, items, m, span),
        })
    }

    fn iterator_type(&mut self, value: &Value) -> Option<String> {
        if self.env.iterator_types.is_empty() {
            return None;
        }
        let ty = self.value_ty(value);
        let of = match self.shallow(&ty) {
            Ty::Named(of) => of,
            ty => self.struct_literal_name(&ty)?.to_string(),
        };
        self.env
            .iterator_types
            .contains(base_name(&of))
            .then_some(of)
    }
}
