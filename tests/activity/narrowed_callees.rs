//! Callees whose `wrt` or `of` leaves out derivatives that no caller needs.
//!
//! A derivative that a caller needs is refused; the documentation of the crate shows it.

use crate::common::check;
use adjoint::adjoint;

#[adjoint(wrt(x))]
fn product(x: f64, k: f64) -> f64 {
    x * k
}
#[adjoint(wrt(x))]
fn g_fine(x: f64, k: f64) -> f64 {
    product(x, k) + k
}
#[adjoint(wrt(x))]
fn rec(x: f64, k: f64, n: usize) -> f64 {
    if n == 0 {
        x * k
    } else {
        rec(x * k, k + 1.0, n - 1)
    }
}
#[adjoint(wrt(x))]
fn fill(x: &[f64], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = x[i] * x[0];
    }
}
#[adjoint]
fn reuse(x: &[f64]) -> f64 {
    let mut b = vec![0.0; x.len()];
    let mut s = 0.0;
    for i in 0..3 {
        fill(x, &mut b);
        s += b[i % x.len()];
        b[0] *= s;
    }
    s
}
#[adjoint(wrt(x), of(out))]
fn residual(x: &[f64], out: &mut [f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..out.len() {
        out[i] = x[i] * x[0];
        s += out[i];
    }
    s
}
#[adjoint]
fn converge(x: &[f64]) -> f64 {
    let mut b = x.to_vec();
    for _ in 0..5 {
        if residual(x, &mut b) > 10.0 {
            break;
        }
        b[0] *= 2.0;
    }
    b[0] * b[1]
}
#[test]
fn what_nobody_asks_for_may_be_left_out() {
    let mut a = 0.0;
    g_fine_adjoint(0.3, &mut a, 0.4, 1.0);
    assert_eq!(a, 0.4);
    let mut a = 0.0;
    rec_adjoint(0.3, &mut a, 0.4, 2, 1.0);
    assert!((a - 0.4 * 1.4 * 2.4).abs() < 1e-12);
    check!(reuse(&vec![0.3, 0.8]) -> f64);
    check!(converge(&vec![0.3, 0.8]) -> f64);
}
