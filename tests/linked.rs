//! Linked structures: lists and trees of boxes, built, walked by recursion, changed, cut off.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::{Differentiable, adjoint};
use common::{Flat, check};

/// The scalars of a struct, field by field.
macro_rules! flat {
    ($ty:ident { $($field:ident),* }) => {
        impl Flat for $ty {
            const SINGLE: bool = false;
            fn write(&self, to: &mut Vec<f64>) {
                $(self.$field.write(to);)*
            }
            fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
                $ty { $($field: self.$field.read(from)),* }
            }
        }
    };
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Node {
    value: f64,
    next: Option<Box<Node>>,
}
flat!(Node { value, next });

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Tree {
    weight: f64,
    left: Option<Box<Tree>>,
    right: Option<Box<Tree>>,
}
flat!(Tree {
    weight,
    left,
    right
});

fn list(values: &[f64]) -> Option<Box<Node>> {
    let node = |next, value: &f64| {
        Some(Box::new(Node {
            value: *value,
            next,
        }))
    };
    values.iter().rev().fold(None, node)
}

fn tree(depth: usize, weight: f64) -> Option<Box<Tree>> {
    let (left, right) = (weight * 0.7, 0.4 - weight);
    (depth > 0).then(|| {
        Box::new(Tree {
            weight,
            left: tree(depth - 1, left),
            right: tree(depth.saturating_sub(2), right),
        })
    })
}

#[adjoint]
fn norm(node: &Option<Box<Node>>, k: f64) -> f64 {
    match node {
        Some(n) => n.value * n.value + k * norm(&n.next, k * n.value),
        None => k,
    }
}

#[test]
fn a_list_is_walked() {
    check!(norm(&list(&[0.5, 1.2, -0.7]), 0.9) -> f64);
    check!(norm(&list(&[]), 0.9) -> f64);
}

#[adjoint]
fn grow(node: &mut Option<Box<Node>>, k: f64) -> f64 {
    if let Some(n) = node {
        n.value *= k;
        let rest = grow(&mut n.next, k * n.value);
        n.value += rest * rest;
        rest + n.value.sin()
    } else {
        k * k
    }
}

#[test]
fn a_list_is_changed() {
    check!(grow(&mut list(&[0.5, 1.2, -0.7]), 0.9) -> f64);
}

#[adjoint]
fn built(x: &[f64], k: f64) -> Option<Box<Node>> {
    if x.is_empty() {
        return None;
    }
    let next = built(&x[1..], k * x[0]);
    Some(Box::new(Node {
        value: x[0] * k,
        next,
    }))
}

#[adjoint]
fn built_and_walked(x: &[f64], k: f64) -> f64 {
    let head = built(x, k);
    norm(&head, k)
}

#[test]
fn a_list_is_built_by_recursion() {
    check!(built_and_walked(&vec![0.5, 1.2, -0.7], 0.9) -> f64);
}

#[adjoint]
fn prepended(x: &[f64], k: f64) -> f64 {
    let mut head: Option<Box<Node>> = None;
    for v in x {
        head = Some(Box::new(Node {
            value: v * v * k,
            next: head,
        }));
    }
    norm(&head, k)
}

#[test]
fn a_list_is_built_in_a_loop() {
    check!(prepended(&vec![0.5, 1.2, -0.7], 0.9) -> f64);
}

#[adjoint]
fn cut(node: &mut Option<Box<Node>>, n: usize, k: f64) {
    if let Some(here) = node {
        here.value *= k * here.value;
        if n == 0 {
            here.next = None;
        } else {
            cut(&mut here.next, n - 1, k * here.value);
        }
    }
}

#[test]
fn a_tail_is_dropped() {
    for n in 0..4 {
        check!(cut(&mut list(&[0.5, 1.2, -0.7]), const n, 0.9));
    }
}

#[adjoint]
fn appended(node: &mut Option<Box<Node>>, v: f64) {
    match node {
        Some(n) => appended(&mut n.next, v * n.value),
        None => {
            *node = Some(Box::new(Node {
                value: v * v,
                next: None,
            }));
        }
    }
}

#[test]
fn a_list_gets_longer() {
    check!(appended(&mut list(&[0.5, 1.2]), 0.9));
    check!(appended(&mut list(&[]), 0.9));
}

#[adjoint]
fn sum_of_tree(t: &Option<Box<Tree>>, x: f64) -> f64 {
    match t {
        None => x,
        Some(t) => t.weight * sum_of_tree(&t.left, x * t.weight) + sum_of_tree(&t.right, x).sin(),
    }
}

#[test]
fn a_tree_is_walked() {
    check!(sum_of_tree(&tree(4, 0.8), 0.9) -> f64);
}

#[adjoint]
fn relaxed(t: &mut Option<Box<Tree>>, x: f64) -> f64 {
    let Some(t) = t else { return x };
    let l = relaxed(&mut t.left, x * t.weight);
    let r = relaxed(&mut t.right, x + t.weight);
    t.weight = (l * r).cos() * t.weight;
    t.weight + l
}

#[test]
fn a_tree_is_changed() {
    check!(relaxed(&mut tree(4, 0.8), 0.9) -> f64);
}

#[adjoint]
fn boxed(x: f64, k: f64) -> f64 {
    let mut b = Box::new(x * k);
    *b *= x;
    let c = Box::new([*b, k]);
    c[0] * c[1] + b.sin()
}

#[test]
fn a_box_holds_a_value() {
    check!(boxed(0.7, 1.3) -> f64);
}

#[adjoint]
fn mirrored(t: &mut Option<Box<Tree>>, k: f64) {
    if let Some(t) = t {
        let left = t.left.take();
        t.left = std::mem::replace(&mut t.right, left);
        t.weight *= k;
        mirrored(&mut t.left, k * t.weight);
        mirrored(&mut t.right, k);
    }
}

#[test]
fn a_tree_is_turned_around() {
    check!(mirrored(&mut tree(3, 0.8), 0.9));
}
