//! References that are assigned through others: `let r = &mut rest; *r = &r[1..];`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
fn plain(x: &[f64], n: usize) -> f64 {
    let mut a = x;
    let mut k = x[0];
    for _ in 0..n {
        let r = &mut a;
        *r = &r[1..];
        k += a[0];
    }
    k * a[0]
}
#[adjoint]
fn tuple_pattern(x: &[f64], n: usize) -> f64 {
    let mut t = (x, x[0]);
    for _ in 0..n {
        let (a, b) = &mut t;
        *b *= a[1];
        *a = &a[1..];
    }
    t.1 * t.0[0]
}
#[adjoint]
fn refs(x: &[f64], n: usize) -> f64 {
    let mut t = (x, x[0]);
    for _ in 0..n {
        let (ref mut a, ref mut b) = t;
        *b *= a[1];
        *a = &a[1..];
    }
    t.1 * t.0[0]
}
#[adjoint]
fn closure(x: &[f64], n: usize) -> f64 {
    let mut a = x;
    let mut k = x[0];
    let cut = |y: &mut &[f64]| {
        let z: &[f64] = y;
        *y = &z[1..];
    };
    for _ in 0..n {
        cut(&mut a);
        k += a[0] * k;
    }
    k * a[0]
}
#[adjoint]
fn best(x: &[f64]) -> f64 {
    let mut b = &x[0];
    let r = &mut b;
    for v in x {
        if *v > **r {
            *r = v;
        }
    }
    *b * x[1]
}
#[adjoint]
mod in_structs {
    // a reference field written through a pattern and through `&mut` of the field
    pub struct D<'a> {
        x: &'a [f64],
        k: f64,
    }
    fn cut(x: &mut &[f64]) {
        *x = &x[1..];
    }
    pub fn by_pattern(x: &[f64], n: usize) -> f64 {
        let mut d = D { x, k: x[0] };
        for _ in 0..n {
            let D { x: y, k } = &mut d;
            *k *= y[1];
            *y = &y[1..];
            if *k > 3.0 {
                break;
            }
        }
        d.k * d.x[0]
    }
    pub fn by_field(x: &[f64], n: usize) -> f64 {
        let mut d = D { x, k: x[0] };
        for _ in 0..n {
            let r = &mut d.x;
            *r = &r[1..];
            d.k += d.x[0] * d.k;
        }
        d.k * d.x[0]
    }
    pub fn by_call(x: &[f64], n: usize) -> f64 {
        let mut d = D { x, k: x[0] };
        for _ in 0..n {
            cut(&mut d.x);
            d.k += d.x[0] * d.k;
        }
        d.k * d.x[0]
    }
}
#[adjoint]
fn tuple_match(x: &[f64], n: usize) -> f64 {
    let mut t = (x, x[0]);
    for i in 0..n {
        match &mut t {
            (a, b) if i < 2 => {
                *b *= a[1];
                *a = &a[1..];
            }
            (_, b) => *b += 1.0,
        }
    }
    t.1 * t.0[0]
}
#[adjoint]
fn arrays(x: &[f64; 3], y: &[f64; 3], n: usize) -> f64 {
    let a = [x[0], x[1], 2.0];
    let b = [y[0], y[1] * x[0], 3.0];
    let mut p = &a;
    let r = &mut p;
    for i in 0..n {
        if r[0] * (i as f64) < 2.0 {
            if i % 2 == 0 {
                *r = &b;
            } else {
                *r = &a;
            }
        }
    }
    p[0] * p[1] + a[0] * b[1]
}
#[adjoint]
fn handed(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize) -> f64 {
    let mut cur = u;
    let mut next = v;
    for _ in 0..n {
        step(&mut cur, &mut next);
        std::mem::swap(&mut cur, &mut next);
    }
    cur[0] * next[1]
}
#[adjoint]
fn step(a: &mut Vec<f64>, b: &mut Vec<f64>) {
    for i in 0..a.len() {
        b[i] = a[i] * a[0] + 0.1;
    }
}

const X: [f64; 5] = [1.3, 0.7, 2.1, 0.4, 1.9];

#[test]
fn assigned_by_way_of_others() {
    for n in 0..4 {
        check!(plain(&X, const n) -> f64);
        check!(refs(&X, const n) -> f64);
        check!(closure(&X, const n) -> f64);
        check!(tuple_pattern(&X, const n) -> f64);
        check!(tuple_match(&X, const n) -> f64);
        check!(arrays(&[0.3, 0.8, 0.1], &[1.2, 0.4, 0.6], const n) -> f64);
        check!(handed(&mut vec![0.3, 0.8], &mut vec![0.4, 0.6], const n) -> f64);
    }
    check!(best(&X) -> f64);
}

#[test]
fn assigned_in_structs() {
    for n in 0..4 {
        check!(in_structs::by_pattern(&X, const n) -> f64);
        check!(in_structs::by_field(&X, const n) -> f64);
        check!(in_structs::by_call(&X, const n) -> f64);
    }
}
