//! Flattening, where it pays: calls of small functions inlined, short loops unrolled, and small arrays as scalars.
//!
//! **Problem.** A run of assignments ends at a call and at a loop (`[FLAT]` §7.1). An adjoint of `for k in 0..3` has two loops,
//! pushes and pops; a helper's adjoint is called, and leaves its values on the tape. In the function without them, values stay in
//! locals, runs and their gradients are longer, and a loop around them is an innermost one.
//!
//! **Decision.** The function is planned as it is and flattened, and the plans are compared by what they have on the tape and by
//! their operations (`Costs`): flattened it must have less on the tape, for no more work.

use super::Plan;
use super::build::{Config, plan_as_it_is};
use super::cost::Costs;
use super::facts::Facts;
use super::preaccumulation::{self, Preaccumulation};
use crate::ir::total::Totality;
use crate::ir::{Func, StmtId, StmtKind};
use crate::passes::activity::Boundary;
use crate::passes::flattening::inline::inline;
use crate::passes::flattening::scalars;
use crate::passes::flattening::unroll::{Limits, unroll};

/// Loops of more iterations, or that become more statements, are not unrolled.
pub const SHORT: Limits = Limits {
    iterations: 4,
    statements: 32,
};

/// Functions of more statements are not inlined.
const MOST_STATEMENTS: usize = 24;

/// Plans a function, flattened where that pays, or wherever it can be if gradients are everywhere.
pub(super) fn plan_with_facts(
    func: &Func,
    boundary: &Boundary,
    statements: usize,
    config: Config,
) -> (Plan, Facts) {
    let with_gradients = |func: &Func, statements: usize| match config.preaccumulation {
        Preaccumulation::Off => plan_as_it_is(func, boundary, statements, config),
        of => preaccumulation::plan_with_facts(func, boundary, statements, config, of),
    };
    let flattened = config
        .flattening
        .then(|| flattened(func, boundary, statements));
    let Some((flat, origins)) = flattened.filter(|(flat, _)| flat.body != func.body) else {
        return with_gradients(func, statements);
    };
    let (plan, facts) = with_gradients(&flat, origins.len());
    if config.preaccumulation != Preaccumulation::Everywhere {
        let (unchanged, facts) = with_gradients(func, statements);
        if !Costs(boundary).is_better_flattened(&plan, &unchanged) {
            return (unchanged, facts);
        }
    }
    let of_user = facts.origins.iter().map(|id| origins[id.index()]);
    let origins = of_user.collect();
    (plan, Facts { origins, ..facts })
}

/// The function with inlined calls and unrolled loops, and for each statement id the one that it comes from.
fn flattened(func: &Func, boundary: &Boundary, statements: usize) -> (Func, Vec<StmtId>) {
    let mut origins = (0..statements as u32).map(StmtId).collect();
    let flat = inline(func.clone(), boundary, &mut origins, &is_small);
    let flat = unroll(flat, &mut origins, SHORT);
    let flat = scalars::replace(flat, &mut origins);
    (flat, origins)
}

/// Whether a callee is a short run, which does not panic: a panic is reported where the user wrote what panics.
fn is_small(callee: &Func) -> bool {
    let (mut count, mut is_straight) = (0, true);
    let total = Totality::of(callee);
    callee.body.walk(&mut |s| {
        count += 1;
        is_straight &= !matches!(s.kind, StmtKind::Loop(..)) && total.is_total_statement(s);
    });
    is_straight && count <= MOST_STATEMENTS
}
