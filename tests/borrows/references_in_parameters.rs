//! Parameters that hold references (`Option<&[f64]>`, `(&f64, &f64)`), functions by an alias of `f64`, and `is_zero`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod m {
    use adjoint::Differentiable;
    use num_traits::{Float, Zero};
    pub type V = f64;
    pub fn alias(x: f64) -> f64 {
        V::sqrt(x)
            + [x, -x * 2.0]
                .iter()
                .copied()
                .map(V::abs)
                .fold(V::NEG_INFINITY, V::max)
                * V::powi(x, 3)
    }
    #[derive(Clone, Copy, Differentiable)]
    pub struct Point {
        x: f64,
        y: f64,
    }
    impl From<(f64, f64)> for Point {
        fn from(v: (f64, f64)) -> Point {
            Point { x: v.0, y: v.1 }
        }
    }
    #[derive(Clone, Copy, Differentiable)]
    pub struct Line {
        p: Point,
        q: Point,
    }
    impl Line {
        fn new(p: Point, q: Point) -> Line {
            Line { p, q }
        }
        fn at(self, q: Point) -> f64 {
            self.p.x * q.x + self.q.y
        }
    }
    pub fn into(x: f64, y: f64) -> f64 {
        let l = Line::new((x, y).into(), (y, y).into());
        l.at(Point::from((y, x)))
    }
    fn width(l: (&f64, &f64)) -> f64 {
        *l.1 - *l.0
    }
    pub fn tuples(x: &[f64]) -> f64 {
        let l = (&x[0], &x[x.len() - 1]);
        width(l) * width((&x[1], &x[0]))
    }
    #[derive(Clone, Copy, Differentiable)]
    pub struct State {
        t: f64,
    }
    fn step(x: f64, s: Option<&mut State>) -> f64 {
        match s {
            Some(s) => {
                s.t += x;
                s.t * x
            }
            None => x,
        }
    }
    pub fn options(x: f64) -> f64 {
        let mut s = Some(State { t: 1.0 });
        step(x, s.as_mut()) * step(x, s.as_mut()) + step(x, None) + s.unwrap().t
    }
    fn weighted(x: &[f64], w: Option<&[f64]>) -> f64 {
        match w {
            Some(w) => x.iter().zip(w).map(|(a, b)| a * b).sum(),
            None => x.iter().sum(),
        }
    }
    pub fn weights(x: &[f64], w: &[f64], c: bool) -> f64 {
        weighted(x, None) * weighted(x, Some(w))
            + weighted(w, if c { Some(x) } else { None })
            + weighted(x, c.then_some(w))
    }
    fn safe<T: Float>(x: T, y: T) -> T {
        if y.is_zero() { T::zero() } else { x / y }
    }
    pub fn zero(x: f64, y: f64) -> f64 {
        safe(x, y) * safe(y, x - x) + safe(y, x) + if x.is_zero() { 1.0 } else { y }
    }
}
use m::*;
const T: [f64; 3] = [0.1, 0.4, 0.5];
#[test]
fn by_an_alias() {
    check!(alias(0.7) -> f64);
    check!(into(0.7, 0.4) -> f64);
}
#[test]
fn in_tuples_and_options() {
    check!(tuples(&T) -> f64);
    check!(options(0.7) -> f64);
}
#[test]
fn of_slices() {
    for c in [true, false] {
        check!(weights(&T, &[0.3, 0.8, 0.9], const c) -> f64);
    }
}
#[test]
fn zero_of_any_float() {
    check!(zero(0.7, 0.4) -> f64);
}
