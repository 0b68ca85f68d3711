//! Fused sweeps: values, derivatives, and what is on the tape.

#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::{Tape, adjoint};
use common::check;

/// The squared distance of a rational curve from data, with outliers cut off.
#[adjoint]
fn robust(p: &[f64; 3], t: &[f64], y: &[f64], bound: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..t.len() {
        let curve = (p[0] + p[1] * t[i]) / (1.0 + (p[2] * t[i]).exp());
        let r = curve - y[i];
        if r.abs() < bound {
            sum += r * r;
        } else {
            sum += 2.0 * bound * r.abs() - bound * bound;
        }
    }
    0.5 * sum
}

/// The likelihood of a mixture, whose terms lie in one array for all points. A pullback runs its sweeps one after the other.
#[adjoint(pullback)]
fn mixture(x: &[f64], mean: &[f64], weight: &[f64]) -> f64 {
    let mut terms = vec![0.0; mean.len()];
    let mut likelihood = 0.0;
    for i in 0..x.len() {
        let mut most = f64::NEG_INFINITY;
        for k in 0..mean.len() {
            let z = x[i] - mean[k];
            terms[k] = weight[k] - 0.5 * z * z;
            terms[k] = terms[k] * 1.5;
            if terms[k] > most {
                most = terms[k];
            }
        }
        let mut total = 0.0;
        for k in 0..mean.len() {
            total += (terms[k] - most).exp();
        }
        likelihood += most + total.ln();
    }
    likelihood
}

/// Two loops, a number that the second one needs, and a factor that is known between them.
#[adjoint]
fn two_sums(x: &[f64], y: &[f64]) -> f64 {
    let mut a = 0.0;
    for v in x {
        a += (v * v).sin().exp();
    }
    let scale = y[0].sin();
    let mut b = 0.0;
    for v in y {
        b += (scale * v).cos() * v;
    }
    2.0 * a - scale * b
}

/// What is left behind the loop is of the last iteration that wrote it.
#[adjoint]
fn last_above(x: &[f64], bound: f64) -> f64 {
    let mut last = 0.0;
    let mut sum = 0.0;
    for v in x {
        if *v > bound {
            last = v * v;
        }
        sum += v.sin().exp();
    }
    last * sum
}

/// Elements at the index, a counter, and a sum.
#[adjoint]
fn elements(x: &[f64], y: &mut [f64]) -> f64 {
    let (mut sum, mut state) = (0.0, 1usize);
    for i in 0..x.len() {
        state = (state * 5 + 3) % 16;
        let t = (x[i] * state as f64 * 0.1).sin();
        y[i] = t.exp();
        sum += t * t;
    }
    sum
}

#[adjoint]
mod helpers {
    /// A call in each iteration.
    pub fn weighted(x: &[f64], w: &[f64; 2]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += response(x[i], w);
        }
        sum
    }

    fn response(x: f64, w: &[f64; 2]) -> f64 {
        let mut t = x;
        for _ in 0..3 {
            t = (w[0] * t + w[1]).sin();
        }
        t * t
    }
}
use helpers::*;

fn numbers(n: usize, from: f64) -> Vec<f64> {
    (0..n).map(|i| from + (i as f64 * 0.7).sin()).collect()
}

#[test]
fn derivatives_of_fused_loops() {
    let (t, y) = (numbers(7, 0.2), numbers(7, 0.4));
    check!(robust(&[0.3, -0.2, 0.5], &t, &y, 0.3) -> f64);
    check!(mixture(&numbers(6, 0.1), &numbers(4, 0.3), &numbers(4, -0.5)) -> f64);
    check!(two_sums(&numbers(5, 0.1), &numbers(6, 0.3)) -> f64);
    check!(elements(&numbers(5, 0.1), &mut vec![0.0; 5]) -> f64);
    check!(weighted(&numbers(5, 0.1), &[0.7, 0.2]) -> f64);
    for bound in [-2.0, 0.3, 5.0] {
        check!(last_above(&numbers(5, 0.1), bound) -> f64);
    }
    // None, or one iteration.
    check!(mixture(&Vec::new(), &numbers(3, 0.3), &numbers(3, 0.1)) -> f64);
    check!(robust(&[0.3, -0.2, 0.5], &vec![0.7], &vec![0.1], 0.3) -> f64);
}

/// The most that an adjoint with so many points keeps on the tape.
fn peak(points: usize, run: impl Fn(&mut Tape, &[f64])) -> usize {
    let mut tape = Tape::new();
    run(&mut tape, &numbers(points, 0.1));
    tape.stats().peak_bytes
}

#[test]
fn the_tape_holds_one_iteration() {
    let mixtures = |tape: &mut Tape, x: &[f64]| {
        mixture_value_and_gradient_with(tape, x, &[0.3, -0.1], &[0.2, 0.4]);
    };
    assert_eq!(peak(1000, mixtures), peak(10, mixtures));
    let weights = |tape: &mut Tape, x: &[f64]| {
        weighted_value_and_gradient_with(tape, x, &[0.7, 0.2]);
    };
    assert_eq!(peak(1000, weights), peak(10, weights));
    let sums = |tape: &mut Tape, x: &[f64]| {
        robust_value_and_gradient_with(tape, &[0.3, -0.2, 0.5], x, x, 0.3);
    };
    assert_eq!(peak(1000, sums), 0);
}

#[test]
fn values_are_the_same_in_each_bit() {
    let (x, mean, weight) = (numbers(50, 0.1), numbers(7, 0.3), numbers(7, -0.5));
    let (fused, by_x) = mixture_value_and_gradient(&x, &mean, &weight);
    let (split, mut back) = mixture_pullback(&x, &mean, &weight);
    let [mut expected, mut mean_adj, mut weight_adj] =
        [&x, &mean, &weight].map(|v| vec![0.0; v.len()]);
    back(&mut expected, &mut mean_adj, &mut weight_adj, 1.0);
    assert_eq!(fused.to_bits(), split.to_bits());
    assert_eq!(fused.to_bits(), mixture(&x, &mean, &weight).to_bits());
    for (a, b) in by_x.0.iter().zip(&expected) {
        assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} {b}");
    }
}

#[test]
fn an_iteration_that_panics_leaves_what_earlier_ones_added() {
    let (x, w) = ([0.1, 0.2, 0.3], [0.7, 0.2]);
    let mut x_adj = [0.0; 3];
    let short = [0.5];
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        robust_adjoint(
            &[0.1, 0.2, 0.3],
            &mut [0.0; 3],
            &x,
            &mut x_adj,
            &short,
            &mut [0.0],
            9.0,
            &mut 0.0,
            1.0,
        )
    }));
    assert!(panicked.is_err());
    assert!(x_adj[0] != 0.0 && x_adj[1] == 0.0, "{x_adj:?}");
    // The tape is as good as a new one.
    let mut tape = Tape::new();
    let (value, _) = weighted_value_and_gradient_with(&mut tape, &x, &w);
    assert_eq!(value, weighted(&x, &w));
}
