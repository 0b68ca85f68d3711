//! Users' types with methods that are named like those of floats, called where the type is not visible.

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::{assert_close, check};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct C {
    re: f64,
    im: f64,
}

#[adjoint]
impl C {
    fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn exp(self) -> C {
        let e = self.re.exp();
        C {
            re: e * self.im.cos(),
            im: e * self.im.sin(),
        }
    }

    fn sqrt(self) -> C {
        let r = self.re.hypot(self.im);
        let m = ((r + self.re) / 2.0).sqrt();
        C {
            re: m,
            im: self.im / (2.0 * m),
        }
    }

    fn powi(self, n: i32) -> C {
        let mut r = C { re: 1.0, im: 0.0 };
        for _ in 0..n {
            r = times(r, self);
        }
        r
    }
}

#[adjoint]
fn times(a: C, b: C) -> C {
    C {
        re: a.re * b.re - a.im * b.im,
        im: a.re * b.im + a.im * b.re,
    }
}

#[adjoint]
fn of_literals(a: f64, b: f64) -> f64 {
    let y = C { re: a, im: b };
    let z = y.sqrt();
    let w = y.powi(3);
    y.abs() + y.exp().abs() + z.re * 2.0 + z.im + w.re - w.im * b
}

#[adjoint]
fn of_results(a: f64, b: f64) -> f64 {
    let y = C { re: a, im: b };
    let w: C = times(y, y);
    let v = w.exp().sqrt();
    v.abs() + w.abs() + times(v, w).sqrt().re
}

#[adjoint]
fn of_elements(a: &[f64]) -> f64 {
    let v: Vec<C> = a.iter().map(|x| C { re: *x, im: 1.0 }).collect();
    let mut s = v.iter().map(|c| c.abs()).sum::<f64>();
    for c in &v {
        s += c.exp().abs();
    }
    s
}

#[adjoint]
fn by_type(y: C, k: f64) -> f64 {
    C::abs(C::exp(y)) * k
}

#[adjoint]
fn by_field(y: C, k: f64) -> f64 {
    y.exp().abs() * k + y.re
}

type Real = f64;

#[adjoint]
fn of_alias(a: Real, b: Real) -> Real {
    a.sin() * b.exp().abs() + b.powi(2)
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Pair<T> {
    re: T,
    im: T,
}

#[adjoint]
impl<T: Float> Pair<T> {
    fn new(re: T, im: T) -> Self {
        Pair { re, im }
    }

    fn abs(&self) -> T {
        self.re.hypot(self.im)
    }

    fn exp(&self) -> Self {
        let e = self.re.exp();
        Pair {
            re: e * self.im.cos(),
            im: e * self.im.sin(),
        }
    }
}

#[adjoint]
fn of_generic(y: &[f64]) -> f64 {
    let v: Vec<Pair<f64>> = y.iter().map(|x| Pair::new(*x, 1.0)).collect();
    let mut s = 0.0;
    for (i, c) in v.iter().enumerate() {
        s += c.exp().abs() * i as f64;
    }
    s
}

#[test]
fn methods_of_math_by_name() {
    check!(of_literals(1.0, 2.0) -> f64);
    check!(of_results(0.6, 0.3) -> f64);
    check!(of_elements(&[1.0, 2.0]) -> f64);
    check!(of_alias(1.0, 2.0) -> f64);
    check!(of_generic(&[1.0, 2.0, 0.5]) -> f64);
}

/// |exp(y)| = exp(re y).
#[test]
fn of_parameters() {
    let (y, e) = (C { re: 0.5, im: 1.5 }, 0.5f64.exp());
    for (f, more) in [
        (by_type_adjoint as fn(_, &mut _, _, &mut _, _) -> f64, 0.0),
        (by_field_adjoint, 1.0),
    ] {
        let (mut y_adj, mut k_adj) = (C { re: 0.0, im: 0.0 }, 0.0);
        f(y, &mut y_adj, 2.0, &mut k_adj, 1.0);
        assert_close(&[y_adj.re, y_adj.im, k_adj], &[2.0 * e + more, 0.0, e]);
    }
}
