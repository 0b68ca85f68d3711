//! Lists of flags and other inactive items, collected beside the numbers.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
struct Marked {
    first: Vec<bool>,
    v: Vec<f64>,
}

#[adjoint]
fn positive(x: &[f64]) -> f64 {
    let positive: Vec<bool> = x.iter().map(|v| *v > 0.0).collect();
    let mut s = 0.0;
    for i in 0..x.len() {
        if positive[i] {
            s += x[i] * x[i];
        }
    }
    s
}

#[adjoint]
fn in_fields(x: &[f64]) -> f64 {
    let marked = Marked {
        first: (0..x.len()).map(|i| i == 0).collect(),
        v: x.to_vec(),
    };
    let mut s = 0.0;
    for (f, v) in marked.first.iter().zip(&marked.v) {
        s += if *f { v * v } else { *v };
    }
    s
}

#[adjoint]
fn greater(x: &[f64]) -> f64 {
    let greater: Vec<Vec<bool>> = x
        .iter()
        .map(|v| x.iter().map(|w| w > v).collect())
        .collect();
    let mut s = 0.0;
    for i in 0..x.len() {
        for j in 0..x.len() {
            if greater[i][j] {
                s += x[i] * x[j] * x[j];
            }
        }
    }
    s
}

#[adjoint]
fn of_all_kinds(x: &[f64]) -> f64 {
    let flags = x.iter().map(|v| *v > 0.0).collect::<Vec<_>>();
    let letters: Vec<char> = flags.iter().map(|f| if *f { 'a' } else { 'b' }).collect();
    let pairs: Vec<(bool, f64)> = x.iter().map(|v| (*v < 2.0, v * v)).collect();
    let small: Vec<u8> = x.iter().map(|v| v.abs() as u8).collect();
    let some: Vec<Option<f64>> = x.iter().map(|v| (*v > 0.0).then(|| v * v)).collect();
    let first: [bool; 2] = std::array::from_fn(|i| i == 0);
    let mut s = 0.0;
    for i in 0..x.len() {
        if flags[i] && letters[i] == 'a' && first[0] {
            s += x[i] * small[i] as f64 + some[i].unwrap_or(0.0);
        }
    }
    s + pairs.iter().filter(|p| p.0).map(|p| p.1).sum::<f64>()
}

#[test]
fn flags_are_collected() {
    for x in [vec![1.5, -0.5, 2.5], vec![]] {
        check!(positive(&x) -> f64);
        check!(in_fields(&x) -> f64);
        check!(greater(&x) -> f64);
        check!(of_all_kinds(&x) -> f64);
    }
}
