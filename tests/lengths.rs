//! Lengths in place of values, elements that loops have set, and sums of loops.
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;

use adjoint::adjoint;
use common::check;

#[adjoint]
mod kernels {
    /// Sets a prefix, branches on what it set, indexes by it, then adds to the prefix.
    pub fn prefix(x: &[f64], d: usize, out: &mut [f64]) -> f64 {
        let mut s = 0.0;
        for r in 0..3usize {
            for i in 0..d {
                out[i] = x[i] * (r as f64 + 0.5);
                if out[i] > 0.5 {
                    s += x[i] * x[i] * x[(i + r) % x.len()];
                }
            }
            for i in 0..d {
                for j in i + 1..d {
                    if out[j] > 0.7 {
                        s *= 1.0 + 0.1 * x[j];
                    }
                    out[j] += x[i] * x[j];
                }
            }
            for i in 0..out.len() {
                s += out[i] * out[i] * x[i % x.len()];
            }
        }
        s
    }
    /// The array that is set is of indices.
    pub fn indices(x: &[f64], d: usize, at: &mut [usize], y: &mut [f64]) -> f64 {
        let mut s = 1.0;
        for r in 0..3usize {
            for i in 0..d {
                at[i] = (i * i + r) % y.len();
                y[at[i]] = y[at[i]] * x[i] + s;
            }
            for i in 0..d {
                for j in 0..d {
                    at[j] = (at[j] + i) % y.len();
                    s += y[at[j]] * x[j] * 0.1;
                }
            }
            for j in 0..d {
                y[at[j]] *= 1.0 + 0.01 * s;
            }
        }
        s
    }
    /// The indices are required only behind the first loop, by what is restored.
    pub fn local_indices(x: &[f64], d: usize, y: &mut [f64]) -> f64 {
        let mut at = [0usize; 4];
        let mut s = 1.0;
        for i in 0..d {
            at[i] = (i * i + 1) % y.len();
        }
        for i in 0..d {
            for j in 0..d {
                at[j] = (at[j] * 3 + i) % y.len();
                y[at[j]] = y[at[j]] * x[i] + s;
            }
        }
        for r in 0..2usize {
            for j in 0..d {
                at[j] = (at[j] + r + 1) % y.len();
            }
            for j in 0..d {
                s += y[at[j]] * y[j % y.len()];
            }
        }
        s
    }
    pub fn fill(x: &[f64], k: usize, out: &mut [f64]) {
        let n = out.len().min(k);
        for i in 0..n {
            out[i] = 0.0;
        }
        for i in 0..n {
            for j in 0..n {
                out[j] += x[i % x.len()] * x[j % x.len()];
            }
        }
        for j in 0..n {
            out[j] *= out[j];
        }
    }
    /// Lengths that change from iteration to iteration, early exits, zero lengths.
    pub fn lengths(x: &[f64], steps: usize, limit: f64) -> Option<f64> {
        let mut n = 0;
        let mut s = 0.0;
        for r in 0..steps {
            n += r % 2;
            let mut a = vec![0.5; n];
            let m = n;
            n += 1;
            let mut b = a.clone();
            fill(x, m, &mut a);
            fill(x, r, &mut b[..m]);
            let mut sums = vec![0.0; m + r];
            for i in 0..m {
                sums[i] += a[i] * x[i % x.len()];
                sums[m + r - 1 - i] += b[i];
            }
            for v in &sums {
                s += v * 2.0;
            }
            if s > limit {
                return None;
            }
            if r == 3 {
                break;
            }
            let c: Vec<f64> = a
                .iter()
                .chain(&b)
                .filter(|v| **v > 0.2)
                .map(|v| v * 3.0)
                .collect();
            for v in &c {
                s += v * x[0];
            }
        }
        Some(s)
    }
    /// Loops that don't run at indices out of bounds; what is added to is read elsewhere.
    pub fn sums(x: &[f64], m: usize, k: usize, y: &mut [f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..m {
            s += x[k] * x[i] * x[k];
        }
        for i in 0..y.len() {
            for j in 0..m {
                y[i] = y[i] * x[k] + x[0] * y[0];
                if j % 2 == 0 {
                    s += x[0] * x[k] * y[i];
                } else {
                    s -= x[k];
                }
            }
        }
        for j in 0..m {
            y[j % y.len()] = y[0] * x[k];
        }
        s
    }
}
use kernels::*;

#[test]
fn prefix_sets() {
    for d in [0, 1, 3, 4] {
        check!(prefix(&[0.7, -0.4, 1.2, 0.9], const d, &mut [0.3, 0.2, -0.5, 1.1, 0.6]) -> f64);
        check!(indices(&[0.7, -0.4, 1.2, 0.9], const d, const &mut [0usize, 1, 2, 3, 1], &mut [0.3, 0.2, -0.5]) -> f64);
        check!(local_indices(&[0.7, -0.4, 1.2, 0.9], const d, &mut [0.3, 0.2, -0.5]) -> f64);
        check!(fill(&[0.7, -0.4, 1.2], const d, &mut [0.3, 0.2, -0.5]));
    }
}
#[test]
fn lengths_change() {
    for steps in [0, 1, 2, 5] {
        check!(lengths(&[0.7, -0.4, 1.2], const steps, 1e9) -> Option<f64>);
    }
}
#[test]
fn loops_without_iterations() {
    check!(sums(&[0.7, -0.4, 1.2], const 0, const 17, &mut [0.3, 0.2]) -> f64);
    check!(sums(&[0.7, -0.4, 1.2], const 3, const 1, &mut [0.3, 0.2]) -> f64);
    check!(sums(&[0.7, -0.4, 1.2], const 3, const 0, &mut [0.3, 0.2]) -> f64);
}
