//! The fit: argmin's L-BFGS on the misfit, with the gradient that `#[adjoint]` made.

use std::cell::RefCell;

use adjoint::Tape;
use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, KV, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use indicatif::{ProgressBar, ProgressStyle};

use crate::data::Observations;
use crate::model::{misfit, misfit_adjoint_with};

/// Steps of the integrator in a year.
pub const STEPS_PER_YEAR: usize = 50;

/// Iterations after which the optimiser gives up.
const MAX_ITERATIONS: u64 = 200;

/// Where the fit starts: generic rates, and the first observations.
pub fn start(observations: &Observations) -> Vec<f64> {
    vec![
        0.5,
        0.02,
        0.8,
        0.02,
        observations.hare[0],
        observations.lynx[0],
    ]
}

/// The optimum, and how it was reached.
pub struct Fit {
    /// The parameters, in the model's order.
    pub parameters: Vec<f64>,
    /// The misfit there.
    pub misfit: f64,
    /// Iterations of the optimiser.
    pub iterations: u64,
    /// Why it stopped.
    pub reason: String,
}

/// Fits the model to the observations, from `start`.
pub fn fit(observations: &Observations, start: &[f64]) -> Result<Fit, Error> {
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 6)
        .with_tolerance_grad(1e-8)?
        .with_tolerance_cost(0.0)?;
    let logarithms: Vec<f64> = start.iter().map(|p| p.ln()).collect();
    let problem = Problem::new(observations, &logarithms)?;
    let scale = problem.scale;
    let result = Executor::new(problem, solver)
        .configure(|state| state.param(logarithms).max_iters(MAX_ITERATIONS))
        .add_observer(Progress::new(scale), ObserverMode::Always)
        .run()?;
    let state = result.state();
    let best = state
        .get_best_param()
        .ok_or_else(|| Error::msg("the optimiser made no step"))?;
    Ok(Fit {
        parameters: exp(best),
        misfit: state.get_best_cost() / scale,
        iterations: state.get_iter(),
        reason: state.get_termination_status().to_string(),
    })
}

/// The misfit as a function of the logarithms of the parameters, so that these stay positive.
struct Problem<'a> {
    observations: &'a Observations,
    /// The inverse of the gradient's norm at the start, which makes the first step one of length 1.
    scale: f64,
    /// What the misfit counts as where a step has gone so far that the integration fails: high
    /// enough to turn the line search back, but not nearly all the way.
    plateau: f64,
    tape: RefCell<Tape>,
}

impl<'a> Problem<'a> {
    fn new(observations: &'a Observations, start: &[f64]) -> Result<Problem<'a>, Error> {
        let tape = RefCell::new(Tape::new());
        let unscaled = Problem {
            observations,
            scale: 1.0,
            plateau: f64::INFINITY,
            tape,
        };
        let (value, gradient) = unscaled.value_and_gradient(start);
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        if !(value.is_finite() && norm.is_finite()) {
            return Err(Error::msg(
                "the model cannot be integrated from the start of the fit",
            ));
        }
        Ok(Problem {
            scale: 1.0 / norm.max(1e-12),
            plateau: 10.0 * value + 1.0,
            ..unscaled
        })
    }

    fn value_and_gradient(&self, logarithms: &[f64]) -> (f64, Vec<f64>) {
        let Observations { years, hare, lynx } = self.observations;
        let p = exp(logarithms);
        let mut p_adj = vec![0.0; p.len()];
        let value = misfit_adjoint_with(
            &mut self.tape.borrow_mut(),
            &p,
            &mut p_adj,
            years,
            hare,
            lynx,
            STEPS_PER_YEAR,
            self.scale,
        );
        // d/d(ln p) = p d/dp
        (
            value,
            p_adj.iter().zip(&p).map(|(p_adj, p)| p_adj * p).collect(),
        )
    }
}

impl CostFunction for Problem<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, logarithms: &Self::Param) -> Result<f64, Error> {
        let Observations { years, hare, lynx } = self.observations;
        let value = misfit(&exp(logarithms), years, hare, lynx, STEPS_PER_YEAR);
        Ok(self.scale
            * if value.is_finite() {
                value
            } else {
                self.plateau
            })
    }
}

impl Gradient for Problem<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, logarithms: &Self::Param) -> Result<Vec<f64>, Error> {
        let (value, gradient) = self.value_and_gradient(logarithms);
        match (value.is_finite(), gradient.iter().all(|g| g.is_finite())) {
            (true, true) => Ok(gradient),
            (false, _) => Ok(vec![0.0; gradient.len()]),
            (true, false) => Err(Error::msg("the gradient is not finite")),
        }
    }
}

fn exp(logarithms: &[f64]) -> Vec<f64> {
    logarithms.iter().map(|q| q.exp()).collect()
}

/// What argmin knows between two iterations.
type Iteration = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// The progress bar; it draws on a terminal only.
struct Progress {
    bar: ProgressBar,
    scale: f64,
}

impl Progress {
    fn new(scale: f64) -> Progress {
        let style = ProgressStyle::with_template("fitting {bar:30} {pos}/{len} iterations  {msg}");
        let bar = ProgressBar::new(MAX_ITERATIONS);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress { bar, scale }
    }
}

impl Observe<Iteration> for Progress {
    fn observe_iter(&mut self, state: &Iteration, _: &KV) -> Result<(), Error> {
        self.bar.set_position(state.get_iter());
        self.bar
            .set_message(format!("misfit {:.6}", state.get_best_cost() / self.scale));
        Ok(())
    }

    fn observe_final(&mut self, _: &Iteration) -> Result<(), Error> {
        self.bar.abandon();
        Ok(())
    }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
