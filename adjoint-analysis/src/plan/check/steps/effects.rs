//! The effect of a function, by which callers with checkpointed loops know it: all of the body is one step, from the
//! arguments as they are at the call.

use std::borrow::Cow;

use super::Step;
use super::regions::Region;
use super::written::with_section;
use crate::ir::{Expr, VarId};
use crate::passes::checkpoint::{Access, Effect, LoopState};
use crate::plan::Plan;
use crate::plan::check::faults::Faults;
use crate::plan::check::forward::ForwardFacts;
use crate::plan::check::terms::cells::Evaluator;
use crate::plan::check::terms::term::Cell;

impl<'s, 'a> Step<'s, 'a> {
    pub(super) fn of_function(
        plan: &'s Plan,
        facts: &'s ForwardFacts,
        effect: &Effect,
        values: &'s mut Evaluator<'a>,
        faults: &'s mut Faults,
    ) -> Step<'s, 'a> {
        let mut step = Step::new(plan, facts, [&facts.entry, &facts.end], values, faults);
        let written = effect.written.iter().map(|access| access.place.clone());
        step.sets = Cow::Owned(LoopState {
            read: effect.exposed.clone(),
            partly_constant: effect.partly_constant.clone(),
            written: written.collect(),
            ..LoopState::default()
        });
        step.restored.clone_from(&effect.exposed);
        step.enter(&plan.func.body);
        let is_local = |v: &VarId| !plan.func.params.contains(v);
        step.locals = plan.func.var_ids().filter(is_local).collect();
        step.find_stale();
        step
    }

    /// Proves what is said to be read, written and overwritten.
    pub(super) fn prove(&mut self, effect: &Effect) {
        self.reads();
        self.kills(effect);
        let reshaped = self.cells(&effect.reshaped);
        for (cell, regions) in self.written.clone() {
            if !self.are_stated(&regions, cell, effect) {
                self.fault(self.at(), self.values.root(cell), "is written elsewhere");
            }
            if self.reshaped.contains(&cell) && !reshaped.contains(&cell) {
                self.fault(self.at(), self.values.root(cell), "may change its shape");
            }
        }
    }

    fn kills(&mut self, effect: &Effect) {
        for access in &effect.killed {
            for cell in self.values.under(&access.place) {
                let end = self.end[cell.index()];
                let (Some(t), Some((region, is_exact))) = (end, self.at_entry(access, cell)) else {
                    continue;
                };
                if !is_exact || !self.is_overwritten(cell, t, &region) {
                    self.fault(self.at(), access.place.root, "may not be overwritten");
                }
            }
        }
    }

    /// Whether what is written of a location is stated.
    fn are_stated(&mut self, regions: &[Region], cell: Cell, effect: &Effect) -> bool {
        let accesses = effect.written.iter();
        let stated = accesses.filter_map(|access| self.at_entry(access, cell));
        let stated: Vec<Region> = stated.map(|(region, _)| region).collect();
        let terms = &self.values.terms;
        let is_stated = |r: &Region| r.is_empty(terms) || stated.iter().any(|s| s.covers(r, terms));
        regions.iter().all(is_stated)
    }

    /// What an access is of a location, and whether it is nothing less.
    fn at_entry(&mut self, access: &Access, cell: Cell) -> Option<(Region, bool)> {
        let way = self.values.way(self.start, &access.place, cell)?;
        let of = Region::of(&self.values.terms, &way);
        let mut form = |e: &Expr| {
            let value = self.values.eval(self.start, e);
            self.values.terms.form(value)
        };
        Some(with_section(of, access, &mut form))
    }
}
