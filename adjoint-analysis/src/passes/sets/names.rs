//! The variables that statements name and declare.

use super::set::VarSet;
use crate::ir::{Stmt, StmtKind};

/// The variables that the statements name, in any role, those of inner blocks included.
pub fn named_in(stmts: &[Stmt]) -> VarSet {
    let mut names = VarSet::default();
    Stmt::walk_all(stmts, &mut |s| {
        s.each_named_var(&mut |v| {
            names.insert(v);
        });
    });
    names
}

/// The variables that the statements declare, those of inner blocks and the indices of loops included.
pub fn declared_in(stmts: &[Stmt]) -> VarSet {
    let mut all = declared_inside(stmts);
    all.extend(stmts.iter().flat_map(Stmt::all_declared));
    all
}

/// The variables that inner blocks of the statements declare, and the indices of loops.
pub fn declared_inside(stmts: &[Stmt]) -> VarSet {
    let mut inside = VarSet::default();
    for stmt in stmts {
        for block in stmt.blocks() {
            inside.union(&declared_in(&block.stmts));
        }
        if let StmtKind::Loop(head, _) = &stmt.kind {
            inside.extend(head.index());
        }
    }
    inside
}
