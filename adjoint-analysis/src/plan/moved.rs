//! Lists whose values move to another variable, so that the adjoint of that moves back.
//!
//! **Problem.** `u = next;` ends a step. The adjoint of `next` would be created with zeros, for which its length has to be
//! recorded, and that of `u` be added to it.
//!
//! **Rule.** `let next_adj = u_adj`, which takes the value; then the adjoint of `u` is created anew, as it is in any case.
//!
//! **Conditions.** The list has its scope in the block of the statement, every iteration gets there, and nothing names it
//! behind. Both adjoints are there for the same callers: where values change their shapes, all are ([`resizes`]).
//!
//! [`resizes`]: crate::passes::activity::resizes

use std::collections::BTreeMap;

use crate::ir::{Block, Expr, Func, Mode, Origin, Stmt, StmtId, StmtKind, Ty, VarId};

/// The statements that move lists to other variables, and the lists.
pub fn moved(func: &Func) -> BTreeMap<StmtId, VarId> {
    let mut found = BTreeMap::new();
    in_block(&func.body, &mut |block| {
        for (n, stmt) in block.stmts.iter().enumerate() {
            let ends = |list: &VarId| {
                scope(block, n, *list).is_some_and(|scope| !has_break(scope))
                    && Stmt::mentions(&block.stmts[n + 1..], *list) == 0
            };
            let moved = source(stmt, func).filter(ends);
            found.extend(moved.map(|list| (stmt.id, list)));
        }
    });
    found
}

/// Calls `f` on the block and on all inside it.
fn in_block(block: &Block, f: &mut dyn FnMut(&Block)) {
    f(block);
    for stmt in &block.stmts {
        stmt.each_block(&mut |inner| in_block(inner, f));
    }
}

/// The local list that the statement assigns to another variable.
fn source(stmt: &Stmt, func: &Func) -> Option<VarId> {
    let StmtKind::Assign(to, Expr::Read(from)) = &stmt.kind else {
        return None;
    };
    let var = func.var(from.root);
    let is_local = matches!(var.origin, Origin::Local | Origin::Temp) && var.mode == Mode::Owned;
    // The seed of the result may be absent.
    let is_kept = func.ret != Some(to.root);
    let is_list = matches!(var.ty, Ty::Vec(_)) && to.ty == var.ty;
    let are_two = to.is_whole() && from.is_whole() && from.root != to.root;
    (is_local && is_list && are_two && is_kept).then_some(from.root)
}

/// The statements from the declaration of the list to this one, if that is in the block.
fn scope(block: &Block, at: usize, list: VarId) -> Option<&[Stmt]> {
    let mut before = block.stmts[..at].iter();
    let start = before.position(|s| s.declared() == Some(list))?;
    Some(&block.stmts[start..=at])
}

/// Whether a statement may leave the loop around.
fn has_break(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Break => true,
        StmtKind::If(_, a, b) => has_break(&a.stmts) || has_break(&b.stmts),
        _ => false,
    })
}
