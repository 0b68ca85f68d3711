//! Partials of 0 before infinite ones: a zero seed contributes exact zeros.
//!
//! One expression and several give the same.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn gaussian(d: f64, n: usize) -> f64 {
    (-d * d / (2.0 * n as f64)).exp()
}

#[adjoint]
fn weighted(x: f64, w: &[f64]) -> f64 {
    let widths = w.iter().map(|w| 1.0 / w);
    widths
        .map(|w| (-x * w).exp() + (x * w).tanh() + (x * w).atan())
        .sum()
}

#[adjoint]
fn parallel(x: f64, y: f64) -> f64 {
    1.0 / (1.0 + 1.0 / (x / y))
}

#[adjoint]
fn of_root(a: f64, x: f64) -> f64 {
    3.0 * (a * (x.sqrt() * a).cbrt())
}

#[adjoint(wrt(x))]
fn of_power(k: f64, x: f64, p: f64) -> f64 {
    k * (k * x.powf(p))
}

#[test]
fn a_width_of_zero_leaves_zeros() {
    let mut d_adj = 0.0;
    assert_eq!(gaussian_adjoint(1.5, &mut d_adj, 0, 1.0), 0.0);
    assert_eq!(d_adj, 0.0);
    let (mut x_adj, mut w_adj) = (0.0, [0.0; 2]);
    let value = weighted_adjoint(1.0, &mut x_adj, &[0.0, 2.0], &mut w_adj, 1.0);
    assert_eq!(value, weighted(1.0, &[0.0, 2.0]));
    let slope = |w: f64| -w * (-w).exp() + w * (1.0 - w.tanh().powi(2)) + w / (1.0 + w * w);
    assert!((x_adj - slope(0.5)).abs() < 1e-15);
    check!(gaussian(0.7, const 2) -> f64);
    check!(weighted(0.7, &[1.5, 2.0]) -> f64);
    check!(parallel(0.7, 1.2) -> f64);
}

#[test]
fn a_factor_of_zero_hides_the_pole() {
    let (mut a_adj, mut x_adj) = (0.0, 0.0);
    assert_eq!(of_root_adjoint(0.0, &mut a_adj, 0.0, &mut x_adj, 1.0), 0.0);
    assert_eq!((a_adj, x_adj), (0.0, 0.0));
    let mut x_adj = 0.0;
    assert_eq!(of_power_adjoint(0.0, 0.0, &mut x_adj, 0.5, 1.0), 0.0);
    assert_eq!(x_adj, 0.0);
    check!(of_root(0.7, 1.2) -> f64);
}
