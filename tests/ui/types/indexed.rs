use std::iter::Sum;
use std::ops::{Add, Index};

use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Matrix {
    cols: usize,
    data: Vec<f64>,
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + j]
    }
}

#[adjoint]
fn corner(m: &Matrix) -> f64 {
    m[(0, 0)] * m[(0, 1)]
}

#[derive(Clone, Copy, Differentiable)]
struct Force {
    x: f64,
}

#[adjoint]
impl Add for Force {
    type Output = Force;
    fn add(self, other: Force) -> Force {
        Force { x: self.x + other.x }
    }
}

impl Sum for Force {
    fn sum<I: Iterator<Item = Force>>(iter: I) -> Force {
        iter.fold(Force { x: 0.0 }, |a, b| a + b)
    }
}

#[adjoint]
fn total(forces: &[Force]) -> f64 {
    forces.iter().copied().sum::<Force>().x
}

fn main() {
    let m = Matrix { cols: 2, data: vec![0.0; 4] };
    corner_adjoint(&m, &mut m.clone(), 1.0);
    total_adjoint(&[], &mut [], 1.0);
}
