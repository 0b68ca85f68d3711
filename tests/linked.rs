//! Linked structures: lists and trees of boxes, built, walked by recursion, changed, cut off.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::adjoint;
use common::check;
use common::linked::{Node, Tree, list, tree};

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

// Moved, not copied.

#[adjoint]
fn by_name(x: &[f64], k: f64) -> f64 {
    let mut head: Option<Box<Node>> = None;
    for v in x {
        head = Some(Box::new(Node {
            value: v * v * k,
            next: head,
        }));
    }
    head.map_or(k, |n| n.value * n.value)
}

#[adjoint]
fn by_take(x: &[f64], k: f64) -> f64 {
    let mut head: Option<Box<Node>> = None;
    for v in x {
        head = Some(Box::new(Node {
            value: v * v * k,
            next: head.take(),
        }));
    }
    match &head {
        Some(n) => n.value * n.value,
        None => k,
    }
}

#[adjoint]
fn by_a_box(x: &[f64], k: f64) -> f64 {
    let mut head: Option<Box<Node>> = None;
    for v in x {
        let node = Box::new(Node {
            value: v * v * k,
            next: head,
        });
        head = Some(node);
    }
    match &head {
        Some(n) => n.value * n.value,
        None => k,
    }
}

#[adjoint]
fn used_up(x: &[f64], k: f64) -> f64 {
    let mut head: Option<Box<Node>> = None;
    for v in x {
        head = Some(Box::new(Node {
            value: v * k,
            next: head,
        }));
    }
    let mut s = 0.0;
    while let Some(mut node) = head.take() {
        s += node.value * k * s + node.value;
        node.value *= s;
        head = node.next.take();
    }
    s
}

#[adjoint]
fn turned_around(x: &[f64], k: f64) -> f64 {
    let mut head: Option<Box<Node>> = None;
    for v in x {
        head = Some(Box::new(Node {
            value: v * k,
            next: head,
        }));
    }
    let mut done: Option<Box<Node>> = None;
    while let Some(mut node) = head {
        head = node.next;
        node.value *= node.value;
        node.next = done;
        done = Some(node);
    }
    match &done {
        Some(n) => n.value.sin(),
        None => k,
    }
}

#[adjoint]
fn as_a_queue(x: &[f64], k: f64) -> f64 {
    let mut lists: Vec<Option<Box<Node>>> = vec![None, None];
    for (i, v) in x.iter().enumerate() {
        let rest = lists[i % 2].take();
        lists[i % 2] = Some(Box::new(Node {
            value: v * k,
            next: rest,
        }));
    }
    let mut s = k;
    for list in &lists {
        if let Some(n) = list {
            s *= n.value;
        }
    }
    s
}

#[adjoint]
fn kept_by_a_clone(x: f64, k: f64) -> f64 {
    let mut head = Some(Box::new(Node {
        value: x * k,
        next: None,
    }));
    let before = head.clone();
    head = Some(Box::new(Node {
        value: k * k,
        next: head,
    }));
    let twice = Tree {
        weight: x,
        left: None,
        right: None,
    };
    let both = Tree {
        weight: twice.weight * k,
        left: Some(Box::new(twice.clone())),
        right: Some(Box::new(twice)),
    };
    let second = Some(Box::new(both));
    norm(&head, x) * norm(&before, k) + sum_of_tree(&second, x)
}

#[test]
fn values_are_moved() {
    for x in [&[0.5, 1.2, -0.7][..], &[0.4], &[]] {
        check!(by_name(&x.to_vec(), 0.9) -> f64);
        check!(by_take(&x.to_vec(), 0.9) -> f64);
        check!(by_a_box(&x.to_vec(), 0.9) -> f64);
        check!(used_up(&x.to_vec(), 0.9) -> f64);
        check!(turned_around(&x.to_vec(), 0.9) -> f64);
    }
    check!(as_a_queue(&vec![0.5, 1.2, -0.7, 0.3], 0.9) -> f64);
    check!(kept_by_a_clone(0.7, 0.9) -> f64);
}

#[test]
fn a_list_that_is_moved_is_not_recorded() {
    let n = 1000;
    let (x, mut x_adj) = (vec![0.9; n], vec![0.0; n]);
    let mut tape = adjoint::Tape::new();
    let mut k_adj = 0.0;
    let mut bytes = Vec::new();
    for f in [
        by_name_adjoint_with,
        by_take_adjoint_with,
        by_a_box_adjoint_with,
        used_up_adjoint_with,
        turned_around_adjoint_with,
        as_a_queue_adjoint_with,
    ] {
        f(&mut tape, &x, &mut x_adj, 0.9, &mut k_adj, 1.0);
        bytes.push(tape.stats().peak_bytes);
    }
    assert!(bytes.iter().all(|b| *b < 64 * n), "{bytes:?}");
}
