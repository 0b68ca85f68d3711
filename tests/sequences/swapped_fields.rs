//! Fields that swap their lists, with types that the macro does not see; boxes behind `Option`s.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
struct Levels {
    new: Vec<f64>,
    old: Vec<f64>,
}

#[adjoint]
fn traded(x: &[f64], k: f64, n: usize) -> f64 {
    let mut levels = Levels {
        new: x.to_vec(),
        old: vec![k; 2],
    };
    let mut s = k;
    for i in 0..n {
        let t = std::mem::take(&mut levels.old);
        levels.old = std::mem::replace(&mut levels.new, t);
        levels.new[0] *= s;
        s += levels.old[1] * levels.new[i % 2];
    }
    s + levels.old[0] * levels.new[0]
}

#[adjoint]
fn boxed(h: &Vec<Option<Box<f64>>>, j: usize, k: f64) -> f64 {
    let p = h[j].as_deref();
    p.map_or(k, |p| p * k)
}

#[adjoint]
fn boxed_mut(h: &mut Option<Box<f64>>, k: f64) {
    if let Some(v) = h.as_deref_mut() {
        *v *= k;
    }
}

#[test]
fn fields_trade_their_lists() {
    for n in [0, 1, 4] {
        check!(traded(&[1.0, 2.0], 0.5, const n) -> f64);
    }
}

#[test]
fn boxes_behind_options() {
    for j in [0, 1] {
        check!(boxed(&vec![None, Some(Box::new(2.0))], const j, 3.0) -> f64);
    }
    check!(boxed_mut(&mut Some(Box::new(2.0)), 3.0));
}
