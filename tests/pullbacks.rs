//! `#[adjoint(pullback)]`: many seeds for one forward sweep, against `f_adjoint` called for each.
#![allow(
    clippy::needless_lifetimes,
    clippy::needless_range_loop,
    clippy::ptr_arg,
    reason = "the spelled-out forms are what the kernels exercise"
)]

use adjoint::{Differentiable, Tape, adjoint};

/// Residuals of a fit, whose loop records.
#[adjoint(pullback, wrt(p))]
fn residuals(p: &[f64], t: &[f64], y: &[f64]) -> Vec<f64> {
    let mut r = Vec::new();
    for i in 0..t.len() {
        r.push(p[0] * (p[1] * t[i]).exp() - y[i]);
    }
    r
}

#[test]
fn rows_of_a_fit_by_one_forward_sweep() {
    let (p, t, y) = ([1.5, -0.5], [0.0, 1.0, 2.0, 5.0], [0.5; 4]);
    let (r, mut back) = residuals_pullback(&p, &t, &y);
    assert_eq!(r, residuals(&p, &t, &y));
    for row in 0..4 {
        let (mut p_adj, mut seed) = ([0.0; 2], [0.0; 4]);
        seed[row] = 1.0;
        back(&mut p_adj, &seed);
        let e = (p[1] * t[row]).exp();
        assert!((p_adj[0] - e).abs() < 1e-15);
        assert!((p_adj[1] - p[0] * t[row] * e).abs() < 1e-15);
    }
}

#[test]
fn adjoints_accumulate_over_calls() {
    let (_, mut back) = residuals_pullback(&[2.0, 0.0], &[1.0, 3.0], &[0.0; 2]);
    let mut p_adj = [10.0, 20.0];
    back(&mut p_adj, &[1.0, 0.0]);
    back(&mut p_adj, &[0.0, 2.0]);
    assert_eq!(p_adj, [13.0, 34.0]);
}

#[test]
fn a_tape_serves_many_pullbacks() {
    let mut tape = Tape::new();
    for scale in [1.0, 2.0, 3.0] {
        let p = [scale, 0.0];
        let (r, mut back) = residuals_pullback_with(&mut tape, &p, &[1.0, 2.0], &[0.0; 2]);
        assert_eq!(r, [scale; 2]);
        // The second call of `back` is left out for the last one.
        let calls = if scale == 3.0 { 1 } else { 2 };
        for _ in 0..calls {
            let mut p_adj = [0.0; 2];
            back(&mut p_adj, &[1.0, 1.0]);
            assert_eq!(p_adj, [2.0, 3.0 * scale]);
        }
    }
    let mut p_adj = [0.0; 2];
    residuals_adjoint_with(&mut tape, &[1.0, 0.0], &mut p_adj, &[1.0], &[0.0], &[1.0]);
    assert_eq!(p_adj, [1.0, 1.0]);
}

/// In-out values and a result; what is overwritten is needed again for each seed.
#[adjoint(pullback)]
fn rotate(v: &mut [f64], angle: f64, factor: &f64) -> f64 {
    let (sin, cos) = angle.sin_cos();
    for k in 0..v.len() / 2 {
        let (a, b) = (v[2 * k], v[2 * k + 1]);
        v[2 * k] = (a * cos - b * sin) * factor;
        v[2 * k + 1] = (a * sin + b * cos) * a;
    }
    v[0] * v[1]
}

#[test]
fn in_out_values_are_free_while_the_closure_lives() {
    let start = [0.5, 1.5, -0.25, 2.0];
    let mut v = start;
    let (value, mut back) = rotate_pullback(&mut v, 0.3, &1.25);
    let mut expected = start;
    assert_eq!(value, rotate(&mut expected, 0.3, &1.25));
    assert_eq!(v, expected);
    // The caller's own value may change in between.
    v = [7.0; 4];
    for seed in [0.0, 1.0, -2.0] {
        let adjoints = || (expected, 0.25, 0.5);
        let (mut v_adj, mut angle_adj, mut factor_adj) = adjoints();
        back(&mut v_adj, &mut angle_adj, &mut factor_adj, seed);
        let (mut u_adj, mut a_adj, mut f_adj) = adjoints();
        rotate_adjoint(
            &mut start.clone(),
            &mut u_adj,
            0.3,
            &mut a_adj,
            &1.25,
            &mut f_adj,
            seed,
        );
        assert_eq!((v_adj, angle_adj, factor_adj), (u_adj, a_adj, f_adj));
    }
    assert_eq!(v, [7.0; 4]);
}

/// A vector that grows: its adjoint has the shape of the exit value.
#[adjoint(pullback)]
fn grow(v: &mut Vec<f64>, x: f64) {
    for k in 0..2 {
        v.push(x * v[k]);
    }
}

#[test]
fn vectors_that_grow() {
    let mut v = vec![2.0, 5.0];
    let ((), mut back) = grow_pullback(&mut v, 3.0);
    assert_eq!(v, [2.0, 5.0, 6.0, 15.0]);
    for weight in [1.0, 2.0] {
        let (mut v_adj, mut x_adj) = (vec![0.0, 0.0, weight, 10.0], 0.0);
        back(&mut v_adj, &mut x_adj);
        assert_eq!(
            (v_adj, x_adj),
            (vec![3.0 * weight, 30.0], 2.0 * weight + 50.0)
        );
    }
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Body {
    at: [f64; 2],
    mass: f64,
    steps: usize,
}

#[adjoint]
impl Body {
    #[adjoint(pullback)]
    fn pull(&self, to: &[f64; 2]) -> f64 {
        let (x, y) = (to[0] - self.at[0], to[1] - self.at[1]);
        self.mass / (x * x + y * y)
    }

    /// An in-out receiver.
    #[adjoint(pullback)]
    fn drift(&mut self, rate: f64) -> f64 {
        for _ in 0..self.steps {
            self.at[0] *= rate;
            self.at[1] += self.at[0] * self.mass;
        }
        self.at[1]
    }
}

#[test]
fn methods() {
    let mut body = Body {
        at: [0.5, 0.25],
        mass: 4.0,
        steps: 3,
    };
    let to = [2.0, -1.0];
    let (value, mut back) = body.pull_pullback(&to);
    assert_eq!(value, body.pull(&to));
    for seed in [1.0, -3.0] {
        let (mut adjoint, mut to_adj) = (body.zero_like(), [0.0; 2]);
        back(&mut adjoint, &mut to_adj, seed);
        let (mut expected, mut expected_to) = (body.zero_like(), [0.0; 2]);
        body.pull_adjoint(&mut expected, &to, &mut expected_to, seed);
        assert_eq!((adjoint, to_adj), (expected, expected_to));
    }
    drop(back);
    let start = body.clone();
    let (value, mut back) = body.drift_pullback(1.5);
    assert_eq!(value, body.at[1]);
    for seed in [1.0, -3.0] {
        let (mut adjoint, mut rate_adj) = (start.zero_like(), 0.0);
        back(&mut adjoint, &mut rate_adj, seed);
        let (mut expected, mut expected_rate) = (start.zero_like(), 0.0);
        start
            .clone()
            .drift_adjoint(&mut expected, 1.5, &mut expected_rate, seed);
        assert_eq!((adjoint, rate_adj), (expected, expected_rate));
        assert!(rate_adj != 0.0);
    }
}

/// A failure leaves the adjoints.
#[adjoint(pullback)]
fn root(x: f64) -> Result<f64, String> {
    if x < 0.0 {
        return Err("negative".into());
    }
    Ok(x.sqrt())
}

#[test]
fn failures_leave_the_adjoints() {
    let (value, mut back) = root_pullback(-1.0);
    assert_eq!(value, Err("negative".into()));
    let mut x_adj = 5.0;
    back(&mut x_adj, Ok(1.0));
    assert_eq!(x_adj, 5.0);
    let (value, mut back) = root_pullback(4.0);
    assert_eq!(value, Ok(2.0));
    back(&mut x_adj, Ok(1.0));
    back(&mut x_adj, Ok(2.0));
    assert_eq!(x_adj, 5.75);
}

/// A loop that is reversed from snapshots runs anew for each seed.
#[adjoint(pullback)]
fn decay(state: &mut [f64], rate: f64, steps: usize) -> f64 {
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        for k in 0..state.len() {
            state[k] -= rate * state[k] * state[k];
        }
    }
    state[0] + state[1]
}

#[test]
fn checkpointed_loops() {
    let start = [0.5, 1.0];
    let mut state = start;
    let (_, mut back) = decay_pullback(&mut state, 0.1, 20);
    for seed in [1.0, 0.5, -1.0] {
        let (mut state_adj, mut rate_adj) = ([0.25, 0.0], 0.0);
        back(&mut state_adj, &mut rate_adj, seed);
        let (mut expected, mut expected_rate) = ([0.25, 0.0], 0.0);
        decay_adjoint(
            &mut start.clone(),
            &mut expected,
            0.1,
            &mut expected_rate,
            20,
            seed,
        );
        assert_eq!((state_adj, rate_adj), (expected, expected_rate));
    }
}

/// Generics, lifetimes, and a function.
#[adjoint(pullback)]
fn weighted<'a, const N: usize>(x: &'a [f64; N], g: impl Fn(usize) -> f64, out: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        out[i] = x[i] * x[i] * g(i);
        sum += out[i];
    }
    sum
}

#[test]
fn generics_and_functions() {
    let x = [1.0, 2.0, 3.0];
    let mut out = [0.0; 3];
    let (value, mut back) = weighted_pullback(&x, |i| (i + 1) as f64, &mut out);
    assert_eq!((value, out), (36.0, [1.0, 8.0, 27.0]));
    assert_eq!(value, weighted(&x, |i| (i + 1) as f64, &mut out));
    let (mut x_adj, mut out_adj) = ([0.0; 3], [0.0, 0.0, 1.0]);
    back(&mut x_adj, &mut out_adj, 1.0);
    assert_eq!((x_adj, out_adj), ([2.0, 8.0, 36.0], [0.0; 3]));
}

#[test]
#[should_panic(expected = "`p` has length 2, but `p_adj` has length 3")]
fn wrong_lengths() {
    let (_, mut back) = residuals_pullback(&[1.0, 0.0], &[1.0], &[0.0]);
    back(&mut [0.0; 3], &[1.0]);
}

#[test]
#[should_panic(expected = "`ret` has length 1, but `ret_adj` has length 2")]
fn wrong_seeds() {
    let (_, mut back) = residuals_pullback(&[1.0, 0.0], &[1.0], &[0.0]);
    back(&mut [0.0; 2], &[1.0, 1.0]);
}
