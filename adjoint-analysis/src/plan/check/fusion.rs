//! Fused sweeps: the plan with two sweeps that does the same.
//!
//! [`check_fused`] puts the statements of a fused plan back into the order of the two sweeps, with records of what the reverse
//! sweep finds in its scope (`split`), and the rest of the checker proves that plan. It does the same as the fused one if
//!
//! - of two statements that change places, none writes what the other accesses, unless both only add to it in the reverse
//!   sweep (`order`);
//! - the strips of a fused loop, one after another, are its iterations in their order (`split`);
//! - of a fused loop, what the reversal of an iteration accesses and another iteration writes is not the same place, unless
//!   both only add to it, or it is private: a local of which no iteration reads a part that it has not written
//!   ([`super::steps`] proves that), or its adjoint, of which then nothing passes from one iteration to another
//!   (`iterations`).

mod accesses;
mod iterations;
mod order;
mod split;

use super::check_unfolded;
use super::faults::{Fault, Faults};
use crate::plan::Plan;

/// Everything that is wrong with a fused plan.
pub fn check_fused(fused: &Plan) -> Vec<Fault> {
    let mut faults = Faults::default();
    let states = iterations::check(fused, &mut faults);
    let split = split::split(fused);
    order::check(&split, &mut faults);
    check_unfolded(&split.plan, &states, &mut faults);
    faults.into_vec()
}
