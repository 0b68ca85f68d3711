//! Streams: iterators without an item at each position, such as filtered, chained or stateful ones.
//!
//! A stream is lowered to code that runs a body for each item, from the inside out: the loop over the positions of the
//! innermost producer, with tests, counters and states around the body.

use std::rc::Rc;

use proc_macro2::Span;

use super::Producer;
use crate::ir::construct::{binary, usize_lit};
use crate::ir::{BinOp, Expr, LoopHead, Place, StmtKind, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::split_enum::{EnumKind, SplitEnum, bool_lit, literal_bool, not};
use crate::lower::inline::closure::Callable;
use crate::lower::value::Value;
use crate::mir::labeled::{LabelId, LabeledStmt};
use crate::refuse::Reason;

/// The body that runs for each item. It is emitted once for each loop that yields items: a chain has two.
pub type Body<'b> = &'b mut dyn FnMut(&mut Lower, Value);

impl Lower {
    /// Emits code that runs `body` for each item. Exiting to the label `end` ends the iteration.
    pub fn drive(&mut self, p: &Producer, end: LabelId, span: Span, body: Body<'_>) {
        if !p.is_stream() {
            return self.drive_positions(p, end, span, body);
        }
        match p {
            Producer::Filter(p, f) => self.drive(p, end, span, &mut |l, item| {
                let item = l.computed_once(item, span);
                let test = l.predicate(f, &item, span);
                l.emit_if(test, span, |l| body(l, item), |_| {});
            }),
            Producer::FilterMap(p, f) => self.drive(p, end, span, &mut |l, item| {
                let c = l.apply_optional(f, vec![item], span);
                l.emit_if(c.tag, span, |l| body(l, c.payload), |_| {});
            }),
            Producer::TakeWhile(p, f) => self.drive(p, end, span, &mut |l, item| {
                let item = l.computed_once(item, span);
                let test = l.predicate(f, &item, span);
                l.emit_if(
                    test,
                    span,
                    |l| body(l, item),
                    |l| l.out.push(LabeledStmt::Exit(end)),
                );
            }),
            Producer::MapWhile(p, f) => self.drive(p, end, span, &mut |l, item| {
                let c = l.apply_optional(f, vec![item], span);
                l.while_some(c, end, span, body);
            }),
            Producer::SkipWhile(p, f) => self.drive_skip_while(p, f, end, span, body),
            Producer::Scan(p, init, f) => {
                let state = self.owned_value("state", (**init).clone(), true, span);
                let view = self.borrow_value(state, true);
                self.drive(p, end, span, &mut |l, item| {
                    let c = l.apply_optional(f, vec![view.clone(), item], span);
                    l.while_some(c, end, span, body);
                });
            }
            Producer::Inspect(p, f) => self.drive(p, end, span, &mut |l, item| {
                let item = l.computed_once(item, span);
                l.apply(f, vec![item.clone()], span);
                body(l, item);
            }),
            Producer::Map(p, f) => self.drive(p, end, span, &mut |l, item| {
                let mapped = l.apply(f, vec![item], span);
                if !matches!(mapped, Value::Diverges) {
                    body(l, mapped);
                }
            }),
            Producer::Copied(p) => {
                self.drive(p, end, span, &mut |l, item| {
                    body(l, Lower::copied_item(item))
                });
            }
            Producer::FlatMap(p, f, reversed) => self.drive(p, end, span, &mut |l, item| {
                let inner = match f {
                    Some(f) => l.apply(f, vec![item], span),
                    None => item,
                };
                l.check_iterable(&inner, span);
                l.drive_inner(inner, *reversed, span, body);
            }),
            Producer::Chain(a, b) => {
                let (raws, ()) = self.in_block(|l| {
                    for p in [a, b] {
                        let end = l.fresh_label();
                        l.drive(p, end, span, body);
                    }
                });
                self.out.push(LabeledStmt::Labeled(end, raws));
            }
            Producer::ChunkBy {
                of,
                within,
                mutable,
            } => self.drive_runs(of, within, *mutable, end, span, body),
            Producer::Successors(first, f) => self.drive_successors(first, f, end, span, body),
            Producer::FromFn(f) => self.endless_loop(end, span, |l| {
                let c = l.apply_optional(f, Vec::new(), span);
                l.while_some(c, end, span, body);
            }),
            p => self.drive_counted(p, end, span, body),
        }
    }

    /// The adapters that count the items of a stream.
    fn drive_counted(&mut self, p: &Producer, end: LabelId, span: Span, body: Body<'_>) {
        let zero = usize_lit(0);
        match p {
            Producer::Enumerate(p) => {
                let count = self.mutable_var("count", zero, Ty::USIZE, span);
                self.drive(p, end, span, &mut |l, item| {
                    let at = l.temp(span, "at", Expr::Read(count.clone()), Ty::USIZE);
                    l.step_counter(&count, BinOp::Add, span);
                    body(
                        l,
                        Value::Tuple(vec![Value::Expr(Expr::Read(at), Ty::USIZE), item]),
                    );
                });
            }
            Producer::Skip(p, n) => {
                let left = self.mutable_var("left", n.clone(), Ty::USIZE, span);
                self.drive(p, end, span, &mut |l, item| {
                    let none = binary(BinOp::Eq, Expr::Read(left.clone()), usize_lit(0));
                    l.emit_if(
                        none,
                        span,
                        |l| body(l, item),
                        |l| l.step_counter(&left, BinOp::Sub, span),
                    );
                });
            }
            Producer::Take(p, n) => {
                let left = self.mutable_var("left", n.clone(), Ty::USIZE, span);
                let some = binary(BinOp::Gt, n.clone(), usize_lit(0));
                let run = |l: &mut Self| {
                    l.drive(p, end, span, &mut |l, item| {
                        body(l, item);
                        l.step_counter(&left, BinOp::Sub, span);
                        let none = binary(BinOp::Eq, Expr::Read(left.clone()), usize_lit(0));
                        l.emit_if(none, span, |l| l.out.push(LabeledStmt::Exit(end)), |_| {});
                    });
                };
                self.emit_if(some, span, run, |_| {});
            }
            Producer::StepBy(p, n) => {
                let left = self.mutable_var("left", zero, Ty::USIZE, span);
                let wait = binary(BinOp::Sub, n.clone(), usize_lit(1));
                self.drive(p, end, span, &mut |l, item| {
                    let none = binary(BinOp::Eq, Expr::Read(left.clone()), usize_lit(0));
                    let again = |l: &mut Self| {
                        l.emit(span, StmtKind::Assign(left.clone(), wait.clone()));
                        body(l, item);
                    };
                    l.emit_if(none, span, again, |l| {
                        l.step_counter(&left, BinOp::Sub, span)
                    });
                });
            }
            Producer::Zip(a, b) if a.is_stream() => {
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

    /// Pairs the items of a stream with the items at positions `0..` of the other producer.
    fn drive_zip(
        &mut self,
        stream: &Producer,
        other: &Producer,
        end: LabelId,
        span: Span,
        body: &mut dyn FnMut(&mut Lower, Value, Value),
    ) {
        let count = self.mutable_var("count", usize_lit(0), Ty::USIZE, span);
        let len = match other.is_unbounded() {
            true => None,
            false => {
                let len = self.length(other);
                Some(self.stable_operand(len, Ty::USIZE, span))
            }
        };
        self.drive(stream, end, span, &mut |l, item| {
            let at = l.temp(span, "at", Expr::Read(count.clone()), Ty::USIZE);
            if let Some(len) = &len {
                let done = binary(BinOp::Ge, Expr::Read(at.clone()), len.clone());
                l.emit_if(done, span, |l| l.out.push(LabeledStmt::Exit(end)), |_| {});
            }
            l.step_counter(&count, BinOp::Add, span);
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
        let skipping = self.mutable_var("skipping", bool_lit(true), Ty::Bool, span);
        self.drive(p, end, span, &mut |l, item| {
            let item = l.computed_once(item, span);
            let still = |l: &mut Self| {
                let test = l.predicate(f, &item, span);
                l.emit(span, StmtKind::Assign(skipping.clone(), test));
            };
            l.emit_if(Expr::Read(skipping.clone()), span, still, |_| {});
            l.emit_if(
                Expr::Read(skipping.clone()),
                span,
                |_| {},
                |l| body(l, item.clone()),
            );
        });
    }

    /// `chunk_by`: a run ends after each element for which the predicate fails with the next one.
    fn drive_runs(
        &mut self,
        of: &Place,
        within: &Callable,
        mutable: bool,
        end: LabelId,
        span: Span,
        body: Body<'_>,
    ) {
        let start = self.mutable_var("start", usize_lit(0), Ty::USIZE, span);
        let elements = Producer::Enumerate(Rc::new(Producer::Elements(of.clone(), Some(false))));
        self.drive_positions(&elements, end, span, &mut |l, pair| {
            let Some(Value::Expr(k, _)) = l.components(pair, 2, span).into_iter().next() else {
                return;
            };
            let next = binary(BinOp::Add, k.clone(), usize_lit(1));
            let next = l.stable_operand(next, Ty::USIZE, span);
            let ends = l.mutable_var("ends", bool_lit(true), Ty::Bool, span);
            let more = binary(BinOp::Lt, next.clone(), Expr::Len(of.clone()));
            let test = |l: &mut Self| {
                let two = [k.clone(), next.clone()];
                let two = two.map(|at| Value::PlaceRef(l.element(of, at, span), false));
                let test = l.apply(within, two.into(), span);
                let (test, ty) = l.read(test, span);
                l.unify(&ty, &Ty::Bool);
                l.emit(span, StmtKind::Assign(ends.clone(), not(test)));
            };
            l.emit_if(more, span, test, |_| {});
            let run = |l: &mut Self| {
                let from = l.stable_operand(Expr::Read(start.clone()), Ty::USIZE, span);
                l.emit(span, StmtKind::Assign(start.clone(), next.clone()));
                let run = l.slice(of, Some(from), Some(next.clone()));
                body(l, Value::PlaceRef(run, mutable));
            };
            l.emit_if(Expr::Read(ends.clone()), span, run, |_| {});
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
        let next = self.split_enum(first.clone(), EnumKind::Option, span);
        let next = self.owned_split_enum("next", next, true, span);
        self.endless_loop(end, span, |l| {
            let leave = |l: &mut Self| l.out.push(LabeledStmt::Exit(end));
            l.emit_if(next.tag.clone(), span, |_| {}, leave);
            let item = l.copy_to_temp(next.payload.clone(), span);
            let after = l.apply(f, vec![item.clone()], span);
            l.store_split_enum(&next, after, span);
            body(l, item);
        });
    }

    /// Runs the body for the items of an item that is itself iterable.
    fn drive_inner(&mut self, inner: Value, reversed: bool, span: Span, body: Body<'_>) {
        if let Some(family) = self.enum_kind_of(&inner) {
            // An `Option` or `Result` is an iterator of at most one item.
            let c = self.split_enum(inner, family, span);
            return self.emit_if(c.tag, span, |l| body(l, c.payload), |_| {});
        }
        let Some(p) = self.producer(inner, span) else {
            return;
        };
        let p = match reversed {
            true => self.reversed(&p, span),
            false => (*p).clone(),
        };
        let end = self.fresh_label();
        self.drive(&p, end, span, body);
    }

    /// An endless loop; exiting to the label `end` leaves it.
    fn endless_loop(&mut self, end: LabelId, span: Span, body: impl FnOnce(&mut Self)) {
        let (raws, ()) = self.in_block(body);
        let id = self.stmt_id(span);
        self.out
            .push(LabeledStmt::Loop(id, LoopHead::Forever, end, raws));
    }

    // Helpers.

    /// Runs the body for the payload of `Some`; `None` ends the iteration.
    fn while_some(&mut self, c: SplitEnum, end: LabelId, span: Span, body: Body<'_>) {
        let leave = |l: &mut Self| l.out.push(LabeledStmt::Exit(end));
        self.emit_if(c.tag, span, |l| body(l, c.payload), leave);
    }

    /// `counter += 1`, `counter -= 1`
    pub fn step_counter(&mut self, counter: &Place, op: BinOp, span: Span) {
        let next = binary(op, Expr::Read(counter.clone()), usize_lit(1));
        self.emit(span, StmtKind::Assign(counter.clone(), next));
    }

    /// Copies a computed value to a temporary, so that it can be used several times.
    pub fn computed_once(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Expr(e @ (Expr::Lit(..) | Expr::Read(_)), ty) => Value::Expr(e, ty),
            Value::Expr(..) => self.copy_to_temp(value, span),
            Value::Tuple(_) | Value::RefStruct(..) => {
                value.map_parts(|v| self.computed_once(v, span))
            }
            Value::SplitEnum(c) => {
                Value::SplitEnum(Box::new(self.owned_split_enum("item", *c, false, span)))
            }
            other => other,
        }
    }

    /// A reference to a value that is held in variables.
    pub(super) fn borrow_value(&self, value: Value, mutable: bool) -> Value {
        match value {
            Value::Place(p) => Value::PlaceRef(p, mutable),
            Value::RefStruct(..) => Value::RefToAggregate(Box::new(value), mutable),
            Value::Tuple(parts) => Value::Tuple(
                parts
                    .into_iter()
                    .map(|v| self.borrow_value(v, mutable))
                    .collect(),
            ),
            other => other,
        }
    }

    /// The result of the predicate for an item.
    pub fn predicate(&mut self, f: &Callable, item: &Value, span: Span) -> Expr {
        let test = self.apply(f, vec![item.clone()], span);
        let (test, ty) = self.read(test, span);
        self.unify(&ty, &Ty::Bool);
        test
    }

    /// The `Option` that the closure returns, with a tag that is constant or in a variable.
    fn apply_optional(&mut self, f: &Callable, args: Vec<Value>, span: Span) -> SplitEnum {
        let value = self.apply(f, args, span);
        if matches!(value, Value::Diverges) {
            let none = self.variant_value("None", Value::Unit);
            return self.split_enum(none, EnumKind::Option, span);
        }
        let c = self.split_enum(value, EnumKind::Option, span);
        match literal_bool(&c.tag) {
            Some(_) => c,
            None => {
                let tag = self.freeze_tag(c.tag.clone(), span);
                SplitEnum { tag, ..c }
            }
        }
    }
}
