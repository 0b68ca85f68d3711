//! The logarithm of a sum of exponentials.

use crate::of_vector::of_vector;
use crate::workload::{Workload, uniform};

#[path = "../../examples/gradbench/kernels/lse.rs"]
mod kernel;

use kernel::{log_sum_exp, log_sum_exp_adjoint_with};

pub fn workload(n: usize) -> Box<dyn Workload> {
    of_vector(
        |x, _| log_sum_exp(x),
        |tape, x, x_adj, _, seed| log_sum_exp_adjoint_with(tape, x, x_adj, seed),
        uniform(n, 0.0, 1.0),
        n,
    )
}
