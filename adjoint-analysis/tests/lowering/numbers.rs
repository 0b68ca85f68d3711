//! Numbers: literals, operators, methods, casts.

use expect_test::expect;

use crate::print::check;

#[test]
fn literals_take_the_type_of_their_context() {
    check(
        r#"
            fn f(x: f32) -> f32 {
                2.0 * x + 1e-3
            }
        "#,
        expect![[r#"
        fn f(x) -> ret {
          var x: f32;
          var ret: f32;
        }
        {
          #0 ret = 2.0f32 * x + 1e-3f32;
        }
    "#]],
    );
}

#[test]
fn integers_in_floats_are_casts() {
    check(
        r#"
            fn f(x: f64, n: usize) -> f64 {
                x / n as f64
            }
        "#,
        expect![[r#"
            fn f(x, n) -> ret {
              var x: f64;
              var n: usize;
              var ret: f64;
            }
            {
              #0 ret = x / (n as f64);
            }
        "#]],
    );
}

#[test]
fn compound_assignment() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let mut y = x;
                y += x;
                y -= 2.0;
                y *= x;
                y /= 3.0;
                y
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
              var y: f64;
            }
            {
              #0 let y = x;
              #1 y += x;
              #2 y += -2.0f64;
              #3 y = y * x;
              #4 y = y / 3.0f64;
              #5 ret = y;
            }
        "#]],
    );
}

#[test]
fn methods_are_intrinsics() {
    check(
        r#"
            fn f(x: f64, y: f64) -> f64 {
                x.sin().powi(3) + x.hypot(y).max(0.0) + f64::exp(y)
            }
        "#,
        expect![[r#"
            fn f(x, y) -> ret {
              var x: f64;
              var y: f64;
              var ret: f64;
            }
            {
              #0 ret = powi(sin(x), 3i32) + max(hypot(x, y), 0.0f64) + exp(y);
            }
        "#]],
    );
}

#[test]
fn sin_cos_is_a_pair() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let (s, c) = x.sin_cos();
                s * c
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
              var t: f64 temp;
              var t_2: f64 temp;
              var s: f64;
              var c: f64;
            }
            {
              #0 let t = sin(x);
              #1 let t_2 = cos(x);
              #2 let s = t;
              #3 let c = t_2;
              #4 ret = s * c;
            }
        "#]],
    );
}

#[test]
fn integers_are_discrete() {
    check(
        r#"
            fn f(x: &[f64], n: usize) -> f64 {
                let k = n / 2 + (n % 3).pow(2);
                x[k.min(x.len() - 1)]
            }
        "#,
        expect![[r#"
            fn f(x, n) -> ret {
              var x: &[f64];
              var n: usize;
              var ret: f64;
              var k: usize;
            }
            {
              #0 let k = n / 2usize + pure::pow(n % 3usize, 2u32):{usize};
              #1 ret = x[pure::min(k, len(x) - 1usize):{usize}];
            }
        "#]],
    );
}

#[test]
fn constants_of_the_body() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                const K: f64 = 3.0;
                K * x + std::f64::consts::PI
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
            }
            {
              #0 ret = $0():{f64} * x + $1():{f64};
            }
            // $0 []: K
            // $1 []: std :: f64 :: consts :: PI
        "#]],
    );
}
