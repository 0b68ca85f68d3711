//! Producers: the representation of iterators while lowering.

use std::rc::Rc;

use super::range::IterRange;
use crate::ir::{Expr, Place};
use crate::lower::inline::closure::Callable;
use crate::lower::value::Value;

/// An iterator, by the source of its items.
#[derive(Clone, Debug)]
pub enum Producer {
    /// A range of integers; no upper bound for `lo..`.
    Range(IterRange),
    /// The elements of a sequence: `None` by value, `Some(mutable)` by reference.
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
    /// The elements of the arrays of length `size` in a sequence (`as_flattened`).
    Flattened {
        of: Place,
        size: Expr,
        mutable: bool,
    },
    /// The maximal runs in which the predicate `within` holds for each two neighbours (`chunk_by`).
    ChunkBy {
        of: Place,
        within: Callable,
        mutable: bool,
    },
    /// The references in an array of references.
    References(Vec<Value>),
    /// `zip`
    Zip(Rc<Producer>, Rc<Producer>),
    /// `enumerate`
    Enumerate(Rc<Producer>),
    /// `map`
    Map(Rc<Producer>, Callable),
    /// `copied` and `cloned`
    Copied(Rc<Producer>),
    /// `rev`
    Rev(Rc<Producer>),
    /// `skip`
    Skip(Rc<Producer>, Expr),
    /// `take`
    Take(Rc<Producer>, Expr),
    /// `step_by`
    StepBy(Rc<Producer>, Expr),
    /// The items from a position on, which a variable holds and `next` advances.
    Cursor(Rc<Producer>, Place),
    /// The items without those taken by `next_back`, whose number a variable holds.
    WithoutBack(Rc<Producer>, Place),
    /// `cycle`
    Cycle(Rc<Producer>),
    /// `iter::repeat`
    Repeat(Box<Value>),
    /// `iter::once`
    Once(Box<Value>),
    /// No items.
    Empty,
    /// `filter`
    Filter(Rc<Producer>, Callable),
    /// `filter_map`
    FilterMap(Rc<Producer>, Callable),
    /// `flat_map`, or `flatten` without a function; the flag reverses the inner iterators.
    FlatMap(Rc<Producer>, Option<Callable>, bool),
    /// `chain`
    Chain(Rc<Producer>, Rc<Producer>),
    /// `take_while`
    TakeWhile(Rc<Producer>, Callable),
    /// `skip_while`
    SkipWhile(Rc<Producer>, Callable),
    /// `map_while`
    MapWhile(Rc<Producer>, Callable),
    /// `scan`, with the initial state.
    Scan(Rc<Producer>, Box<Value>, Callable),
    /// `inspect`
    Inspect(Rc<Producer>, Callable),
    /// `iter::successors`
    Successors(Box<Value>, Callable),
    /// `iter::from_fn`
    FromFn(Callable),
}

impl Producer {
    /// The payload of an `Option` or `Result` as an iterator of at most one item.
    pub fn of_option(choice: Value) -> Producer {
        Producer::FlatMap(Rc::new(Producer::Once(Box::new(choice))), None, false)
    }

    /// The producers that it adapts.
    pub(super) fn inner(&self) -> impl Iterator<Item = &Producer> {
        let (first, second) = match self {
            Producer::Range(_)
            | Producer::Elements(..)
            | Producer::References(_)
            | Producer::Chunks { .. }
            | Producer::Arrays { .. }
            | Producer::ChunksFromEnd { .. }
            | Producer::Windows { .. }
            | Producer::Flattened { .. }
            | Producer::ChunkBy { .. }
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
            | Producer::WithoutBack(p, _)
            | Producer::Enumerate(p)
            | Producer::Copied(p)
            | Producer::Rev(p)
            | Producer::Skip(p, _)
            | Producer::Take(p, _)
            | Producer::StepBy(p, _) => (Some(p), None),
        };
        first.into_iter().chain(second).map(|p| &**p)
    }

    /// The function that is called for each item.
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
            | Producer::ChunkBy { within: f, .. } => Some(f),
            _ => None,
        }
    }

    /// Whether the items can be computed only in order: they have no positions, or skipped items are computed for the
    /// effects of their closure.
    pub fn is_stream(&self) -> bool {
        self.computes_skipped() || self.is_sequential() || self.inner().any(Producer::is_stream)
    }

    /// Whether it skips items that are nevertheless computed for their effects.
    fn computes_skipped(&self) -> bool {
        let leaves_out = matches!(self, Producer::Skip(..) | Producer::StepBy(..));
        (leaves_out && self.may_have_effects()) || self.inner().any(Producer::computes_skipped)
    }

    /// Whether it skips items that are nevertheless computed for their effects when run in reverse.
    pub fn computes_skipped_reversed(&self) -> bool {
        let leaves_out = matches!(self, Producer::Take(..));
        (leaves_out && self.may_have_effects())
            || self.computes_skipped()
            || self.inner().any(Producer::computes_skipped_reversed)
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
                | Producer::ChunkBy { .. }
        );
        sequential || self.inner().any(Producer::is_sequential)
    }

    /// Whether a function that computes the items has effects on captured variables or on its `&mut` argument: each
    /// item must be computed once, in order.
    pub fn has_effects(&self) -> bool {
        matches!(self, Producer::Inspect(..) | Producer::FromFn(_))
            || matches!(self, Producer::Scan(_, _, f)
                if f.has_outside_effects() || self.yields_mut_refs() && f.has_effects(true))
            || self
                .function()
                .is_some_and(|f| f.has_effects(self.yields_mut_refs()))
            || self.inner().any(Producer::has_effects)
    }

    /// Whether it has effects, or calls a function that may have hidden state, as a random number generator has.
    pub fn may_have_effects(&self) -> bool {
        self.has_effects()
            || self
                .function()
                .is_some_and(Callable::may_reach_hidden_state)
            || matches!(self, Producer::Scan(_, _, f) if f.may_reach_hidden_state())
            || self.inner().any(Producer::may_have_effects)
    }

    /// Whether it has effects and drops items: which dropped items are computed depends on the direction.
    pub fn has_directional_effects(&self) -> bool {
        let uneven = matches!(
            self,
            Producer::Skip(..) | Producer::StepBy(..) | Producer::Take(..) | Producer::Zip(..)
        );
        (uneven && self.has_effects()) || self.inner().any(Producer::has_directional_effects)
    }

    /// Whether items may be `&mut` references.
    pub fn yields_mut_refs(&self) -> bool {
        let lent = |value: &Value| matches!(value, Value::PlaceRef(_, true));
        match self {
            Producer::Elements(_, mutable) => *mutable == Some(true),
            Producer::Chunks { mutable, .. }
            | Producer::Arrays { mutable, .. }
            | Producer::ChunksFromEnd { mutable, .. }
            | Producer::Flattened { mutable, .. }
            | Producer::ChunkBy { mutable, .. } => *mutable,
            Producer::References(values) => values.iter().any(lent),
            Producer::Repeat(value) | Producer::Once(value) => lent(value),
            _ => self.inner().any(Producer::yields_mut_refs),
        }
    }

    /// Whether the item at a position can be recomputed at no cost: no function computes it.
    pub fn is_recomputable(&self) -> bool {
        let made = matches!(
            self,
            Producer::References(_) | Producer::Repeat(_) | Producer::Once(_) | Producer::Empty
        );
        !made
            && !self.is_stream()
            && self.function().is_none()
            && self.inner().all(Producer::is_recomputable)
    }

    /// Whether it may be infinite.
    pub fn may_be_infinite(&self) -> bool {
        match self {
            Producer::Successors(..) | Producer::FromFn(_) | Producer::Cycle(_) => true,
            Producer::Take(..) | Producer::TakeWhile(..) | Producer::MapWhile(..) => false,
            Producer::Zip(..) => self.inner().all(Producer::may_be_infinite),
            _ => self.is_unbounded() || self.inner().any(Producer::may_be_infinite),
        }
    }

    /// Whether it has positions but no end.
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
