//! Methods without floats, from `impl`s that the macro does not see, annotated or not.

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

/// Counts that have names, in both sweeps and beside other values of the same method.
#[adjoint]
fn named(grid: &Grid, mesh: &Mesh, k: f64, times: usize) -> f64 {
    let (n, cells) = (grid.dim(), mesh.cells());
    let mut s = k / n as f64;
    for i in 0..times {
        let here = grid.offset(i);
        let scale = here as f64 + 0.5;
        s *= (s * scale).cos() + grid.data[i % n];
        let mut left = mesh.cells();
        while left > 0 {
            s += s * s / left as f64;
            left -= 1;
        }
    }
    let h = 1.0 / cells as f64;
    s * h * h
}

#[test]
fn methods_without_floats_are_called() {
    let nodes = vec![0.3, 0.5, 1.2];
    check!(per_cell(&Mesh { nodes }, 0.8) -> f64);
    let data = vec![0.3, 0.5, 1.2];
    check!(mean(&Grid { data }, 0.8) -> f64);
    let (nodes, data) = (vec![0.3, 0.5, 1.2], vec![0.3, 0.5, 1.2]);
    for times in 0..4 {
        check!(named(&Grid { data: data.clone() }, &Mesh { nodes: nodes.clone() }, 0.4, const times) -> f64);
    }
}
