//! Loops that are reversed from snapshots.

use super::Pass;
use crate::ir::{Block, LoopHead, Place, StmtId};
use crate::passes::checkpoint::LoopState;
use crate::passes::sets::set::CellSet;

impl<'a> Pass<'a> {
    /// The transfer of such a loop.
    pub(super) fn checkpointed(
        &mut self,
        (id, head): (StmtId, &LoopHead),
        of_loop: &LoopState,
        body: &'a Block,
        mut state: CellSet,
    ) -> CellSet {
        let around = self.nest;
        self.nest = around.inside(head);
        let inside = self.block(body, CellSet::default());
        self.nest = around;
        if self.records_decisions {
            let among = |state: &CellSet| {
                let written = of_loop.written.iter();
                let mut required = written.cloned().collect::<Vec<_>>();
                required.retain(|p| self.cells.touched(p).iter().any(|c| state.contains(*c)));
                required
            };
            let (saved, required) = (among(&state), among(&inside));
            self.result.saved.insert(id, saved);
            self.result.required_behind_steps.insert(id, required);
        }
        let written = self.touched(&of_loop.written);
        let inside = inside.iter();
        let outer = inside.filter(|c| of_loop.named.contains(&self.cells.var(*c)));
        let mut constant: CellSet = outer.collect();
        if self.uses[id.index()].any {
            constant.union(&self.touched(&of_loop.read));
        }
        constant.subtract(&written);
        if self.uses[id.index()].any {
            constant.union(&self.touched(&of_loop.partly_constant));
        }
        state.union(&constant);
        state
    }

    fn touched(&self, places: &[Place]) -> CellSet {
        let cells = places
            .iter()
            .flat_map(|p| self.cells.touched(p).into_owned());
        cells.collect()
    }
}
