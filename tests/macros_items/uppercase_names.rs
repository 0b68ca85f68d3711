//! Uppercase variables and constants, as in formulas: in patterns, where constants and unit variants may stand as well.

#![allow(
    non_snake_case,
    non_upper_case_globals,
    reason = "names as in the formulas"
)]

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[adjoint]
fn in_arms(x: f64, T: f64) -> f64 {
    let o = if x > 0.0 { Some(x) } else { None };
    match o {
        Some(T) => T * T,
        None => T,
    }
}
#[adjoint]
fn or_else(x: f64, T: f64) -> f64 {
    let o: Option<f64> = Some(x);
    let Some(T) = o else { return T };
    T * T
}
#[adjoint]
fn behind_tests(x: f64, k: f64) -> f64 {
    let T = 2.0;
    let s = if let Some(T) = Some(x * k) { T * x } else { T };
    if let (T, 1) = (x * k, 1) { T * s } else { T }
}
#[adjoint]
fn with_guards(x: f64, k: f64, N: usize) -> f64 {
    match N + 1 {
        2 | 3 => x,
        N if N > 4 => x * k,
        N => x * k * N as f64,
    }
}
const LIMIT: usize = 2;
#[adjoint]
fn with_constants(x: f64, k: f64, n: usize) -> f64 {
    match n {
        LIMIT => x * k,
        n => x * n as f64,
    }
}

#[test]
fn capitals_in_patterns() {
    assert_eq!(in_arms(0.3, 2.0), 0.09);
    for x in [0.3, -0.3] {
        check!(in_arms(x, 2.0) -> f64);
    }
    check!(or_else(0.3, 2.0) -> f64);
    check!(behind_tests(0.3, 2.0) -> f64);
    for n in 0..6 {
        check!(with_guards(0.3, 2.0, const n) -> f64);
        check!(with_constants(0.3, 2.0, const n) -> f64);
    }
}

const Kp: f64 = 1.5;
const Kb: [f64; 3] = [1.5, 2.0, 0.5];

#[adjoint]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[adjoint]
fn gains(x: &[f64]) -> f64 {
    let s: f64 = Kb.iter().zip(x).map(|(a, b)| a * b).sum();
    x[0] * Kp.max(x[1]) + Kp * Kb[1] * x[1] + dot(x, &Kb) * s
}

#[adjoint]
mod seen {
    const Kp: f64 = 1.5;
    const Kb: [f64; 3] = [1.5, 2.0, 0.5];

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    pub fn gains(x: &[f64]) -> f64 {
        x[0] * Kp.max(x[1]) + dot(x, &Kb)
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Differentiable)]
enum Kind {
    Fast,
    Slow,
}
use Kind::*;

#[derive(Clone, Copy, Debug, Differentiable)]
struct Gain;

#[adjoint]
impl Gain {
    fn apply(&self, x: f64) -> f64 {
        x * 2.5
    }
}

#[adjoint]
fn by_kind(x: f64, k: Kind) -> f64 {
    match k {
        Fast => x * x,
        Slow => x.sin(),
    }
}

#[adjoint]
fn variants(x: f64, n: usize) -> f64 {
    let k = if n > 1 { Fast } else { Slow };
    let gain = Gain;
    let more = if k == Fast { x } else { 0.0 };
    by_kind(x, k) + by_kind(x, Slow) * Gain.apply(x) + gain.apply(more)
}

#[test]
fn names_that_are_no_variants() {
    for x in [1.0, 2.0] {
        check!(gains(&[x, 1.7, 3.0]) -> f64);
        check!(seen::gains(&[x, 1.2, 3.0]) -> f64);
    }
    check!(variants(0.4, const 1) -> f64);
    check!(variants(0.4, const 3) -> f64);
}
