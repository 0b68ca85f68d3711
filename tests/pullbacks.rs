//! `#[adjoint(pullback)]`: many seeds for one forward sweep, against `f_adjoint` called for each.
#![allow(
    clippy::assign_op_pattern,
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

/// In-out values and a result; what is overwritten is needed again for each seed, and the function may end early.
#[adjoint(pullback)]
fn relax(u: &mut [f64], grown: &mut Vec<f64>, w: Vec<f64>, steps: usize) -> f64 {
    let mut s = 0.0;
    for k in 0..steps {
        for i in 1..u.len() {
            let t = u[i - 1];
            u[i - 1] = u[i] * w[k % w.len()];
            u[i] = t.sqrt() * u[i];
        }
        grown.push(u[0] * s);
        s += grown[k];
        if s > 0.6 {
            return s * s;
        }
    }
    s
}

#[test]
fn in_out_values_are_free_while_the_closure_lives() {
    // The square root is of 0 at first.
    let (start, held, w) = ([0.0, 1.5, 0.7, 0.5], vec![0.25; 5], vec![1.1, 0.9]);
    for steps in [0, 1, 2, 5] {
        let (mut u, mut grown) = (start, held.clone());
        let (value, mut back) = relax_pullback(&mut u, &mut grown, w.clone(), steps);
        let (mut expected, mut list) = (start, held.clone());
        assert_eq!(value, relax(&mut expected, &mut list, w.clone(), steps));
        assert_eq!((u, &grown), (expected, &list));
        // The caller's own values may change in between.
        (u, grown) = ([7.0; 4], Vec::new());
        for (seed, adjoint) in [
            (0.0, [0.0; 4]),
            (1.0, [0.5, -1.0, 0.0, 2.0]),
            (-3.0, [0.0; 4]),
        ] {
            let adjoints = || (adjoint, vec![seed; list.len()], vec![0.5; 2]);
            let (mut u_adj, mut grown_adj, mut w_adj) = adjoints();
            back(&mut u_adj, &mut grown_adj, &mut w_adj, seed);
            let found = (u_adj, grown_adj, w_adj);
            let (mut u_adj, mut grown_adj, mut w_adj) = adjoints();
            relax_adjoint(
                &mut start.clone(),
                &mut u_adj,
                &mut held.clone(),
                &mut grown_adj,
                w.clone(),
                &mut w_adj,
                steps,
                seed,
            );
            let bits = |x: &[f64]| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            let all =
                |(u, grown, w): ([f64; 4], Vec<f64>, Vec<f64>)| [&u[..], &grown, &w].map(bits);
            assert_eq!(all(found), all((u_adj, grown_adj, w_adj)));
        }
        assert_eq!((u, grown), ([7.0; 4], Vec::new()));
    }
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

trait Draw {
    fn draw(&mut self) -> f64;
}

/// A generator without a copy.
struct Congruence(u64);

impl Draw for Congruence {
    fn draw(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 40) as f64 / 1e7
    }
}

#[adjoint(pullback, wrt(x), of(ret), inactive(Draw::draw))]
fn by_some_type(x: &[f64], rng: &mut impl Draw) -> f64 {
    let mut s = 1.0;
    for v in x {
        s = s * rng.draw() + v * v;
    }
    s
}

#[adjoint(pullback, wrt(x), of(ret), inactive(Draw::draw))]
fn by_table(x: &[f64], rng: &mut dyn Draw) -> f64 {
    x.iter().fold(1.0, |s, v| s * rng.draw() + v * v)
}

#[test]
fn generators_stay_borrowed() {
    let x = [0.5, 2.0];
    let (mut one, mut another) = (Congruence(3), Congruence(3));
    let (value, mut back) = by_some_type_pullback(&x, &mut one);
    let (same, mut back_by_table) = by_table_pullback(&x, &mut another);
    assert_eq!(value, by_some_type(&x, &mut Congruence(3)));
    assert_eq!(value, same);
    for seed in [1.0, 0.0, -2.0] {
        let mut adjoints = [[0.0; 2]; 3];
        let [found, by_table, expected] = &mut adjoints;
        back(found, seed);
        back_by_table(by_table, seed);
        by_some_type_adjoint(&x, expected, &mut Congruence(3), seed);
        assert_eq!(adjoints, [adjoints[2]; 3]);
    }
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
