//! Parts that are only run where a seed is not zero.

use std::collections::HashSet;

use crate::ir::{BinOp, Expr, Func, Part, Stmt, StmtKind, VarId};
use crate::passes::sets::set::VarSet;

/// The statement with plain products of the seed: where it is not zero, `scale` is one.
pub fn plain(stmt: &Stmt, seeds: &HashSet<VarId>) -> Stmt {
    let mut stmt = stmt.clone();
    for e in stmt.operands_mut() {
        in_expr(e, seeds);
    }
    stmt
}

fn in_expr(e: &mut Expr, seeds: &HashSet<VarId>) {
    for child in e.children_mut() {
        in_expr(child, seeds);
    }
    if let Expr::Scale(seed, partial) = e
        && matches!(&**seed, Expr::Read(p) if p.is_whole() && seeds.contains(&p.root))
    {
        *e = Expr::Binary(BinOp::Mul, seed.clone(), partial.clone());
    }
}

/// The seed of a part, and its copies in the body.
pub fn seeds(part: &Part, stmts: &[&Stmt], written: &VarSet) -> HashSet<VarId> {
    let mut seeds: HashSet<VarId> = part.seed.into_iter().collect();
    for stmt in stmts {
        if let StmtKind::Let(v, Some(Expr::Read(p))) = &stmt.kind
            && p.is_whole()
            && seeds.contains(&p.root)
            && !written.contains(*v)
        {
            seeds.insert(*v);
        }
    }
    seeds
}

/// Whether the statements add nothing where the seed is zero, leave it zero, and write nothing else that outlives the iteration.
pub fn add_nothing(stmts: &[&Stmt], seed: VarId, locals: &VarSet, func: &Func) -> bool {
    let mut zero: HashSet<VarId> = HashSet::from([seed]);
    // What is zero after all statements, whichever way branches go, was always zero: take away until nothing changes.
    zero.extend(stmts.iter().filter_map(|s| s.declared()));
    loop {
        let mut lost = Vec::new();
        let mut nothing = true;
        for s in stmts {
            let value = match &s.kind {
                StmtKind::Let(_, e) => e.as_ref(),
                StmtKind::Incr(_, e) | StmtKind::Assign(_, e) => Some(e),
                _ => None,
            };
            let is_zero = value.is_none_or(|e| vanishes(e, &zero, func));
            let is_restored = matches!(s.kind, StmtKind::Restore(..));
            let adds = matches!(s.kind, StmtKind::Incr(..));
            for root in s.written().iter().map(|p| p.root).chain(s.declared()) {
                if !locals.contains(root) {
                    nothing &= adds && is_zero;
                } else if !is_zero || is_restored {
                    lost.push(root);
                }
            }
        }
        let before = zero.len();
        zero.retain(|v| !lost.contains(v));
        if zero.len() == before {
            return nothing && zero.contains(&seed);
        }
    }
}

fn vanishes(e: &Expr, zero: &HashSet<VarId>, func: &Func) -> bool {
    match e {
        Expr::Lit(text, _) => text.parse::<f64>() == Ok(0.0),
        Expr::Read(p) => p.is_whole() && zero.contains(&p.root),
        Expr::Scale(a, _) | Expr::Unary(_, a) => vanishes(a, zero, func),
        Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            vanishes(a, zero, func) && vanishes(b, zero, func)
        }
        // The other factor is a number.
        Expr::Binary(BinOp::Mul, a, b) => {
            let mut reads = b.reads().into_iter();
            vanishes(a, zero, func) && !reads.any(|v| func.var(v).ty.carries_floats())
        }
        _ => false,
    }
}
