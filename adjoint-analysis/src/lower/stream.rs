//! Iterators that have no item at each position: filtered, chained, with a state.
//!
//! Such an iterator is code that runs over its items, from the inside out: the loop over the positions
//! of what it is made of, with tests, counters and states around what is done with an item.

use std::rc::Rc;

use proc_macro2::Span;

use super::choice::{Choice, Family, known, lit};
use super::closure::Callable;
use super::iter::{Producer, binary, is_unbounded};
use super::raw::{LabelId, Raw};
use super::value::{Value, usize_lit};
use super::{Lower, Origin, StmtKind, Ty};
use crate::ir::{BinOp, Expr, LoopHead, Place};
use crate::refuse::Reason;

/// What is done with each item. It is written once for each loop that yields items: a chain has two.
pub type Body<'b> = &'b mut dyn FnMut(&mut Lower, Value);

/// Whether the items can only be had one after the other.
pub fn is_stream(p: &Producer) -> bool {
    match p {
        Producer::Range(_)
        | Producer::Elements(..)
        | Producer::Listed(_)
        | Producer::Chunks { .. }
        | Producer::ChunksFromEnd { .. }
        | Producer::Windows { .. }
        | Producer::Repeat(_)
        | Producer::Once(_)
        | Producer::Empty => false,
        Producer::Map(p, _)
        | Producer::Enumerate(p)
        | Producer::Copied(p)
        | Producer::Rev(p)
        | Producer::Skip(p, _)
        | Producer::Take(p, _)
        | Producer::StepBy(p, _)
        | Producer::Cursor(p, _)
        | Producer::Cycle(p) => is_stream(p),
        Producer::Zip(a, b) => is_stream(a) || is_stream(b),
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
        | Producer::FromFn(_) => true,
    }
}

impl Lower {
    /// Code that runs over the items. The iteration ends behind the code with the label `end`.
    pub fn drive(&mut self, p: &Producer, end: LabelId, span: Span, body: Body<'_>) {
        if !is_stream(p) {
            return self.positions(p, end, span, body);
        }
        match p {
            Producer::Filter(p, f) => self.drive(p, end, span, &mut |l, item| {
                let item = l.held(item, span);
                let test = l.predicate(f, &item, span);
                l.under(test, span, |l| body(l, item), |_| {});
            }),
            Producer::FilterMap(p, f) => self.drive(p, end, span, &mut |l, item| {
                let c = l.optional(f, vec![item], span);
                l.under(c.tag, span, |l| body(l, c.yes), |_| {});
            }),
            Producer::TakeWhile(p, f) => self.drive(p, end, span, &mut |l, item| {
                let item = l.held(item, span);
                let test = l.predicate(f, &item, span);
                l.under(
                    test,
                    span,
                    |l| body(l, item),
                    |l| l.out.push(Raw::Exit(end)),
                );
            }),
            Producer::MapWhile(p, f) => self.drive(p, end, span, &mut |l, item| {
                let c = l.optional(f, vec![item], span);
                l.under(
                    c.tag,
                    span,
                    |l| body(l, c.yes),
                    |l| l.out.push(Raw::Exit(end)),
                );
            }),
            Producer::SkipWhile(p, f) => self.drive_skip_while(p, f, end, span, body),
            Producer::Scan(p, init, f) => {
                let state = self.owned("state", (**init).clone(), true, span);
                let view = self.borrowed(state, true);
                self.drive(p, end, span, &mut |l, item| {
                    let c = l.optional(f, vec![view.clone(), item], span);
                    l.under(
                        c.tag,
                        span,
                        |l| body(l, c.yes),
                        |l| l.out.push(Raw::Exit(end)),
                    );
                });
            }
            Producer::Inspect(p, f) => self.drive(p, end, span, &mut |l, item| {
                let item = l.held(item, span);
                l.apply(f, vec![item.clone()], span);
                body(l, item);
            }),
            Producer::Map(p, f) => self.drive(p, end, span, &mut |l, item| {
                let mapped = l.apply(f, vec![item], span);
                if !matches!(mapped, Value::Never) {
                    body(l, mapped);
                }
            }),
            Producer::Copied(p) => {
                self.drive(p, end, span, &mut |l, item| body(l, Lower::copied(item)));
            }
            Producer::FlatMap(p, f, reversed) => self.drive(p, end, span, &mut |l, item| {
                let inner = match f {
                    Some(f) => l.apply(f, vec![item], span),
                    None => item,
                };
                l.drive_inner(inner, *reversed, span, body);
            }),
            Producer::Chain(a, b) => {
                let (raws, ()) = self.in_block(|l| {
                    for p in [a, b] {
                        let end = l.fresh_label();
                        l.drive(p, end, span, body);
                    }
                });
                self.out.push(Raw::Labeled(end, raws));
            }
            Producer::Successors(first, f) => self.drive_successors(first, f, end, span, body),
            Producer::FromFn(f) => self.endless(end, span, |l| {
                let c = l.optional(f, Vec::new(), span);
                l.under(
                    c.tag,
                    span,
                    |l| body(l, c.yes),
                    |l| l.out.push(Raw::Exit(end)),
                );
            }),
            p => self.drive_counted(p, end, span, body),
        }
    }

    /// Adapters that count the items of a stream.
    fn drive_counted(&mut self, p: &Producer, end: LabelId, span: Span, body: Body<'_>) {
        let zero = usize_lit(0);
        match p {
            Producer::Enumerate(p) => {
                let count = self.counter("count", zero, span);
                self.drive(p, end, span, &mut |l, item| {
                    let at = l.temp(span, "at", Expr::Read(count.clone()), Ty::USIZE);
                    l.count_by_one(&count, BinOp::Add, span);
                    body(
                        l,
                        Value::Tuple(vec![Value::Expr(Expr::Read(at), Ty::USIZE), item]),
                    );
                });
            }
            Producer::Skip(p, n) => {
                let left = self.counter("left", n.clone(), span);
                self.drive(p, end, span, &mut |l, item| {
                    let none = binary(BinOp::Eq, Expr::Read(left.clone()), usize_lit(0));
                    l.under(
                        none,
                        span,
                        |l| body(l, item),
                        |l| l.count_by_one(&left, BinOp::Sub, span),
                    );
                });
            }
            Producer::Take(p, n) => {
                let left = self.counter("left", n.clone(), span);
                let some = binary(BinOp::Gt, n.clone(), usize_lit(0));
                let run = |l: &mut Self| {
                    l.drive(p, end, span, &mut |l, item| {
                        body(l, item);
                        l.count_by_one(&left, BinOp::Sub, span);
                        let none = binary(BinOp::Eq, Expr::Read(left.clone()), usize_lit(0));
                        l.under(none, span, |l| l.out.push(Raw::Exit(end)), |_| {});
                    });
                };
                self.under(some, span, run, |_| {});
            }
            Producer::StepBy(p, n) => {
                let left = self.counter("left", zero, span);
                let wait = binary(BinOp::Sub, n.clone(), usize_lit(1));
                self.drive(p, end, span, &mut |l, item| {
                    let none = binary(BinOp::Eq, Expr::Read(left.clone()), usize_lit(0));
                    let again = |l: &mut Self| {
                        l.emit(span, StmtKind::Assign(left.clone(), wait.clone()));
                        body(l, item);
                    };
                    l.under(none, span, again, |l| {
                        l.count_by_one(&left, BinOp::Sub, span)
                    });
                });
            }
            Producer::Zip(a, b) if is_stream(a) => {
                self.drive_zip(a, b, end, span, &mut |l, a, b| {
                    body(l, Value::Tuple(vec![a, b]));
                })
            }
            Producer::Zip(a, b) => self.drive_zip(b, a, end, span, &mut |l, b, a| {
                body(l, Value::Tuple(vec![a, b]));
            }),
            _ => {
                let what = "the items of this iterator in another order";
                self.refuse(span, Reason::Iterator(what.into()));
            }
        }
    }

    /// The items of a stream beside the items at the positions `0..` of the other.
    fn drive_zip(
        &mut self,
        stream: &Producer,
        other: &Producer,
        end: LabelId,
        span: Span,
        body: &mut dyn FnMut(&mut Lower, Value, Value),
    ) {
        let count = self.counter("count", usize_lit(0), span);
        let len = match is_unbounded(other) {
            true => None,
            false => {
                let len = self.length(other);
                Some(self.fix(len, Ty::USIZE, span))
            }
        };
        self.drive(stream, end, span, &mut |l, item| {
            let at = l.temp(span, "at", Expr::Read(count.clone()), Ty::USIZE);
            if let Some(len) = &len {
                let done = binary(BinOp::Ge, Expr::Read(at.clone()), len.clone());
                l.under(done, span, |l| l.out.push(Raw::Exit(end)), |_| {});
            }
            l.count_by_one(&count, BinOp::Add, span);
            let beside = l.item(other, Expr::Read(at), span);
            body(l, item, beside);
        });
    }

    fn drive_skip_while(
        &mut self,
        p: &Producer,
        f: &Callable,
        end: LabelId,
        span: Span,
        body: Body<'_>,
    ) {
        let skipping = self.let_var(span, "skipping", lit(true), Ty::Bool, Origin::Local);
        let skipping = self.func.place(skipping);
        self.drive(p, end, span, &mut |l, item| {
            let item = l.held(item, span);
            let still = |l: &mut Self| {
                let test = l.predicate(f, &item, span);
                l.emit(span, StmtKind::Assign(skipping.clone(), test));
            };
            l.under(Expr::Read(skipping.clone()), span, still, |_| {});
            l.under(
                Expr::Read(skipping.clone()),
                span,
                |_| {},
                |l| body(l, item.clone()),
            );
        });
    }

    fn drive_successors(
        &mut self,
        first: &Value,
        f: &Callable,
        end: LabelId,
        span: Span,
        body: Body<'_>,
    ) {
        let next = self.choice(first.clone(), Family::Option, span);
        let next = self.own_choice("next", next, true, span);
        self.endless(end, span, |l| {
            let leave = |l: &mut Self| l.out.push(Raw::Exit(end));
            l.under(next.tag.clone(), span, |_| {}, leave);
            let item = l.pin(next.yes.clone(), span);
            let after = l.apply(f, vec![item.clone()], span);
            l.store_choice(&next, after, span);
            body(l, item);
        });
    }

    /// The items of an item.
    fn drive_inner(&mut self, inner: Value, reversed: bool, span: Span, body: Body<'_>) {
        if let Some(family) = self.family_of(&inner) {
            // An `Option` or `Result` is an iterator of one item or none.
            let c = self.choice(inner, family, span);
            return self.under(c.tag, span, |l| body(l, c.yes), |_| {});
        }
        let Some(p) = self.producer(inner, span) else {
            return;
        };
        let p = match reversed {
            true => self.reversed(&p),
            false => (*p).clone(),
        };
        let end = self.fresh_label();
        self.drive(&p, end, span, body);
    }

    /// `loop { .. }`, which `end` leaves.
    fn endless(&mut self, end: LabelId, span: Span, body: impl FnOnce(&mut Self)) {
        let (raws, ()) = self.in_block(body);
        let id = self.stmt_id(span);
        self.out.push(Raw::Loop(id, LoopHead::Forever, end, raws));
    }

    /// A loop over the positions of a producer that has them.
    fn positions(&mut self, p: &Producer, end: LabelId, span: Span, body: Body<'_>) {
        if let Producer::Empty = p {
            return;
        }
        if let Producer::Once(value) = p {
            let (raws, ()) = self.in_block(|l| body(l, (**value).clone()));
            self.out.push(Raw::Labeled(end, raws));
            return;
        }
        let (var, range, direct) = self.counted(p, "k", span);
        let (raws, ()) = self.in_block(|l| {
            let index = Expr::Read(l.func.place(var));
            let item = match direct {
                true => Value::Place(l.func.place(var)),
                false => l.item(p, index, span),
            };
            body(l, item);
        });
        let id = self.stmt_id(span);
        let head = LoopHead::Counted(var, range);
        self.out.push(Raw::Loop(id, head, end, raws));
    }

    // Small pieces.

    /// An integer variable that counts.
    fn counter(&mut self, name: &str, start: Expr, span: Span) -> Place {
        let var = self.let_var(span, name, start, Ty::USIZE, Origin::Local);
        self.func.place(var)
    }

    /// `counter += 1`, `counter -= 1`
    fn count_by_one(&mut self, counter: &Place, op: BinOp, span: Span) {
        let next = binary(op, Expr::Read(counter.clone()), usize_lit(1));
        self.emit(span, StmtKind::Assign(counter.clone(), next));
    }

    /// The value, computed once although it is used several times.
    pub fn held(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Expr(e @ (Expr::Lit(..) | Expr::Read(_)), ty) => Value::Expr(e, ty),
            Value::Expr(..) => self.pin(value, span),
            Value::Tuple(parts) => {
                Value::Tuple(parts.into_iter().map(|v| self.held(v, span)).collect())
            }
            Value::Choice(c) => Value::Choice(Box::new(self.own_choice("item", *c, false, span))),
            other => other,
        }
    }

    /// A reference to a value held in variables.
    fn borrowed(&mut self, value: Value, mutable: bool) -> Value {
        match value {
            Value::Place(p) => Value::View(p, mutable),
            Value::Tuple(parts) => Value::Tuple(
                parts
                    .into_iter()
                    .map(|v| self.borrowed(v, mutable))
                    .collect(),
            ),
            other => other,
        }
    }

    /// The item of `copied()`.
    pub fn copied(item: Value) -> Value {
        match item {
            Value::View(p, _) => Value::Place(p),
            other => other,
        }
    }

    /// The closure's answer for an item.
    pub fn predicate(&mut self, f: &Callable, item: &Value, span: Span) -> Expr {
        let test = self.apply(f, vec![item.clone()], span);
        let (test, ty) = self.read(test, span);
        self.unify(&ty, &Ty::Bool);
        test
    }

    /// The `Option` that the closure makes, with a tag that is known or held in a variable.
    fn optional(&mut self, f: &Callable, args: Vec<Value>, span: Span) -> Choice {
        let value = self.apply(f, args, span);
        if matches!(value, Value::Never) {
            let none = self.variant_value("None", Value::Unit);
            return self.choice(none, Family::Option, span);
        }
        let c = self.choice(value, Family::Option, span);
        match known(&c.tag) {
            Some(_) => c,
            None => {
                let tag = self.flag(c.tag.clone(), span);
                Choice { tag, ..c }
            }
        }
    }

    /// The producer, last item first.
    pub fn reversed(&mut self, p: &Rc<Producer>) -> Producer {
        let rev = |l: &mut Self, p: &Rc<Producer>| Rc::new(l.reversed(p));
        match &**p {
            Producer::Range(b) => self.reversed_range(p, b),
            Producer::Filter(q, f) => Producer::Filter(rev(self, q), f.clone()),
            Producer::FilterMap(q, f) => Producer::FilterMap(rev(self, q), f.clone()),
            Producer::Inspect(q, f) => Producer::Inspect(rev(self, q), f.clone()),
            Producer::FlatMap(q, f, reversed) => {
                Producer::FlatMap(rev(self, q), f.clone(), !reversed)
            }
            Producer::Chain(a, b) => Producer::Chain(rev(self, b), rev(self, a)),
            Producer::Map(q, f) if is_stream(q) => Producer::Map(rev(self, q), f.clone()),
            Producer::Copied(q) if is_stream(q) => Producer::Copied(rev(self, q)),
            Producer::Once(_) | Producer::Empty => (**p).clone(),
            _ => Producer::Rev(p.clone()),
        }
    }
}
