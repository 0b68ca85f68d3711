//! Type parameters that stand for types of the user's: they get no bound of floats.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

trait Shape {
    const FACTOR: f64;
    const SIDES: usize;
    fn weight(&self, k: usize) -> f64;
    fn sides(&self) -> usize {
        Self::SIDES
    }
}
#[derive(Clone, Differentiable)]
struct Hex {
    a: f64,
}
flat!(Hex { a });
impl Shape for Hex {
    const FACTOR: f64 = 2.5;
    const SIDES: usize = 6;
    fn weight(&self, k: usize) -> f64 {
        self.a * k as f64
    }
}
struct Plain;
impl Shape for Plain {
    const FACTOR: f64 = 0.5;
    const SIDES: usize = 3;
    fn weight(&self, k: usize) -> f64 {
        k as f64
    }
}

#[adjoint]
fn area<S: Shape>(r: f64) -> f64 {
    r * r * S::FACTOR * S::SIDES as f64
}
#[adjoint(wrt(r))]
fn by_value<S: Shape>(r: f64, _kind: &S) -> f64 {
    r * r * S::FACTOR
}
#[adjoint(wrt(r))]
fn picked<K: PartialEq + Copy>(r: f64, keys: &[K], key: K) -> f64 {
    let mut s = 0.0;
    for (i, k) in keys.iter().enumerate() {
        if *k == key {
            s += r * r * i as f64;
        }
    }
    s
}
#[adjoint(wrt(x))]
fn at<I: Into<usize> + Copy>(x: &[f64], i: I) -> f64 {
    let i: usize = i.into();
    x[i] * x[0]
}
#[adjoint(wrt(r))]
fn weighted<S: Shape>(r: f64, kind: &S) -> f64 {
    r * r * kind.weight(3) * kind.sides() as f64
}
#[adjoint]
fn held<D: Differentiable + Clone>(r: f64, d: &D) -> D {
    let _ = r;
    d.clone()
}
#[adjoint]
fn largest<T: PartialOrd + Copy>(x: &[T]) -> T {
    let mut m = x[0];
    for &a in x {
        if a > m {
            m = a;
        }
    }
    m
}
#[adjoint]
fn first<T: Copy>(x: &[T], i: usize) -> T {
    x[i]
}
#[adjoint]
fn wide<T: Into<f64> + Copy>(x: T, y: f64) -> f64 {
    let x: f64 = x.into();
    x * y * x
}

#[adjoint]
fn f(r: f64) -> f64 {
    area::<Hex>(r) * area::<Plain>(r)
        + by_value(r, &Plain)
        + picked(r, &['a', 'b', 'c'], 'c')
        + weighted(r, &Plain)
}
#[adjoint]
fn g(x: &[f64], h: &Hex) -> f64 {
    at(x, 2u8) * h.a + largest(x) * first(x, 1) + wide(x[0], h.a) + held(1.0, h).a
}
#[test]
fn open_parameters() {
    let jac = check!(f(0.7) -> f64);
    let r: f64 = 0.7;
    let of_areas = 2.5 * 6.0 * 0.5 * 3.0;
    let of_squares = 0.5 + 2.0 + 9.0;
    let d = 4.0 * of_areas * r.powi(3) + 2.0 * of_squares * r;
    assert!((jac[0][0] - d).abs() < 1e-12 * d);
    check!(g(&vec![0.3, 0.7, 0.4], &Hex { a: 1.5 }) -> f64);
}
