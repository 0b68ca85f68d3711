//! The iterations of fused loops.

use super::accesses::{Access, accesses, commute};
use super::split::fused_parts;
use crate::ir::{Func, Origin, Place, Proj, Stmt, StmtId, StmtKind, VarId};
use crate::passes::checkpoint::{Callees, loop_state};
use crate::passes::sets::names::declared_in;
use crate::passes::sets::set::VarSet;
use crate::passes::tbr::regions::Definitions;
use crate::plan::Plan;
use crate::plan::check::faults::{FaultKind, Faults};
use crate::plan::check::reverse::distribution::probes::Probes;
use crate::plan::check::snapshots::{States, StepState};

/// Each iteration may be reversed before the next one runs, and before those behind it are reversed. Returns what has to be
/// proved of the loops with private locals.
pub fn check(fused: &Plan, faults: &mut Faults) -> States {
    let mut states = States::new();
    for stmt in &fused.reverse.stmts {
        let Some(of) = fused_parts(stmt, &fused.func) else {
            if matches!(&stmt.kind, StmtKind::Loop(_, body) if body.replays()) {
                let message = "the strips of a fused loop are not its iterations";
                faults.add(stmt.id, FaultKind::Fusion, message);
            }
            continue;
        };
        let parts = [of.run, of.reversed].map(|sweep| &sweep.stmts[..]);
        let iteration = Iteration::of(of.index, parts, fused.callees());
        let privates = iteration.privates(stmt.id);
        for v in &iteration.conflicts {
            if !privates.is_for(*v, &fused.func) {
                let name = &fused.func.var(*v).name;
                let message = format!("iterations of a fused loop share `{name}`");
                faults.add(stmt.id, FaultKind::Fusion, message);
            }
        }
        states.extend(privates.state(stmt.id, fused).map(|state| (stmt.id, state)));
    }
    states
}

/// The accesses of an iteration to what outlives it.
struct Iteration<'f> {
    func: &'f Func,
    run: Vec<(Access, Place)>,
    reversed: Vec<(Access, Place)>,
    /// The variables that the reversal of an iteration may share with other iterations.
    conflicts: Vec<VarId>,
}

impl<'f> Iteration<'f> {
    /// Those of the loop with this index and these statements of both sweeps.
    fn of(index: VarId, [run, reversed]: [&[Stmt]; 2], callees: Callees<'f>) -> Iteration<'f> {
        let (mut list, mut written, mut inner) = (Vec::new(), VarSet::default(), VarSet::default());
        inner.insert(index);
        for part in [run, reversed] {
            inner.union(&declared_in(part));
            Stmt::walk_all(part, &mut |s| {
                list.push(s);
                written.extend(s.written().iter().map(|p| p.root));
            });
        }
        let probes = Probes::new(index, &list, &written);
        let outer = |part: &[Stmt]| {
            let mut all = accesses(part, callees);
            all.retain(|(_, p)| !inner.contains(p.root));
            all
        };
        let mut iteration = Iteration {
            func: callees.func,
            run: outer(run),
            reversed: outer(reversed),
            conflicts: Vec::new(),
        };
        iteration.find_conflicts(&probes);
        iteration
    }

    fn find_conflicts(&mut self, probes: &Probes<'_>) {
        let of_run = self.run.iter().map(|access| (access, true));
        let all = of_run.chain(self.reversed.iter().map(|access| (access, false)));
        let mut found = VarSet::default();
        for ((a, p), in_run) in all {
            for (b, q) in &self.reversed {
                let commute = commute(*a, *b, !in_run);
                if p.root == q.root && !commute && !are_own_elements(p, q, probes) {
                    found.insert(p.root);
                }
            }
        }
        self.conflicts = found.iter().collect();
    }

    /// The locals of the primal which iterations of this loop share, or whose adjoints they share, and that nothing names
    /// behind it.
    fn privates(&self, id: StmtId) -> Privates {
        let body = &self.func.body.stmts;
        let behind = body.iter().skip_while(|s| s.id != id).skip(1);
        let mut named_behind = VarSet::default();
        behind.for_each(|s| {
            Stmt::walk_all(std::slice::from_ref(s), &mut |s| {
                s.each_named_var(&mut |v| {
                    named_behind.insert(v);
                });
            });
        });
        let is_local = |v: &VarId| {
            let var = self.func.var(*v);
            let is_filled = |a: &Access| matches!(a, Access::Fill | Access::Write | Access::Add);
            let is_written = self.run.iter().any(|(a, p)| p.root == *v && is_filled(a));
            let is_own = is_written && !named_behind.contains(*v);
            is_own && matches!(var.origin, Origin::Local | Origin::Temp)
        };
        let primal = self.conflicts.iter().map(|v| primal_of(*v, self.func));
        let found: VarSet = primal.filter(is_local).collect();
        Privates(found.iter().collect())
    }
}

/// The variable, or that of which it is the adjoint.
fn primal_of(v: VarId, func: &Func) -> VarId {
    match func.var(v).origin {
        Origin::Adjoint(of) => of,
        _ => v,
    }
}

/// The locals that each iteration has to write before it reads them.
struct Privates(Vec<VarId>);

impl Privates {
    /// Whether the variable is among them, or the adjoint of one.
    fn is_for(&self, v: VarId, func: &Func) -> bool {
        self.0.contains(&primal_of(v, func))
    }

    /// The claim that a step that runs again without it reads what it read, so that it need not have it.
    fn state(&self, id: StmtId, fused: &Plan) -> Option<StepState> {
        let mut found = None;
        fused.func.body.walk(&mut |s| match &s.kind {
            StmtKind::Loop(head, body) if s.id == id => found = Some((head, body)),
            _ => {}
        });
        let (head, body) = found.filter(|_| !self.0.is_empty())?;
        let definitions = Definitions::of(&fused.func);
        let mut sets = loop_state(head, body, fused.callees(), &definitions);
        let is_private = |p: &Place| self.0.contains(&p.root);
        sets.read.retain(|p| !is_private(p));
        sets.overwritten.clear();
        let restored = sets.written.iter().filter(|p| !is_private(p)).cloned();
        Some(StepState {
            restored: restored.collect(),
            sets,
        })
    }
}

/// Whether both are in one element, which is another one in each iteration.
fn are_own_elements(p: &Place, q: &Place, probes: &Probes<'_>) -> bool {
    let element = |place: &Place| {
        let at = place
            .proj
            .iter()
            .position(|s| matches!(s, Proj::Index(_)))?;
        let element = Place {
            proj: place.proj[..=at].to_vec(),
            ..place.clone()
        };
        probes.is_another_element(&element).then_some(element.proj)
    };
    element(p).is_some_and(|of_p| element(q) == Some(of_p))
}
