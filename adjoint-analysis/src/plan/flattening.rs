//! Flattening, where it pays: calls of small functions inlined, short loops unrolled, and small arrays as scalars.
//!
//! **Problem.** A run of assignments ends at a call and at a loop (`[FLAT]` §7.1). An adjoint of `for k in 0..3` has two loops,
//! pushes and pops; a helper's adjoint is called, and leaves its values on the tape. In the function without them, values stay in
//! locals, runs and their gradients are longer, and a loop around them is an innermost one.
//!
//! **Decision.** The function is planned as it is and flattened, each time with the gradients that pay, and the plans are compared by
//! what they have on the tape and by their operations (`Costs`): flattened it must have no more of both. What is on the tape for a
//! strip of a fused loop may be more. Functions with loops are inlined if fewer records are pushed then: a loop that calls has no frame.

use super::Plan;
use super::build::{Config, plan_as_it_is};
use super::cost::Costs;
use super::facts::Facts;
use super::preaccumulation::{self, Preaccumulation};
use crate::ir::total::Totality;
use crate::ir::{Arg, Call, Expr, Func, StmtId, StmtKind, VarId};
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
    let plan_flat = |(flat, origins): (Func, Vec<StmtId>)| {
        let (flat, facts) = plan(&flat, origins.len());
        let of_user = facts.origins.iter().map(|id| origins[id.index()]);
        let origins = of_user.collect();
        (flat, Facts { origins, ..facts })
    };
    let is_better = |a: &Plan, than: &Plan| Costs(boundary).is_better_flattened(a, than);
    let straight = flattened(func, boundary, statements, Callees::Straight);
    let with_loops = calls_loops(func, boundary)
        .then(|| flattened(func, boundary, statements, Callees::WithLoops))
        .filter(|(flat, _)| flat.body != straight.0.body);
    let best = match straight.0.body == func.body {
        true => plan(func, statements),
        false if config.preaccumulation == Preaccumulation::Everywhere => plan_flat(straight),
        false => {
            let (flat, unchanged) = (plan_flat(straight), plan(func, statements));
            if is_better(&flat.0, &unchanged.0) {
                flat
            } else {
                unchanged
            }
        }
    };
    let pushes = |plan: &Plan| Costs(boundary).pushes(plan);
    let with_loops = with_loops.map(plan_flat);
    let with_loops =
        with_loops.filter(|(flat, _)| is_better(flat, &best.0) && pushes(flat) < pushes(&best.0));
    with_loops.unwrap_or(best)
}

/// Which functions are inlined.
#[derive(Clone, Copy, PartialEq)]
enum Callees {
    Straight,
    WithLoops,
}

/// Whether a visible function with loops is called.
fn calls_loops(func: &Func, boundary: &Boundary) -> bool {
    let mut found = false;
    func.body.walk(&mut |s| {
        if let StmtKind::Call(call) = &s.kind {
            let body = boundary.summary(call, func).and_then(|s| s.body.as_ref());
            found |= body.is_some_and(|body| body.has_loops());
        }
    });
    found
}

/// The function flattened, and the user's statement of each of its statements.
fn flattened(
    func: &Func,
    boundary: &Boundary,
    statements: usize,
    callees: Callees,
) -> (Func, Vec<StmtId>) {
    let mut origins: Vec<StmtId> = (0..statements as u32).map(StmtId).collect();
    let inlined = inline(func.clone(), boundary, &mut origins, &|call, callee| {
        let has_loops = callee.has_loops();
        is_small(func, call, callee) && (callees == Callees::WithLoops || !has_loops)
    });
    let flat = unroll(inlined, &mut origins, SHORT);
    (scalars::replace(flat, &mut origins), origins)
}

/// Whether a call is one of a few statements, and nothing of it panics: a panic is reported where the user wrote what panics, also
/// if what is lent is not used. What is lent may panic if the function takes the lengths first, in the order of the arguments.
fn is_small(caller: &Func, call: &Call, callee: &Func) -> bool {
    let (mut count, mut is_total) = (0, true);
    let total = Totality::of(callee);
    callee.body.walk(&mut |s| {
        count += 1;
        is_total &= total.is_total_statement(s);
    });
    is_total && count <= MOST_STATEMENTS && {
        let total = Totality::of(caller);
        let may_panic = |arg: &Arg| arg.place().is_some_and(|p| !total.is_total_place(p));
        let lent = callee.params.iter().zip(&call.args);
        let lent = lent.filter(|(_, arg)| may_panic(arg)).map(|(v, _)| *v);
        let lent: Vec<VarId> = lent.collect();
        let mut measured = measured_first(callee);
        measured.retain(|v| lent.contains(v));
        measured == lent
    }
}

/// The variables whose lengths the declarations at the start of the function take, in this order, each once.
fn measured_first(func: &Func) -> Vec<VarId> {
    let mut measured = Vec::new();
    let mut measure = |e: &Expr| match e {
        Expr::Len(p) if p.is_whole() && !measured.contains(&p.root) => measured.push(p.root),
        _ => {}
    };
    for stmt in &func.body.stmts {
        match &stmt.kind {
            StmtKind::Let(_, Some(Expr::Discrete(_, args, _))) => {
                args.iter().for_each(&mut measure)
            }
            StmtKind::Let(_, Some(value)) => measure(value),
            StmtKind::Let(_, None) => {}
            _ => break,
        }
    }
    measured
}
