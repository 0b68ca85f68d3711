//! Branches of the reverse sweep.

use super::super::{Reverse, ReverseState};
use super::merge;
use crate::ir::{Block, Expr, StmtId, StmtKind};
use crate::plan::check::faults::FaultKind;

impl Reverse<'_, '_> {
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
        let always = taken.and_then(|t| self.values.terms.truth(t));
        let mut states = [now.clone(), now.clone()];
        let depth = self.path.len();
        for k in 0..2 {
            let mark = self.faults.mark();
            let state = &mut states[k];
            for n in 0..after.len() {
                let in_arm = match (state.values[n], after[n], ends[k][n]) {
                    (now, left, end) if now == left => end,
                    (Some(now), Some(left), Some(end)) => {
                        self.values.terms.with_part(now, left, end)
                    }
                    _ => None,
                };
                if in_arm.is_some() {
                    state.values.set(n, in_arm);
                }
            }
            if item.stmt.blocks()[k].always_breaks() {
                self.first_iteration(state);
            }
            self.path.extend(taken.map(|t| (t, k == 0)));
            self.section(&item.sections[k], arms[k], state);
            self.path.truncate(depth);
            // An arm that never runs needs no proof.
            if always.is_some_and(|way| way != (k == 0)) {
                self.faults.rewind(mark);
            }
        }
        let [then, els] = states;
        if let Some(way) = always {
            *now = if way { then } else { els };
            return;
        }
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
}
