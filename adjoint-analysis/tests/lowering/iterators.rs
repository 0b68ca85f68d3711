//! Iterators: producers, adapters, streams.

use expect_test::expect;

use crate::print::check;

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
