//! Variables that loops count with, and writes that can't be undone.

use std::collections::BTreeMap;

use super::inverse::inverse;
use super::is_invertible;
use crate::ir::{BinOp, Block, Expr, Func, Stmt, StmtKind, Ty, VarId};
use crate::passes::control::trips::{Step, last_value, leaves};

/// The invertible variables that are written by `v = v ± literal` alone, with the depth in loops of their declarations.
pub fn counters(func: &Func) -> BTreeMap<VarId, usize> {
    let mut found = BTreeMap::new();
    note_declarations(func, &func.body, 0, &mut found);
    func.body.walk(&mut |stmt| {
        let counts = match &stmt.kind {
            StmtKind::Assign(p, e) if p.is_whole() => steps(e, p.root),
            _ => false,
        };
        if !counts {
            for place in stmt.written() {
                found.remove(&place.root);
            }
        }
    });
    found
}

fn note_declarations(func: &Func, block: &Block, depth: usize, found: &mut BTreeMap<VarId, usize>) {
    for stmt in &block.stmts {
        if let StmtKind::Let(v, Some(_)) = &stmt.kind
            && is_invertible(func, *v)
        {
            found.insert(*v, depth);
        }
        let inside = depth + usize::from(matches!(stmt.kind, StmtKind::Loop(..)));
        for inner in stmt.blocks() {
            note_declarations(func, inner, inside, found);
        }
    }
}

/// `v ± literal`
fn steps(e: &Expr, v: VarId) -> bool {
    let is_own = |e: &Expr| matches!(e, Expr::Read(p) if p.is_whole() && p.root == v);
    let is_literal = |e: &Expr| matches!(e, Expr::Lit(..));
    match e {
        Expr::Binary(BinOp::Add, a, b) => is_own(a) && is_literal(b) || is_literal(a) && is_own(b),
        Expr::Binary(BinOp::Sub, a, b) => is_own(a) && is_literal(b),
        _ => false,
    }
}

/// How deep in loops each variable is written by statements that can't be undone from its new value, as `v = v + e` can.
pub fn lossy_depths(func: &Func) -> BTreeMap<VarId, usize> {
    let mut found = BTreeMap::new();
    note_lossy_writes(func, &func.body, 0, &mut found);
    found
}

fn note_lossy_writes(func: &Func, block: &Block, depth: usize, found: &mut BTreeMap<VarId, usize>) {
    for stmt in &block.stmts {
        if !is_undone_by_itself(func, stmt) {
            for place in stmt.written() {
                let known = found.entry(place.root).or_default();
                *known = depth.max(*known);
            }
        }
        let inside = depth + usize::from(matches!(stmt.kind, StmtKind::Loop(..)));
        for inner in stmt.blocks() {
            note_lossy_writes(func, inner, inside, found);
        }
    }
}

/// Whether what the statement overwrites follows from its result and its other operands.
fn is_undone_by_itself(func: &Func, stmt: &Stmt) -> bool {
    let StmtKind::Assign(p, e) = &stmt.kind else {
        return false;
    };
    let is_own = |e: &Expr| matches!(e, Expr::Read(read) if read == p);
    let others = |e: &Expr| Some(e.clone()).filter(|e| !e.reads().contains(&p.root));
    let result = Expr::Read(p.clone());
    p.is_whole() && inverse(func, e, result, &is_own, &others).is_some()
}

/// Whether the variable is 0 before the last of these statements, a loop without `break` with this body, and grows by 1
/// in each iteration.
pub fn counts_iterations(func: &Func, v: VarId, stmts: &[Stmt], body: &Block) -> bool {
    let Some((_, before)) = stmts.split_last() else {
        return false;
    };
    let is_lit = |e: &Expr, text: &str| matches!(e, Expr::Lit(lit, _) if lit == text);
    let starts_at_0 = last_value(before, v).is_some_and(|(_, e)| is_lit(e, "0"));
    let by_one = Step::of(&body.stmts, v).is_some_and(|step| step.up && is_lit(&step.by, "1"));
    func.var(v).ty == Ty::USIZE && by_one && !leaves(body) && starts_at_0
}
