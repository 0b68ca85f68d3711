//! Literals of generic structs whose definitions the functions do not see, and methods on them.

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::{check, flat};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V<T> {
    x: T,
    y: T,
}

type Plane = V<f64>;
flat!(Plane { x, y });

#[adjoint]
impl<T: Float> V<T> {
    fn new(x: T, y: T) -> Self {
        V { x, y }
    }
    fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y
    }
    fn add(self, o: Self) -> Self {
        V {
            x: self.x + o.x,
            y: self.y + o.y,
        }
    }
    fn mul(self, k: T) -> Self {
        V {
            x: self.x * k,
            y: self.y * k,
        }
    }
    fn neg(self) -> Self {
        V {
            x: -self.x,
            y: -self.y,
        }
    }
    fn total(&self) -> T {
        self.x + self.y
    }
}

#[adjoint]
fn on_literals(a: f64) -> f64 {
    let twice = V { x: a, y: 1.0 }.mul(2.0).total();
    let constant = V { x: 1.0, y: 2.0 }.mul(a).total();
    let z = V { x: 0.0, y: 0.5 }.add(V { x: 1.0, y: a });
    let w = V { x: 3.0, y: 1.0 }.add(V { x: 1.0, y: 2.0 });
    twice * constant + z.dot(w)
}

#[adjoint]
fn in_turn(a: f64) -> f64 {
    let m = V { x: a, y: 2.0 };
    let n = V { x: 1.0, y: a * a };
    m.add(n).mul(a).dot(m.neg())
}

#[adjoint]
fn in_a_loop(a: f64) -> f64 {
    let e = V { x: 1.0, y: 0.0 };
    let f = V { x: 0.0, y: 1.0 };
    let mut s = e.add(f);
    for _ in 0..2 {
        s = s.add(e.mul(a)).neg();
    }
    s.dot(f) + s.dot(s) * V::new(a, 2.0).total()
}

#[adjoint]
fn summed(a: &[f64]) -> f64 {
    let mut v = V { x: 0.0, y: 0.0 };
    for x in a {
        v = v.add(V { x: *x, y: 1.0 });
    }
    v.mul(v.total()).total()
}

#[adjoint]
fn listed(a: &[f64]) -> f64 {
    let mut all = Vec::new();
    for x in a {
        all.push(V { x: *x, y: 1.0 });
    }
    let mut s = 0.0;
    for v in &all {
        s += v.mul(2.0).dot(*v);
    }
    let folded = all.iter().fold(V { x: 0.5, y: 0.0 }, |s, v| s.add(*v));
    s * folded.total()
}

#[adjoint]
fn chosen(a: f64, k: f64) -> f64 {
    let v = if a > 0.0 {
        V { x: 0.3, y: a }
    } else {
        V { x: a, y: 1.0 }
    };
    let V { x, y } = v.neg();
    x * y + v.mul(k).total()
}

#[adjoint]
fn turned(m: &V<f64>, a: f64) -> V<f64> {
    let mut m = m.clone();
    for i in 0..3 {
        m = m.add(V { x: a, y: 1.0 }).mul(m.total());
        if i > 1 {
            m = V { x: m.y, y: m.x };
        }
    }
    m
}

#[test]
fn methods_are_called_on_literals() {
    check!(on_literals(0.7) -> f64);
    check!(in_turn(0.7) -> f64);
    check!(in_a_loop(0.7) -> f64);
    check!(summed(&[0.7, -0.3, 1.2]) -> f64);
    check!(listed(&[0.7, -0.3, 1.2]) -> f64);
    check!(chosen(0.7, 1.3) -> f64);
    check!(chosen(-0.7, 1.3) -> f64);
    check!(turned(&V { x: 0.3, y: -0.4 }, 0.7) -> Plane);
}

trait Scalar: num_traits::Float {
    const HALF: Self;
}

impl Scalar for f64 {
    const HALF: f64 = 0.5;
}

#[adjoint]
fn of_traits<T: Scalar>(x: &[T]) -> T {
    -T::HALF * x[0] + x[1] * num_traits::One::one() * x[0] - T::HALF
}

#[adjoint]
fn of_traits_in_double(x: &[f64]) -> f64 {
    of_traits(x)
}

#[test]
fn constants_of_traits_as_operands() {
    check!(of_traits_in_double(&vec![0.75, -1.5]) -> f64);
}
