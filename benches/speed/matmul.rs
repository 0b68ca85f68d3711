//! A product of matrices; what is differentiated is the sum of its entries.

use std::hint::black_box;

use adjoint::{Tape, adjoint};

use crate::workload::{Workload, uniform};

/// `c = a b`, all of `n` rows and columns.
#[adjoint]
fn multiply(a: &[f64], b: &[f64], n: usize, c: &mut [f64]) {
    c.fill(0.0);
    for i in 0..n {
        let row = &mut c[i * n..(i + 1) * n];
        for k in 0..n {
            let factor = a[i * n + k];
            for (c, b) in row.iter_mut().zip(&b[k * n..(k + 1) * n]) {
                *c += factor * b;
            }
        }
    }
}

struct Product {
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    adjoints: [Vec<f64>; 3],
}

pub fn workload(n: usize) -> Box<dyn Workload> {
    let a = uniform(n * n, -1.0, 1.0);
    Box::new(Product {
        n,
        b: a.iter().rev().copied().collect(),
        c: a.clone(),
        adjoints: [a.clone(), a.clone(), a.clone()],
        a,
    })
}

impl Workload for Product {
    fn function(&mut self) {
        multiply(black_box(&self.a), &self.b, self.n, &mut self.c);
        black_box(&self.c);
    }

    fn gradient(&mut self, tape: &mut Tape) {
        let [a_adj, b_adj, c_adj] = &mut self.adjoints;
        a_adj.fill(0.0);
        b_adj.fill(0.0);
        c_adj.fill(1.0);
        let (a, b) = (black_box(&self.a), &self.b);
        multiply_adjoint_with(tape, a, a_adj, b, b_adj, self.n, &mut self.c, c_adj);
        black_box(&self.adjoints);
    }
}
