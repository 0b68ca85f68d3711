use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Node {
    value: f64,
    next: Option<Box<Node>>,
}

#[adjoint]
fn peeked(x: &[f64]) -> f64 {
    let mut it = x.iter().copied().peekable();
    if let Some(next) = it.peek_mut() {
        *next *= 2.0;
    }
    it.next().unwrap_or(0.0)
}

#[adjoint]
fn lent(x: &[f64]) -> f64 {
    let mut it = x.iter().filter(|v| **v > 0.0);
    let first: f64 = it.by_ref().take(2).sum();
    first
}

macro_rules! square {
    ($e:expr) => {
        $e * $e
    };
}
#[adjoint]
fn expanded(x: f64) -> f64 {
    square!(x)
}

#[adjoint]
fn owned(x: f64, mut rule: impl FnMut(f64) -> f64) -> f64 {
    rule(2.0) * x
}

#[adjoint]
fn in_turn(a: &mut Option<Box<Node>>, b: &mut Option<Box<Node>>, k: f64) {
    let mut a = a;
    let mut b = b;
    while let Some(n) = a {
        n.value *= k;
        a = &mut n.next;
        std::mem::swap(&mut a, &mut b);
    }
}

fn main() {}
