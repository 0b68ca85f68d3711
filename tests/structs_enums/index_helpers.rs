//! Methods that compute indices, of types whose fields the macro does not see: `g.idx(i, j)`, also on a `&mut Grid`.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Debug, Differentiable)]
pub struct Grid {
    pub v: Vec<f64>,
    pub nx: usize,
    pub ny: usize,
}
#[adjoint]
impl Grid {
    pub fn new(nx: usize, ny: usize) -> Self {
        Grid {
            v: vec![0.0; nx * ny],
            nx,
            ny,
        }
    }
    pub fn idx(&self, i: usize, j: usize) -> usize {
        j * self.nx + i
    }
    pub fn inner(&self, i: usize, j: usize) -> bool {
        i > 0 && j > 0 && i + 1 < self.nx && j + 1 < self.ny
    }
    pub fn dims(&self) -> (usize, usize) {
        (self.nx, self.ny)
    }
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.v[self.idx(i, j)]
    }
    pub fn set(&mut self, i: usize, j: usize, x: f64) {
        let k = self.idx(i, j);
        self.v[k] = x;
    }
}
#[adjoint]
fn relax(g: &mut Grid, k: f64, steps: usize) -> f64 {
    let (nx, ny) = g.dims();
    for s in 0..steps {
        for j in 0..ny {
            for i in 0..nx {
                if g.inner(i, j) {
                    let c = g.idx(i, j);
                    let sum = g.v[g.idx(i + 1, j)]
                        + g.v[g.idx(i - 1, j)]
                        + g.at(i, j + 1)
                        + g.at(i, j - 1);
                    g.v[c] += k * (sum - 4.0 * g.v[c]);
                } else if s == 0 {
                    g.set(i, j, k * (i + j) as f64);
                }
            }
        }
    }
    g.v[g.idx(1, 1)] * g.at(0, 1)
}
#[adjoint]
fn run(x: &[f64], k: f64) -> f64 {
    let mut g = Grid::new(4, 4);
    for (i, x) in x.iter().enumerate() {
        g.set(i % 4, 1, *x);
    }
    let r = relax(&mut g, k, 3);
    r + g.v[g.idx(2, 2)] * g.dims().0 as f64
}
#[test]
fn what_makes_indices_is_called_on_what_changes() {
    check!(run(&vec![0.3, 0.8, 0.2, 0.6], 0.2) -> f64);
}

#[derive(Clone, Copy, Debug, Differentiable)]
pub struct V2 {
    pub x: f64,
    pub y: f64,
}
#[adjoint]
impl std::ops::Index<usize> for V2 {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        if i == 0 { &self.x } else { &self.y }
    }
}
#[adjoint]
impl std::ops::IndexMut<usize> for V2 {
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        if i == 0 { &mut self.x } else { &mut self.y }
    }
}
#[adjoint]
fn by_index(x: f64, y: f64) -> f64 {
    let v = V2 { x, y };
    v[0] * v[1]
}
#[test]
fn a_literal_is_indexed_as_its_type_is() {
    check!(by_index(0.3, 0.8) -> f64);
}
