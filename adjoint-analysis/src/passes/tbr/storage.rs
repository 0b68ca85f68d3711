//! The integers and trip counts that a result stores.

use std::collections::BTreeSet;

use super::{LocalRestore, Tbr, Uses};
use crate::ir::{Block, Func, LoopHead, Stmt, StmtKind, Ty, VarId};
use crate::passes::control::Control;
use crate::passes::inversion::heuristic::Storage;

/// What is stored.
pub struct Stored {
    /// The integers that loops store.
    pub vars: BTreeSet<VarId>,
    /// All of it, by depth.
    pub storage: Storage,
}

/// The integers and trip counts that the result stores.
pub fn stored(func: &Func, uses: &[Uses], control: &Control, tbr: &Tbr) -> Stored {
    let mut walk = Walk {
        func,
        uses,
        control,
        tbr,
        found: Stored {
            vars: BTreeSet::new(),
            storage: Storage::default(),
        },
    };
    walk.block(&func.body, 0);
    walk.found
}

struct Walk<'a> {
    func: &'a Func,
    uses: &'a [Uses],
    control: &'a Control,
    tbr: &'a Tbr,
    found: Stored,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, depth: usize) {
        for stmt in &block.stmts {
            for (n, place) in stmt.written().into_iter().enumerate() {
                if self.tbr.recorded.get(&(stmt.id, n)) == Some(&true) {
                    self.add(place.root, depth);
                }
            }
            let at_end = |v| self.tbr.at_end.get(&v).copied().flatten();
            if let Some(v) = stmt.declared()
                && at_end(v) == Some(LocalRestore::Record)
            {
                self.add(v, depth);
            }
            if self.counts_trips(stmt) {
                self.found.storage.add(depth);
            }
            let inside = depth + usize::from(matches!(stmt.kind, StmtKind::Loop(..)));
            stmt.blocks()
                .into_iter()
                .for_each(|b| self.block(b, inside));
        }
    }

    fn add(&mut self, v: VarId, depth: usize) {
        if matches!(self.func.var(v).ty, Ty::Int(_)) {
            self.found.storage.add(depth);
            if depth > 0 {
                self.found.vars.insert(v);
            }
        }
    }

    fn counts_trips(&self, stmt: &Stmt) -> bool {
        let id = &stmt.id;
        let is_counted = matches!(
            stmt.kind,
            StmtKind::Loop(LoopHead::While(_) | LoopHead::Forever, _)
        );
        let is_known = self.tbr.recomputed_trips.contains(id)
            || self.tbr.trips_from_counters.contains_key(id)
            || self.control.idle_loops.contains(id);
        is_counted && self.uses[id.index()].any && !is_known
    }
}
