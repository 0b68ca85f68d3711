//! Branches, loops and labels that are retraced wrongly.

use adjoint_analysis::plan::check::FaultKind::*;

use super::super::plans::{BRANCH, BREAK, EARLY, LABEL, LEFT, PUSH, UNTIL, WHILE};
use super::catches;

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

#[test]
fn trips_of_a_loop_that_leaves_counted_wrongly() {
    catches(UNTIL, &[(" + 1usize;", ";")], WrongTrips);
    catches(UNTIL, &[("false, 2usize", "true, 2usize")], WrongTrips);
    catches(UNTIL, &[("up(0usize", "up(0usize + 2usize")], WrongTrips);
    catches(
        UNTIL,
        &[("#2 let left = true", "#2 let left = false")],
        WrongWay,
    );
}

#[test]
fn the_iteration_that_left_a_loop_taken_wrongly() {
    for (number, other) in [
        ("__ran(outer, n)", "__ran(outer, 3usize)"),
        ("__ran(outer, n)", "__ran(inner, n)"),
        ("__ran(outer, n)", "__ran(n, outer)"),
        ("__ran(inner, 3usize)", "__ran(inner, n)"),
        ("__ran(inner, 3usize)", "__ran(outer, 3usize)"),
        ("#9 inner = 0usize;", ""),
        ("#9 inner = 0usize;", "#9 inner = 1usize;"),
    ] {
        catches(LEFT, &[(number, other)], WrongTrips);
    }
    for (test, other) in [
        ("#7 if inner != 0usize", "#7 if outer != 0usize"),
        ("#7 if inner != 0usize", "#7 if inner != 1usize"),
        ("#11 if outer != 0usize", "#11 if outer == 0usize"),
        ("#15 if outer != 0usize", "#15 if outer != 2usize"),
        ("#12 outer = 0usize;", ""),
    ] {
        catches(LEFT, &[(test, other)], WrongWay);
    }
}

/// Another primal, of which both sweeps say so.
#[test]
fn a_number_that_is_not_that_of_the_iteration() {
    for number in ["j", "j + 2usize", "i + 1usize", "3usize"] {
        let number = format!("#9 inner = {number};");
        let plan = LEFT.replace("#9 inner = j + 1usize;", &number);
        catches(&plan, &[], WrongTrips);
    }
    let plan = LEFT.replace("#2 let inner = 0usize;", "#2 let inner = 1usize;");
    catches(&plan, &[], WrongTrips);
    let plan = LEFT.replace(
        "#14 s = s * 2.0f64;",
        "#14 s = s * 2.0f64; #18 inner = 2usize;",
    );
    catches(&plan, &[], WrongTrips);
    catches(&plan, &[], WrongWay);
}

/// The outer loop goes on where the inner one was left.
#[test]
fn a_flag_that_stays_set() {
    let plan = LEFT.replace("#11 if exit {", "#11 if s > 0.7f64 {");
    catches(&plan, &[], WrongTrips);
    catches(&plan, &[], WrongWay);
    let plan = LEFT.replace(
        "#14 s = s * 2.0f64;",
        "#14 s = s * 2.0f64; #18 exit = true;",
    );
    catches(&plan, &[], WrongWay);
}

#[test]
fn steps_to_a_bound_counted_wrongly() {
    let plan = LABEL.replace("while i < n", "while i != n").replace(
        "__trips_up(0usize, n, false, 1usize)",
        "__trips_to(0usize, n, true)",
    );
    catches(&plan, &[("n, true)", "n, false)")], WrongTrips);
    catches(&plan, &[("to(0usize, n", "to(n, 0usize")], WrongTrips);
    let plan = plan.replace("#4 i = i + 1usize;", "#4 i = i + 2usize;");
    catches(&plan, &[], WrongTrips);
}
