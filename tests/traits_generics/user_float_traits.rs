//! Type parameters with the user's own traits of reals, whose methods are std's or are refused at run time.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

/// What a library without std has in place of num-traits.
pub trait Real: Copy + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> {
    fn sin(self) -> Self;
    fn exp(self) -> Self;
    fn atan2(self, x: Self) -> Self;
    fn max(self, other: Self) -> Self;
}

impl Real for f64 {
    /// Off in the last digits.
    fn sin(self) -> f64 {
        f64::sin(self) * (1.0 + 1e-12)
    }

    /// Without overflow.
    fn exp(self) -> f64 {
        f64::exp(self.min(2.0))
    }

    fn atan2(self, x: f64) -> f64 {
        f64::atan2(self, x)
    }

    fn max(self, other: f64) -> f64 {
        f64::max(self, other)
    }
}

#[adjoint]
fn wave<T: Real>(x: T, y: T) -> T {
    let mut s = x;
    for _ in 0..2 {
        s = (s * y).sin() + T::exp(s * y);
    }
    s.max(x).atan2(y)
}

#[derive(Clone, Copy, Differentiable)]
pub struct Filter<T> {
    gain: T,
}

#[adjoint]
impl<T> Filter<T>
where
    T: Real,
{
    fn run(&self, x: T) -> T {
        (self.gain * x).sin() + x.exp()
    }
}

#[adjoint]
fn filtered(x: f64) -> f64 {
    let filter = Filter { gain: 1.5 };
    filter.run(x) * x
}

/// Of which the parameter is a number in name only.
#[adjoint]
fn of_library<T: num_traits::Float>(x: T, y: T) -> T {
    x.sin().hypot(y) + T::exp(x).max(y)
}

/// Made from literals by a bound of the trait, which has no `Option`.
pub trait Scalar:
    Copy + From<f32> + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self>
{
}

impl Scalar for f64 {}

#[adjoint]
fn feedback<T: Scalar>(x: T, n: usize) -> T {
    let mut s = T::from(0.25_f32);
    for _ in 0..n {
        s = s * x + T::from(0.5_f32) * x;
    }
    s
}

#[test]
fn methods_that_forward_are_stds() {
    check!(wave(0.4, 0.7) -> f64);
    check!(filtered(0.4) -> f64);
    check!(of_library(0.4, 0.7) -> f64);
    check!(feedback(0.4, const 3) -> f64);
}

#[test]
fn the_value_is_that_of_the_method() {
    let value = filtered_adjoint(1.0, &mut 0.0, 1.0);
    assert_eq!(value, filtered(1.0));
    assert!(value != f64::sin(1.5) + f64::exp(1.0));
}

#[test]
#[should_panic = "`exp` of a type parameter is another function than std's"]
fn another_function_is_refused() {
    wave_adjoint(3.0, &mut 0.0, 1.0, &mut 0.0, 1.0);
}

/// In degrees: at 0, only the slope differs.
pub trait Turn: Copy {
    fn tan(self) -> Self;
}

impl Turn for f64 {
    fn tan(self) -> f64 {
        self.to_radians().tan()
    }
}

#[adjoint]
fn rise<T: Turn>(x: T) -> T {
    x.tan()
}

#[test]
#[should_panic = "`tan` of a type parameter is another function than std's"]
fn another_slope_is_refused() {
    rise_adjoint(0.0, &mut 0.0, 1.0);
}

#[test]
#[should_panic = "`exp` of a type parameter is another function than std's"]
fn another_function_of_an_impl_is_refused() {
    filtered_adjoint(2.5, &mut 0.0, 1.0);
}
