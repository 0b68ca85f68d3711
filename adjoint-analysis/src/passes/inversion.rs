//! Recovery of integers by inversion: `[INV]` §§3–4.
//!
//! **Problem.** An integer that the reverse sweep needs is overwritten, or its scope ends. Its value often follows from
//! what the reverse sweep holds at that point: `at = at + 1` is undone by `at - 1`, and after `k = j + 1; j = k + 2;` the
//! old `j` is `k - 1`, and `k` is `j - 2`.
//!
//! **Sets.** V: the versions of integer variables within a block. E_c: a definition `w = f(u, ..)` joins the versions
//! that `f` reads with that of `w` ([`self::graph`]); loops ([`self::closed_form`]) and branches ([`self::branches`]) are
//! definitions too. E_I ⊆ E_c: the reads on whose path to the root of `f` every operation can be undone
//! ([`self::inverse`]). T: the versions whose values are known, each with an expression over what the reverse sweep holds.
//!
//! **Algorithm** `tg` ([`self::game`]), without storage: invert a definition whose result and other operands have tokens;
//! where none is left, evaluate one again whose operands have; end when the wanted version has a token. Where it gets
//! none, storage is the choice, which is to-be-recorded analysis's to make: it asks at each overwrite, so that what is
//! stored is stored where it dies, and only if the reverse sweep needs it. Which variables it may store for others' sake,
//! the heuristic H says ([`self::heuristic`]).
//!
//! **What the checker proves.** The terms of integers are polynomials, in which `(i + 1) - 1` is `i`, and other operations
//! cancel with their inverses; so an inverse is proved as any other value of the reverse sweep is, without a hint.
//!
//! DIVERGENCE `[INV]` §4: the paper plays one game for the body of a loop, from its outputs. Here each overwrite is a game
//! of its own, over the versions of its block up to there. The flow edges E_f then join a version with reads of the same
//! version only, so that saturation is no step of its own; a temporary (Figure 7) is a subexpression.

pub mod branches;
pub mod closed_form;
pub mod counters;
pub mod game;
pub mod graph;
pub mod heuristic;
pub mod inverse;
pub mod polynomial;
pub mod sums;
pub mod trace;
pub mod updates;

use self::graph::Graph;
use crate::ir::{Expr, Func, IntTy, Mode, Origin, Stmt, Ty, VarId};

/// How often a loop runs, where that can be computed again.
pub type Trips<'t> = dyn Fn(&Stmt) -> Option<Expr> + 't;

/// The value that `v` had before the last of these statements, which overwrites it, in terms of what the variables hold
/// behind it. `is_held` says which variables the reverse sweep holds there.
pub fn before_overwrite(
    func: &Func,
    stmts: &[Stmt],
    v: VarId,
    trips: &Trips<'_>,
    is_held: &dyn Fn(VarId) -> bool,
) -> Option<Expr> {
    let played = |stmts: &[Stmt]| {
        let graph = Graph::of(func, stmts, trips);
        let wanted = graph.before_last(v)?;
        game::recovered(func, &graph, wanted, is_held)
    };
    // The last statement suffices for most, and needs no graph of the others.
    played(&stmts[stmts.len().saturating_sub(1)..]).or_else(|| played(stmts))
}

/// The value that `v` has behind these statements, in terms of what the other variables hold there.
pub fn at_end(
    func: &Func,
    stmts: &[Stmt],
    v: VarId,
    trips: &Trips<'_>,
    is_held: &dyn Fn(VarId) -> bool,
) -> Option<Expr> {
    let graph = Graph::of(func, stmts, trips);
    let wanted = graph.current(v);
    game::recovered(func, &graph, wanted, is_held)
}

/// Whether values of the variable may come back by inversion: an integer of a type that is written or inferred, in a
/// local or behind a `&mut` of the caller's.
pub fn is_invertible(func: &Func, v: VarId) -> bool {
    let var = func.var(v);
    let is_known = matches!(&var.ty, Ty::Int(ty) if *ty != IntTy::Infer);
    let is_held = match var.origin {
        Origin::Local | Origin::Temp => var.mode == Mode::Owned,
        Origin::Param => var.mode == Mode::Mut,
        _ => false,
    };
    is_known && is_held
}
