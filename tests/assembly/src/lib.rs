//! A call in a loop, of which one argument is varied. What is compiled from this is read as assembly.

use adjoint::adjoint;

/// The derivative with respect to `b` needs two values of `t`, and a cosine.
#[adjoint]
pub fn mixed(a: f64, x: f64, b: f64) -> f64 {
    let mut t = b;
    t = t.sin() * t;
    t *= t;
    a * x + t
}

/// The sum over all elements, as a function of `x` alone.
#[adjoint(wrt(x))]
pub fn total(a: &[f64], x: &[f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += mixed(a[i], x[i], b[i]);
    }
    s
}

/// The same sum, as a function of all.
#[adjoint]
pub fn total_of_all(a: &[f64], x: &[f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += mixed(a[i], x[i], b[i]);
    }
    s
}
