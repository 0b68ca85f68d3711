//! Structs without a default, collected from sources of one item, of none, and from several in a row.

use adjoint::{Differentiable, adjoint};

use crate::common::types::binary::Node;
use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
pub struct Point {
    v: f64,
}

flat!(Point { v });

#[adjoint]
fn optional(o: Option<Point>, k: f64) -> f64 {
    let all: Vec<Point> = o.into_iter().collect();
    all.iter().map(|p| k * p.v * p.v).sum()
}

#[adjoint]
fn in_a_row(v: Vec<Point>, x: f64, w: Vec<Point>) -> f64 {
    let first = std::iter::once(Point { v: x * x });
    let all: Vec<Point> = first
        .chain(v)
        .chain(w)
        .chain(Some(Point { v: x }))
        .collect();
    let mut s = 0.0;
    for (i, p) in all.iter().enumerate() {
        s += p.v * p.v * (i + 1) as f64;
    }
    s
}

/// A walk with a stack of its own.
#[adjoint]
fn walked(root: Option<Box<Node>>, k: f64) -> f64 {
    let mut stack: Vec<Box<Node>> = root.into_iter().collect();
    let mut s = 0.0;
    while let Some(node) = stack.pop() {
        s = s * k + node.v * node.v;
        if let Some(left) = node.left {
            stack.push(left);
        }
        stack.extend(node.right);
    }
    s
}

fn node(v: f64, left: Option<Node>, right: Option<Node>) -> Node {
    let boxed = |n: Option<Node>| n.map(Box::new);
    Node {
        v,
        left: boxed(left),
        right: boxed(right),
    }
}

#[test]
fn collected_one_by_one() {
    let jacobian = check!(optional(Some(Point { v: 1.5 }), 0.7) -> f64);
    assert!((jacobian[0][0] - 2.0 * 0.7 * 1.5).abs() < 1e-9);
    check!(optional(None, 0.7) -> f64);
    let points = |values: &[f64]| values.iter().map(|v| Point { v: *v }).collect::<Vec<_>>();
    check!(in_a_row(points(&[0.3, 0.4]), 1.2, points(&[0.5])) -> f64);
    check!(in_a_row(points(&[]), 1.2, points(&[])) -> f64);
    let tree = node(
        0.4,
        Some(node(0.7, None, None)),
        Some(node(1.1, None, Some(node(0.2, None, None)))),
    );
    check!(walked(Some(Box::new(tree)), 0.8) -> f64);
    check!(walked(None, 0.8) -> f64);
}
