//! Linear equations by Gaussian elimination; what is differentiated is the sum of the solution.

use std::hint::black_box;

use adjoint::{Tape, adjoint};

use crate::workload::{Workload, uniform};

/// Solves `a x = b` with partial pivoting; `x` comes back in `b`.
#[adjoint]
fn solve(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[pivot * n + k].abs() {
                pivot = i;
            }
        }
        if pivot != k {
            for j in k..n {
                a.swap(k * n + j, pivot * n + j);
            }
            b.swap(k, pivot);
        }
        let (above, below) = a.split_at_mut((k + 1) * n);
        let pivot_row = &above[k * n..];
        for (r, row) in below.chunks_exact_mut(n).enumerate() {
            let factor = row[k] / pivot_row[k];
            for (x, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                *x -= factor * p;
            }
            b[k + 1 + r] -= factor * b[k];
        }
    }
    for i in (0..n).rev() {
        let mut sum = b[i];
        for (a, b) in a[i * n + i + 1..(i + 1) * n].iter().zip(&b[i + 1..]) {
            sum -= a * b;
        }
        b[i] = sum / a[i * n + i];
    }
}

struct Equations {
    matrix: Vec<f64>,
    right: Vec<f64>,
    a: Vec<f64>,
    a_adj: Vec<f64>,
    b: Vec<f64>,
    b_adj: Vec<f64>,
}

pub fn workload(n: usize) -> Box<dyn Workload> {
    let matrix = uniform(n * n, -1.0, 1.0);
    let right = uniform(n, -1.0, 1.0);
    Box::new(Equations {
        a: matrix.clone(),
        a_adj: matrix.clone(),
        matrix,
        b: right.clone(),
        b_adj: right.clone(),
        right,
    })
}

impl Workload for Equations {
    fn function(&mut self) {
        self.a.copy_from_slice(&self.matrix);
        self.b.copy_from_slice(&self.right);
        solve(&mut self.a, &mut self.b);
        black_box(&self.b);
    }

    fn gradient(&mut self, tape: &mut Tape) {
        self.a.copy_from_slice(&self.matrix);
        self.b.copy_from_slice(&self.right);
        self.a_adj.fill(0.0);
        self.b_adj.fill(1.0);
        let (a_adj, b_adj) = (&mut self.a_adj, &mut self.b_adj);
        solve_adjoint_with(tape, &mut self.a, a_adj, &mut self.b, b_adj);
        black_box((&self.a_adj, &self.b_adj));
    }
}
