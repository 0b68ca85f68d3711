//! User types with methods that `Vec` has: `push`, `pop`, `len`, `is_empty`, constructed by `Ring::new(n)`.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Debug, Differentiable)]
pub struct Ring {
    buf: Vec<f64>,
    n: usize,
}
#[adjoint]
impl Ring {
    fn new(cap: usize) -> Self {
        Ring {
            buf: vec![0.0; cap],
            n: 0,
        }
    }
    fn push(&mut self, v: f64) {
        let n = self.buf.len();
        self.buf[self.n % n] = v * v;
        self.n += 1;
    }
    fn mean(&self) -> f64 {
        self.buf.iter().sum::<f64>() / self.buf.len() as f64
    }
    fn len(&self) -> usize {
        self.n
    }
    fn is_empty(&self) -> bool {
        self.buf.is_empty()
    }
    fn first(&self) -> f64 {
        if self.buf.is_empty() {
            0.0
        } else {
            self.buf[self.buf.len() - 1]
        }
    }
    fn pop(&mut self) -> Option<f64> {
        if self.n == 0 {
            None
        } else {
            self.n -= 1;
            Some(self.buf[self.n % self.buf.len()])
        }
    }
}
#[adjoint]
fn filter(x: &[f64], cap: usize) -> f64 {
    let mut r = Ring::new(cap);
    for &v in x {
        r.push(v);
    }
    let l = r.pop().unwrap_or(1.0);
    r.mean() * r.first() * l * r.len() as f64
}
#[test]
fn own_methods_named_like_those_of_lists() {
    check!(filter(&vec![0.3, 0.8, 0.5], const 2) -> f64);
}

#[derive(Clone, Debug, Differentiable)]
pub struct Counted {
    pub v: Vec<f64>,
    pub n: usize,
}
impl Counted {
    pub fn len(&self) -> usize {
        self.n
    }
}
#[derive(Clone, Debug, Differentiable)]
pub struct Outer {
    pub r: Counted,
    pub k: f64,
}
#[adjoint]
fn grown(r: &mut Counted, x: f64) -> f64 {
    let mut s = x;
    for i in 0..3 {
        let a = r.len();
        s *= x * x * (a as f64) + r.v[a % 2];
        r.n += 1 + i;
    }
    s
}
#[adjoint]
fn after_growth(x: f64, y: f64) -> f64 {
    let mut r = Counted {
        v: vec![x * y, y],
        n: 1,
    };
    grown(&mut r, x) * r.v[0]
}
#[adjoint]
fn in_place(x: f64, y: f64) -> f64 {
    let mut r = Counted {
        v: vec![x * y, y],
        n: 1,
    };
    let mut s = x;
    for i in 0..3 {
        let a = r.len();
        s *= x * (a as f64) + r.v[a % 2];
        r.n += 1 + i;
        if r.len() > 4 {
            s += y;
            let q = r.len() % 2;
            r.v[q] *= s;
        }
    }
    s
}
#[adjoint]
impl Outer {
    fn run(&mut self, x: f64) -> f64 {
        let mut s = x;
        for i in 0..3 {
            let a = self.r.len();
            s *= x * (a as f64) + self.r.v[a % 2] * self.k;
            self.r.n += 1 + i;
        }
        s
    }
}
#[adjoint]
fn of_outer(x: f64, y: f64) -> f64 {
    let mut o = Outer {
        r: Counted {
            v: vec![x * y, y],
            n: 1,
        },
        k: y * y,
    };
    o.run(x) * o.r.v[0]
}
#[test]
fn a_length_that_is_a_field() {
    check!(after_growth(0.3, 0.8) -> f64);
    check!(in_place(0.3, 0.8) -> f64);
    check!(of_outer(0.3, 0.8) -> f64);
}
