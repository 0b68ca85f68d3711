//! Methods that have `self` by value and change it.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Body {
    a: f64,
    d: f64,
}
flat!(Body { a, d });

#[adjoint]
impl Body {
    fn spent(mut self, k: f64) -> f64 {
        self.d += 0.1 * k.cos();
        self.d = (self.d * k).sin();
        self.d * self.a
    }

    fn unspent(mut self, k: f64) -> f64 {
        self.a = k;
        k.tanh()
    }
}

#[adjoint]
fn by_method(u: Body, x: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in x {
        s += u.clone().spent(*v);
    }
    s
}

#[adjoint]
fn by_path(u: Body, x: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in x {
        s += Body::spent(u.clone(), *v);
    }
    s
}

#[adjoint]
fn of_literal(x: &[f64]) -> f64 {
    Body::spent(Body { a: x[0], d: x[1] }, x[0] * x[1])
}

#[adjoint]
fn unread(x: &[f64]) -> f64 {
    Body::unspent(Body { a: x[0], d: x[1] }, x[0] * x[1])
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Shape {
    Round(f64),
    Empty,
}

#[adjoint]
impl Shape {
    fn grow(&mut self, k: f64) {
        match self {
            Shape::Round(r) => *r *= k,
            Shape::Empty => {
                *self = Shape::Round(Body::spent(Body { a: k.cos(), d: k }, k * k).tanh())
            }
        }
    }
}

#[adjoint]
fn of_another_type(x: &[f64]) -> f64 {
    let mut shape = Shape::Empty;
    for v in x {
        shape.grow(*v);
    }
    match shape {
        Shape::Round(r) => r,
        Shape::Empty => 0.0,
    }
}

#[test]
fn methods_that_change_their_own_self() {
    check!(by_method(Body { a: 0.4, d: 0.8 }, &vec![0.3, 1.2]) -> f64);
    check!(by_path(Body { a: 0.4, d: 0.8 }, &vec![0.3, 1.2]) -> f64);
    check!(of_literal(&vec![0.3, 1.2]) -> f64);
    check!(of_another_type(&vec![0.3, 1.2]) -> f64);
    check!(unread(&vec![0.3, 1.2]) -> f64);
}
