//! Each mutant has one thing wrong, and the checker says what.

use adjoint_analysis::plan::check::FaultKind::{self, *};

use super::faults;
use super::plans::{
    BRANCH, BREAK, CALL, EARLY, FRAME, LABEL, OVERWRITE, PUSH, RESIZE, STRAIGHT, WHILE,
};

/// Checks that the plan, with the changes made to it, has a fault of this kind.
#[track_caller]
fn catches(plan: &str, changes: &[(&str, &str)], kind: FaultKind) {
    let mut mutant = plan.to_string();
    for (from, to) in changes {
        // What both sweeps say is meant in the reverse one.
        let at = mutant
            .rfind(from)
            .unwrap_or_else(|| panic!("`{from}` is not in the plan"));
        mutant.replace_range(at..at + from.len(), to);
    }
    let found = faults(&mutant);
    assert!(
        found.iter().any(|f| f.kind == kind),
        "expected {kind:?}, found {found:#?}\n{mutant}"
    );
}

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
fn wrong_arm_mirrored() {
    let exchanged = [
        (
            "#3 restore r0 s;\n      #3 s_adj = scale(s_adj, partial::sin(s));",
            "#9",
        ),
        (
            "#4 restore r1 s;\n      #4 s_adj = scale(s_adj, s + s);",
            "#3 restore r0 s;\n      #3 s_adj = scale(s_adj, partial::sin(s));",
        ),
        (
            "#9",
            "#4 restore r1 s;\n      #4 s_adj = scale(s_adj, s + s);",
        ),
    ];
    catches(WHILE, &exchanged, Mirror);
    catches(WHILE, &exchanged, Unbalanced);
}

#[test]
fn wrong_way_recorded() {
    catches(
        WHILE,
        &[("record r2 way true", "record r2 way false")],
        WrongWay,
    );
    catches(
        BRANCH,
        &[("record r1 way c", "record r1 way s < 3.0f64")],
        WrongWay,
    );
    catches(
        BRANCH,
        &[("record r1 way c", "record r1 way s < 2.0f64")],
        WrongWay,
    );
}

#[test]
fn condition_of_overwritten_operands() {
    let computed = [
        ("#1 record r1 way c;", ""),
        ("#1 let w = way r1;", ""),
        ("if w", "if s < 2.0f64"),
    ];
    catches(BRANCH, &computed, WrongWay);
}

#[test]
fn saved_condition_is_another() {
    catches(
        BRANCH,
        &[("#1 let c = s < 2.0f64", "#1 let c = s < 3.0f64")],
        NotPrimal,
    );
}

#[test]
fn way_recorded_in_one_arm() {
    catches(WHILE, &[("#2 record r2 way false;", "")], Unbalanced);
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
fn exchange_not_undone() {
    catches(CALL, &[("#1 swap y[i], y[0usize];", "")], NotRestored);
}

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
fn loop_not_reversed() {
    catches(
        PUSH,
        &[("for i in rev 0usize..n", "for i in 0usize..n")],
        WrongTrips,
    );
}

#[test]
fn loop_with_other_bounds() {
    catches(
        PUSH,
        &[("for i in rev 0usize..n", "for i in rev 1usize..n")],
        WrongTrips,
    );
    catches(
        EARLY,
        &[(
            "for i in rev 0usize..n times trips",
            "for i in rev 0usize..n",
        )],
        WrongTrips,
    );
}

#[test]
fn trips_miscounted() {
    catches(WHILE, &[("let n = 0usize", "let n = 1usize")], WrongTrips);
    catches(WHILE, &[("n = n + 1usize", "n = n + 2usize")], WrongTrips);
    let one_arm = [
        ("#1 n_1 = n_1 + 1usize;", ""),
        (
            "#2 s = s * x[i];\n    #3 if s < 0.0f64 {",
            "#2 s = s * x[i];\n    #3 if s < 0.0f64 {\n      #1 n_1 = n_1 + 1usize;",
        ),
    ];
    catches(EARLY, &one_arm, WrongTrips);
}

#[test]
fn count_recorded_inside_the_loop() {
    let moved = [
        ("#1 record r3 way n;", ""),
        (
            "#1 n = n + 1usize;",
            "#1 n = n + 1usize; #1 record r3 way n;",
        ),
    ];
    catches(WHILE, &moved, Unbalanced);
}

#[test]
fn break_without_the_records_of_the_blocks_around() {
    catches(
        BREAK,
        &[("#2 record r3 e;\n      #5 break;", "#5 break;")],
        BreakPath,
    );
    catches(BREAK, &[("#3 record r2 way true;", "")], Unbalanced);
    catches(
        BREAK,
        &[("    }\n    #2 record r3 e;", "    }")],
        Unbalanced,
    );
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

#[test]
fn a_label_that_tells_another_way() {
    catches(LABEL, &[("left == 0u8", "left == 1u8")], WrongWay);
    catches(LABEL, &[("left == 1u8", "left == 2u8")], WrongWay);
    catches(LABEL, &[("left == 1u8", "left != 0u8")], WrongWay);
}

#[test]
fn a_label_that_is_not_put_back() {
    catches(LABEL, &[("#9 left = 2u8;", "")], WrongWay);
    catches(LABEL, &[("#14 left = 2u8;", "#14 left = 0u8;")], WrongWay);
}

#[test]
fn a_label_that_is_taken_for_known() {
    let constant = [
        ("#5 record r1 left;", ""),
        ("#5 let left;", "#5 let left = 0u8;"),
        ("#5 restore r1 left;", ""),
    ];
    catches(LABEL, &constant, WrongWay);
}

#[test]
fn trips_counted_wrongly() {
    catches(LABEL, &[("false, 1usize", "true, 1usize")], WrongTrips);
    catches(LABEL, &[("false, 1usize", "false, 2usize")], WrongTrips);
    catches(LABEL, &[("up(0usize", "up(1usize")], WrongTrips);
    catches(LABEL, &[("__trips_up", "__trips_down")], WrongTrips);
}
