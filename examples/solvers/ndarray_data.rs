//! Logistic regression on data in ndarray's arrays, by gradient descent.
//!
//! ```text
//! cargo run --release --example ndarray_data
//! ```

use adjoint::{Differentiable, Tape, adjoint};
use ndarray::{Array1, Array2};

/// The logarithm of 1 + exp(z), without overflow. Each branch has the right derivative at 0, which `abs` and `max` have not.
#[adjoint]
fn softplus(z: f64) -> f64 {
    if z > 0.0 {
        z + (-z).exp().ln_1p()
    } else {
        z.exp().ln_1p()
    }
}

/// The mean logarithmic loss of the weights `p`: in `features` a row for each label, 0 or 1.
#[adjoint(wrt(p))]
fn loss(p: &[f64], features: &Array2<f64>, labels: &Array1<f64>) -> f64 {
    let mut sum = 0.0;
    for i in 0..features.nrows() {
        let mut z = 0.0;
        for j in 0..features.ncols() {
            z += features[[i, j]] * p[j];
        }
        sum += softplus(z) - labels[i] * z;
    }
    sum / labels.len() as f64
}

/// The weights after the descent, and their loss.
fn train(features: &Array2<f64>, labels: &Array1<f64>, rate: f64, steps: usize) -> (Vec<f64>, f64) {
    let mut tape = Tape::new();
    let mut p = vec![0.0; features.ncols()];
    for _ in 0..steps {
        let (_, gradient) = loss_value_and_gradient_with(&mut tape, &p, features, labels);
        p.axpy(-rate, &gradient);
    }
    let value = loss(&p, features, labels);
    (p, value)
}

/// Points of two overlapping clouds on a grid, with an intercept in the first column.
fn clouds() -> (Array2<f64>, Array1<f64>) {
    let features = Array2::from_shape_fn((200, 3), |(i, j)| match j {
        0 => 1.0,
        1 => (i % 20) as f64 / 10.0 - 1.0,
        _ => (i / 20) as f64 / 5.0 - 1.0,
    });
    let labels = Array1::from_shape_fn(200, |i| {
        let (x, y) = (features[[i, 1]], features[[i, 2]]);
        // Some points lie on the other side.
        let wrong = i % 11 == 0;
        f64::from(u8::from((x + 0.5 * y > 0.2) != wrong))
    });
    (features, labels)
}

fn main() {
    let (features, labels) = clouds();
    let (p, value) = train(&features, &labels, 2.0, 1000);
    println!("weights {p:.4?}");
    println!("loss    {value:.6}");
}

#[cfg(test)]
mod tests {
    use adjoint::check;

    use super::*;

    #[test]
    fn the_gradient_is_right() {
        let (features, labels) = clouds();
        check::gradient(
            |p: &[f64]| loss(p, &features, &labels),
            |p| loss_value_and_gradient(p, &features, &labels),
            &[0.3, -0.2, 0.5][..],
        )
        .assert_within(1e-9);
    }

    #[test]
    fn an_intercept_alone_gives_the_frequency() {
        let (_, labels) = clouds();
        let (p, value) = train(&Array2::ones((200, 1)), &labels, 4.0, 200);
        let mean = labels.sum() / 200.0;
        assert!((p[0] - (mean / (1.0 - mean)).ln()).abs() < 1e-9);
        let entropy = -mean * mean.ln() - (1.0 - mean) * (1.0 - mean).ln();
        assert!((value - entropy).abs() < 1e-12);
    }

    #[test]
    fn the_descent_ends_where_the_gradient_vanishes() {
        let (features, labels) = clouds();
        let (p, value) = train(&features, &labels, 2.0, 2000);
        let (_, gradient) = loss_value_and_gradient(&p, &features, &labels);
        assert!(gradient.dot(&gradient).sqrt() < 1e-6);
        assert!(value < 0.5 && p[1] > p[2] && p[2] > 0.0, "{value}, {p:?}");
    }
}
