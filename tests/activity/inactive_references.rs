//! Values with references in them, as parameters that `wrt` leaves out.

use adjoint::adjoint;

use crate::common::check;

#[adjoint(wrt(x))]
fn weighted(x: &[f64], w: Option<&[f64]>) -> f64 {
    if let Some(w) = w {
        x[0] * w[0]
    } else {
        x[0] * x[0]
    }
}

#[adjoint(wrt(x))]
fn squares(x: &[f64], w: Option<&Vec<f64>>) -> f64 {
    match w {
        Some(w) => x.iter().zip(w.iter()).map(|(a, b)| a * a * b).sum(),
        None => x.iter().map(|a| a * a).sum(),
    }
}

#[adjoint(wrt(x))]
fn mapped(x: &[f64], w: Option<&[f64]>, from: (&[f64], usize)) -> f64 {
    let of = |(i, a): (usize, &f64)| a * a * w.map_or(1.0, |w| w[i]);
    x.iter().enumerate().map(of).sum::<f64>() * from.0[from.1]
}

#[test]
fn lent_options() {
    let x = vec![1.2, 0.3];
    let w = vec![0.7, -0.4];
    assert_eq!(
        check!(weighted(&x, const Some(&w[..])) -> f64),
        [[0.7, 0.0]]
    );
    check!(weighted(&x, const None) -> f64);
    check!(squares(&x, const Some(&w)) -> f64);
    check!(squares(&x, const None) -> f64);
    check!(mapped(&x, const Some(&w[..]), const (&w[..], 1)) -> f64);
    check!(mapped(&x, const None, const (&w[..], 0)) -> f64);
}
