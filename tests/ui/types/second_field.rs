// Two fields of types that are declared elsewhere: an `Index` that is differentiated, and one that is not.

use std::ops::{Index, IndexMut};

use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
pub struct Dense {
    values: Vec<f64>,
}

#[adjoint]
impl Index<(usize, usize)> for Dense {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[2 * i + j]
    }
}

#[adjoint]
impl IndexMut<(usize, usize)> for Dense {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[2 * i + j]
    }
}

#[derive(Clone, Differentiable)]
pub struct Pivoted {
    values: Vec<f64>,
}

impl Index<(usize, usize)> for Pivoted {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        let first = if self.values[0] > 0.0 { i } else { j };
        &self.values[first]
    }
}

impl IndexMut<(usize, usize)> for Pivoted {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        let first = if self.values[0] > 0.0 { i } else { j };
        &mut self.values[first]
    }
}

#[derive(Clone, Differentiable)]
pub struct Pair {
    dense: Dense,
    pivoted: Pivoted,
}

#[adjoint]
fn product(pair: &Pair) -> f64 {
    pair.dense[(0, 1)] * pair.pivoted[(0, 1)]
}

fn main() {}
