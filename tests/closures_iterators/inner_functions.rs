//! Functions inside the body of a function: they get an adjoint with it.

use crate::common::check;
use crate::common::types::list::Node;
use adjoint::{Differentiable, adjoint};

#[adjoint]
fn list(xs: &[f64]) -> Option<Box<Node>> {
    let mut head = None;
    for x in xs {
        head = Some(Box::new(Node {
            v: *x,
            next: head.take(),
        }));
    }
    head
}

#[adjoint]
fn merged(a: &[f64], b: &[f64], k: f64) -> f64 {
    fn merge(a: Option<Box<Node>>, b: Option<Box<Node>>) -> Option<Box<Node>> {
        match (a, b) {
            (None, r) | (r, None) => r,
            (Some(mut x), Some(mut y)) => {
                if x.v <= y.v {
                    x.next = merge(x.next.take(), Some(y));
                    Some(x)
                } else {
                    y.next = merge(Some(x), y.next.take());
                    Some(y)
                }
            }
        }
    }
    let m = merge(list(a), list(b));
    let (mut s, mut w, mut c) = (0.0, k, &m);
    while let Some(n) = c {
        s += w * n.v * n.v;
        w *= k;
        c = &n.next;
    }
    s
}

/// One function calls the other; what is for show alone is left as it is.
#[adjoint]
fn by_turns(x: f64, n: usize) -> f64 {
    fn even(x: f64, n: usize) -> f64 {
        if n == 0 { x } else { odd(x * x, n - 1).sin() }
    }
    fn odd(x: f64, n: usize) -> f64 {
        if n == 0 {
            1.0 - x
        } else {
            even(x + 0.5, n - 1) * x
        }
    }
    fn shown(x: f64) -> f64 {
        let shared = std::rc::Rc::new(x);
        *shared
    }
    if shown(n as f64) > 5.0 {
        return 0.0;
    }
    even(x, n) * x
}

#[adjoint]
fn with_methods(x: f64, k: f64) -> f64 {
    #[derive(Clone, Copy, Differentiable)]
    struct Spring {
        k: f64,
        l: f64,
    }
    impl Spring {
        fn energy(&self, x: f64) -> f64 {
            self.stretch(x).powi(2) * self.k / 2.0
        }

        fn stretch(&self, x: f64) -> f64 {
            x - self.l
        }
    }
    let s = Spring { k, l: k.sin() };
    let t = Spring { l: x * 2.0, ..s };
    s.energy(x) * t.energy(k)
}

#[test]
fn functions_inside_bodies_get_an_adjoint_with_it() {
    check!(merged(&vec![0.3, 0.8, 2.4, 0.9, -0.3], &vec![0.5, 1.0], 0.7) -> f64);
    check!(merged(&vec![], &vec![0.5, 1.0], 0.7) -> f64);
    for n in 0..5 {
        check!(by_turns(0.7, const n) -> f64);
    }
    check!(with_methods(0.7, 1.3) -> f64);
}
