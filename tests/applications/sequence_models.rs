//! Sequences: scans, hidden Markov models, a recursive Fourier transform, splines.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
fn balance(flows: &[f64]) -> f64 {
    let (gains, losses): (Vec<f64>, Vec<f64>) = flows.iter().partition(|v| **v > 0.0);
    let gain: f64 = gains.iter().sum();
    let loss: f64 = losses.iter().map(|v| v * v).sum();
    gain * gain - loss.sqrt() + gains.len() as f64 * gain
}

#[test]
fn a_partition() {
    check!(balance(&vec![1.0, -0.5, 2.0, -1.5, 0.25]) -> f64);
}

#[adjoint]
fn pairs(x: &[f64], y: &[f64]) -> f64 {
    let rising = x.iter().filter(|v| **v > 0.0);
    let small = y.iter().filter(|v| v.abs() < 1.0);
    rising.zip(small).map(|(a, b)| a * b.exp()).sum()
}

#[test]
fn two_filters_side_by_side() {
    check!(pairs(&vec![1.0, -0.5, 2.0, 0.7], &vec![0.5, 3.0, -0.2]) -> f64);
}

/// The forward algorithm in logarithms.
#[adjoint]
fn hmm_log_likelihood(
    log_start: &[f64],
    log_trans: &[Vec<f64>],
    log_emit: &[Vec<f64>],
    seen: &[usize],
) -> f64 {
    let n = log_start.len();
    let mut alpha: Vec<f64> = (0..n)
        .map(|i| log_start[i] + log_emit[i][seen[0]])
        .collect();
    for &o in &seen[1..] {
        let mut next = vec![0.0; n];
        for j in 0..n {
            let terms: Vec<f64> = (0..n).map(|i| alpha[i] + log_trans[i][j]).collect();
            let max = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = terms.iter().map(|t| (t - max).exp()).sum();
            next[j] = max + sum.ln() + log_emit[j][o];
        }
        alpha = next;
    }
    let max = alpha.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    max + alpha.iter().map(|a| (a - max).exp()).sum::<f64>().ln()
}

#[test]
fn the_forward_algorithm() {
    let trans = vec![vec![-0.4, -1.1], vec![-0.9, -0.5]];
    let emit = vec![vec![-0.2, -1.7, -2.0], vec![-1.2, -0.8, -0.9]];
    check!(hmm_log_likelihood(&vec![-0.3, -1.4], &trans, &emit, const &[0, 2, 1, 1]) -> f64);
}

/// The best path: the score depends on the entries along it.
#[adjoint]
fn viterbi(start: &[f64], trans: &[Vec<f64>], emit: &[Vec<f64>], seen: &[usize]) -> f64 {
    let n = start.len();
    let mut score: Vec<f64> = start
        .iter()
        .zip(emit)
        .map(|(s, e)| s + e[seen[0]])
        .collect();
    for t in 1..seen.len() {
        let mut new = vec![f64::NEG_INFINITY; n];
        for j in 0..n {
            for i in 0..n {
                let candidate = score[i] + trans[i][j];
                if candidate > new[j] {
                    new[j] = candidate;
                }
            }
            new[j] += emit[j][seen[t]];
        }
        std::mem::swap(&mut score, &mut new);
    }
    score.into_iter().fold(f64::NEG_INFINITY, |a, b| a.max(b))
}

#[test]
fn the_best_path() {
    let trans = vec![vec![-0.4, -1.1], vec![-0.9, -0.5]];
    let emit = vec![vec![-0.2, -1.7, -2.0], vec![-1.2, -0.8, -0.9]];
    check!(viterbi(&vec![-0.3, -1.4], &trans, &emit, const &[0, 2, 1, 1]) -> f64);
}

/// Recursive, on vectors of complex numbers as pairs.
#[adjoint]
fn fft(x: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = x.len();
    if n == 1 {
        return x.to_vec();
    }
    let even: Vec<(f64, f64)> = x.iter().step_by(2).copied().collect();
    let odd: Vec<(f64, f64)> = x.iter().skip(1).step_by(2).copied().collect();
    let (even, odd) = (fft(&even), fft(&odd));
    let mut out = vec![(0.0, 0.0); n];
    for k in 0..n / 2 {
        let angle = -2.0 * std::f64::consts::PI * k as f64 / n as f64;
        let (s, c) = angle.sin_cos();
        let (re, im) = odd[k];
        let t = (c * re - s * im, c * im + s * re);
        out[k] = (even[k].0 + t.0, even[k].1 + t.1);
        out[k + n / 2] = (even[k].0 - t.0, even[k].1 - t.1);
    }
    out
}

#[adjoint]
fn power(signal: &[f64], bin: usize) -> f64 {
    let x: Vec<(f64, f64)> = signal.iter().map(|&v| (v, 0.0)).collect();
    let spectrum = fft(&x);
    let (re, im) = spectrum[bin];
    re * re + im * im
}

#[test]
fn a_recursive_transform_of_pairs() {
    check!(power(&vec![0.4, -1.0, 0.3, 2.0, -0.6, 0.1, 0.9, -0.2], const 3) -> f64);
}

/// A natural cubic spline through points, evaluated.
#[adjoint]
fn spline(x: &[f64], y: &[f64], at: f64) -> f64 {
    let n = x.len() - 1;
    let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
    let mut alpha = vec![0.0; n];
    for i in 1..n {
        alpha[i] = 3.0 / h[i] * (y[i + 1] - y[i]) - 3.0 / h[i - 1] * (y[i] - y[i - 1]);
    }
    let (mut l, mut mu, mut z) = (vec![1.0; n + 1], vec![0.0; n + 1], vec![0.0; n + 1]);
    for i in 1..n {
        l[i] = 2.0 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1];
        mu[i] = h[i] / l[i];
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / l[i];
    }
    let (mut b, mut c, mut d) = (vec![0.0; n], vec![0.0; n + 1], vec![0.0; n]);
    for j in (0..n).rev() {
        c[j] = z[j] - mu[j] * c[j + 1];
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2.0 * c[j]) / 3.0;
        d[j] = (c[j + 1] - c[j]) / (3.0 * h[j]);
    }
    let j = (0..n).rev().find(|&j| x[j] <= at).unwrap_or(0);
    let dx = at - x[j];
    y[j] + dx * (b[j] + dx * (c[j] + dx * d[j]))
}

#[test]
fn a_spline_through_points() {
    let x = vec![0.0, 1.0, 2.5, 3.0, 4.2];
    check!(spline(&x, &vec![0.1, 1.2, -0.3, 0.8, 0.5], 2.7) -> f64);
}

#[adjoint]
fn chained(x: &[f64]) -> f64 {
    let levels: Vec<f64> = x
        .iter()
        .scan(1.0, |level, &v| {
            *level *= 1.0 + v;
            Some(*level)
        })
        .collect();
    let peak = levels.iter().copied().fold(f64::MIN, f64::max);
    let trough = levels.iter().cloned().reduce(f64::min).unwrap();
    let last = *levels.last().unwrap();
    let turns = levels
        .windows(3)
        .filter(|w| (w[1] - w[0]) * (w[2] - w[1]) < 0.0)
        .count();
    let (ups, downs): (Vec<f64>, Vec<f64>) = x.iter().map(|v| (v.max(0.0), v.min(0.0))).unzip();
    let mixed: f64 = ups.iter().zip(&downs).map(|(u, d)| u * u - d).sum();
    let early: f64 = x
        .iter()
        .take_while(|v| v.abs() < 0.5)
        .map(|v| v.cos())
        .product();
    last / peak + trough * turns as f64 + mixed * early
}

#[test]
fn a_chain_of_consumers() {
    check!(chained(&vec![0.1, -0.2, 0.3, 0.05, 0.9, -0.4]) -> f64);
}

/// Elements that are left out, and others that come twice.
#[adjoint]
fn thinned(x: &[f64]) -> f64 {
    let mut v: Vec<f64> = x.iter().map(|v| v * v).collect();
    v.extend_from_within(1..3);
    v.retain_mut(|v| {
        *v *= 1.5;
        *v < 40.0
    });
    let mut last = v.clone();
    last.push(v[v.len() - 1]);
    last.dedup();
    last.dedup_by_key(|v| (*v / 8.0) as i32);
    let mut close = x.to_vec();
    close.dedup_by(|next, kept| (*next - *kept).abs() < 0.5);
    let weighted =
        |v: &[f64]| -> f64 { v.iter().enumerate().map(|(i, v)| v * (i + 1) as f64).sum() };
    weighted(&v) + weighted(&last) * weighted(&close)
}

/// Chunks from the end, and halves where there are two.
#[adjoint]
fn from_the_end(x: &[f64], y: &mut [f64], k: f64) -> f64 {
    for c in y.rchunks_exact_mut(2) {
        c[0] *= c[1] * k;
    }
    if let Some((a, b)) = y.split_at_mut_checked(1) {
        a[0] += b[0] * b[1];
    }
    let none = x.split_at_checked(9).map_or(1.0, |(a, _)| a[0]);
    let some = x.split_at_checked(2).map_or(0.0, |(a, b)| a[1] * b[0]);
    let chunks: f64 = x.rchunks_exact(3).map(|c| c[0] * c[2]).sum();
    chunks * some + none * y[0]
}

#[derive(Clone, Differentiable)]
struct Series {
    terms: Vec<f64>,
    tables: Vec<Vec<f64>>,
}

/// The fields' types are not seen.
#[adjoint]
impl Series {
    fn term(&self, i: usize) -> Option<f64> {
        self.terms.get(i).copied()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        let table = self.tables.get(i).cloned().unwrap_or_default();
        table.get(j).copied().unwrap_or(0.5) * self.terms.get(j).cloned().unwrap_or(1.5)
    }
}

#[adjoint]
fn looked_up(x: &[f64], k: f64) -> f64 {
    let tables = vec![vec![k, x[0]], vec![x[1] * k]];
    let series = Series {
        terms: x.to_vec(),
        tables,
    };
    let here = series.term(1).unwrap_or(k) * series.term(7).unwrap_or(k);
    here * series.entry(0, 1) + series.entry(1, 1) * series.entry(2, 0)
}

#[test]
fn elements_that_may_be_missing() {
    check!(looked_up(&[0.7, 1.3, 0.4], 0.6) -> f64);
}

#[test]
fn what_is_left_out() {
    check!(thinned(&vec![1.1, 2.3, 2.6, 5.7, 0.5, 0.9]) -> f64);
    check!(from_the_end(&vec![1.1, 2.3, 2.6, 0.7], &mut vec![0.3, 0.4, 0.6], 0.7) -> f64);
}

#[adjoint]
fn best(x: &[f64], steps: usize) -> f64 {
    let mut p = x.to_vec();
    let mut best = p.clone();
    let mut low = f64::INFINITY;
    for k in 0..steps {
        for v in p.iter_mut() {
            *v = v.sin() * 1.1 - 0.1 * k as f64;
        }
        let e: f64 = p.iter().map(|v| v * v).sum();
        if e < low {
            low = e;
            best.clone_from(&p);
        }
    }
    best[0] * best[1] + low
}

#[test]
fn a_copy_into_what_is_there() {
    check!(best(&vec![0.3, 0.8], const 4) -> f64);
}
