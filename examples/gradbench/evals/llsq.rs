//! Least squares of a polynomial.

use adjoint::Tape;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::evaluation::Evaluation;
use crate::kernels::llsq::{objective, objective_adjoint_with};

#[derive(Deserialize)]
pub struct Input {
    x: Vec<f64>,
    n: usize,
}

pub struct Llsq {
    x: Vec<f64>,
    x_adj: Vec<f64>,
    n: usize,
    value: f64,
}

impl Evaluation for Llsq {
    const NAMES: [&str; 2] = ["primal", "gradient"];

    type Input = Input;

    fn new(input: Input) -> Result<Llsq, String> {
        Ok(Llsq {
            x_adj: input.x.clone(),
            x: input.x,
            n: input.n,
            value: 0.0,
        })
    }

    fn function(&mut self) {
        self.value = objective(&self.x, self.n);
    }

    fn derivative(&mut self, tape: &mut Tape) {
        self.x_adj.fill(0.0);
        objective_adjoint_with(tape, &self.x, &mut self.x_adj, self.n, 1.0);
    }

    fn value(&self) -> Value {
        json!(self.value)
    }

    fn derivatives(&self) -> Value {
        json!(self.x_adj)
    }
}
