//! What unrolling and scalar replacement make of functions.

use adjoint_analysis::ir::validate::validate;
use adjoint_analysis::ir::{Func, StmtId};
use adjoint_analysis::passes::flattening::scalars;
use adjoint_analysis::passes::flattening::unroll::unroll;
use adjoint_analysis::plan::flattening::SHORT;
use adjoint_analysis::text::parse;

/// The statements of a function with a transformation, which is valid.
fn transformed(
    declarations: &str,
    statements: &str,
    transform: impl Fn(Func, &mut Vec<StmtId>) -> Func,
) -> Vec<String> {
    let text = format!("fn f(x, n) -> ret {{ {declarations} }} {{ {statements} }}");
    let func = parse::func(&text).expect("a function");
    let mut last = 0;
    func.body.walk(&mut |s| last = last.max(s.id.0));
    let mut origins = (0..=last).map(StmtId).collect();
    let func = transform(func, &mut origins);
    assert_eq!(validate(&func), []);
    let mut ids = Vec::new();
    func.body.walk(&mut |s| ids.push(s.id));
    ids.sort();
    let distinct = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), distinct, "{func}");
    assert!(ids.iter().all(|id| id.index() < origins.len()), "{func}");
    let text = func.to_string();
    let (_, body) = text.split_once("}\n{\n").expect("a body");
    let lines = body.lines().map(|line| match line.trim().split_once(' ') {
        Some((id, rest)) if id.starts_with('#') => rest.to_string(),
        _ => line.trim().to_string(),
    });
    lines
        .filter(|line| !line.is_empty() && line != "}")
        .collect()
}

const LOOP: &str = "var x: &[f64]; var n: usize; var ret: f64;
    var s: f64; var i: usize index; var t: f64; var j: usize index;";

#[test]
fn short_loops_are_unrolled_with_variables_of_their_own() {
    let found = transformed(
        LOOP,
        "#0 let s = 0.0f64; #1 for i in 0usize..3usize { #2 let t = x[i + 1usize] * s; \
         #3 if i == 1usize { #4 s += t; } else { #5 s += t * t; } } #6 ret = s;",
        |func, origins| unroll(func, origins, SHORT),
    );
    assert_eq!(
        found,
        [
            "let s = 0.0f64;",
            "let t = x[1usize] * s;",
            "s += t * t;",
            "let t_in_1 = x[2usize] * s;",
            "s += t_in_1;",
            "let t_in_2 = x[3usize] * s;",
            "s += t_in_2 * t_in_2;",
            "ret = s;",
        ]
    );
}

#[test]
fn bounds_of_inner_loops_may_be_outer_indices() {
    let found = transformed(
        LOOP,
        "#0 let s = 0.0f64; #1 for i in 0usize..3usize rev { #2 for j in 0usize..i { \
         #3 s += x[i] * x[j]; } } #4 ret = s;",
        |func, origins| unroll(func, origins, SHORT),
    );
    assert_eq!(
        found,
        [
            "let s = 0.0f64;",
            "s += x[2usize] * x[0usize];",
            "s += x[2usize] * x[1usize];",
            "s += x[1usize] * x[0usize];",
            "ret = s;",
        ]
    );
}

#[test]
fn other_loops_stay_with_unrolled_ones_in_them() {
    let found = transformed(
        LOOP,
        "#0 let s = 0.0f64; #1 for i in 0usize..n { #2 for j in 0usize..2usize { \
         #3 let t = x[i]; #4 s += t * x[j]; } } #5 ret = s;",
        |func, origins| unroll(func, origins, SHORT),
    );
    assert_eq!(
        found,
        [
            "let s = 0.0f64;",
            "for i in 0usize..n {",
            "let t = x[i];",
            "s += t * x[0usize];",
            "let t_in_1 = x[i];",
            "s += t_in_1 * x[1usize];",
            "ret = s;",
        ]
    );
}

#[test]
fn long_loops_and_those_that_something_leaves_are_not_unrolled() {
    for body in [
        "for i in 0usize..5usize { #2 s += x[i]; }",
        "for i in 0usize..n { #2 s += x[i]; }",
        "for i in 0usize..3usize { #2 s += x[i]; #3 if s > 1.0f64 { #4 break; } }",
    ] {
        let statements = format!("#0 let s = 0.0f64; #1 {body} #9 ret = s;");
        let found = transformed(LOOP, &statements, |func, origins| {
            unroll(func, origins, SHORT)
        });
        assert!(found[1].starts_with("for i"), "{found:?}");
    }
}

const ARRAYS: &str = "var x: &[f64]; var n: usize; var ret: f64;
    var a: [f64; 2]; var b: [f64; 2]; var m: [[f64; 2]; 2];";

#[test]
fn arrays_with_literal_indices_become_variables() {
    let found = transformed(
        ARRAYS,
        "#0 let a = [x[0usize], x[1usize]]:{[f64; 2]}; #1 let b = a; #2 b[1usize] += a[0usize]; \
         #3 a = [a[1usize], a[0usize]]:{[f64; 2]}; #4 ret = a[0usize] * b[1usize];",
        scalars::replace,
    );
    assert_eq!(
        found,
        [
            "let a_at_0 = x[0usize];",
            "let a_at_1 = x[1usize];",
            "let b_at_0 = a_at_0;",
            "let b_at_1 = a_at_1;",
            "b_at_1 += a_at_0;",
            "let a_at_0_2 = a_at_1;",
            "let a_at_1_2 = a_at_0;",
            "a_at_0 = a_at_0_2;",
            "a_at_1 = a_at_1_2;",
            "ret = a_at_0 * b_at_1;",
        ]
    );
}

#[test]
fn elements_may_be_arrays() {
    let found = transformed(
        ARRAYS,
        "#0 let a = [0.0f64; 2usize]:{[f64; 2]}; #1 let m = [a, a]:{[[f64; 2]; 2]}; \
         #2 m[1usize][0usize] = x[n]; #3 ret = m[1usize][0usize];",
        scalars::replace,
    );
    let text = found.join(" ");
    assert!(text.contains("let a_at_0 = 0.0f64;"), "{text}");
    assert!(
        text.contains("m_at_1_at_0 = x[n]; ret = m_at_1_at_0;"),
        "{text}"
    );
}

#[test]
fn arrays_with_other_indices_stay() {
    for use_ in ["a[n] = 1.0f64;", "a[2usize] = 1.0f64;"] {
        let statements =
            format!("#0 let a = [0.0f64; 2usize]:{{[f64; 2]}}; #1 {use_} #2 ret = a[0usize];");
        let found = transformed(ARRAYS, &statements, scalars::replace);
        assert_eq!(found[2], "ret = a[0usize];");
    }
}
