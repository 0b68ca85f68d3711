//! Traits of a module that give methods to floats, sequences, tuples, or to any type.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod m {
    use num_traits::Float;
    use std::ops::{Add, Mul};
    pub trait Stats {
        fn mean(&self) -> f64;
        fn var(&self) -> f64;
        fn sum(&self) -> f64;
        fn twice(&self) -> f64 {
            2.0 * self.mean()
        }
    }
    impl Stats for [f64] {
        fn mean(&self) -> f64 {
            self.iter().sum::<f64>() / self.len() as f64
        }
        fn var(&self) -> f64 {
            let m = self.mean();
            self.iter().map(|x| (x - m).powi(2)).sum::<f64>()
        }
        fn sum(&self) -> f64 {
            let mut s = 0.0;
            for v in self {
                s += v;
            }
            s
        }
    }
    pub trait Norm {
        fn norm(&self) -> f64;
    }
    impl Norm for f64 {
        fn norm(&self) -> f64 {
            self.abs() * 2.0
        }
    }
    impl<const N: usize> Norm for [f64; N] {
        fn norm(&self) -> f64 {
            self.iter().map(|v| v.norm()).sum::<f64>().sqrt()
        }
    }
    impl Norm for Vec<f64> {
        fn norm(&self) -> f64 {
            self.iter().map(|v| v * v).sum::<f64>()
        }
    }
    impl Norm for (f64, f64) {
        fn norm(&self) -> f64 {
            self.0.norm() * self.1
        }
    }
    pub fn stats(x: &[f64], a: [f64; 2]) -> f64 {
        let v = x.to_vec();
        x.mean() * x.var()
            + v.mean()
            + a.twice()
            + x[0].norm()
            + a.norm()
            + v.norm()
            + (x[0] * x[1]).norm()
            + (x[1], x[2]).norm()
            + v.sum() * x[1..].var()
    }
    pub trait Scale {
        fn scale(&mut self, k: f64);
        fn squared(self) -> Self
        where
            Self: Sized;
    }
    impl Scale for [f64; 2] {
        fn scale(&mut self, k: f64) {
            for v in self.iter_mut() {
                *v *= k;
            }
        }
        fn squared(self) -> Self {
            [self[0] * self[0], self[1] * self[1]]
        }
    }
    impl Scale for Vec<f64> {
        fn scale(&mut self, k: f64) {
            for v in self.iter_mut() {
                *v *= k * 2.0;
            }
        }
        fn squared(mut self) -> Self {
            self.iter_mut().for_each(|v| *v *= *v);
            self
        }
    }
    impl Scale for f64 {
        fn scale(&mut self, k: f64) {
            *self *= k;
        }
        fn squared(self) -> Self {
            self * self
        }
    }
    pub fn scaled(x: &mut [f64], k: f64) -> f64 {
        let mut a = [x[0], k];
        a.scale(k);
        let mut v = x.to_vec();
        v.scale(x[1]);
        x[0].scale(k);
        let w = v.squared();
        a.squared()[0] + a[1] + w[0] + x[1].squared() + 2.0f64.squared()
    }
    pub trait Lerp<F> {
        fn lerp_to(&self, other: &Self, t: F) -> Self;
    }
    impl<T: Mul<F, Output = T> + Add<Output = T> + Copy, F: Float> Lerp<F> for T {
        fn lerp_to(&self, other: &Self, t: F) -> Self {
            *self * (F::one() - t) + *other * t
        }
    }
    pub fn blend(a: f64, b: f64, t: f64) -> f64 {
        let mut x = vec![a, b];
        x[0] = x[0].lerp_to(&x[1], t);
        x[0] * x[0]
    }
    pub trait Ext: Float {
        fn sq(self) -> Self {
            self * self
        }
        fn cube(self) -> Self {
            self.sq() * self
        }
    }
    impl Ext for f64 {}
    impl Ext for f32 {}
    pub fn powers(a: f64, b: f64) -> f64 {
        a.sq() * b.cube() + (a + b).sq() + Ext::sq(a) + <f64 as Ext>::cube(b) + f64::sq(a)
    }
    pub trait Dot<R: ?Sized> {
        fn dot(&self, r: &R) -> f64;
    }
    impl Dot<[f64]> for [f64] {
        fn dot(&self, r: &[f64]) -> f64 {
            self.iter().zip(r).map(|(a, b)| a * b).sum()
        }
    }
    pub fn dots(x: &[f64], y: &[f64]) -> f64 {
        x.dot(y) * y.dot(x) + x.to_vec().dot(&y[..])
    }
    fn generic<T: Stats + ?Sized>(x: &T) -> f64 {
        x.mean() * x.twice()
    }
    pub fn through(x: &[f64]) -> f64 {
        generic(x) + generic(&x[1..])
    }
    pub trait Logistic {
        fn logistic(self) -> Self;
    }
    impl Logistic for f64 {
        fn logistic(self) -> f64 {
            1.0 / (1.0 + (-self).exp())
        }
    }
    pub fn mapped(x: &[f64]) -> f64 {
        x.iter().map(|v| v.logistic()).sum::<f64>()
            + x.iter().copied().map(Logistic::logistic).sum::<f64>()
            + x.iter()
                .map(|&v| v * 2.0)
                .map(f64::logistic)
                .product::<f64>()
    }
    pub fn before_its_arguments(x: &[f64]) -> f64 {
        let mut k = [x[0], x[1]];
        let v = k.weighed({
            k[0] += 1.0;
            k[1]
        });
        v * k[0]
    }
    pub trait Weighed {
        fn weighed(self, k: f64) -> f64;
    }
    impl Weighed for [f64; 2] {
        fn weighed(self, k: f64) -> f64 {
            self[0] * k + self[1]
        }
    }
}
use m::*;
const T: [f64; 5] = [0.1, 0.4, 0.5, 0.7, 0.9];
#[test]
fn of_numbers_and_sequences() {
    check!(stats(&T, [0.3, 0.8]) -> f64);
}
#[test]
fn changed_in_place() {
    check!(scaled(&mut [0.3, 0.8], 0.7) -> f64);
}
#[test]
fn for_any_type() {
    check!(blend(0.3, 0.8, 0.7) -> f64);
}
#[test]
fn provided_for_floats() {
    check!(powers(0.3, 0.8) -> f64);
}
#[test]
fn with_parameters() {
    check!(dots(&[0.1, 0.4, 0.5], &[0.7, 0.9, 0.2]) -> f64);
}
#[test]
fn by_their_trait() {
    check!(through(&T) -> f64);
}
#[test]
fn handed_on_by_path() {
    check!(mapped(&T) -> f64);
}

#[test]
fn taken_before_the_arguments() {
    check!(before_its_arguments(&[1.3, 0.7]) -> f64);
}
