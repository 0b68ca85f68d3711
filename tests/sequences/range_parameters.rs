//! Ranges as parameters: `acc(1..n, x)`.

use crate::common::check;
use adjoint::adjoint;
use std::ops::{Range, RangeInclusive};
#[adjoint]
fn acc(r: Range<usize>, x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in r {
        s += x[i] * x[i];
    }
    s
}
#[adjoint]
fn part(x: &[f64], r: Range<usize>) -> f64 {
    let n = r.len();
    x[r.clone()].iter().sum::<f64>() * n as f64
        + x[r.start] * (r.end - r.start) as f64
        + r.map(|i| x[i]).product::<f64>()
}
#[adjoint]
fn closed(x: &[f64], r: RangeInclusive<usize>) -> f64 {
    let mut s = 0.0;
    for i in r.clone() {
        s = s * 0.5 + x[i];
    }
    if r.contains(&1) {
        s *= 2.0;
    }
    s + x[*r.start()]
}
#[adjoint]
fn stepped(x: &[f64], mut r: Range<usize>) -> f64 {
    let first = r.next().unwrap();
    let mut s = x[first];
    for i in r.rev() {
        s = s * x[i] + 1.0;
    }
    s
}
#[adjoint]
fn calls(x: &[f64]) -> f64 {
    let n = x.len();
    acc(0..2, x) + acc(1..n, x) * part(x, 0..n - 1) + closed(x, 0..=1) + stepped(x, 1..4)
}
#[adjoint]
mod m {
    use std::ops::Range;
    fn width(r: Range<f64>, x: f64) -> f64 {
        (r.end - r.start) * x
    }
    pub fn f(x: f64, y: f64) -> f64 {
        let r = y..x * x;
        width(x..y, x) + width(r, y)
    }
    #[derive(Clone, adjoint::Differentiable)]
    pub struct Curve {
        a: f64,
        b: f64,
    }
    impl Curve {
        fn sub(&self, range: Range<f64>) -> Curve {
            Curve {
                a: self.a * range.start,
                b: self.b * range.end,
            }
        }
        fn sum(&self, r: Range<usize>) -> f64 {
            r.map(|i| self.a * (i as f64 + self.b)).sum()
        }
    }
    pub fn g(x: f64, y: f64) -> f64 {
        let c = Curve { a: x, b: y };
        let d = c.sub(0.5 * x..y);
        d.a * d.b + d.sum(0..3)
    }
}
use m::*;
const T: [f64; 5] = [0.1, 0.4, 0.5, 0.7, 0.9];
#[adjoint]
fn listed(x: &[f64], r: &[Range<usize>]) -> f64 {
    let mut s = 0.0;
    for b in 0..r.len() {
        let mut t = 0.0;
        for j in r[b].clone() {
            t += x[j] * x[j];
        }
        s += t * t;
    }
    for part in r {
        for j in part.clone() {
            s += x[j].sin();
        }
    }
    s
}
#[test]
fn of_a_loop() {
    check!(listed(&[0.3, -0.4, 1.2, 0.5], const &[0..2, 1..4]) -> f64);
    check!(acc(const 1..4, &T) -> f64);
}
#[test]
fn of_parts() {
    check!(part(&T, const 1..4) -> f64);
}
#[test]
fn closed_ones() {
    check!(closed(&T, const 1..=4) -> f64);
}
#[test]
fn advanced() {
    check!(stepped(&T, const 1..4) -> f64);
}
#[test]
fn handed_on() {
    check!(calls(&T) -> f64);
}
#[test]
fn of_floats() {
    check!(f(0.3, 0.8) -> f64);
    check!(g(0.3, 0.8) -> f64);
}
