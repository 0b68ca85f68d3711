//! Calls, closures and generic functions.

use expect_test::expect;

use crate::print::{check, check_module};

#[test]
fn a_call() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                g(x * x) + g(x)
            }
        "#,
        expect![[r#"
        fn f(x) -> ret {
          var x: f64;
          var ret: f64;
          var value: f64 temp;
          var value_2: f64 temp;
          var t: f64 temp;
        }
        {
          #0 let value = call g $0(x * x);
          #2 let t = value;
          #1 let value_2 = call g $1(x);
          #3 ret = t + value_2;
        }
        // $0 []: g
        // $1 []: g
    "#]],
    );
}

#[test]
fn a_call_that_writes() {
    check(
        r#"
            fn f(x: &mut [f64]) -> f64 {
                let n = x.len();
                step(&mut x[1..n], 0.1);
                x[0]
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &mut [f64];
              var ret: f64;
              var n: usize;
              var value: _ temp;
            }
            {
              #0 let n = len(x);
              #1 call step $0(&mut x[1usize..n], 0.1:_);
              #2 ret = x[0usize];
            }
            // $0 []: step
        "#]],
    );
}

#[test]
fn a_closure_is_inlined() {
    check(
        r#"
            fn f(x: f64, k: f64) -> f64 {
                let g = |v: f64| v * k;
                g(g(x))
            }
        "#,
        expect![[r#"
            fn f(x, k) -> ret {
              var x: f64;
              var k: f64;
              var ret: f64;
              var v: f64;
              var v_2: f64;
            }
            {
              #0 let v = x;
              #1 let v_2 = v * k;
              #2 ret = v_2 * k;
            }
        "#]],
    );
}

#[test]
fn a_closure_that_writes() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                let mut s = 0.0;
                let mut add = |v: f64| s += v * v;
                add(x[0]);
                add(x[1]);
                s
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var s: f64;
              var v: f64;
              var v_2: f64;
            }
            {
              #0 let s = 0.0f64;
              #1 let v = x[0usize];
              #2 s += v * v;
              #3 let v_2 = x[1usize];
              #4 s += v_2 * v_2;
              #5 ret = s;
            }
        "#]],
    );
}

#[test]
fn a_generic_float() {
    check(
        r#"
            fn f<T: Float>(x: T, y: T) -> T {
                (x * y + T::one()).sqrt()
            }
        "#,
        expect![[r#"
            fn f(x, y) -> ret {
              types T;
              var x: T;
              var y: T;
              var ret: T;
            }
            {
              #0 ret = sqrt(x * y + 1.0:T);
            }
        "#]],
    );
}

#[test]
fn a_type_parameter_that_is_a_function() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                fn newton<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
                    x - f(x)
                }
                pub fn g(x: f64, k: f64) -> f64 {
                    newton(|v| v * v - k, x)
                }
            }
        "#,
        expect![[r#"
            fn newton(f, x) -> ret {
              var f: discrete "F";
              var x: f64;
              var ret: f64;
              var value: f64 temp;
              var t: f64 temp;
            }
            {
              #1 let t = x;
              #0 let value = call f $0(x);
              #2 ret = t - value;
            }
            // $0 []: f

            fn g(x, k) -> ret {
              var x: f64;
              var k: f64;
              var ret: f64;
              var x_2: f64;
              var v: f64;
            }
            {
              #0 let x_2 = x;
              #1 let v = x_2;
              #2 ret = x_2 - (v * v - k);
            }
        "#]],
    );
}

#[test]
fn a_function_that_returns_a_reference_is_inlined() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                fn larger<'a>(a: &'a [f64], b: &'a [f64]) -> &'a [f64] {
                    if a[0] > b[0] { a } else { b }
                }
                pub fn g(a: &[f64], b: &[f64]) -> f64 {
                    larger(a, b)[1] * a[0]
                }
            }
        "#,
        expect![[r#"
            fn larger(a, b) -> ret {
              var a: &[f64];
              var b: &[f64];
              var ret: [f64];
              var chosen_to: [f64];
              var chosen: [f64];
              var chosen_is: u8;
            }
            {
              #5 let chosen_is = 0u8;
              #3 if a[0usize] > b[0usize] {
                #6 chosen_is = 0u8;
              } else {
                #7 chosen_is = 1u8;
              }
              #9 if chosen_is == 0u8 {
                #4 ret:{_} = a;
              } else {
                #8 ret:{_} = b;
              }
            }

            fn g(a, b) -> ret {
              var a: &[f64];
              var b: &[f64];
              var ret: f64;
              var chosen_to: [f64];
              var chosen: [f64];
              var chosen_is: u8;
            }
            {
              #5 let chosen_is = 0u8;
              #3 if a[0usize] > b[0usize] {
                #6 chosen_is = 0u8;
              } else {
                #7 chosen_is = 1u8;
              }
              #9 if chosen_is == 0u8 {
                #4 ret = a[1usize] * a[0usize];
              } else {
                #8 ret = b[1usize] * a[0usize];
              }
            }
        "#]],
    );
}

#[test]
fn a_function_with_a_name() {
    check(
        r#"
            fn f(x: f64, smooth: bool) -> f64 {
                let act: fn(f64) -> f64 = if smooth { f64::tanh } else { f64::abs };
                act(x)
            }
        "#,
        expect![[r#"
            fn f(x, smooth) -> ret {
              var x: f64;
              var smooth: bool;
              var ret: f64;
              var value: usize temp;
              var __choice: usize;
              var argument_0: f64;
              var on: usize temp;
              var argument_0_2: f64;
              var argument_0_3: f64;
              var value_2: f64 temp;
            }
            {
              #0 let value = 0usize;
              #3 if smooth {
                #1 value = 0usize;
              } else {
                #2 value = 1usize;
              }
              #4 let __choice = value;
              #5 let argument_0 = x;
              #6 let on = __choice;
              #9 let value_2 = 0.0f64;
              #12 if on == 0usize {
                #7 let argument_0_2 = argument_0;
                #10 value_2 = tanh(argument_0_2);
              } else {
                #8 let argument_0_3 = argument_0;
                #11 value_2 = abs(argument_0_3);
              }
              #13 ret = value_2;
            }
        "#]],
    );
}

#[test]
fn recursion() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                pub fn power(x: f64, n: u32) -> f64 {
                    if n == 0 { 1.0 } else { x * power(x, n - 1) }
                }
            }
        "#,
        expect![[r#"
            fn power(x, n) -> ret {
              var x: f64;
              var n: u32;
              var ret: f64;
              var value: f64 temp;
              var t: f64 temp;
              var value_2: f64 temp;
            }
            {
              #2 let value_2 = 0.0f64;
              #5 if n == 0u32 {
                #3 value_2 = 1.0f64;
              } else {
                #1 let t = x;
                #0 let value = call power $0(x, n - 1u32);
                #4 value_2 = t * value;
              }
              #6 ret = value_2;
            }
            // $0 []: power
        "#]],
    );
}
