//! Branches and loops of the reverse sweep, each the mirror of one of the forward sweep.

use super::{Reverse, ReverseState};
use crate::ir::{Block, Expr, LoopHead, Range, StmtId, StmtKind, VarId};
use crate::plan::check::faults::FaultKind;
use crate::plan::check::forward::shape::{Item, always_breaks};
use crate::plan::check::terms::state::State;
use crate::plan::check::terms::term::{Cell, Term};

/// An assumption about a location at the start of each reversed iteration.
#[derive(Clone, Copy, PartialEq)]
enum Assumption {
    /// It has the value from the end of the forward iteration, and the one from its start when the reversed iteration
    /// is over.
    Mirror,
    /// It has the value after the loop, except for the elements that later iterations set: these, and the iteration's
    /// own element when it is over, have their values from before the loop.
    Elements,
    /// It has the value from the entry of the reversed loop.
    Constant,
    /// Nothing.
    Nothing,
}

impl<'w, 'a> Reverse<'w, 'a> {
    /// The item that the statement mirrors, which must be of the kind of `is_it` and not mirrored before.
    fn mirrored(
        &mut self,
        id: StmtId,
        is_it: fn(&StmtKind) -> bool,
        now: &mut ReverseState,
    ) -> Option<&'w Item<'a>> {
        let in_order = self.advance(id, now);
        let item = self.item(id).filter(|i| is_it(&i.stmt.kind));
        let first = self
            .cursors
            .last_mut()
            .is_some_and(|c| c.mirrored.insert(id));
        if in_order && (item.is_none() || !first) {
            self.faults.add(
                id,
                FaultKind::Mirror,
                "nothing of the forward sweep is mirrored here",
            );
        }
        item.filter(|_| in_order && first)
    }

    /// A branch: its condition must imply the arm that the primal took.
    pub fn branch(
        &mut self,
        id: StmtId,
        condition: &Expr,
        arms: [&Block; 2],
        now: &mut ReverseState,
    ) {
        if self
            .item(id)
            .is_some_and(|i| !matches!(i.stmt.kind, StmtKind::If(..)))
        {
            return self.local_branch(id, condition, arms, now);
        }
        let Some(item) = self.mirrored(id, |k| matches!(k, StmtKind::If(..)), now) else {
            return;
        };
        self.in_scope(id, condition, now);
        let value = self.values.eval(&now.values, condition);
        let taken = self.facts.conditions.get(&id).copied();
        let path = &self.path;
        if !taken.is_some_and(|t| self.values.terms.agree(path, t, value)) {
            let message = "the condition does not tell which way the primal took";
            self.faults.add(id, FaultKind::WrongWay, message);
        }
        let (Some(ends), Some(after)) = (self.facts.arms.get(&id), self.facts.after.get(&id))
        else {
            return;
        };
        let mut states = [now.clone(), now.clone()];
        let depth = self.path.len();
        for k in 0..2 {
            let state = &mut states[k];
            for n in 0..after.len() {
                if state.values[n] == after[n] && ends[k][n].is_some() {
                    state.values.set(n, ends[k][n]);
                }
            }
            if always_breaks(item.stmt.blocks()[k]) {
                self.first_iteration(state);
            }
            self.path.extend(taken.map(|t| (t, k == 0)));
            self.section(&item.sections[k], arms[k], state);
            self.path.truncate(depth);
        }
        let [then, els] = states;
        let values = self.meet(&then.values, &els.values, Some((ends, after)));
        merge(now, values, then, els);
    }

    /// An arm that leaves the loop is of its last iteration, which is the first reversed one, and nothing follows it there:
    /// adjoints from outside of the loop are as they were in front of the reversed loop.
    fn first_iteration(&self, state: &mut ReverseState) {
        let Some(entry) = self.loop_entries.last() else {
            return;
        };
        for (adjoint, before) in state.adjoints.iter_mut().zip(entry) {
            if before.declared {
                *adjoint = *before;
            }
        }
    }

    /// A branch in the adjoint of a statement that has none.
    fn local_branch(
        &mut self,
        id: StmtId,
        condition: &Expr,
        arms: [&Block; 2],
        now: &mut ReverseState,
    ) {
        self.adjoint_reads(id, condition, now);
        let kills = self.cursors.last().map_or(0, |c| c.kills.len());
        let [then, els] = arms.map(|arm| {
            let mut state = now.clone();
            self.block(arm, &mut state);
            self.leave(arm, &mut state);
            self.cursors
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|c| c.kills.truncate(kills));
            state
        });
        let values = self.meet(&then.values, &els.values, None);
        merge(now, values, then, els);
    }

    /// The join of two states. A location that has, on each path, its value from the end of the forward arm has its
    /// value from after the forward branch.
    fn meet(&mut self, a: &State, b: &State, forward: Option<(&[State; 2], &State)>) -> State {
        let mut met = a.clone();
        for n in 0..met.len() {
            if a[n] == b[n] {
                continue;
            }
            let both = match (a[n], b[n], forward) {
                (x, y, Some((ends, after))) if x == ends[0][n] && y == ends[1][n] => after[n],
                // A location that may be unset must not be used.
                (Some(x), Some(_), _) if self.values.terms.is_unset(x) => Some(x),
                (Some(_), Some(y), _) if self.values.terms.is_unset(y) => Some(y),
                (Some(x), Some(y), _) => Some(self.either(x, y)),
                _ => None,
            };
            met.set(n, both);
        }
        met
    }

    /// One of two values: if they have one length, that is known.
    fn either(&mut self, x: Term, y: Term) -> Term {
        let terms = &mut self.values.terms;
        let either = terms.unknown();
        if terms.len(x, &[]) == terms.len(y, &[]) {
            terms.same_length(either, x, false);
        }
        either
    }

    /// A loop.
    pub fn repeat(&mut self, id: StmtId, head: &LoopHead, body: &Block, now: &mut ReverseState) {
        if self.is_local_loop(id, head) {
            return self.local_loop(id, head, body, now);
        }
        let Some(item) = self.mirrored(id, |k| matches!(k, StmtKind::Loop(..)), now) else {
            return;
        };
        self.same_iterations(id, item, head, now);
        self.distribution(id, head, body);
        let facts = self.facts;
        let (Some((start, end)), Some(before), Some(after)) = (
            facts.iterations.get(&id),
            facts.before.get(&id),
            facts.after.get(&id),
        ) else {
            return;
        };
        let mut assume: Vec<Assumption> = (0..now.values.len())
            .map(
                |n| match now.values[n] == after[n] && start[n].is_some() && end[n].is_some() {
                    true => Assumption::Mirror,
                    false => Assumption::Constant,
                },
            )
            .collect();
        for n in self.overwritten(item.stmt, &now.values, after) {
            if assume[n] == Assumption::Constant {
                assume[n] = Assumption::Elements;
            }
        }
        let mark = self.faults.mark();
        self.loop_entries.push(now.adjoints.clone());
        loop {
            let entry = self.assumed(&assume, now, end);
            let mut state = ReverseState {
                values: entry.clone(),
                ..now.clone()
            };
            if let Some(v) = head.index() {
                let index = self
                    .values
                    .node(crate::plan::check::terms::term::Node::Index(id));
                self.values.set(&mut state.values, v, index);
            }
            let own = self.own_elements(item.stmt, &state.values, after);
            for (n, own) in own.iter().enumerate() {
                if let (Some(own), Assumption::Elements | Assumption::Constant) = (own, assume[n]) {
                    if assume[n] == Assumption::Elements {
                        self.without_array(&mut state.values, own);
                    }
                    if own.is_left {
                        let known = self.with_part(&state.values, n, &own.element, end);
                        state.values.set(n, known);
                    }
                }
            }
            let mut entry = state.values.clone();
            self.section(&item.sections[0], body, &mut state);
            if let Some(v) = head.index() {
                self.values.forget(&mut state.values, v);
                self.values.forget(&mut entry, v);
            }
            let back: Vec<_> = (0..own.len())
                .map(|n| match (&own[n], assume[n]) {
                    (Some(own), Assumption::Elements) => {
                        self.with_part(&entry, n, &own.element, start)
                    }
                    _ => None,
                })
                .collect();
            let mut stable = true;
            for (n, assume) in assume.iter_mut().enumerate() {
                let out = state.values[n];
                let next = match *assume {
                    Assumption::Mirror if out == start[n] => Assumption::Mirror,
                    Assumption::Mirror => Assumption::Elements,
                    Assumption::Elements if back[n].is_some() && out == back[n] => {
                        Assumption::Elements
                    }
                    Assumption::Elements => Assumption::Constant,
                    Assumption::Constant if out == entry[n] => Assumption::Constant,
                    Assumption::Constant | Assumption::Nothing => Assumption::Nothing,
                };
                stable &= next == *assume;
                *assume = next;
            }
            stable &= !super::adjoint::join(&mut now.adjoints, &state.adjoints);
            now.computed.extend(state.computed);
            if stable {
                break;
            }
            self.faults.rewind(mark);
        }
        self.loop_entries.pop();
        let own = self.own_elements(item.stmt, &now.values, after);
        let mut over = self.assumed(&assume, now, before);
        for (n, own) in own.iter().enumerate() {
            if let (Some(own), Assumption::Elements) = (own, assume[n]) {
                let back = self.with_part(&now.values, n, &own.around, before);
                over.set(n, back);
            }
        }
        now.values = over;
    }

    /// The state in which each location is as assumed; `mirrored` has the mirrored ones.
    fn assumed(&mut self, assume: &[Assumption], now: &ReverseState, mirrored: &State) -> State {
        let mut state = now.values.clone();
        for (n, assume) in assume.iter().enumerate() {
            let term = match (assume, state[n]) {
                (Assumption::Mirror, _) => mirrored[n],
                // A location that may be unset must not be used.
                (Assumption::Nothing, Some(t)) if !self.values.terms.is_unset(t) => {
                    let any = self.values.terms.unknown();
                    let of = self.values.whole(Cell(n as u32));
                    if of.is_some_and(|v| self.fixed_lengths.contains(v)) {
                        self.values.terms.same_length(any, t, false);
                    }
                    Some(any)
                }
                (_, same) => same,
            };
            state.set(n, term);
        }
        state
    }

    /// A loop in the adjoint of a statement that has none.
    fn local_loop(&mut self, id: StmtId, head: &LoopHead, body: &Block, now: &mut ReverseState) {
        let LoopHead::Counted(v, range) = head else {
            return;
        };
        for e in range.operands() {
            self.adjoint_reads(id, e, now);
        }
        let kills = self.cursors.last().map_or(0, |c| c.kills.len());
        let mut state = now.clone();
        let index = self.values.terms.unknown();
        self.values.set(&mut state.values, *v, index);
        // Twice, so that the second time starts from the end of the first iteration.
        for _ in 0..2 {
            self.block(body, &mut state);
            self.leave(body, &mut state);
        }
        self.values.forget(&mut state.values, *v);
        self.cursors
            .iter_mut()
            .last()
            .into_iter()
            .for_each(|c| c.kills.truncate(kills));
        let skipped = now.clone();
        let values = self.meet(&state.values, &skipped.values, None);
        merge(now, values, state, skipped);
    }

    /// The reversed loop must run the iterations of the forward loop, last first.
    fn same_iterations(
        &mut self,
        id: StmtId,
        item: &Item<'a>,
        head: &LoopHead,
        now: &ReverseState,
    ) {
        let StmtKind::Loop(forward, _) = &item.stmt.kind else {
            return;
        };
        let same = match (forward, head) {
            (
                LoopHead::Counted(v, a),
                LoopHead::Reversed(w, b) | LoopHead::Distributed(w, b, _),
            ) => !item.leaves && v == w && self.same_range(id, a, b, now),
            (LoopHead::Counted(v, a), LoopHead::ReversedFrom(w, b, n)) => {
                v == w && self.same_range(id, a, b, now) && self.counts(id, *n, now)
            }
            (_, LoopHead::Times(n)) => self.counts(id, *n, now),
            _ => false,
        };
        if !same {
            let message = "the loop does not run the primal's iterations backwards";
            self.faults.add(id, FaultKind::WrongTrips, message);
        }
    }

    fn counts(&mut self, id: StmtId, n: VarId, now: &ReverseState) -> bool {
        let place = self.plan.func.place(n);
        let value = self.values.read(&now.values, &place);
        let trips = self.facts.trips.get(&id);
        value
            .zip(trips)
            .is_some_and(|(v, trips)| trips.contains(&v))
    }

    /// Whether the bounds have the values that they had when the forward loop was entered.
    fn same_range(&mut self, id: StmtId, a: &Range, b: &Range, now: &ReverseState) -> bool {
        let form = |r: &Range| (r.inclusive, r.rev, r.ty.clone(), r.step.is_some());
        let Some(before) = self.facts.before.get(&id) else {
            return false;
        };
        for e in b.operands() {
            self.in_scope(id, e, now);
        }
        let pairs = a.operands().into_iter().zip(b.operands());
        let mut same = form(a) == form(b);
        for (x, y) in pairs {
            same &= self.values.eval(before, x) == self.values.eval(&now.values, y);
        }
        same
    }
}

/// Joins two paths.
fn merge(now: &mut ReverseState, values: State, a: ReverseState, b: ReverseState) {
    now.values = values;
    now.adjoints = a.adjoints;
    super::adjoint::join(&mut now.adjoints, &b.adjoints);
    now.computed = &a.computed | &b.computed;
    now.copies
        .retain(|v, p| a.copies.get(v) == Some(p) && b.copies.get(v) == Some(p));
}
