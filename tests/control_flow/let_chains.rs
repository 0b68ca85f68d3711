//! Chains of conditions and `let`s: `if a && let p = b && c`, and the same in `while`.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn named_between(x: f64, a: f64) -> f64 {
    let z = if x > 0.0 { Some(x) } else { None };
    if let Some(v) = z
        && let w = v * a
        && w < 1.0
    {
        w * v
    } else {
        a
    }
}

#[adjoint]
fn named_first(x: f64, a: f64) -> f64 {
    let z = if x > 0.0 { Some(x) } else { None };
    if let w = x * a
        && w < 1.0
        && let Some(v) = z
    {
        w * v
    } else {
        a
    }
}

#[adjoint]
fn grown(x: f64, a: f64) -> f64 {
    let mut s = x;
    let mut n = 0;
    while let w = s * a
        && w < 1.0
        && n < 5
    {
        s += w;
        n += 1;
    }
    s
}

#[adjoint]
fn popped(x: &[f64], t: f64) -> f64 {
    let mut stack = x.to_vec();
    let mut s = t;
    let mut n = 0;
    'outer: while let Some(v) = stack.pop()
        && s < 4.0
    {
        n += 1;
        if v < 0.0 {
            continue;
        }
        let mut k = 0;
        while let Some(w) = x.get(k)
            && *w < v
        {
            s += w * v;
            k += 1;
            if n > 6 {
                break 'outer;
            }
        }
        s += v;
    }
    s * n as f64
}

#[adjoint]
mod lists {
    use adjoint::Differentiable;

    #[derive(Clone, Differentiable)]
    struct Node {
        v: f64,
        next: Option<Box<Node>>,
    }

    fn build(x: &[f64]) -> Option<Box<Node>> {
        let mut list = None;
        for v in x.iter().rev() {
            list = Some(Box::new(Node { v: *v, next: list }));
        }
        list
    }

    pub fn walked(x: &[f64], t: f64) -> f64 {
        let list = build(x);
        let mut cur = &list;
        let mut s = 0.0;
        while let Some(node) = cur
            && node.v < t
        {
            s += node.v * node.v * t;
            cur = &node.next;
        }
        s
    }

    pub fn changed(x: &[f64], t: f64) -> f64 {
        let mut list = build(x);
        let mut cur = &mut list;
        while let Some(node) = cur
            && node.v < t
        {
            node.v *= t;
            cur = &mut node.next;
        }
        let mut s = 0.0;
        let mut cur = &list;
        while let Some(node) = cur {
            s = s * 0.5 + node.v * node.v;
            cur = &node.next;
        }
        s
    }
}

use lists::*;

#[test]
fn conditions_with_lets() {
    for x in [0.4, -0.5, 3.0] {
        check!(named_between(x, 0.6) -> f64);
        check!(named_first(x, 0.6) -> f64);
        check!(grown(x, 0.6) -> f64);
    }
}

#[test]
fn loops_with_lets() {
    check!(popped(&[0.4, 0.2, -0.3, 0.9], 0.3) -> f64);
    check!(popped(&[1.4, 1.2, -0.3, 3.9], 0.3) -> f64);
    check!(walked(&[0.4, 0.2, 0.5, 0.3], 0.45) -> f64);
    check!(changed(&[0.4, 0.2, 0.5, 0.3], 0.45) -> f64);
}
