//! Inactive functions that borrow the referent of a `&mut` reference, and receivers whose types are written.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

fn count(x: &[f64]) -> usize {
    x.iter().filter(|v| **v > 0.5).count()
}

fn reset(x: &mut [f64]) {
    x.fill(2.0);
}

#[adjoint(inactive(count))]
fn reads(x: &mut [f64], k: f64) -> f64 {
    let n = count(&*x);
    k * n as f64 * x[0] * x[1]
}

#[adjoint(inactive(reset))]
fn writes(x: &mut [f64], k: f64) -> f64 {
    reset(&mut *x);
    k * x[0] * x[1]
}

#[adjoint]
mod seen {
    fn peak(x: &[f64]) -> usize {
        usize::from(x[1] > x[0])
    }

    #[adjoint(inactive(peak))]
    pub fn scaled(x: &mut [f64], k: f64) -> f64 {
        let at = peak(x);
        x[at] *= k;
        x[0] * x[1] * x[1]
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Damped {
    m: f64,
    k: f64,
}

#[adjoint]
impl Damped {
    fn energy(mut self: Self, x: f64) -> f64 {
        self.m *= x;
        self.m * self.m * self.k
    }
}

#[adjoint]
fn energy(m: f64, k: f64, x: f64) -> f64 {
    Damped { m, k }.energy(x)
}

#[test]
fn references_lent_by_name() {
    check!(reads(&mut [0.7, 0.9, 0.1], 1.3) -> f64);
    check!(writes(&mut [0.7, 0.9, 0.1], 1.3) -> f64);
    check!(seen::scaled(&mut [0.7, 0.9], 1.3) -> f64);
    check!(seen::scaled(&mut [0.9, 0.7], 1.3) -> f64);
}

#[test]
fn receivers_with_a_type() {
    let rows = check!(energy(1.5, 0.4, 0.7) -> f64);
    let by_m = rows[0][0];
    assert!((by_m - 2.0 * 1.5 * 0.4 * 0.49).abs() < 1e-12);
}
