//! Roots of values that are truncated at zero: a truncated value has the derivative 0, though the root has none.

use crate::common::check;
use adjoint::adjoint;

/// The variance of a volatility model by full truncation.
#[adjoint]
fn variance(v0: f64, kappa: f64, theta: f64, sigma: f64, z: &[f64]) -> f64 {
    let dt = 0.25;
    let mut v = v0;
    let mut s = 0.0;
    for &w in z {
        let plus = v.max(0.0);
        s += (plus * dt).sqrt() * w - 0.5 * plus * dt;
        v += kappa * (theta - plus) * dt + sigma * (plus * dt).sqrt() * w;
    }
    s
}

#[adjoint]
fn from_below(x: f64, k: f64) -> f64 {
    k.min(0.0).abs().sqrt() * x + x.clamp(0.0, 2.0).sqrt() * k + 0.0f64.max(x).powf(0.3)
}

#[test]
fn truncated_paths() {
    check!(variance(0.04, 1.5, 0.04, 0.9, &[-2.0, 1.0, 0.4, -0.3]) -> f64);
    check!(variance(-0.04, 1.5, 0.04, 0.9, &[0.7, 1.0, -0.4, -0.3]) -> f64);
}

#[test]
fn what_is_cut_off() {
    check!(from_below(-0.5, 0.7) -> f64);
    check!(from_below(0.5, -0.7) -> f64);
}
