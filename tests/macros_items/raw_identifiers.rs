//! Raw identifiers, which are keywords elsewhere: `r#type`, `r#in`, `r#move`.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[adjoint]
fn raw(r#type: f64, r#in: usize) -> f64 {
    let mut r#loop = r#type;
    for _ in 0..r#in {
        r#loop *= 1.1 * r#type;
    }
    r#loop
}
#[derive(Clone, Differentiable)]
struct Rs {
    r#type: f64,
    r#mod: Vec<f64>,
}
#[adjoint]
impl Rs {
    fn r#move(&mut self, r#try: f64) -> f64 {
        self.r#type *= r#try;
        let Rs { r#type, r#mod } = self;
        *r#type * r#mod[0]
    }
}
#[adjoint]
fn rs(x: f64, r#const: &[f64]) -> f64 {
    let mut s = Rs {
        r#type: x,
        r#mod: r#const.to_vec(),
    };
    s.r#move(x) + s.r#move(r#const[1])
}
#[adjoint]
fn raw_pair((r#type, b): (f64, f64)) -> f64 {
    r#type * b
}
#[adjoint]
fn r#match(x: f64) -> f64 {
    x * x
}
#[adjoint]
fn calls(x: f64) -> f64 {
    r#match(x) * x
}

#[test]
fn raw_names_are_names() {
    check!(raw(0.7, const 3) -> f64);
    check!(rs(0.7, &vec![0.3, 0.4]) -> f64);
    check!(calls(0.7) -> f64);
    let (mut pair_adj, x) = ((0.0, 0.0), (0.3, 0.8));
    assert_eq!(raw_pair_adjoint(x, &mut pair_adj, 1.0), 0.3 * 0.8);
    assert_eq!(pair_adj, (0.8, 0.3));
}
