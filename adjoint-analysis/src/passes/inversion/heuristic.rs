//! The heuristic `H` of `[INV]` §4: which integers to hold, so that the most others follow.
//!
//! **Problem.** Where the token game gets stuck, something has to be stored. To-be-recorded analysis would store the value
//! that is asked for; but two that are asked for may follow from one that is not, or from the one that an outer loop
//! carries on.
//!
//! **Triggers.** Integers by which the stored ones are defined, directly or in a few steps, or that are defined by them,
//! those first with the largest trigger sets: T(v) has the stored integers that are joined with v by such definitions.
//!
//! **Choice.** All triggers may be held at first, which lets the game ask for them; then each is dropped whose loss
//! doesn't cost more storage. |S|_s is counted by depth in loops, the deepest first, and α ≡ 0 as in the paper.
//!
//! DIVERGENCE `[INV]` §4: `H` picks one node whenever the game is stuck, by its trigger set alone. Here the storage that
//! follows from a choice is what decides, since each game is over one overwrite.

use std::collections::{BTreeMap, BTreeSet};

use super::is_invertible;
use crate::ir::{Func, StmtKind, VarId};

/// How many variables are tried.
const MAX_TRIGGERS: usize = 6;
/// Over how many definitions triggers are looked for.
const MAX_STEPS: usize = 3;

/// What is stored, by depth in loops: the deepest comes first, where it is most.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Storage([usize; Storage::LEVELS]);

impl Storage {
    const LEVELS: usize = 8;

    /// Adds a value that is stored in so many loops.
    pub fn add(&mut self, depth: usize) {
        let depth = depth.min(Storage::LEVELS - 1);
        self.0[Storage::LEVELS - 1 - depth] += 1;
    }
}

/// The variables to hold, given those that are stored otherwise, and what is stored in the end if some are held.
pub fn held(
    func: &Func,
    stored: &BTreeSet<VarId>,
    storage: &dyn Fn(&BTreeSet<VarId>) -> Storage,
) -> BTreeSet<VarId> {
    let mut triggers = triggers(func, stored);
    triggers.truncate(MAX_TRIGGERS);
    let nothing = BTreeSet::new();
    if triggers.is_empty() {
        return nothing;
    }
    let mut held: BTreeSet<VarId> = triggers.iter().copied().collect();
    let mut least = storage(&held);
    for v in triggers.iter().rev() {
        let mut fewer = held.clone();
        fewer.remove(v);
        let without = storage(&fewer);
        if without <= least {
            (held, least) = (fewer, without);
        }
    }
    match least < storage(&nothing) {
        true => held,
        false => nothing,
    }
}

/// Integers from which stored ones may follow, those first that many do from.
fn triggers(func: &Func, stored: &BTreeSet<VarId>) -> Vec<VarId> {
    let neighbours = neighbours(func);
    let mut sizes: BTreeMap<VarId, usize> = BTreeMap::new();
    for v in stored {
        let mut reached = BTreeSet::from([*v]);
        for _ in 0..MAX_STEPS {
            let next = reached.iter().filter_map(|r| neighbours.get(r)).flatten();
            let next: Vec<VarId> = next.copied().collect();
            reached.extend(next);
        }
        for r in reached {
            *sizes.entry(r).or_default() += 1;
        }
    }
    let mut found: Vec<VarId> = sizes.keys().copied().collect();
    found.sort_by_key(|v| std::cmp::Reverse(sizes[v]));
    found
}

/// The edges of G_A in both directions: which integers each one is defined by, or defines.
fn neighbours(func: &Func) -> BTreeMap<VarId, BTreeSet<VarId>> {
    let mut found: BTreeMap<VarId, BTreeSet<VarId>> = BTreeMap::new();
    func.body.walk(&mut |s| {
        let (v, e) = match &s.kind {
            StmtKind::Let(v, Some(e)) => (*v, e),
            StmtKind::Assign(p, e) if p.is_whole() => (p.root, e),
            _ => return,
        };
        if !is_invertible(func, v) {
            return;
        }
        let operands = e.needs(func).into_iter();
        for r in operands.filter(|r| *r != v && is_invertible(func, *r)) {
            found.entry(v).or_default().insert(r);
            found.entry(r).or_default().insert(v);
        }
    });
    found
}
