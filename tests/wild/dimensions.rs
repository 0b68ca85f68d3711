//! Methods without floats, from `impl`s that are not seen, annotated or not.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Mesh {
    nodes: Vec<f64>,
}
flat!(Mesh { nodes });

#[adjoint]
impl Mesh {
    fn cells(&self) -> usize {
        self.nodes.len() - 1
    }

    fn width(&self) -> f64 {
        (self.nodes[self.nodes.len() - 1] - self.nodes[0]) / self.cells() as f64
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Grid {
    data: Vec<f64>,
}
flat!(Grid { data });

/// Nothing is derived for it.
impl Grid {
    fn dim(&self) -> usize {
        self.data.len()
    }

    fn offset(&self, i: usize) -> i32 {
        i as i32 - 1
    }

    fn is_fine(&self) -> bool {
        self.data.len() > 2
    }
}

#[adjoint]
fn per_cell(mesh: &Mesh, k: f64) -> f64 {
    k * mesh.cells() as f64 * mesh.nodes[0] + mesh.width() / (mesh.cells() + 2) as f64
}

#[adjoint]
fn mean(grid: &Grid, k: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..grid.dim() {
        s += grid.data[i] * k * grid.offset(i) as f64;
    }
    if grid.is_fine() {
        s *= 2.0;
    }
    s / grid.dim() as f64 + grid.data[grid.dim() - 1]
}

#[test]
fn methods_without_floats_are_called() {
    let nodes = vec![0.3, 0.5, 1.2];
    check!(per_cell(&Mesh { nodes }, 0.8) -> f64);
    let data = vec![0.3, 0.5, 1.2];
    check!(mean(&Grid { data }, 0.8) -> f64);
}
