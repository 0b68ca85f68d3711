//! The square of a number.

use adjoint::Tape;
use serde_json::{Value, json};

use crate::evaluation::Evaluation;
use crate::kernels::hello::{square, square_adjoint_with};

pub struct Hello {
    x: f64,
    x_adj: f64,
    square: f64,
}

impl Evaluation for Hello {
    const NAMES: [&str; 2] = ["square", "double"];

    type Input = f64;

    fn new(x: f64) -> Result<Hello, String> {
        Ok(Hello {
            x,
            x_adj: 0.0,
            square: 0.0,
        })
    }

    fn function(&mut self) {
        self.square = square(self.x);
    }

    fn derivative(&mut self, tape: &mut Tape) {
        self.x_adj = 0.0;
        square_adjoint_with(tape, self.x, &mut self.x_adj, 1.0);
    }

    fn value(&self) -> Value {
        json!(self.square)
    }

    fn derivatives(&self) -> Value {
        json!(self.x_adj)
    }
}
