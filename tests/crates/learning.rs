//! Losses, layers, and the programs of gradient benchmarks.

use std::f64::consts::PI;

use adjoint::{Differentiable, adjoint};

use crate::common::{assert_close, check};

#[adjoint]
fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let z = x.exp();
        z / (1.0 + z)
    }
}

#[adjoint]
fn softmax(logits: &[f64]) -> Vec<f64> {
    let max = logits.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
    let exps: Vec<f64> = logits.iter().map(|&l| (l - max).exp()).collect();
    let total: f64 = exps.iter().sum();
    exps.into_iter().map(|e| e / total).collect()
}

#[adjoint]
fn cross_entropy(logits: &[f64], label: usize) -> f64 {
    let p = softmax(logits);
    -p[label].max(1e-12).ln()
}

#[test]
fn cross_entropy_is_softmax_minus_one_hot() {
    let x: Vec<f64> = vec![0.4, -1.1, 2.0];
    let p = softmax(&x);
    let g = check!(cross_entropy(&x, const 1) -> f64);
    assert_close(&g[0], &[p[0], p[1] - 1.0, p[2]]);
}

#[derive(Clone, Copy, PartialEq)]
enum Activation {
    Relu,
    LeakyRelu(f64),
    Tanh,
    Gelu,
}

#[adjoint(wrt(x))]
fn activate(kind: Activation, x: f64) -> f64 {
    match kind {
        Activation::Relu => x.max(0.0),
        Activation::LeakyRelu(slope) if x < 0.0 => slope * x,
        Activation::LeakyRelu(_) => x,
        Activation::Tanh => x.tanh(),
        Activation::Gelu => {
            0.5 * x * (1.0 + ((2.0 / PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh())
        }
    }
}

#[test]
fn activations_by_an_enum() {
    for kind in [
        Activation::Relu,
        Activation::LeakyRelu(0.1),
        Activation::Tanh,
        Activation::Gelu,
    ] {
        check!(activate(const kind, 0.7) -> f64);
        check!(activate(const kind, -0.7) -> f64);
    }
}

/// A layer as a struct, a network as a `Vec` of them.
#[derive(Clone, Debug, Differentiable)]
struct Layer {
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
}

#[adjoint]
impl Layer {
    fn forward(&self, input: &[f64]) -> Vec<f64> {
        self.weights
            .iter()
            .zip(self.biases.iter())
            .map(|(row, b)| {
                let z: f64 = row.iter().zip(input).map(|(w, x)| w * x).sum::<f64>() + b;
                z.tanh()
            })
            .collect()
    }
}

#[adjoint(wrt(net))]
fn mlp_loss(net: &[Layer], input: &[f64], target: &[f64]) -> f64 {
    let mut a = input.to_vec();
    for layer in net {
        let next: Vec<f64> = layer.forward(&a);
        a = next;
    }
    a.iter()
        .zip(target)
        .map(|(p, t)| (p - t).powi(2))
        .sum::<f64>()
        / target.len() as f64
}

#[test]
fn a_network_of_layers() {
    let net = vec![
        Layer {
            weights: vec![vec![0.1, -0.2], vec![0.4, 0.3]],
            biases: vec![0.01, -0.02],
        },
        Layer {
            weights: vec![vec![0.7, -0.5]],
            biases: vec![0.2],
        },
    ];
    let mut adj = vec![
        Layer {
            weights: vec![vec![0.0; 2]; 2],
            biases: vec![0.0; 2],
        },
        Layer {
            weights: vec![vec![0.0; 2]],
            biases: vec![0.0],
        },
    ];
    mlp_loss_adjoint(&net, &mut adj, &[1.0, -0.5], &[0.3], 1.0);
    let step = 1e-6;
    let moved = |sign: f64| {
        let mut net = net.clone();
        net[0].weights[1][0] += sign * step;
        mlp_loss(&net, &[1.0, -0.5], &[0.3])
    };
    let slope = (moved(1.0) - moved(-1.0)) / (2.0 * step);
    assert!((adj[0].weights[1][0] - slope).abs() < 1e-8);
}

/// A Gaussian mixture in the layout of the benchmark.
#[adjoint]
fn log_sum_exp(x: &[f64]) -> f64 {
    let mx = x.iter().fold(x[0], |a, &b| if a < b { b } else { a });
    mx + x.iter().map(|v| (v - mx).exp()).sum::<f64>().ln()
}

#[adjoint]
fn q_times_x(d: usize, q_diag: &[f64], lower: &[f64], x: &[f64], out: &mut [f64]) {
    for i in 0..d {
        out[i] = q_diag[i] * x[i];
    }
    let mut at = 0;
    for i in 0..d {
        for j in (i + 1)..d {
            out[j] += lower[at] * x[i];
            at += 1;
        }
    }
}

#[adjoint(wrt(alphas, means, icf))]
fn gmm(d: usize, k: usize, n: usize, alphas: &[f64], means: &[f64], icf: &[f64], x: &[f64]) -> f64 {
    let icf_sz = d * (d + 1) / 2;
    let mut qdiags = vec![0.0; d * k];
    let mut sum_qs = vec![0.0; k];
    for ik in 0..k {
        for id in 0..d {
            let q = icf[ik * icf_sz + id];
            sum_qs[ik] += q;
            qdiags[ik * d + id] = q.exp();
        }
    }
    let mut xcentered = vec![0.0; d];
    let mut qxcentered = vec![0.0; d];
    let mut main_term = vec![0.0; k];
    let mut slse = 0.0;
    for ix in 0..n {
        for ik in 0..k {
            for id in 0..d {
                xcentered[id] = x[ix * d + id] - means[ik * d + id];
            }
            q_times_x(
                d,
                &qdiags[ik * d..][..d],
                &icf[ik * icf_sz + d..(ik + 1) * icf_sz],
                &xcentered,
                &mut qxcentered,
            );
            let sqnorm = qxcentered.iter().map(|v| v * v).sum::<f64>();
            main_term[ik] = alphas[ik] + sum_qs[ik] - 0.5 * sqnorm;
        }
        slse += log_sum_exp(&main_term);
    }
    slse - n as f64 * log_sum_exp(alphas) - n as f64 * d as f64 * 0.5 * (2.0 * PI).ln()
}

#[test]
fn a_gaussian_mixture() {
    check!(gmm(
        const 2, const 2, const 3, &vec![0.2, -0.1], &vec![0.1, 0.4, -0.3, 0.9],
        &vec![0.1, -0.2, 0.05, 0.3, 0.1, -0.4], const &[0.5, 0.1, -0.2, 0.8, 1.1, -0.6]
    ) -> f64);
}

/// Bundle adjustment: a camera in a flat array, projection with radial distortion.
#[adjoint]
fn rodrigues_rotate(rot: &[f64], pt: &[f64], out: &mut [f64]) {
    let sqtheta: f64 = rot[..3].iter().map(|r| r * r).sum();
    if sqtheta != 0.0 {
        let theta = sqtheta.sqrt();
        let (sintheta, costheta) = theta.sin_cos();
        let theta_inverse = 1.0 / theta;
        let mut w = [0.0; 3];
        for i in 0..3 {
            w[i] = rot[i] * theta_inverse;
        }
        let w_cross_pt = [
            w[1] * pt[2] - w[2] * pt[1],
            w[2] * pt[0] - w[0] * pt[2],
            w[0] * pt[1] - w[1] * pt[0],
        ];
        let tmp = (w[0] * pt[0] + w[1] * pt[1] + w[2] * pt[2]) * (1.0 - costheta);
        for i in 0..3 {
            out[i] = pt[i] * costheta + w_cross_pt[i] * sintheta + w[i] * tmp;
        }
    } else {
        out.copy_from_slice(&pt[..3]);
    }
}

#[adjoint(wrt(cam, x, w))]
fn reprojection_error(cam: &[f64], x: &[f64], w: f64, feat: &[f64]) -> [f64; 2] {
    const ROT: usize = 0;
    const CENTER: usize = 3;
    const FOCAL: usize = 6;
    const X0: usize = 7;
    const RAD: usize = 9;
    let mut xo = [0.0; 3];
    for (o, (a, c)) in xo.iter_mut().zip(x.iter().zip(&cam[CENTER..])) {
        *o = a - c;
    }
    let mut xcam = [0.0; 3];
    rodrigues_rotate(&cam[ROT..ROT + 3], &xo, &mut xcam);
    let mut proj = [xcam[0] / xcam[2], xcam[1] / xcam[2]];
    let rsq: f64 = proj.iter().map(|p| p * p).sum();
    let l = 1.0 + cam[RAD] * rsq + cam[RAD + 1] * rsq * rsq;
    for p in &mut proj {
        *p *= l;
    }
    for i in 0..2 {
        proj[i] = proj[i] * cam[FOCAL] + cam[X0 + i];
    }
    [w * (proj[0] - feat[0]), w * (proj[1] - feat[1])]
}

#[test]
fn bundle_adjustment() {
    let cam = vec![0.1, -0.2, 0.3, 0.5, 0.1, -3.0, 1.2, 0.02, -0.01, 0.05, 0.01];
    check!(reprojection_error(&cam, &vec![0.3, 0.7, 1.1], 0.8, const &[0.1, 0.2]) -> [f64; 2]);
}

/// One step of an LSTM over slices of one parameter vector.
#[adjoint]
fn lstm_step(weight: &[f64], bias: &[f64], hidden: &mut [f64], cell: &mut [f64], input: &[f64]) {
    let n = hidden.len();
    for i in 0..n {
        let forget = sigmoid(input[i] * weight[i] + bias[i]);
        let ingate = sigmoid(hidden[i] * weight[n + i] + bias[n + i]);
        let outgate = sigmoid(input[i] * weight[2 * n + i] + bias[2 * n + i]);
        let change = (hidden[i] * weight[3 * n + i] + bias[3 * n + i]).tanh();
        cell[i] = cell[i] * forget + ingate * change;
        hidden[i] = outgate * cell[i].tanh();
    }
}

#[adjoint(wrt(params, state))]
fn lstm_loss(params: &[f64], state: &mut [f64], sequence: &[Vec<f64>]) -> f64 {
    let n = sequence[0].len();
    let (weight, bias) = params.split_at(4 * n);
    let mut total = 0.0;
    let mut count = 0;
    for t in 0..sequence.len() - 1 {
        let (hidden, cell) = state.split_at_mut(n);
        lstm_step(weight, bias, hidden, cell, &sequence[t]);
        let lse = hidden.iter().map(|h| h.exp()).sum::<f64>().ln() + 2f64.ln();
        for (g, h) in sequence[t + 1].iter().zip(hidden.iter()) {
            total += g * (h - lse);
            count += 1;
        }
    }
    -total / count as f64
}

#[test]
fn a_recurrent_network() {
    let params: Vec<f64> = (0..16).map(|i| 0.1 * (i as f64 * 1.7).sin()).collect();
    let sequence = vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 1.0]];
    check!(lstm_loss(&params, &mut vec![0.1, -0.2, 0.05, 0.3], const &sequence) -> f64);
}

/// Least squares with an L2 and an L1 penalty.
#[adjoint(wrt(w))]
fn elastic_net(w: &[f64], x: &[Vec<f64>], y: &[f64], alpha: f64, l1_ratio: f64) -> f64 {
    let n = x.len() as f64;
    let mse = x
        .iter()
        .zip(y.iter())
        .map(|(row, &yi)| {
            let pred = row.iter().zip(w.iter()).map(|(a, b)| a * b).sum::<f64>();
            (yi - pred) * (yi - pred)
        })
        .sum::<f64>()
        / (2.0 * n);
    let l1 = w.iter().map(|v| v.abs()).sum::<f64>();
    let l2 = w.iter().map(|&v| v.powi(2)).sum::<f64>();
    mse + alpha * (l1_ratio * l1 + 0.5 * (1.0 - l1_ratio) * l2)
}

#[test]
fn penalised_least_squares() {
    let x = vec![vec![1.0, 0.5], vec![0.2, -0.3], vec![-1.0, 1.2]];
    check!(elastic_net(&vec![0.4, -0.7], const &x, const &[0.3, 0.1, 0.9], const 0.1, const 0.5) -> f64);
}

/// Huber, hinge, logistic and quantile losses, by closures in a sum.
#[adjoint(wrt(pred))]
fn losses(pred: &[f64], target: &[f64], delta: f64) -> f64 {
    let huber = |r: f64| {
        let a = r.abs();
        if a <= delta {
            0.5 * r * r
        } else {
            delta * (a - 0.5 * delta)
        }
    };
    let hinge = |m: f64| f64::max(0.0, 1.0 - m);
    let logistic = |m: f64| (-m).exp().ln_1p();
    let quantile = |r: f64, tau: f64| if r >= 0.0 { tau * r } else { (tau - 1.0) * r };
    let mut loss = 0.0;
    let mut add = |v: f64| loss += v;
    for (&p, &t) in pred.iter().zip(target) {
        add(huber(p - t));
        add(hinge(p * t));
        add(logistic(p * t) + quantile(t - p, 0.9));
    }
    loss / pred.len() as f64
}

#[test]
fn losses_by_closures() {
    check!(losses(&vec![0.4, -2.7, 1.4], const &[1.0, -1.0, 0.3], const 0.8) -> f64);
}

/// A convolution with a stride and zero padding.
#[adjoint]
fn conv1d(input: &[f64], kernel: &[f64], stride: usize, padding: usize, out: &mut [f64]) {
    let n = input.len() as isize;
    for (o, slot) in out.iter_mut().enumerate() {
        let start = (o * stride) as isize - padding as isize;
        *slot = kernel
            .iter()
            .enumerate()
            .filter_map(|(k, w)| {
                let at = start + k as isize;
                (at >= 0 && at < n).then(|| w * input[at as usize])
            })
            .sum();
    }
}

#[test]
fn a_padded_convolution() {
    check!(conv1d(&vec![1.0, -0.5, 2.0, 0.3, 0.7], &vec![0.2, 0.5, -0.1], const 2, const 1, &mut vec![0.0; 3]));
}

/// Attention over one query.
#[adjoint]
fn attention(q: &[f64], keys: &[Vec<f64>], values: &[Vec<f64>]) -> Vec<f64> {
    let scale = 1.0 / (q.len() as f64).sqrt();
    let scores: Vec<f64> = keys
        .iter()
        .map(|k| k.iter().zip(q).map(|(a, b)| a * b).sum::<f64>() * scale)
        .collect();
    let weights = softmax(&scores);
    let mut out = vec![0.0; values[0].len()];
    for (w, v) in weights.iter().zip(values) {
        for (o, x) in out.iter_mut().zip(v) {
            *o += w * x;
        }
    }
    out
}

#[test]
fn attention_over_one_query() {
    let keys = vec![vec![0.1, 0.4], vec![-0.3, 0.8]];
    let values = vec![vec![1.0, 0.2], vec![0.5, -0.7]];
    check!(attention(&vec![0.3, 0.9], &keys, &values) -> &Vec<f64>);
}

/// k-means: the nearest centre is found by `min_by`, and its distance counted.
#[adjoint]
fn kmeans_cost(points: &[[f64; 2]], centers: &[[f64; 2]]) -> f64 {
    let sq = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    points
        .iter()
        .map(|p| {
            centers
                .iter()
                .map(|c| sq(p, c))
                .fold(f64::INFINITY, |a, b| a.min(b))
        })
        .sum()
}

#[test]
fn nearest_centres() {
    check!(kmeans_cost(&vec![[0.0, 0.1], [1.0, 0.9], [0.2, 0.4]], &vec![[0.1, 0.0], [0.9, 1.0]]) -> f64);
}

/// Adam's update, in place over three buffers.
#[adjoint]
fn adam_step(w: &mut [f64], m: &mut [f64], v: &mut [f64], g: &[f64], t: i32) {
    const B1: f64 = 0.9;
    const B2: f64 = 0.999;
    for (((w, m), v), g) in w.iter_mut().zip(m.iter_mut()).zip(v.iter_mut()).zip(g) {
        *m = B1 * *m + (1.0 - B1) * g;
        *v = B2 * *v + (1.0 - B2) * g.powi(2);
        let m_hat = *m / (1.0 - B1.powi(t));
        let v_hat = *v / (1.0 - B2.powi(t));
        *w -= 0.01 * m_hat / (v_hat.sqrt() + 1e-8);
    }
}

#[test]
fn an_optimiser_step() {
    check!(adam_step(&mut vec![0.3, -0.2], &mut vec![0.1, 0.05], &mut vec![0.2, 0.3], &vec![0.7, -0.4], const 3));
}
