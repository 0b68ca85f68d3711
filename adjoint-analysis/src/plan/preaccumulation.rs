//! The cost model of preaccumulation: which gradients of runs of assignments take the place of what the adjoints of single
//! statements record.
//!
//! **Problem.** The rows of a graph ([`preaccumulate`]) have fewer entries than there are partials, and than there are records
//! of its variables that only its adjoints read. Whether they are less on the tape depends on what is recorded for others
//! anyway, and on what is computed again from values that stay.
//!
//! **Decision.** The function is planned without and with rows, and the plans are compared:
//!
//! ```text
//! tape(plan)  the records
//! work(plan)  the operations of both sweeps, and the records
//! ```
//!
//! each weighted by the iterations of the loops around it (`Costs`). Rows are taken where the tape is less for no more work;
//! of fused sweeps, which leave values in locals, the work must be less, or of functions without loops not much more. All
//! graphs at once are tried first, then one after another. What is left in factored form, or computed again from the run's
//! inputs, is what the plan without rows does.
//!
//! A plan without recorded reals is left as it is: values that are in scope, or computed again, are the run's product in
//! factored form, with fewer multiplications than any entries (`[FLAT]` §7.2).

use std::collections::BTreeSet;

use super::build::{Config, plan_as_it_is};
use super::cost::Costs;
use super::facts::Facts;
use super::{Plan, RecordKind};
use crate::ir::{StmtId, StmtKind};
use crate::passes::activity::{Activity, Boundary, activity};
use crate::passes::flattening::preaccumulate::{Preaccumulated, Records, Selection, preaccumulate};

/// Above this number of graphs, they are not tried one by one.
const MOST_GRAPHS: usize = 4;

/// Which gradients are preaccumulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preaccumulation {
    /// None.
    Off,
    /// Those that pay.
    WherePaying,
    /// All that there are: for tests.
    Everywhere,
}

/// A function that was planned without gradients, with all that there are.
pub(super) fn with_all(facts: &Facts, boundary: &Boundary) -> (Plan, Facts) {
    let rewritten = preaccumulate(
        &facts.func,
        facts.statements,
        &activity_before(facts, boundary),
        Selection::All,
    );
    planned(&rewritten, facts, boundary, facts.config)
}

/// The activity of the function that gradients are made of.
fn activity_before(facts: &Facts, boundary: &Boundary) -> Activity {
    let enabled = facts.config.activity;
    activity(&facts.func, boundary, facts.statements, enabled)
}

/// The plan of a function with gradients.
fn planned(
    rewritten: &Preaccumulated,
    plain: &Facts,
    boundary: &Boundary,
    config: Config,
) -> (Plan, Facts) {
    let count = rewritten.origins.len();
    let (plan, facts) = plan_as_it_is(&rewritten.func, boundary, count, config);
    let facts = Facts {
        func: plain.func.clone(),
        statements: plain.statements,
        origins: rewritten.origins.clone(),
        ..facts
    };
    (plan, facts)
}

/// A function that was planned without gradients, with those that pay.
pub(super) fn with_paying(plain: (Plan, Facts), boundary: &Boundary) -> (Plan, Facts) {
    let facts = plain.1.clone();
    let config = facts.config;
    let records = records_of_reals(&plain.0, &plain.1);
    if records.counts.is_empty() {
        return plain;
    }
    let active = activity_before(&facts, boundary);
    let select = |is_selected: &dyn Fn(usize) -> bool| {
        let selection = Selection::Paying(&records, is_selected);
        preaccumulate(&facts.func, facts.statements, &active, selection)
    };
    let graphs = select(&|_| false).graphs;
    if graphs == 0 {
        return plain;
    }
    let mut best = plain;
    let mut improve = |is_selected: &dyn Fn(usize) -> bool| {
        let rewritten = select(is_selected);
        let sketched = planned(&rewritten, &facts, boundary, sketch(config)).0;
        let costs = Costs(boundary);
        let may_be_better = costs.of(&sketched).tape < costs.of(&best.0).tape;
        let tried = may_be_better.then(|| planned(&rewritten, &facts, boundary, config));
        let better = tried.filter(|tried| costs.is_better(&tried.0, &best.0));
        let is_better = better.is_some();
        if let Some(better) = better {
            best = better;
        }
        is_better
    };
    if !improve(&|_| true) && (2..=MOST_GRAPHS).contains(&graphs) {
        let mut selected = BTreeSet::new();
        for graph in 0..graphs {
            if improve(&|k| k == graph || selected.contains(&k)) {
                selected.insert(graph);
            }
        }
    }
    best
}

/// What makes a plan with the same records and less work.
fn sketch(config: Config) -> Config {
    Config {
        simplification: false,
        distribution: false,
        fusion: None,
        ..config
    }
}

/// The records of reals, and whose adjoints read their variables.
fn records_of_reals(plan: &Plan, facts: &Facts) -> Records {
    let mut records = Records::default();
    plan.each_forward_stmt(&mut |s| {
        if let StmtKind::Record(id, place) = &s.kind
            && matches!(&plan.record(*id).kind, RecordKind::Value(ty) if ty.carries_floats())
        {
            *records.counts.entry(place.root).or_default() += 1;
        }
    });
    for (id, uses) in facts.uses.iter().enumerate() {
        let sets = [&uses.operands, &uses.results, &uses.restoring];
        for cell in sets.into_iter().flat_map(|set| set.iter()) {
            let readers = records.readers.entry(facts.cells.var(cell)).or_default();
            readers.insert(StmtId(id as u32));
        }
    }
    records
}
