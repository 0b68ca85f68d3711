//! Elements before a bound, which a loop has set and whose old values it has recorded.
//!
//! A statement behind the loop that writes only such elements overwrites nothing required, as long as nothing requires
//! what the loop has set: no adjoint, and no condition, bound or index that is evaluated again.

use super::Pass;
use super::regions::{self, SetElements};
use crate::ir::{Stmt, StmtKind, VarId};
use crate::passes::sets::set::CellSet;

impl<'a> Pass<'a> {
    /// The transfer of a statement; `prefixes` are the elements that loops before it in its block have set.
    pub(super) fn stmt_behind_prefixes(
        &mut self,
        stmt: &'a Stmt,
        mut state: CellSet,
        prefixes: &mut Vec<SetElements>,
    ) -> CellSet {
        if prefixes.is_empty() {
            prefixes.extend(self.prefixes_set_by(stmt));
            return self.stmt(stmt, state);
        }
        let may_stay =
            |set: &SetElements| self.stays_before(stmt, set) && !self.is_checkpointed(stmt);
        prefixes.retain(|set| !regions::mentions(stmt, set.array) || may_stay(set));
        let written = prefixes
            .iter()
            .filter(|set| regions::mentions(stmt, set.array));
        let arrays = written.flat_map(|set| self.cells.of_var(set.array));
        let beyond: CellSet = arrays.copied().filter(|c| state.contains(*c)).collect();
        state.subtract(&beyond);
        let before = state.clone();
        state = self.stmt(stmt, state);
        // What the statement came to require must not be overwritten any more.
        prefixes.retain(|set| {
            let mut cells = self.cells.of_var(set.array).iter();
            !cells.any(|c| state.contains(*c) && !before.contains(*c))
        });
        state.union(&beyond);
        prefixes.extend(self.prefixes_set_by(stmt));
        state
    }

    /// Whether a snapshot brings whole arrays back in the statement.
    fn is_checkpointed(&self, stmt: &Stmt) -> bool {
        let mut any = false;
        Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
            any |= self.control.loop_states.contains_key(&s.id);
        });
        any
    }

    /// The elements that the statement, a loop, sets, if nothing in it reads or requires any of the array.
    fn prefixes_set_by(&self, stmt: &Stmt) -> Vec<SetElements> {
        let StmtKind::Loop(head, body) = &stmt.kind else {
            return Vec::new();
        };
        if !self.options.tbr {
            return Vec::new();
        }
        let mut set = regions::set_elements(head, body, self.func, &self.known.lengths);
        set.retain(|set| {
            regions::only_assigns(stmt, set.array) && !self.is_used_in(stmt, set.array)
        });
        set
    }

    /// Whether the statement overwrites no elements but those that have been set, and its adjoint requires none.
    fn stays_before(&self, stmt: &Stmt, set: &SetElements) -> bool {
        regions::writes_only_before(stmt, set, &self.known.lengths)
            && !self.is_used_in(stmt, set.array)
    }

    /// Whether the adjoint of the statement, or of one inside, requires a value of the variable.
    pub(super) fn is_used_in(&self, stmt: &Stmt, v: VarId) -> bool {
        let cells = self.cells.of_var(v);
        let mut used = false;
        Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
            let uses = &self.uses[s.id.index()];
            used |= [&uses.operands, &uses.results, &uses.restoring]
                .iter()
                .any(|set| cells.iter().any(|c| set.contains(*c)));
        });
        used
    }
}
