//! Statistical models and learning: option prices, mixtures, a perceptron, a memory cell, k-means.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use adjoint::{Differentiable, adjoint};

use crate::common::{Flat, check};

#[adjoint]
fn erf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.3275911 * x.abs());
    let poly = t
        * (0.254829592
            + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    let y = 1.0 - poly * (-x * x).exp();
    if x < 0.0 { -y } else { y }
}

#[adjoint]
fn normal_cdf(x: f64) -> f64 {
    0.5 * (1.0 + erf(x * FRAC_1_SQRT_2))
}

#[adjoint]
fn call_price(spot: f64, strike: f64, rate: f64, vol: f64, years: f64) -> f64 {
    let d1 = ((spot / strike).ln() + (rate + vol.powi(2) / 2.0) * years) / (vol * years.sqrt());
    let d2 = d1 - vol * years.sqrt();
    spot * normal_cdf(d1) - strike * (-rate * years).exp() * normal_cdf(d2)
}

#[adjoint]
fn book(spots: &[f64], strikes: &[f64], rate: f64, vol: f64, years: f64) -> f64 {
    spots
        .iter()
        .flat_map(|s| strikes.iter().map(move |k| (s, k)))
        .map(|(s, k)| call_price(*s, *k, rate, vol, years))
        .sum()
}

#[test]
fn a_book_of_options() {
    check!(book(&vec![100.0, 90.0], &vec![95.0, 105.0], 0.03, 0.2, 1.5) -> f64);
}

/// Log-density of points under a mixture, with a Wishart-like prior, as in the common benchmark.
#[adjoint]
fn mixture(alphas: &[f64], means: &[f64], logs: &[f64], x: &[f64], d: usize, gamma: f64) -> f64 {
    let k = alphas.len();
    let mut total = 0.0;
    for point in x.chunks_exact(d) {
        let mut terms = vec![0.0; k];
        for c in 0..k {
            let mean = &means[c * d..][..d];
            let log_scale = &logs[c * d..(c + 1) * d];
            let mut square = 0.0;
            for ((xi, mi), li) in point.iter().zip(mean).zip(log_scale) {
                let z = (xi - mi) * li.exp();
                square += z * z;
            }
            terms[c] = alphas[c] + log_scale.iter().sum::<f64>() - 0.5 * square;
        }
        let max = terms.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        total += max + terms.iter().map(|t| (t - max).exp()).sum::<f64>().ln();
    }
    let norm = alphas.iter().map(|a| a.exp()).sum::<f64>().ln();
    let prior: f64 = logs
        .iter()
        .map(|l| 0.5 * gamma.powi(2) * (2.0 * l).exp() - l)
        .sum();
    total - (x.len() / d) as f64 * norm - prior
}

#[test]
fn a_mixture_with_a_prior() {
    let (alphas, means) = (vec![0.2, -0.4], vec![0.0, 1.0, -1.0, 0.5]);
    let x = vec![0.3, 0.9, -0.8, 0.1, 1.5, -0.5];
    check!(mixture(&alphas, &means, &vec![0.1, -0.2, 0.3, 0.0], &x, const 2, 0.7) -> f64);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Dense {
    weights: Vec<Vec<f64>>,
    bias: Vec<f64>,
}

impl Flat for Dense {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        self.weights.write(to);
        self.bias.write(to);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        Dense {
            weights: self.weights.read(from),
            bias: self.bias.read(from),
        }
    }
}

#[adjoint]
fn dense(layer: &Dense, input: &[f64]) -> Vec<f64> {
    layer
        .weights
        .iter()
        .zip(&layer.bias)
        .map(|(row, b)| row.iter().zip(input).map(|(w, x)| w * x).sum::<f64>() + b)
        .collect()
}

#[adjoint]
fn perceptron(layers: &[Dense], input: &[f64], label: usize) -> f64 {
    let mut x = input.to_vec();
    for (i, layer) in layers.iter().enumerate() {
        x = dense(layer, &x);
        if i + 1 < layers.len() {
            for v in x.iter_mut() {
                *v = v.tanh();
            }
        }
    }
    let max = x.iter().cloned().fold(f64::MIN, f64::max);
    let z: f64 = x.iter().map(|v| (v - max).exp()).sum();
    z.ln() + max - x[label]
}

#[test]
fn a_perceptron_with_cross_entropy() {
    let layers = vec![
        Dense {
            weights: vec![vec![0.1, -0.3], vec![0.5, 0.2], vec![-0.7, 0.4]],
            bias: vec![0.0, 0.1, -0.2],
        },
        Dense {
            weights: vec![vec![0.3, 0.6, -0.1], vec![-0.4, 0.2, 0.9]],
            bias: vec![0.05, -0.05],
        },
    ];
    check!(perceptron(&layers, &vec![0.8, -1.1], const 1) -> f64);
}

/// One step of a long short-term memory, on parts of one vector of parameters.
#[adjoint]
fn lstm(params: &[f64], hidden: &mut [f64], cell: &mut [f64], input: &[f64]) {
    let h = hidden.len();
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (weights, bias) = params.split_at(4 * h);
    for i in 0..h {
        let forget = sigmoid(input[i] * weights[i] + bias[i]);
        let ingate = sigmoid(hidden[i] * weights[h + i] + bias[h + i]);
        let outgate = sigmoid(input[i] * weights[2 * h + i] + bias[2 * h + i]);
        let change = (hidden[i] * weights[3 * h + i] + bias[3 * h + i]).tanh();
        cell[i] = cell[i] * forget + ingate * change;
        hidden[i] = outgate * cell[i].tanh();
    }
}

#[adjoint]
fn sequence_loss(params: &[f64], inputs: &[Vec<f64>]) -> f64 {
    let h = inputs[0].len();
    let (mut hidden, mut cell) = (vec![0.0; h], vec![0.0; h]);
    let mut loss = 0.0;
    for pair in inputs.windows(2) {
        lstm(params, &mut hidden, &mut cell, &pair[0]);
        loss += hidden
            .iter()
            .zip(&pair[1])
            .map(|(y, t)| (y - t).powi(2))
            .sum::<f64>();
    }
    loss / (inputs.len() - 1) as f64
}

#[test]
fn a_memory_cell_over_a_sequence() {
    let params: Vec<f64> = (0..16).map(|i| ((i * 7) % 5) as f64 * 0.2 - 0.4).collect();
    let inputs = vec![vec![0.3, -0.5], vec![0.8, 0.1], vec![-0.2, 0.4]];
    check!(sequence_loss(&params, &inputs) -> f64);
}

/// Lloyd's objective: assignments by the least distance.
#[adjoint]
fn kmeans(points: &[[f64; 2]], centroids: &[[f64; 2]]) -> f64 {
    points
        .iter()
        .map(|p| {
            centroids
                .iter()
                .map(|c| (p[0] - c[0]).powi(2) + (p[1] - c[1]).powi(2))
                .fold(f64::INFINITY, f64::min)
        })
        .sum()
}

/// One step of it: new centroids from the assignments.
#[adjoint]
fn lloyd(points: &[[f64; 2]], centroids: &mut [[f64; 2]]) {
    let mut sums = vec![[0.0; 2]; centroids.len()];
    let mut counts = vec![0usize; centroids.len()];
    for p in points {
        let (nearest, _) = centroids
            .iter()
            .enumerate()
            .map(|(i, c)| (i, (p[0] - c[0]).hypot(p[1] - c[1])))
            .min_by(|a, b| a.1.partial_cmp(&b.1).unwrap())
            .unwrap();
        sums[nearest][0] += p[0];
        sums[nearest][1] += p[1];
        counts[nearest] += 1;
    }
    for ((c, s), &n) in centroids.iter_mut().zip(&sums).zip(&counts) {
        if n > 0 {
            *c = [s[0] / n as f64, s[1] / n as f64];
        }
    }
}

#[test]
fn clusters() {
    let points = vec![[0.0, 0.1], [0.3, -0.2], [2.0, 2.1], [1.8, 2.4]];
    check!(kmeans(&points, &vec![[0.2, 0.0], [1.9, 2.0]]) -> f64);
    check!(lloyd(
        &points,
        &mut vec![[0.2, 0.0], [1.9, 2.0], [9.0, 9.0]]
    ));
}

/// Residuals of a damped oscillation, for a least-squares solver.
#[adjoint]
fn residuals(p: &[f64; 4], t: &[f64], y: &[f64], out: &mut [f64]) {
    let &[amplitude, decay, omega, phase] = p;
    for ((r, &t), y) in out.iter_mut().zip(t).zip(y) {
        *r = amplitude * (-decay * t).exp() * (omega * t + phase * PI).cos() - y;
    }
}

#[test]
fn a_damped_oscillation() {
    let (t, y) = (vec![0.0, 0.5, 1.5], vec![1.0, 0.2, -0.4]);
    check!(residuals(&[1.1, 0.3, 2.0, 0.1], &t, &y, &mut vec![0.0; 3]));
}
