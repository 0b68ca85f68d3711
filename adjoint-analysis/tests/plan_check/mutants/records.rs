//! Records that are missing, misplaced or mixed up.

use adjoint_analysis::plan::check::FaultKind::*;

use super::super::faults;
use super::super::plans::{CALL, EARLY, FRAME, OVERWRITE, PUSH, REFILLED, STRAIGHT, WHILE};
use super::catches;

#[test]
fn dropped_record() {
    catches(PUSH, &[("#3 record r0 s;", "")], Unbalanced);
    catches(FRAME, &[("#2 record r0 y[j];", "")], Unbalanced);
}

#[test]
fn dropped_restore() {
    catches(PUSH, &[("#3 restore r0 s;", "")], Unbalanced);
    catches(FRAME, &[("#2 restore r0 y[j];", "")], Unbalanced);
}

#[test]
fn dropped_record_and_restore() {
    let both = [("#3 record r0 s;", ""), ("#3 restore r0 s;", "")];
    catches(PUSH, &both, StaleRead);
    let both = [("#2 record r0 y[j];", ""), ("#2 restore r0 y[j];", "")];
    catches(FRAME, &both, StaleRead);
    catches(FRAME, &both, NotRestored);
    let both = [("#3 record r2 s;", ""), ("#3 restore r2 s;", "")];
    catches(OVERWRITE, &both, StaleRead);
}

#[test]
fn swapped_restores() {
    let swapped = [
        ("restore r4 s", "restore r2 s"),
        ("#3 restore r2 s", "#3 restore r4 s"),
    ];
    catches(OVERWRITE, &swapped, NotLifo);
    let swapped = [
        ("restore r1 t", "restore r0 t"),
        ("#3 restore r0 s", "#3 restore r1 s"),
    ];
    catches(PUSH, &swapped, NotLifo);
    catches(PUSH, &swapped, WrongPlace);
}

#[test]
fn restored_in_another_place() {
    catches(
        OVERWRITE,
        &[("restore r3 y[0usize]", "restore r3 y[1usize]")],
        WrongPlace,
    );
}

#[test]
fn restored_into_an_array_that_is_not_there() {
    let blank = [("let a = [0.0f64; 3usize]:{[f64; 3]};", "let a;")];
    catches(REFILLED, &blank, Undeclared);
}

#[test]
fn restored_after_its_use() {
    let late = [
        ("#3 restore r0 s;", ""),
        (
            "#2 s_adj += scale(t_adj, partial::sin(s));",
            "#2 s_adj += scale(t_adj, partial::sin(s)); #3 restore r0 s;",
        ),
    ];
    catches(PUSH, &late, StaleRead);
    let late = [
        ("#3 restore r0 s;", ""),
        (
            "#3 s_adj = scale(s_adj, partial::sin(s));",
            "#3 s_adj = scale(s_adj, partial::sin(s)); #3 restore r0 s;",
        ),
    ];
    catches(WHILE, &late, StaleRead);
}

#[test]
fn restored_before_the_result_is_read() {
    let early = [
        ("#1 let result = s;", ""),
        ("#1 restore r0 s;", "#1 restore r0 s; #1 let result = s;"),
    ];
    catches(OVERWRITE, &early, StaleRead);
}

#[test]
fn old_value_and_result_exchanged() {
    let exchanged = [("powf_p(s, p, result)", "powf_p(result, p, s)")];
    catches(OVERWRITE, &exchanged, StaleRead);
}

#[test]
fn restored_in_another_block() {
    let moved = [
        ("#3 restore r0 s;", ""),
        ("#2 let w = way r2;", "#2 let w = way r2; #3 restore r0 s;"),
    ];
    catches(WHILE, &moved, Unbalanced);
}

#[test]
fn recorded_after_the_overwrite() {
    let late = [(
        "#3 record r0 s;\n    #3 s = t * x[i];",
        "#3 s = t * x[i];\n    #3 record r0 s;",
    )];
    catches(PUSH, &late, StaleRead);
}

#[test]
fn recomputed_from_overwritten_operands() {
    // The element that the index was read from is overwritten after it.
    let mutant = "
fn f(x, m) -> r {
  var x: &[f64]; var m: &mut [usize]; var r: f64; var j: usize;
  var x_adj: &mut [f64] adjoint of x; var r_adj: f64 adjoint of r;
} {
  #0 let j = m[0usize];
  #1 m[0usize] = 7usize;
  #2 r = x[j] * 2.0f64;
}
records { }
adjoints { x: x_adj; r: r_adj; }
restores; interface x; calls { }
forward {
  #0 let j = m[0usize];
  #1 m[0usize] = 7usize;
  #2 r = x[j] * 2.0f64;
}
reverse {
  #0 let j = m[0usize];
  #2 x_adj[j] += scale(r_adj, 2.0f64);
  #2 zero r_adj;
}";
    catches(mutant, &[], StaleRecompute);
}

#[test]
fn recomputed_in_another_way() {
    catches(
        STRAIGHT,
        &[("#0 let a = k + 1.0f64", "#0 let a = k + 2.0f64")],
        StaleRecompute,
    );
}

#[test]
fn local_without_its_value() {
    catches(
        STRAIGHT,
        &[("#0 let a = k + 1.0f64", "#0 let a")],
        StaleRead,
    );
    catches(STRAIGHT, &[("#0 let a = k + 1.0f64;", "")], Undeclared);
}

#[test]
fn index_is_stale() {
    let both = [("#3 record r0 i;", ""), ("#3 restore r0 i;", "")];
    catches(CALL, &both, StaleIndex);
    let late = [
        ("#3 restore r0 i;", ""),
        (
            "#1 swap y[i], y[0usize];",
            "#3 restore r0 i; #1 swap y[i], y[0usize];",
        ),
    ];
    catches(CALL, &late, StaleIndex);
}

#[test]
fn index_of_a_restore_is_stale() {
    let mutant = [
        ("#1 let j = m[i];", "#1 let j = 0usize;"),
        ("record r0 y[j]", "record r0 y[j]"),
    ];
    catches(FRAME, &mutant, StaleIndex);
}

#[test]
fn frame_of_another_loop() {
    catches(
        PUSH,
        &[("r0: value f64 on stack", "r0: value f64 in frame #4 slot 0")],
        Frame,
    );
    catches(
        WHILE,
        &[("r0: value f64 on stack", "r0: value f64 in frame #1 slot 0")],
        Frame,
    );
    catches(
        EARLY,
        &[("r0: value f64 on stack", "r0: value f64 in frame #1 slot 0")],
        Frame,
    );
}

#[test]
fn slot_used_twice() {
    let shared = [
        ("r0: value f64 on stack", "r0: value f64 in frame #1 slot 0"),
        ("r1: value f64 on stack", "r1: value f64 in frame #1 slot 0"),
    ];
    catches(PUSH, &shared, Frame);
}

#[test]
fn an_array_lies_on_the_stack_of_its_scalars() {
    let mutant = "
fn f(x) -> r {
  var x: f64; var r: f64; var a: [f64; 2]; var b: f64;
  var x_adj: f64 adjoint of x; var r_adj: f64 adjoint of r; var a_adj: [f64; 2] adjoint of a;
  var b_adj: f64 adjoint of b;
} {
  #0 let a = [x, 1.0f64]:{[f64; 2]};
  #1 let b = sin(x);
  #2 r = a[1usize] * b;
}
records { r0: value [f64; 2] on stack of #0; r1: value f64 on stack of #1; }
adjoints { x: x_adj; r: r_adj; a: a_adj; b: b_adj; }
restores; interface x; calls { }
forward {
  #0 let a = [x, 1.0f64]:{[f64; 2]};
  #1 let b = sin(x);
  #2 r = a[1usize] * b;
  #0 record r0 a;
  #1 record r1 b;
}
reverse {
  #0 let a; #0 restore r0 a;
  #1 let b; #1 restore r1 b;
  #0 let a_adj; #1 let b_adj;
  #2 a_adj[1usize] += scale(r_adj, b);
  #2 b_adj += scale(r_adj, a[1usize]);
  #2 zero r_adj;
  #1 x_adj += scale(b_adj, partial::sin(x));
  #0 x_adj += a_adj[0usize];
}";
    catches(mutant, &[], NotLifo);
}

#[test]
fn recorded_or_restored_without_a_value() {
    catches(
        STRAIGHT,
        &[
            (
                "#0 let a = k + 1.0f64;\n  #1 let b = exp(x * a);",
                "#1 record r0 b; #0 let a = k + 1.0f64;\n  #1 let b = exp(x * a);",
            ),
            ("#1 record r0 b;", ""),
        ],
        Undeclared,
    );
    catches(
        OVERWRITE,
        &[("#1 let result = s;", "#1 let result;")],
        Undeclared,
    );
}

#[test]
fn parts_of_another_partition() {
    // `p` and `q` are of one type, but only parts of `p` have names: their exchange moves all parts.
    let plan = "
fn f(x) -> r {
  var x: f64; var r: f64; var p: (f64, f64); var q: (f64, f64);
  var x_adj: f64 adjoint of x; var r_adj: f64 adjoint of r;
} {
  #0 let p = [x, 1.0f64]:{(f64, f64)};
  #1 let q = [2.0f64, 3.0f64]:{(f64, f64)};
  #2 swap p, q;
  #3 p.1 = 4.0f64;
  #4 r = x * p.0;
}
records { r0: value f64 on stack of #3; r1: value (f64, f64) on stack of #0; }
adjoints { x: x_adj; r: r_adj; }
restores; interface x; calls { }
forward {
  #0 let p = [x, 1.0f64]:{(f64, f64)};
  #1 let q = [2.0f64, 3.0f64]:{(f64, f64)};
  #2 swap p, q;
  #3 record r0 p.1;
  #3 p.1 = 4.0f64;
  #4 r = x * p.0;
  #0 record r1 p;
}
reverse {
  #0 let p; #0 restore r1 p;
  #4 x_adj += scale(r_adj, p.0);
  #4 zero r_adj;
  #3 restore r0 p.1;
}";
    assert_eq!(faults(plan), []);
    catches(plan, &[("restore r0 p.1", "restore r0 p.0")], WrongPlace);
}
