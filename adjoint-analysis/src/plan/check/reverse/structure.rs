//! What branches and loops of the reverse sweep have in common: each mirrors one of the forward sweep.

mod branches;
mod early_exit;
mod loops;

use super::{Reverse, ReverseState};
use crate::ir::{StmtId, StmtKind};
use crate::plan::check::faults::FaultKind;
use crate::plan::check::forward::shape::Item;
use crate::plan::check::terms::state::State;
use crate::plan::check::terms::term::Term;

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
