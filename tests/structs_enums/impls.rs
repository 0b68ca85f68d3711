//! Types of the user's: associated constants, generics, traits beside the numerical part.

use std::ops::{AddAssign, Mul};

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::{Flat, assert_close, check};

/// Anything with a decay.
trait Decay {
    const HALF_LIFE: f64;

    fn remaining(&self, t: f64) -> f64;
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Sample {
    amount: f64,
    rate: f64,
}

impl Flat for Sample {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.amount, self.rate]);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        Sample {
            amount: f64::read(&0.0, from),
            rate: f64::read(&0.0, from),
        }
    }
}

#[adjoint]
impl Sample {
    const LIMIT: f64 = 1e-3;
    const STEPS: usize = 3;

    fn decayed(&self, t: f64) -> f64 {
        let mut left = self.amount;
        for _ in 0..Self::STEPS {
            left *= (-self.rate * t / Self::STEPS as f64).exp();
        }
        left.max(Self::LIMIT)
    }
}

impl Decay for Sample {
    const HALF_LIFE: f64 = 2.0;

    fn remaining(&self, t: f64) -> f64 {
        self.decayed(t / Self::HALF_LIFE)
    }
}

#[adjoint]
fn decay(s: &Sample, t: f64) -> f64 {
    s.decayed(t) + s.decayed(2.0 * t)
}

#[test]
fn associated_constants() {
    let sample = Sample {
        amount: 2.0,
        rate: 0.4,
    };
    check!(decay(&sample, 1.5) -> f64);
    assert_close(&[sample.remaining(3.0)], &[sample.decayed(1.5)]);
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Pair<T> {
    a: T,
    b: T,
}

impl Flat for Pair<f64> {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.a, self.b]);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        Pair {
            a: f64::read(&0.0, from),
            b: f64::read(&0.0, from),
        }
    }
}

#[adjoint]
fn geometric(p: Pair<f64>, n: usize) -> f64 {
    let Pair { a, b } = p;
    let mut term = a;
    let mut sum = 0.0;
    for _ in 0..n {
        sum += term;
        term *= b;
    }
    sum
}

#[test]
fn a_generic_struct() {
    check!(geometric(Pair { a: 1.5, b: 0.5 }, const 4) -> f64);
}

#[adjoint]
fn horner<T>(coefficients: &[T], x: T) -> T
where
    T: Float + AddAssign,
{
    let mut value = T::zero();
    let mut power = T::one();
    for &c in coefficients {
        value += c * power;
        power = power * x;
    }
    value
}

#[adjoint]
fn horner32(coefficients: &[f32], x: f32) -> f32 {
    horner(coefficients, x)
}

#[test]
fn bounds_beside_float() {
    check!(horner(&vec![1.0, -2.0, 0.5], 0.7) -> f64);
    let mut c_adj = [0.0f32; 3];
    let mut x_adj = 0.0f32;
    horner32_adjoint(&[1.0, -2.0, 0.5], &mut c_adj, 0.5, &mut x_adj, 1.0);
    assert_eq!((c_adj, x_adj), ([1.0, 0.5, 0.25], -1.5));
}

#[adjoint]
fn quadratic_form<const N: usize>(m: &[[f64; N]; N], x: &[f64; N]) -> f64 {
    let mut s = 0.0;
    for i in 0..N {
        for j in 0..N {
            s += x[i] * m[i][j] * x[j];
        }
    }
    s
}

#[test]
fn constants_as_generics() {
    let m = [[1.0, 2.0], [-0.5, 0.3]];
    check!(quadratic_form(&m, &[0.7, -1.1]) -> f64);
}

struct Table<'a> {
    weights: &'a [f64],
}

impl<'a> Table<'a> {
    fn weight(&self, i: usize) -> f64 {
        self.weights[i % self.weights.len()]
    }
}

#[adjoint]
fn with_table(weights: &[f64], x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += weights[i % weights.len()] * x[i] * x[i];
    }
    s
}

#[test]
fn lifetimes() {
    let weights = [2.0, 3.0];
    let table = Table { weights: &weights };
    check!(with_table(&vec![table.weight(0), table.weight(1)], &vec![1.0, -0.4, 0.2]) -> f64);
}

#[adjoint]
fn longest<'a>(a: &'a [f64], b: &'a [f64]) -> f64 {
    let longer: &'a [f64] = if a.len() >= b.len() { a } else { b };
    longer.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn a_chosen_slice() {
    check!(longest(&vec![1.0, 2.0], &vec![0.5, 0.25, -1.0]) -> f64);
    check!(longest(&vec![1.0, 2.0, 3.0], &vec![0.5]) -> f64);
}

#[adjoint]
fn scaled<T: Float + Mul<Output = T>>(x: &mut [T], k: T) {
    x.iter_mut().for_each(|v| *v = *v * k);
}

#[test]
fn a_generic_update() {
    check!(scaled(&mut vec![1.0, -2.0], 0.5));
}
