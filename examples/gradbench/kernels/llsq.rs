//! Least squares of a polynomial against the sign function, GradBench's `llsq`.

use adjoint::adjoint;

/// Half of the squared distance of the polynomial with the coefficients `x` from the sign, over `n` points in [−1, 1].
#[adjoint]
pub fn objective(x: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        let t = -1.0 + 2.0 * i as f64 / (n as f64 - 1.0);
        let mut residual = sign(t);
        let mut power = 1.0;
        for x in x {
            residual -= x * power;
            power *= t;
        }
        sum += residual * residual;
    }
    0.5 * sum
}

/// The sign, which is 0 at 0.
fn sign(t: f64) -> f64 {
    if t == 0.0 { 0.0 } else { t.signum() }
}
