//! Statements, calls and elements that are not undone.

use adjoint_analysis::plan::check::FaultKind::*;

use super::super::plans::{CALL, PUSH, RESIZE};
use super::catches;

#[test]
fn exchange_not_undone() {
    catches(CALL, &[("#1 swap y[i], y[0usize];", "")], NotRestored);
}

#[test]
fn forward_sweep_is_another_function() {
    let changed = [
        ("#0 s_adj", "#0 s_adj"),
        (
            "#3 record r0 s;\n    #3 s = t * x[i]",
            "#3 record r0 s;\n    #3 s = t * x[0usize]",
        ),
    ];
    catches(PUSH, &changed[1..], NotPrimal);
    let exchanged = [(
        "#3 record r0 s;\n    #3 s = t * x[i];\n    #2 record r1 t;",
        "#2 record r1 t;\n    #3 record r0 s;",
    )];
    catches(PUSH, &exchanged, MissingPrimal);
}

#[test]
fn statement_left_out() {
    let forward = "forward {\n  #0 let i = k + 1usize;\n  #1 swap y[i], y[0usize];";
    catches(
        CALL,
        &[(forward, "forward {\n  #0 let i = k + 1usize;")],
        MissingPrimal,
    );
}

#[test]
fn call_not_reversed() {
    let call = "#2 reverse g(&x: &mut x_adj, &mut y[..i]: &mut y_adj[..i], y[i] * 2.0f64: let u) seed s_adj;\n  #2 y_adj[i] += scale(u, 2.0f64);";
    catches(CALL, &[(call, "")], Unbalanced);
    catches(CALL, &[("let s = forward g", "let s = call g")], Unbalanced);
}

#[test]
fn call_with_other_arguments() {
    catches(CALL, &[("reverse g(&x:", "reverse g(&y:")], WrongPlace);
    catches(
        CALL,
        &[(
            "&mut y[..i]: &mut y_adj[..i], y[i] *",
            "&mut y[..i]: &mut y_adj[..i], y[0usize] *",
        )],
        StaleRead,
    );
}

#[test]
fn arguments_that_the_call_does_not_give_back() {
    catches(CALL, &[("restore always", "restore never")], NotRestored);
}

#[test]
fn element_not_taken_out_or_put_back() {
    catches(RESIZE, &[("#0 pop y;", "")], StaleRead);
    catches(RESIZE, &[("#1 insert y, 0usize, t;", "")], StaleRead);
    catches(RESIZE, &[("#0 pop y;", "")], NotRestored);
}

#[test]
fn element_put_back_elsewhere() {
    let end = [("#1 insert y, 0usize, t;", "#1 push y, t;")];
    catches(RESIZE, &end, NotRestored);
    let other = [("insert y, 0usize, t;", "insert y, 1usize, t;")];
    catches(RESIZE, &other, NotRestored);
}

#[test]
fn another_element_put_back() {
    let other = [("insert y, 0usize, t;", "insert y, 0usize, t * t;")];
    catches(RESIZE, &other, NotRestored);
    let never = [("#1 record r1 t;", ""), ("#1 restore r1 t;", "")];
    catches(RESIZE, &never, StaleRead);
}

#[test]
fn element_read_before_the_other_is_taken_out() {
    let late = [
        ("#0 pop y;", ""),
        (
            "#0 y_adj[0usize] += scale(e, x[0usize]);",
            "#0 y_adj[0usize] += scale(e, x[0usize]); #0 pop y;",
        ),
    ];
    catches(RESIZE, &late, StaleRead);
}
