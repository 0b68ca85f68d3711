// Functions of an annotated module that get no adjoint say so where it is called.

use adjoint::adjoint;

#[adjoint]
mod kernels {
    pub fn total(x: impl Iterator<Item = f64>) -> f64 {
        x.sum()
    }

    pub fn count(x: &[f64]) -> usize {
        x.len()
    }

    pub fn ones(n: usize) -> Vec<f64> {
        vec![1.0; n]
    }

    pub fn of(x: &[f64]) -> f64 {
        total(x.iter().copied())
    }

    pub fn written(x: f64) -> bool {
        x > 0.0
    }

    pub fn written_adjoint(x: f64) -> bool {
        x > 1.0
    }
}

fn main() {
    let (x, mut x_adj) = ([1.0, 2.0], [0.0; 2]);
    kernels::of_adjoint(&x, &mut x_adj, 1.0);
    kernels::total_adjoint(x.into_iter(), 1.0);
    kernels::count_adjoint(&x, &mut x_adj);
    kernels::ones_adjoint(2, &x);
    kernels::written_adjoint(2.0);
}
