//! First increments: the first thing that happens to an adjoint which starts at zero.
//!
//! The increment has to be in the block of the declaration, so that it runs whenever and as often as that does. Then the
//! adjoint is declared there, with the increment for a value, for all callers.

use super::is_machine_float;
use crate::ir::{Block, Func, Origin, Stmt, StmtKind, VarId};
use crate::plan::Plan;

/// Declares adjoints where they are first added to.
pub fn assign(block: &mut Block, plan: &mut Plan) {
    let mut at = 0;
    while at < block.stmts.len() {
        let adjoint = declared_adjoint(&block.stmts[at], &plan.func);
        let first = adjoint.and_then(|v| Some((v, first_increment(&block.stmts[at + 1..], v)?)));
        match first {
            Some((v, n)) => {
                block.stmts.remove(at);
                plan.var_demands.remove(&v);
                declare(&mut block.stmts[at + n], v);
            }
            None => at += 1,
        }
    }
}

/// The adjoint, of a float of the machine, that the statement declares without a value.
fn declared_adjoint(stmt: &Stmt, func: &Func) -> Option<VarId> {
    let StmtKind::Let(v, None) = stmt.kind else {
        return None;
    };
    let var = func.var(v);
    (matches!(var.origin, Origin::Adjoint(_)) && is_machine_float(&var.ty)).then_some(v)
}

/// The position of the first statement that names the adjoint, if that adds to it and doesn't read it.
fn first_increment(stmts: &[Stmt], adjoint: VarId) -> Option<usize> {
    let at = stmts
        .iter()
        .position(|s| Stmt::mentions(std::slice::from_ref(s), adjoint) > 0)?;
    match &stmts[at].kind {
        StmtKind::Incr(p, e)
            if p.is_whole() && p.root == adjoint && !e.reads().contains(&adjoint) =>
        {
            Some(at)
        }
        _ => None,
    }
}

fn declare(increment: &mut Stmt, adjoint: VarId) {
    if let StmtKind::Incr(_, value) = &increment.kind {
        increment.kind = StmtKind::Let(adjoint, Some(value.clone()));
    }
}
