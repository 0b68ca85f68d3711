//! Structs that start as literals, and are generic with arguments that only rustc infers.

use crate::common::*;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Copy, Differentiable)]
struct Mat<const R: usize, const C: usize>([[f64; C]; R]);

#[adjoint]
impl<const R: usize, const C: usize> Mat<R, C> {
    fn mul<const K: usize>(&self, o: &Mat<C, K>) -> Mat<R, K> {
        let mut out = Mat([[0.0; K]; R]);
        for i in 0..R {
            for j in 0..K {
                for k in 0..C {
                    out.0[i][j] += self.0[i][k] * o.0[k][j];
                }
            }
        }
        out
    }

    fn transpose(&self) -> Mat<C, R> {
        let mut out = Mat([[0.0; R]; C]);
        for i in 0..R {
            for j in 0..C {
                out.0[j][i] = self.0[i][j];
            }
        }
        out
    }

    fn add(&self, o: &Mat<R, C>) -> Mat<R, C> {
        let mut out = *self;
        for (row, b) in out.0.iter_mut().zip(o.0.iter()) {
            for (x, y) in row.iter_mut().zip(b) {
                *x += y;
            }
        }
        out
    }

    fn weighted(&self, w: &[f64]) -> f64 {
        self.0.iter().flatten().zip(w).map(|(a, w)| a * w).sum()
    }
}

/// The log-likelihood of a position that is measured, and moves at a velocity that drifts.
#[adjoint]
fn kalman(z: &[f64], q: f64, r: f64, dt: f64) -> f64 {
    let f = Mat([[1.0, dt], [0.0, 1.0]]);
    let noise = Mat([
        [q * dt.powi(3) / 3.0, q * dt * dt / 2.0],
        [q * dt * dt / 2.0, q * dt],
    ]);
    let mut x = Mat([[0.0], [0.0]]);
    let mut p = Mat([[1.0, 0.0], [0.0, 1.0]]);
    let mut likelihood = 0.0;
    for &z in z {
        x = f.mul(&x);
        p = f.mul(&p).mul(&f.transpose()).add(&noise);
        let s = p.0[0][0] + r;
        let y = z - x.0[0][0];
        let gain = [p.0[0][0] / s, p.0[1][0] / s];
        likelihood -= 0.5 * (s.ln() + y * y / s);
        for i in 0..2 {
            x.0[i][0] += gain[i] * y;
        }
        let row = p.0[0];
        for i in 0..2 {
            for j in 0..2 {
                p.0[i][j] -= gain[i] * row[j];
            }
        }
    }
    likelihood
}

/// Results of methods whose arguments say what they are generic over, and one that takes a slice.
#[adjoint]
fn chained(w: &[f64], a: f64) -> f64 {
    let m = Mat([[a, 1.0], [0.5, a * a]]);
    let column = Mat([[1.0], [a]]);
    let mut v = m.mul(&column);
    for _ in 0..3 {
        v = m.mul(&v);
        v.0[1][0] *= v.weighted(w);
    }
    v.0[0][0] + v.0[1][0]
}

#[derive(Clone, Copy, Differentiable)]
struct Pair<T> {
    a: T,
    b: T,
}

#[adjoint]
fn of_numbers(z: &[f64], start: f64) -> f64 {
    let mut p = Pair { a: start, b: 1.0 };
    for &z in z {
        p.a = p.a * p.b + z;
        p.b = p.a.sin();
    }
    p.a * p.b
}

#[adjoint]
fn of_arrays(z: &[f64], start: f64) -> f64 {
    let mut p = Pair {
        a: [start, 1.0],
        b: [1.0; 2],
    };
    for &z in z {
        let old = p.b;
        p.a[0] = p.a[1] * p.b[0] + z;
        p.b[1] = p.a[0].sin() * old[1];
        p.a[1] *= old[0] + z;
    }
    p.a[0] * p.b[1]
}

#[test]
fn literals() {
    let z = vec![0.1, 0.25, -0.2, 0.5, 0.45];
    check!(kalman(&z, 0.3, 0.1, 0.5) -> f64);
    check!(chained(&vec![0.5, -0.3], 0.7) -> f64);
    for n in 0..5 {
        check!(of_numbers(&z[..n].to_vec(), 0.8) -> f64);
        check!(of_arrays(&z[..n].to_vec(), 0.8) -> f64);
    }
}

/// Records of two types in one loop, which are the same type where it is called.
#[adjoint]
fn mixed<T: num_traits::Float>(x: &mut [T], y: &mut [f64]) -> f64 {
    for i in 0..x.len() {
        x[i] = x[i].sin() * x[i];
        y[i] = y[i].exp() * y[i];
    }
    let mut s = 0.0;
    for (x, y) in x.iter().zip(y.iter()) {
        s += x.to_f64().unwrap() * y;
    }
    s
}

#[test]
fn two_types_that_are_one() {
    check!(mixed(&mut vec![0.3, -0.8], &mut vec![0.5, 0.2]) -> f64);
}
