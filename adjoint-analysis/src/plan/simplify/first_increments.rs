//! First increments: the first thing that happens to an adjoint which starts at zero, or is set to zero.
//!
//! The increment has to be in the block of the declaration, so that it runs whenever and as often as that does. Then the
//! adjoint is declared there, with the increment for a value, for all callers. Where the first increments are in the arms
//! of a branch, or for some callers only, they become assignments. Behind `zero x_adj`, so does the increment of the same
//! statement, which reads and writes `x`.

use crate::ir::{Block, Expr, Func, Origin, Place, Stmt, StmtKind, VarId};
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
            None => {
                let behind = &mut block.stmts[at + 1..];
                adjoint.into_iter().for_each(|v| assign_in_arms(behind, v));
                at += 1;
            }
        }
    }
}

/// Assigns the increments that are the first ones of an adjoint on their paths into branches.
fn assign_in_arms(stmts: &mut [Stmt], adjoint: VarId) {
    let Some(at) = first_mention(stmts, adjoint) else {
        return;
    };
    let stmt = &mut stmts[at];
    if let Some((p, e)) = increment_of(stmt, adjoint)
        && p.is_whole()
    {
        stmt.kind = StmtKind::Assign(p.clone(), e.clone());
    }
    let is_read = stmt.operands().iter().any(|e| e.reads().contains(&adjoint));
    if matches!(stmt.kind, StmtKind::If(..) | StmtKind::When(..)) && !is_read {
        for arm in stmt.blocks_mut() {
            assign_in_arms(&mut arm.stmts, adjoint);
        }
    }
}

/// The adjoint, of a float of the machine, that the statement declares without a value.
fn declared_adjoint(stmt: &Stmt, func: &Func) -> Option<VarId> {
    let StmtKind::Let(v, None) = stmt.kind else {
        return None;
    };
    let var = func.var(v);
    (matches!(var.origin, Origin::Adjoint(_)) && var.ty.is_machine_float()).then_some(v)
}

/// The position of the first statement that names the adjoint, if that adds to it and doesn't read it.
fn first_increment(stmts: &[Stmt], adjoint: VarId) -> Option<usize> {
    let at = first_mention(stmts, adjoint)?;
    increment_of(&stmts[at], adjoint)
        .is_some_and(|(p, _)| p.is_whole())
        .then_some(at)
}

/// The position of the first statement that names the adjoint.
fn first_mention(stmts: &[Stmt], adjoint: VarId) -> Option<usize> {
    let mut stmts = stmts.iter().map(std::slice::from_ref);
    stmts.position(|s| Stmt::mentions(s, adjoint) > 0)
}

/// What the statement adds to a place in the adjoint, if it doesn't read that.
fn increment_of(stmt: &Stmt, adjoint: VarId) -> Option<(&Place, &Expr)> {
    match &stmt.kind {
        StmtKind::Incr(p, e) if p.root == adjoint && !e.reads().contains(&adjoint) => Some((p, e)),
        _ => None,
    }
}

/// Assigns the increments that are the first ones behind a zero.
pub fn replace_zeros(block: &mut Block) {
    let mut at = 0;
    while at < block.stmts.len() {
        match increment_of_zero(&block.stmts[at..]) {
            Some((n, kind)) => {
                block.stmts[at + n].kind = kind;
                block.stmts.remove(at);
            }
            None => at += 1,
        }
    }
}

/// The position of the first increment of the place that the first statement sets to zero, and the assignment.
fn increment_of_zero(stmts: &[Stmt]) -> Option<(usize, StmtKind)> {
    let (first, behind) = stmts.split_first()?;
    let StmtKind::Zero(place) = &first.kind else {
        return None;
    };
    let n = first_mention(behind, place.root)?;
    let (added_to, e) = increment_of(&behind[n], place.root)?;
    let operands: Vec<VarId> = place.operands().into_iter().flat_map(Expr::reads).collect();
    let mut written = Vec::new();
    Stmt::walk_all(&behind[..n], &mut |s| {
        written.extend(s.written().iter().map(|p| p.root));
    });
    let is_there = added_to == place && !written.iter().any(|v| operands.contains(v));
    let is_same = behind[n].id == first.id;
    (is_there && is_same && place.ty.is_machine_float())
        .then(|| (n + 1, StmtKind::Assign(place.clone(), e.clone())))
}

fn declare(increment: &mut Stmt, adjoint: VarId) {
    if let StmtKind::Incr(_, value) = &increment.kind {
        increment.kind = StmtKind::Let(adjoint, Some(value.clone()));
    }
}
