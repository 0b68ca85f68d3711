//! The square of a number, GradBench's `hello`.

use adjoint::adjoint;

#[adjoint]
pub fn square(x: f64) -> f64 {
    x * x
}
