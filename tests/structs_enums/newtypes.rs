//! Tuple structs whose constructor alone gives the type of a variable, and constants of types.

use std::ops::{Add, Mul};

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Metres(pub f64);

#[adjoint]
impl Mul<f64> for Metres {
    type Output = Self;
    fn mul(self, k: f64) -> Self {
        Self(self.0 * k)
    }
}

#[adjoint]
impl Metres {
    fn twice(self) -> f64 {
        2.0 * self.0
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
pub struct C(pub f64, pub f64);

#[adjoint]
impl Mul for C {
    type Output = C;
    fn mul(self, o: C) -> C {
        C(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }
}

#[adjoint]
impl Add for C {
    type Output = C;
    fn add(self, o: C) -> C {
        C(self.0 + o.0, self.1 + o.1)
    }
}

#[adjoint]
fn scaled(x: f64, k: f64) -> f64 {
    let d = Metres(x);
    let t = d * k;
    t.0 * x + d.twice() * Metres(k).twice()
}

#[adjoint]
fn iterated(x: f64, k: f64) -> f64 {
    let z = C(x, k);
    let mut w = z;
    for _ in 0..3 {
        w = w * w + z;
    }
    w.0 * w.1
}

struct Gas;
impl Gas {
    const R: f64 = 8.3;
}

#[adjoint]
impl C {
    const FLOOR: f64 = 0.5;
    fn floored(&self, x: f64) -> f64 {
        Self::FLOOR.max(x) * self.0 + Self::FLOOR.mul_add(x, self.1)
    }
}

#[adjoint]
impl Add for Metres {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0)
    }
}

#[adjoint]
impl std::iter::Sum for Metres {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Metres(0.0), |a, b| a + b)
    }
}

#[adjoint]
fn summed(x: &[f64], k: f64) -> f64 {
    let lengths: Vec<Metres> = x.iter().map(|&v| Metres(v * v)).collect();
    let total: Metres = lengths.iter().copied().sum();
    let scaled: Metres = x.iter().map(|&v| Metres(v.sin()) * k).sum();
    total.twice() + scaled.0 * scaled.0
}

#[adjoint]
fn of_constants(x: f64, c: &C) -> f64 {
    Gas::R.powf(x) * c.floored(x)
}

#[test]
fn constructors_tell_what_names_hold() {
    check!(scaled(0.3, 0.7) -> f64);
    check!(iterated(0.3, 0.4) -> f64);
    check!(summed(&vec![0.4, -0.7, 1.3], 0.9) -> f64);
    check!(summed(&vec![], 0.9) -> f64);
    let (mut x_adj, mut c_adj) = (0.0, C(0.0, 0.0));
    let (x, c) = (0.7, C(1.5, -0.2));
    let value = of_constants_adjoint(x, &mut x_adj, &c, &mut c_adj, 1.0);
    let r = 8.3f64.powf(x);
    assert_eq!(value, r * (x * c.0 + 0.5f64.mul_add(x, c.1)));
    assert_eq!((c_adj.0, c_adj.1), (r * x, r));
    let d = 8.3f64.ln() * value + r * (c.0 + 0.5);
    assert!((x_adj - d).abs() < 1e-12 * d.abs());
}
