//! The logarithm of a sum of exponentials.

use adjoint::Tape;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::evaluation::Evaluation;
use crate::kernels::lse::{log_sum_exp, log_sum_exp_adjoint_with};

#[derive(Deserialize)]
pub struct Input {
    x: Vec<f64>,
}

pub struct Lse {
    x: Vec<f64>,
    x_adj: Vec<f64>,
    value: f64,
}

impl Evaluation for Lse {
    const NAMES: [&str; 2] = ["primal", "gradient"];

    type Input = Input;

    fn new(input: Input) -> Result<Lse, String> {
        Ok(Lse {
            x_adj: input.x.clone(),
            x: input.x,
            value: 0.0,
        })
    }

    fn function(&mut self) {
        self.value = log_sum_exp(&self.x);
    }

    fn derivative(&mut self, tape: &mut Tape) {
        self.x_adj.fill(0.0);
        log_sum_exp_adjoint_with(tape, &self.x, &mut self.x_adj, 1.0);
    }

    fn value(&self) -> Value {
        json!(self.value)
    }

    fn derivatives(&self) -> Value {
        json!(self.x_adj)
    }
}
