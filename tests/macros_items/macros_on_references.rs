//! Macros that dereference references to numbers: `assert!(**t < 3.0)`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
fn filtered(x: &[f64]) -> f64 {
    x.iter()
        .filter(|t| {
            assert!(**t < 3.0 && 2.0 * **t < 9.0, "big");
            true
        })
        .sum()
}
#[adjoint]
fn taken(x: &[f64]) -> f64 {
    x.iter()
        .take_while(|t| {
            debug_assert!(t.is_finite() && **t < 3.0);
            **t > 0.0
        })
        .map(|t| t * t)
        .sum()
}
#[adjoint]
fn greatest(x: &[f64]) -> f64 {
    let m = x
        .iter()
        .max_by(|a, b| {
            assert!(**a < 3.0 && **b < 3.0 && (**a) * (**b) < 9.0);
            a.total_cmp(b)
        })
        .unwrap();
    m * x[0]
}
#[adjoint]
fn multiplied(x: &[f64], y: &mut f64) -> f64 {
    let s = &x[0];
    assert!(*s * *s < 9.0 && s * s > 0.0, "{} {}", *s, 2.0 * *y);
    *y *= *s;
    println!("{}", *y * *s);
    *y
}

#[test]
fn behind_references() {
    let x = [0.3, 1.2, 0.7];
    check!(filtered(&x) -> f64);
    check!(taken(&x) -> f64);
    check!(greatest(&x) -> f64);
    check!(multiplied(&x, &mut 0.4) -> f64);
}

#[adjoint]
fn beside_asserts(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.sort_by(|a, b| {
        debug_assert!(!a.is_nan());
        a.total_cmp(b)
    });
    let m = x
        .iter()
        .map(|a| {
            assert!(*a < 9.0);
            a * a
        })
        .rev()
        .fold(0.0, |s, a| s * 0.5 + a);
    let k = x
        .iter()
        .max_by(|a, b| {
            assert!(a != b || true);
            a.total_cmp(b)
        })
        .unwrap();
    let z: f64 = x
        .iter()
        .map(|a| {
            debug_assert!(*a < 9.0);
            a * 2.0
        })
        .zip(&v)
        .map(|(a, b)| a * b)
        .sum();
    v[0] * m + k * z
}

#[test]
fn in_closures_of_std() {
    check!(beside_asserts(&[1.3, 0.7, 2.1, 0.4, 1.9]) -> f64);
}
