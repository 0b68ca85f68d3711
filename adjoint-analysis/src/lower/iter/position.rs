//! Positions: the length of a producer, the item at each position, and loops over positions.

use proc_macro2::Span;

use super::Producer;
use super::range::range_to;
use super::stream::Body;
use crate::ir::construct::{binary, saturating_sub, usize_lit};
use crate::ir::{BinOp, Expr, LoopHead, Origin, Range, Ty, VarId};
use crate::lower::Lower;
use crate::lower::value::Value;
use crate::mir::labeled::{LabelId, LabeledStmt};

impl Lower {
    /// The loop over a producer: its index variable, its range, and whether the index itself is the item.
    pub fn counted_range(&mut self, p: &Producer, name: &str, span: Span) -> (VarId, Range, bool) {
        if let Producer::Range(b) = p
            && let Some(range) = b.loop_range()
        {
            let var = self.new_var(name, range.ty.clone(), Origin::Index);
            return (var, range, true);
        }
        let n = self.length(p);
        let n = self.stable_operand(n, Ty::USIZE, span);
        let var = self.new_var("k", Ty::USIZE, Origin::Index);
        (var, range_to(n), false)
    }

    /// The number of items.
    pub fn length(&mut self, p: &Producer) -> Expr {
        match p {
            Producer::Range(b) => b.trip_count().unwrap_or_else(unbounded_length),
            Producer::Elements(place, _) => match self.opaque.list_lengths.get(&place.root) {
                Some(length) => Expr::Read(length.clone()),
                None => Expr::Len(place.clone()),
            },
            Producer::Flattened { of, size, .. } => {
                binary(BinOp::Mul, Expr::Len(of.clone()), size.clone())
            }
            Producer::References(parts) => usize_lit(parts.len()),
            Producer::Chunks {
                of, size, exact, ..
            } => {
                let len = Expr::Len(of.clone());
                match exact {
                    true => binary(BinOp::Div, len, size.clone()),
                    false => Expr::Discrete("div_ceil".into(), vec![len, size.clone()], Ty::USIZE),
                }
            }
            Producer::Arrays { of, extent, .. } => {
                let len = Expr::Len(of.clone());
                binary(BinOp::Div, len, Lower::extent(of, extent))
            }
            Producer::ChunksFromEnd { of, size, .. } => {
                let all = vec![Expr::Len(of.clone()), size.clone()];
                Expr::Discrete("div_ceil".into(), all, Ty::USIZE)
            }
            Producer::Windows { of, size } => {
                let more = binary(BinOp::Add, Expr::Len(of.clone()), usize_lit(1));
                saturating_sub(more, size.clone())
            }
            Producer::Zip(a, b) => {
                let (a, b) = match (a.is_unbounded(), b.is_unbounded()) {
                    (true, _) => return self.length(b),
                    (_, true) => return self.length(a),
                    _ => (self.length(a), self.length(b)),
                };
                Expr::Discrete("min".into(), vec![a, b], Ty::USIZE)
            }
            Producer::Enumerate(p)
            | Producer::Map(p, _)
            | Producer::Copied(p)
            | Producer::Rev(p) => self.length(p),
            Producer::Skip(p, n) => saturating_sub(self.length(p), n.clone()),
            Producer::Take(p, n) if p.is_unbounded() => n.clone(),
            Producer::Take(p, n) => {
                let len = self.length(p);
                Expr::Discrete("min".into(), vec![len, n.clone()], Ty::USIZE)
            }
            Producer::StepBy(p, n) => {
                let len = self.length(p);
                Expr::Discrete("div_ceil".into(), vec![len, n.clone()], Ty::USIZE)
            }
            Producer::Cursor(p, at) => saturating_sub(self.length(p), Expr::Read(at.clone())),
            Producer::WithoutBack(p, taken) => {
                saturating_sub(self.length(p), Expr::Read(taken.clone()))
            }
            Producer::Cycle(p) => {
                let all = vec![self.length(p), unbounded_length()];
                Expr::Discrete("saturating_mul".into(), all, Ty::USIZE)
            }
            Producer::Repeat(_) => unbounded_length(),
            Producer::Once(_) => usize_lit(1),
            // Streams have no length; [`Lower::drive`] runs them.
            _ => usize_lit(0),
        }
    }

    /// The item at a position that may be out of range: the code for its position does not panic, and the item is not
    /// read then.
    pub fn maybe_item(&mut self, p: &Producer, k: Expr, span: Span) -> Value {
        self.item_at_position(p, k, false, span)
    }

    /// The item at a position that is in range.
    pub fn item(&mut self, p: &Producer, k: Expr, span: Span) -> Value {
        self.item_at_position(p, k, true, span)
    }

    /// `base[index]` of a flattened or chunked slice, which is a producer here.
    pub fn indexed_item(&mut self, base: &Value, index: &Expr, span: Span) -> Option<Value> {
        let Value::Iter(p) = base else { return None };
        let (Producer::Arrays { .. } | Producer::Flattened { .. }) = &**p else {
            return None;
        };
        let index = self.stable_operand(index.clone(), Ty::USIZE, span);
        Some(match self.item(p, index, span) {
            Value::PlaceRef(p, _) => Value::Place(p),
            item => item,
        })
    }

    fn item_at_position(&mut self, p: &Producer, k: Expr, sure: bool, span: Span) -> Value {
        let sub = |a: Expr, b: Expr| match sure {
            true => binary(BinOp::Sub, a, b),
            false => saturating_sub(a, b),
        };
        match p {
            Producer::Range(b) => {
                let value = self.range_item(b, k);
                Value::Expr(value, b.ty.clone())
            }
            Producer::Elements(place, by_ref) => {
                let element = self.element(place, k, span);
                match by_ref {
                    Some(mutable) => Value::PlaceRef(element, *mutable),
                    None => Value::Place(element),
                }
            }
            Producer::Chunks {
                of,
                size,
                exact,
                mutable,
            } => {
                let lo = binary(BinOp::Mul, k, size.clone());
                let lo = self.stable_operand(lo, Ty::USIZE, span);
                let hi = binary(BinOp::Add, lo.clone(), size.clone());
                let hi = match exact {
                    true => hi,
                    false => {
                        Expr::Discrete("min".into(), vec![hi, Expr::Len(of.clone())], Ty::USIZE)
                    }
                };
                let hi = self.stable_operand(hi, Ty::USIZE, span);
                Value::PlaceRef(self.slice(of, Some(lo), Some(hi)), *mutable)
            }
            Producer::Arrays {
                of,
                extent,
                mutable,
            } => Value::PlaceRef(self.chunk(of, k, extent), *mutable),
            Producer::ChunksFromEnd { of, size, mutable } => {
                let behind = binary(BinOp::Mul, k, size.clone());
                let hi = sub(Expr::Len(of.clone()), behind);
                let hi = self.stable_operand(hi, Ty::USIZE, span);
                let lo =
                    self.stable_operand(saturating_sub(hi.clone(), size.clone()), Ty::USIZE, span);
                Value::PlaceRef(self.slice(of, Some(lo), Some(hi)), *mutable)
            }
            Producer::Windows { of, size } => {
                let hi = binary(BinOp::Add, k.clone(), size.clone());
                let hi = self.stable_operand(hi, Ty::USIZE, span);
                Value::PlaceRef(self.slice(of, Some(k), Some(hi)), false)
            }
            Producer::Flattened { of, size, mutable } => {
                let [array, at] = [BinOp::Div, BinOp::Rem].map(|op| {
                    self.stable_operand(binary(op, k.clone(), size.clone()), Ty::USIZE, span)
                });
                let array = self.element(of, array, span);
                Value::PlaceRef(self.element(&array, at, span), *mutable)
            }
            Producer::References(parts) => self.select_ref(parts, k, span),
            Producer::Zip(a, b) => Value::Tuple(vec![
                self.item_at_position(a, k.clone(), sure, span),
                self.item_at_position(b, k, sure, span),
            ]),
            Producer::Enumerate(p) => {
                let item = self.item_at_position(p, k.clone(), sure, span);
                Value::Tuple(vec![Value::Expr(k, Ty::USIZE), item])
            }
            Producer::Map(p, f) => {
                let item = self.item_at_position(p, k, sure, span);
                self.apply(f, vec![item], span)
            }
            Producer::Copied(p) => Lower::copied_item(self.item_at_position(p, k, sure, span)),
            Producer::Rev(p) => {
                let len = self.length(p);
                let last = sub(len, usize_lit(1));
                let at = self.stable_operand(sub(last, k), Ty::USIZE, span);
                self.item_at_position(p, at, sure, span)
            }
            Producer::Skip(p, n) => {
                let at = self.stable_operand(binary(BinOp::Add, k, n.clone()), Ty::USIZE, span);
                self.item_at_position(p, at, sure, span)
            }
            Producer::Take(p, _) | Producer::WithoutBack(p, _) => {
                self.item_at_position(p, k, sure, span)
            }
            Producer::StepBy(p, n) => {
                let at = self.stable_operand(binary(BinOp::Mul, k, n.clone()), Ty::USIZE, span);
                self.item_at_position(p, at, sure, span)
            }
            Producer::Cursor(p, from) => {
                let at = binary(BinOp::Add, k, Expr::Read(from.clone()));
                let at = self.stable_operand(at, Ty::USIZE, span);
                self.item_at_position(p, at, sure, span)
            }
            Producer::Cycle(p) => {
                let len = match (self.length(p), sure) {
                    (len, true) => len,
                    (len, false) => {
                        Expr::Discrete("max".into(), vec![len, usize_lit(1)], Ty::USIZE)
                    }
                };
                let at = self.stable_operand(binary(BinOp::Rem, k, len), Ty::USIZE, span);
                self.item_at_position(p, at, sure, span)
            }
            Producer::Repeat(value) | Producer::Once(value) => (**value).clone(),
            // Streams have no positions; [`Lower::drive`] runs them.
            _ => Value::Diverges,
        }
    }

    /// A counted loop over `0..n` around the code of `body`.
    pub fn counted_loop(&mut self, n: Expr, span: Span, body: impl FnOnce(&mut Self, Expr)) {
        let var = self.new_var("k", Ty::USIZE, Origin::Index);
        let (raws, ()) = self.in_block(|l| {
            let k = Expr::Read(l.draft.func.place(var));
            body(l, k);
        });
        let (id, end) = (self.stmt_id(span), self.fresh_label());
        self.out.push(LabeledStmt::Loop(
            id,
            LoopHead::Counted(var, range_to(n)),
            end,
            raws,
        ));
    }

    /// A loop over the positions of a producer that is no stream.
    pub fn drive_positions(&mut self, p: &Producer, end: LabelId, span: Span, body: Body<'_>) {
        if let Producer::Empty = p {
            return;
        }
        if let Producer::Once(value) = p {
            let (raws, ()) = self.in_block(|l| body(l, (**value).clone()));
            self.out.push(LabeledStmt::Labeled(end, raws));
            return;
        }
        let (var, range, direct) = self.counted_range(p, "k", span);
        let (raws, ()) = self.in_block(|l| {
            let index = Expr::Read(l.draft.func.place(var));
            let item = match direct {
                true => Value::Place(l.draft.func.place(var)),
                false => l.item(p, index, span),
            };
            body(l, item);
        });
        let id = self.stmt_id(span);
        let head = LoopHead::Counted(var, range);
        self.out.push(LabeledStmt::Loop(id, head, end, raws));
    }
}

/// The length of an unbounded producer.
fn unbounded_length() -> Expr {
    Expr::Lit(usize::MAX.to_string(), Ty::USIZE)
}
