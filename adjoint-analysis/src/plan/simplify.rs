//! Simplification of the adjoint code in a finished reverse sweep.
//!
//! **Problem.** The walk down a statement's tree writes one increment for each leaf, each a seed times a partial, and a
//! variable's adjoint starts at zero. So `a * a` makes two increments of one place, an adjoint with one use costs an
//! addition to zero, which no compiler may fold since `0.0 + -0.0` is `0.0`, and a seed is tested for zero where the
//! partial is a number, and multiplied as often as its variable is read.
//!
//! | file | rule |
//! | --- | --- |
//! | `like_terms` | the increments of a place in the adjoint of one statement are one |
//! | `factored` | terms of an increment with one seed are one, with the sum of their factors |
//! | `guards` | blocks for the same callers in the adjoint of one statement are one |
//! | `finite_factors` | `scale(s, c)` is `s * c` for a `c` that is finite whatever the inputs are |
//! | `accumulators` | what a loop adds to one element is added to it behind the loop |
//! | `first_increments` | the first increment of an adjoint without a value, or of one that is zero, gives it one |
//!
//! Sums of adjoints are associated in another order than without the pass, always in the same one. The checker judges
//! each term of an increment by itself, and takes an increment behind a loop only if nothing in the loop gives the
//! variable a value.

mod accumulators;
mod factored;
mod finite_factors;
mod first_increments;
mod guards;
mod like_terms;

use super::Plan;
use crate::ir::{Block, Stmt, StmtKind, VarId};

/// Simplifies the reverse sweep.
pub fn simplify(plan: &mut Plan) {
    let mut reverse = std::mem::take(&mut plan.reverse);
    each_block(&mut reverse, &mut |block| {
        guards::join(&mut block.stmts);
        like_terms::join(block);
        first_increments::assign(block, plan);
        first_increments::replace_zeros(block);
        finite_factors::multiply(block, &plan.func);
    });
    accumulators::introduce(&mut reverse, &mut plan.func);
    plan.reverse = reverse;
}

/// Calls `f` on the blocks, but not on what is run again of the forward sweep.
fn each_block(block: &mut Block, f: &mut dyn FnMut(&mut Block)) {
    f(block);
    let is_reverse = |s: &&mut Stmt| !matches!(s.kind, StmtKind::Replay(..));
    for stmt in block.stmts.iter_mut().filter(is_reverse) {
        for inner in stmt.blocks_mut() {
            each_block(inner, f);
        }
    }
}

/// Calls `f` on the variables that the statement and those in it write or declare. Whether that is all that they change: it is, if
/// they compute values, for some callers or for all.
fn each_written(stmt: &Stmt, f: &mut dyn FnMut(VarId)) -> bool {
    let mut is_all = true;
    Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| match &s.kind {
        StmtKind::Let(v, _) => f(*v),
        StmtKind::Assign(p, _) | StmtKind::Incr(p, _) | StmtKind::Zero(p) => f(p.root),
        StmtKind::When(..) => {}
        _ => is_all = false,
    });
    is_all
}
