//! A Runge–Kutta method; what is differentiated is the last component.

use std::hint::black_box;

use adjoint::Tape;

use crate::workload::{Workload, uniform};

#[path = "../../examples/gradbench/kernels/ode.rs"]
mod kernel;

use kernel::{integrate, integrate_adjoint_with};

struct Chain {
    x: Vec<f64>,
    x_adj: Vec<f64>,
    y: Vec<f64>,
    y_adj: Vec<f64>,
    steps: usize,
}

pub fn workload(n: usize, steps: usize) -> Box<dyn Workload> {
    Box::new(Chain {
        x: uniform(n, 0.0, 1.0),
        x_adj: vec![0.0; n],
        y: vec![0.0; n],
        y_adj: vec![0.0; n],
        steps,
    })
}

impl Workload for Chain {
    fn function(&mut self) {
        integrate(black_box(&self.x), self.steps, &mut self.y);
        black_box(&self.y);
    }

    fn gradient(&mut self, tape: &mut Tape) {
        self.x_adj.fill(0.0);
        self.y_adj.fill(0.0);
        if let Some(last) = self.y_adj.last_mut() {
            *last = 1.0;
        }
        integrate_adjoint_with(
            tape,
            black_box(&self.x),
            &mut self.x_adj,
            self.steps,
            &mut self.y,
            &mut self.y_adj,
        );
        black_box((&self.y, &self.x_adj));
    }
}
