//! Consumers that compare or combine each item with an accumulator.

use std::rc::Rc;

use proc_macro2::Span;

use super::escaping_item::EscapingItem;
use crate::ir::construct::{binary, usize_lit};
use crate::ir::{BinOp, Expr, StmtKind, Ty, UnOp};
use crate::lower::Lower;
use crate::lower::aggregate::split_enum::bool_lit;
use crate::lower::inline::closure::Callable;
use crate::lower::iter::Producer;
use crate::lower::iter::range::IterRange;
use crate::lower::value::Value;
use crate::mir::labeled::LabeledStmt;

/// The ordering by which the best item is selected.
pub enum Order {
    /// A comparison function.
    Comparison(Callable),
    /// A key function.
    Key(Callable),
    /// `Ord` of the items.
    Natural,
}

impl Lower {
    /// `max_by` and the like. Of equal items, `max` selects the last and `min` the first.
    pub fn extremum(
        &mut self,
        p: &Rc<Producer>,
        order: &Order,
        largest: bool,
        span: Span,
    ) -> Value {
        if !p.is_recomputable() {
            return self.accumulate_from_first(p, span, &mut |l, best, item| {
                let test = l.replaces_best(order, best, &item, largest, span);
                l.emit_if(test, span, |l| l.store(best.clone(), item, span), |_| {});
            });
        }
        let n = self.length(p);
        let n = self.stable_operand(n, Ty::USIZE, span);
        let some = self.freeze_tag(binary(BinOp::Gt, n, usize_lit(0)), span);
        let at = self.mutable_var("best", usize_lit(0), Ty::USIZE, span);
        let others = Producer::Skip(Rc::new(Producer::Enumerate(p.clone())), usize_lit(1));
        self.for_each_item(&others, span, &mut |l, pair, _| {
            let mut pair = l.components(pair, 2, span).into_iter();
            let (Some(k), Some(item)) = (pair.next(), pair.next()) else {
                return;
            };
            let best = l.item(p, Expr::Read(at.clone()), span);
            let test = l.replaces_best(order, &best, &item, largest, span);
            let here = |l: &mut Self| l.store(Value::Place(at.clone()), k, span);
            l.emit_if(test, span, here, |_| {});
        });
        let item = self.maybe_item(p, Expr::Read(at), span);
        self.some_if(some, item)
    }

    /// Whether the item replaces the best one so far.
    fn replaces_best(
        &mut self,
        order: &Order,
        best: &Value,
        item: &Value,
        largest: bool,
        span: Span,
    ) -> Expr {
        let (best, item) = (best.clone(), item.clone());
        let order = match order {
            Order::Comparison(f) => {
                let both = [best, item].map(|value| self.borrow_value(value, false));
                self.apply(f, both.into(), span)
            }
            Order::Key(f) => {
                let [best, item] = [best, item].map(|value| self.borrow_value(value, false));
                let best = self.apply(f, vec![best], span);
                let best = self.computed_once(best, span);
                let item = self.apply(f, vec![item], span);
                self.compare("cmp", best, item, span)
            }
            Order::Natural => self.compare("cmp", best, item, span),
        };
        let (order, _) = self.read(order, span);
        let test = if largest { "is_le" } else { "is_gt" };
        Expr::Discrete(test.into(), vec![order], Ty::Bool)
    }

    /// `is_sorted`, `is_sorted_by` and `is_sorted_by_key`.
    pub fn sorted(
        &mut self,
        p: &Rc<Producer>,
        name: &str,
        f: Option<&Callable>,
        span: Span,
    ) -> Value {
        let sorted = self.mutable_var("sorted", bool_lit(true), Ty::Bool, span);
        let next = Rc::new(Producer::Skip(p.clone(), usize_lit(1)));
        self.for_each_item(
            &Producer::Zip(p.clone(), next),
            span,
            &mut |l, pair, end| {
                let mut pair = l.components(pair, 2, span).into_iter();
                let (Some(a), Some(b)) = (pair.next(), pair.next()) else {
                    return;
                };
                let ordered = match f {
                    Some(f) if name == "is_sorted_by" => l.apply(f, vec![a, b], span),
                    Some(f) => {
                        let a = l.apply(f, vec![a], span);
                        let a = l.computed_once(a, span);
                        let b = l.apply(f, vec![b], span);
                        l.binary(BinOp::Le, a, b, span)
                    }
                    None => l.binary(BinOp::Le, a, b, span),
                };
                let (ordered, _) = l.read(ordered, span);
                let leave = |l: &mut Self| {
                    l.emit(span, StmtKind::Assign(sorted.clone(), bool_lit(false)));
                    l.out.push(LabeledStmt::Exit(end));
                };
                l.emit_if(ordered, span, |_| {}, leave);
            },
        );
        Value::Place(sorted)
    }

    pub fn reduce(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> Value {
        self.accumulate_from_first(p, span, &mut |l, acc, item| {
            let value = l.apply(f, vec![acc.clone(), item], span);
            l.store(acc.clone(), value, span);
        })
    }

    /// Stores the first item in a variable, and calls `step` for each further one.
    fn accumulate_from_first(
        &mut self,
        p: &Rc<Producer>,
        span: Span,
        step: &mut dyn FnMut(&mut Self, &Value, Value),
    ) -> Value {
        let mut kept = EscapingItem::default();
        if p.is_stream() || p.has_effects() {
            let found = self.mutable_var("found", bool_lit(false), Ty::Bool, span);
            self.with_escaping_item(&mut kept, |l, kept| {
                l.for_each_item(p, span, &mut |l, item, _| {
                    let item = l.computed_once(item, span);
                    if l.refuse_unstorable(&item, span) {
                        return;
                    }
                    l.declare_escaping(kept, &item, span);
                    let dest = kept.stored.as_ref().map(|(d, _)| d.clone());
                    let dest = dest.unwrap_or(Value::Unit);
                    let first = |l: &mut Self| {
                        l.store(dest.clone(), Lower::copied_item(item.clone()), span);
                        l.emit(span, StmtKind::Assign(found.clone(), bool_lit(true)));
                    };
                    let other = |l: &mut Self| step(l, &dest, item.clone());
                    // Rustc infers the variable's type from its first assignment, so that comes first.
                    let none = Expr::Unary(UnOp::Not, Box::new(Expr::Read(found.clone())));
                    l.emit_if(none, span, first, other);
                });
            });
            let item = self.read_escaping(kept);
            return self.some_if(Expr::Read(found), item);
        }
        let n = self.length(p);
        let n = self.stable_operand(n, Ty::USIZE, span);
        let some = self.freeze_tag(binary(BinOp::Gt, n.clone(), usize_lit(0)), span);
        self.with_escaping_item(&mut kept, |l, kept| {
            let run = |l: &mut Self| {
                let first = l.item(p, usize_lit(0), span);
                l.store_escaping(kept, first, span);
                let dest = kept.stored.as_ref().map(|(d, _)| d.clone());
                let dest = dest.unwrap_or(Value::Unit);
                let others = Producer::Range(IterRange::positions(usize_lit(1), n.clone()));
                l.for_each_item(&others, span, &mut |l, k, _| {
                    let (k, _) = l.read(k, span);
                    let item = l.item(p, k, span);
                    let item = l.computed_once(item, span);
                    step(l, &dest, item);
                });
            };
            l.emit_if(some.clone(), span, run, |_| {});
        });
        let item = self.read_escaping(kept);
        self.some_if(some, item)
    }
}
