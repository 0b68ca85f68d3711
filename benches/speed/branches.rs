//! Sums whose terms are chosen by branches.

use adjoint::adjoint;

use crate::of_vector::of_vector;
use crate::workload::{Workload, uniform};

/// Huber's loss of `x`, and the distance of the sum of its positive elements from that of its negative ones.
#[adjoint]
fn losses(x: &[f64]) -> f64 {
    let mut huber = 0.0;
    for &x in x {
        let size = x.abs();
        if size <= 1.0 {
            huber += 0.5 * x * x;
        } else {
            huber += size - 0.5;
        }
    }
    let mut positive = 0.0;
    let mut negative = 0.0;
    for &x in x {
        if x > 0.0 {
            positive += x * x;
        } else {
            negative += x * x * x;
        }
    }
    let gap = positive - negative;
    if gap > 0.0 { huber + gap } else { huber - gap }
}

pub fn workload(n: usize) -> Box<dyn Workload> {
    of_vector(
        |x, _| losses(x),
        |tape, x, x_adj, _, seed| losses_adjoint_with(tape, x, x_adj, seed),
        uniform(n, -2.0, 2.0),
        n,
    )
}
