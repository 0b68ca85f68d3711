//! `Type::default()` of structs, also of generic ones with arguments that only rustc infers.

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::check;

#[derive(Clone, Copy, Default, Differentiable)]
pub struct Mean<T> {
    n: usize,
    mean: T,
}

#[derive(Clone, Copy, Differentiable)]
struct Weights<const N: usize> {
    w: [f64; N],
}

impl<const N: usize> Default for Weights<N> {
    fn default() -> Self {
        Weights { w: [1.0; N] }
    }
}

#[derive(Clone, Copy, Default, Differentiable)]
struct Gain {
    k: f64,
}

#[adjoint]
impl Gain {
    fn times(&self, x: f64) -> f64 {
        (self.k + 1.0) * x
    }
}

#[adjoint]
fn with_its_type(x: &[f64]) -> f64 {
    let mut m: Mean<f64> = Mean::default();
    m.mean += x[0] * x[1];
    m.mean
}

#[adjoint]
fn of_numbers(x: f64) -> f64 {
    let mut weights: Weights<3> = Weights::default();
    weights.w[1] *= x;
    weights.w[0] * weights.w[1] * x
}

#[adjoint]
fn not_generic(x: f64) -> f64 {
    let mut gain = Gain::default();
    gain.k += x;
    let rest = Gain {
        k: x,
        ..Gain::default()
    };
    gain.times(x) * gain.k + rest.times(x)
}

type Real = f64;

#[adjoint]
fn of_a_name_of_floats(x: &[f64]) -> f64 {
    let mut s = Real::default();
    for v in x {
        s += v * v;
    }
    let t = Real::default() + x[0];
    s.sqrt() * s + t.exp()
}

#[adjoint]
mod seen {
    use super::*;

    impl<T: Float> Mean<T> {
        pub fn push(&mut self, x: T) {
            self.n += 1;
            self.mean = self.mean + x;
        }
    }

    #[derive(Clone, Copy, Default, Differentiable)]
    pub struct Sums<T> {
        pub x: T,
        pub y: T,
    }

    impl<T: Float> Sums<T> {
        pub fn add(&mut self, x: T) {
            self.x = self.x + x;
            self.y = self.y * x + x;
        }
    }

    pub fn mean(x: &[f64]) -> f64 {
        let mut m: Mean<f64> = Mean::default();
        for &v in x {
            m.push(v);
        }
        m.mean / m.n as f64
    }

    pub fn inferred(x: &[f64]) -> f64 {
        let mut sums = Sums::default();
        for &a in x {
            sums.add(a);
        }
        sums.x * sums.y
    }

    pub fn several(x: &[f64]) -> f64 {
        let mut sums = vec![Sums::default(); 3];
        for (k, &a) in x.iter().enumerate() {
            sums[k].add(a);
        }
        sums.iter().map(|s| s.x * s.y).sum()
    }
}

#[test]
fn defaults_of_structs() {
    check!(with_its_type(&[0.3, 0.7]) -> f64);
    check!(of_numbers(0.4) -> f64);
    check!(not_generic(0.4) -> f64);
    check!(of_a_name_of_floats(&[0.3, 0.7]) -> f64);
    check!(of_a_name_of_floats(&[0.3]) -> f64);
    check!(seen::mean(&[0.3, 0.7]) -> f64);
    check!(seen::inferred(&[0.3, 0.7]) -> f64);
    check!(seen::several(&[0.3, 0.7]) -> f64);
}
