//! The plan checker: right plans pass, and a plan with one thing wrong does not.

mod mutants;
mod plans;
mod random;

use adjoint_analysis::ir::parse;
use adjoint_analysis::plan::check::{Fault, check};
use adjoint_analysis::testing::{all_configs, plan_function};

fn faults(source: &str) -> Vec<Fault> {
    let plan = parse::plan(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    check(&plan)
}

#[track_caller]
fn accepts(source: &str) {
    assert_eq!(faults(source), []);
}

#[test]
fn straight_line_code() {
    accepts(plans::STRAIGHT);
}

#[test]
fn overwritten_values() {
    accepts(plans::OVERWRITE);
}

#[test]
fn a_counted_loop_that_pushes() {
    accepts(plans::PUSH);
}

#[test]
fn a_counted_loop_with_a_frame() {
    accepts(plans::FRAME);
}

#[test]
fn a_loop_of_unknown_length_with_a_branch() {
    accepts(plans::WHILE);
}

#[test]
fn branches_by_their_conditions() {
    accepts(plans::BRANCH);
}

#[test]
fn a_loop_left_by_break() {
    accepts(plans::BREAK);
}

#[test]
fn a_counted_loop_left_by_break() {
    accepts(plans::EARLY);
}

#[test]
fn a_call_and_an_exchange() {
    accepts(plans::CALL);
}

#[test]
fn a_vec_that_grows_and_shrinks() {
    accepts(plans::RESIZE);
}

#[test]
fn control_that_is_not_recorded() {
    accepts(plans::LABEL);
}

#[test]
fn a_loop_until_a_counter_is_there() {
    accepts(plans::UNTIL);
    // The step before the test: the first value that is compared is the second one.
    let early = plans::UNTIL
        .replace("loop {", "loop { #8 i = i + 2usize;")
        .replace("      #8 i = i + 2usize;\n", "")
        .replace("up(0usize,", "up(0usize + 2usize,");
    accepts(&early);
}

/// The second test of the flag is decided already, by the way that led there.
#[test]
fn a_condition_that_the_way_there_decides() {
    let func = parse::func(plans::TESTED_TWICE).expect("a function");
    for config in all_configs() {
        let plan = plan_function(&func, config);
        for caller in plan.extremes() {
            assert_eq!(check(&plan.seen_by(caller)), [], "{config:?}\n{plan}");
        }
    }
}
