//! Structs without a default that are returned from within loops alone.

use adjoint::{Differentiable, adjoint};

use crate::common::types::list::Node;
use crate::common::{check, flat};

#[derive(Clone, Copy, Differentiable)]
pub struct Complex {
    re: f64,
    im: f64,
}

flat!(Complex { re, im });

#[adjoint]
fn halved(z: Complex, k: f64) -> Complex {
    let mut w = z;
    loop {
        w.re *= k;
        if w.re < 0.5 {
            return w;
        }
    }
}

/// Which of the ways out is taken depends on the iteration; an inner loop returns as well.
#[adjoint]
fn iterated(z: Complex, k: f64, n: usize) -> Complex {
    let mut w = z;
    let mut count = 0;
    loop {
        w = Complex {
            re: w.re * k - 0.1 * w.im,
            im: w.im * k + 0.1 * w.re,
        };
        for j in 0..n {
            if count == 3 && j == 1 {
                w.im *= w.re;
                return w;
            }
            w.re += 0.01 * w.im * j as f64;
        }
        if count == 5 {
            return Complex { re: w.im, im: w.re };
        }
        count += 1;
    }
}

#[adjoint]
pub mod steps {
    use super::*;

    impl std::ops::SubAssign for Complex {
        fn sub_assign(&mut self, other: Complex) {
            self.re -= other.re;
            self.im -= other.im;
        }
    }

    pub fn until(z: Complex, k: f64) -> Complex {
        let mut w = z;
        let mut iterations = 0;
        loop {
            w -= Complex {
                re: k * w.im,
                im: k * w.re,
            };
            iterations += 1;
            if iterations == 4 {
                return w;
            }
        }
    }
}

/// Out of two loops and out of a pattern, of what was collected from few or none.
#[adjoint]
fn decayed(list: Option<Box<Node>>, x: &[f64], k: f64) -> Node {
    let more = x.iter().filter(|v| **v > 0.0);
    let more = more.map(|v| {
        Box::new(Node {
            v: v * k,
            next: None,
        })
    });
    let mut all: Vec<Box<Node>> = list.into_iter().chain(more).collect();
    for i in 0..x.len() {
        let Some(mut node) = all.pop() else {
            return Node {
                v: k * i as f64,
                next: None,
            };
        };
        node.v *= k;
        loop {
            node.v *= 0.5 + 0.1 * node.v;
            if node.v < 0.2 {
                break;
            }
            if node.v < 0.3 {
                return *node;
            }
        }
    }
    Node {
        v: k,
        next: all.pop(),
    }
}

#[test]
fn a_node_leaves_loops_by_return() {
    let node = |v| Some(Box::new(Node { v, next: None }));
    check!(decayed(node(0.9), &[0.5, -0.2, 0.15], 0.8) -> Node);
    check!(decayed(None, &[-0.5, -0.2], 0.8) -> Node);
    check!(decayed(node(0.1), &[-0.5], 0.8) -> Node);
    check!(decayed(node(0.7), &[], 0.8) -> Node);
    check!(decayed(None, &[], 0.8) -> Node);
}

#[test]
fn a_struct_leaves_a_loop_by_return() {
    let z = Complex { re: 1.7, im: 0.4 };
    check!(halved(z, 0.7) -> Complex);
    check!(halved(z, 0.2) -> Complex);
    check!(iterated(z, 0.9, const 0) -> Complex);
    check!(iterated(z, 0.9, const 1) -> Complex);
    check!(iterated(z, 0.9, const 3) -> Complex);
    check!(steps::until(z, 0.3) -> Complex);
}
