//! Boxes that are built where they are returned: trees as textbooks build them.

use adjoint::adjoint;

use crate::common::check;
use crate::common::types::binary::Node;

#[adjoint]
fn leaf(v: f64) -> Box<Node> {
    Box::new(Node {
        v,
        left: None,
        right: None,
    })
}

#[adjoint]
fn doubled(k: f64) -> Box<Node> {
    if k > 1.0 {
        return Box::new(Node {
            v: k,
            left: None,
            right: None,
        });
    }
    leaf(k * 2.0)
}

#[adjoint]
fn insert(tree: Option<Box<Node>>, v: f64) -> Box<Node> {
    match tree {
        None => leaf(v),
        Some(mut n) => {
            if v < n.v {
                n.left = Some(insert(n.left.take(), v));
            } else {
                n.right = Some(insert(n.right.take(), v));
            }
            n
        }
    }
}

#[adjoint]
fn rotated(mut n: Box<Node>) -> Box<Node> {
    match n.left.take() {
        None => n,
        Some(mut l) => {
            n.left = l.right.take();
            l.right = Some(n);
            l
        }
    }
}

#[adjoint]
fn total(tree: &Option<Box<Node>>, k: f64) -> f64 {
    match tree {
        None => k,
        Some(n) => n.v * total(&n.left, k * 0.5) + total(&n.right, n.v),
    }
}

#[adjoint]
fn in_a_tree(x: &[f64]) -> f64 {
    let mut tree = None;
    for v in x {
        tree = Some(insert(tree, *v));
    }
    let turned = tree.map(rotated);
    total(&turned, 0.3) * doubled(x[0]).v + leaf(x[1]).v
}

#[adjoint]
fn scaled(b: &mut Box<f64>, k: f64) {
    **b *= k;
}

#[adjoint]
fn read(b: &Box<f64>, k: f64) -> f64 {
    **b * k
}

#[adjoint]
fn behind_references(x: f64, k: f64) -> f64 {
    let mut b = Box::new(x);
    scaled(&mut b, k);
    let mut n = leaf(x);
    let node = &mut *n;
    node.v *= k;
    read(&b, x) + n.v
}

#[adjoint]
mod seen {
    fn square(k: f64) -> Box<f64> {
        Box::new(k * k)
    }

    fn positive(k: f64) -> Box<f64> {
        if k < 0.0 {
            return Box::new(-k);
        }
        square(k)
    }

    pub fn number(x: f64) -> f64 {
        *positive(x) * x
    }
}

#[test]
fn boxes_are_returned() {
    check!(in_a_tree(&[0.5, 0.2, 1.3, 0.9]) -> f64);
    check!(in_a_tree(&[1.5, 0.2, 0.1]) -> f64);
    check!(behind_references(0.5, 0.7) -> f64);
    check!(seen::number(0.5) -> f64);
    check!(seen::number(-0.5) -> f64);
}
