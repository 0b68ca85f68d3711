//! A `&mut` that is passed on beside another reference to the same data: the callee's parameter is `&`.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y * y).sum()
}

#[adjoint]
fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

#[adjoint]
fn normalize(v: &mut [f64]) -> f64 {
    let n = dot(v, v).sqrt();
    for x in v.iter_mut() {
        *x /= n;
    }
    let m = dot(v, &v[1..]) * dot(&v[1..], v);
    axpy(m, &[0.3, 0.4], v);
    dot(v, v) * dot(&*v, v) + n
}

#[derive(Clone, Differentiable)]
struct Weights {
    a: Vec<f64>,
    b: f64,
}

#[adjoint]
impl Weights {
    fn inner(&self, other: &Weights, p: &[f64]) -> f64 {
        self.b * other.b + dot(&self.a, &other.a) * dot(p, p)
    }
}

#[adjoint]
fn product(a: &Weights, b: &Weights) -> f64 {
    a.b * b.a[0]
}

#[adjoint]
fn scaled(w: &mut Weights, k: f64) -> f64 {
    w.b *= k;
    let s = w.inner(w, &w.a);
    w.a[0] *= s;
    product(w, w) + product(w, &w.clone())
}

#[adjoint]
fn all(x: &[f64], k: f64) -> f64 {
    let mut v = x.to_vec();
    let s = normalize(&mut v);
    let r = &mut v;
    let t = dot(r, r);
    r[0] *= t;
    let mut w = Weights { a: v.clone(), b: s };
    scaled(&mut w, k) + dot(&v, &v) + w.a[0]
}

#[test]
fn references_are_lent_twice() {
    check!(all(&[0.4, 0.7, 1.2], 0.8) -> f64);
    check!(normalize(&mut [0.4, -0.7, 1.2]) -> f64);
}
