//! Places that are written where an index or an argument is itself the result of a call.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

const fn at(i: usize, j: usize) -> usize {
    3 * i + j
}

fn shifted(i: usize, by: usize) -> usize {
    i + by
}

/// The eigenvalues of a symmetric matrix by rotations.
#[adjoint]
fn jacobi(m: &[f64; 9], sweeps: usize) -> f64 {
    let mut a = *m;
    for _ in 0..sweeps {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let apq = a[at(p, q)];
            if apq.abs() < 1e-12 {
                continue;
            }
            let theta = (a[at(q, q)] - a[at(p, p)]) / (2.0 * apq);
            let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..3 {
                let (akp, akq) = (a[at(k, p)], a[at(k, q)]);
                a[at(k, p)] = c * akp - s * akq;
                a[at(k, q)] = s * akp + c * akq;
            }
            for k in 0..3 {
                let (apk, aqk) = (a[at(p, k)], a[at(q, k)]);
                a[at(p, k)] = c * apk - s * aqk;
                a[at(q, k)] = s * apk + c * aqk;
            }
        }
    }
    let mut d = [a[0], a[4], a[8]];
    d.sort_unstable_by(|x, y| y.total_cmp(x));
    d[0] - 2.0 * d[1] + 0.5 * d[2] * d[0]
}

#[derive(Clone, Copy, Differentiable)]
struct Mean {
    sum: f64,
    count: f64,
}

#[adjoint]
impl Mean {
    fn add(&mut self, v: f64) {
        self.sum += v * v;
        self.count += 1.0;
    }
}

#[adjoint]
fn square(x: f64) -> f64 {
    x * x
}

/// Methods that change what they are called on, with calls among their arguments.
#[adjoint]
fn filled(x: &[f64], n: usize) -> f64 {
    let mut v = [1.0; 4];
    v[..2].fill(square(x[0]));
    v.swap(shifted(0, 1), shifted(0, n));
    let mut w = vec![0.5; 4];
    w.fill(square(x[1]));
    w.swap(shifted(0, n), 0);
    w[shifted(0, n)] *= x[1];
    w.push(square(x[0]));
    let mut rows = vec![[0.0; 2]; 3];
    rows[shifted(0, 1)][shifted(0, 1)] += square(x[2]);
    rows[n] = [square(x[1]), x[0]];
    let mut mean = Mean {
        sum: 0.0,
        count: 0.0,
    };
    mean.add(square(x[2]));
    mean.add(square(x[0]));
    let rest: f64 = rows.iter().flatten().sum();
    v[2] * v[0] + w.iter().map(|t| t * t).sum::<f64>() + rest * mean.sum / mean.count
}

/// Ranges, references and exchanges at such indices.
#[adjoint]
fn ranges(x: &[f64]) -> f64 {
    let mut a = [0.5; 9];
    a[at(1, 0)..at(2, 1)].fill(x[0]);
    a[at(0, 0)..][..2].copy_from_slice(&x[at(0, 1)..at(1, 0)]);
    let r = &mut a[at(2, 1)];
    *r = square(x[3]);
    let s = &mut a[at(1, 2)..];
    s[at(0, 1)] += x[4] * x[5];
    a.swap(at(0, 0), at(2, 2));
    // A block gives a copy.
    std::mem::swap(&mut a[at(0, 1)], &mut { x[2] });
    let copy = &mut { a[1] };
    *copy *= x[0];
    *copy + a.iter().map(|v| v * v * v).sum::<f64>()
}

/// Several places in one assignment, and indices that count.
#[adjoint]
fn at_once(x: &[f64]) -> f64 {
    let mut a = [1.0; 9];
    (a[at(0, 1)], a[at(1, 0)]) = (x[0] * a[0], square(x[1]));
    [a[at(1, 1)], a[at(2, 0)]] = [a[at(0, 1)] * x[2], x[3]];
    let mut k = 0;
    let mut next = || {
        k += 1;
        k
    };
    a[next()] += square(x[4]);
    a[next()] *= x[5];
    a[next()] = square(a[0]) + a[1];
    a.iter().fold(1.0, |s, v| s * (v + 0.3))
}

#[adjoint]
fn helper(v: &mut [f64], c: f64, other: &[f64]) {
    v[at(0, 0)] += c * other[1];
    v[at(0, 1)] = other[0] * v[0];
}

/// Views at such indices are lent.
#[adjoint]
fn lent(x: &mut [f64], w: f64) -> f64 {
    let mut y = [0.25; 9];
    helper(&mut y[at(1, 0)..], square(x[0]), &x[at(0, 1)..at(1, 0)]);
    helper(&mut x[at(1, 0)..], w, &y[at(0, 2)..at(1, 2)]);
    y.iter().sum::<f64>() + x[at(1, 1)]
}

#[derive(Clone, Copy, Differentiable)]
struct Pair {
    x: f64,
    y: f64,
}

#[adjoint]
impl Pair {
    fn plus(self, other: Pair) -> Pair {
        Pair {
            x: self.x + other.x * other.y,
            y: self.y * other.x,
        }
    }

    fn shift(&mut self, k: f64) -> Pair {
        let old = *self;
        self.x *= k;
        self.y += k * k;
        old
    }
}

#[adjoint]
fn step(p: &mut Pair, k: f64) -> Pair {
    let old = *p;
    p.x *= k;
    p.y = old.x - k;
    Pair { x: old.y, y: p.x }
}

/// What is called by value is copied before the arguments change it; what is indexed is not.
#[adjoint]
fn changed_by_arguments(x: f64, k: f64) -> f64 {
    let mut p = Pair { x, y: k };
    let q = p.plus(step(&mut p, k));
    let before = p;
    let r = before.plus(p.shift(x));
    let mut s = p.plus({
        p.x = k * k;
        Pair { x: p.y, y: p.x }
    });
    s = s.plus({
        s.y = x;
        s
    });
    let a = [x, k, x * k];
    let mut b = a;
    let t = b[{
        b[2] = x;
        2
    }] + [b[0], b[1]][{
        b[0] = 3.0;
        0
    }];
    let u = p.x.max({
        p.x = -3.0 * k;
        p.x
    });
    s.x * r.y + q.x * p.y + s.y * t + u * p.x + b[0] * k
}

#[test]
fn receivers_that_arguments_change() {
    check!(changed_by_arguments(0.7, 1.3) -> f64);
    check!(changed_by_arguments(-0.4, 0.6) -> f64);
}

#[test]
fn indices_by_calls() {
    let x = vec![0.3, -0.7, 1.1, 0.4, 0.9, -0.2];
    check!(ranges(&x) -> f64);
    check!(at_once(&x) -> f64);
    check!(lent(&mut x.clone(), 0.8) -> f64);
}

#[test]
fn rotations() {
    check!(jacobi(&[2.0, 0.3, 0.1, 0.3, 1.0, -0.4, 0.1, -0.4, 0.5], const 2) -> f64);
}

#[test]
fn changed_by_methods() {
    check!(filled(&vec![0.7, -1.2, 0.4], const 2) -> f64);
}
