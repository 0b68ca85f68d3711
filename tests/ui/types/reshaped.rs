use std::ops::{Index, IndexMut};

use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Matrix {
    cols: usize,
    data: Vec<f64>,
}

#[adjoint]
impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + j]
    }
}

#[adjoint]
impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.cols + j]
    }
}

#[derive(Clone, Differentiable)]
struct Layer {
    weights: Matrix,
    calls: usize,
}

#[adjoint]
fn widen(layer: &mut Layer, n: usize) {
    layer.calls += 1;
    layer.weights.data = vec![0.0; 2 * n];
    layer.weights.cols = n;
}

fn main() {}
