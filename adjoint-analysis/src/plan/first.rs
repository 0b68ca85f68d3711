//! Assignments to variables that hold nothing yet: the result, and what is declared without a value.

use crate::ir::{Block, Func, Stmt, StmtId, StmtKind};
use crate::passes::set::{Set, VarSet};

/// The assignments to whole variables before which these hold nothing, on whatever way they are come to. No
/// earlier value has to come back there, and no adjoint has to take its shape.
pub fn first_assignments(func: &Func) -> Set<StmtId> {
    let mut pass = First {
        held: func.params.iter().copied().collect(),
        found: Set::default(),
    };
    pass.block(&func.body);
    pass.found
}

struct First {
    /// The variables that may hold something.
    held: VarSet,
    found: Set<StmtId>,
}

impl First {
    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let(v, None) => self.held.remove(*v),
            StmtKind::If(_, then, els) => {
                let before = self.held.clone();
                self.block(then);
                let after = std::mem::replace(&mut self.held, before);
                self.block(els);
                self.held.union(&after);
            }
            StmtKind::Loop(_, body) => {
                body.walk(&mut |s| self.hold(s));
                self.block(body);
            }
            StmtKind::Assign(place, _) if place.is_whole() && !self.held.contains(place.root) => {
                self.found.insert(stmt.id);
                self.hold(stmt);
            }
            _ => self.hold(stmt),
        }
    }

    /// What a statement declares or writes holds something afterwards.
    fn hold(&mut self, stmt: &Stmt) {
        let written = stmt.written().into_iter().map(|place| place.root);
        for v in written.chain(stmt.declared()) {
            self.held.insert(v);
        }
    }
}
