//! The private locals of loops: those that each iteration writes before it reads them, and that nothing names behind the loop. So
//! nothing of their adjoints passes from one iteration to another.

use super::loops::{are_independent, mirror};
use crate::ir::{LoopHead, Mode, Origin, Place, Stmt, StmtId, StmtKind, VarId};
use crate::passes::checkpoint::{LoopState, LoopStates, loop_state};
use crate::passes::sets::set::VarSet;
use crate::passes::tbr::regions::Definitions;
use crate::plan::Plan;

/// The loops that are independent but for their private locals.
pub fn loops_with_privates(plan: &Plan) -> LoopStates {
    let body = &plan.func.body.stmts;
    let candidates: Vec<usize> = (0..body.len())
        .filter(|n| writes_what_is_not_named_behind(*n, plan))
        .collect();
    if candidates.is_empty() {
        return LoopStates::new();
    }
    let (definitions, outermost) = (Definitions::of(&plan.func), plan.for_outermost());
    let with_privates = |n: usize| {
        let StmtKind::Loop(head @ LoopHead::Counted(index, _), run) = &body[n].kind else {
            return None;
        };
        let parts = bodies(&outermost, body[n].id)?;
        let state = loop_state(head, run, plan.callees(), &definitions);
        let private = privates(n, &state, plan);
        let with = |private: &VarSet| are_independent(parts, *index, private, &plan.func);
        (!with(&VarSet::default()) && with(&private)).then_some((body[n].id, state))
    };
    candidates.into_iter().filter_map(with_privates).collect()
}

/// The bodies of a loop in both sweeps.
fn bodies(plan: &Plan, id: StmtId) -> Option<[&[Stmt]; 2]> {
    let run = plan.forward.stmts.iter().find_map(|s| match &s.kind {
        StmtKind::Loop(LoopHead::Counted(..), body) if s.id == id => Some(&body.stmts[..]),
        _ => None,
    })?;
    let at = mirror(&plan.reverse.stmts, id)?;
    match &plan.reverse.stmts[at].kind {
        StmtKind::Loop(_, body) => Some([run, &body.stmts]),
        _ => None,
    }
}

/// Whether this statement of the function is a loop that writes a local from in front of it, which nothing names behind it.
fn writes_what_is_not_named_behind(n: usize, plan: &Plan) -> bool {
    let (before, behind) = plan.func.body.stmts.split_at(n);
    let StmtKind::Loop(LoopHead::Counted(..), run) = &behind[0].kind else {
        return false;
    };
    let declared: VarSet = before.iter().filter_map(Stmt::declared).collect();
    let mut written = VarSet::default();
    run.walk(&mut |s| written.extend(s.written().iter().map(|p| p.root)));
    let mut outer = written.iter().filter(|v| declared.contains(*v));
    outer.any(|v| Stmt::mentions(&behind[1..], v) == 0)
}

/// The private locals of the loop that is this statement of the function, and its adjoints.
pub fn privates(number: usize, state: &LoopState, plan: &Plan) -> VarSet {
    let behind = &plan.func.body.stmts[number + 1..];
    let named = |places: &[Place], v: VarId| places.iter().any(|p| p.root == v);
    let reshaped = plan.callees().reshaped(&plan.func.body);
    let mut private = VarSet::default();
    for v in state.written.iter().map(|p| p.root) {
        let var = plan.func.var(v);
        let is_own = var.mode == Mode::Owned && matches!(var.origin, Origin::Local | Origin::Temp);
        // Elements that no iteration writes may be read.
        let is_free = !named(&state.read, v) && Stmt::mentions(behind, v) == 0;
        if is_own && is_free && !named(&reshaped, v) {
            private.insert(v);
            private.extend(plan.adjoint.get(&v).copied());
        }
    }
    private
}
