//! Runs: sequences of assignments without control flow, the basic blocks that are flattened.

use super::assignments::assignments;
use super::flatten::Surroundings;
use crate::ir::{Block, Func, Place, Stmt, StmtId, VarId};
use crate::passes::activity::Activity;
use crate::passes::sets::set::VarSet;

/// A run in a function, with what is known of the code around it.
pub struct Run<'a> {
    /// The assignments.
    pub stmts: &'a [Stmt],
    activity: &'a Activity,
    /// The variables that the run declares and nothing else reads.
    own: VarSet,
}

impl Surroundings for Run<'_> {
    fn is_varied(&self, stmt: StmtId, place: &Place) -> bool {
        self.activity.reads_active(stmt, place)
    }

    fn is_read_behind(&self, place: &Place) -> bool {
        !self.own.contains(place.root) && self.activity.active.contains(place.root)
    }
}

/// The longest runs of a function, in textual order.
pub fn runs<'a>(func: &'a Func, activity: &'a Activity) -> Vec<Run<'a>> {
    let mut found = Vec::new();
    in_block(func, &func.body, &mut found);
    let runs = found.into_iter();
    runs.map(|stmts| Run::of(func, stmts, activity)).collect()
}

impl<'a> Run<'a> {
    /// These statements of a function as a run.
    pub fn of(func: &Func, stmts: &'a [Stmt], activity: &'a Activity) -> Run<'a> {
        Run {
            stmts,
            activity,
            own: own(func, stmts),
        }
    }

    /// Whether the run declares the variable and nothing else reads it.
    pub fn owns(&self, v: VarId) -> bool {
        self.own.contains(v)
    }
}

fn in_block<'a>(func: &Func, block: &'a Block, found: &mut Vec<&'a [Stmt]>) {
    let runs = block.stmts.split(|s| assignments(func, s).is_none());
    found.extend(runs.filter(|run| !run.is_empty()));
    for inner in block.stmts.iter().flat_map(Stmt::blocks) {
        in_block(func, inner, found);
    }
}

/// The variables that a run declares and nothing else names.
fn own(func: &Func, run: &[Stmt]) -> VarSet {
    let ids: Vec<StmtId> = run.iter().map(|s| s.id).collect();
    let mut named: VarSet = func.ret.into_iter().collect();
    func.body.walk(&mut |s| {
        if !ids.contains(&s.id) {
            s.each_named_var(&mut |v| {
                named.insert(v);
            });
        }
    });
    let declared = run.iter().filter_map(Stmt::declared);
    declared.filter(|v: &VarId| !named.contains(*v)).collect()
}
