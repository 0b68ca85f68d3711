//! Rosenbrock's function.

use adjoint::adjoint;

use crate::of_vector::of_vector;
use crate::workload::Workload;

#[adjoint]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() - 1 {
        let a = 1.0 - x[i];
        let b = x[i + 1] - x[i] * x[i];
        s += a * a + 100.0 * b * b;
    }
    s
}

pub fn workload(n: usize) -> Box<dyn Workload> {
    of_vector(
        |x, _| rosenbrock(x),
        |tape, x, x_adj, _, seed| rosenbrock_adjoint_with(tape, x, x_adj, seed),
        (0..n).map(|i| (i as f64 * 0.37).sin()).collect(),
        n,
    )
}
