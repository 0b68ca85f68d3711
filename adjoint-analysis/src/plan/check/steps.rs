//! Steps of checkpointed loops that are run again: they read what they read the first time.
//!
//! **Claim.** Let a location be stale at the start of a step if some step writes it and the snapshot does not hold it. A
//! step that is run again reads no stale part before it writes that: then all its values are what they were, by
//! induction over its statements.
//!
//! **Proof.** The states of the forward sweep have terms in which the value at the start of the step is an atom. `overwritten`
//! finds the parts of a term that are not of such an atom; a read has to lie in them. Elements that no step writes
//! are not stale: a read passes too if all that any step writes of the array has been overwritten.
//!
//! The planner's sets ([`passes::checkpoint`](crate::passes::checkpoint)) are not used, but proved: `Use` has each variable
//! that is read and not stale, `Out` all that is written, and what is said to be in `Kill` is overwritten behind each
//! step. The effects of callees are those that their own plans prove.

mod effects;
mod overwritten;
mod reads;
mod regions;
mod written;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use self::regions::{Dim, Form, Interval, Region};
use super::faults::{FaultKind, Faults};
use super::forward::ForwardFacts;
use super::snapshots::{States, StepState};
use super::terms::cells::{Evaluator, has_fixed_shape};
use super::terms::state::State;
use super::terms::term::{Cell, Op, Term};
use crate::ir::{Block, Place, Stmt, StmtId, StmtKind, Ty, VarId, integers};
use crate::passes::checkpoint::{Callees, LoopState, effect};
use crate::plan::Plan;

/// Proves the steps of all checkpointed loops, and the effect that callers with such loops know.
pub fn check(
    plan: &Plan,
    facts: &ForwardFacts,
    states: &States,
    values: &mut Evaluator<'_>,
    faults: &mut Faults,
) {
    for (id, state) in states {
        if let Some(mut step) = Step::of_loop(plan, facts, (*id, state), values, faults) {
            step.reads();
            step.ends();
        }
    }
    if plan.states_effect {
        let effect = effect(&plan.func, None, &plan.effects);
        Step::of_function(plan, facts, &effect, values, faults).prove(&effect);
    }
}

/// A step that is run again.
struct Step<'s, 'a> {
    /// The loop; of a function, all of the body is one step.
    id: Option<StmtId>,
    /// The sets to prove.
    sets: Cow<'s, LoopState>,
    /// What has the value that it had when the step is run again, or need not have it.
    restored: Vec<Place>,
    start: &'s State,
    end: &'s State,
    values: &'s mut Evaluator<'a>,
    facts: &'s ForwardFacts,
    faults: &'s mut Faults,
    callees: Callees<'s>,
    /// The statements of the function.
    primal: HashMap<StmtId, &'s Stmt>,
    /// The statements of the step, in order.
    body: Vec<&'s Stmt>,
    /// Their ids.
    inside: HashSet<StmtId>,
    /// The statements inside each loop.
    inside_of: HashMap<StmtId, HashSet<StmtId>>,
    /// The variables that are declared in the step.
    locals: HashSet<VarId>,
    /// What stale locations held at the start.
    stale: HashMap<Cell, Term>,
    /// The loops of which one iteration is looked at.
    iterations: Vec<StmtId>,
    known: HashMap<(Term, Cell, Vec<StmtId>), Vec<Region>>,
    /// What steps write of each location.
    written: HashMap<Cell, Vec<Region>>,
    /// What may get another shape, by the types.
    reshaped: HashSet<Cell>,
}

impl<'s, 'a> Step<'s, 'a> {
    fn of_loop(
        plan: &'s Plan,
        facts: &'s ForwardFacts,
        (id, state): (StmtId, &'s StepState),
        values: &'s mut Evaluator<'a>,
        faults: &'s mut Faults,
    ) -> Option<Step<'s, 'a>> {
        let (start, end) = facts.iterations.get(&id)?;
        let mut step = Step::new(plan, facts, [start, end], values, faults);
        step.id = Some(id);
        step.sets = Cow::Borrowed(&state.sets);
        step.restored.clone_from(&state.restored);
        if let StmtKind::Loop(head, body) = &step.primal[&id].kind {
            step.enter(body);
            step.locals.extend(head.index());
        }
        step.find_stale();
        Some(step)
    }

    fn new(
        plan: &'s Plan,
        facts: &'s ForwardFacts,
        [start, end]: [&'s State; 2],
        values: &'s mut Evaluator<'a>,
        faults: &'s mut Faults,
    ) -> Step<'s, 'a> {
        let mut step = Step {
            id: None,
            sets: Cow::Owned(LoopState::default()),
            restored: Vec::new(),
            start,
            end,
            values,
            facts,
            faults,
            callees: plan.callees(),
            primal: HashMap::new(),
            body: Vec::new(),
            inside: HashSet::new(),
            inside_of: HashMap::new(),
            locals: HashSet::new(),
            stale: HashMap::new(),
            iterations: Vec::new(),
            known: HashMap::new(),
            written: HashMap::new(),
            reshaped: HashSet::new(),
        };
        plan.func.body.walk(&mut |stmt| {
            step.primal.insert(stmt.id, stmt);
            if let StmtKind::Loop(_, body) = &stmt.kind {
                let inner = step.inside_of.entry(stmt.id).or_default();
                body.walk(&mut |s| inner.extend([s.id]));
            }
        });
        step
    }

    /// Makes these the statements of the step.
    fn enter(&mut self, body: &'s Block) {
        body.walk(&mut |stmt| {
            self.body.push(stmt);
            self.inside.insert(stmt.id);
            self.locals.extend(stmt.declared());
            if let StmtKind::Loop(head, _) = &stmt.kind {
                self.locals.extend(head.index());
            }
        });
    }

    fn cells(&self, places: &[Place]) -> BTreeSet<Cell> {
        let cells = places.iter().flat_map(|p| self.values.under(p));
        cells.collect()
    }

    /// Finds what steps write and what is stale of it; `Out` must have all.
    fn find_stale(&mut self) {
        let out = self.cells(&self.sets.written);
        let restored = self.cells(&self.restored);
        for stmt in self.body.clone() {
            let written = self.callees.written_by(stmt).into_iter();
            for place in written
                .filter(|p| !self.locals.contains(&p.root))
                .collect::<Vec<_>>()
            {
                let keeps_shape = matches!(stmt.kind, StmtKind::Incr(..))
                    || has_fixed_shape(&place.known_ty(self.values.func))
                    || self.callees.keeps_shape_of(stmt, &place);
                for cell in self.values.under(&place) {
                    if !out.contains(&cell) {
                        self.fault(stmt.id, place.root, "is not among what steps write");
                    }
                    let start = self.start[cell.index()].filter(|_| !restored.contains(&cell));
                    self.stale.extend(start.map(|t| (cell, t)));
                    self.written.insert(cell, Vec::new());
                    self.reshaped.extend((!keeps_shape).then_some(cell));
                }
            }
        }
        let cells: Vec<Cell> = self.written.keys().copied().collect();
        for cell in cells {
            let regions = self.regions_written(cell);
            self.written.insert(cell, regions);
        }
    }

    /// Whether a part of a location's value has been overwritten in this step.
    fn is_overwritten(&mut self, cell: Cell, t: Term, part: &Region) -> bool {
        if part.is_empty(&self.values.terms) {
            return true;
        }
        let regions = self.overwritten(t, cell);
        regions.iter().any(|r| r.covers(part, &self.values.terms))
    }

    /// Whether these are all elements of an array.
    fn are_all(&mut self, regions: &[Region], cell: Cell, t: Term) -> bool {
        let len = self.length(cell, t);
        regions.iter().any(|region| match &region.0[..] {
            [
                Dim::Elements(Interval {
                    lo,
                    hi,
                    stride: None,
                }),
            ] => {
                let ends = len
                    .as_ref()
                    .is_some_and(|len| regions::at_most(len, hi, &self.values.terms));
                lo.as_constant() == Some(0) && ends
            }
            _ => false,
        })
    }

    fn length(&mut self, cell: Cell, t: Term) -> Option<Form> {
        let len = match self.values.ty(cell) {
            Some(Ty::Array(_, extent)) => return integers::literal(extent).map(Form::constant),
            Some(Ty::Slice(_)) => self.values.terms.op(Op::LenOf(cell), Vec::new()),
            _ => self.values.terms.len(t, &[]),
        };
        self.values.terms.form(len)
    }

    /// What is said to have its value from the end of a step that is run again must have been overwritten as far as any step
    /// writes it.
    fn ends(&mut self) {
        let restored = self.cells(&self.restored);
        for place in self.sets.overwritten.clone() {
            for cell in self.values.under(&place) {
                let written = self.written.get(&cell).cloned().unwrap_or_default();
                let Some(t) = self.end[cell.index()].filter(|_| !restored.contains(&cell)) else {
                    continue;
                };
                if !written.iter().all(|r| self.is_overwritten(cell, t, r)) {
                    self.fault(self.at(), place.root, "may not be as the step left it");
                }
            }
        }
    }

    /// The statement of the step.
    fn at(&self) -> StmtId {
        self.id.unwrap_or(StmtId(0))
    }

    fn fault(&mut self, id: StmtId, v: VarId, what: &str) {
        let name = &self.values.func.var(v).name;
        let message = format!("`{name}` {what}");
        self.faults.add(id, FaultKind::Snapshot, message);
    }
}
