//! Assignments to variables that hold nothing yet: the result, and what is declared without a value.

use crate::ir::{Block, Func, LoopHead, Stmt, StmtId, StmtKind};
use crate::passes::sets::set::{Set, VarSet};

/// The assignments to whole variables before which these hold nothing, on whatever way they are come to. No
/// earlier value has to come back there, and no adjoint has to take its shape.
pub fn first_assignments(func: &Func) -> Set<StmtId> {
    let mut pass = First {
        held: Some(func.params.iter().copied().collect()),
        at_break: None,
        found: Set::default(),
    };
    pass.block(&func.body);
    pass.found
}

struct First {
    /// The variables that may hold something; nothing, where the code can't be come to.
    held: Option<VarSet>,
    /// The same where the loop at hand is left.
    at_break: Option<VarSet>,
    found: Set<StmtId>,
}

impl First {
    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let Some(held) = &mut self.held else { return };
        match &stmt.kind {
            StmtKind::Let(v, None) => held.remove(*v),
            StmtKind::If(_, then, els) => {
                let before = self.held.clone();
                self.block(then);
                let after = std::mem::replace(&mut self.held, before);
                self.block(els);
                join(&mut self.held, after);
            }
            StmtKind::Loop(head, body) => self.repeat(head, body),
            StmtKind::Break => {
                let left = self.held.take();
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

    /// What an iteration leaves is all that a second one adds to what the first finds.
    fn repeat(&mut self, head: &LoopHead, body: &Block) {
        let outer = self.at_break.take();
        let found = self.found.clone();
        let before = self.held.clone();
        self.block(body);
        join(&mut self.held, before);
        let entry = self.held.clone();
        (self.at_break, self.found) = (None, found);
        self.block(body);
        self.held = self.at_break.take();
        if !matches!(head, LoopHead::Forever) {
            join(&mut self.held, entry);
        }
        self.at_break = outer;
    }
}

/// Adds what may hold something on another way.
fn join(held: &mut Option<VarSet>, other: Option<VarSet>) {
    match (held, other) {
        (Some(held), Some(other)) => {
            held.union(&other);
        }
        (held, other) => *held = held.take().or(other),
    }
}
