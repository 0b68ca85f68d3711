//! Preaccumulated gradients: values, derivatives, and what is on the tape.

#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    clippy::excessive_precision,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
#[path = "preaccumulation/kernels.rs"]
mod kernels;

use adjoint::{Tape, adjoint};
use common::{bytes_of_same, check};
use kernels::{by_statements, with_gradients};

const POSITIVE: [f64; 15] = [
    0.9, 1.1, 0.7, 1.3, 0.6, 1.2, 0.8, 1.05, 0.95, 1.15, 0.75, 0.65, 1.25, 0.85, 1.4,
];

#[test]
fn long_runs_have_their_derivatives() {
    check!(with_gradients::helmholtz(&POSITIVE[..8].to_vec(), const 4) -> f64);
    check!(with_gradients::cameras(&POSITIVE[..14].to_vec()) -> f64);
    check!(with_gradients::rodrigues(&POSITIVE[..9].to_vec()) -> f64);
    check!(with_gradients::lstm(&POSITIVE) -> f64);
    check!(with_gradients::tube(&[1.0, 0.1, 2.5, 0.9, 0.2, 2.4, 1.1, 0.1, 2.6], const 2) -> f64);
    check!(with_gradients::march(&POSITIVE[..6].to_vec()) -> f64);
    check!(with_gradients::black_scholes(&POSITIVE[..8].to_vec()) -> f64);
}

/// The bytes of a kernel's gradient by statements and with gradients.
macro_rules! bytes {
    ($adjoint:ident, $x:expr $(, $n:expr)?) => {
        bytes_of_same(
            &$x,
            [
                &|tape, x, x_adj| by_statements::$adjoint(tape, x, x_adj $(, $n)?, 1.0),
                &|tape, x, x_adj| with_gradients::$adjoint(tape, x, x_adj $(, $n)?, 1.0),
            ],
        )
    };
}

#[test]
fn tapes_are_not_larger() {
    let many: Vec<f64> = POSITIVE.iter().cycle().take(122).copied().collect();
    let (before, after) = bytes!(helmholtz_adjoint_with, many[..120], 4);
    assert!(after <= before, "{before} {after}");
    // Its distribution function is inlined.
    assert_eq!(bytes!(black_scholes_adjoint_with, many), (64 * 40, 64 * 25));
    assert_eq!(bytes!(march_adjoint_with, many), (121 * 48, 121 * 24));
    let (before, after) = bytes!(cameras_adjoint_with, many[..112]);
    assert!(after <= before, "{before} {after}");
    let (before, after) = bytes!(rodrigues_adjoint_with, many[..120]);
    assert!(after <= before, "{before} {after}");
    let (before, after) = bytes!(lstm_adjoint_with, many);
    assert!(after <= before, "{before} {after}");
}

/// A recurrence with one state: what is recorded are the entries of its gradient.
#[adjoint]
fn march(x: &[f64], a: f64) -> f64 {
    let mut s = 1.0;
    for i in 0..x.len() {
        let t = (a * s).sin();
        let u = (t * x[i]).exp();
        let w = (u + t * t).sqrt();
        let v = (w * w + 1.0).ln() * u;
        s = s * 0.9 + w * v;
    }
    s
}

/// The same, with components of an array, sums, a product with itself, and a name that is used again.
#[adjoint]
fn pairs(x: &[f64]) -> f64 {
    let (mut s, mut sum) = (0.5, 0.0);
    for i in 0..x.len() {
        let p = [(s * x[i]).sin(), (s + x[i]).cos()];
        let mut t = p[0] * p[1];
        t = t.exp() * p[0];
        t = (t * t + 2.0).sqrt() / (1.0 + p[1] * p[1]);
        sum += t * t - sum * 0.1;
        s = t.ln() + p[0] * t;
    }
    sum + s
}

/// Reads what it overwrites, and elements whose indices change.
#[adjoint]
fn in_place(x: &mut [f64]) {
    let mut k = 0;
    while k + 2 < x.len() {
        let t = (x[k] * x[k + 1]).sin();
        let u = (t + x[k + 2]).exp() * t;
        x[k] = u * t + x[k];
        let v = (u * x[k]).tanh();
        x[k + 1] = v * u + v.cos() * x[k + 1];
        k += 1;
    }
}

#[test]
fn recurrences_have_their_derivatives() {
    check!(march(&[0.3, 0.7, -0.2, 0.4], 0.8) -> f64);
    check!(pairs(&[0.3, 0.7, -0.2, 0.4]) -> f64);
    check!(in_place(&mut vec![0.3, 0.7, -0.2, 0.4, 0.9, -0.5]));
}

#[test]
fn a_recurrence_records_its_gradient() {
    let x = [0.3, 0.7, -0.2, 0.4];
    let (mut tape, mut x_adj) = (Tape::new(), [0.0; 4]);
    march_adjoint_with(&mut tape, &x, &mut x_adj, 0.8, &mut 0.0, 1.0);
    // By `s`, by `x[i]` and by `a`.
    assert_eq!(tape.stats().peak_bytes, 3 * 8 * x.len());
}

/// The inner root has a pole at 0, which the outer factor hides there.
#[adjoint]
fn poles(x: &[f64], y: &mut [f64]) {
    let mut s = 1.0;
    for i in 0..x.len() {
        let root = x[i].sqrt();
        let t = root.exp() * s;
        let u = (t * t + root).sin();
        y[i] = u * t;
        s = s * 0.5 + u * u;
    }
}

#[test]
fn a_zero_seed_passes_no_infinite_entry() {
    let x = [0.25, 0.0, 4.0];
    let (mut y, mut y_adj, mut x_adj) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0; 3]);
    poles_adjoint(&x, &mut x_adj, &mut y, &mut y_adj);
    assert!(x_adj[0].is_finite() && x_adj[0] != 0.0, "{x_adj:?}");
    assert_eq!(x_adj[1..], [0.0, 0.0]);
    let (mut y, mut y_adj, mut x_adj) = ([0.0; 3], [0.0, 1.0, 0.0], [0.0; 3]);
    poles_adjoint(&x, &mut x_adj, &mut y, &mut y_adj);
    assert_eq!(x_adj[1], f64::INFINITY);
    assert!(x_adj[0].is_finite() && x_adj[0] != 0.0, "{x_adj:?}");
}

/// A factor that is 0 for all inputs at hand passes no infinite partial behind it.
#[adjoint]
fn hidden_pole(x: &[f64], w: &[f64]) -> f64 {
    let mut s = 1.0;
    for i in 0..x.len() {
        let root = x[i].sqrt();
        let t = root * w[i];
        let u = (t * s).sin() + t.exp();
        s = s * 0.5 + u * u;
    }
    s
}

#[test]
fn a_zero_factor_passes_no_infinite_partial() {
    let (x, w) = ([0.0, 0.5], [0.0, 2.0]);
    let (mut x_adj, mut w_adj) = ([0.0; 2], [0.0; 2]);
    hidden_pole_adjoint(&x, &mut x_adj, &w, &mut w_adj, 1.0);
    assert_eq!(x_adj[0], 0.0);
    assert!(x_adj[1].is_finite() && x_adj[1] != 0.0);
    assert!(w_adj.iter().all(|v| v.is_finite()), "{w_adj:?}");
}

/// A sum that takes no gradient where a user calls it, and would take one where only other adjoints did.
#[adjoint]
mod callers {
    fn energy(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            let t = x[i].sin();
            let u = t.exp();
            let w = (u + 2.0).sqrt();
            sum += (w + 1.0).ln();
        }
        sum
    }

    /// Overwrites what the callee has read.
    pub fn descend(x: &[f64], steps: usize) -> f64 {
        let mut at = x.to_vec();
        let mut total = 0.0;
        for k in 0..steps {
            total += energy(&at);
            at[k] = 0.5 * at[k] - 1.0;
            at[0] = at[1] + at[2];
        }
        total
    }
}

#[test]
fn callers_restore_what_the_plan_of_a_callee_reads() {
    check!(callers::descend(&vec![0.3, 0.7, -0.2, 0.4], const 3) -> f64);
}
