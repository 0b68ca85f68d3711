// Methods that have no adjoint, and those that return references, from outside of their `impl`.

use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
pub struct Grid {
    values: Vec<f64>,
    columns: usize,
}

#[adjoint]
impl Grid {
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    pub fn first(&self) -> f64 {
        self.row(0)[0]
    }
}

impl Grid {
    pub fn corner(&self) -> f64 {
        self.values[0]
    }
}

#[adjoint(wrt(grid))]
fn second(grid: &Grid, k: f64) -> f64 {
    grid.row(0)[1] * k * grid.first()
}

#[adjoint(wrt(grid))]
fn scaled(grid: &Grid, k: f64) -> f64 {
    grid.corner() * k
}

fn main() {}
