//! Preaccumulated gradients: where they are taken, and what the checker takes.

#[path = "common/proved.rs"]
mod proved;

use adjoint_analysis::interp::Module;
use adjoint_analysis::ir::Expr;
use adjoint_analysis::plan::Plan;
use adjoint_analysis::plan::build::Config;
use adjoint_analysis::plan::check::{FaultKind, check};
use adjoint_analysis::plan::preaccumulation::Preaccumulation;
use adjoint_analysis::testing::plan_module;
use adjoint_analysis::text::parse;

use proved::proved_plan;

/// The numbers of entries of the gradients in a function's plan, which the checker takes.
fn entries(function: &str) -> Vec<usize> {
    let mut found = Vec::new();
    proved_plan("", function).func.body.walk(&mut |s| {
        s.walk_exprs(&mut |e| {
            if let Expr::Preaccumulated(_, gradient) = e {
                found.push(gradient.len());
            }
        });
    });
    found
}

const MARCH: &str = "fn march(x: &[f64], a: f64) -> f64 {
    let mut s = 1.0;
    for i in 0..x.len() {
        let t = (a * s).sin();
        let u = (t * x[i]).exp();
        let w = (u + t).sqrt();
        s = s * 0.9 + w * u;
    }
    s
}";

#[test]
fn a_recurrence_has_a_gradient_by_state_and_inputs() {
    assert_eq!(entries(MARCH), [3]);
}

#[test]
fn other_floats_have_gradients_too() {
    assert_eq!(entries(&MARCH.replace("f64", "f32")), [3]);
}

#[test]
fn switched_off_there_is_none() {
    let plan = proved_plan("without(preaccumulation)", MARCH);
    assert!(!plan.to_string().contains("preaccumulated"));
}

#[test]
fn what_is_computed_again_needs_no_gradient() {
    let products = "fn f(x: &[f64], s: f64) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            let a = x[i] * s;
            let b = a * a - x[i];
            sum += a * b * b;
        }
        sum
    }";
    assert_eq!(entries(products), [0usize; 0]);
}

#[test]
fn a_gradient_with_as_many_entries_as_values_is_not_taken() {
    let rotation = "fn f(x: &[f64], n: usize) -> f64 {
        let (mut p, mut q) = (1.0, 0.5);
        for i in 0..n {
            let (s, c) = (x[i].sin(), x[i].cos());
            let r = p * c - q * s;
            q = p * s + q * c;
            p = r;
        }
        p * q
    }";
    assert_eq!(entries(rotation), [0usize; 0]);
}

/// `[FLAT]` §7.2: n numbers through one into n others are 2n partials, and a Jacobian of n² entries.
#[test]
fn scarce_jacobians_stay_in_factored_form() {
    let through_one = "fn f(x: &mut [f64]) {
        for k in 0..x.len() / 4 {
            let t = (x[4 * k] * x[4 * k + 1]).sin() * (x[4 * k + 2] * x[4 * k + 3]).exp();
            let s = (t * t + 1.0).sqrt();
            let (a, b) = (s * x[4 * k], s * x[4 * k + 1]);
            let (c, d) = (s * x[4 * k + 2], s * x[4 * k + 3]);
            x[4 * k] = a;
            x[4 * k + 1] = b;
            x[4 * k + 2] = c;
            x[4 * k + 3] = d;
        }
    }";
    assert_eq!(entries(through_one), [0usize; 0]);
}

/// An infinite seed must not meet the 0 of an operand that was not chosen.
#[test]
fn a_choice_is_in_no_gradient() {
    let clamped = "fn f(x: &[f64], a: f64) -> f64 {
        let mut s = 1.0;
        for i in 0..x.len() {
            let t = (a * s).sin().max(0.1);
            let u = (t * x[i]).exp();
            let w = (u + t).sqrt();
            s = s * 0.9 + w * u;
        }
        s
    }";
    assert_eq!(entries(clamped), [0usize; 0]);
}

#[test]
fn what_is_overwritten_before_the_result_is_no_input() {
    let moved = "fn f(x: &mut [f64], a: f64) {
        for i in 0..x.len() {
            let t = (a * x[i]).sin();
            let u = (t * x[i]).exp();
            let w = (u + t).sqrt();
            x[i] = 2.0;
            x[0] = x[0] * 0.9 + w * u;
        }
    }";
    assert_eq!(entries(moved), [0usize; 0]);
}

/// The faults of a plan with a change to its text: of the first place, since the function stands in front of the sweeps.
fn faults(plan: &Plan, from: &str, to: &str) -> Vec<FaultKind> {
    let text = plan.to_string();
    assert!(text.contains(from), "`{from}` is not in\n{text}");
    // In the function and in the forward sweep.
    let mutant = parse::plan(&text.replace(from, to)).expect("a plan");
    check(&mutant).into_iter().map(|fault| fault.kind).collect()
}

#[test]
fn wrong_gradients_are_caught() {
    let plan = proved_plan("", MARCH);
    let all = [
        // A factor of another operation, a sign, a term too many, a term too few, another partial.
        ("scale(entry_5, partial)", "scale(entry_5, partial_2)"),
        ("0.9f64 + scale", "0.9f64 - scale"),
        ("x[i]: entry_8", "x[i]: entry_7"),
        ("; a: entry_6", ""),
        ("partial::sqrt(w)", "partial::sqrt(u)"),
        ("partial::sin(a * s)", "partial::sin(s)"),
    ];
    for (from, to) in all {
        let found = faults(&plan, from, to);
        assert!(found.contains(&FaultKind::Gradient), "{from}: {found:?}");
    }
}

/// Without the input, nothing depends on it any more.
#[test]
fn an_input_that_is_missing_is_caught() {
    let text = proved_plan("", MARCH).to_string();
    let mutant = parse::plan(&text.replace("s: entry_7", "a: 0.0f64")).expect("a plan");
    let found = check(&mutant);
    let is_missing = |message: &str| message == "the gradient has no partial by `s`";
    assert!(found.iter().any(|f| is_missing(&f.message)), "{found:?}");
}

/// An element that depends on no input is an entry where no activity analysis says so, and another element does.
#[test]
fn a_constant_element_of_a_varied_array_is_taken() {
    let text = "fn f(y) -> ret {
        var y: &mut f64;
        var ret: usize;
        var a: [f64; 3];
        var a_2: Vec<f64>;
        var t: f64;
      }
      {
        #0 let a = [1.0f64; 3usize]:{[f64; 3]};
        #1 let a_2 = [1.0f64; 2usize]:{Vec<f64>};
        #2 let t = y * cos(a[0usize]);
        #3 a[1usize] = t;
        #4 y += t;
        #5 ret = 1usize;
      }";
    let config = Config {
        activity: false,
        tbr: false,
        recomputation: false,
        flattening: false,
        preaccumulation: Preaccumulation::Everywhere,
        ..Config::default()
    };
    let module = Module::new([parse::func(text).expect("a function")]);
    let text = plan_module(&module, config)["f"].to_string();
    assert!(text.contains("y += preaccumulated(t; a[0usize]"), "{text}");
}

/// An element of a half of a split is one of the whole, which another half being varied says nothing of.
#[test]
fn elements_of_halves_are_elements_of_the_whole() {
    let text = "fn f(x) -> ret {
        var x: &Vec<f64>;
        var ret: [f64; 2];
        var t: f64;
      }
      {
        #0 ret = [1.0f64, 1.0f64]:{[f64; 2]};
        #1 let t = x[0usize];
        #2 ret.head(1usize)[0usize] += t;
        #3 ret[1usize] = ret.tail(1usize)[0usize] - 1.0f64 * ret[1usize];
      }";
    let config = Config {
        preaccumulation: Preaccumulation::Everywhere,
        ..Config::default()
    };
    let module = Module::new([parse::func(text).expect("a function")]);
    let text = plan_module(&module, config)["f"].to_string();
    assert!(text.contains("ret[1usize] = preaccumulated("), "{text}");
}
