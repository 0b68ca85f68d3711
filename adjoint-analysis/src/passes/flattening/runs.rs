//! Runs: sequences of assignments without control flow, the basic blocks that are flattened.

use std::collections::BTreeMap;

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
    let mentions = Mentions::of(func);
    let runs = found.into_iter();
    runs.map(|stmts| Run::of(stmts, activity, &mentions))
        .collect()
}

impl<'a> Run<'a> {
    /// These statements of a function as a run.
    pub fn of(stmts: &'a [Stmt], activity: &'a Activity, mentions: &Mentions) -> Run<'a> {
        Run {
            stmts,
            activity,
            own: mentions.own(stmts),
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

/// How many statements name each variable.
pub struct Mentions {
    counts: Vec<usize>,
    ret: Option<VarId>,
}

impl Mentions {
    /// Those in a function.
    pub fn of(func: &Func) -> Mentions {
        let mut counts = vec![0; func.vars.len()];
        func.body.walk(&mut |s| {
            for v in names(s).iter() {
                counts[v.index()] += 1;
            }
        });
        let ret = func.ret;
        Mentions { counts, ret }
    }

    /// The variables that a run declares and nothing else names.
    fn own(&self, run: &[Stmt]) -> VarSet {
        let mut within: BTreeMap<VarId, usize> = BTreeMap::new();
        for v in run.iter().flat_map(|s| names(s).iter().collect::<Vec<_>>()) {
            *within.entry(v).or_default() += 1;
        }
        let declared = run.iter().filter_map(Stmt::declared);
        let is_own = |v: &VarId| {
            let inside = within.get(v).copied().unwrap_or_default();
            self.ret != Some(*v) && inside == self.counts[v.index()]
        };
        declared.filter(is_own).collect()
    }
}

/// The variables that a statement itself names.
fn names(stmt: &Stmt) -> VarSet {
    let mut names = VarSet::default();
    stmt.each_named_var(&mut |v| {
        names.insert(v);
    });
    names
}
