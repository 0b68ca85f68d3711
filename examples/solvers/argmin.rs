//! Rosenbrock's valley in many dimensions, by argmin's L-BFGS.
//!
//! ```text
//! cargo run --release --example argmin
//! ```

use std::cell::RefCell;
use std::process::ExitCode;

use adjoint::{Tape, adjoint};
use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;

const DIMENSIONS: usize = 20;

/// A narrow curved valley with its minimum, 0, where all coordinates are 1.
#[adjoint]
fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2)
        .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
        .sum()
}

/// What argmin asks for.
#[derive(Default)]
struct Valley {
    tape: RefCell<Tape>,
}

impl CostFunction for Valley {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(rosenbrock(x))
    }
}

impl Gradient for Valley {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let (_, gradient) = rosenbrock_value_and_gradient_with(&mut self.tape.borrow_mut(), x);
        Ok(gradient)
    }
}

/// Where the descent ends.
struct Minimum {
    x: Vec<f64>,
    value: f64,
    iterations: u64,
}

fn minimise(start: Vec<f64>) -> Result<Minimum, Error> {
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7)
        .with_tolerance_grad(1e-9)?
        .with_tolerance_cost(0.0)?;
    let result = Executor::new(Valley::default(), solver)
        .configure(|state| state.param(start).max_iters(500))
        .run()?;
    let state = result.state();
    let x = state
        .get_best_param()
        .ok_or_else(|| Error::msg("the optimiser made no step"))?;
    Ok(Minimum {
        x: x.clone(),
        value: state.get_best_cost(),
        iterations: state.get_iter(),
    })
}

fn main() -> ExitCode {
    match minimise(vec![0.0; DIMENSIONS]) {
        Ok(minimum) => {
            println!("value      {:.3e}", minimum.value);
            println!("iterations {}", minimum.iterations);
            println!("x          {:.6?}", minimum.x);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("argmin: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use adjoint::check;

    use super::*;

    #[test]
    fn the_gradient_is_right() {
        check::gradient(
            |x: &[f64]| rosenbrock(x),
            rosenbrock_value_and_gradient,
            &[-1.2, 1.0, 0.3, 0.7][..],
        )
        .assert_within(1e-9);
    }

    #[test]
    fn the_minimum_is_found() {
        // In more dimensions there is a local one near (-1, 1, .., 1).
        let minimum = minimise(vec![0.0; DIMENSIONS]).expect("the descent ends");
        assert!(minimum.value < 1e-16, "{}", minimum.value);
        assert!(minimum.x.iter().all(|x| (x - 1.0).abs() < 1e-7));
        assert!(minimum.iterations < 500);
    }
}
