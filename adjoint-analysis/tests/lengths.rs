//! Lengths in place of values, and elements that a loop has set.

#[path = "common/proved.rs"]
mod proved;

use adjoint_analysis::ir::{Caller, StmtKind};
use adjoint_analysis::plan::Plan;
use adjoint_analysis::plan::check::FaultKind;
use adjoint_analysis::plan::check::check;
use adjoint_analysis::text::{parse, print};
use proved::proved_plan;

/// The places that the forward sweep records, and the lengths.
fn recorded(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    plan.forward.walk(&mut |s| match &s.kind {
        StmtKind::Record(_, p) => found.push(print::place(&plan.func, p)),
        StmtKind::RecordControl(_, e) => found.push(print::expr(&plan.func, e)),
        _ => {}
    });
    found
}

const SHAPES: &str = "fn f(x: &[f64], n: usize) -> f64 {
    let mut sums = vec![0.0; n];
    for i in 0..x.len() {
        sums[i % n] += x[i];
    }
    let mut total = 0.0;
    for s in &sums {
        total += s * 2.0;
    }
    total
}";

#[test]
fn of_a_vec_without_required_elements_the_length_is_enough() {
    let plan = proved_plan("", SHAPES).for_caller(Caller::OUTERMOST);
    assert_eq!(recorded(&plan), [""; 0]);
    let text = plan.to_string();
    assert!(
        text.contains("let sums = [0.0f64; n]:{Vec<f64>};"),
        "{text}"
    );
}

#[test]
fn the_checker_finds_a_vec_of_another_length() {
    let plan = proved_plan("", SHAPES).for_caller(Caller::OUTERMOST);
    let text = plan
        .to_string()
        .rsplit_once("reverse {")
        .map(|(before, reverse)| {
            format!(
                "{before}reverse {{{}",
                reverse.replace("[0.0f64; n]", "[0.0f64; n + 1usize]")
            )
        });
    let wrong = parse::plan(&text.unwrap()).unwrap();
    let kinds: Vec<_> = check(&wrong).iter().map(|f| f.kind).collect();
    assert!(kinds.contains(&FaultKind::StaleRead), "{kinds:?}");
}

#[test]
fn a_length_that_is_not_known_is_recorded_in_place_of_the_values() {
    let plan = proved_plan(
        "wrt(x)",
        "fn f(x: &[f64], k: f64, steps: usize) -> f64 {
            let mut total = 0.0;
            for r in 0..steps {
                let mut rest = x[r..].to_vec();
                for v in rest.iter_mut() { *v *= 2.0; }
                for v in &rest { total += v * k; }
            }
            total
        }",
    );
    assert_eq!(recorded(&plan), ["len(rest)"]);
}

const PREFIX: &str = "fn f(d: usize, l: &[f64], x: &[f64], out: &mut [f64]) {
    for i in 0..d { out[i] = 0.0; }
    for i in 0..d {
        for j in 0..d { out[j] += l[i] * x[j]; }
    }
}";

#[test]
fn elements_that_a_loop_has_set_are_recorded_there_alone() {
    assert_eq!(recorded(&proved_plan("", PREFIX)), ["out[i]"]);
    // Elements behind the bound may be others.
    let beyond = PREFIX.replace("for j in 0..d", "for j in 0..d + 1");
    assert_eq!(recorded(&proved_plan("", &beyond)), ["out[i]", "out[j]"]);
}

#[test]
fn elements_that_a_loop_reads_again_are_recorded_where_they_are_overwritten() {
    let reads = PREFIX.replace(
        "out[i] = 0.0;",
        "out[i] = x[i]; if out[i] > 0.5 { out[i] = x[i] * x[i]; }",
    );
    let found = recorded(&proved_plan("", &reads));
    assert!(found.contains(&"out[j]".to_string()), "{found:?}");
}

/// The second loop overwrites, without a record, what the reversed first one reads in a condition.
const READ_AGAIN: &str = "
fn f(x, d, out) -> ret {
  var x: &[f64];
  var d: usize;
  var out: &mut [f64];
  var ret: f64;
  var i: usize index;
  var j: usize index;
  var x_adj: &mut [f64] adjoint of x;
  var out_adj: &mut [f64] adjoint of out;
  var ret_adj: f64 adjoint of ret;
}
{
  #0 ret = 0.0f64;
  #1 for i in 0usize..d {
    #2 out[i] = x[i];
    #3 if out[i] > 0.5f64 {
      #4 ret += x[i];
    }
  }
  #5 for j in 0usize..d {
    #6 out[j] += x[j];
  }
}
records {
  r0: value f64 on stack of #2;
}
adjoints {
  x: x_adj;
  out: out_adj;
  ret: ret_adj;
}
restores out;
interface x, out;
calls { }
made { }
reads always, always, always;
depends 1, 0, 0, 5;
forward {
  #0 ret = 0.0f64;
  #1 for i in 0usize..d {
    #2 record r0 out[i];
    #2 out[i] = x[i];
    #3 if out[i] > 0.5f64 {
      #4 ret += x[i];
    }
  }
  #5 for j in 0usize..d {
    #6 out[j] += x[j];
  }
}
reverse {
  #5 for j in rev 0usize..d {
    #6 x_adj[j] += out_adj[j];
  }
  #1 for i in rev 0usize..d {
    #3 if out[i] > 0.5f64 {
      #4 x_adj[i] += ret_adj;
    }
    #2 x_adj[i] += out_adj[i];
    #2 zero out_adj[i];
    #2 restore r0 out[i];
  }
  #0 zero ret_adj;
}
";

#[test]
fn the_checker_knows_nothing_of_elements_that_were_overwritten_without_a_record() {
    let faults = |text: &str| -> Vec<FaultKind> {
        let plan = parse::plan(text).unwrap();
        check(&plan).iter().map(|f| f.kind).collect()
    };
    assert_eq!(faults(READ_AGAIN), [FaultKind::WrongWay]);
    // A condition that reads none of them is right.
    assert_eq!(faults(&READ_AGAIN.replace("if out[i]", "if x[i]")), []);
}

/// A step that gives `u` a list of this length.
fn stepping(first: &str, length: &str) -> String {
    format!(
        "fn f(x: &[f64], n: usize, k: usize) -> f64 {{
            let m = x.len() * n;
            let mut u = {first};
            for step in 0..n {{
                let at = {length};
                let mut next = vec![0.0; at];
                for i in 0..x.len() {{ next[i] = 0.5 * u[i] + x[i]; }}
                u = next;
            }}
            u[0] + u[1]
        }}"
    )
}

#[test]
fn assignments_of_the_same_length_keep_it() {
    for (first, length) in [
        ("x.to_vec()", "u.len()"),
        ("x.to_vec()", "x.len()"),
        ("vec![1.0; n]", "n"),
        ("vec![1.0; m + 1]", "x.len() * n + 1"),
    ] {
        let plan = proved_plan("wrt(x)", &stepping(first, length)).for_caller(Caller::OUTERMOST);
        assert_eq!(recorded(&plan), [""; 0], "{first}, {length}");
    }
    let unknown = stepping("x[k..].to_vec()", "u.len()");
    let plan = proved_plan("wrt(x)", &unknown).for_caller(Caller::OUTERMOST);
    assert_eq!(recorded(&plan), ["len(u)"]);
}

#[test]
fn assignments_of_another_length_are_recorded() {
    for (first, length) in [
        ("x.to_vec()", "u.len() + 1"),
        ("x.to_vec()", "n"),
        ("vec![1.0; n]", "step"),
        ("x[k..].to_vec()", "x.len()"),
    ] {
        let plan = proved_plan("wrt(x)", &stepping(first, length)).for_caller(Caller::OUTERMOST);
        let recorded = recorded(&plan);
        assert!(
            recorded.contains(&"u".to_string()),
            "{first}, {length}: {recorded:?}"
        );
    }
}

#[test]
fn a_copy_of_a_slice_has_its_length_whatever_was_written() {
    let function = "fn f(x: &mut [f64], u: f64) -> f64 {
        if u > 0.5 { g(x, u); } else if u > 0.2 { for i in 1..x.len() { x[i] *= x[i - 1]; } }
        x[0] += u;
        x.swap(0, 1);
        let mut s = 0.0;
        for v in x.to_vec() { s += v * u; }
        s
    }";
    let plan = proved_plan("wrt(x)", function).for_caller(Caller::OUTERMOST);
    let recorded = recorded(&plan);
    assert!(recorded.iter().all(|r| !r.contains("len")), "{recorded:?}");
}
