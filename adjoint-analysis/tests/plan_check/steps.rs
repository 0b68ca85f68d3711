//! A step that is run again reads no part of `w` that another step left, where `w` is in no snapshot: the checker proves
//! it from the terms, and not where it does not hold.

use adjoint_analysis::ir::{Caller, Place};
use adjoint_analysis::plan::check::{Fault, FaultKind, check_with};
use adjoint_analysis::testing::{all_configs, plan_function};
use adjoint_analysis::text::parse;

/// A function whose steps do this with the work space `w` and the state `y`.
fn stepping(body: &str) -> String {
    format!(
        "fn f(y, w, n, m) {{
          var y: &mut [f64]; var w: &mut [f64]; var n: usize; var m: usize;
          var t: usize; var i: usize; var j: usize; var i_2: usize; var j_2: usize;
        }} {{
          #0 for t in 0usize..10usize {{
            {body}
            #90 y[0usize] = y[0usize] * 0.5f64;
          }} checkpoint 2usize
        }}"
    )
}

/// What the checker finds if the planner finds `w` not to be read, or to come back where `comes_back`.
fn found(body: &str, comes_back: bool) -> Vec<Fault> {
    let source = stepping(body);
    let func = parse::func(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let config = all_configs().pop().expect("all optimisations");
    let plan = plan_function(&func, config);
    let is_work = |p: &Place| plan.func.var(p.root).name == "w";
    let found = check_with(&plan.for_caller(Caller::OUTERMOST), &|state| {
        state.restored.retain(|p| !is_work(p));
        state.sets.read.retain(|p| !is_work(p));
        let work = state.sets.written.iter().filter(|p| is_work(p));
        state
            .sets
            .overwritten
            .extend(work.filter(|_| comes_back).cloned());
    });
    let of_steps = |fault: &Fault| fault.kind == FaultKind::Snapshot;
    found.into_iter().filter(of_steps).collect()
}

#[track_caller]
fn proves(body: &str) {
    assert_eq!(found(body, false), [], "{body}");
}

#[track_caller]
fn catches(body: &str) {
    let found = found(body, false);
    let expected = "`w` may be read as another step left it";
    assert!(
        found.iter().any(|fault| fault.message == expected),
        "{body}: {found:?}"
    );
}

const FILL: &str = "#1 for i in 0usize..n { #2 w[i] = y[i]; }";
/// A write of an element of which nothing is known: each other one may be changed by some step.
const ANY: &str = "#80 w[m] = 0.5f64;";
const READ: &str = "#3 for j in 0usize..n { #4 y[j] = sin(w[j]); }";

#[test]
fn elements_that_a_loop_sets() {
    proves(&format!("{FILL} {READ}"));
    proves(&format!(
        "#1 for i in 0usize..n rev {{ #2 w[i] = y[i]; }} {READ}"
    ));
    catches(&format!("{READ} {FILL}"));
    let beyond = "#3 for j in 0usize..n { #4 y[j] = sin(w[j + 1usize]); }";
    proves(&format!("{FILL} {beyond}"));
    catches(&format!("{FILL} {beyond} {ANY}"));
    catches(&format!(
        "{FILL} #3 for j in 0usize..m {{ #4 y[j] = sin(w[j]); }} {ANY}"
    ));
}

#[test]
fn a_bound_that_steps_change() {
    let grows = "#5 m = m + 1usize;";
    let fill = "#1 for i in 0usize..m { #2 w[i] = y[i]; }";
    let read = "#3 for j in 0usize..m { #4 y[j] = sin(w[j]); }";
    proves(&format!("{grows} {fill} {read}"));
    catches(&format!("{fill} {grows} {read}"));
}

#[test]
fn elements_that_are_set_on_one_way() {
    let one = "#1 if y[0usize] > 0.5f64 { #2 for i in 0usize..n { #5 w[i] = y[i]; } } else { }";
    let both = "#1 if y[0usize] > 0.5f64 { #2 for i in 0usize..n { #5 w[i] = y[i]; } }
                else { #6 for i_2 in 0usize..n { #7 w[i_2] = 0.5f64; } }";
    proves(&format!("{both} {READ}"));
    catches(&format!("{one} {READ}"));
}

#[test]
fn a_loop_that_may_be_left() {
    let left =
        "#1 for i in 0usize..n { #2 if y[i] > 2.0f64 { #5 break; } else { #6 w[i] = y[i]; } }";
    catches(&format!("{left} {READ}"));
}

#[test]
fn elements_of_earlier_iterations() {
    let chain = |read: &str| {
        format!(
            "#1 w[0usize] = y[0usize]; #2 for i in 1usize..n {{ #5 w[i] = y[i] * w[{read}]; }} {READ}"
        )
    };
    proves(&chain("i - 1usize"));
    catches(&chain("i + 1usize"));
    catches("#1 for i in 0usize..n rev { #2 w[i] = y[i]; #5 y[i] = w[i - 1usize]; }");
}

#[test]
fn rows_of_a_flat_array() {
    let fill = |from: usize| {
        format!(
            "#1 for i in 0usize..m {{ #2 for j in {from}usize..n {{ #3 w[i * n + j] = y[j]; }} }}"
        )
    };
    let read = "#4 for j_2 in 0usize..n { #5 for i_2 in 0usize..m { #6 y[j_2] = sin(w[i_2 * n + j_2]); } }";
    proves(&format!("{} {read}", fill(0)));
    proves(&format!("{} {read}", fill(1)));
    catches(&format!("{} {read} {ANY}", fill(1)));
    catches(&format!(
        "{} {} {ANY}",
        fill(0),
        read.replace("+ j_2", "+ j_2 + 1usize")
    ));
}

#[test]
fn elements_that_are_added_to_or_exchanged() {
    catches("#1 for i in 0usize..n { #2 w[i] += y[i]; }");
    catches(&format!("#5 swap w[0usize], w[1usize]; {FILL}"));
    let fill = "#1 for i in 0usize..4usize { #2 w[i] = y[i]; }";
    let exchange = "#5 swap w[0usize], w[1usize]; #6 w[0usize] += y[0usize];";
    proves(&format!("{fill} {exchange} #7 y[1usize] = sin(w[3usize]);"));
}

/// `w[0]` is written by no step.
#[test]
fn elements_that_no_step_writes() {
    let fill = "#1 for i in 1usize..n { #2 w[i] = y[i]; }";
    proves(&format!("{fill} {READ}"));
    catches(&format!("#5 y[1usize] = sin(w[0usize]); {fill}"));
    catches(&format!("{fill} {READ} {ANY}"));
}

#[test]
fn what_comes_back() {
    assert_eq!(found(FILL, true), []);
    let some = found(
        "#1 for i in 0usize..n { #2 w[i] = y[i]; } #3 w[m] = 0.5f64;",
        true,
    );
    let expected = "`w` may not be as the step left it";
    assert!(some.is_empty(), "{some:?}");
    let on_one_way = "#1 if y[0usize] > 0.5f64 { #2 w[1usize] = 0.5f64; } else { }";
    let by_step = "#1 w[t] = 0.5f64;";
    for body in [on_one_way, by_step] {
        let found = found(body, true);
        assert!(
            found.iter().any(|fault| fault.message == expected),
            "{body}: {found:?}"
        );
    }
}
