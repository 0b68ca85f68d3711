//! Recovery of integers by inversion: `[INV]` §§3–4.
//!
//! **Problem.** An integer that the reverse sweep needs is overwritten, or its scope ends. Its value often follows from
//! what the reverse sweep holds at that point: `at = at + 1` is undone by `at - 1`, and after `k = j + 1; j = k + 2;` the
//! old `j` is `k - 1`, and `k` is `j - 2`.
//!
//! **Sets.** V: the versions of integer variables within a block. E_c: a definition `w = f(u, ..)` joins the versions
//! that `f` reads with that of `w` ([`self::graph`]). E_I ⊆ E_c: the reads on whose path to the root of `f` every
//! operation can be undone ([`self::inverse`]). T: the versions whose values are known, each with an expression over
//! what the reverse sweep holds.
//!
//! **Algorithm** `tg` ([`self::game`]), without storage: invert a definition whose result and other operands have tokens;
//! where none is left, evaluate one again whose operands have; end when the wanted version has a token. Where it gets
//! none, storage is the choice, which is to-be-recorded analysis's to make: it asks at each overwrite, so that what is
//! stored is stored where it dies, and only if the reverse sweep needs it.
//!
//! **What the checker proves.** The terms of wrapping sums are linear forms, in which `(i + 1) - 1` is `i`; so an inverse
//! is proved as any other value of the reverse sweep is, without a hint.
//!
//! DIVERGENCE `[INV]` §4: the paper plays one game for the body of a loop, from its outputs. Here each overwrite is a game
//! of its own, over the versions of its block up to there. The flow edges E_f then join a version with reads of the same
//! version only, so that saturation is no step of its own; a temporary (Figure 7) is a subexpression.

pub mod game;
pub mod graph;
pub mod inverse;

use std::collections::BTreeMap;

use self::graph::Graph;
use super::control::trips::{Step, leaves};
use crate::ir::{BinOp, Block, Expr, Func, IntTy, Mode, Origin, Stmt, StmtKind, Ty, VarId};

/// How often a loop runs, where that can be computed again.
pub type Trips<'t> = dyn Fn(&Stmt) -> Option<Expr> + 't;

/// The value that `v` had before the last of these statements, which overwrites it, in terms of what the variables hold
/// behind it. `at_hand` says which variables the reverse sweep holds there.
pub fn before_overwrite(
    func: &Func,
    stmts: &[Stmt],
    v: VarId,
    trips: &Trips<'_>,
    at_hand: &dyn Fn(VarId) -> bool,
) -> Option<Expr> {
    let graph = Graph::of(func, stmts, trips);
    let wanted = graph.before_last(v)?;
    game::recovered(func, &graph, wanted, at_hand)
}

/// The value that `v` has behind these statements, in terms of what the other variables hold there.
pub fn at_end(
    func: &Func,
    stmts: &[Stmt],
    v: VarId,
    trips: &Trips<'_>,
    at_hand: &dyn Fn(VarId) -> bool,
) -> Option<Expr> {
    let graph = Graph::of(func, stmts, trips);
    let wanted = graph.current(v);
    game::recovered(func, &graph, wanted, at_hand)
}

/// Whether values of the variable may come back by inversion: a local integer of a type that is written or inferred.
pub fn is_invertible(func: &Func, v: VarId) -> bool {
    let var = func.var(v);
    let is_known = matches!(&var.ty, Ty::Int(ty) if *ty != IntTy::Infer);
    let is_local = matches!(var.origin, Origin::Local | Origin::Temp);
    is_known && is_local && var.mode == Mode::Owned
}

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

/// Whether the variable is 0 before the last of these statements, a loop without `break` with this body, and grows by 1
/// in each iteration.
pub fn counts_iterations(func: &Func, v: VarId, stmts: &[Stmt], body: &Block) -> bool {
    let writes = |s: &&Stmt| {
        let mut writes = false;
        Stmt::walk_all(std::slice::from_ref(*s), &mut |s| {
            writes |= s.declared() == Some(v) || s.written().iter().any(|p| p.root == v);
        });
        writes
    };
    let Some((_, before)) = stmts.split_last() else {
        return false;
    };
    let start = match before.iter().rfind(writes).map(|s| &s.kind) {
        Some(StmtKind::Let(_, Some(e))) => Some(e),
        Some(StmtKind::Assign(p, e)) if p.is_whole() => Some(e),
        _ => None,
    };
    let is_lit = |e: &Expr, text: &str| matches!(e, Expr::Lit(lit, _) if lit == text);
    let by_one = Step::of(&body.stmts, v).is_some_and(|step| step.up && is_lit(&step.by, "1"));
    func.var(v).ty == Ty::USIZE && by_one && !leaves(body) && start.is_some_and(|e| is_lit(e, "0"))
}
