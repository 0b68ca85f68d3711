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

/// Loops from the last index down, up to an index, and over signed integers.
#[adjoint]
fn ranges(x: &[f64]) -> f64 {
    let [mut a, mut b, mut c, mut d] = [0.0; 4];
    for i in (1..x.len()).rev() {
        let t = (x[i] * x[i - 1]).sin();
        a += t * t;
    }
    for i in 1..=x.len() - 2 {
        let t = (x[i - 1] - x[i + 1]).exp();
        b += t * t;
    }
    for i in (0..=x.len() - 1).rev() {
        let t = (x[i] + 0.01 * i as f64).cos();
        c += t * t;
    }
    for k in -70..x.len() as i32 {
        let t = (0.01 * k as f64 * x[0]).sin();
        d += t * t;
    }
    a + 2.0 * b + 3.0 * c + 4.0 * d
}

/// Indices of narrow types: the last strip would end beyond the greatest one.
#[adjoint]
fn narrow(x: &[f64], n: u8, low: i8) -> f64 {
    let [mut a, mut b, mut c] = [0.0; 3];
    for i in 0..=n {
        let t = x[i as usize].sin().exp();
        a += t * t;
    }
    for i in (0..n).rev() {
        let t = x[i as usize].cos().exp();
        b += t * t;
    }
    for i in low..=i8::MAX {
        let t = x[(i as i32 + 128) as usize].sin();
        c += t * t;
    }
    a - b + 2.0 * c
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
    // Strips that are full, and one more or less.
    for n in [63, 64, 65, 127, 128, 129, 200] {
        let (t, y) = (numbers(n, 0.2), numbers(n, 0.4));
        check!(robust(&[0.3, -0.2, 0.5], &t, &y, 0.3) -> f64);
        check!(ranges(&t) -> f64);
        check!(elements(&t, &mut vec![0.0; n]) -> f64);
        check!(weighted(&t, &[0.7, 0.2]) -> f64);
    }
    check!(ranges(&numbers(2, 0.1)) -> f64);
    for (n, low) in [
        (0, i8::MIN),
        (63, -1),
        (64, 0),
        (65, i8::MAX),
        (u8::MAX, -100),
    ] {
        check!(narrow(&numbers(256, 0.1), const n, const low) -> f64);
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
fn the_tape_holds_one_strip() {
    let mixtures = |tape: &mut Tape, x: &[f64]| {
        mixture_value_and_gradient_with(tape, x, &[0.3, -0.1], &[0.2, 0.4]);
    };
    assert_eq!(peak(1000, mixtures), peak(100, mixtures));
    assert!(peak(100, mixtures) > peak(10, mixtures));
    let weights = |tape: &mut Tape, x: &[f64]| {
        weighted_value_and_gradient_with(tape, x, &[0.7, 0.2]);
    };
    assert_eq!(peak(1000, weights), peak(100, weights));
    let sums = |tape: &mut Tape, x: &[f64]| {
        robust_value_and_gradient_with(tape, &[0.3, -0.2, 0.5], x, x, 0.3);
    };
    assert_eq!(peak(1000, sums), peak(100, sums));
    let over_ranges = |tape: &mut Tape, x: &[f64]| {
        ranges_value_and_gradient_with(tape, x);
    };
    assert_eq!(peak(1000, over_ranges), peak(100, over_ranges));
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
fn an_iteration_that_panics_leaves_what_earlier_strips_added() {
    let (x, w) = (numbers(130, 0.1), [0.7, 0.2]);
    let mut x_adj = vec![0.0; 130];
    let short = numbers(100, 0.3);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        robust_adjoint(
            &[0.1, 0.2, 0.3],
            &mut [0.0; 3],
            &x,
            &mut x_adj,
            &short,
            &mut vec![0.0; 100],
            9.0,
            &mut 0.0,
            1.0,
        )
    }));
    assert!(panicked.is_err());
    assert!(x_adj[63] != 0.0 && x_adj[64] == 0.0, "{x_adj:?}");
    // The tape is as good as a new one.
    let mut tape = Tape::new();
    let (value, _) = weighted_value_and_gradient_with(&mut tape, &x, &w);
    assert_eq!(value, weighted(&x, &w));
}
