//! A language model.

use adjoint::Tape;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::evaluation::{Evaluation, flatten};
use crate::kernels::lstm::{objective, objective_adjoint_with};

#[derive(Deserialize)]
pub struct Input {
    main_params: Vec<Vec<f64>>,
    extra_params: Vec<Vec<f64>>,
    state: Vec<Vec<f64>>,
    sequence: Vec<Vec<f64>>,
}

pub struct Lstm {
    bits: usize,
    main: Vec<f64>,
    main_adj: Vec<f64>,
    extra: Vec<f64>,
    extra_adj: Vec<f64>,
    state: Vec<f64>,
    sequence: Vec<f64>,
    objective: f64,
}

impl Evaluation for Lstm {
    const NAMES: [&str; 2] = ["objective", "jacobian"];

    type Input = Input;

    fn new(input: Input) -> Result<Lstm, String> {
        let bits = input.extra_params.first().map_or(0, Vec::len);
        let main = flatten(&input.main_params, 4 * bits)?;
        let extra = flatten(&input.extra_params, bits)?;
        Ok(Lstm {
            bits,
            main_adj: main.clone(),
            main,
            extra_adj: extra.clone(),
            extra,
            state: flatten(&input.state, bits)?,
            sequence: flatten(&input.sequence, bits)?,
            objective: 0.0,
        })
    }

    fn function(&mut self) {
        self.objective = objective(
            &self.main,
            &self.extra,
            &self.state,
            &self.sequence,
            self.bits,
        );
    }

    fn derivative(&mut self, tape: &mut Tape) {
        self.main_adj.fill(0.0);
        self.extra_adj.fill(0.0);
        objective_adjoint_with(
            tape,
            &self.main,
            &mut self.main_adj,
            &self.extra,
            &mut self.extra_adj,
            &self.state,
            &self.sequence,
            self.bits,
            1.0,
        );
    }

    fn value(&self) -> Value {
        json!(self.objective)
    }

    fn derivatives(&self) -> Value {
        json!([&self.main_adj[..], &self.extra_adj].concat())
    }
}
