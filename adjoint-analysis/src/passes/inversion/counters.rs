//! Variables that loops count with, the trip counts that they give, and writes that can't be undone.

use std::collections::BTreeMap;

use super::inverse::{method, multiples};
use super::is_invertible;
use super::updates::undone;
use crate::ir::{BinOp, Block, Expr, Func, IntTy, Place, Stmt, StmtKind, Ty, VarId};
use crate::passes::control::trips::{Step, start};

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

/// Writes that can't be undone from the new value, as `v = v + e` can.
#[derive(Default)]
pub struct LossyWrites {
    /// What is written, and in how many loops.
    by_root: BTreeMap<VarId, Vec<(Place, usize)>>,
}

impl LossyWrites {
    /// Those of a function.
    pub fn of(func: &Func) -> LossyWrites {
        let mut found = LossyWrites::default();
        found.note(func, &func.body, 0);
        found
    }

    fn note(&mut self, func: &Func, block: &Block, depth: usize) {
        for stmt in &block.stmts {
            if undone(func, stmt).is_none() {
                for place in stmt.written() {
                    let known = self.by_root.entry(place.root).or_default();
                    known.push((place.clone(), depth));
                }
            }
            let inside = depth + usize::from(matches!(stmt.kind, StmtKind::Loop(..)));
            for inner in stmt.blocks() {
                self.note(func, inner, inside);
            }
        }
    }

    /// How deep in loops the place is written so, if it is.
    pub fn depth(&self, place: &Place) -> Option<usize> {
        let writes = self.by_root.get(&place.root).into_iter().flatten();
        let overlapping = writes.filter(|(written, _)| written.may_overlap(place));
        overlapping.map(|(_, depth)| *depth).max()
    }
}

/// How often the last of these statements ran, a loop with this body, in terms of what the variable holds behind it, if
/// each iteration changes that by an odd literal: exact modulo the size of the type, which no trip count exceeds, so
/// that it doesn't matter whether the variable wrapped.
pub fn trips_from(func: &Func, v: VarId, stmts: &[Stmt], body: &Block) -> Option<Expr> {
    let (_, before) = stmts.split_last()?;
    let ty = &func.var(v).ty;
    let Ty::Int(int @ (IntTy::Usize | IntTy::Isize | IntTy::U64 | IntTy::I64)) = ty else {
        return None;
    };
    let step = Step::of(&body.stmts, v)?;
    let start = start(func, before, v, body)?;
    let end = Expr::Read(func.place(v));
    let all = match step.up {
        true if is_lit(&start, "0") => end,
        true => method("wrapping_sub", vec![end, start], *int),
        false => method("wrapping_sub", vec![start, end], *int),
    };
    let count = match is_lit(&step.by, "1") {
        true => all,
        false => multiples::odd_multiple(&step.by, all, *int)?,
    };
    Some(match *ty == Ty::USIZE {
        true => count,
        false => Expr::Cast(Box::new(count), Ty::USIZE),
    })
}

fn is_lit(e: &Expr, text: &str) -> bool {
    matches!(e, Expr::Lit(lit, _) if lit == text)
}
