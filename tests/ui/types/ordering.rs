//! A type named like std's `Ordering`, which carries no derivative.

use adjoint::{Differentiable, adjoint};

#[derive(Clone, Copy, Differentiable)]
struct Ordering {
    weight: f64,
}

#[adjoint]
fn score(o: &Ordering, k: f64) -> f64 {
    o.weight * k
}

fn main() {}
