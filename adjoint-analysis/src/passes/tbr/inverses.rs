//! Inversion in to-be-recorded analysis: what is held, and what follows from it.

use std::collections::BTreeSet;

use super::Pass;
use crate::ir::{Block, Expr, Place, Stmt, StmtId, VarId};
use crate::passes::inversion::counters::trips_from;
use crate::passes::inversion::updates::{is_invertible_part, undone};
use crate::passes::inversion::{self, is_invertible};
use crate::passes::sets::cells::Cell;
use crate::passes::sets::set::CellSet;

impl Pass<'_> {
    /// What a number was before the statement overwrites it, in terms of what the reverse sweep holds behind it anyway,
    /// or of its value there.
    pub(super) fn inverse(&self, id: StmtId, place: &Place, state: &CellSet) -> Option<Expr> {
        if !place.is_whole() || place.ty.is_float() {
            return self.inverse_of_part(id, place, state);
        }
        let v = place.root;
        if !self.inverts(v) {
            return None;
        }
        let is_held = |r: VarId| match r == v {
            true => self.holds_itself(place),
            false => self.holds(r, state),
        };
        inversion::before_overwrite(
            self.func,
            self.so_far,
            v,
            &|s| self.control.trips_of(s),
            &is_held,
        )
    }

    /// The same for a float, a field or an element, by the statement alone.
    fn inverse_of_part(&self, id: StmtId, place: &Place, state: &CellSet) -> Option<Expr> {
        let is_on = self.options.inversion && self.options.tbr;
        // What sets each element of an array once ends the life of what the array held before.
        let ends_array = self.array_setters.contains(&id);
        if !is_on || ends_array || !is_invertible_part(self.func, place) {
            return None;
        }
        let old = undone(self.func, self.so_far.last()?)?;
        let own = self.cells.touched(place);
        let is_held = |c: &Cell| match own.contains(c) {
            true => !self.is_ended_by(place) || self.holds_itself(place),
            false => state.contains(*c) || self.holds(self.cells.var(*c), state),
        };
        let needs = self.cells.needs(&old, self.func);
        needs.iter().all(is_held).then_some(old)
    }

    /// Whether the value of a place behind the statement at hand is held until it is overwritten in turn: at most as
    /// often.
    fn holds_itself(&self, place: &Place) -> bool {
        let lossy = self.known.lossy.depth(place);
        lossy.is_none_or(|depth| depth <= self.nest.depth)
    }

    fn inverts(&self, v: VarId) -> bool {
        self.options.inversion && self.options.tbr && is_invertible(self.func, v)
    }

    /// Whether the reverse sweep holds the variable, or would without a record in the loop at hand: a counter of an outer
    /// block takes one, where its scope ends.
    fn holds(&self, v: VarId, state: &CellSet) -> bool {
        let counter = || {
            self.known
                .counters
                .get(&v)
                .is_some_and(|depth| *depth < self.nest.depth)
        };
        let required = || self.cells.of_var(v).iter().all(|c| state.contains(*c));
        let is_held = self.free.contains(v) || self.held.contains(&v);
        is_held || required() || counter() || self.is_used_later(v)
    }

    /// Whether the adjoint of a later statement of the block reads the variable with the value that it has now.
    fn is_used_later(&self, v: VarId) -> bool {
        let cells = self.cells.of_var(v);
        for stmt in self.rest {
            let mut used = false;
            Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
                let uses = &self.uses[s.id.index()];
                used |= cells.iter().any(|c| uses.operands.contains(*c));
            });
            if used || self.known.writes.within(std::slice::from_ref(stmt), v) {
                return used;
            }
        }
        false
    }

    /// A variable that the reverse sweep holds behind a loop, and that each iteration changes by a literal, gives its
    /// trip count.
    pub(super) fn trips_from_counter(
        &mut self,
        id: StmtId,
        body: &Block,
        stmts: &[Stmt],
        after: &mut CellSet,
    ) {
        let known = self.result.recomputed_trips.contains(&id);
        if !self.records_decisions || known || !self.options.inversion {
            return;
        }
        let written: BTreeSet<VarId> = body
            .stmts
            .iter()
            .flat_map(Stmt::written)
            .map(|p| p.root)
            .collect();
        let trips = written.into_iter().find_map(|v| {
            let is_held = self.requires(after, v);
            let trips = is_held
                .then(|| trips_from(self.func, v, stmts, body))
                .flatten()?;
            // The start is as it was.
            self.is_available(&trips, after, &|_| true).then_some(trips)
        });
        self.result.trips_from_counters.remove(&id);
        if let Some(trips) = trips {
            after.extend(self.cells.needs(&trips, self.func));
            self.result.trips_from_counters.insert(id, trips);
        }
    }

    /// What an integer is at the end of the block, in terms of what else the reverse sweep holds there anyway.
    pub(super) fn inverse_at_end(
        &self,
        v: VarId,
        block: &Block,
        rest: &[Stmt],
        state: &CellSet,
    ) -> Option<Expr> {
        // What is declared later comes back later.
        let is_later = |r: VarId| rest.iter().any(|s| s.declared() == Some(r));
        let is_held = |r: VarId| r != v && self.holds(r, state) && !is_later(r);
        self.inverts(v)
            .then(|| {
                inversion::at_end(
                    self.func,
                    &block.stmts,
                    v,
                    &|s| self.control.trips_of(s),
                    &is_held,
                )
            })
            .flatten()
    }
}
