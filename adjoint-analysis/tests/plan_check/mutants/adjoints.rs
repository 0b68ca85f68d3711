//! Adjoints that are zeroed, counted or declared wrongly.

use adjoint_analysis::plan::check::FaultKind::*;

use super::super::plans::{BRANCH, CALL, OVERWRITE, PUSH, RESIZE, STRAIGHT, WHILE};
use super::catches;

#[test]
fn missing_zero() {
    catches(OVERWRITE, &[("#4 zero y_adj[0usize];", "")], CountedTwice);
    catches(PUSH, &[("#3 zero s_adj;", "")], CountedTwice);
    catches(
        CALL,
        &[("#1 swap y_adj[i], y_adj[0usize];", "")],
        CountedTwice,
    );
}

#[test]
fn zero_of_another_place() {
    catches(
        OVERWRITE,
        &[("#4 zero y_adj[0usize]", "#4 zero y_adj[1usize]")],
        CountedTwice,
    );
    catches(
        OVERWRITE,
        &[("#4 zero y_adj[0usize]", "#4 zero y_adj[1usize]")],
        SeedLost,
    );
    catches(PUSH, &[("#3 zero s_adj", "#3 zero x_adj[i]")], SeedLost);
}

#[test]
fn zero_before_the_seed_is_used() {
    let early = [
        ("#3 zero s_adj;", ""),
        (
            "#3 t_adj += scale(s_adj, x[i]);",
            "#3 zero s_adj;\n #3 t_adj += scale(s_adj, x[i]);",
        ),
    ];
    catches(PUSH, &early, SeedLost);
}

#[test]
fn adjoints_in_primal_order() {
    let exchanged = [
        ("#0 k_adj += a_adj;", ""),
        ("#1 x_adj +=", "#0 k_adj += a_adj; #1 x_adj +="),
    ];
    catches(STRAIGHT, &exchanged, AdjointOrder);
}

#[test]
fn adjoint_of_an_inner_variable_declared_outside() {
    let moved = [
        ("#2 let t_adj = 0.0f64;", ""),
        (
            "#0 let s_adj = 0.0f64;",
            "#0 let s_adj = 0.0f64; #2 let t_adj = 0.0f64;",
        ),
    ];
    catches(PUSH, &moved, AdjointScope);
    catches(PUSH, &[("#2 let t_adj = 0.0f64;", "")], AdjointScope);
}

#[test]
fn adjoint_of_an_outer_variable_declared_inside() {
    let moved = [
        ("#0 let s_adj = 0.0f64;", ""),
        (
            "#2 let t_adj = 0.0f64;",
            "#2 let t_adj = 0.0f64; #0 let s_adj = 0.0f64;",
        ),
    ];
    catches(PUSH, &moved, AdjointScope);
}

#[test]
fn reversed_twice() {
    let twice = [(
        "  #0 x_adj += s_adj;",
        "  #1 times trips { }\n  #0 x_adj += s_adj;",
    )];
    catches(WHILE, &twice, Mirror);
}

#[test]
fn zero_after_the_own_contribution() {
    let late = [
        (
            "#2 y_adj[0usize] = scale(y_adj[0usize], s);",
            "#2 zero y_adj[0usize];",
        ),
        (
            "#2 s_adj += scale(y_adj[0usize], y[0usize]);",
            "#2 s_adj += scale(y_adj[0usize], y[0usize]); #2 y_adj[0usize] += scale(y_adj[0usize], s);",
        ),
    ];
    catches(OVERWRITE, &late, SeedLost);
}

#[test]
fn seed_read_after_the_own_contribution() {
    let late = [
        ("#4 s_adj = scale(s_adj, x);", ""),
        (
            "#4 x_adj += scale(s_adj, s);",
            "#4 s_adj += scale(s_adj, x); #4 x_adj += scale(s_adj, s);",
        ),
    ];
    catches(BRANCH, &late, SeedLost);
}

#[test]
fn adjoint_of_another_length() {
    let kept = [("#0 let e = pop y_adj;", "#0 let e = y_adj[1usize];")];
    catches(RESIZE, &kept, CountedTwice);
    catches(
        RESIZE,
        &[("#1 insert y_adj, 0usize, t_adj;", "")],
        CountedTwice,
    );
}

#[test]
fn adjoint_of_another_element() {
    let ends = [("#0 let e = pop y_adj;", "#0 let e = remove y_adj, 0usize;")];
    catches(RESIZE, &ends, Mirror);
    let ends = [("insert y_adj, 0usize, t_adj;", "push y_adj, t_adj;")];
    catches(RESIZE, &ends, Mirror);
    let turned = [(
        "#0 let e = pop y_adj;",
        "#0 push y_adj, 0.0f64; #0 let e = 0.0f64;",
    )];
    catches(RESIZE, &turned, Mirror);
}
