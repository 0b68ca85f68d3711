//! Numbers that are parsed from texts, which are constants.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
fn of_one(x: f64, n: &str) -> f64 {
    let k: f64 = n.parse().unwrap();
    k * x * x
}

#[adjoint]
fn with_its_type(x: f64, n: &str) -> f64 {
    let k = n.trim().parse::<f64>().unwrap_or(1.0);
    let t = n.trim();
    let same: f64 = t.parse().unwrap();
    k * x.sin() + same * x
}

#[adjoint]
fn counted(x: f64, n: &str) -> f64 {
    let k: usize = n.parse().unwrap();
    let mut s = x;
    for _ in 0..k {
        s = s * x + 1.0;
    }
    s
}

#[adjoint]
fn of_lines(x: &[f64], lines: &[String], at: usize) -> f64 {
    let c: f64 = lines[at]
        .split(',')
        .map(|part| part.trim().parse::<f64>().unwrap())
        .sum();
    let mut s = 0.0;
    for (i, line) in lines.iter().enumerate() {
        let first: f64 = line.split(',').next().unwrap().parse().unwrap();
        s += first * x[i] * x[i];
    }
    c * s
}

#[test]
fn numbers_in_texts() {
    check!(of_one(0.7, const "2.5") -> f64);
    check!(with_its_type(0.7, const " 2.5 ") -> f64);
    check!(counted(0.7, const "3") -> f64);
    let lines = ["1.5, 2", "0.5,-3"].map(String::from);
    check!(of_lines(&[0.3, 0.4], const &lines, const 1) -> f64);
}
