//! Iterators: producers, adapters, consumers.

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
fn enumerate_and_rev() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                let mut s = 0.0;
                for (i, v) in x.iter().enumerate().rev() {
                    s = s * v + i as f64;
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
              var at_2: usize temp;
              var i: usize;
            }
            {
              #0 let s = 0.0f64;
              #1 let at = len(x);
              #5 for k in 0usize..at {
                #2 let at_2 = len(x) - 1usize - k;
                #3 let i = at_2;
                #4 s = s * x[at_2] + (i as f64);
              }
              #6 ret = s;
            }
        "#]],
    );
}

#[test]
fn iter_mut() {
    check(
        r#"
            fn f(x: &mut [f64], k: f64) {
                for v in x.iter_mut() {
                    *v *= k;
                }
            }
        "#,
        expect![[r#"
            fn f(x, k) {
              var x: &mut [f64];
              var k: f64;
              var at: usize temp;
              var k_2: usize;
            }
            {
              #0 let at = len(x);
              #2 for k_2 in 0usize..at {
                #1 x[k_2] = x[k_2] * k;
              }
            }
        "#]],
    );
}

#[test]
fn filter_is_a_stream() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                x.iter().filter(|v| **v > 0.0).map(|v| v.ln()).product()
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
              #0 let acc = 1.0f64;
              #1 let at = len(x);
              #4 for k in 0usize..at {
                #3 if x[k] > 0.0f64 {
                  #2 acc = acc * ln(x[k]);
                }
              }
              #5 ret = acc;
            }
        "#]],
    );
}

#[test]
fn windows_and_chunks() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                x.windows(2).map(|w| w[1] - w[0]).sum::<f64>()
                    + x.chunks_exact(3).map(|c| c[0] * c[2]).sum::<f64>()
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
              var acc_2: f64 temp;
              var at_3: usize temp;
              var k_2: usize;
              var at_4: usize temp;
              var at_5: usize temp;
              var t: f64 temp;
            }
            {
              #0 let acc = "-0.0":f64;
              #1 let at = pure::saturating_sub(len(x) + 1usize, 2usize):{usize};
              #4 for k in 0usize..at {
                #2 let at_2 = k + 2usize;
                #3 acc += x[k..at_2][1usize] - x[k..at_2][0usize];
              }
              #11 let t = acc;
              #5 let acc_2 = "-0.0":f64;
              #6 let at_3 = len(x) / 3usize;
              #10 for k_2 in 0usize..at_3 {
                #7 let at_4 = k_2 * 3usize;
                #8 let at_5 = at_4 + 3usize;
                #9 acc_2 += x[at_4..at_5][0usize] * x[at_4..at_5][2usize];
              }
              #12 ret = t + acc_2;
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
fn chain_skip_take_step_by() {
    check(
        r#"
            fn f(x: &[f64], y: &[f64]) -> f64 {
                x.iter()
                    .skip(1)
                    .chain(y.iter().take(2))
                    .map(|v| v * v)
                    .sum::<f64>()
                    + (0..x.len()).step_by(2).map(|i| x[i]).sum::<f64>()
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
              var at_2: usize temp;
              var at_3: usize temp;
              var k_2: usize;
              var at_4: usize temp;
              var acc_2: f64 temp;
              var at_5: usize temp;
              var k_3: usize;
              var i: usize;
              var t: f64 temp;
            }
            {
              #0 let acc = "-0.0":f64;
              #1 let at = pure::saturating_sub(len(x), 1usize):{usize};
              #4 for k in 0usize..at {
                #2 let at_2 = k + 1usize;
                #3 acc += x[at_2] * x[at_2];
              }
              #5 let at_3 = pure::min(len(y), 2usize):{usize};
              #7 for k_2 in 0usize..at_3 {
                #6 acc += y[k_2] * y[k_2];
              }
              #14 let t = acc;
              #8 let at_4 = len(x);
              #9 let acc_2 = "-0.0":f64;
              #10 let at_5 = pure::__trips(0usize, at_4, false, 2usize):{usize};
              #13 for k_3 in 0usize..at_5 {
                #11 let i = 0usize + ((k_3 * 2usize) as usize);
                #12 acc_2 += x[i];
              }
              #15 ret = t + acc_2;
            }
        "#]],
    );
}

#[test]
fn scan_and_take_while() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                x.iter()
                    .scan(1.0, |p, v| {
                        *p *= v;
                        Some(*p)
                    })
                    .take_while(|p| *p < 10.0)
                    .sum()
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var acc: f64 temp;
              var state: f64;
              var at: usize temp;
              var k: usize;
              var p: f64;
            }
            {
              #10 ret = 0.0f64;
              #0 let acc = "-0.0":f64;
              #1 let state = 1.0f64;
              #2 let at = len(x);
              #7 for k in 0usize..at {
                #3 state = state * x[k];
                #4 let p = state;
                #6 if p < 10.0f64 {
                  #5 acc += state;
                } else {
                  #9 break;
                }
              }
              #8 ret = acc;
            }
        "#]],
    );
}

#[test]
fn flat_map() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                x.iter().flat_map(|a| x.iter().map(move |b| a * b)).sum()
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
              var k_2: usize;
            }
            {
              #0 let acc = "-0.0":f64;
              #1 let at = len(x);
              #5 for k in 0usize..at {
                #2 let at_2 = len(x);
                #4 for k_2 in 0usize..at_2 {
                  #3 acc += x[k] * x[k_2];
                }
              }
              #6 ret = acc;
            }
        "#]],
    );
}

#[test]
fn an_iterator_with_a_name() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                let mut it = x.iter();
                let a = it.next().unwrap();
                let mut s = 0.0;
                for v in it {
                    s += a * v;
                }
                s
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var position: usize;
              var at: usize temp;
              var test: bool temp;
              var s: f64;
              var at_2: usize temp;
              var k: usize;
              var at_3: usize temp;
            }
            {
              #0 let position = 0usize;
              #1 let at = position;
              #2 let test = at < len(x);
              #4 if test {
                #3 position = at + 1usize;
              }
              #6 if !test {
                #5 passive $0();
              }
              #7 passive $1(x[at]);
              #8 let s = 0.0f64;
              #9 let at_2 = pure::saturating_sub(len(x), position):{usize};
              #12 for k in 0usize..at_2 {
                #10 let at_3 = k + position;
                #11 s += x[at] * x[at_3];
              }
              #13 ret = s;
            }
            // $0 []: { :: core :: option :: Option :: < () > :: None . unwrap () ; }
            // $1 [Borrow]: let _ = __place_0
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
