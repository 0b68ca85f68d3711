//! Iterators of the user's: types with an `impl Iterator` that is seen. Their items are what `next` gives, one after the
//! other.

use std::rc::Rc;

use proc_macro2::Span;

use crate::ir::{Ty, base_name};
use crate::lower::Lower;
use crate::lower::inline::closure::Callable;
use crate::lower::iter::Producer;
use crate::lower::iter::source::ADVANCING;
use crate::lower::types::{text, ungrouped};
use crate::lower::value::{Binding, Scope, Value};

/// The types of which the items say how they are iterators.
pub fn iterators(items: &[syn::Item]) -> impl Iterator<Item = String> + '_ {
    items.iter().filter_map(|item| {
        let syn::Item::Impl(i) = item else {
            return None;
        };
        let (path, _) = i.trait_.as_ref()?;
        let is_iterator = path.segments.last().is_some_and(|s| s.ident == "Iterator");
        is_iterator.then(|| base_name(&text(ungrouped(&i.self_ty))).to_string())
    })
}

/// Whether the method is one of `Iterator`, rather than of a trait that a struct has as well (`clone`, `eq`).
fn is_of_iterators(name: &str) -> bool {
    PROVIDED.contains(&name) || ADVANCING.contains(&name)
}

/// Methods that `Iterator` provides, but those that leave the iterator where it is.
const PROVIDED: &[&str] = &[
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

/// What the closure calls it whose `next` it calls.
const ITERATOR: &str = "__iterator";

impl Producer {
    /// Whether it takes the items that are left of an iterator with a name.
    pub fn is_lent(&self) -> bool {
        match self {
            Producer::FromFn(Callable::Closure(f)) => {
                let named = f.scopes.last().and_then(|scope| scope.get(ITERATOR));
                matches!(named, Some(Binding::Value(Value::Iter(_))))
            }
            p => p.inner().any(Producer::is_lent),
        }
    }
}

impl Lower {
    /// The items of a value of such a type, which is moved here, or lent as `&mut`.
    pub fn items_of_own(&mut self, value: Value, span: Span) -> Option<Rc<Producer>> {
        let of = self.iterator_type(&value)?;
        let is_copied = self.env.copied.contains(base_name(&of));
        let held = match value {
            Value::Lent(..) => Binding::Value(value),
            Value::View(p, mutable) => Binding::Value(Value::View(self.settle(p, span), mutable)),
            // Moved, nobody else sees it again.
            Value::Place(p) if !is_copied => {
                Binding::Value(Value::View(self.settle(p, span), true))
            }
            value => self.own("items", value, true, span),
        };
        self.items_by_next(held, span)
    }

    /// The items that are left of an iterator with a name, which is lent.
    pub fn items_left(&mut self, cursor: &Rc<Producer>, span: Span) -> Rc<Producer> {
        let held = Binding::Value(Value::Iter(cursor.clone()));
        let items = self.items_by_next(held, span);
        items.unwrap_or_else(|| Rc::new(Producer::Empty))
    }

    /// What `next` of an iterator gives.
    fn items_by_next(&mut self, iterator: Binding, span: Span) -> Option<Rc<Producer>> {
        let name = ITERATOR.to_string();
        self.scopes.push(Scope::from([(name, iterator)]));
        let next = self.closure(&syn::parse_quote_spanned!(span=> || __iterator.next()));
        self.scopes.pop();
        match next {
            Value::Closure(next) => Some(Rc::new(Producer::FromFn(Callable::Closure(next)))),
            _ => None,
        }
    }

    /// A method that every iterator has, of a value of such a type: what the type has of its own goes before.
    pub fn method_of_own_items(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let of = self.iterator_type(receiver)?;
        // What all the others are made of, the type has of its own, also where that is not seen.
        let is_own = name == "next" || self.env.seen.method(&of, name).is_some();
        if is_own || !is_of_iterators(name) {
            return None;
        }
        let span = m.method.span();
        // These leave it where it is.
        let lent = match receiver {
            Value::Record(..) if ADVANCING.contains(&name) => {
                Value::Lent(Box::new(receiver.clone()), true)
            }
            Value::Place(place) if ADVANCING.contains(&name) => Value::View(place.clone(), true),
            other => self.out_of_reach(other.clone(), span),
        };
        let items = self.items_of_own(lent, span)?;
        Some(match name {
            "by_ref" => Value::Iter(items),
            name => self.adapter(name, items, m, span),
        })
    }

    fn iterator_type(&mut self, value: &Value) -> Option<String> {
        if self.env.iterators.is_empty() {
            return None;
        }
        let ty = self.value_ty(value);
        let of = match self.shallow(&ty) {
            Ty::Named(of) => of,
            ty => self.constructed_name(&ty)?.to_string(),
        };
        self.env.iterators.contains(base_name(&of)).then_some(of)
    }
}
