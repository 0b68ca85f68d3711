//! The trip count of a `while` loop that counts.

use super::forward::Walk;
use super::shape::Item;
use super::state::State;
use super::term::{Node, Op, Term};
use crate::ir::{BinOp, Expr, Ty};
use crate::passes::trips::{DOWN, UP};

impl<'a> Walk<'_, 'a> {
    /// Notes the trip count of a loop without `break` in which a location goes up or down by a literal
    /// in each iteration, and is compared with what the loop leaves alone. The states are those before
    /// the loop, and at the start and the end of an iteration.
    pub(super) fn counted(&mut self, item: &Item<'a>, test: &Expr, states: [&State; 3]) {
        let Expr::Binary(op, a, b) = test else {
            return;
        };
        let turned = match op {
            BinOp::Lt => BinOp::Gt,
            BinOp::Le => BinOp::Ge,
            BinOp::Gt => BinOp::Lt,
            BinOp::Ge => BinOp::Le,
            _ => return,
        };
        if item.leaves {
            return;
        }
        for (counter, op, bound) in [(a, *op, b), (b, turned, a)] {
            if let Some(count) = self.trips(counter, op, bound, states) {
                self.facts
                    .trips
                    .entry(item.stmt.id)
                    .or_default()
                    .push(count);
            }
        }
    }

    fn trips(&mut self, i: &Expr, op: BinOp, bound: &Expr, states: [&State; 3]) -> Option<Term> {
        let [entry, start, end] = states;
        let Expr::Read(place) = i else {
            return None;
        };
        if !matches!(place.ty, Ty::Int(_)) {
            return None;
        }
        let [first, now, next] = states.map(|s| self.values.read(s, place));
        let step = self.step(now?, next?)?;
        let limit = self.values.eval(entry, bound);
        if limit != self.values.eval(start, bound) || limit != self.values.eval(end, bound) {
            return None;
        }
        let name = match (step.0, op) {
            (BinOp::Add, BinOp::Lt | BinOp::Le) => UP,
            (BinOp::Sub, BinOp::Gt | BinOp::Ge) => DOWN,
            _ => return None,
        };
        let inclusive = matches!(op, BinOp::Le | BinOp::Ge).to_string();
        let terms = &mut self.values.terms;
        let inclusive = terms.op(Op::Lit(inclusive, Ty::Bool), Vec::new());
        let by = terms.op(Op::Lit(step.1, Ty::USIZE), Vec::new());
        let count = Op::Discrete(name.into(), Ty::USIZE);
        Some(terms.op(count, vec![first?, limit, inclusive, by]))
    }

    /// The literal, not 0, by which a value changes.
    fn step(&self, now: Term, next: Term) -> Option<(BinOp, String)> {
        let Node::Op(Op::Binary(op @ (BinOp::Add | BinOp::Sub)), args) =
            self.values.terms.node(next)
        else {
            return None;
        };
        let Node::Op(Op::Lit(by, Ty::Int(_)), _) = self.values.terms.node(args[1]) else {
            return None;
        };
        let positive = by.parse::<u64>().is_ok_and(|n| n > 0);
        (args[0] == now && positive).then(|| (*op, by.clone()))
    }
}
