//! Moves a declaration into the branch that alone names the variable.
//!
//! A `match` with a diverging arm has a value in the other arms only, and the rest of the block moves there. If the
//! variable were declared in front, it would be unassigned on the exit path, where the end of the block records its
//! value; a type that only rustc sees has no default.

use crate::ir::{Block, Stmt, StmtKind, VarId};

/// Moves declarations without an initialiser into the branches that name the variables.
pub fn sink(block: &mut Block) {
    for at in (0..block.stmts.len()).rev() {
        let StmtKind::Let(v, None) = block.stmts[at].kind else {
            continue;
        };
        if let Some((branch, way)) = only_branch(&block.stmts[at + 1..], v) {
            let declared = block.stmts.remove(at);
            block.stmts[at + branch].blocks_mut()[way]
                .stmts
                .insert(0, declared);
        }
    }
    for stmt in &mut block.stmts {
        stmt.blocks_mut().into_iter().for_each(sink);
    }
}

/// The statement, and which of its two branches, that alone names the variable.
fn only_branch(stmts: &[Stmt], v: VarId) -> Option<(usize, usize)> {
    let mut naming = (0..stmts.len()).filter(|k| mentions(&stmts[*k..=*k], v));
    let (branch, None) = (naming.next()?, naming.next()) else {
        return None;
    };
    let StmtKind::If(test, then, els) = &stmts[branch].kind else {
        return None;
    };
    match (mentions(&then.stmts, v), mentions(&els.stmts, v)) {
        _ if test.reads().contains(&v) => None,
        (true, false) => Some((branch, 0)),
        (false, true) => Some((branch, 1)),
        _ => None,
    }
}

fn mentions(stmts: &[Stmt], v: VarId) -> bool {
    let mut found = false;
    Stmt::walk_all(stmts, &mut |s| {
        s.each_named_var(&mut |named| found |= named == v)
    });
    found
}
