//! Lists and trees of boxes, for the kernels that walk them.

use adjoint::Differentiable;

use super::flat;

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Node {
    pub value: f64,
    pub next: Option<Box<Node>>,
}
flat!(Node { value, next });

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Tree {
    pub weight: f64,
    pub left: Option<Box<Tree>>,
    pub right: Option<Box<Tree>>,
}
flat!(Tree {
    weight,
    left,
    right
});

pub fn list(values: &[f64]) -> Option<Box<Node>> {
    let node = |next, value: &f64| {
        Some(Box::new(Node {
            value: *value,
            next,
        }))
    };
    values.iter().rev().fold(None, node)
}

pub fn tree(depth: usize, weight: f64) -> Option<Box<Tree>> {
    let (left, right) = (weight * 0.7, 0.4 - weight);
    (depth > 0).then(|| {
        Box::new(Tree {
            weight,
            left: tree(depth - 1, left),
            right: tree(depth.saturating_sub(2), right),
        })
    })
}
