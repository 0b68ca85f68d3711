//! Lists that are created where they are borrowed: `f(x, &mut vec![], k)`, `let mut y = Vec::new(); f(x, &mut y)`.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[adjoint]
fn f(x: &[f64], out: &mut [f64], k: f64) -> f64 {
    for o in out.iter_mut() {
        *o = x[0] * k;
    }
    x[1] * k
}
#[adjoint]
fn g_vec(x: &[f64], k: f64) -> f64 {
    f(x, &mut vec![], k)
}
#[adjoint]
fn g_arr(x: &[f64], k: f64) -> f64 {
    f(x, &mut [0.0; 3], k)
}
#[adjoint]
fn g_arr0(x: &[f64], k: f64) -> f64 {
    f(&vec![k, k], &mut [], k) + f(&[k, x[0]], &mut [0.0, k], k)
}
#[adjoint]
fn g_new(x: &[f64], k: f64) -> f64 {
    f(&[x[0], k], &mut Vec::new(), k) + f(&[x[0], k], &mut vec![k; 2], k)
}
#[derive(Clone, Debug, Differentiable)]
pub struct Domain {
    pub x: Vec<f64>,
    pub mass: Vec<f64>,
}
#[adjoint]
mod k {
    use super::*;
    fn force(d: &Domain, fx: &mut Vec<f64>) {
        fx.clear();
        fx.resize(d.x.len(), 0.0);
        for n in 0..d.x.len() {
            fx[n] += 0.5 * d.x[n];
        }
    }
    pub fn run(d: &mut Domain) -> f64 {
        let mut fx = Vec::new();
        force(d, &mut fx);
        for n in 0..d.x.len() {
            let ax = fx[n] / d.mass[n];
            d.x[n] += ax;
        }
        d.x[0]
    }
    pub fn of(x: &[f64]) -> f64 {
        let mut d = Domain {
            x: x.to_vec(),
            mass: vec![2.0; x.len()],
        };
        run(&mut d)
    }
}
#[test]
fn lists_are_lent_as_they_are_made() {
    check!(g_vec(&vec![0.3, 0.8], 0.7) -> f64);
    check!(g_arr(&vec![0.3, 0.8], 0.7) -> f64);
    check!(g_arr0(&vec![0.3, 0.8], 0.7) -> f64);
    check!(g_new(&vec![0.3, 0.8], 0.7) -> f64);
    check!(k::of(&vec![0.3, 0.8]) -> f64);
}
