//! A Gaussian mixture's log-posterior.

use adjoint::Tape;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::evaluation::{Evaluation, flatten, rows};
use crate::kernels::gmm::{Wishart, objective, objective_adjoint_with};

#[derive(Deserialize)]
pub struct Input {
    d: usize,
    x: Vec<Vec<f64>>,
    m: usize,
    gamma: f64,
    alpha: Vec<f64>,
    mu: Vec<Vec<f64>>,
    q: Vec<Vec<f64>>,
    l: Vec<Vec<f64>>,
}

pub struct Gmm {
    d: usize,
    x: Vec<f64>,
    prior: Wishart,
    /// `alpha`, `mu`, `q` and `l`.
    parameters: [Vec<f64>; 4],
    adjoints: [Vec<f64>; 4],
    objective: f64,
}

impl Evaluation for Gmm {
    const NAMES: [&str; 2] = ["objective", "jacobian"];

    type Input = Input;

    fn new(input: Input) -> Result<Gmm, String> {
        let d = input.d;
        let parameters = [
            input.alpha,
            flatten(&input.mu, d)?,
            flatten(&input.q, d)?,
            flatten(&input.l, d * (d - 1) / 2)?,
        ];
        Ok(Gmm {
            d,
            x: flatten(&input.x, d)?,
            prior: Wishart {
                gamma: input.gamma,
                m: input.m,
            },
            adjoints: parameters.clone(),
            parameters,
            objective: 0.0,
        })
    }

    fn function(&mut self) {
        let [alpha, mu, q, l] = &self.parameters;
        self.objective = objective(alpha, mu, q, l, &self.x, self.d, self.prior);
    }

    fn derivative(&mut self, tape: &mut Tape) {
        let [alpha, mu, q, l] = &self.parameters;
        self.adjoints.iter_mut().for_each(|adj| adj.fill(0.0));
        let [alpha_adj, mu_adj, q_adj, l_adj] = &mut self.adjoints;
        objective_adjoint_with(
            tape, alpha, alpha_adj, mu, mu_adj, q, q_adj, l, l_adj, &self.x, self.d, self.prior,
            1.0,
        );
    }

    fn value(&self) -> Value {
        json!(self.objective)
    }

    fn derivatives(&self) -> Value {
        let [alpha, mu, q, l] = &self.adjoints;
        let k = alpha.len();
        json!({ "alpha": alpha, "mu": rows(mu, k), "q": rows(q, k), "l": rows(l, k) })
    }
}
