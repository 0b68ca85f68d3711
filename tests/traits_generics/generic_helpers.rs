//! Generic functions that get their constants from helpers, and functions that share a name with their parameter.

use adjoint::adjoint;
use num_traits::Float;

use crate::common::check;

const C: [f64; 3] = [0.3, 0.7, 1.1];

fn lit<T: Float>(x: f64) -> T {
    num_traits::cast::<f64, T>(x).unwrap()
}

fn lit32<T: Float>(x: f32) -> T {
    num_traits::cast::<f32, T>(x).unwrap()
}

fn weight(x: f64) -> f64 {
    x * 2.0
}

trait Scalar: Float {
    fn lit(x: f64) -> Self;
}

impl Scalar for f64 {
    fn lit(x: f64) -> f64 {
        x
    }
}

#[adjoint]
fn plain<T: Float>(x: T) -> T {
    x * lit(0.5) + lit::<T>(1.0 / 3.0) * x * x + lit(-0.25)
}

#[adjoint]
fn named<T: Float>(x: T) -> T {
    let h = 0.5;
    let k: T = lit(1.5);
    x * lit(h) * k + x * lit(C[0])
}

#[adjoint]
fn converted<T: Float>(x: T, n: usize) -> T {
    x * T::from(weight(0.5)).unwrap() + lit::<T>(2.0 * n as f64 + 1.0) * x * lit32(0.5)
}

#[adjoint]
fn by_trait<T: Scalar>(x: T) -> T {
    x * T::lit(0.5) + T::lit(2.0) * x.sin()
}

#[adjoint]
mod seen {
    use num_traits::Float;

    fn lit<T: Float>(x: f64) -> T {
        num_traits::cast::<f64, T>(x).unwrap()
    }

    pub fn half<T: Float>(x: T) -> T {
        x * lit(0.5) + x.sin()
    }

    pub fn third<T: Float>(x: T) -> T {
        x + lit::<T>(1.0 / 3.0) * x * x
    }
}

#[adjoint]
fn rho<T: Float>(z: T, rho: T) -> T {
    z * rho.sin()
}

#[adjoint]
fn nu<const N: usize>(z: [f64; N], nu: f64) -> f64 {
    z[0] * nu.sin() + z[N - 1]
}

#[adjoint]
fn fma<T: Float>(a: T, b: T, c: T) -> T {
    a * b + c
}

#[adjoint]
fn handed_on<T: Float>(z: T, n: usize) -> T {
    let h = lit(C[0]);
    fma(lit(C[1]), z, num_traits::cast(2.0).unwrap())
        + fma(h, z, lit(3.0))
        + fma(lit(n as f64), lit(C[0] + 1.0), z)
}

#[adjoint]
fn nested<T: Float>(z: T) -> T {
    fma(plain(z), z, plain(fma(z, z, lit(0.5))))
}

#[adjoint]
fn horner<T: Float>(z: T) -> T {
    let c = [lit(1.0), lit(2.0), lit(0.5)];
    let mut r = T::zero();
    for k in c {
        r = r * z + k;
    }
    r + [lit(1.0), lit(2.0)]
        .iter()
        .fold(T::zero(), |a, &k| a * z + k)
}

#[adjoint]
fn by_unseen(x: f64, n: usize) -> f64 {
    handed_on(x, n) * nested(x) + horner(x)
}

#[adjoint]
fn together(x: f64, y: f64, n: usize) -> f64 {
    let a = plain(x) * named(y) + converted(x, n) * by_trait(y);
    a * seen::half(x) + seen::third(y) * rho(x, y) * nu([x, y, x * y], y)
}

#[test]
fn constants_by_helpers() {
    check!(together(0.7, 0.4, const 3) -> f64);
    check!(together(0.2, 1.4, const 0) -> f64);
    check!(by_unseen(0.6, const 4) -> f64);
}
