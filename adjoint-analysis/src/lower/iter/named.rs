//! Named iterators: `next` advances a position that a variable holds.

pub(super) mod double_ended;
pub(super) mod reassigned;
pub(super) mod user_iterator;

use std::rc::Rc;

use proc_macro2::Span;

use super::Producer;
use super::consumer::escaping_item::EscapingItem;
use crate::ir::construct::{binary, saturating_sub, usize_lit};
use crate::ir::{BinOp, Expr, Place, StmtKind, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::split_enum::{EnumKind, bool_lit};
use crate::lower::value::Value;
use crate::refuse::Reason;

impl Lower {
    /// The iterator of a `mut` binding: `next` advances its position.
    pub fn named_iterator(&mut self, name: &str, p: Rc<Producer>, span: Span) -> Rc<Producer> {
        if p.is_stream() || p.has_effects() || matches!(&*p, Producer::Cursor(..)) {
            return p;
        }
        let p = match self.double_ended_names.contains(name) && !p.is_unbounded() {
            true => {
                let taken = self.mutable_var("taken", usize_lit(0), Ty::USIZE, span);
                Rc::new(Producer::WithoutBack(p, taken))
            }
            false => p,
        };
        let at = self.mutable_var("position", usize_lit(0), Ty::USIZE, span);
        Rc::new(Producer::Cursor(p, at))
    }

    /// `it.next_if(f)`
    pub fn next_item_if(
        &mut self,
        p: &Producer,
        at: &Place,
        f: &syn::Expr,
        span: Span,
    ) -> Option<Value> {
        let next = self.next_item(p, at, false, span);
        let next = self.split_enum(next, EnumKind::Option, span);
        let Value::SplitEnum(next) = self.filter_payload(next, f, span)? else {
            return None;
        };
        let step = |l: &mut Self| l.step_counter(at, BinOp::Add, span);
        self.emit_if(next.tag.clone(), span, step, |_| {});
        Some(Value::SplitEnum(next))
    }

    /// `it.nth(n)`: skips `n` items.
    pub fn nth_item(&mut self, p: &Producer, at: &Place, n: &syn::Expr, span: Span) -> Value {
        let n = self.eval_usize(n);
        self.skip_items(p, at, at, n, span);
        self.next_item(p, at, true, span)
    }

    /// `it.next_back()` and `it.nth_back(n)`; `None` if no variable counts the items taken from the back.
    pub fn next_back_item(
        &mut self,
        (p, at): (&Producer, &Place),
        n: Option<&syn::Expr>,
        span: Span,
    ) -> Option<Value> {
        let Producer::WithoutBack(items, taken) = p else {
            return None;
        };
        if let Some(n) = n {
            let n = self.eval_usize(n);
            self.skip_items(p, at, taken, n, span);
        }
        let end = self.length(p);
        let end = self.stable_operand(end, Ty::USIZE, span);
        let some = binary(BinOp::Lt, Expr::Read(at.clone()), end.clone());
        let some = self.freeze_tag(some, span);
        let step = |l: &mut Self| l.step_counter(taken, BinOp::Add, span);
        self.emit_if(some.clone(), span, step, |_| {});
        let last = self.stable_operand(saturating_sub(end, usize_lit(1)), Ty::USIZE, span);
        Some(self.optional_item(some, items, last, span))
    }

    /// Adds `n`, but no more than the number of remaining items, to a counter.
    fn skip_items(&mut self, p: &Producer, at: &Place, counted: &Place, n: Expr, span: Span) {
        let left = saturating_sub(self.length(p), Expr::Read(at.clone()));
        let more = Expr::Discrete("min".into(), vec![n, left], Ty::USIZE);
        let next = binary(BinOp::Add, Expr::Read(counted.clone()), more);
        let next = self.stable_operand(next, Ty::USIZE, span);
        self.emit(span, StmtKind::Assign(counted.clone(), next));
    }

    /// `it.next()`, `it.peek()`
    pub fn next_item(&mut self, p: &Producer, at: &Place, moves: bool, span: Span) -> Value {
        let here = self.temp(span, "at", Expr::Read(at.clone()), Ty::USIZE);
        let some = match p.is_unbounded() {
            true => bool_lit(true),
            false => {
                let len = self.length(p);
                self.freeze_tag(binary(BinOp::Lt, Expr::Read(here.clone()), len), span)
            }
        };
        if moves {
            let next = binary(BinOp::Add, Expr::Read(here.clone()), usize_lit(1));
            let step = |l: &mut Self| l.emit(span, StmtKind::Assign(at.clone(), next));
            self.emit_if(some.clone(), span, step, |_| {});
        }
        self.optional_item(some, p, Expr::Read(here), span)
    }

    /// The item at a position, as an `Option` that is `Some` under a condition.
    fn optional_item(&mut self, some: Expr, p: &Producer, at: Expr, span: Span) -> Value {
        let (raws, item) = self.in_block(|l| l.maybe_item(p, at, span));
        if !Lower::is_pure(&raws) {
            let what = "an iterator through `next` behind a closure with statements";
            return self.refuse(span, Reason::Iterator(what.into()));
        }
        if p.is_recomputable() || !self.is_storable(&item) {
            self.out.extend(raws);
            return self.some_if(some, item);
        }
        // The code that computes the item may panic if there is none, so it is conditional.
        let mut kept = EscapingItem::default();
        self.with_escaping_item(&mut kept, |l, kept| {
            let make = |l: &mut Self| {
                l.out.extend(raws);
                l.store_escaping(kept, item, span);
            };
            l.emit_if(some.clone(), span, make, |_| {});
        });
        let item = self.read_escaping(kept);
        self.some_if(some, item)
    }
}
