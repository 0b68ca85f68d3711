//! The independent plan checker.
mod adjoint;
mod balance;
mod call;
mod cells;
mod faults;
mod forward;
mod primal;
mod read;
mod reverse;
mod shape;
mod structure;
mod term;

pub use faults::{Fault, FaultKind};

use super::Plan;

/// Everything that is wrong with the plan; nothing, if it is right.
pub fn check(plan: &Plan) -> Vec<Fault> {
    let mut faults = faults::Faults::default();
    let rewritten = primal::compare(plan, &mut faults);
    let shape = shape::shape(plan, &mut faults);
    balance::check(plan, &shape, &mut faults);
    let mut values = cells::Values::new(plan);
    let facts = forward::walk(plan, &shape, &rewritten, &mut values, &mut faults);
    reverse::walk(plan, &shape, &facts, &mut values, &mut faults);
    faults.into_vec()
}
