//! Variables with capitals, as formulas have them, in patterns where constants may stand as well.

#![allow(non_snake_case, reason = "names as in the formulas")]

use crate::common::check;
use adjoint::adjoint;

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
