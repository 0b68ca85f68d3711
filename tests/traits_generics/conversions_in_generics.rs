//! Generic functions that compute in `f64` inside: the conversions there and back have bounds of their own.

use crate::common::{assert_close, check};
use adjoint::adjoint;
use num_traits::{Float, FromPrimitive};

/// The cross-in-tray function.
#[adjoint]
fn cross_in_tray<T: Float + Into<f64> + FromPrimitive>(p: &[T]) -> T {
    let x: f64 = p[0].into();
    let y: f64 = p[1].into();
    let r = (100.0 - (x * x + y * y).sqrt() / std::f64::consts::PI).abs();
    T::from_f64(-0.0001 * ((x.sin() * y.sin() * r.exp()).abs() + 1.0).powf(0.1)).unwrap()
}

#[adjoint]
fn of_a_call<T: Float + Into<f64> + FromPrimitive>(p: &[T], k: T) -> T {
    let both = cross_in_tray(p) * k;
    let of_both: f64 = both.into();
    T::from_f64(of_both.sin()).unwrap()
}

#[adjoint]
fn made_of<T: Float + From<f32>>(x: T) -> T {
    let half: T = 0.5f32.into();
    x * x * half
}

#[adjoint]
fn of_another<T: Float + From<f32>>(x: T) -> T {
    made_of(x) * made_of(x.sin())
}

#[test]
fn bounds_on_conversions() {
    check!(cross_in_tray(&[1.0, 2.0]) -> f64);
    check!(of_a_call(&[1.0, 2.0], 1.5) -> f64);
    check!(made_of(0.7) -> f64);
    check!(of_another(0.7) -> f64);
    let mut p_adj = [0.0f32; 2];
    cross_in_tray_adjoint(&[1.0f32, 2.0], &mut p_adj, 1.0);
    let mut of_f64 = [0.0; 2];
    cross_in_tray_adjoint(&[1.0, 2.0], &mut of_f64, 1.0);
    assert_close(
        &of_f64.map(|d| (d as f32 * 1e3).round() as f64),
        &p_adj.map(|d| (d * 1e3).round() as f64),
    );
}
