//! A least-squares fit by levenberg-marquardt, with a Jacobian whose rows are gradients.
//!
//! ```text
//! cargo run --release --example levenberg_marquardt
//! ```
//!
//! The data are those of Misra (1978) on the adsorption of gases, as NIST gives them with certified results
//! (`Misra1a` in the Statistical Reference Datasets).

use std::process::ExitCode;

use adjoint::{Tape, adjoint};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::storage::Owned;
use nalgebra::{DVector, Dyn, MatrixXx2, RowVector2, U2, Vector2};

/// Pressure and volume.
const DATA: [(f64, f64); 14] = [
    (77.6, 10.07),
    (114.9, 14.73),
    (141.1, 17.94),
    (190.8, 23.93),
    (239.9, 29.61),
    (289.0, 35.18),
    (332.8, 40.02),
    (378.4, 44.82),
    (434.8, 50.76),
    (477.3, 55.05),
    (536.8, 61.01),
    (593.1, 66.40),
    (689.1, 75.47),
    (760.0, 81.78),
];

/// NIST's first start, far from the result.
const START: [f64; 2] = [500.0, 1e-4];

/// How far the model is from one observation.
#[adjoint(wrt(p))]
fn residual(p: &[f64; 2], pressure: f64, volume: f64) -> f64 {
    p[0] * (1.0 - (-p[1] * pressure).exp()) - volume
}

struct Fit {
    p: Vector2<f64>,
}

impl LeastSquaresProblem<f64, Dyn, U2> for Fit {
    type ParameterStorage = Owned<f64, U2>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, U2>;

    fn set_params(&mut self, p: &Vector2<f64>) {
        self.p = *p;
    }

    fn params(&self) -> Vector2<f64> {
        self.p
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let p = self.p.into();
        let all = DATA.iter().map(|&(x, y)| residual(&p, x, y));
        Some(DVector::from_iterator(DATA.len(), all))
    }

    fn jacobian(&self) -> Option<MatrixXx2<f64>> {
        let p = self.p.into();
        let mut tape = Tape::new();
        let mut jacobian = MatrixXx2::zeros(DATA.len());
        for (i, &(x, y)) in DATA.iter().enumerate() {
            let (_, row) = residual_value_and_gradient_with(&mut tape, &p, x, y);
            jacobian.set_row(i, &RowVector2::from(row));
        }
        Some(jacobian)
    }
}

/// The parameters, and the sum of the squared residuals.
fn fit(start: [f64; 2]) -> Result<([f64; 2], f64), String> {
    let start = Fit { p: start.into() };
    let (fit, report) = LevenbergMarquardt::new().minimize(start);
    match report.termination.was_successful() {
        true => Ok((fit.p.into(), 2.0 * report.objective_function)),
        false => Err(format!("{:?}", report.termination)),
    }
}

fn main() -> ExitCode {
    match fit(START) {
        Ok(([limit, rate], squares)) => {
            println!("volume = {limit:.4}·(1 − exp(−{rate:.6e}·pressure))");
            println!("sum of squares {squares:.6}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("levenberg_marquardt: {reason}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use adjoint::check;

    use super::*;

    #[test]
    fn rows_are_right() {
        let (x, y) = DATA[3];
        check::gradient(
            |p| residual(p, x, y),
            |p| residual_value_and_gradient(p, x, y),
            &[2.0, 0.005],
        )
        .assert_within(1e-9);
    }

    #[test]
    fn the_certified_result_is_found() {
        for start in [START, [250.0, 5e-4]] {
            let ([limit, rate], squares) = fit(start).expect("the fit ends");
            assert!((limit / 238.942_129_18 - 1.0).abs() < 1e-6, "{limit}");
            assert!((rate / 5.501_564_318_1e-4 - 1.0).abs() < 1e-6, "{rate}");
            assert!((squares / 0.124_551_388_94 - 1.0).abs() < 1e-8, "{squares}");
        }
    }
}
