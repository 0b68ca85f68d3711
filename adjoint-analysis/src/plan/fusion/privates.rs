//! The private locals of loops: those that each iteration writes before it reads them, and that nothing names behind the loop. So
//! nothing of their adjoints passes from one iteration to another.

use std::collections::BTreeMap;

use crate::ir::{LoopHead, Mode, Origin, Place, Stmt, StmtId, StmtKind, VarId};
use crate::passes::checkpoint::{LoopState, loop_state};
use crate::passes::sets::set::VarSet;
use crate::passes::tbr::regions::Definitions;
use crate::plan::Plan;

/// The private locals of loops, by loop, and their adjoints.
pub struct Privates(BTreeMap<StmtId, VarSet>);

impl Privates {
    /// Those of the function's loops.
    pub fn of(plan: &Plan) -> Privates {
        let body = &plan.func.body.stmts;
        let candidates: Vec<usize> = (0..body.len())
            .filter(|n| writes_what_is_not_named_behind(*n, plan))
            .collect();
        if candidates.is_empty() {
            return Privates(BTreeMap::new());
        }
        let definitions = Definitions::of(&plan.func);
        let of_loop = |n: usize| {
            let StmtKind::Loop(head, run) = &body[n].kind else {
                return None;
            };
            let state = loop_state(head, run, plan.callees(), &definitions);
            Some((body[n].id, privates(n, &state, plan)))
        };
        Privates(candidates.into_iter().filter_map(of_loop).collect())
    }

    /// Those of this loop.
    pub fn of_loop(&self, id: StmtId) -> VarSet {
        self.0.get(&id).cloned().unwrap_or_default()
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

/// Those of the loop that is this statement of the function.
fn privates(number: usize, state: &LoopState, plan: &Plan) -> VarSet {
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
