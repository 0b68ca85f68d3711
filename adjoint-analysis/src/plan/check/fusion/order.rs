//! The statements that change places by fusion.

use super::accesses::{Access, accesses, commute};
use super::split::Split;
use crate::ir::{Mode, Place, Stmt, StmtId, StmtKind, VarId};
use crate::passes::checkpoint::Callees;
use crate::passes::sets::names::declared_inside;
use crate::passes::sets::set::VarSet;
use crate::plan::check::faults::{FaultKind, Faults};

/// A statement of a sweep, as what comes in front of it and behind it sees it.
struct Unit {
    id: StmtId,
    time: usize,
    accesses: Vec<(Access, Place)>,
    uses_tape: bool,
    acts: bool,
}

/// Two statements that run in another order than in the two sweeps must not depend on each other.
pub fn check(split: &Split, faults: &mut Faults) {
    let (plan, forward) = (&split.plan, split.forward);
    let run = plan.forward.stmts[..forward].iter();
    // The restores that were added come first.
    let added = plan.reverse.stmts.len() - (split.times.len() - forward);
    let reversed = plan.reverse.stmts[added..].iter();
    let fused: Vec<usize> = split.times[..forward]
        .iter()
        .filter(|time| split.times[forward..].contains(time))
        .copied()
        .collect();
    let stmts = run.chain(reversed).zip(&split.times);
    let units: Vec<Unit> = stmts
        .map(|(stmt, time)| Unit::of(stmt, *time, fused.contains(time), plan.callees()))
        .collect();
    let is_lent = |v: &VarId| plan.func.var(*v).mode == Mode::Mut;
    let lent = plan.func.params.iter().copied().filter(is_lent);
    let outputs: VarSet = lent.chain(plan.func.ret).collect();
    for (n, b) in units.iter().enumerate() {
        if n >= forward && b.changes(&outputs) {
            let message = "an output has another value at the end";
            faults.add(b.id, FaultKind::Fusion, message);
        }
        for (m, a) in units[..n].iter().enumerate() {
            let adds_may_swap = m >= forward;
            if a.time > b.time && a.depends_on(b, adds_may_swap) {
                let message = format!("a statement runs behind {:?}, which depends on it", b.id);
                faults.add(a.id, FaultKind::Fusion, message);
            }
        }
    }
}

impl Unit {
    fn of(stmt: &Stmt, time: usize, is_fused: bool, callees: Callees<'_>) -> Unit {
        let own = std::slice::from_ref(stmt);
        let inner = declared_inside(own);
        let mut accesses = accesses(own, callees);
        accesses.retain(|(_, p)| !inner.contains(p.root));
        let (mut uses_tape, mut acts) = (false, false);
        Stmt::walk_all(own, &mut |s| {
            acts |= matches!(
                s.kind,
                StmtKind::Passive(..) | StmtKind::Call(_) | StmtKind::Forward(_)
            );
            s.walk_exprs(&mut |e| acts |= e.may_have_effect());
            uses_tape |= s.uses_tape();
        });
        Unit {
            id: stmt.id,
            time,
            accesses,
            // A fused loop leaves nothing on the tape.
            uses_tape: uses_tape && !is_fused,
            acts,
        }
    }

    fn changes(&self, outputs: &VarSet) -> bool {
        let mut all = self.accesses.iter();
        let is_read = |access: &Access| matches!(access, Access::Read | Access::Shape);
        all.any(|(access, p)| !is_read(access) && outputs.contains(p.root))
    }

    fn depends_on(&self, other: &Unit, adds_may_swap: bool) -> bool {
        let conflict = |a: &(Access, Place), b: &(Access, Place)| {
            a.1.root == b.1.root && !commute(a.0, b.0, adds_may_swap)
        };
        let mut own = self.accesses.iter();
        self.uses_tape && other.uses_tape
            || self.acts && other.acts
            || own.any(|a| other.accesses.iter().any(|b| conflict(a, b)))
    }
}
