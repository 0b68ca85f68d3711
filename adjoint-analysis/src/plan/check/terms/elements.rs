//! Loops in which each iteration changes only its own element.
//!
//! If every write to an array inside a counted loop is at the loop's index, no other iteration writes the element of
//! this one. So after the loop, the element at an iteration's index has its value from the end of that iteration.

use super::cells::Spot;
use super::state::State;
use super::term::{Cell, Node, Term};
use crate::ir::{Expr, LoopHead, Place, Proj, Stmt, StmtKind, VarId};
use crate::passes::tbr::regions::{self, SetElements};
use crate::plan::check::reverse::Reverse;

/// An element that only one iteration writes.
pub struct OwnElement {
    /// The array.
    pub around: Spot,
    /// The element.
    pub element: Spot,
    /// Whether the element is as its iteration left it; else nothing is known of it.
    pub is_left: bool,
}

impl Reverse<'_, '_> {
    /// For each location, the iteration's own element, if the array around it is as the loop left it, or if the loop
    /// sets all of it: then there has to be an array of any contents.
    pub fn own_elements(
        &mut self,
        of: &Stmt,
        entry: &State,
        after: &State,
    ) -> Vec<Option<OwnElement>> {
        let set = self.set_anew(of, entry, after);
        let mut own: Vec<Option<OwnElement>> = (0..entry.len()).map(|_| None).collect();
        let StmtKind::Loop(LoopHead::Counted(index, _), body) = &of.kind else {
            return own;
        };
        let mut written: Vec<&Place> = Vec::new();
        body.walk(&mut |s| written.extend(s.written()));
        let locations = written.iter().flat_map(|p| self.values.under(p));
        let locations: std::collections::BTreeSet<Cell> = locations.collect();
        for cell in locations {
            let Some(element) = self.own_element(&written, *index, cell) else {
                continue;
            };
            let whole = Place {
                proj: element.proj[..element.proj.len() - 1].to_vec(),
                ..element.clone()
            };
            let around = self.values.spot(entry, &whole);
            let left = self.values.get(after, &around);
            let entered = self.values.get(entry, &around);
            let as_left = left.is_some() && entered == left;
            let is_there = entered.is_some_and(|t| !self.values.terms.is_unset(t));
            if as_left || is_there && set.contains(&element.root) {
                let element = self.values.spot(entry, &element);
                own[cell.index()] = Some(OwnElement {
                    around,
                    element,
                    is_left: as_left,
                });
            }
        }
        own
    }

    /// The arrays whose elements the loop sets, all of them, or all in which they may differ from what the loop left.
    fn set_anew(&mut self, of: &Stmt, entry: &State, after: &State) -> Vec<VarId> {
        let StmtKind::Loop(head, body) = &of.kind else {
            return Vec::new();
        };
        let mut set = regions::set_elements(head, body, &self.plan.func, &self.lengths);
        set.retain(|set| set.all || self.differs_only_before(set, entry, after));
        set.into_iter().map(|set| set.array).collect()
    }

    /// The locations of these arrays, whose contents before the reversed loop don't matter.
    pub fn overwritten(&mut self, of: &Stmt, entry: &State, after: &State) -> Vec<usize> {
        let arrays = self.set_anew(of, entry, after).into_iter();
        let cells = arrays.flat_map(|v| self.values.of(v));
        cells.map(Cell::index).collect()
    }

    /// Whether an array differs from what the loop left at most in elements before the bound: loops behind it changed
    /// only such.
    fn differs_only_before(&self, set: &SetElements, entry: &State, after: &State) -> bool {
        let cells = self.values.of(set.array);
        cells.iter().all(|c| {
            let values = entry[c.index()].zip(after[c.index()]);
            values.is_some_and(|(now, left)| self.differs_before(now, left, *c, set))
        })
    }

    fn differs_before(&self, now: Term, left: Term, cell: Cell, set: &SetElements) -> bool {
        let was = |before: Option<Term>| {
            before.is_some_and(|before| self.differs_before(before, left, cell, set))
        };
        if now == left {
            return true;
        }
        match self.values.terms.node(now) {
            Node::Exit(id, of) if *of == cell => {
                let of_loop = self.primal.get(id);
                let only =
                    of_loop.is_some_and(|s| regions::writes_only_before(s, set, &self.lengths));
                only && was(self
                    .facts
                    .before
                    .get(id)
                    .and_then(|state| state[cell.index()]))
            }
            Node::Join(id, of) if *of == cell => {
                let arms = self.facts.arms.get(id);
                arms.is_some_and(|arms| arms.iter().all(|end| was(end[cell.index()])))
            }
            _ => false,
        }
    }

    /// Forgets the array around an element.
    pub fn without_array(&mut self, state: &mut State, own: &OwnElement) {
        let known = self.values.get(state, &own.around);
        let unknown = self.values.terms.unknown();
        if let Some(known) = known {
            self.values.terms.same_length(unknown, known, true);
        }
        self.values.put(state, &own.around, unknown);
    }

    /// The location's value with the part at `spot` taken from another state.
    pub fn with_part(
        &mut self,
        state: &State,
        n: usize,
        spot: &Spot,
        from: &State,
    ) -> Option<Term> {
        let value = self.values.get(from, spot)?;
        let mut with = state.clone();
        self.values.put(&mut with, spot, value);
        with[n]
    }

    /// The element of a location that every write is in, if there is only one.
    fn own_element(&self, written: &[&Place], index: VarId, location: Cell) -> Option<Place> {
        let changed: Vec<VarId> = written.iter().map(|p| p.root).collect();
        let here = |p: &&&Place| self.values.under(p).contains(&location);
        let mut found: Option<Place> = None;
        for place in written.iter().filter(here) {
            let at = place.proj.iter().position(|step| is_index(step, index))?;
            let fixed = |e: &&Expr| e.reads().iter().all(|v| !changed.contains(v));
            let outer = &place.proj[..at];
            if !outer.iter().flat_map(Proj::operands).all(|e| fixed(&e)) {
                return None;
            }
            let element = Place {
                proj: place.proj[..=at].to_vec(),
                ..(*place).clone()
            };
            match &found {
                Some(other) if other.proj != element.proj => return None,
                _ => found = Some(element),
            }
        }
        found
    }
}

/// `[i]`
fn is_index(step: &Proj, index: VarId) -> bool {
    matches!(step, Proj::Index(e) if matches!(&**e, Expr::Read(p) if p.is_whole() && p.root == index))
}
