//! Likelihoods, distances, and sums over samples.

use std::f64::consts::PI;

use adjoint::adjoint;

/// The likelihood of samples under a mixture of `n` normal distributions.
#[adjoint]
pub fn mixture(x: &[f64], n: usize) -> f64 {
    let (means, rest) = x.split_at(n);
    let (deviations, samples) = rest.split_at(n);
    let mut likelihood = 0.0;
    for s in samples {
        let mut density = 0.0;
        for k in 0..n {
            let z = (s - means[k]) / deviations[k];
            density += (-0.5 * z * z).exp() / (deviations[k] * (2.0 * PI).sqrt());
        }
        likelihood += (density / n as f64).ln();
    }
    likelihood
}

/// The forward algorithm of a hidden Markov model with `n` states, with normalisation.
#[adjoint]
pub fn hidden_markov(x: &[f64], n: usize) -> f64 {
    let (transitions, emissions) = x.split_at(n * n);
    let mut alpha = vec![1.0 / n as f64; n];
    let mut next = vec![0.0; n];
    let mut likelihood = 0.0;
    for emission in emissions.chunks_exact(n) {
        for j in 0..n {
            let mut sum = 0.0;
            for i in 0..n {
                sum += alpha[i] * transitions[i * n + j];
            }
            next[j] = sum * emission[j];
        }
        let total: f64 = next.iter().sum();
        for j in 0..n {
            alpha[j] = next[j] / total;
        }
        likelihood += total.ln();
    }
    likelihood
}

/// The energy distance of a sample from the same shifted by `x[0]`.
#[adjoint]
pub fn energy_distance(x: &[f64], _n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 1..x.len() {
        for j in 1..x.len() {
            sum += (x[i] - x[j] - x[0]).abs() - (x[i] - x[j]).abs();
        }
    }
    sum
}

/// A generalised autoregressive model of the variance.
#[adjoint]
pub fn garch(x: &[f64], _n: usize) -> f64 {
    let [base, shock, memory] = [x[0] * x[0], x[1] * x[1], x[2] * x[2]];
    let mut variance = 1.0;
    let mut likelihood = 0.0;
    for r in &x[3..] {
        variance = base + shock * r * r + memory * variance;
        likelihood -= 0.5 * (variance.ln() + r * r / variance);
    }
    likelihood
}

/// A Kalman filter of position and velocity.
#[adjoint]
pub fn kalman(x: &[f64], _n: usize) -> f64 {
    let (q, r) = (x[0], x[1]);
    let mut state = [0.0, 0.0];
    let mut p = [[1.0, 0.0], [0.0, 1.0]];
    let mut likelihood = 0.0;
    for z in &x[2..] {
        let position = state[0] + state[1];
        let p00 = p[0][0] + p[0][1] + p[1][0] + p[1][1] + q;
        let (p01, p10, p11) = (p[0][1] + p[1][1], p[1][0] + p[1][1], p[1][1] + q);
        let (s, e) = (p00 + r, z - position);
        let gain = [p00 / s, p10 / s];
        state = [position + gain[0] * e, state[1] + gain[1] * e];
        p = [
            [(1.0 - gain[0]) * p00, (1.0 - gain[0]) * p01],
            [p10 - gain[1] * p00, p11 - gain[1] * p01],
        ];
        likelihood -= 0.5 * (s.ln() + e * e / s);
    }
    likelihood
}

/// The mean and the variance, skewness and kurtosis about it.
#[adjoint]
pub fn moments(x: &[f64], _n: usize) -> f64 {
    let count = x.len() as f64;
    let mean = x.iter().sum::<f64>() / count;
    let (mut m2, mut m3, mut m4) = (0.0, 0.0, 0.0);
    for v in x {
        let d = v - mean;
        m2 += d * d;
        m3 += d * d * d;
        m4 += d.powi(4);
    }
    (m3 / count) / (m2 / count).powf(1.5) + (m4 / count) / (m2 / count).powi(2)
}
