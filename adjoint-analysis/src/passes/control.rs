//! Control flow that needs no record, as found by [`mod@self::literals`] and [`mod@self::trips`].

pub(super) mod joint_values;
pub mod literals;
pub mod loop_exits;
pub mod trips;

use std::collections::{BTreeMap, BTreeSet};

use self::literals::{LiteralValues, values};
use self::trips::trips;
use super::checkpoint::LoopState;
use super::sets::set::VarSet;
use crate::ir::{Expr, Func, LoopHead, Origin, Stmt, StmtId, StmtKind};

/// Branches and trip counts that need no record of their own.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// The literals of discrete variables.
    pub values: LiteralValues,
    /// The trip count of a loop, in terms of variables that the loop doesn't write.
    pub trips: BTreeMap<StmtId, Expr>,
    /// Labels, which the primal sets and never reads; they are kept only if they save a record.
    pub unread_labels: VarSet,
    /// Loops that contain nothing to be reversed.
    pub idle_loops: BTreeSet<StmtId>,
    /// The states of the checkpointed loops.
    pub loop_states: BTreeMap<StmtId, LoopState>,
}

impl Control {
    /// Analyses the function.
    pub fn of(func: &Func) -> Control {
        let label = |v: &crate::ir::VarId| func.var(*v).origin == Origin::Label;
        let mut silent: VarSet = func.var_ids().filter(label).collect();
        if !silent.is_empty() {
            func.body.walk(&mut |s| {
                let reads = s.operands().into_iter().flat_map(Expr::reads);
                reads.for_each(|v| silent.remove(v));
            });
        }
        Control {
            values: values(func),
            trips: trips(func),
            unread_labels: silent,
            idle_loops: BTreeSet::new(),
            loop_states: BTreeMap::new(),
        }
    }

    /// How often a loop runs, if that can be computed.
    pub fn trips_of(&self, stmt: &Stmt) -> Option<Expr> {
        match &stmt.kind {
            StmtKind::Loop(LoopHead::Counted(_, range), _) => Some(loop_exits::trips(range)),
            _ => self.trips.get(&stmt.id).cloned(),
        }
    }
}
