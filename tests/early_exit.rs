//! Loops that choose one of their iterations: their reversal ends behind it.
#![allow(clippy::needless_range_loop, reason = "kernels index")]

mod common;

use adjoint::adjoint;
use common::check;

#[adjoint]
mod kernels {
    /// The sum of the squared distances to the nearest centres.
    pub fn assigned(points: &[f64], centres: &[f64], d: usize) -> f64 {
        let mut sum = 0.0;
        for point in points.chunks_exact(d) {
            let mut nearest = f64::INFINITY;
            for centre in centres.chunks_exact(d) {
                let mut distance = 0.0;
                for k in 0..d {
                    distance += (point[k] - centre[k]) * (point[k] - centre[k]);
                }
                if distance < nearest {
                    nearest = distance;
                }
            }
            sum += nearest;
        }
        sum
    }
    /// The logarithm of a sum of exponentials, and the largest and the smallest term.
    pub fn smooth_maximum(x: &[f64]) -> f64 {
        let mut largest = f64::NEG_INFINITY;
        let mut smallest = x[0];
        for v in x {
            largest = largest.max(*v);
            smallest = smallest.min(v * v);
        }
        let sum: f64 = x.iter().map(|v| (v - largest).exp()).sum();
        largest + sum.ln() - smallest
    }
    /// The largest number so far, of which each is used, and what it starts from.
    pub fn records(x: &[f64], y: &mut [f64], start: f64) -> f64 {
        let mut largest = start * start;
        let weight = largest.sin();
        for i in 0..x.len() {
            if x[i] > largest {
                largest = x[i] * y[i];
            }
        }
        for i in 0..x.len() {
            y[i] *= largest;
        }
        largest * weight
    }
    /// Maxima of windows, in rows.
    pub fn pooled(x: &[f64], n: usize, out: &mut [f64]) {
        for (i, row) in x.chunks_exact(n).enumerate() {
            let mut best = row[0] * 0.5;
            for j in 1..n {
                let v = row[j] * row[j - 1];
                if v > best {
                    best = v;
                }
            }
            out[i] = best * best;
        }
    }
}

fn waves(n: usize, shift: f64) -> Vec<f64> {
    (0..n).map(|i| (0.9 * i as f64 + shift).sin()).collect()
}

#[test]
fn one_of_many() {
    for n in [1, 2, 3, 7, 20] {
        let (x, y) = (waves(2 * n, 0.3), waves(2 * n, 1.1));
        check!(kernels::assigned(&x, &waves(6, 0.8), const 2) -> f64);
        check!(kernels::smooth_maximum(&x) -> f64);
        check!(kernels::records(&x, &mut y.clone(), 0.4) -> f64);
        check!(kernels::records(&x, &mut y.clone(), 1.4) -> f64);
        check!(kernels::pooled(&waves(3 * n, 0.2), const n, &mut waves(3, 0.5)));
    }
}

/// Of equal numbers the first one is chosen; what is not a number never is.
#[test]
fn ties_and_numbers_that_are_none() {
    let x = [1.0, 3.0, 2.0, 3.0, f64::NAN, 0.5];
    let mut x_adj = [0.0; 6];
    let mut out = [0.0; 1];
    let (mut out_adj, n) = ([1.0], 6);
    kernels::pooled_adjoint(&x, &mut x_adj, n, &mut out, &mut out_adj);
    // 2 · 3 comes before 3 · 2.
    assert_eq!(out, [36.0]);
    assert_eq!(x_adj, [0.0, 24.0, 36.0, 0.0, 0.0, 0.0]);
    // Without a seed, nothing is added, not even by the number that is none.
    let mut x_adj = [0.0; 6];
    kernels::pooled_adjoint(&x, &mut x_adj, n, &mut out, &mut [0.0]);
    assert_eq!(x_adj, [0.0; 6]);
}
