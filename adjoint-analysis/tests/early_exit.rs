//! Reversed loops that end where the seed of what is left is zero, and what the checker takes.

#[path = "common/proved.rs"]
mod proved;

use adjoint_analysis::ir::{BinOp, Caller, Expr, StmtKind};
use adjoint_analysis::plan::check::{FaultKind, check};
use adjoint_analysis::text::parse;

use proved::proved_plan;

fn plan_text(args: &str, function: &str) -> String {
    proved_plan(args, function)
        .for_caller(Caller::OUTERMOST)
        .to_string()
}

/// The seeds for which loops of the plan end.
fn exits(function: &str) -> Vec<String> {
    let plan = proved_plan("without(fusion)", function).for_caller(Caller::OUTERMOST);
    let mut seeds = Vec::new();
    plan.reverse.walk(&mut |s| {
        if let StmtKind::If(Expr::Binary(BinOp::Eq, seed, _), leave, _) = &s.kind
            && matches!(leave.stmts[..], [ref only] if only.kind == StmtKind::Break)
        {
            let seeds_read = seed.reads().into_iter();
            seeds.extend(seeds_read.map(|v| plan.func.var(v).name.clone()));
        }
    });
    seeds
}

/// The nearest of some numbers.
const NEAREST: &str = "fn nearest(x: &[f64], at: f64) -> f64 {
    let mut least = 9.0;
    for i in 0..x.len() {
        let d = (x[i] - at) * (x[i] - at);
        if d < least { least = d; }
    }
    least
}";

/// The largest of some numbers, and the sum of what is below it.
const LARGEST: &str = "fn largest(x: &[f64]) -> f64 {
    let mut largest = x[0];
    for i in 0..x.len() {
        largest = largest.max(x[i]);
    }
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += (largest - x[i]).sqrt();
    }
    sum
}";

/// The adjoint of what comes in front of the loop reads what the loop restores.
fn largest_from_root() -> String {
    let start = "let mut largest = x[0]; largest = largest.sqrt(); largest = largest.sin();";
    LARGEST.replace("let mut largest = x[0];", start)
}

#[test]
fn a_loop_ends_behind_the_iteration_that_was_chosen() {
    assert_eq!(exits(NEAREST), ["least_adj"]);
    assert_eq!(exits(LARGEST), ["largest_adj"]);
    let least = LARGEST.replace("max(x[i])", "min(x[i] * x[i])");
    assert_eq!(exits(&least), ["largest_adj"]);
}

#[test]
fn a_loop_with_one_inside_that_ends_ends_as_well() {
    let function = "fn last(x: &[f64], n: usize) -> f64 {
        let mut y = x[0];
        for i in 0..n {
            for j in 0..n {
                y = (x[i] * x[j]).sin();
            }
            y = -0.5 * y;
        }
        y
    }";
    assert_eq!(exits(function), ["y_adj", "y_adj"]);
}

#[test]
fn a_loop_goes_on_that_adds_something_else() {
    for (what, other) in [
        // Another sum.
        ("if d < least {", "s += d; if d < least {"),
        // The seed comes back.
        ("least = d; }", "least = d; } s += least;"),
        // Elements are overwritten, whose adjoints have to be zero.
        ("if d < least {", "y[i] = at; if d < least {"),
    ] {
        let function = NEAREST
            .replace("at: f64)", "at: f64, y: &mut [f64])")
            .replace(
                "let mut least = 9.0;",
                "let mut least = 9.0; let mut s = 0.0;",
            )
            .replace("    least\n}", "    least + s\n}")
            .replace(what, other);
        assert_eq!(exits(&function), [""; 0], "{function}");
    }
    assert_eq!(exits(&largest_from_root()), [""; 0]);
}

#[test]
fn the_checker_finds_loops_that_end_too_early() {
    let text = plan_text("without(fusion)", NEAREST);
    let faults = |text: &str| -> Vec<FaultKind> {
        let plan = parse::plan(text).unwrap();
        check(&plan).iter().map(|f| f.kind).collect()
    };
    assert_eq!(faults(&text), []);
    let mutants = [
        text.replace("if least_adj == 0.0", "if at_adj == 0.0"),
        text.replace("if least_adj == 0.0", "if d_adj == 0.0"),
        text.replace("#2 let d_adj;", "#2 let d_adj = 1.0f64;"),
        text.replace("#3 zero least_adj;", ""),
    ];
    for mutant in mutants {
        assert_ne!(mutant, text);
        assert!(!faults(&mutant).is_empty(), "{mutant}");
    }
    // What the loop restores is read behind it.
    let text = plan_text("without(fusion)", &largest_from_root());
    assert_eq!(faults(&text), []);
    let chosen = text.find("max_y").unwrap();
    let end = chosen + text[chosen..].find("\n  }").unwrap();
    let exit = "\n #0 if largest_adj == 0.0f64 { #0 break; }";
    let mutant = format!("{}{exit}{}", &text[..end], &text[end..]);
    assert!(!faults(&mutant).is_empty(), "{mutant}");
}
