// What a foreign type lacks is said once, where it is called, and nobody is told to change the type.

use std::time::Duration;

use adjoint::adjoint;

#[adjoint]
fn function(x: f64) -> f64 {
    Duration::from_secs_f64(x).as_secs_f64()
}

#[adjoint(wrt(x))]
fn method(x: f64, d: Duration) -> f64 {
    let y = d.mul_f64(x);
    y.as_secs_f64() * x
}

#[adjoint]
fn parameter(x: f64, _d: &Duration) -> f64 {
    x * x
}

fn main() {}
