//! Loops of the reverse sweep.

use super::super::{Reverse, ReverseState};
use super::merge;
use crate::ir::{Block, Expr, LoopHead, Range, Stmt, StmtId, StmtKind, VarId};
use crate::plan::check::faults::FaultKind;
use crate::plan::check::forward::shape::Item;
use crate::plan::check::terms::elements::OwnElement;
use crate::plan::check::terms::state::State;
use crate::plan::check::terms::term::{Cell, Node};

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
    /// The elements of this iteration and of those before it have the values from after the loop; nothing is known of
    /// the others.
    Own,
    /// Nothing.
    Nothing,
}

impl Assumption {
    /// Whether the elements of an array are not assumed one by one.
    fn is_whole_or_nothing(self) -> bool {
        matches!(self, Assumption::Mirror | Assumption::Nothing)
    }

    /// The next one to try.
    fn weaker(self) -> Assumption {
        match self {
            Assumption::Mirror => Assumption::Elements,
            Assumption::Elements => Assumption::Constant,
            Assumption::Constant => Assumption::Own,
            Assumption::Own | Assumption::Nothing => Assumption::Nothing,
        }
    }
}

/// The states of the forward loop at the start and the end of an iteration, and after the loop.
struct Ends<'s> {
    start: &'s State,
    end: &'s State,
    after: &'s State,
}

impl<'a> Reverse<'_, 'a> {
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
        let exit = self.early_exit(id, head, body);
        let body = exit.as_ref().map_or(body, |exit| &exit.body);
        let facts = self.facts;
        let (Some((start, end)), Some(before), Some(after)) = (
            facts.iterations.get(&id),
            facts.before.get(&id),
            facts.after.get(&id),
        ) else {
            return;
        };
        self.has_constant_elements(id, now, after);
        let ends = Ends { start, end, after };
        let mut assume = self.strongest(item.stmt, &now.values, &ends);
        let mark = self.faults.mark();
        self.loop_entries.push(now.adjoints.clone());
        loop {
            let mut state = now.clone();
            state.values = self.assumed(&assume, now, end);
            if let Some(v) = head.index() {
                let index = self.values.node(Node::Index(id));
                self.values.set(&mut state.values, v, index);
            }
            let own = self.assume_elements(item.stmt, &assume, &mut state.values, &ends);
            let mut entry = state.values.clone();
            self.section(&item.sections[0], body, &mut state);
            if let Some(v) = head.index() {
                self.values.forget(&mut state.values, v);
                self.values.forget(&mut entry, v);
            }
            let next = self.confirmed(&assume, &own, [&entry, &state.values], start);
            let more = super::super::adjoint::join(&mut now.adjoints, &state.adjoints);
            now.computed.extend(state.computed);
            if next == assume && !more {
                break;
            }
            assume = next;
            self.faults.rewind(mark);
        }
        self.loop_entries.pop();
        now.values = self.after_loop(item.stmt, &assume, now, [before, after]);
        for v in exit.iter().flat_map(|exit| &exit.restored) {
            self.values.forget(&mut now.values, *v);
        }
    }

    /// The strongest assumptions on the start of a reversed iteration that the entry of the loop allows.
    fn strongest(&mut self, of: &Stmt, entry: &State, ends: &Ends<'_>) -> Vec<Assumption> {
        let mut assume: Vec<Assumption> = (0..entry.len())
            .map(|n| {
                let is_there = ends.start[n].is_some() && ends.end[n].is_some();
                match entry[n] == ends.after[n] && is_there {
                    true => Assumption::Mirror,
                    false => Assumption::Constant,
                }
            })
            .collect();
        for n in self.overwritten(of, entry, ends.after) {
            if assume[n] == Assumption::Constant {
                assume[n] = Assumption::Elements;
            }
        }
        assume
    }

    /// Puts what is assumed of the elements of arrays in the state at the start of a reversed iteration.
    fn assume_elements(
        &mut self,
        of: &Stmt,
        assume: &[Assumption],
        state: &mut State,
        ends: &Ends<'_>,
    ) -> Vec<Option<OwnElement>> {
        let own = self.own_elements(of, state, ends.after);
        for (n, own) in own.iter().enumerate() {
            let (Some(own), false) = (own, assume[n].is_whole_or_nothing()) else {
                continue;
            };
            if assume[n] != Assumption::Constant {
                self.without_array(state, own);
            }
            if own.is_left {
                let known = self.with_part(state, n, &own.element, ends.end);
                state.set(n, known);
            }
        }
        own
    }

    /// The assumptions on the next reversed iteration that the end of this one allows.
    fn confirmed(
        &mut self,
        assume: &[Assumption],
        own: &[Option<OwnElement>],
        [entry, out]: [&State; 2],
        start: &State,
    ) -> Vec<Assumption> {
        let states = assume.iter().zip(own).enumerate();
        states
            .map(|(n, (assume, own))| {
                let expected = match (assume, own) {
                    (Assumption::Mirror, _) => start[n],
                    (Assumption::Elements, Some(own)) => {
                        self.with_part(entry, n, &own.element, start)
                    }
                    (Assumption::Own, Some(own)) if own.is_left => {
                        self.with_part(entry, n, &own.element, out)
                    }
                    (Assumption::Constant, _) => entry[n],
                    _ => None,
                };
                let is_whole = matches!(assume, Assumption::Mirror | Assumption::Constant);
                match out[n] == expected && (is_whole || expected.is_some()) {
                    true => *assume,
                    false => assume.weaker(),
                }
            })
            .collect()
    }

    /// The state after the reversed loop.
    fn after_loop(
        &mut self,
        of: &Stmt,
        assume: &[Assumption],
        now: &ReverseState,
        [before, after]: [&State; 2],
    ) -> State {
        let own = self.own_elements(of, &now.values, after);
        let mut over = self.assumed(assume, now, before);
        for (n, own) in own.iter().enumerate() {
            match (own, assume[n]) {
                (Some(own), Assumption::Elements) => {
                    let back = self.with_part(&now.values, n, &own.around, before);
                    over.set(n, back);
                }
                (Some(own), Assumption::Own) => self.without_array(&mut over, own),
                _ => {}
            }
        }
        over
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
            (LoopHead::CountedWhile(v, _), LoopHead::ReversedFrom(w, b, n)) => {
                let count = Expr::Read(self.plan.func.place(*n));
                v == w && *b == Range::up_to(count) && self.counts(id, *n, now)
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
