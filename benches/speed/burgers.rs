//! Burgers' equation by explicit steps in time.

use std::hint::black_box;

use adjoint::{Tape, adjoint};

use crate::workload::Workload;

/// The squared norm of the solution.
#[adjoint]
fn burgers(u: &mut [f64], nu: f64, steps: usize) -> f64 {
    let n = u.len();
    let mut old = vec![0.0; n];
    for _ in 0..steps {
        old.copy_from_slice(u);
        for i in 1..n - 1 {
            let flux = old[i] * (old[i + 1] - old[i - 1]);
            u[i] = old[i] - 0.1 * flux + nu * (old[i + 1] - 2.0 * old[i] + old[i - 1]);
        }
    }
    u.iter().map(|v| v * v).sum()
}

const NU: f64 = 0.05;

struct Flow {
    start: Vec<f64>,
    u: Vec<f64>,
    u_adj: Vec<f64>,
    nu_adj: f64,
    steps: usize,
}

pub fn workload(n: usize, steps: usize) -> Box<dyn Workload> {
    let start: Vec<f64> = (0..n).map(|i| (i as f64 * 0.05).sin()).collect();
    Box::new(Flow {
        u: start.clone(),
        u_adj: start.clone(),
        start,
        nu_adj: 0.0,
        steps,
    })
}

impl Workload for Flow {
    fn function(&mut self) {
        self.u.copy_from_slice(&self.start);
        black_box(burgers(&mut self.u, black_box(NU), self.steps));
    }

    fn gradient(&mut self, tape: &mut Tape) {
        self.u.copy_from_slice(&self.start);
        self.u_adj.fill(0.0);
        self.nu_adj = 0.0;
        black_box(burgers_adjoint_with(
            tape,
            &mut self.u,
            &mut self.u_adj,
            black_box(NU),
            &mut self.nu_adj,
            self.steps,
            1.0,
        ));
        black_box((&self.u_adj, self.nu_adj));
    }
}
