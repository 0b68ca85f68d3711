//! Variables that one way of a branch alone names are declared there.
//!
//! A `match` with an arm that leaves gives its value on the other ways only, and the rest of the block
//! stands there. Declared in front, a value of a type that only rustc sees would be none on the way out,
//! where the end of the block records what it holds.

use crate::ir::{Block, Stmt, StmtKind, VarId};

/// Moves declarations without a value into the ways that name the variable.
pub fn sink(block: &mut Block) {
    for at in (0..block.stmts.len()).rev() {
        let StmtKind::Let(v, None) = block.stmts[at].kind else {
            continue;
        };
        if let Some((branch, way)) = only_way(&block.stmts[at + 1..], v) {
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

/// The branch, and which of its two ways, that is the only place where the variable is named.
fn only_way(stmts: &[Stmt], v: VarId) -> Option<(usize, usize)> {
    let mut naming = (0..stmts.len()).filter(|k| names(&stmts[*k..=*k], v));
    let (branch, None) = (naming.next()?, naming.next()) else {
        return None;
    };
    let StmtKind::If(test, then, els) = &stmts[branch].kind else {
        return None;
    };
    match (names(&then.stmts, v), names(&els.stmts, v)) {
        _ if test.reads().contains(&v) => None,
        (true, false) => Some((branch, 0)),
        (false, true) => Some((branch, 1)),
        _ => None,
    }
}

fn names(stmts: &[Stmt], v: VarId) -> bool {
    let mut found = false;
    Stmt::walk_all(stmts, &mut |s| {
        s.each_name(&mut |named| found |= named == v)
    });
    found
}
