//! Methods of std's traits by their paths, called and passed to adapters.

use std::ops::{Add, Mul, Neg};

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn called(x: &[f64], k: f64) -> f64 {
    let y: Vec<f64> = Vec::from(x);
    let z = Clone::clone(&y);
    let single = k as f32;
    let wide = Into::<f64>::into(single) - f64::from(single);
    let squares = Iterator::sum::<f64>(z.iter().map(|v| v * v));
    Add::add(k, Neg::neg(squares)) * Mul::mul(y[0], y[1]) + wide
}

#[adjoint]
fn handed(x: &[f64]) -> f64 {
    let sum = x.iter().copied().fold(0.0, f64::add);
    let product = x.iter().copied().fold(1.0, Mul::mul);
    let decay: f64 = x.iter().copied().map(Neg::neg).map(f64::exp).sum();
    let largest = x.iter().map(Clone::clone).map(f64::abs).reduce(f64::max);
    sum * product + decay * largest.unwrap()
}

#[adjoint]
fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v.powi(2)).sum::<f64>().sqrt()
}

#[adjoint]
fn norms(x: &[Vec<f64>]) -> f64 {
    x.iter().map(Vec::as_slice).map(norm).sum()
}

#[test]
fn trait_paths() {
    check!(called(&vec![0.75, 1.5], 0.25) -> f64);
    check!(handed(&vec![0.75, 1.5, -0.5]) -> f64);
    check!(norms(&vec![vec![0.75, 1.5], vec![2.0]]) -> f64);
}
