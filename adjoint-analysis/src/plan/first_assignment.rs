//! First assignments: those to variables without a value, such as the result and deferred declarations.

use std::collections::BTreeMap;

use crate::ir::{Block, Func, LoopHead, Stmt, StmtId, StmtKind};
use crate::passes::sets::set::{Set, VarSet};

/// The assignments to whole variables that have no value before, on any path. No earlier value has to be restored
/// there, and no adjoint takes its shape.
pub fn first_assignments(func: &Func) -> Set<StmtId> {
    First::of(func).found
}

/// The variables that may have a value where each loop starts, in a function with checkpointed loops.
pub fn assigned_before_loops(func: &Func) -> BTreeMap<StmtId, VarSet> {
    match func.checkpoints.is_empty() {
        true => BTreeMap::new(),
        false => First::of(func).before_loops,
    }
}

struct First {
    /// The variables that may have a value; `None` if the code is unreachable.
    assigned: Option<VarSet>,
    /// The same after a `break` of the current loop.
    at_break: Option<VarSet>,
    found: Set<StmtId>,
    before_loops: BTreeMap<StmtId, VarSet>,
    has_checkpoints: bool,
}

impl First {
    fn of(func: &Func) -> First {
        let mut pass = First {
            assigned: Some(func.params.iter().copied().collect()),
            at_break: None,
            found: Set::default(),
            before_loops: BTreeMap::new(),
            has_checkpoints: !func.checkpoints.is_empty(),
        };
        pass.block(&func.body);
        pass
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let Some(held) = &mut self.assigned else {
            return;
        };
        match &stmt.kind {
            StmtKind::Let(v, None) => held.remove(*v),
            StmtKind::If(_, then, els) => {
                let before = self.assigned.clone();
                self.block(then);
                let after = std::mem::replace(&mut self.assigned, before);
                self.block(els);
                join(&mut self.assigned, after);
            }
            StmtKind::Loop(head, body) => {
                if self.has_checkpoints {
                    self.before_loops.entry(stmt.id).or_default().union(held);
                }
                self.repeat(head, body);
            }
            StmtKind::Break => {
                let left = self.assigned.take();
                join(&mut self.at_break, left);
            }
            StmtKind::Assign(place, _) if place.is_whole() && !held.contains(place.root) => {
                held.insert(place.root);
                self.found.insert(stmt.id);
            }
            _ => {
                let written = stmt.written().into_iter().map(|place| place.root);
                held.extend(written.chain(stmt.declared()));
            }
        }
    }

    /// A second iteration only adds the variables that the first one leaves.
    fn repeat(&mut self, head: &LoopHead, body: &Block) {
        let outer = self.at_break.take();
        let found = self.found.clone();
        let before = self.assigned.clone();
        self.block(body);
        join(&mut self.assigned, before);
        let entry = self.assigned.clone();
        (self.at_break, self.found) = (None, found);
        self.block(body);
        self.assigned = self.at_break.take();
        if !matches!(head, LoopHead::Forever) {
            join(&mut self.assigned, entry);
        }
        self.at_break = outer;
    }
}

/// Joins another path.
fn join(held: &mut Option<VarSet>, other: Option<VarSet>) {
    match (held, other) {
        (Some(held), Some(other)) => {
            held.union(&other);
        }
        (held, other) => *held = held.take().or(other),
    }
}
