//! Least squares of a polynomial.

use crate::of_vector::of_vector;
use crate::workload::{Workload, uniform};

#[path = "../../examples/gradbench/kernels/llsq.rs"]
mod kernel;

use kernel::{objective, objective_adjoint_with};

pub fn workload(points: usize, coefficients: usize) -> Box<dyn Workload> {
    let x = uniform(coefficients, 0.0, 1.0);
    of_vector(objective, objective_adjoint_with, x, points)
}
