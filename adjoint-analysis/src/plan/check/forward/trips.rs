//! The trip count of a `while` loop that counts, and of a `loop` that ends when a counter says so.

use super::Walk;
use super::shape::{Item, breaks};
use crate::ir::integers::inverse_of_odd;
use crate::ir::{BinOp, Block, Expr, IntTy, Place, Stmt, StmtId, StmtKind, Ty};
use crate::passes::control::trips::{TRIPS_DOWN, TRIPS_TO, TRIPS_UP};
use crate::plan::check::terms::state::State;
use crate::plan::check::terms::term::{Cell, Node, Op, Term};

impl<'a> Walk<'_, 'a> {
    /// Notes the trip count of a loop without `break` in which a location changes by a literal in each iteration, and
    /// is compared with a value that the loop doesn't write. The states are those before the loop, and at the start and
    /// the end of an iteration.
    pub(in crate::plan::check) fn counted(
        &mut self,
        item: &Item<'a>,
        test: &Expr,
        states: [&State; 3],
    ) {
        if item.leaves {
            return;
        }
        for (counter, op, bound) in comparisons(test, false) {
            let count = self.trips(counter, op, bound, states);
            self.note(item.stmt.id, count);
        }
    }

    /// The same for a `loop` with one `break` on such a comparison. It has one iteration more than those that continue:
    /// the one with the `break`.
    pub(in crate::plan::check) fn counted_until(
        &mut self,
        item: &Item<'a>,
        body: &Block,
        states: [&State; 2],
    ) {
        let Some((branch, test, stays)) = exit_branch(body) else {
            return;
        };
        let before = self.facts.before.get(&branch).cloned();
        let arms = self.facts.arms.get(&branch).cloned();
        let (Some(before), Some(arms)) = (before, arms) else {
            return;
        };
        let [entry, start] = states;
        let states = [entry, start, &before, &arms[stays]];
        for (counter, op, bound) in comparisons(test, stays == 1) {
            let count = self.trips_until(counter, op, bound, states);
            self.note(item.stmt.id, count);
        }
    }

    /// Notes the trip count that a location gives which changes by an odd literal in each iteration, the one with a
    /// `break` included. The states are those before the loop, at the start and the end of an iteration, and behind the
    /// loop.
    pub(in crate::plan::check) fn count(&mut self, id: StmtId, states: [&State; 4]) {
        for n in 0..states[0].len() {
            let Some(Ty::Int(ty)) = self.values.ty(Cell(n as u32)) else {
                continue;
            };
            if let [Some(first), Some(now), Some(next), Some(last)] = states.map(|s| s[n]) {
                let count = self.trips_between(*ty, [first, last], [now, next]);
                self.note(id, count);
            }
        }
    }

    /// The number of steps from the first to the last value; modulo the size of the type, which no trip count exceeds.
    fn trips_between(
        &mut self,
        int: IntTy,
        [first, last]: [Term; 2],
        [now, next]: [Term; 2],
    ) -> Option<Term> {
        int.bit_range().filter(|(_, most)| *most == 64)?;
        let by = self.change(now, next).filter(|by| by % 2 != 0)?;
        let (terms, ty) = (&mut self.values.terms, Ty::Int(int));
        let inverse = inverse_of_odd(by, 64);
        let inverse = terms.integer(i128::from(inverse), &ty);
        let all = terms.arithmetic("wrapping_sub", &ty, vec![last, first]);
        let count = terms.arithmetic("wrapping_mul", &ty, vec![all, inverse]);
        if ty == Ty::USIZE {
            return Some(count);
        }
        terms.note_cast(count, &ty);
        Some(terms.op(Op::Cast(Ty::USIZE), vec![count]))
    }

    fn note(&mut self, id: StmtId, count: Option<Term>) {
        self.facts.trips.entry(id).or_default().extend(count);
    }

    fn trips(&mut self, i: &Expr, op: BinOp, bound: &Expr, states: [&State; 3]) -> Option<Term> {
        let [entry, start, end] = states;
        let place = counter(i)?;
        let [first, now, next] = states.map(|s| self.values.read(s, place));
        let (up, by, literal) = self.step(now?, next?)?;
        let limit = self.values.eval(entry, bound);
        if limit != self.values.eval(start, bound) || limit != self.values.eval(end, bound) {
            return None;
        }
        self.run_of(first?, (up, by, literal), op, limit)
    }

    /// The states are those before the loop, at the start of an iteration, before the branch with the
    /// `break`, and at the end of an iteration that goes on.
    fn trips_until(
        &mut self,
        i: &Expr,
        op: BinOp,
        bound: &Expr,
        states: [&State; 4],
    ) -> Option<Term> {
        let [entry, _, before, _] = states;
        let place = counter(i)?;
        let [first, now, seen, next] = states.map(|s| self.values.read(s, place));
        let (up, by, literal) = self.step(now?, next?)?;
        let first = match seen {
            _ if seen == now => first?,
            _ if seen == next => {
                let terms = &mut self.values.terms;
                let ty = match terms.node(literal) {
                    Node::Op(Op::Lit(_, ty), _) => ty.clone(),
                    _ => return None,
                };
                let name = if up { "wrapping_add" } else { "wrapping_sub" };
                terms.arithmetic(name, &ty, vec![first?, literal])
            }
            _ => return None,
        };
        let limit = self.values.eval(entry, bound);
        if limit != self.values.eval(before, bound) {
            return None;
        }
        let goes_on = self.run_of(first, (up, by, literal), op, limit)?;
        let one = self
            .values
            .terms
            .op(Op::Lit("1".into(), Ty::USIZE), Vec::new());
        Some(self.next(goes_on, one))
    }

    /// The number of values, from this start with these steps, for which a comparison holds. A large step may be a small
    /// one in the other direction, whose literal wrapped.
    fn run_of(
        &mut self,
        first: Term,
        (up, by, literal): (bool, String, Term),
        op: BinOp,
        limit: Term,
    ) -> Option<Term> {
        let opposite = self.opposite(&by, literal);
        let run = self.run(first, (up, by), op, limit);
        run.or_else(|| self.run(first, (!up, opposite?), op, limit))
    }

    /// The width of the step in the other direction, if it is the smaller one.
    fn opposite(&self, by: &str, literal: Term) -> Option<String> {
        let Node::Op(Op::Lit(_, Ty::Int(ty)), _) = self.values.terms.node(literal) else {
            return None;
        };
        let (_, bits) = ty.bit_range().filter(|(_, bits)| *bits <= 64)?;
        let (by, size) = (by.parse::<i128>().ok()?, 1i128 << bits);
        (size / 2 < by && by < size).then(|| (size - by).to_string())
    }

    /// The number of values, from this start with steps of a literal, for which a comparison holds. With steps of 1 and
    /// `!=`, the limit is reached from any start.
    fn run(
        &mut self,
        first: Term,
        (up, by): (bool, String),
        op: BinOp,
        limit: Term,
    ) -> Option<Term> {
        let terms = &mut self.values.terms;
        let mut lit = |text: String, ty| terms.op(Op::Lit(text, ty), Vec::new());
        let (name, args) = match (up, op) {
            (_, BinOp::Ne) if by == "1" => {
                let up = lit(up.to_string(), Ty::Bool);
                (TRIPS_TO, vec![first, limit, up])
            }
            (true, BinOp::Lt | BinOp::Le) | (false, BinOp::Gt | BinOp::Ge) => {
                let inclusive = matches!(op, BinOp::Le | BinOp::Ge).to_string();
                let args = vec![first, limit, lit(inclusive, Ty::Bool), lit(by, Ty::USIZE)];
                (if up { TRIPS_UP } else { TRIPS_DOWN }, args)
            }
            _ => return None,
        };
        Some(terms.op(Op::Discrete(name.into(), Ty::USIZE), args))
    }

    /// The nonzero literal by which a value changes: whether it grows, the literal's text and term.
    pub(super) fn step(&mut self, now: Term, next: Term) -> Option<(bool, String, Term)> {
        let Node::Op(Op::Discrete(_, ty @ Ty::Int(_)), _) = self.values.terms.node(next) else {
            return None;
        };
        let ty = ty.clone();
        let by = self.change(now, next).filter(|n| *n != 0)?;
        let literal = self.values.terms.integer(by.abs(), &ty);
        Some((by > 0, by.abs().to_string(), literal))
    }

    /// The number by which a value changes.
    fn change(&self, now: Term, next: Term) -> Option<i128> {
        let terms = &self.values.terms;
        terms.form(next)?.plus(&terms.form(now)?, -1)?.as_constant()
    }
}

fn counter(e: &Expr) -> Option<&Place> {
    match e {
        Expr::Read(place) if matches!(place.ty, Ty::Int(_)) => Some(place),
        _ => None,
    }
}

/// The comparison, or its opposite, with either side first.
fn comparisons(test: &Expr, opposite: bool) -> Vec<(&Expr, BinOp, &Expr)> {
    let Expr::Binary(op, a, b) = test else {
        return Vec::new();
    };
    let op = match (op, opposite) {
        (BinOp::Lt, false) | (BinOp::Ge, true) => BinOp::Lt,
        (BinOp::Le, false) | (BinOp::Gt, true) => BinOp::Le,
        (BinOp::Gt, false) | (BinOp::Le, true) => BinOp::Gt,
        (BinOp::Ge, false) | (BinOp::Lt, true) => BinOp::Ge,
        (BinOp::Ne, false) | (BinOp::Eq, true) => BinOp::Ne,
        _ => return Vec::new(),
    };
    let turned = match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        _ => BinOp::Ne,
    };
    vec![(a, op, b), (b, turned, a)]
}

/// The branch that leaves the loop, if there is one, its condition, and which of its arms goes on.
fn exit_branch(body: &Block) -> Option<(StmtId, &Expr, usize)> {
    let leaves =
        |s: &&Stmt| matches!(s.kind, StmtKind::If(..)) && s.blocks().into_iter().any(breaks);
    let stmt = body.stmts.iter().find(leaves)?;
    let StmtKind::If(test, then, els) = &stmt.kind else {
        return None;
    };
    match [then, els].map(|arm| (arm.always_breaks(), breaks(arm))) {
        [(true, _), (_, false)] => Some((stmt.id, test, 1)),
        [(_, false), (true, _)] => Some((stmt.id, test, 0)),
        _ => None,
    }
}
