//! User types with a `len` and an `is_empty` of their own.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

/// A queue in a vector: what is left of it is empty long before the vector is.
#[derive(Clone, Debug, Default, Differentiable)]
pub struct Ring {
    v: Vec<f64>,
    n: usize,
    lo: usize,
}
impl Ring {
    fn len(&self) -> usize {
        self.v.len()
    }
    fn is_empty(&self) -> bool {
        self.n == self.lo
    }
}
#[derive(Clone, Debug, Default, Differentiable)]
pub struct Holder {
    r: Ring,
    k: f64,
}

#[adjoint]
fn drained(x: &[f64]) -> f64 {
    let mut r = Ring {
        v: x.to_vec(),
        n: x.len() - 1,
        lo: 0,
    };
    let mut s = 0.0;
    while !r.is_empty() {
        s += r.v[r.lo].sin() * r.len() as f64;
        r.lo += 1;
    }
    s
}
#[adjoint]
fn of_parameter(r: &Ring) -> f64 {
    match r.is_empty() {
        true => 2.0 * r.v[0],
        false => r.v[0] * r.v[1],
    }
}
#[adjoint]
fn of_parameters(x: &[f64], n: usize) -> f64 {
    let r = Ring {
        v: x.to_vec(),
        n,
        lo: 0,
    };
    of_parameter(&r)
}
#[adjoint]
fn of_field(h: &mut Holder) -> f64 {
    let mut s = h.k;
    while !h.r.is_empty() {
        s = s * h.r.v[h.r.lo] + h.r.len() as f64;
        h.r.lo += 1;
    }
    s
}
#[adjoint]
fn of_fields(x: &[f64], n: usize) -> f64 {
    let r = Ring {
        v: x.to_vec(),
        n,
        lo: 0,
    };
    let mut h = Holder { r, k: x[0] };
    of_field(&mut h)
}

#[test]
fn empty_in_their_own_way() {
    let x = vec![0.4, 0.7, 1.3];
    check!(drained(&x) -> f64);
    check!(of_parameters(&x, const 0) -> f64);
    check!(of_parameters(&x, const 2) -> f64);
    check!(of_fields(&x, const 0) -> f64);
    check!(of_fields(&x, const 2) -> f64);
}

/// Its length is a count, which changes without that a list does.
#[derive(Clone, Debug, Default, Differentiable)]
pub struct Counted {
    n: usize,
    x: f64,
}
impl Counted {
    fn len(&self) -> usize {
        self.n
    }
}

#[adjoint]
fn counting(x: f64) -> f64 {
    let mut c = Counted { n: 0, x };
    let mut s = 0.0;
    for k in 0..4 {
        c.n += k;
        c.x *= x;
        s += c.x * c.len() as f64;
        c.n = c.len() / 2;
    }
    s + c.x * c.len() as f64
}

#[test]
fn lengths_that_change() {
    check!(counting(0.8) -> f64);
}
