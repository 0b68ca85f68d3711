//! `Vec`s that grow and shrink. The adjoint is resized in the opposite direction of the primal: an inserted element is
//! removed from it, a removed one inserted.

use super::cells::Evaluator;
use super::state::State;
use super::term::{Step, Term};
use crate::ir::{Expr, Place, StmtId, StmtKind, VarId};
use crate::plan::check::faults::FaultKind;
use crate::plan::check::forward::shape::Class;
use crate::plan::check::reverse::read::Role;
use crate::plan::check::reverse::{Reverse, ReverseState};

impl Evaluator<'_> {
    fn position(&mut self, state: &State, at: Option<&Expr>) -> Step {
        at.map_or(Step::Last, |e| Step::Index(self.eval(state, e)))
    }

    /// Puts a value into the `Vec` at a place.
    pub fn insert(&mut self, state: &mut State, place: &Place, at: Option<&Expr>, value: Term) {
        let (spot, at) = (self.spot(state, place), self.position(state, at));
        let old = self.get(state, &spot);
        let old = old.unwrap_or_else(|| self.terms.unknown());
        let new = self.terms.inserted(old, at, value);
        self.put(state, &spot, new);
    }

    /// Takes a value out of the `Vec` at a place.
    pub fn remove(&mut self, state: &mut State, place: &Place, at: Option<&Expr>) -> Term {
        let (spot, at) = (self.spot(state, place), self.position(state, at));
        let old = self.get(state, &spot);
        let old = old.unwrap_or_else(|| self.terms.unknown());
        let (value, new) = (
            self.terms.select(old, vec![at.clone()]),
            self.terms.removed(old, at),
        );
        self.put(state, &spot, new);
        value
    }
}

impl Reverse<'_, '_> {
    /// `push` and `insert`: of a primal variable, the removed element is restored; of an adjoint, the adjoint of the
    /// removed element is inserted.
    pub fn insert(
        &mut self,
        id: StmtId,
        p: &Place,
        at: Option<&Expr>,
        e: &Expr,
        now: &mut ReverseState,
    ) {
        if self.class(p.root) == Class::Adjoint {
            if self.resize_adjoint(id, p, at, false, now) {
                self.check(id, e, Role::Free, now);
                self.grow(p, now);
                self.killed(p.clone(), false);
            }
            return;
        }
        self.has_value(id, p, now);
        self.in_scope(id, e, now);
        let value = self.values.eval(&now.values, e);
        self.values.insert(&mut now.values, p, at, value);
    }

    /// `pop` and `remove`: of a primal variable, the inserted element is removed; of an adjoint, it is the seed.
    pub fn remove(
        &mut self,
        id: StmtId,
        v: Option<VarId>,
        p: &Place,
        at: Option<&Expr>,
        now: &mut ReverseState,
    ) {
        let value = match self.class(p.root) {
            Class::Adjoint => {
                if self.resize_adjoint(id, p, at, true, now) {
                    self.read_adjoint(id, p, now);
                    self.killed(p.clone(), false);
                }
                self.values.terms.unknown()
            }
            _ => {
                self.has_value(id, p, now);
                self.values.remove(&mut now.values, p, at)
            }
        };
        if let Some(v) = v {
            now.copies.remove(&v);
            self.values.set(&mut now.values, v, value);
        }
    }

    /// Whether the adjoint may be resized here: the primal statement does the opposite at this place.
    fn resize_adjoint(
        &mut self,
        id: StmtId,
        p: &Place,
        at: Option<&Expr>,
        inserted: bool,
        now: &mut ReverseState,
    ) -> bool {
        if !self.advance(id, now) {
            return false;
        }
        let primal = self.primal.get(&id).map(|s| &s.kind);
        let resized = match primal {
            Some(StmtKind::Insert(q, k, _)) if inserted => Some((q, k)),
            Some(StmtKind::Remove(_, q, k)) if !inserted => Some((q, k)),
            _ => None,
        };
        let opposite = resized.is_some_and(|(q, k)| {
            let adjoint = self.plan.adjoint.get(&q.root);
            adjoint == Some(&p.root) && q.proj == p.proj && k.as_ref() == at
        });
        if !opposite {
            let message = "the primal does not lengthen or shorten what this is the adjoint of";
            self.faults.add(id, FaultKind::Mirror, message);
        }
        if let Some(e) = at {
            self.check(id, e, Role::Index, now);
        }
        self.adjoint_place(id, p, now);
        opposite
    }
}
