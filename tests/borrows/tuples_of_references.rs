//! Tuples that hold references, borrowed as a whole: `let r = &mut t; r.0 += 1.0;`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
fn lent_tuple(x: &[f64]) -> f64 {
    let mut t = (x[0], &x[1..]);
    {
        let r = &mut t;
        r.0 += x[1];
    }
    t.0 * t.1[0]
}
#[adjoint]
fn copied_field(x: &[f64]) -> f64 {
    let mut t = (x[0], &x[1..]);
    let r = &t;
    let k = r.0;
    t.0 = 5.0 * x[2];
    k * t.0 * t.1[0]
}
#[adjoint]
fn moved_ref(x: &[f64]) -> f64 {
    let mut t = (x[0], &x[1..]);
    t.1 = &t.1[1..];
    let r = &mut t;
    r.1 = &r.1[1..];
    t.0 * t.1[0]
}
#[adjoint]
fn moved_ref_loop(x: &[f64]) -> f64 {
    let mut t = (0.0, &x[1..]);
    while !t.1.is_empty() {
        let r = &mut t;
        r.0 += r.1[0] * x[0];
        r.1 = &r.1[1..];
    }
    t.0
}

#[adjoint]
fn nested(x: &[f64]) -> f64 {
    let mut t = ((x[0], x[1]), x[2]);
    let r = &mut t.0;
    r.0 *= x[1];
    r.1 += r.0;
    t.0.0 * t.0.1 + t.1
}

#[adjoint]
fn nested_lent(x: &[f64]) -> f64 {
    let mut t = ((x[0], &x[1..]), x[2]);
    let (a, b) = &mut t;
    a.0 *= x[1];
    *b += a.0 * a.1[0];
    t.0.0 * t.1
}

#[adjoint]
fn by_closure(x: &[f64]) -> f64 {
    let mut t = (x[0], &x[1..], 0usize);
    let bump = |p: &mut (f64, &[f64], usize), k: f64| {
        p.0 += k * p.1[p.2];
        p.2 += 1;
    };
    bump(&mut t, x[1]);
    bump(&mut t, x[2]);
    t.0 * t.1[t.2]
}

#[adjoint]
fn matched(x: &[f64]) -> f64 {
    let mut t = (x[0], &x[1..]);
    match &mut t {
        (a, b) if b.len() > 2 => *a += b[1] * b[2],
        _ => {}
    }
    let (ref mut c, ref d) = t;
    *c *= d[0];
    let s = t;
    t.0 += 1.0;
    s.0 * t.0
}

#[adjoint]
fn through(x: &[f64], y: &mut [f64]) -> f64 {
    let mut t = (&mut *y, 0.0);
    for i in 0..3 {
        let r = &mut t;
        r.0[i] += x[i];
        r.1 += r.0[i] * x[i + 1];
    }
    t.0[0] *= 2.0;
    t.1
}

#[adjoint]
fn swapped(x: &[f64], y: &[f64]) -> f64 {
    let mut t = (x, y);
    let mut s = 0.0;
    for i in 0..3 {
        let r = &mut t;
        s += r.0[i] * r.1[i + 1] * (i as f64 + 1.0) + r.0[0];
        std::mem::swap(&mut r.0, &mut r.1);
    }
    s
}

#[adjoint]
fn replaced(x: &[f64]) -> f64 {
    let mut t = (x[0], &x[1..]);
    let r = &mut t;
    *r = (r.0 * 2.0, &r.1[1..]);
    t = (t.0 * t.1[0], &x[..2]);
    t.0 * t.1[1]
}

#[adjoint]
fn list(x: &[f64], y: &[f64]) -> f64 {
    let mut bufs = [x, y];
    let mut s = 0.0;
    for i in 0..3 {
        let b = &mut bufs;
        s += b[0][i] * b[1][i + 1];
        b.swap(0, 1);
        s += b[0][0];
    }
    s
}

const X: [f64; 5] = [1.3, 0.7, 2.1, -0.4, 1.9];

#[test]
fn lent_as_a_whole() {
    check!(lent_tuple(&X) -> f64);
    check!(copied_field(&X) -> f64);
    check!(moved_ref(&X) -> f64);
    check!(moved_ref_loop(&X) -> f64);
    check!(nested(&X) -> f64);
    check!(nested_lent(&X) -> f64);
    check!(by_closure(&X) -> f64);
    check!(matched(&X) -> f64);
    check!(through(&X, &mut [0.3, 0.8, 1.1]) -> f64);
    check!(swapped(&X, &[0.3, 0.8, 1.1, 2.0, 3.0]) -> f64);
    check!(replaced(&X) -> f64);
    check!(list(&X, &[0.3, 0.8, 1.1, 2.0, 3.0]) -> f64);
}
