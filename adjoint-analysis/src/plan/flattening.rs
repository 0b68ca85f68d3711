//! Flattening, where it pays: calls of small functions inlined, short loops unrolled, and small arrays as scalars.
//!
//! **Problem.** A run of assignments ends at a call and at a loop (`[FLAT]` §7.1). An adjoint of `for k in 0..3` has two loops,
//! pushes and pops; a helper's adjoint is called, and leaves its values on the tape. In the function without them, values stay in
//! locals, runs and their gradients are longer, and a loop around them is an innermost one.
//!
//! **Decision.** The function is planned as it is and flattened, each time with the gradients that pay, and the plans are compared by
//! what they have on the tape and by their operations (`Costs`): flattened it must have no more of both. What is on the tape for a
//! strip of a fused loop may be more.

use super::Plan;
use super::build::{Config, plan_as_it_is};
use super::cost::Costs;
use super::facts::Facts;
use super::preaccumulation::{self, Preaccumulation};
use crate::ir::total::Totality;
use crate::ir::{Arg, Call, Func, StmtId, StmtKind};
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

/// Plans a function, flattened and with gradients where that pays, or wherever it can be if gradients are everywhere.
pub(super) fn plan_with_facts(
    func: &Func,
    boundary: &Boundary,
    statements: usize,
    config: Config,
) -> (Plan, Facts) {
    let plan = |func: &Func, count: usize| {
        let plain = plan_as_it_is(func, boundary, count, config);
        match config.preaccumulation {
            Preaccumulation::Off => plain,
            Preaccumulation::WherePaying => preaccumulation::with_paying(plain, boundary),
            Preaccumulation::Everywhere => preaccumulation::with_all(&plain.1, boundary),
        }
    };
    if !config.flattening {
        return plan(func, statements);
    }
    let mut origins: Vec<StmtId> = (0..statements as u32).map(StmtId).collect();
    let inlined = inline(func.clone(), boundary, &mut origins, &|call, callee| {
        is_small(func, call, callee)
    });
    let flat = unroll(inlined, &mut origins, SHORT);
    let flat = scalars::replace(flat, &mut origins);
    if flat.body == func.body {
        return plan(func, statements);
    }
    let (flat, facts) = plan(&flat, origins.len());
    if config.preaccumulation != Preaccumulation::Everywhere {
        let unchanged = plan(func, statements);
        if !Costs(boundary).is_better_flattened(&flat, &unchanged.0) {
            return unchanged;
        }
    }
    let of_user = facts.origins.iter().map(|id| origins[id.index()]);
    let origins = of_user.collect();
    (flat, Facts { origins, ..facts })
}

/// Whether a call is one of a short run, and nothing of it panics: a panic is reported where the user wrote what panics, also if what
/// is lent is not used.
fn is_small(caller: &Func, call: &Call, callee: &Func) -> bool {
    let (mut count, mut is_straight) = (0, true);
    let total = Totality::of(callee);
    callee.body.walk(&mut |s| {
        count += 1;
        is_straight &= !matches!(s.kind, StmtKind::Loop(..)) && total.is_total_statement(s);
    });
    is_straight && count <= MOST_STATEMENTS && {
        let total = Totality::of(caller);
        let mut lent = call.args.iter().filter_map(Arg::place);
        lent.all(|p| total.is_total_place(p))
    }
}
