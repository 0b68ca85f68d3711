//! Consumers of iterators: sums, folds, searches and what is collected.

use expect_test::expect;

use crate::print::check;

#[test]
fn map_sum() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                x.iter().map(|v| v * v).sum()
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var acc: f64 temp;
              var at: usize temp;
              var k: usize;
            }
            {
              #0 let acc = "-0.0":f64;
              #1 let at = len(x);
              #3 for k in 0usize..at {
                #2 acc += x[k] * x[k];
              }
              #4 ret = acc;
            }
        "#]],
    );
}

#[test]
fn zip_fold() {
    check(
        r#"
            fn f(x: &[f64], y: &[f64]) -> f64 {
                x.iter().zip(y).fold(0.0, |s, (a, b)| s + a * b)
            }
        "#,
        expect![[r#"
            fn f(x, y) -> ret {
              var x: &[f64];
              var y: &[f64];
              var ret: f64;
              var acc: f64 temp;
              var at: usize temp;
              var k: usize;
              var s: f64;
            }
            {
              #0 let acc = 0.0f64;
              #1 let at = pure::min(len(x), len(y)):{usize};
              #4 for k in 0usize..at {
                #2 let s = acc;
                #3 acc = s + x[k] * y[k];
              }
              #5 ret = acc;
            }
        "#]],
    );
}

#[test]
fn collect() {
    check(
        r#"
            fn f(x: &[f64]) -> Vec<f64> {
                x.iter().map(|v| v * v).collect()
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: Vec<f64>;
              var at: usize temp;
              var all: Vec<f64> temp;
              var at_2: usize temp;
              var k: usize;
            }
            {
              #0 let at = len(x);
              #1 let all = [0.0f64; at]:{Vec<f64>};
              #2 let at_2 = len(x);
              #4 for k in 0usize..at_2 {
                #3 all[k] = x[k] * x[k];
              }
              #5 ret = all;
            }
        "#]],
    );
}

#[test]
fn extrema() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                x.iter().copied().fold(f64::MIN, f64::max) * x.iter().min_by(|a, b| a.total_cmp(b)).unwrap()
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var acc: f64 temp;
              var at: usize temp;
              var k: usize;
              var at_2: usize temp;
              var test: bool temp;
              var best: usize;
              var at_3: usize temp;
              var k_2: usize;
              var at_4: usize temp;
              var at_5: usize temp;
              var t: f64 temp;
            }
            {
              #0 let acc = $0():{f64};
              #1 let at = len(x);
              #3 for k in 0usize..at {
                #2 acc = max(acc, x[k]);
              }
              #15 let t = acc;
              #4 let at_2 = len(x);
              #5 let test = at_2 > 0usize;
              #6 let best = 0usize;
              #7 let at_3 = pure::saturating_sub(len(x), 1usize):{usize};
              #12 for k_2 in 0usize..at_3 {
                #8 let at_4 = k_2 + 1usize;
                #9 let at_5 = best;
                #11 if pure::is_gt(pure::total_cmp(x[at_5], x[at_4]):{discrete "::core::cmp::Ordering"}):{bool} {
                  #10 best = at_4;
                }
              }
              #14 if !test {
                #13 passive $1();
              }
              #16 ret = t * x[best];
            }
            // $0 []: f64 :: MIN
            // $1 []: { :: core :: option :: Option :: < () > :: None . unwrap () ; }
        "#]],
    );
}

#[test]
fn find_position_any() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                let k = x.iter().position(|v| *v > 1.0).unwrap_or(0);
                let v = x.iter().find(|v| **v < 0.0);
                if x.iter().any(|v| *v > 2.0) {
                    x[k]
                } else {
                    v.map_or(0.0, |v| v * v)
                }
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var found: bool;
              var position: usize;
              var at: usize temp;
              var k: usize;
              var value: usize temp;
              var k_2: usize;
              var found_2: bool;
              var position_2: usize;
              var at_2: usize temp;
              var k_3: usize;
              var v_is_some: bool;
              var at_3: usize temp;
              var found_3: bool;
              var at_4: usize temp;
              var k_4: usize;
              var value_2: f64 temp;
            }
            {
              #36 ret = 0.0f64;
              #0 let found = false;
              #1 let position = 0usize;
              #2 let at = len(x);
              #6 for k in 0usize..at {
                #5 if x[k] > 1.0f64 {
                  #3 position = k;
                  #4 found = true;
                  #33 break;
                }
              }
              #7 let value = 0usize;
              #10 if found {
                #8 value = position;
              } else {
                #9 value = 0usize;
              }
              #11 let k_2 = value;
              #12 let found_2 = false;
              #13 let position_2 = 0usize;
              #14 let at_2 = len(x);
              #18 for k_3 in 0usize..at_2 {
                #17 if x[k_3] < 0.0f64 {
                  #15 position_2 = k_3;
                  #16 found_2 = true;
                  #34 break;
                }
              }
              #19 let v_is_some = found_2;
              #20 let at_3 = position_2;
              #21 let found_3 = false;
              #22 let at_4 = len(x);
              #25 for k_4 in 0usize..at_4 {
                #24 if x[k_4] > 2.0f64 {
                  #23 found_3 = true;
                  #35 break;
                }
              }
              #26 let value_2 = 0.0f64;
              #31 if found_3 {
                #30 value_2 = x[k_2];
              } else {
                #29 if v_is_some {
                  #27 value_2 = x[at_3] * x[at_3];
                } else {
                  #28 value_2 = 0.0f64;
                }
              }
              #32 ret = value_2;
            }
        "#]],
    );
}

#[test]
fn try_fold() {
    check(
        r#"
            fn f(x: &[f64]) -> Option<f64> {
                x.iter().try_fold(1.0, |p, v| (*v > 0.0).then_some(p * v))
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: Option<f64>;
              var acc: f64 temp;
              var whole: bool;
              var at: usize temp;
              var k: usize;
              var p: f64;
              var test: bool temp;
              var t: f64 temp;
              var value: f64 temp;
              var value_is: bool temp;
              var test_2: bool temp;
            }
            {
              #21 ret = variant::None():{Option<f64>};
              #0 let acc = 1.0f64;
              #1 let whole = true;
              #2 let at = len(x);
              #15 for k in 0usize..at {
                #3 let p = acc;
                #4 let test = x[k] > 0.0f64;
                #5 let t = p * x[k];
                #6 let value = 0.0f64;
                #7 let value_is = false;
                #11 if test {
                  #8 value = t;
                  #9 value_is = true;
                } else {
                  #10 value_is = false;
                }
                #14 if value_is {
                  #12 acc = value;
                } else {
                  #13 whole = false;
                  #20 break;
                }
              }
              #16 let test_2 = whole;
              #19 if test_2 {
                #17 ret = variant::Some(0: acc):{Option<f64>};
              } else {
                #18 ret = variant::None():{Option<f64>};
              }
            }
        "#]],
    );
}
