//! Functions of one vector and an integer.

use std::hint::black_box;

use adjoint::Tape;

use crate::workload::Workload;

/// A function of `x` and `n`, with its adjoint.
pub struct OfVector<F, A> {
    function: F,
    adjoint: A,
    x: Vec<f64>,
    x_adj: Vec<f64>,
    n: usize,
}

pub fn of_vector<F, A>(function: F, adjoint: A, x: Vec<f64>, n: usize) -> Box<dyn Workload>
where
    F: Fn(&[f64], usize) -> f64 + 'static,
    A: Fn(&mut Tape, &[f64], &mut [f64], usize, f64) -> f64 + 'static,
{
    let x_adj = x.clone();
    Box::new(OfVector {
        function,
        adjoint,
        x,
        x_adj,
        n,
    })
}

impl<F, A> Workload for OfVector<F, A>
where
    F: Fn(&[f64], usize) -> f64,
    A: Fn(&mut Tape, &[f64], &mut [f64], usize, f64) -> f64,
{
    fn function(&mut self) {
        black_box((self.function)(black_box(&self.x), black_box(self.n)));
    }

    fn gradient(&mut self, tape: &mut Tape) {
        self.x_adj.fill(0.0);
        let (x, n) = (black_box(&self.x), black_box(self.n));
        black_box((self.adjoint)(tape, x, &mut self.x_adj, n, 1.0));
        black_box(&self.x_adj);
    }
}
