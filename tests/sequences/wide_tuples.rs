//! Tuples of up to twelve components, and patterns that declare variables before their values.

use adjoint::adjoint;

use crate::common::check;

type Twelve = (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64);

#[adjoint]
fn many(x: f64, y: f64) -> Twelve {
    let a = x * y;
    let b = a.sin();
    let (c, d) = (a * b, x * x * y);
    (a, b, x, y, c, a + b, x * a, y * b, b * b, a - x, y - b, d)
}

#[adjoint]
fn taken_apart(x: f64, y: f64) -> f64 {
    let (a, b, c, d, e, f, g, h, i, j, k, l) = many(x, y);
    a * b + c * d + e * f - g * h + i * j - k * l
}

#[adjoint]
fn quaternion(m: &[f64; 9]) -> f64 {
    let (q0, [q1, q2, q3]): (f64, [f64; 3]);
    let t = m[0] + m[4] + m[8];
    if t > 1.0 {
        let s = (t + 1.0).sqrt();
        (q0, [q1, q2, q3]) = (0.5 * s, [m[7] - m[5], m[2] / s, m[3]]);
    } else {
        let s = m[0] - m[4];
        q0 = s.sin();
        [q1, q2, q3] = [m[1] * s, m[2], m[3] * m[4]];
    }
    q0 * q1 + q2 * q3
}

#[test]
fn twelve_components() {
    check!(many(0.4, 0.8) -> Twelve);
    check!(taken_apart(0.4, 0.8) -> f64);
}

#[test]
fn patterns_without_values() {
    check!(quaternion(&[0.4, 0.1, 0.7, 0.3, 0.5, 0.2, 0.8, 0.3, 0.6]) -> f64);
    check!(quaternion(&[0.1, 0.1, 0.7, 0.3, 0.2, 0.2, 0.8, 0.3, 0.3]) -> f64);
}
