//! What fusion makes of the sweeps, for a user's call.

use std::collections::{BTreeMap, BTreeSet};

use super::view::View;
use crate::ir::{RecordId, StmtId, StmtKind};
use crate::plan::fusion::fused_loops;

/// The fused sweeps of a function.
pub struct FusedSweeps {
    /// The fused loops, and how many iterations a strip of them has at most.
    pub loops: BTreeMap<StmtId, usize>,
    made: BTreeSet<RecordId>,
}

impl FusedSweeps {
    /// Those of the function, if its sweeps are fused.
    pub fn of(view: &View<'_>) -> Option<FusedSweeps> {
        let plan = view.plan().fused.as_deref()?;
        let mut made = BTreeSet::new();
        plan.each_forward_stmt(&mut |s| match s.kind {
            StmtKind::Record(record, _) | StmtKind::RecordControl(record, _) => {
                made.insert(record);
            }
            _ => {}
        });
        Some(FusedSweeps {
            loops: fused_loops(plan).collect(),
            made,
        })
    }

    /// Whether the record is made; else the value is left in a local.
    pub fn makes(&self, record: RecordId) -> bool {
        self.made.contains(&record)
    }
}
