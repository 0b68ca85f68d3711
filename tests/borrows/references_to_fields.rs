//! References to fields, chosen at run time: `let (near, far) = if c { (&n.left, &n.right) } else ..`.
//!
//! The macro does not see the types of the fields.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Debug, Differentiable)]
pub struct Node {
    a: Vec<f64>,
    b: Vec<f64>,
    c: f64,
}
#[adjoint]
fn s(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}
#[adjoint]
fn one(n: &Node, k: f64) -> f64 {
    let p = if k < 0.0 { &n.a } else { &n.b };
    s(p) * k
}
#[adjoint]
fn in_pairs(n: &Node, k: f64) -> f64 {
    let (p, q) = if k < 0.0 { (&n.a, &n.b) } else { (&n.b, &n.a) };
    s(p) * k + s(q)
}
#[adjoint]
fn scalars(n: &Node, m: &Node, k: f64) -> f64 {
    let (p, q) = if k < 0.0 { (&n.c, &m.c) } else { (&m.c, &n.c) };
    *p * k + q * q
}
#[adjoint]
fn fields(x: f64, k: f64) -> f64 {
    let n = Node {
        a: vec![x, x * k],
        b: vec![k],
        c: x,
    };
    let m = Node { c: k, ..n.clone() };
    one(&n, k) + in_pairs(&n, k) + scalars(&n, &m, k)
}
#[test]
fn fields_chosen_at_run_time() {
    check!(fields(0.3, 0.8) -> f64);
    check!(fields(0.3, -0.8) -> f64);
}

#[derive(Clone, Debug, Differentiable)]
pub struct Kd {
    p: [f64; 2],
    axis: usize,
    left: Option<Box<Kd>>,
    right: Option<Box<Kd>>,
}
#[adjoint]
fn build(x: &[[f64; 2]], depth: usize) -> Option<Box<Kd>> {
    if x.is_empty() {
        return None;
    }
    let axis = depth % 2;
    let mut v = x.to_vec();
    v.sort_by(|a, b| a[axis].partial_cmp(&b[axis]).unwrap());
    let m = v.len() / 2;
    Some(Box::new(Kd {
        p: v[m],
        axis,
        left: build(&v[..m], depth + 1),
        right: build(&v[m + 1..], depth + 1),
    }))
}
#[adjoint]
fn nearest(n: &Option<Box<Kd>>, q: &[f64; 2], best: f64) -> f64 {
    let Some(n) = n else { return best };
    let d2 = (n.p[0] - q[0]).powi(2) + (n.p[1] - q[1]).powi(2);
    let mut best = best.min(d2);
    let diff = q[n.axis] - n.p[n.axis];
    let (near, far) = if diff < 0.0 {
        (&n.left, &n.right)
    } else {
        (&n.right, &n.left)
    };
    best = nearest(near, q, best);
    if diff * diff < best {
        best = nearest(far, q, best);
    }
    best
}
#[adjoint]
fn nearest_of(x: &[[f64; 2]], q: [f64; 2]) -> f64 {
    let t = build(x, 0);
    nearest(&t, &q, 100.0)
}
#[test]
fn a_k_d_tree() {
    check!(nearest_of(&vec![[0.3, 0.8], [0.7, 0.2], [0.9, 0.5], [0.1, 0.4]], [0.6, 0.3]) -> f64);
}
