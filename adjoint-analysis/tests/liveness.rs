//! Diff-liveness: what the forward sweep leaves out, and what it must not.

use adjoint_analysis::analysed::Analysed;
use adjoint_analysis::compile::analyse;
use adjoint_analysis::ir::StmtKind;
use adjoint_analysis::options::Options;
use adjoint_analysis::plan::Plan;
use adjoint_analysis::plan::check::{FaultKind, check};
use adjoint_analysis::report;
use adjoint_analysis::text::print;

fn analysed(args: &str, function: &str) -> Analysed {
    let options = Options::parse(args.parse().unwrap()).unwrap();
    analyse(&syn::parse_str(function).unwrap(), &options).unwrap()
}

fn plan(args: &str, function: &str) -> Plan {
    analysed(args, function).plan
}

/// The statements of the primal and of the forward sweep, records aside.
fn statements(plan: &Plan) -> [usize; 2] {
    [&plan.func.body, &plan.forward].map(|block| {
        let mut n = 0;
        block.walk(&mut |s| {
            n += usize::from(!matches!(
                s.kind,
                StmtKind::Record(..) | StmtKind::RecordControl(..)
            ));
        });
        n
    })
}

#[track_caller]
fn keeps_all(function: &str) {
    let [primal, forward] = statements(&plan("", function));
    assert_eq!(primal, forward, "{function}");
}

/// A loop, a branch and a chain of values that nothing hangs on.
const DEAD: &str = "\
fn f(x: &[f64], k: f64) -> f64 {
    let n = x.len();
    let mut s = 0.0;
    let mut unused = k.sin();
    let mut seen = false;
    for i in 0..n {
        unused += x[i] * x[i];
        if unused > 2.0 {
            seen = true;
        }
        s += x[i] * k;
    }
    let scaled = if seen { unused * 2.0 } else { -unused };
    let _never = scaled.exp();
    s
}";

#[test]
fn values_that_nothing_needs_are_left_out() {
    let plan = plan("", DEAD);
    let lines = plan
        .forward
        .stmts
        .iter()
        .map(|s| print::stmt(&plan.func, s));
    let forward: String = lines.collect();
    for name in ["unused", "seen", "scaled", "never", "sin", "exp"] {
        assert!(!forward.contains(name), "{name} in\n{forward}");
    }
    assert_eq!(statements(&plan)[1], 5, "{forward}");
    let report = report::markdown(&analysed("", DEAD));
    let section = "\
**Left out of the forward sweep**
- `let mut unused = k.sin()` (line 4)
- `let mut seen = false` (line 5)
- `unused += x[i] * x[i]` (line 7)
- `if unused > 2.0` (line 8)
- `let scaled = if seen { unused * 2.0 } else { -unused }` (line 13)
- `let _never = scaled.exp()` (line 14)
";
    assert!(report.contains(section), "{report}");
}

#[test]
fn without_activity_nothing_is_left_out() {
    let [primal, forward] = statements(&plan("without(activity)", DEAD));
    assert_eq!(primal, forward);
}

#[test]
fn what_may_panic_stays() {
    keeps_all("fn f(x: &[f64], k: usize) -> f64 { let _dead = x[k]; x[0] * x[0] }");
    keeps_all("fn f(x: f64, k: u8) -> f64 { let _dead = k + 1; x * x }");
    keeps_all("fn f(x: f64, k: usize) -> f64 { let _dead = 7 / k; x * x }");
    keeps_all("fn f(x: f64, k: f64) -> f64 { let _dead = x.clamp(k, 1.0); x * x }");
    keeps_all(
        "fn f(x: &[f64]) -> f64 { let mut d = 0.0; for i in 0..=x.len() { d += x[i]; } x[0] }",
    );
    keeps_all(
        "fn f(x: &[f64], y: &[f64]) -> f64 { let mut d = 0.0; for i in 0..x.len() { d += y[i]; } x[0] }",
    );
    keeps_all(
        "fn f(x: &[f64]) -> f64 { let mut n = x.len(); n *= 2; let mut d = 0.0; for i in 0..n { d += x[i]; } x[0] }",
    );
}

#[test]
fn what_may_not_end_or_has_an_effect_stays() {
    keeps_all("fn f(x: f64) -> f64 { let mut d = x; while d > 1.0 { d *= 0.5; } x * x }");
    keeps_all("fn f(x: f64) -> f64 { let seen = x * 2.0; println!(\"{}\", seen); x * x }");
    keeps_all("fn f(x: f64, y: &mut f64) -> f64 { *y = x; x * x }");
    keeps_all("fn f(x: f64) -> f64 { let dead = g(x); x * x }");
}

/// Each statement of a plan that a mutant leaves out is missed, if the planner kept it.
#[test]
fn what_is_needed_is_missed() {
    for function in [
        "fn f(x: &[f64], k: usize) -> f64 { let dead = x[k]; x[0] * x[0] }",
        "fn f(x: f64) -> f64 { let mut s = x; for i in 0..3 { s *= x; } s }",
        "fn f(x: f64) -> f64 { let mut d = x; while d > 1.0 { d *= 0.5; } x * x }",
    ] {
        let plan = plan("", function);
        for n in 0..plan.forward.stmts.len() {
            let mut mutant = plan.clone();
            let gone = mutant.forward.stmts.remove(n);
            let message = format!("{function}: {gone:?}");
            if !matches!(
                gone.kind,
                StmtKind::Record(..) | StmtKind::RecordControl(..)
            ) {
                let faults = check(&mutant);
                assert!(
                    faults.iter().any(|f| f.kind == FaultKind::MissingPrimal),
                    "{message}"
                );
            }
        }
    }
}
