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

/// Recursions, whose instances are counted: one that calls itself, with the arguments moved round, and two that
/// call each other.
pub mod recursions {
    use adjoint::adjoint;

    #[adjoint]
    #[allow(clippy::too_many_arguments)]
    pub fn round(a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64, k: u32) -> f64 {
        match k {
            0 => a * b.sin() + c * d.cos() * e + f * g * h,
            _ => round(b, c, d, e, f, g, h, a * b, k - 1) * h + round(h, a, c, b, e, d, g, f, k - 1),
        }
    }

    #[adjoint]
    pub fn there(a: f64, b: f64, c: f64, d: f64, k: u32) -> f64 {
        match k {
            0 => a * b + c * d,
            _ => back(b, c, d, a * b, k - 1) * a,
        }
    }

    #[adjoint]
    pub fn back(a: f64, b: f64, c: f64, d: f64, k: u32) -> f64 {
        match k {
            0 => a.sin() * b * c * d,
            _ => there(b, c, d, a.cos(), k - 1) * a + there(c, a, b, d, k - 1),
        }
    }

    #[adjoint]
    pub fn by_first(x: f64, k: u32) -> f64 {
        round(x, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, k) + there(x, 1.0, 2.0, 3.0, k)
    }

    #[adjoint]
    pub fn by_fourth(x: f64, k: u32) -> f64 {
        round(1.0, 1.0, 2.0, x, 4.0, 5.0, 6.0, x, k) + back(1.0, 2.0, 3.0, x, k)
    }
}
