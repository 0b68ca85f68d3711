//! Accessors of enums that return a reference into whichever variant is present.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod nets {
    use adjoint::Differentiable;
    pub trait Layer {
        fn weights(&self) -> &[f64] {
            &[]
        }
    }
    #[derive(Debug, Clone, Differentiable)]
    pub struct Dense {
        w: Vec<f64>,
    }
    #[derive(Debug, Clone, Differentiable)]
    pub struct Relu;
    impl Layer for Dense {
        fn weights(&self) -> &[f64] {
            &self.w
        }
    }
    impl Layer for Relu {}
    #[derive(Debug, Clone, Differentiable)]
    pub enum E {
        A(Dense),
        B(Relu),
    }
    impl Layer for E {
        fn weights(&self) -> &[f64] {
            match self {
                E::A(o) => o.weights(),
                E::B(o) => o.weights(),
            }
        }
    }
    pub fn run(p: f64, x: f64) -> f64 {
        let all = vec![
            E::A(Dense { w: vec![p, x] }),
            E::B(Relu),
            E::A(Dense { w: vec![p * p] }),
        ];
        let mut s = 0.0;
        for l in &all {
            for w in l.weights() {
                s += w * w;
            }
        }
        s
    }
    pub fn run2(p: f64, x: f64) -> f64 {
        let all = vec![
            E::A(Dense { w: vec![p, x] }),
            E::B(Relu),
            E::A(Dense { w: vec![p * p] }),
        ];
        all.iter()
            .flat_map(|l| l.weights())
            .map(|w| w * w)
            .sum::<f64>()
    }
    pub fn run3(p: f64, x: f64) -> f64 {
        let all = vec![
            E::A(Dense { w: vec![p, x] }),
            E::B(Relu),
            E::A(Dense { w: vec![p * p] }),
        ];
        all.iter()
            .map(|l| l.weights().iter().map(|w| w * w).sum::<f64>())
            .sum::<f64>()
            + all[2].weights()[0]
    }
}
use nets::*;
#[test]
fn t() {
    check!(run(0.3, 0.7) -> f64);
    check!(run2(0.3, 0.7) -> f64);
    check!(run3(0.3, 0.7) -> f64);
}
