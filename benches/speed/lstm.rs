//! A language model.

use std::hint::black_box;

use adjoint::Tape;

use crate::workload::{Workload, uniform};

#[path = "../../examples/gradbench/kernels/lstm.rs"]
mod kernel;

use kernel::{objective, objective_adjoint_with};

/// The bits of a character.
const BITS: usize = 14;

struct Model {
    main: Vec<f64>,
    main_adj: Vec<f64>,
    extra: Vec<f64>,
    extra_adj: Vec<f64>,
    state: Vec<f64>,
    sequence: Vec<f64>,
}

pub fn workload(layers: usize, characters: usize) -> Box<dyn Workload> {
    let main = uniform(layers * 8 * BITS, 0.0, 1.0);
    let extra = uniform(3 * BITS, 0.0, 1.0);
    let mut sequence = uniform(characters * BITS, 0.0, 1.0);
    sequence.iter_mut().for_each(|bit| *bit = bit.round());
    Box::new(Model {
        main_adj: main.clone(),
        main,
        extra_adj: extra.clone(),
        extra,
        state: uniform(layers * 2 * BITS, 0.0, 1.0),
        sequence,
    })
}

impl Workload for Model {
    fn function(&mut self) {
        black_box(objective(
            black_box(&self.main),
            &self.extra,
            &self.state,
            &self.sequence,
            black_box(BITS),
        ));
    }

    fn gradient(&mut self, tape: &mut Tape) {
        self.main_adj.fill(0.0);
        self.extra_adj.fill(0.0);
        black_box(objective_adjoint_with(
            tape,
            black_box(&self.main),
            &mut self.main_adj,
            &self.extra,
            &mut self.extra_adj,
            &self.state,
            &self.sequence,
            black_box(BITS),
            1.0,
        ));
        black_box((&self.main_adj, &self.extra_adj));
    }
}
