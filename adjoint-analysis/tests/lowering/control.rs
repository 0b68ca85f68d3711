//! Branches, loops and the ways out of them.

use expect_test::expect;

use crate::print::check;

#[test]
fn if_as_a_value() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                if x > 0.0 { x * x } else { -x }
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
              var value: f64 temp;
            }
            {
              #0 let value = 0.0f64;
              #3 if x > 0.0f64 {
                #1 value = x * x;
              } else {
                #2 value = -x;
              }
              #4 ret = value;
            }
        "#]],
    );
}

#[test]
fn else_if_chain() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let y;
                if x > 1.0 {
                    y = x
                } else if x > 0.0 {
                    y = 2.0 * x
                } else {
                    y = 0.0
                }
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
              #0 let y = 0.0f64;
              #5 if x > 1.0f64 {
                #1 y = x;
              } else {
                #4 if x > 0.0f64 {
                  #2 y = 2.0f64 * x;
                } else {
                  #3 y = 0.0f64;
                }
              }
              #6 ret = y;
            }
        "#]],
    );
}

#[test]
fn match_on_integers() {
    check(
        r#"
            fn f(x: f64, k: i32) -> f64 {
                match k {
                    0 => x,
                    1 | 2 => x * x,
                    n if n < 0 => -x,
                    _ => 0.0,
                }
            }
        "#,
        expect![[r#"
            fn f(x, k) -> ret {
              var x: f64;
              var k: i32;
              var ret: f64;
              var on: i32 temp;
              var n: i32;
              var n_2: i32;
              var value: f64 temp;
            }
            {
              #0 let on = k;
              #3 let value = 0.0f64;
              #10 if on == 0i32 {
                #9 value = x;
              } else {
                #8 if on == 1i32 || on == 2i32 {
                  #7 value = x * x;
                } else {
                  #1 let n = on;
                  #6 if n < 0i32 {
                    #2 let n_2 = on;
                    #4 value = -x;
                  } else {
                    #5 value = 0.0f64;
                  }
                }
              }
              #11 ret = value;
            }
        "#]],
    );
}

#[test]
fn match_on_ranges() {
    check(
        r#"
            fn f(x: f64, k: u8) -> f64 {
                match k {
                    0..=9 => x,
                    10.. => x * x,
                }
            }
        "#,
        expect![[r#"
            fn f(x, k) -> ret {
              var x: f64;
              var k: u8;
              var ret: f64;
              var on: u8 temp;
              var value: f64 temp;
            }
            {
              #0 let on = k;
              #1 let value = 0.0f64;
              #4 if on >= 0u8 && on <= 9u8 {
                #2 value = x;
              } else {
                #3 value = x * x;
              }
              #5 ret = value;
            }
        "#]],
    );
}

#[test]
fn for_over_a_range() {
    check(
        r#"
            fn f(x: &[f64], n: usize) -> f64 {
                let mut s = 0.0;
                for i in 0..n {
                    s += x[i] * x[i];
                }
                s
            }
        "#,
        expect![[r#"
            fn f(x, n) -> ret {
              var x: &[f64];
              var n: usize;
              var ret: f64;
              var s: f64;
              var i: usize;
            }
            {
              #0 let s = 0.0f64;
              #2 for i in 0usize..n {
                #1 s += x[i] * x[i];
              }
              #3 ret = s;
            }
        "#]],
    );
}

#[test]
fn for_over_a_range_in_reverse() {
    check(
        r#"
            fn f(x: &mut [f64]) {
                for i in (1..x.len()).rev() {
                    x[i - 1] *= x[i];
                }
            }
        "#,
        expect![[r#"
            fn f(x) {
              var x: &mut [f64];
              var at: usize temp;
              var i: usize;
            }
            {
              #0 let at = len(x);
              #2 for i in 1usize..at rev {
                #1 x[i - 1usize] = x[i - 1usize] * x[i];
              }
            }
        "#]],
    );
}

#[test]
fn while_loop() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let mut y = x;
                while y > 1.0 {
                    y = y.sqrt() - 0.1;
                }
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
              #2 while y > 1.0f64 {
                #1 y = sqrt(y) - 0.1f64;
              }
              #3 ret = y;
            }
        "#]],
    );
}

#[test]
fn loop_with_break_value() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let mut y = x;
                let z = loop {
                    y *= x;
                    if y > 10.0 {
                        break 2.0 * y;
                    }
                };
                z
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
              var y: f64;
              var value: f64 temp;
              var z: f64;
            }
            {
              #9 ret = 0.0f64;
              #0 let y = x;
              #1 let value = 0.0f64;
              #5 loop {
                #2 y = y * x;
                #4 if y > 10.0f64 {
                  #3 value = 2.0f64 * y;
                  #8 break;
                }
              }
              #6 let z = value;
              #7 ret = z;
            }
        "#]],
    );
}

#[test]
fn continue_in_a_loop() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                let mut s = 0.0;
                for &v in x {
                    if v < 0.0 {
                        continue;
                    }
                    s += v.sqrt();
                }
                s
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var s: f64;
              var at: usize temp;
              var k: usize;
              var v: f64;
            }
            {
              #0 let s = 0.0f64;
              #1 let at = len(x);
              #5 for k in 0usize..at {
                #2 let v = x[k];
                #3 if v < 0.0f64 {
                } else {
                  #4 s += sqrt(v);
                }
              }
              #6 ret = s;
            }
        "#]],
    );
}

#[test]
fn labelled_break() {
    check(
        r#"
            fn f(x: &[f64], n: usize) -> f64 {
                let mut s = 0.0;
                'outer: for i in 0..n {
                    for j in 0..n {
                        if x[j] > x[i] {
                            break 'outer;
                        }
                        s += x[i] * x[j];
                    }
                }
                s
            }
        "#,
        expect![[r#"
            fn f(x, n) -> ret {
              var x: &[f64];
              var n: usize;
              var ret: f64;
              var s: f64;
              var i: usize;
              var j: usize;
              var exit: bool label;
            }
            {
              #11 ret = 0.0f64;
              #0 let s = 0.0f64;
              #4 for i in 0usize..n {
                #6 let exit = false;
                #3 for j in 0usize..n {
                  #1 if x[j] > x[i] {
                    #7 exit = true;
                    #9 break;
                  } else {
                    #2 s += x[i] * x[j];
                  }
                }
                #8 if exit {
                  #10 break;
                }
              }
              #5 ret = s;
            }
        "#]],
    );
}

#[test]
fn early_return() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                if x < 0.0 {
                    return 0.0;
                }
                x.sqrt()
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
            }
            {
              #1 if x < 0.0f64 {
                #0 ret = 0.0f64;
              } else {
                #2 ret = sqrt(x);
              }
            }
        "#]],
    );
}

#[test]
fn return_in_a_loop() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                for v in x {
                    if *v > 1.0 {
                        return v * v;
                    }
                }
                0.0
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var at: usize temp;
              var k: usize;
              var exit: bool label;
            }
            {
              #9 ret = 0.0f64;
              #0 let at = len(x);
              #5 let exit = false;
              #3 for k in 0usize..at {
                #2 if x[k] > 1.0f64 {
                  #1 ret = x[k] * x[k];
                  #6 exit = true;
                  #8 break;
                }
              }
              #7 if exit {
              } else {
                #4 ret = 0.0f64;
              }
            }
        "#]],
    );
}

#[test]
fn block_with_a_label() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let y = 'b: {
                    if x > 1.0 {
                        break 'b x;
                    }
                    x * x
                };
                y
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
              var value: f64 temp;
              var y: f64;
            }
            {
              #0 let value = 0.0f64;
              #2 if x > 1.0f64 {
                #1 value = x;
              } else {
                #3 value = x * x;
              }
              #4 let y = value;
              #5 ret = y;
            }
        "#]],
    );
}

#[test]
fn let_else() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                let Some(v) = x.first() else {
                    return 0.0;
                };
                v * v
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var on_is_some: bool;
            }
            {
              #0 let on_is_some = 0usize < len(x);
              #2 if on_is_some {
                #3 ret = x[0usize] * x[0usize];
              } else {
                #1 ret = 0.0f64;
              }
            }
        "#]],
    );
}

#[test]
fn if_let_chain() {
    check(
        r#"
            fn f(x: Option<f64>, y: f64) -> f64 {
                if let Some(v) = x
                    && v > y
                {
                    v * y
                } else {
                    y
                }
            }
        "#,
        expect![[r#"
            fn f(x, y) -> ret {
              var x: Option<f64>;
              var y: f64;
              var ret: f64;
              var v: f64;
              var value: f64 temp;
              var exit: bool label;
            }
            {
              #10 ret = 0.0f64;
              #3 let value = 0.0f64;
              #7 let exit = false;
              #2 if is(x, Some) {
                #0 let v = x@Some.0;
                #1 if v > y {
                  #4 value = v * y;
                  #8 exit = true;
                }
              }
              #9 if exit {
              } else {
                #5 value = y;
              }
              #6 ret = value;
            }
        "#]],
    );
}

#[test]
fn while_let() {
    check(
        r#"
            fn f(mut x: Vec<f64>) -> f64 {
                let mut s = 0.0;
                while let Some(v) = x.pop() {
                    s += v * v;
                }
                s
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: Vec<f64>;
              var ret: f64;
              var x_2: Vec<f64>;
              var s: f64;
              var v: f64;
            }
            {
              #0 let x_2 = x;
              #1 let s = 0.0f64;
              #4 while len(x_2) != 0usize {
                #2 let v = pop x_2;
                #3 s += v * v;
              }
              #5 ret = s;
            }
        "#]],
    );
}
