//! Checkpointed loops: the plan without its snapshots.
//!
//! The forward sweep runs the steps `B` of such a loop without their records; the reverse sweep brings back a state, runs
//! `B` again with its records, and reverses it. [`unfold`] makes the plan in which the forward sweep makes these records at
//! once, and the rest of the checker proves that one. It does the same as the plan with snapshots if
//!
//! - the forward sweep runs the primal's steps, and its snapshots are those that are restored;
//! - `B`, run again, reads what it read: for each variable of `Use(B)` ([`passes::checkpoint`](crate::passes::checkpoint)), it
//!   is in the snapshot, or no step writes it and it has its value ([`super::reverse`] looks at the latter). The sets are
//!   proved in [`super::steps`].
//!
//! Then what `B` writes as a whole, or what is in the snapshot, has its value from the end of the step.

use std::collections::BTreeMap;

use super::faults::{FaultKind, Faults};
use super::forward::primal;
use crate::ir::{Block, Place, Proj, RecordId, Stmt, StmtId, StmtKind};
use crate::passes::checkpoint::{LoopState, is_part_of, loop_state};
use crate::passes::sets::set::VarSet;
use crate::passes::tbr::regions::Definitions;
use crate::plan::Plan;

/// The states of the checkpointed loops that are reversed.
pub type States = BTreeMap<StmtId, StepState>;

/// The state of a loop.
pub struct StepState {
    /// The sets.
    pub sets: LoopState,
    /// What its snapshots restore.
    pub restored: Vec<Place>,
}

impl StepState {
    /// What a step that is run again leaves as it left it.
    pub fn coming_back(&self) -> impl Iterator<Item = &Place> {
        self.restored.iter().chain(&self.sets.overwritten)
    }
}

/// The plan without snapshots, and the states of its checkpointed loops; `None` if it has none.
pub fn unfold(
    plan: &Plan,
    change: &dyn Fn(&mut StepState),
    faults: &mut Faults,
) -> Option<(Plan, States)> {
    if plan.func.checkpoints.is_empty() {
        return None;
    }
    let mut found = Unfold {
        plan,
        change,
        faults,
        steps: BTreeMap::new(),
        states: States::new(),
    };
    let mut unfolded = plan.clone();
    found.reverse(&mut unfolded.reverse, &VarSet::default());
    if found.steps.is_empty() {
        return None;
    }
    primal::compare(plan, found.faults);
    let steps = found.steps.clone();
    found.forward(&mut unfolded.forward);
    for (id, (_, restores, _)) in steps {
        found.state(id, &restores);
    }
    Some((unfolded, found.states))
}

/// A step with its records, the restores of its snapshot, and whether the forward sweep takes that.
type Steps = (Block, Block, bool);

struct Unfold<'p, 'f> {
    plan: &'p Plan,
    change: &'f dyn Fn(&mut StepState),
    faults: &'f mut Faults,
    steps: BTreeMap<StmtId, Steps>,
    states: States,
}

impl Unfold<'_, '_> {
    /// Takes the steps out of a block of the reverse sweep; a statement without blocks marks where they were.
    /// What a step declares has no other declaration there.
    fn reverse(&mut self, block: &mut Block, around: &VarSet) {
        let mut declared = around.clone();
        for stmt in &mut block.stmts {
            match &mut stmt.kind {
                StmtKind::Replay(restores, forward) => {
                    let (restores, forward) = (std::mem::take(restores), std::mem::take(forward));
                    let mut again = false;
                    forward.walk(&mut |s| {
                        again |= s.declared().is_some_and(|v| declared.contains(v));
                    });
                    if again {
                        self.fault(stmt.id, "a step declares a variable again");
                    }
                    self.steps.insert(stmt.id, (forward, restores, false));
                }
                _ => {
                    let inner = stmt.blocks_mut().into_iter();
                    inner.for_each(|b| self.reverse(b, &declared));
                }
            }
            declared.extend(stmt.declared());
        }
    }

    /// Puts the steps with their records into a block of the forward sweep.
    fn forward(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if let StmtKind::Loop(_, body) = &mut stmt.kind
                && let Some(at) = body.stmts.iter().position(is_taken)
            {
                self.with_records(stmt.id, at, body);
            }
            for inner in stmt.blocks_mut() {
                self.forward(inner);
            }
        }
    }

    fn with_records(&mut self, id: StmtId, at: usize, body: &mut Block) {
        let Some((forward, restores, is_taken)) = self.steps.get_mut(&id) else {
            return self.fault(id, "snapshots are taken of a loop that is not reversed");
        };
        *is_taken = true;
        let mut taken = body
            .stmts
            .remove(at)
            .blocks()
            .into_iter()
            .flat_map(recorded)
            .collect::<Vec<_>>();
        taken.reverse();
        body.stmts.truncate(at);
        body.stmts.extend(forward.stmts.iter().cloned());
        if taken != recorded(restores) {
            self.fault(id, "a snapshot is restored other than it is taken");
        }
    }

    /// Everything that a step reads and a step writes must be in the snapshot.
    fn state(&mut self, id: StmtId, restores: &Block) {
        let func = &self.plan.func;
        let mut found = None;
        func.body.walk(&mut |s| match &s.kind {
            StmtKind::Loop(head, body) if s.id == id => found = Some((head, body)),
            _ => {}
        });
        let Some((head, body)) = found.filter(|_| func.checkpoints.contains_key(&id)) else {
            return self.fault(id, "a loop that is not checkpointed has snapshots");
        };
        if !self.steps[&id].2 {
            self.fault(id, "the forward sweep takes no snapshots of this loop");
        }
        let restored = recorded(restores).into_iter();
        let mut state = StepState {
            sets: loop_state(head, body, self.plan.callees(), &Definitions::of(func)),
            restored: restored.filter_map(|(_, place)| place).collect(),
        };
        (self.change)(&mut state);
        for place in state.sets.snapshot(&|_| false) {
            if !is_part_of(&place, &state.restored) {
                let message = format!("`{}` is missing in the snapshot", func.var(place.root).name);
                self.fault(id, &message);
            }
        }
        self.states.insert(id, state);
    }

    fn fault(&mut self, id: StmtId, message: &str) {
        self.faults.add(id, FaultKind::Snapshot, message);
    }
}

fn is_taken(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Take(_))
}

/// The records that are made or restored, with the variables and fields that they are of.
fn recorded(block: &Block) -> Vec<(Option<RecordId>, Option<Place>)> {
    let is_field = |p: &Proj| matches!(p, Proj::Field(_));
    let one = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Record(r, p) | StmtKind::Restore(r, p) => {
            (Some(*r), p.proj.iter().all(is_field).then(|| p.clone()))
        }
        _ => (None, None),
    };
    block.stmts.iter().map(one).collect()
}
