//! What an iterator is while lowering: where its items come from.

use std::rc::Rc;

use super::range::Bounds;
use crate::ir::{Expr, Place};
use crate::lower::inline::closure::Callable;
use crate::lower::value::Value;

/// Where the items of an iterator come from.
#[derive(Clone, Debug)]
pub enum Producer {
    /// A range of integers; no upper bound for `lo..`.
    Range(Bounds),
    /// The elements of a sequence, by reference (and whether by `&mut`) or by value.
    Elements(Place, Option<bool>),
    /// `chunks_exact(n)`, `chunks(n)` and their `_mut` forms.
    Chunks {
        of: Place,
        size: Expr,
        exact: bool,
        mutable: bool,
    },
    /// `as_chunks::<N>().0` and `as_chunks_mut::<N>().0`
    Arrays {
        of: Place,
        extent: String,
        mutable: bool,
    },
    /// `rchunks(n)` and `rchunks_mut(n)`
    ChunksFromEnd {
        of: Place,
        size: Expr,
        mutable: bool,
    },
    /// `windows(n)`
    Windows { of: Place, size: Expr },
    /// The elements of the arrays of this length in a sequence, and whether by `&mut`.
    Flattened {
        of: Place,
        size: Expr,
        mutable: bool,
    },
    /// The parts of a sequence within which the function says yes to each two neighbours.
    Runs {
        of: Place,
        within: Callable,
        mutable: bool,
    },
    /// References that stand in an array.
    Listed(Vec<Value>),
    /// Items in pairs.
    Zip(Rc<Producer>, Rc<Producer>),
    /// Items with their positions.
    Enumerate(Rc<Producer>),
    /// Items through a function.
    Map(Rc<Producer>, Callable),
    /// Items by value.
    Copied(Rc<Producer>),
    /// Last first.
    Rev(Rc<Producer>),
    /// All but the first ones.
    Skip(Rc<Producer>, Expr),
    /// The first ones.
    Take(Rc<Producer>, Expr),
    /// Each n-th.
    StepBy(Rc<Producer>, Expr),
    /// The items from a position that `next` moves, which a variable holds.
    Cursor(Rc<Producer>, Place),
    /// The items before those at the end that `next_back` took, whose number a variable holds.
    Short(Rc<Producer>, Place),
    /// All items again and again.
    Cycle(Rc<Producer>),
    /// One value again and again.
    Repeat(Box<Value>),
    /// One value.
    Once(Box<Value>),
    /// Nothing.
    Empty,
    /// The items for which the function says yes.
    Filter(Rc<Producer>, Callable),
    /// What the function makes of items, where it makes something.
    FilterMap(Rc<Producer>, Callable),
    /// The items of what the function makes of items, or of the items; whether these are reversed.
    FlatMap(Rc<Producer>, Option<Callable>, bool),
    /// The items of both.
    Chain(Rc<Producer>, Rc<Producer>),
    /// The items before the first for which the function says no.
    TakeWhile(Rc<Producer>, Callable),
    /// The items from the first for which the function says no.
    SkipWhile(Rc<Producer>, Callable),
    /// What the function makes of items, until it makes nothing.
    MapWhile(Rc<Producer>, Callable),
    /// What the function makes of a state and the items, until it makes nothing.
    Scan(Rc<Producer>, Box<Value>, Callable),
    /// The items, which a function sees on their way.
    Inspect(Rc<Producer>, Callable),
    /// An item, and each time what the function makes of the last one.
    Successors(Box<Value>, Callable),
    /// What the function makes, until it makes nothing.
    FromFn(Callable),
}

impl Producer {
    /// The item that an `Option` or `Result` holds.
    pub fn of_option(choice: Value) -> Producer {
        Producer::FlatMap(Rc::new(Producer::Once(Box::new(choice))), None, false)
    }

    /// The iterators that it is made of.
    pub(super) fn inner(&self) -> impl Iterator<Item = &Producer> {
        let (first, second) = match self {
            Producer::Range(_)
            | Producer::Elements(..)
            | Producer::Listed(_)
            | Producer::Chunks { .. }
            | Producer::Arrays { .. }
            | Producer::ChunksFromEnd { .. }
            | Producer::Windows { .. }
            | Producer::Flattened { .. }
            | Producer::Runs { .. }
            | Producer::Repeat(_)
            | Producer::Once(_)
            | Producer::Empty
            | Producer::Successors(..)
            | Producer::FromFn(_) => (None, None),
            Producer::Zip(a, b) | Producer::Chain(a, b) => (Some(a), Some(b)),
            Producer::Map(p, _)
            | Producer::Filter(p, _)
            | Producer::FilterMap(p, _)
            | Producer::TakeWhile(p, _)
            | Producer::SkipWhile(p, _)
            | Producer::MapWhile(p, _)
            | Producer::Inspect(p, _)
            | Producer::FlatMap(p, ..)
            | Producer::Scan(p, ..)
            | Producer::Cycle(p)
            | Producer::Cursor(p, _)
            | Producer::Short(p, _)
            | Producer::Enumerate(p)
            | Producer::Copied(p)
            | Producer::Rev(p)
            | Producer::Skip(p, _)
            | Producer::Take(p, _)
            | Producer::StepBy(p, _) => (Some(p), None),
        };
        first.into_iter().chain(second).map(|p| &**p)
    }

    /// The function that items go through.
    fn function(&self) -> Option<&Callable> {
        match self {
            Producer::Map(_, f)
            | Producer::Filter(_, f)
            | Producer::FilterMap(_, f)
            | Producer::TakeWhile(_, f)
            | Producer::SkipWhile(_, f)
            | Producer::MapWhile(_, f)
            | Producer::FlatMap(_, Some(f), _)
            | Producer::Inspect(_, f)
            | Producer::Successors(_, f)
            | Producer::FromFn(f)
            | Producer::Runs { within: f, .. } => Some(f),
            _ => None,
        }
    }

    /// Whether the items can only be had one after the other: there are none at positions, or those that
    /// are left out are made nevertheless, for what their closure writes.
    pub fn is_stream(&self) -> bool {
        self.makes_left_out() || self.is_sequential() || self.inner().any(Producer::is_stream)
    }

    /// Whether it leaves out items that are made nevertheless.
    fn makes_left_out(&self) -> bool {
        let leaves_out = matches!(self, Producer::Skip(..) | Producer::StepBy(..));
        (leaves_out && self.may_have_effects()) || self.inner().any(Producer::makes_left_out)
    }

    /// Whether it leaves out items which are made if it is asked for the last one first.
    pub fn makes_left_out_behind(&self) -> bool {
        let leaves_out = matches!(self, Producer::Take(..));
        (leaves_out && self.may_have_effects())
            || self.makes_left_out()
            || self.inner().any(Producer::makes_left_out_behind)
    }

    /// Whether the items have no positions.
    pub fn is_sequential(&self) -> bool {
        let sequential = matches!(
            self,
            Producer::Filter(..)
                | Producer::FilterMap(..)
                | Producer::FlatMap(..)
                | Producer::Chain(..)
                | Producer::TakeWhile(..)
                | Producer::SkipWhile(..)
                | Producer::MapWhile(..)
                | Producer::Scan(..)
                | Producer::Inspect(..)
                | Producer::Successors(..)
                | Producer::FromFn(_)
                | Producer::Runs { .. }
        );
        sequential || self.inner().any(Producer::is_sequential)
    }

    /// Whether items are made by a function that writes what it captures or is lent: such an iterator is
    /// the same as its items only if each of them is asked for, in order.
    pub fn has_effects(&self) -> bool {
        matches!(self, Producer::Inspect(..) | Producer::FromFn(_))
            || matches!(self, Producer::Scan(_, _, f)
                if f.writes_outside() || self.lends() && f.writes(true))
            || self.function().is_some_and(|f| f.writes(self.lends()))
            || self.inner().any(Producer::has_effects)
    }

    /// The same, and whether items are made by a function that may have a state of its own: a random number.
    pub fn may_have_effects(&self) -> bool {
        self.has_effects()
            || self.function().is_some_and(Callable::calls)
            || matches!(self, Producer::Scan(_, _, f) if f.calls())
            || self.inner().any(Producer::may_have_effects)
    }

    /// Whether it has effects and leaves items out: which of these are made as well differs from one end to
    /// the other.
    pub fn has_uneven_effects(&self) -> bool {
        let uneven = matches!(
            self,
            Producer::Skip(..) | Producer::StepBy(..) | Producer::Take(..) | Producer::Zip(..)
        );
        (uneven && self.has_effects()) || self.inner().any(Producer::has_uneven_effects)
    }

    /// Whether items may be `&mut` references.
    pub fn lends(&self) -> bool {
        let lent = |value: &Value| matches!(value, Value::View(_, true));
        match self {
            Producer::Elements(_, mutable) => *mutable == Some(true),
            Producer::Chunks { mutable, .. }
            | Producer::Arrays { mutable, .. }
            | Producer::ChunksFromEnd { mutable, .. }
            | Producer::Flattened { mutable, .. }
            | Producer::Runs { mutable, .. } => *mutable,
            Producer::Listed(values) => values.iter().any(lent),
            Producer::Repeat(value) | Producer::Once(value) => lent(value),
            _ => self.inner().any(Producer::lends),
        }
    }

    /// Whether the item of a position can be had again at no cost: no function makes it.
    pub fn is_plain(&self) -> bool {
        let made = matches!(
            self,
            Producer::Listed(_) | Producer::Repeat(_) | Producer::Once(_) | Producer::Empty
        );
        !made
            && !self.is_stream()
            && self.function().is_none()
            && self.inner().all(Producer::is_plain)
    }

    /// Whether it may go on for ever.
    pub fn may_go_on(&self) -> bool {
        match self {
            Producer::Successors(..) | Producer::FromFn(_) | Producer::Cycle(_) => true,
            Producer::Take(..) | Producer::TakeWhile(..) | Producer::MapWhile(..) => false,
            Producer::Zip(..) => self.inner().all(Producer::may_go_on),
            _ => self.is_unbounded() || self.inner().any(Producer::may_go_on),
        }
    }

    /// Whether it has no end.
    pub fn is_unbounded(&self) -> bool {
        match self {
            Producer::Range(b) => b.hi.is_none(),
            Producer::Repeat(_) => true,
            Producer::Map(..)
            | Producer::Enumerate(_)
            | Producer::Copied(_)
            | Producer::Cursor(..)
            | Producer::Skip(..)
            | Producer::StepBy(..)
            | Producer::Zip(..) => self.inner().all(Producer::is_unbounded),
            _ => false,
        }
    }
}
