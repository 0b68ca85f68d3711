//! Quotients whose values are ordinary and whose partials are out of range.

use adjoint::adjoint;

use crate::common::assert_close;

#[adjoint]
fn loss(x: f64) -> f64 {
    let p = 1.0 / (1.0 + (-x).exp());
    -p.ln()
}

#[adjoint]
fn at_once(x: f64) -> f64 {
    -(1.0 / (1.0 + (-x).exp())).ln()
}

#[adjoint]
fn narrow(x: f32) -> f32 {
    let p = (1.0 + (-x).exp()).recip();
    -p.ln()
}

#[adjoint]
fn scaled(x: f64, t: f64) -> f64 {
    let r = t * x;
    let f = x.sin() / r;
    t * f
}

#[adjoint]
fn assigned(x: f64, t: f64) -> f64 {
    let mut f = x.sin();
    f /= t * x;
    f * t
}

#[adjoint]
fn inverse(x: f64, t: f64) -> f64 {
    let r = (t * x).recip();
    r * t
}

/// The adjoint of `x`, where that of the scale is not asked for.
fn by_x(f: impl Fn(f64, f64, &mut f64, &mut f64) -> f64, x: f64, t: f64) -> f64 {
    let (mut x_adj, mut t_adj) = (0.0, 0.0);
    f(x, t, &mut x_adj, &mut t_adj);
    x_adj
}

#[test]
fn a_seed_as_large_as_the_partial_is_small() {
    for f in [loss_adjoint, at_once_adjoint] {
        let mut x_adj = 0.0;
        f(-400.0, &mut x_adj, 1.0);
        assert_close(&[x_adj], &[-1.0]);
    }
    let mut x_adj = 0.0;
    narrow_adjoint(-60.0, &mut x_adj, 1.0);
    assert!((x_adj + 1.0).abs() < 1e-5, "{x_adj}");
}

#[test]
fn scales_that_cancel() {
    let x = 0.7f64;
    let quotient = (x.cos() * x - x.sin()) / (x * x);
    for t in [1e200, 1e-200, 3.0] {
        let scaled = by_x(|x, t, a, b| scaled_adjoint(x, a, t, b, 1.0), x, t);
        let assigned = by_x(|x, t, a, b| assigned_adjoint(x, a, t, b, 1.0), x, t);
        let inverse = by_x(|x, t, a, b| inverse_adjoint(x, a, t, b, 1.0), x, t);
        assert_close(
            &[scaled, assigned, inverse],
            &[quotient, quotient, -1.0 / (x * x)],
        );
    }
}

#[adjoint]
fn powers(x: f64, t: f64) -> f64 {
    t * (t * x).powi(-1) + t * (t * x).powf(-1.0)
}

#[adjoint]
fn square(x: f64, t: f64) -> f64 {
    t * t * (t * x).powi(-2)
}

#[test]
fn powers_whose_partials_are_out_of_range() {
    let x = 0.7f64;
    for t in [1e200, 1e-200, 3.0] {
        let found = by_x(|x, t, a, b| powers_adjoint(x, a, t, b, 1.0), x, t);
        assert_close(&[found], &[-2.0 / (x * x)]);
    }
    for t in [1e150, 1e-150] {
        let found = by_x(|x, t, a, b| square_adjoint(x, a, t, b, 1.0), x, t);
        assert_close(&[found], &[-2.0 / (x * x * x)]);
    }
}
