//! `zip`: pairs of items of two iterators; the left item of a pair is computed first.

use std::rc::Rc;

use proc_macro2::Span;

use super::Producer;
use crate::ir::Ty;
use crate::lower::Lower;
use crate::lower::value::Value;
use crate::refuse::Reason;

impl Lower {
    /// `a.zip(b)`
    pub fn zip(&mut self, p: Rc<Producer>, other: Value, span: Span) -> Value {
        let Some(other) = self.producer(other, span) else {
            return Value::Diverges;
        };
        // The consumer determines how many items the left iterator loses to a missing one on the right.
        if p.borrows_named() {
            let what = "pairs with what is left of a lent iterator on the left";
            return self.refuse(span, Reason::Iterator(what.into()));
        }
        let pair = match (p.has_effects(), other.has_effects()) {
            (false, _) if p.is_sequential() && p.may_have_effects() => {
                self.zip_left_effects(p, other, span)
            }
            (false, false) if other.is_sequential() && other.may_have_effects() => {
                self.zip_right_effects(p, other, span)
            }
            (false, false) => self.zip_without_effects(p, other, span),
            (false, true) => self.zip_right_effects(p, other, span),
            (true, _) => self.zip_left_effects(p, other, span),
        };
        match pair {
            Some((p, other)) => Value::Iter(Rc::new(Producer::Zip(p, other))),
            None => Value::Diverges,
        }
    }

    /// Zips without effects: at most one side stays a stream, the other one is collected for access by position.
    fn zip_without_effects(
        &mut self,
        p: Rc<Producer>,
        other: Rc<Producer>,
        span: Span,
    ) -> ZippedPair {
        if !(p.is_stream() && other.is_stream()) {
            return Some((p, other));
        }
        if !other.may_be_infinite() {
            let other = self.collect_for_positions(&other, span);
            return Some((p, other));
        }
        if p.may_be_infinite() {
            let what = "two iterators without an end in pairs";
            self.refuse(span, Reason::Iterator(what.into()));
            return None;
        }
        Some((self.collect_for_positions(&p, span), other))
    }

    /// Zips with effects on the right: an item on the right is computed only if there is one on the left.
    fn zip_right_effects(
        &mut self,
        p: Rc<Producer>,
        other: Rc<Producer>,
        span: Span,
    ) -> ZippedPair {
        if !other.is_stream() {
            return Some((p, other));
        }
        if !other.is_sequential() {
            // Std may access these iterators by position, and then computes skipped items only if another one follows.
            return self.refuse_pairs(span);
        }
        let p = match p.is_stream() {
            true if p.may_be_infinite() => return self.refuse_pairs(span),
            true => self.collect_for_positions(&p, span),
            false => p,
        };
        if p.is_unbounded() {
            return Some((p, other));
        }
        let len = self.length(&p);
        let len = self.stable_operand(len, Ty::USIZE, span);
        Some((p, Rc::new(Producer::Take(other, len))))
    }

    /// Zips with effects on the left: if the left side is longer, one item more is computed than there are pairs,
    /// except for iterators that std accesses by position.
    fn zip_left_effects(&mut self, p: Rc<Producer>, other: Rc<Producer>, span: Span) -> ZippedPair {
        match other.is_stream() {
            false if other.is_unbounded() || p.is_sequential() => Some((p, other)),
            true if p.is_sequential() && !other.may_have_effects() && !other.may_be_infinite() => {
                let other = self.collect_for_positions(&other, span);
                Some((p, other))
            }
            _ => self.refuse_pairs(span),
        }
    }

    fn refuse_pairs(&mut self, span: Span) -> ZippedPair {
        let what =
            "pairs for which a closure that writes may be called more often than there are pairs";
        self.refuse(span, Reason::Iterator(what.into()));
        None
    }
}

/// The zipped producers; `None` if refused.
type ZippedPair = Option<(Rc<Producer>, Rc<Producer>)>;
