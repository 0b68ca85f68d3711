//! A determinant by expansion of minors.

use crate::of_vector::of_vector;
use crate::workload::{Workload, uniform};

#[path = "../../examples/gradbench/kernels/det.rs"]
mod kernel;

use kernel::{determinant, determinant_adjoint_with};

pub fn workload(ell: usize) -> Box<dyn Workload> {
    let a = uniform(ell * ell, 0.0, 1.0);
    of_vector(determinant, determinant_adjoint_with, a, ell)
}
