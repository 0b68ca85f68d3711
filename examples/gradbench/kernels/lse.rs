//! The logarithm of a sum of exponentials, GradBench's `lse`.

use adjoint::adjoint;

#[adjoint]
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let mut largest = x[0];
    for x in &x[1..] {
        largest = largest.max(*x);
    }
    let mut sum = 0.0;
    for x in x {
        sum += (x - largest).exp();
    }
    largest + sum.ln()
}
