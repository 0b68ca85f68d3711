//! A determinant by expansion of minors.

use adjoint::Tape;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::evaluation::Evaluation;
use crate::kernels::det::{determinant, determinant_adjoint_with};

#[derive(Deserialize)]
pub struct Input {
    #[serde(rename = "A")]
    a: Vec<f64>,
    ell: usize,
}

pub struct Det {
    a: Vec<f64>,
    a_adj: Vec<f64>,
    ell: usize,
    value: f64,
}

impl Evaluation for Det {
    const NAMES: [&str; 2] = ["primal", "gradient"];

    type Input = Input;

    fn new(input: Input) -> Result<Det, String> {
        Ok(Det {
            a_adj: input.a.clone(),
            a: input.a,
            ell: input.ell,
            value: 0.0,
        })
    }

    fn function(&mut self) {
        self.value = determinant(&self.a, self.ell);
    }

    fn derivative(&mut self, tape: &mut Tape) {
        self.a_adj.fill(0.0);
        determinant_adjoint_with(tape, &self.a, &mut self.a_adj, self.ell, 1.0);
    }

    fn value(&self) -> Value {
        json!(self.value)
    }

    fn derivatives(&self) -> Value {
        json!(self.a_adj)
    }
}
