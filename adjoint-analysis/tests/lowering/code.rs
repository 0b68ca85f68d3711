//! What the IR does not look into: macros, texts, constants of other types; and what is refused.

use expect_test::expect;

use crate::print::{check, check_module};

#[test]
fn assertions_are_run() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                assert!(x > 0.0, "x = {x}");
                debug_assert!(x < 9.0);
                x.ln()
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
            }
            {
              #0 passive $0(x);
              #1 passive $1(x);
              #2 ret = ln(x);
            }
            // $0 [Borrow]: assert ! ((* __place_0) > 0.0 , "x = {x}" , x = (* __place_0))
            // $1 [Borrow]: debug_assert ! ((* __place_0) < 9.0)
        "#]],
    );
}

#[test]
fn output_is_run() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                println!("{x} {}", x * x);
                x
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
            }
            {
              #0 passive $0(x);
              #1 ret = x;
            }
            // $0 [Borrow]: println ! ("{x} {}" , (* __place_0) * (* __place_0) , x = (* __place_0))
        "#]],
    );
}

#[test]
fn texts_are_discrete() {
    check(
        r#"
            fn f(kind: &str, x: f64) -> f64 {
                if kind == "square" { x * x } else { x }
            }
        "#,
        expect![[r#"
            fn f(kind, x) -> ret {
              var kind: &discrete "str";
              var x: f64;
              var ret: f64;
              var value: f64 temp;
            }
            {
              #0 let value = 0.0f64;
              #3 if $1(kind):{discrete "&str"} == $0():{discrete "&str"} {
                #1 value = x * x;
              } else {
                #2 value = x;
              }
              #4 ret = value;
            }
            // $0 []: "square"
            // $1 [Borrow]: __place_0
        "#]],
    );
}

#[test]
fn a_constant_of_another_type() {
    check_module(
        r#"
            #[adjoint(wrt(x))]
            fn f(x: &[f64], data: &Array2<f64>) -> f64 {
                let mut s = 0.0;
                for i in 0..x.len() {
                    s += data[[i, 0]] * x[i];
                }
                s
            }
        "#,
        expect![[r#"
            fn f(x, data) -> ret {
              var x: &[f64];
              var data: &named "Array2 < f64 >";
              var ret: f64;
              var s: f64;
              var at: usize temp;
              var i: usize;
            }
            {
              #2 passive $0();
              #0 let s = 0.0f64;
              #1 let at = len(x);
              #4 for i in 0usize..at {
                #3 s += data[[i, 0usize]:{[usize; 2]}]:{f64} * x[i];
              }
              #5 ret = s;
            }
            // $0 []: :: adjoint :: __private :: demand :: sequence :: < Array2 < f64 >, (usize , usize ,) > ()
        "#]],
    );
}

#[test]
fn unsafe_is_refused() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                unsafe { *x.get_unchecked(0) }
            }
        "#,
        expect![[r#"
            // f: Expression("an `unsafe` block") at `unsafe { *x.get_unchecked(0) }`
        "#]],
    );
}

#[test]
fn a_returned_closure_is_refused() {
    check(
        r#"
            fn f(x: f64) -> impl Fn(f64) -> f64 {
                move |y| x * y
            }
        "#,
        expect![[r#"
            // f: Closure at `move |y| x * y`
        "#]],
    );
}

#[test]
fn async_is_refused() {
    check(
        r#"
            async fn f(x: f64) -> f64 {
                x * x
            }
        "#,
        expect![[r#"
        // f: FunctionKind("`async`") at `async`
    "#]],
    );
}
