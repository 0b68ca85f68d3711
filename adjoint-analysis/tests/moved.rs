//! Adjoints of lists that are moved to other variables.

#[path = "common/proved.rs"]
mod proved;

use adjoint_analysis::ir::Caller;
use adjoint_analysis::plan::check::{FaultKind, check};
use adjoint_analysis::text::parse;
use proved::proved_plan;

/// A step whose new values another list gets.
const STEPS: &str = "fn steps(x: &[f64], n: usize) -> f64 {
    let mut u = x.to_vec();
    for _ in 0..n {
        let mut next = vec![0.0; n];
        for i in 0..n { next[i] = u[i] * u[i]; }
        u = next;
    }
    u[0]
}";

const MOVED: &str = "let next_adj = u_adj;";

fn plan_text(args: &str, function: &str) -> String {
    let plan = proved_plan(args, function).for_caller(Caller::OUTERMOST);
    plan.to_string()
}

#[test]
fn the_adjoint_of_what_is_moved_is_moved_back() {
    assert!(plan_text("", STEPS).contains(MOVED));
    assert!(!plan_text("without(simplification)", STEPS).contains(MOVED));
}

#[test]
fn what_is_used_behind_has_an_adjoint_of_its_own() {
    for (statement, by) in [
        ("u = next;", "u = next.clone(); u[0] += next[1];"),
        ("u = next;", "if u[0] > 0.5 { u = next; }"),
        ("u = next;", "if u[0] > 0.5 { break; } u = next;"),
    ] {
        let function = STEPS.replace(statement, by);
        let text = plan_text("", &function);
        assert!(!text.contains(MOVED), "{by}: {text}");
    }
}

#[test]
fn the_checker_finds_adjoints_that_are_lost_or_of_another_shape() {
    let text = plan_text("", STEPS);
    let mutants = [
        // It is read again.
        (
            text.replacen("#4 u_adj = zeros(u);", "", 1),
            FaultKind::CountedTwice,
        ),
        (
            text.replacen(MOVED, "let next_adj = x_adj;", 1),
            FaultKind::AdjointScope,
        ),
        (
            text.replacen(MOVED, "let next_adj = zeros(u);", 1),
            FaultKind::AdjointScope,
        ),
    ];
    for (mutant, kind) in mutants {
        assert_ne!(mutant, text);
        let faults = check(&parse::plan(&mutant).unwrap());
        let kinds: Vec<_> = faults.iter().map(|f| f.kind).collect();
        assert!(kinds.contains(&kind), "{kinds:?} in {mutant}");
    }
}
