//! Simplified adjoint code.

#[path = "common/proved.rs"]
mod proved;

use adjoint_analysis::ir::{Caller, Origin, StmtKind};
use adjoint_analysis::plan::Plan;
use adjoint_analysis::plan::check::FaultKind;
use adjoint_analysis::plan::check::check;
use adjoint_analysis::text::{parse, print};

use proved::proved_plan;

/// The plan for the outermost caller.
fn plan(args: &str, function: &str) -> Plan {
    proved_plan(args, function).for_caller(Caller::OUTERMOST)
}

/// The increments and the adjoints that are declared with a value, in the order of the reverse sweep.
fn increments(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    let func = &plan.func;
    plan.reverse.walk(&mut |s| match &s.kind {
        StmtKind::Incr(p, e) => {
            found.push(format!(
                "{} += {}",
                print::place(func, p),
                print::expr(func, e)
            ));
        }
        StmtKind::Let(v, Some(e)) if matches!(func.var(*v).origin, Origin::Adjoint(_)) => {
            found.push(format!("{} = {}", func.var(*v).name, print::expr(func, e)));
        }
        StmtKind::Assign(p, e) if p.is_whole() && p.root != func.params[0] => {
            found.push(format!(
                "{} = {}",
                print::place(func, p),
                print::expr(func, e)
            ));
        }
        _ => {}
    });
    found
}

const SQUARES: &str = "fn squares(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        let a = x[i] - 1.0;
        let b = a * a;
        s += b * 3.0;
    }
    s
}";

#[test]
fn increments_of_one_statement_are_one() {
    assert_eq!(
        increments(&plan("without(distribution)", SQUARES)),
        [
            "s_adj = ret_adj",
            "b_adj = s_adj * 3.0f64",
            "a_adj = scale(b_adj, a + a)",
            "x_adj[i] += a_adj",
        ]
    );
}

#[test]
fn without_simplification_each_leaf_has_its_own() {
    assert_eq!(
        increments(&plan("without(simplification, distribution)", SQUARES)),
        [
            "s_adj += ret_adj",
            "b_adj += scale(s_adj, 3.0f64)",
            "a_adj += scale(b_adj, a)",
            "a_adj += scale(b_adj, a)",
            "x_adj[i] += a_adj",
        ]
    );
}

/// Between the increments of `x_adj`, others are made, for callers that need them.
#[test]
fn a_seed_is_multiplied_by_the_sum_of_its_factors() {
    let plan = plan(
        "without(motion)",
        "fn f(x: &f64, y: &f64, c: f64) -> f64 {
            *x - *x * *y - c * *x + x.max(1.0) + (*x * 2.0) * *y
        }",
    );
    let chosen = "scale(ret_adj, partial::max_x(x, 1.0f64))";
    assert_eq!(
        increments(&plan),
        [
            "c_adj += -scale(ret_adj, x)".to_string(),
            format!("x_adj += scale(ret_adj, 1.0f64 - y - c + y * 2.0f64) + {chosen}"),
            "y_adj += scale(ret_adj, x * 2.0f64 - x)".to_string(),
        ]
    );
}

#[test]
fn a_seed_is_tested_only_before_factors_that_may_be_infinite() {
    let plan = plan(
        "",
        "fn f(x: &f64, k: f64, n: usize) -> f64 {
            let a = *x / 4.0 * (n as f64);
            let b = *x * k;
            a - b * 1e300 * 1e300
        }",
    );
    let found = increments(&plan);
    let of = |name: &str| found.iter().find(|s| s.contains(name)).unwrap().clone();
    assert_eq!(
        of("x_adj += a_adj"),
        "x_adj += a_adj * ((n as f64) * partial::div_x(4.0f64))"
    );
    // What the branch or the guard around it adds first is a value.
    assert_eq!(
        of("b_adj ="),
        "b_adj = -scale(ret_adj, 1e300f64 * 1e300f64)"
    );
    assert!(
        found.contains(&"x_adj += scale(b_adj, k)".to_string()),
        "{found:?}"
    );
}

#[test]
fn the_first_increment_behind_a_zero_assigns() {
    let plan = plan(
        "",
        "fn f(y: &mut [f64]) {
            for i in 0..y.len() {
                y[i] = y[i].sin();
            }
        }",
    );
    let mut set = Vec::new();
    plan.reverse.walk(&mut |s| {
        if matches!(
            s.kind,
            StmtKind::Assign(..) | StmtKind::Zero(..) | StmtKind::Incr(..)
        ) {
            set.push(print::stmt(&plan.func, s));
        }
    });
    // The loop is distributed: its body has the statement, and so has the part.
    set.dedup();
    assert_eq!(set, ["#1 y_adj[i] = scale(`seed`, partial::sin(y[i]));"]);
}

const MATRIX_PRODUCT: &str = "fn product(a: &[f64], x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        for j in 0..x.len() {
            y[i] += a[i * x.len() + j] * x[j];
        }
    }
}";

#[test]
fn what_a_loop_adds_to_one_element_is_added_behind_it() {
    let transposed = "fn product(a: &[f64], x: &[f64], y: &mut [f64]) {
        for i in 0..x.len() {
            for j in 0..y.len() {
                y[j] += a[i * y.len() + j] * x[i];
            }
        }
    }";
    let found = increments(&plan("without(distribution)", transposed));
    assert!(
        found.contains(&"x_adj_sum += scale(`seed`, a[i * len(y) + j])".to_string()),
        "{found:?}"
    );
    assert_eq!(found.last().unwrap(), "x_adj[i] += x_adj_sum");
    // The place of a seed doesn't change there, and is not added to.
    let found = increments(&plan("without(distribution)", MATRIX_PRODUCT));
    assert!(found.iter().all(|s| !s.contains("_sum")), "{found:?}");
}

#[test]
fn an_adjoint_that_the_loop_reads_is_added_to_at_once() {
    let found = increments(&plan(
        "without(distribution)",
        "fn f(x: &mut [f64], k: usize) {
            for i in 0..x.len() {
                x[i] = x[k] * x[i];
            }
        }",
    ));
    assert!(found.iter().all(|s| !s.contains("_sum")), "{found:?}");
}

/// A loop that sets an element and reads it in the next iteration; the increment is made behind the loop.
const LATE: &str = "
fn f(x, n) -> ret {
  var x: &mut [f64];
  var n: usize;
  var ret: f64;
  var i: usize index;
  var x_adj: &mut [f64] adjoint of x;
  var ret_adj: f64 adjoint of ret;
  var `seed`: f64 temp;
  var sum: f64 temp;
}
{
  #0 for i in 0usize..n {
    #1 x[0usize] = x[0usize] * 2.0f64;
  }
  #2 ret = x[0usize];
}
records { }
adjoints { x: x_adj; ret: ret_adj; }
restores;
interface x;
calls { }
made { }
reads always, always;
depends 1, 1, 0;
forward {
  #0 for i in 0usize..n {
    #1 x[0usize] = x[0usize] * 2.0f64;
  }
  #2 ret = x[0usize];
}
reverse {
  #2 x_adj[0usize] += ret_adj;
  #2 zero ret_adj;
  #0 let sum = 0.0f64;
  #0 for i in rev 0usize..n {
    #1 let `seed` = x_adj[0usize];
    #1 zero x_adj[0usize];
    #1 sum += `seed` * 2.0f64;
  }
  #0 if sum != 0.0f64 {
    #0 x_adj[0usize] += sum;
  } else {
  }
}
";

#[test]
fn the_checker_finds_increments_that_come_too_late() {
    let plan = parse::plan(LATE).unwrap();
    let kinds: Vec<_> = check(&plan).iter().map(|f| f.kind).collect();
    assert!(kinds.contains(&FaultKind::SeedLost), "{kinds:?}");
}

/// A factor of the factor overflows, which the other one brings back into the range of an `f32`.
#[test]
fn a_factor_with_a_part_that_may_overflow_needs_its_test() {
    let plan = plan(
        "without(motion)",
        "fn f(x: &f32, n: usize) -> f32 {
            *x * (n as f32 * 1e19 * 1e19 * 1e-30)
        }",
    );
    let found = increments(&plan);
    assert!(
        found[0].starts_with("x_adj += scale(ret_adj, "),
        "{found:?}"
    );
}
