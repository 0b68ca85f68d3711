//! Loop-invariant results before their loops.

#[path = "common/proved.rs"]
mod proved;

use adjoint_analysis::ir::{BinOp, Block, Expr, StmtKind};

use adjoint_analysis::plan::Storage;
use proved::proved_plan;

/// The number of divisions and calls of intrinsics in loops, and that of reals that are recorded in each iteration.
fn in_loops(args: &str, function: &str) -> (usize, usize) {
    let plan = proved_plan(args, function);
    let mut count = 0;
    plan.func.body.walk(&mut |s| {
        if let StmtKind::Loop(_, body) = &s.kind {
            count += expensive(body);
        }
    });
    let in_frames = plan
        .records
        .iter()
        .filter(|r| matches!(r.storage, Storage::Frame { .. }) && !r.demand.only_restores());
    (count, in_frames.count())
}

fn expensive(block: &Block) -> usize {
    let mut count = 0;
    block.walk(&mut |s| {
        s.walk_exprs(&mut |e| {
            let is_expensive = matches!(e, Expr::Binary(BinOp::Div, ..) | Expr::Intrinsic(..));
            count += usize::from(is_expensive);
        });
    });
    count
}

fn kernel(body: &str) -> String {
    format!("fn f(u: &mut [f64], v: [f64; 3], nu: f64, dt: f64, dx: f64, n: usize) {{ {body} }}")
}

#[test]
fn an_invariant_is_computed_and_recorded_once() {
    let step = kernel("for i in 1..n { u[i] = nu * dt / (dx * dx) * u[i] + dt / dx; }");
    // The element before it is overwritten is one of them.
    assert_eq!(in_loops("", &step), (0, 1));
    assert_eq!(in_loops("without(motion)", &step), (2, 3));
}

#[test]
fn invariants_leave_all_loops_that_do_not_change_them() {
    let outer = kernel(
        "for j in 0..n { let k = (dt * j as f64).exp(); for i in 0..n { u[i] *= k * (nu / dx); } }",
    );
    assert_eq!(in_loops("", &outer).0, 1);
    let inner = kernel(
        "for j in 0..n { for i in 0..n { u[i] *= (nu / (dx + u[j])).sqrt() * (nu / dx); } }",
    );
    assert_eq!(in_loops("without(motion)", &inner).0, 2 * 3);
    assert_eq!(in_loops("", &inner).0, 2 * 2);
}

#[test]
fn what_may_panic_or_change_stays() {
    for body in [
        // The element may be out of bounds.
        "for i in 0..n { u[i] *= nu / v[n]; }",
        // The bounds may be in the wrong order.
        "for i in 0..n { u[i] *= nu.clamp(dt, dx) / 3.0 / dt; }",
        // The loop changes the divisor.
        "let mut k = dx; for i in 0..n { u[i] *= nu / k; k += 1.0; }",
        // The sum may overflow.
        "for i in 0..n { u[i] *= nu / ((n + 1) as f64 * dx); }",
        // It changes after its declaration.
        "for i in 0..n { let mut k = nu / dx; k += u[i]; u[i] *= k; }",
    ] {
        let function = kernel(body);
        let (moved, stays) = (
            in_loops("", &function).0,
            in_loops("without(motion)", &function).0,
        );
        assert!(moved > 0, "{body}");
        assert_eq!(moved, stays, "{body}");
    }
}
