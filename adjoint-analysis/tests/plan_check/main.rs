//! The plan checker: right plans pass, and a plan with one thing wrong does not.

mod functions;
mod mutants;
mod plans;
mod random;
mod steps;

use adjoint_analysis::interp::Module;
use adjoint_analysis::plan::check::{Fault, check, check_for_all};
use adjoint_analysis::testing::{all_configs, plan_function, planners};
use adjoint_analysis::text::parse;

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
fn a_checkpointed_loop() {
    accepts(plans::CHECKPOINTED);
}

/// Plans the function with all options; each plan is proved.
fn plans_are_right(source: &str) {
    let func = parse::func(source).unwrap();
    for config in all_configs() {
        for plan in planners(config) {
            plan(&Module::new([func.clone()]), config);
        }
    }
}

/// `!` of a choice between integers is one of their complements.
#[test]
fn complements_of_chosen_integers() {
    plans_are_right(
        "fn f(y, c) {
  var y: &mut [f64]; var c: bool; var v: usize;
} {
  #0 let v = 1usize;
  #1 if c {
    #2 v = 0usize;
  }
  #3 y[v] += y[v] * y[v];
  #4 v = !v;
}",
    );
}

/// `v` and `w` are literals, and so is what inverts their products; the second branch is never taken.
#[test]
fn inverses_of_literals() {
    plans_are_right(
        "fn f(y, c) {
  var y: &mut [f64]; var c: bool; var v: i64; var w: i64; var n: i32; var m: i32;
} {
  #0 let v = 1usize as i64;
  #1 let w = 1usize as i64;
  #2 if c {
    #3 let n = 2usize as i32;
    #4 v = pure::wrapping_mul(2i64, n as i64):{i64};
    #5 y[n as usize] += y[v as usize] * y[v as usize];
  }
  #6 if false {
    #7 let m = 2usize as i32;
    #8 w = pure::wrapping_mul(2i64, m as i64):{i64};
    #9 y[m as usize] += y[w as usize] * y[w as usize];
  }
  #10 y[w as usize] = y[w as usize] * y[v as usize];
}",
    );
}

/// An element is set twice, where a condition holds, and what it was before is lost; the adjoint reads the result.
#[test]
fn elements_that_a_branch_brings_back() {
    plans_are_right(
        "fn f(y, x) {
  var y: &mut [f64]; var x: &[f64]; var n: usize; var i: usize; var k: usize;
} {
  #0 for n in 0usize..4usize {
    #1 for k in 0usize..len(y) {
      #2 y[k] = 1.0f64 / x[0usize];
      #3 if k >= 1usize {
        #4 y[k] = 1.0f64;
      }
    }
  }
}",
    );
}

/// The elements that the call in the last iteration overwrites get their adjoints in earlier ones.
#[test]
fn an_arm_that_leaves_the_loop_is_reversed_first() {
    plans_are_right(
        "fn f(x) -> ret {
  var x: &[f64]; var ret: f64; var b: [f64; 2]; var c: [f64; 5]; var i: usize; var t: f64;
} {
  #0 ret = 1.0f64;
  #1 let b = [x[1usize]; 2usize]:{[f64; 2]};
  #2 let c = [b[1usize]; 5usize]:{[f64; 5]};
  #3 for i in 1usize..len(x) {
    #4 b[1usize] = c[0usize];
    #5 if x[i] > 0.0f64 {
      #6 call g(&mut c[4usize..5usize], &b);
      #7 break;
    } else {
      #8 let t = b[0usize];
      #9 ret = t;
    }
  }
  #10 call h(&c[0usize], &mut b[1usize], &mut ret);
}",
    );
}

/// The step is an element of an array of which another one may be the same.
#[test]
fn steps_that_are_elements_of_changed_arrays() {
    plans_are_right(
        "fn f(y) -> ret {
  var y: &mut [f64]; var ret: f64; var t: f64; var k: usize; var n: usize; var c: f64;
} {
  #0 ret = 1.0f64;
  #1 y[0usize] = 1.0f64;
  #2 let t = y[1.0f64 as usize];
  #3 let k = 1usize;
  #4 let n = 3usize;
  #5 while n >= 1usize {
    #6 n = n - 1usize;
    #7 k = k + (t as usize);
  }
  #8 let c = cos(y[k] - t);
  #9 y[0usize] += c;
}",
    );
}

/// The number of iterations is a difference, which is not negative.
#[test]
fn bounds_that_are_differences() {
    plans_are_right(
        "fn f(x, y) -> ret {
  var x: f64; var y: &mut Vec<f64>; var ret: f64; var k: usize; var i: usize; var v: u16; var a: [f64; 4]; var n: usize temp;
} {
  #0 let k = 1usize;
  #1 let n = len(y) - 1usize;
  #2 for i in 0usize..n rev {
    #3 k = k + 1usize;
    #4 y[0usize] += 1.0f64;
  }
  #5 let v = k as u16;
  #6 let a = [y[(v as usize) % 3usize] * x; 4usize]:{[f64; 4]};
  #7 ret = a[1usize];
}",
    );
}

#[test]
fn literals_in_exclusive_ors() {
    plans_are_right(
        "fn f(y) {
  var y: &mut [f64]; var v: u64;
} {
  #1 let v = 5u64;
  #2 v = v ^ 1u64;
  #3 y[v as usize] += y[v as usize] * y[1usize];
  #4 v = v ^ 5u64;
}",
    );
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
fn loops_that_say_where_they_were_left() {
    accepts(plans::LEFT);
    // Of the two loops, either tells whether both were left.
    let other = plans::LEFT.replace("#15 if outer != 0usize", "#15 if inner != 0usize");
    accepts(&other);
    let other = plans::LEFT.replace("#11 if outer != 0usize", "#11 if inner != 0usize");
    accepts(&other);
    // Other ranges say which of their values the index has.
    for (range, number, trips) in [
        (
            "2usize..=9usize",
            "pure::__trips(2usize, j, true, 1usize)",
            "pure::__trips(2usize, 9usize, true, 1usize)",
        ),
        (
            "0usize..9usize rev",
            "pure::__trips(j, 9usize, false, 1usize)",
            "pure::__trips(0usize, 9usize, false, 1usize)",
        ),
        (
            "0usize..9usize step n",
            "pure::__trips(0usize, j, true, n)",
            "pure::__trips(0usize, 9usize, false, n)",
        ),
    ] {
        let plan = plans::LEFT
            .replace("for j in 0usize..3usize {", &format!("for j in {range} {{"))
            .replace(
                "for j in rev 0usize..3usize times",
                &format!("for j in rev {range} times"),
            )
            .replace("inner = j + 1usize", &format!("inner = {number}:{{usize}}"))
            .replace(
                "__ran(inner, 3usize)",
                &format!("__ran(inner, {trips}:{{usize}})"),
            );
        accepts(&plan);
    }
}

#[test]
fn a_loop_until_a_counter_meets_its_bound() {
    let plan = plans::LABEL.replace("while i < n", "while i != n").replace(
        "__trips_up(0usize, n, false, 1usize)",
        "__trips_to(0usize, n, true)",
    );
    accepts(&plan);
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

#[test]
fn an_array_that_comes_back_element_by_element() {
    accepts(plans::REFILLED);
    let (func, _) = plans::REFILLED.split_once("records").expect("a function");
    accepts_what_is_planned(func);
}

/// The second test of the flag is decided already, by the way that led there.
#[test]
fn a_condition_that_the_way_there_decides() {
    accepts_what_is_planned(plans::TESTED_TWICE);
}

/// Nothing can be learnt from the conditions on a way that is never taken.
#[test]
fn conditions_that_contradict_each_other() {
    accepts_what_is_planned(plans::NEVER_RUN);
}

/// The reversed branch and loop leave elements that nothing reads; the length is known all the same.
#[test]
fn views_of_a_vec_that_keeps_its_length() {
    accepts_what_is_planned(functions::VIEWED);
    accepts_what_is_planned(functions::VIEWED_IN_A_LOOP);
}

/// The code behind the inner loop never runs, which the plan must not rely on.
#[test]
fn a_loop_that_nothing_leaves() {
    accepts_what_is_planned(functions::ENDLESS);
    accepts_what_is_planned(functions::ENDLESS_IN_AN_ARM);
}

/// `usize::MAX * 3` panics, so that nothing behind it runs, nor what a condition on it decides.
#[test]
fn products_of_literals_that_overflow() {
    for never_run in functions::OVERFLOWS {
        let func = functions::OVERFLOWING.replace("never_run", never_run);
        accepts_what_is_planned(&func);
    }
}

/// The planners refuse what the checker does, for callees that give all answers or none.
#[test]
fn callees_that_are_asked() {
    for sources in plans::CALLERS {
        let funcs = sources.map(|source| parse::func(source).expect("a function"));
        let module = Module::new(funcs);
        for config in all_configs() {
            for plan in planners(config) {
                assert_eq!(plan(&module, config).len(), sources.len());
            }
        }
    }
}

/// The plans of a function with any analyses, for callers that need all or nothing.
fn accepts_what_is_planned(func: &str) {
    let func = parse::func(func).expect("a function");
    for config in all_configs() {
        let plan = plan_function(&func, config);
        assert_eq!(check_for_all(&plan), [], "{config:?}\n{plan}");
    }
}
