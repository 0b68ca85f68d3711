//! User types with methods that are named like those of floats, called where the macro does not see the type.

use std::ops::Mul;

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

#[adjoint]
impl C {
    fn new(re: f64, im: f64) -> C {
        C { re, im }
    }

    fn norm_sqr(&self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

#[adjoint]
impl Mul for C {
    type Output = C;

    fn mul(self, other: C) -> C {
        times(self, other)
    }
}

/// A wave of the wave number `k` at the end of a path.
#[adjoint]
fn of_a_product(z: C, k: f64) -> f64 {
    let phase = (C::new(0.0, k) * z).exp();
    let end: C = z * phase;
    end.norm_sqr()
}

#[adjoint]
fn by_its_name(z: C) -> f64 {
    let w = z.exp();
    w.norm_sqr()
}

#[adjoint]
fn as_the_result(z: C) -> C {
    z.exp()
}

#[adjoint]
fn times_itself(z: &C, k: f64) -> C {
    z.exp() * *z * C::new(k, 0.0)
}

#[adjoint]
fn of_all(zs: &[C], k: f64) -> f64 {
    let mut s = 0.0;
    for z in zs {
        let e = (C::new(k, 0.0) * *z).exp();
        s += (e * *z).re + as_the_result(*z).im;
    }
    s
}

/// What of a vector's product with another is a number, has the methods of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V {
    x: f64,
    y: f64,
}

#[adjoint]
impl Mul for V {
    type Output = f64;

    fn mul(self, other: V) -> f64 {
        self.x * other.x + self.y * other.y
    }
}

#[adjoint]
fn of_a_number(a: V, b: V) -> f64 {
    let length = (a * a).sqrt();
    (a * b).exp().max(0.5) / length
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

/// |z exp(i k z)|² = |z|² exp(-2 k im z), |exp(z)|² = exp(2 re z).
#[test]
fn of_operators_and_parameters() {
    let (z, k) = (C { re: 0.5, im: 0.3 }, 0.8);
    let (mut z_adj, mut k_adj) = (C { re: 0.0, im: 0.0 }, 0.0);
    of_a_product_adjoint(z, &mut z_adj, k, &mut k_adj, 1.0);
    let (square, e) = (z.norm_sqr(), (-2.0 * k * z.im).exp());
    let of_im = 2.0 * z.im * e - 2.0 * k * square * e;
    assert_close(
        &[z_adj.re, z_adj.im, k_adj],
        &[2.0 * z.re * e, of_im, -2.0 * z.im * square * e],
    );
    let mut z_adj = C { re: 0.0, im: 0.0 };
    by_its_name_adjoint(z, &mut z_adj, 1.0);
    assert_close(&[z_adj.re, z_adj.im], &[2.0 * (2.0 * z.re).exp(), 0.0]);
}

/// exp is its own derivative: by the rules of Cauchy and Riemann, adjoints are multiplied by its conjugate.
#[test]
fn of_functions_that_return_them() {
    let (z, seed) = (C { re: 0.5, im: 0.3 }, C { re: 1.5, im: -0.5 });
    let conjugate = |z: C| C {
        re: z.re,
        im: -z.im,
    };
    let mut z_adj = C { re: 0.0, im: 0.0 };
    as_the_result_adjoint(z, &mut z_adj, seed);
    let expected = conjugate(z.exp()) * seed;
    assert_close(&[z_adj.re, z_adj.im], &[expected.re, expected.im]);
    let (mut z_adj, mut k_adj) = (C { re: 0.0, im: 0.0 }, 0.0);
    times_itself_adjoint(&z, &mut z_adj, 2.0, &mut k_adj, seed);
    let derivative = z.exp() * C::new(2.0 * (1.0 + z.re), 2.0 * z.im);
    let (expected, value) = (conjugate(derivative) * seed, z.exp() * z);
    assert_close(
        &[z_adj.re, z_adj.im, k_adj],
        &[
            expected.re,
            expected.im,
            value.re * seed.re + value.im * seed.im,
        ],
    );
    let (mut zs_adj, mut k_adj) = ([C { re: 0.0, im: 0.0 }], 0.0);
    of_all_adjoint(&[z], &mut zs_adj, 0.7, &mut k_adj, 1.0);
    let e = C::new(0.7 * z.re, 0.7 * z.im).exp();
    let of_real = e * C::new(1.0 + 0.7 * z.re, 0.7 * z.im);
    let (of_im, square) = (z.exp(), e * z * z);
    assert_close(
        &[zs_adj[0].re, zs_adj[0].im, k_adj],
        &[of_real.re + of_im.im, of_im.re - of_real.im, square.re],
    );
}

#[test]
fn of_numbers_that_operators_make() {
    let (a, b) = (V { x: 0.3, y: 0.4 }, V { x: 1.0, y: -0.5 });
    let (mut a_adj, mut b_adj) = (V { x: 0.0, y: 0.0 }, V { x: 0.0, y: 0.0 });
    of_a_number_adjoint(a, &mut a_adj, b, &mut b_adj, 1.0);
    let (e, length) = ((a * b).exp(), 0.5);
    let of = |a: f64, b: f64| e * b / length - e * a / (length * length * length);
    assert_close(
        &[a_adj.x, a_adj.y, b_adj.x, b_adj.y],
        &[
            of(a.x, b.x),
            of(a.y, b.y),
            e * a.x / length,
            e * a.y / length,
        ],
    );
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
