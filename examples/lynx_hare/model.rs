//! The model: two species, the integrator, and the misfit to the observations.
//!
//! The parameters `p` are, in order: growth of the prey, predation, death of the predator,
//! conversion of prey into predators (all per year), and the two populations at the first
//! observation (prey, predator; in thousands).

use adjoint::adjoint;

/// Lotka and Volterra's equations: how fast both populations change.
#[adjoint]
pub fn change(y: &[f64], p: &[f64], rate: &mut [f64]) {
    rate[0] = p[0] * y[0] - p[1] * y[0] * y[1];
    rate[1] = p[3] * y[0] * y[1] - p[2] * y[1];
}

/// Advances the populations `y` by `steps` steps of length `h` with the classical Runge–Kutta
/// method.
#[adjoint]
pub fn rk4(y: &mut [f64], p: &[f64], h: f64, steps: usize) {
    let mut k1 = [0.0; 2];
    let mut k2 = [0.0; 2];
    let mut k3 = [0.0; 2];
    let mut k4 = [0.0; 2];
    let mut z = [0.0; 2];
    for _ in 0..steps {
        change(y, p, &mut k1);
        for i in 0..2 {
            z[i] = y[i] + 0.5 * h * k1[i];
        }
        change(&z, p, &mut k2);
        for i in 0..2 {
            z[i] = y[i] + 0.5 * h * k2[i];
        }
        change(&z, p, &mut k3);
        for i in 0..2 {
            z[i] = y[i] + h * k3[i];
        }
        change(&z, p, &mut k4);
        for i in 0..2 {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
}

/// Half the sum of the squared differences between the logarithms of model and observation.
#[adjoint(wrt(p))]
pub fn misfit(p: &[f64], years: &[f64], hare: &[f64], lynx: &[f64], steps_per_year: usize) -> f64 {
    let mut y = [p[4], p[5]];
    let mut sum = 0.0;
    for i in 0..years.len() {
        if i > 0 {
            let span = years[i] - years[i - 1];
            let steps = (span * steps_per_year as f64).ceil() as usize;
            rk4(&mut y, p, span / steps as f64, steps);
        }
        let to_hare = y[0].ln() - hare[i].ln();
        let to_lynx = y[1].ln() - lynx[i].ln();
        sum += 0.5 * (to_hare * to_hare + to_lynx * to_lynx);
    }
    sum
}
