//! Fusion of the two sweeps, for a user's call of `f_adjoint`, where nothing comes between them: joint reversal
//! (`[EVD]` chapter 12), and of loops with independent iterations (`[IND]`).
//!
//! **Problem.** The sweeps of a [`Plan`] are two functions, because other code may run between them: a local comes to the
//! reverse sweep through the tape, and a loop records all of its iterations before it reverses the first.
//!
//! **Rule.** In one function,
//!
//! - the reverse sweep runs in the *scope* of the forward sweep: its locals are still there, and neither recorded nor restored,
//!   and other numbers that are recorded outside of loops are in locals (`scope`);
//! - a loop whose iterations carry nothing but sums is *fused*: it runs in *strips* of some iterations ([`strips`]), each of which
//!   is reversed as soon as it has run, so that the tape holds one strip (`loops`). It runs where it was reversed. What
//!   needs its sums runs behind it (`order`);
//! - a local that is *private* to the iterations of such a loop, since each writes what it reads, is no obstacle (`privates`).
//!
//! **Conditions.** With F(i) and R(i), both sweeps of iteration i, for each variable that outlives an iteration:
//!
//! ```text
//! R(i) only reads it, or only increments it, or it is an element of its own in each iteration
//! F(i) and R(i) both access it: neither writes it, or it is an element of its own in each iteration
//! or it is private, or the adjoint of that: Use(F) ([`crate::passes::checkpoint`]) has none of it
//! ```
//!
//! Two statements whose order changes do not access one variable, unless both read it or both increment its adjoint.
//!
//! The value of the function is the same in each bit. Sums of adjoints are taken in another order, always in the same one.
//!
//! A fused plan is a [`Plan`] for one caller, the outermost one, whose reverse sweep begins in the scope of the forward
//! sweep, which holds the seed. A [`StmtKind::Replay`] in it is code of the forward sweep, in the scope around it.

mod effects;
mod loops;
mod order;
mod privates;
mod scope;
pub mod strips;

use self::scope::Scope;
use super::Plan;
use crate::ir::{Block, Expr, LoopHead, StmtId, StmtKind, VarId};

/// How many iterations of a fused loop run at most before they are reversed, by default.
pub const LONGEST_STRIP: usize = 64;

/// The fused plan, if that has fewer records, or holds fewer at once: those of as many iterations of a loop.
pub fn fuse(plan: &Plan, longest_strip: usize) -> Option<Plan> {
    if !is_called_plainly(plan) {
        return None;
    }
    let mut fused = plan.for_outermost();
    let (forward, reverse) = (fused.forward.stmts, fused.reverse.stmts);
    (fused.forward, fused.reverse) = Default::default();
    let mut scope = Scope { forward, reverse };
    let ret = fused.func.ret;
    let shares = scope.share(&mut fused, ret);
    if ret.is_some_and(|ret| scope.changes_behind(ret, fused.callees())) {
        return None;
    }
    let fuses = loops::fuse(&mut scope, &mut fused, longest_strip);
    fused.forward = Block::new(scope.forward);
    fused.reverse = Block::new(scope.reverse);
    (shares || fuses).then_some(fused)
}

/// Whether the caller needs nothing between the sweeps: no values behind the forward sweep that the reverse sweep changes,
/// no shape, no look at a failure.
fn is_called_plainly(plan: &Plan) -> bool {
    let func = &plan.func;
    let has_plain_seed = |ret: VarId| {
        let ty = &func.var(ret).ty;
        ty.has_static_shape() && plan.adjoint.contains_key(&ret)
    };
    func.ret.is_none_or(has_plain_seed)
        && func.params.iter().all(|p| !plan.may_resize(*p))
        && plan.links.0.is_empty()
        && plan.changed_params().is_empty()
        && !takes_snapshots(plan)
}

fn takes_snapshots(plan: &Plan) -> bool {
    let mut takes = false;
    plan.forward
        .walk(&mut |s| takes |= matches!(s.kind, StmtKind::Take(_)));
    takes
}

/// The fused loops of a fused plan, and how many iterations their strips have at most.
pub fn fused_loops(plan: &Plan) -> impl Iterator<Item = (StmtId, usize)> {
    plan.reverse.stmts.iter().filter_map(|s| match &s.kind {
        StmtKind::Loop(LoopHead::Counted(_, starts), _) if s.is_over_strips() => {
            let Expr::Lit(length, _) = starts.step.as_ref()? else {
                return None;
            };
            Some((s.id, length.parse().ok()?))
        }
        _ => None,
    })
}
