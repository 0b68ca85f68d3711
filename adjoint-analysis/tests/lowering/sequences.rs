//! Arrays, slices and `Vec`s.

use expect_test::expect;

use crate::print::check;

#[test]
fn array_literals_and_repeats() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let a = [x, x * x, 1.0];
                let mut b = [0.0; 3];
                b[1] = a[2];
                a[0] * b[1]
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
              var a: [f64; 3];
              var b: [f64; 3];
            }
            {
              #0 let a = [x, x * x, 1.0f64]:{[f64; 3]};
              #1 let b = [0.0f64; $0():{usize}]:{[f64; 3]};
              #2 b[1usize] = a[2usize];
              #3 ret = a[0usize] * b[1usize];
            }
            // $0 []: 3
        "#]],
    );
}

#[test]
fn nested_arrays() {
    check(
        r#"
            fn f(m: &[[f64; 3]; 3], x: &[f64; 3]) -> [f64; 3] {
                let mut y = [0.0; 3];
                for i in 0..3 {
                    for j in 0..3 {
                        y[i] += m[i][j] * x[j];
                    }
                }
                y
            }
        "#,
        expect![[r#"
            fn f(m, x) -> ret {
              var m: &[[f64; 3]; 3];
              var x: &[f64; 3];
              var ret: [f64; 3];
              var y: [f64; 3];
              var i: usize;
              var j: usize;
            }
            {
              #0 let y = [0.0f64; $0():{usize}]:{[f64; 3]};
              #3 for i in 0usize..3usize {
                #2 for j in 0usize..3usize {
                  #1 y[i] += m[i][j] * x[j];
                }
              }
              #4 ret = y;
            }
            // $0 []: 3
        "#]],
    );
}

#[test]
fn parts_of_slices_are_places() {
    check(
        r#"
            fn f(x: &mut [f64], k: usize) {
                let part = &mut x[k..k + 2];
                part[0] *= part[1];
            }
        "#,
        expect![[r#"
            fn f(x, k) {
              var x: &mut [f64];
              var k: usize;
              var at: usize temp;
            }
            {
              #0 let at = k + 2usize;
              #1 passive $0(x[k..at]);
              #2 x[k..at][0usize] = x[k..at][0usize] * x[k..at][1usize];
            }
            // $0 [Borrow]: let _ = __place_0
        "#]],
    );
}

#[test]
fn split_at_mut() {
    check(
        r#"
            fn f(x: &mut [f64], k: usize) {
                let (a, b) = x.split_at_mut(k);
                for i in 0..a.len() {
                    b[i] += a[i] * a[i];
                }
            }
        "#,
        expect![[r#"
            fn f(x, k) {
              var x: &mut [f64];
              var k: usize;
              var at: usize temp;
              var i: usize;
            }
            {
              #0 passive $0(x.head(k));
              #1 passive $1(x.tail(k));
              #2 let at = len(x.head(k));
              #4 for i in 0usize..at {
                #3 x.tail(k)[i] += x.head(k)[i] * x.head(k)[i];
              }
            }
            // $0 [Borrow]: let _ = __place_0
            // $1 [Borrow]: let _ = __place_0
        "#]],
    );
}

#[test]
fn first_last_get() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                x.first().unwrap() * x[x.len() - 1] + x.get(1).copied().unwrap_or(0.0) * x.last().unwrap()
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var value: f64 temp;
              var t: f64 temp;
              var t_2: f64 temp;
            }
            {
              #0 passive $1(x);
              #7 let t_2 = x[0usize] * x[len(x) - 1usize];
              #1 let value = 0.0f64;
              #4 if 1usize < len(x) {
                #2 value = x[1usize];
              } else {
                #3 value = 0.0f64;
              }
              #6 let t = value;
              #5 passive $3(x);
              #8 ret = t_2 + t * x[len(x) - 1usize];
            }
            // $0 []: 
            // $1 [Borrow, Value]: __place_0 . first () . unwrap ()
            // $2 []: 
            // $3 [Borrow, Value]: __place_0 . last () . unwrap ()
        "#]],
    );
}

#[test]
fn swap_and_reverse() {
    check(
        r#"
            fn f(x: &mut [f64]) {
                x.swap(0, 1);
                x.reverse();
            }
        "#,
        expect![[r#"
            fn f(x) {
              var x: &mut [f64];
              var len: usize temp;
              var k: usize;
            }
            {
              #0 swap x[0usize], x[1usize];
              #1 let len = len(x);
              #3 for k in 0usize..len / 2usize {
                #2 swap x[k], x[len - 1usize - k];
              }
            }
        "#]],
    );
}

#[test]
fn fill_and_copy_from_slice() {
    check(
        r#"
            fn f(x: &mut [f64], y: &[f64], v: f64) {
                x[..2].fill(v);
                x[2..].copy_from_slice(&y[2..]);
            }
        "#,
        expect![[r#"
            fn f(x, y, v) {
              var x: &mut [f64];
              var y: &[f64];
              var v: f64;
              var len: usize temp;
              var k: usize;
              var len_2: usize temp;
              var k_2: usize;
            }
            {
              #0 let len = len(x[..2usize]);
              #2 for k in 0usize..len {
                #1 x[..2usize][k] = v;
              }
              #3 let len_2 = len(x[2usize..]);
              #4 passive $0(x[2usize..], y[2usize..]);
              #6 for k_2 in 0usize..len_2 {
                #5 x[2usize..][k_2] = y[2usize..][k_2];
              }
            }
            // $0 [Borrow, Borrow]: assert_eq ! (__place_0 . len () , __place_1 . len () , "copy_from_slice: source slice length does not match destination slice length")
        "#]],
    );
}

#[test]
fn vec_macro() {
    check(
        r#"
            fn f(x: f64, n: usize) -> Vec<f64> {
                let mut v = vec![x; n];
                v[0] = 2.0 * x;
                v
            }
        "#,
        expect![[r#"
            fn f(x, n) -> ret {
              var x: f64;
              var n: usize;
              var ret: Vec<f64>;
              var v: Vec<f64>;
            }
            {
              #0 let v = [x; n]:{Vec<f64>};
              #1 v[0usize] = 2.0f64 * x;
              #2 ret = v;
            }
        "#]],
    );
}

#[test]
fn push_and_pop() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                let mut v = Vec::new();
                for a in x {
                    v.push(a * a);
                }
                v.pop().unwrap() * v[0]
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var v: Vec<f64>;
              var at: usize temp;
              var k: usize;
              var taken: f64 temp;
            }
            {
              #0 let v = []:{Vec<f64>};
              #1 let at = len(x);
              #3 for k in 0usize..at {
                #2 push v, x[k] * x[k];
              }
              #4 passive $0(v);
              #5 let taken = pop v;
              #6 ret = taken * v[0usize];
            }
            // $0 [Borrow]: __place_0 . last () . unwrap ()
        "#]],
    );
}

#[test]
fn insert_and_remove() {
    check(
        r#"
            fn f(x: &mut Vec<f64>, a: f64) -> f64 {
                x.insert(1, a * a);
                x.remove(0)
            }
        "#,
        expect![[r#"
            fn f(x, a) -> ret {
              var x: &mut Vec<f64>;
              var a: f64;
              var ret: f64;
              var taken: f64 temp;
            }
            {
              #0 insert x, 1usize, a * a;
              #1 let taken = remove x, 0usize;
              #2 ret = taken;
            }
        "#]],
    );
}

#[test]
fn truncate_extend_retain() {
    check(
        r#"
            fn f(x: &mut Vec<f64>, y: &[f64]) {
                x.truncate(3);
                x.extend_from_slice(y);
                x.retain(|v| *v > 0.0);
            }
        "#,
        expect![[r#"
            fn f(x, y) {
              var x: &mut Vec<f64>;
              var y: &[f64];
              var at: usize temp;
              var k: usize;
              var taken: f64 temp;
              var at_2: usize temp;
              var k_2: usize;
              var old: Vec<f64>;
              var k_3: usize;
            }
            {
              #0 let at = pure::saturating_sub(len(x), 3usize):{usize};
              #2 for k in 0usize..at {
                #1 let taken = pop x;
              }
              #3 let at_2 = len(y);
              #5 for k_2 in 0usize..at_2 {
                #4 push x, y[k_2];
              }
              #6 let old = []:{Vec<f64>};
              #7 swap old, x;
              #10 for k_3 in 0usize..len(old) {
                #9 if old[k_3] > 0.0f64 {
                  #8 push x, old[k_3];
                }
              }
            }
        "#]],
    );
}

#[test]
fn vec_of_vecs() {
    check(
        r#"
            fn f(m: &Vec<Vec<f64>>) -> f64 {
                let mut s = 0.0;
                for row in m {
                    s += row[0] * row.len() as f64;
                }
                s
            }
        "#,
        expect![[r#"
            fn f(m) -> ret {
              var m: &Vec<Vec<f64>>;
              var ret: f64;
              var s: f64;
              var at: usize temp;
              var k: usize;
            }
            {
              #0 let s = 0.0f64;
              #1 let at = len(m);
              #3 for k in 0usize..at {
                #2 s += m[k][0usize] * (len(m[k]) as f64);
              }
              #4 ret = s;
            }
        "#]],
    );
}

#[test]
fn slice_patterns() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                match x {
                    [a, b] => a * b,
                    [a, .., z] => a + z,
                    _ => 0.0,
                }
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var len: usize temp;
              var at: usize temp;
              var at_2: usize temp;
              var value: f64 temp;
            }
            {
              #3 let value = 0.0f64;
              #8 if len(x) == 2usize {
                #7 value = x[0usize] * x[1usize];
              } else {
                #6 if len(x) >= 2usize {
                  #0 let len = len(x);
                  #1 let at = len - 1usize;
                  #2 let at_2 = len - 1usize;
                  #4 value = x[0usize] + x[at_2];
                } else {
                  #5 value = 0.0f64;
                }
              }
              #9 ret = value;
            }
        "#]],
    );
}

#[test]
fn sorting_is_discrete() {
    check(
        r#"
            fn f(x: &mut [f64]) -> f64 {
                x.sort_by(|a, b| a.total_cmp(b));
                x[0] * x[1]
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &mut [f64];
              var ret: f64;
              var found: Vec<usize> temp;
              var old: Vec<f64> temp;
              var k: usize;
            }
            {
              #0 let found = $0(x):{Vec<usize>};
              #1 let old = x[..];
              #3 for k in 0usize..len(found) {
                #2 x[k] = old[found[k]];
              }
              #4 ret = x[0usize] * x[1usize];
            }
            // $0 [Borrow]: { { use :: adjoint :: __private :: order :: NotCopied as _ ; let __copied = :: adjoint :: __private :: order :: Elements :: of (& (* __place_0) [..]) . are_copied () ; :: adjoint :: __private :: order :: by (& (* __place_0) [..] , :: adjoint :: __private :: order :: Stable , __copied , | a , b | a . total_cmp (b)) } }
        "#]],
    );
}

#[test]
fn arrays_of_fixed_extent_within_slices() {
    check(
        r#"
            fn f(x: &[f64]) -> f64 {
                let a: [f64; 3] = x[..3].try_into().unwrap();
                let [p, q] = x.first_chunk::<2>().unwrap();
                a[2] * p * q
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: f64;
              var a: [f64; 3];
            }
            {
              #0 passive $1(x[..3usize]);
              #1 let a = x[..3usize].chunk(0usize; 3);
              #2 passive $3(x);
              #3 passive $4(x.chunk(0usize; 2));
              #4 ret = a[2usize] * x.chunk(0usize; 2)[0usize] * x.chunk(0usize; 2)[1usize];
            }
            // $0 []: 
            // $1 [Borrow]: < & [_ ; 3] > :: try_from (& __place_0 [..]) . unwrap ()
            // $2 []: 
            // $3 [Borrow]: __place_0 . first_chunk :: < { 2 } > () . unwrap ()
            // $4 [Borrow]: let _ = __place_0
        "#]],
    );
}
