//! Integer conversions that may fail, characters of texts, and numbers of `bool`s.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn unwrapped(x: &[f64], k: i64) -> f64 {
    x[usize::try_from(k).unwrap()]
}

#[adjoint]
fn or_first(x: &[f64], k: i64) -> f64 {
    x[usize::try_from(k - 1).unwrap_or(0)]
}

#[adjoint]
fn matched(x: &[f64], k: i64) -> f64 {
    match usize::try_from(k) {
        Ok(k) => x[k] * x[k],
        Err(_) => 2.0 * x[0],
    }
}

#[adjoint]
fn converted(x: &[f64], k: i64) -> f64 {
    let n: usize = k.try_into().unwrap();
    x[n]
}

#[adjoint]
fn expected(x: &[f64], k: i64) -> f64 {
    let n: usize = k.try_into().expect("positive");
    let mut s = 1.0;
    for i in 0..u8::try_from(n).unwrap_or(3) {
        s *= x[i as usize];
    }
    s
}

#[adjoint]
fn from_bool(a: f64, b: f64) -> f64 {
    a * f64::from(a > 0.5) + b * f64::from(b < 0.0) as f64 + f64::from(3u8) * a
}

#[adjoint]
fn chars(x: f64, ops: &str) -> f64 {
    let mut v = x;
    for c in ops.chars() {
        match c {
            '+' => v += x,
            '*' => v *= x,
            's' => v = v.sin(),
            _ => {}
        }
    }
    v
}

#[test]
fn integers() {
    let x = [0.3, 0.7, -1.1, 0.45, 0.9, 0.2, -0.6];
    for k in 0..3 {
        check!(unwrapped(&x, const k) -> f64);
        check!(or_first(&x, const k) -> f64);
        check!(matched(&x, const k) -> f64);
        check!(converted(&x, const k) -> f64);
        check!(expected(&x, const k) -> f64);
    }
    check!(matched(&x, const -3) -> f64);
}

#[test]
fn what_does_not_fit() {
    let failed = std::panic::catch_unwind(|| converted_adjoint(&[1.0], &mut [0.0], -1, 1.0));
    assert!(failed.is_err());
}

#[test]
fn characters_and_flags() {
    check!(from_bool(0.7, -0.3) -> f64);
    check!(chars(0.7, const "+*s*") -> f64);
}
