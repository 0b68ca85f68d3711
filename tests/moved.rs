//! Lists that are moved to other variables: `u = next;` at the end of a step.
#![allow(
    clippy::needless_range_loop,
    clippy::ptr_arg,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;

use adjoint::{Tape, adjoint};
use common::check;

#[adjoint]
mod kernels {
    pub fn linear(x: &[f64], steps: usize) -> f64 {
        let mut u = x.to_vec();
        for _ in 0..steps {
            let mut next = vec![0.0; u.len()];
            for i in 1..u.len() - 1 {
                next[i] = u[i] + 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
            }
            u = next;
        }
        u.iter().map(|v| v * v).sum()
    }
    /// The new values are read before they are moved, by an output of their own.
    pub fn watched(x: &[f64], steps: usize, seen: &mut [f64]) -> f64 {
        let mut u = x.to_vec();
        for k in 0..steps {
            let mut next = u.clone();
            for i in 1..u.len() {
                next[i] = u[i] * u[i - 1] + 0.3 * next[i];
            }
            seen[k % seen.len()] += next[0] * next[next.len() - 1];
            u = next;
        }
        u[u.len() / 2]
    }
    /// Each list has one element more.
    pub fn growing(x: &[f64], steps: usize) -> f64 {
        let mut u = x.to_vec();
        for _ in 0..steps {
            let mut next = vec![0.5; u.len() + 1];
            for i in 0..u.len() {
                next[i] += u[i] * x[i % x.len()];
                next[i + 1] -= u[i];
            }
            u = next;
        }
        u.iter().map(|v| v * v).sum()
    }
    /// The new list has as many elements as the index says, or is made by pushes.
    pub fn pushed(x: &[f64], steps: usize) -> f64 {
        let mut u = vec![1.0; 2];
        for k in 0..steps {
            let mut next = Vec::new();
            for i in 0..k + 2 {
                next.push(u[i % u.len()] * x[i % x.len()]);
            }
            let kept = next;
            u = kept;
        }
        u.iter().sum()
    }
    /// Only in some steps; a step may be the last one.
    pub fn sometimes(x: &[f64], steps: usize) -> f64 {
        let mut u = x.to_vec();
        let mut s = 0.0;
        for k in 0..steps {
            let mut next = vec![0.0; x.len()];
            for i in 0..x.len() {
                next[i] = (u[i] + 0.1 * k as f64).sin();
            }
            if k % 3 == 2 {
                s += next[0];
                continue;
            }
            if next[0] > 0.9 {
                s -= next[x.len() - 1];
                break;
            }
            if k % 2 == 0 {
                u = next;
            } else {
                let mut other = vec![0.0; x.len()];
                for i in 0..x.len() {
                    other[i] = next[i] * u[i];
                }
                u = other;
            }
        }
        s + u.iter().map(|v| v * v).sum::<f64>()
    }
    /// Components, of another float type, and a chain of moves.
    pub fn vectors(x: &[[f32; 2]], steps: usize) -> f32 {
        let mut u = x.to_vec();
        for _ in 0..steps {
            let mut next = vec![[0.0; 2]; u.len()];
            for i in 0..u.len() {
                let j = (i + 1) % u.len();
                next[i][0] = 0.5 * (u[i][0] + u[j][1]);
                next[i][1] = u[i][1] * u[j][0];
            }
            let first = next;
            let second = first;
            u = second;
        }
        let mut s = 0.0;
        for v in &u {
            s += v[0] * v[1];
        }
        s
    }
    /// Moves what the caller has.
    pub fn replace(u: &mut Vec<f64>, factor: f64) {
        let mut next = vec![0.0; u.len()];
        for i in 0..u.len() {
            next[i] = factor * u[i] * u[u.len() - 1 - i];
        }
        *u = next;
    }
    pub fn replaced(x: &[f64], factor: f64, steps: usize) -> f64 {
        let mut u = x.to_vec();
        let constants = vec![1.5; x.len()];
        for _ in 0..steps {
            replace(&mut u, factor);
            let mut weighted = constants.clone();
            for i in 0..u.len() {
                weighted[i] *= u[i];
            }
            u = weighted;
        }
        u.iter().sum()
    }
    /// Two levels that depend on one another, from literals.
    pub fn levels(force: &[f64], steps: usize) -> f64 {
        let mut before = vec![0.0; force.len()];
        let mut now = vec![0.0; force.len()];
        for _ in 0..steps {
            let mut next = vec![0.0; force.len()];
            for i in 1..force.len() - 1 {
                let curvature = now[i + 1] - 2.0 * now[i] + now[i - 1];
                next[i] = 2.0 * now[i] - before[i] + 0.2 * curvature + 0.1 * force[i];
            }
            before = now;
            now = next;
        }
        now.iter().zip(&before).map(|(a, b)| a * b).sum()
    }
    /// The new values have an output that the moved ones don't have.
    pub fn outputs(x: &[f64], seen: &mut [f64]) -> f64 {
        let mut s = x[1] * x[0];
        for i in 0..2 {
            let mut first = vec![1.0; x.len()];
            first[i] = x[0] * x[i + 1];
            seen[i] += first[i] * first[i] * x[2];
            let mut second = first;
            second[1 - i] *= second[i] * x[i];
            s += second[1 - i];
        }
        s
    }
    pub fn of_one(x: &[f64]) -> f64 {
        let mut seen = [0.5, 0.2];
        outputs(x, &mut seen);
        seen[0] * seen[1]
    }
    pub fn of_other(x: &[f64]) -> f64 {
        let mut seen = [0.5, 0.2];
        outputs(x, &mut seen)
    }
    /// From snapshots.
    pub fn from_snapshots(x: &[f64], steps: usize) -> f64 {
        let mut u = x.to_vec();
        #[checkpoint(snapshots = 2)]
        for _ in 0..steps {
            let mut next = vec![0.0; u.len()];
            for i in 0..u.len() {
                next[i] = u[i] * (1.0 - u[i]) * 3.0 + 0.1 * u[(i + 1) % u.len()];
            }
            u = next;
        }
        u.iter().sum()
    }
}

use kernels::*;

#[test]
fn adjoints_move_back() {
    let x = [0.3, -0.2, 0.5, 0.9, 0.1];
    for steps in 0..6 {
        check!(linear(&x, const steps) -> f64);
        check!(watched(&x, const steps, &mut vec![0.1, 0.2]) -> f64);
        check!(growing(&x, const steps) -> f64);
        check!(pushed(&x, const steps) -> f64);
        check!(sometimes(&x, const steps) -> f64);
        check!(vectors(&[[0.3f32, 0.2], [0.5, -0.4], [0.7, 0.1]], const steps) -> f32);
        check!(replaced(&x, 0.8, const steps) -> f64);
        check!(levels(&x, const steps) -> f64);
        check!(from_snapshots(&x, const steps) -> f64);
    }
    check!(outputs(&x, &mut vec![0.1, 0.2]) -> f64);
    check!(of_one(&x) -> f64);
    check!(of_other(&x) -> f64);
    check!(replace(&mut vec![0.3, 0.2, 0.5], 0.8));
}

#[test]
fn a_linear_step_leaves_nothing_on_the_tape() {
    let (mut tape, x) = (Tape::new(), vec![0.5; 100]);
    let bytes = [1, 50].map(|steps| {
        let mut x_adj = vec![0.0; 100];
        linear_adjoint_with(&mut tape, &x, &mut x_adj, steps, 1.0);
        assert!(x_adj[50] > 0.0, "{x_adj:?}");
        tape.stats().peak_bytes
    });
    assert_eq!(bytes, [0, 0]);
}
