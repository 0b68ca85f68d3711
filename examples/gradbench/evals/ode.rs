//! A Runge–Kutta method, and the gradient of the last component.

use adjoint::Tape;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::evaluation::Evaluation;
use crate::kernels::ode::{integrate, integrate_adjoint_with};

#[derive(Deserialize)]
pub struct Input {
    x: Vec<f64>,
    s: usize,
}

pub struct Ode {
    x: Vec<f64>,
    x_adj: Vec<f64>,
    y: Vec<f64>,
    y_adj: Vec<f64>,
    steps: usize,
}

impl Evaluation for Ode {
    const NAMES: [&str; 2] = ["primal", "gradient"];

    type Input = Input;

    fn new(input: Input) -> Result<Ode, String> {
        let zeros = vec![0.0; input.x.len()];
        Ok(Ode {
            x: input.x,
            x_adj: zeros.clone(),
            y: zeros.clone(),
            y_adj: zeros,
            steps: input.s,
        })
    }

    fn function(&mut self) {
        integrate(&self.x, self.steps, &mut self.y);
    }

    fn derivative(&mut self, tape: &mut Tape) {
        self.x_adj.fill(0.0);
        self.y_adj.fill(0.0);
        if let Some(last) = self.y_adj.last_mut() {
            *last = 1.0;
        }
        integrate_adjoint_with(
            tape,
            &self.x,
            &mut self.x_adj,
            self.steps,
            &mut self.y,
            &mut self.y_adj,
        );
    }

    fn value(&self) -> Value {
        json!(self.y)
    }

    fn derivatives(&self) -> Value {
        json!(self.x_adj)
    }
}
