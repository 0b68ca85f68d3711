//! A Gaussian mixture's log-posterior.

use std::hint::black_box;

use adjoint::Tape;

use crate::workload::{Workload, uniform};

#[path = "../../examples/gradbench/kernels/gmm.rs"]
mod kernel;

use kernel::{Wishart, objective, objective_adjoint_with};

const PRIOR: Wishart = Wishart { gamma: 1.0, m: 0 };

struct Mixture {
    d: usize,
    x: Vec<f64>,
    /// Weights, means, diagonals, and what is below them.
    parameters: [Vec<f64>; 4],
    adjoints: [Vec<f64>; 4],
}

pub fn workload(d: usize, components: usize, points: usize) -> Box<dyn Workload> {
    let parameters = [1, d, d, d * (d - 1) / 2].map(|n| uniform(components * n, -1.0, 1.0));
    Box::new(Mixture {
        d,
        x: uniform(points * d, -2.0, 2.0),
        adjoints: parameters.clone(),
        parameters,
    })
}

impl Workload for Mixture {
    fn function(&mut self) {
        let [alpha, mu, q, l] = &self.parameters;
        black_box(objective(
            alpha,
            mu,
            q,
            l,
            &self.x,
            self.d,
            black_box(PRIOR),
        ));
    }

    fn gradient(&mut self, tape: &mut Tape) {
        let [alpha, mu, q, l] = &self.parameters;
        self.adjoints.iter_mut().for_each(|adj| adj.fill(0.0));
        let [alpha_adj, mu_adj, q_adj, l_adj] = &mut self.adjoints;
        black_box(objective_adjoint_with(
            tape,
            alpha,
            alpha_adj,
            mu,
            mu_adj,
            q,
            q_adj,
            l,
            l_adj,
            &self.x,
            self.d,
            black_box(PRIOR),
            1.0,
        ));
        black_box(&self.adjoints);
    }
}
