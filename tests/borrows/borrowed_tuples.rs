//! Local tuples that are borrowed as a whole: `f(&t)`, `f(&(x, a))`, `h(&mut t)`, `let r = &t;`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
fn f(t: &(f64, f64)) -> f64 {
    t.0 * t.1
}
#[adjoint]
fn h(t: &mut (f64, f64), k: f64) -> f64 {
    t.0 *= k * t.1;
    t.1 += t.0.sin();
    t.0 * t.1
}
#[adjoint]
fn deep(t: &((f64, [f64; 2]), Vec<f64>)) -> f64 {
    t.0.0 * t.0.1[0] * t.1[1] + t.0.1[1]
}
#[adjoint]
fn all(x: f64, a: f64) -> f64 {
    let t = (x, a);
    f(&t) * a
}
#[adjoint]
fn lit(x: f64, a: f64) -> f64 {
    f(&(x, a * x)) * a + f(&mut (x, 3.0))
}
#[adjoint]
fn by_mut(x: f64, a: f64) -> f64 {
    let mut t = (x, a);
    let s = h(&mut t, x);
    let r = h(&mut t, s);
    t.0 * r + t.1 * f(&t)
}
#[adjoint]
fn named(x: f64, a: f64) -> f64 {
    let mut t = (x, a);
    let r = &t;
    let s = f(r) * r.0;
    t.0 = s;
    let m = &mut t;
    let u = h(m, a);
    m.1 *= u;
    let (p, q) = &t;
    p * q + f(&t)
}
#[adjoint]
fn nested(x: &[f64], a: f64) -> f64 {
    let t = ((a, [x[0], x[1]]), vec![x[1] * a, a]);
    deep(&t) + deep(&((a, [x[0], a]), vec![x[1], x[0] * a]))
}
#[adjoint]
fn in_loop(x: &[f64], a: f64) -> f64 {
    let mut t = (a, 1.0);
    let mut s = 0.0;
    for &v in x {
        t.1 += v;
        s += h(&mut t, v) + f(&t);
        if s > 3.0 {
            t = (v, s);
        }
    }
    let (lo, hi) = t;
    for p in x.iter().zip(x.iter().skip(1)) {
        s += f(&(*p.0, *p.1));
    }
    for p in x.iter().copied().zip(x.iter().skip(1).copied()) {
        s += f(&p) * lo;
    }
    s * hi
}
#[adjoint]
mod m {
    pub fn f(t: &(f64, f64)) -> f64 {
        t.0 * t.1
    }
    pub fn h(t: &mut (f64, f64), k: f64) -> f64 {
        t.0 *= k * t.1;
        t.1 += t.0.sin();
        t.0 * t.1
    }
    pub fn run(x: f64, a: f64) -> f64 {
        let t = (x, a);
        let mut u = (a, f(&t));
        h(&mut u, f(&(t.0, 2.0))) + u.1
    }
    pub fn swapped(x: f64, a: f64) -> f64 {
        let mut t = (x, a);
        let mut u = (a, 2.0);
        std::mem::swap(&mut t, &mut u);
        t.1 *= a;
        f(&t) * f(&u) * t.0 + std::mem::replace(&mut u, (1.0, x)).0 * u.1
    }
}
#[test]
fn tuples_are_lent() {
    check!(all(0.3, 0.8) -> f64);
    check!(lit(0.3, 0.8) -> f64);
    check!(by_mut(0.3, 0.8) -> f64);
    check!(named(0.3, 0.8) -> f64);
    check!(nested(&vec![0.3, 0.8], 0.7) -> f64);
    check!(in_loop(&vec![0.3, 0.8, 0.5, 1.4], 0.7) -> f64);
    check!(m::run(0.3, 0.8) -> f64);
    check!(m::swapped(0.3, 0.8) -> f64);
}
