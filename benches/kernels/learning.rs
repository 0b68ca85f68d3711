//! Models that are fitted to data.

use adjoint::adjoint;

/// Logistic regression on `n` features: weights, then rows of features with their labels.
#[adjoint]
pub fn logistic_regression(x: &[f64], n: usize) -> f64 {
    let (weights, data) = x.split_at(n);
    let mut loss = 0.0;
    for row in data.chunks_exact(n + 1) {
        let score: f64 = weights.iter().zip(row).map(|(w, f)| w * f).sum();
        loss += (-row[n] * score).exp().ln_1p();
    }
    loss
}

/// A layer of `n` neurons with `tanh`, and a linear one behind it, for each of several inputs of length `n`.
#[adjoint]
pub fn two_layers(x: &[f64], n: usize) -> f64 {
    let (weights, rest) = x.split_at(n * n);
    let (output, inputs) = rest.split_at(n);
    let mut hidden = vec![0.0; n];
    let mut loss = 0.0;
    for input in inputs.chunks_exact(n) {
        for i in 0..n {
            let mut sum = 0.0;
            for j in 0..n {
                sum += weights[i * n + j] * input[j];
            }
            hidden[i] = sum.tanh();
        }
        let mut prediction = 0.0;
        for i in 0..n {
            prediction += output[i] * hidden[i];
        }
        loss += (prediction - 1.0).powi(2);
    }
    loss
}

/// The cross entropy of a softmax over `n` classes, the right one being the first.
#[adjoint]
pub fn cross_entropy(x: &[f64], n: usize) -> f64 {
    let mut loss = 0.0;
    for logits in x.chunks_exact(n) {
        let largest = logits.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        let sum: f64 = logits.iter().map(|v| (v - largest).exp()).sum();
        loss += sum.ln() + largest - logits[0];
    }
    loss
}

/// A gated recurrent unit with one state per feature, over steps of `n` features.
#[adjoint]
pub fn gated_unit(x: &[f64], n: usize) -> f64 {
    let (weights, steps) = x.split_at(6 * n);
    let mut state = vec![0.0; n];
    for input in steps.chunks_exact(n) {
        for i in 0..n {
            let w = &weights[6 * i..6 * i + 6];
            let update = 1.0 / (1.0 + (-(w[0] * input[i] + w[1] * state[i])).exp());
            let reset = 1.0 / (1.0 + (-(w[2] * input[i] + w[3] * state[i])).exp());
            let candidate = (w[4] * input[i] + w[5] * (reset * state[i])).tanh();
            state[i] = (1.0 - update) * state[i] + update * candidate;
        }
    }
    state.iter().sum()
}

/// Layer normalisation of vectors of length `n`, and the sum of the fourth powers.
#[adjoint]
pub fn layer_norm(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for row in x.chunks_exact(n) {
        let mean = row.iter().sum::<f64>() / n as f64;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n as f64;
        let scale = 1.0 / (variance + 1e-5).sqrt();
        for v in row {
            let normal = (v - mean) * scale;
            total += normal * normal * normal * normal;
        }
    }
    total
}

/// A convolution of length `n`, rectified, and its mean square.
#[adjoint]
pub fn convolution(x: &[f64], n: usize) -> f64 {
    let (kernel, signal) = x.split_at(n);
    let mut sum = 0.0;
    for window in signal.windows(n) {
        let mut value = 0.0;
        for (k, s) in kernel.iter().zip(window) {
            value += k * s;
        }
        if value > 0.0 {
            sum += value * value;
        }
    }
    sum / signal.len() as f64
}
