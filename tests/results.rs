//! Lists of what callees return, whose types only the callees know.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[macro_use]
mod common;

use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct State {
    a: f64,
    b: Vec<f64>,
}

#[adjoint]
fn number(x: f64) -> f64 {
    x.sin() * x
}

#[adjoint]
fn state(x: f64) -> State {
    State {
        a: x.sin(),
        b: vec![x * x, x],
    }
}

#[adjoint]
fn pair(x: f64) -> [f64; 2] {
    [x.sin(), x * x]
}

#[adjoint]
fn slope(y: &[f64], p: f64) -> Vec<f64> {
    vec![y[1], p * (1.0 - y[0] * y[0]) * y[1] - y[0]]
}

#[adjoint]
fn numbers_pushed(x: &[f64]) -> f64 {
    let mut out = Vec::new();
    for i in 0..x.len() {
        out.push(number(x[i]));
    }
    out[0] * out[1]
}

#[adjoint]
fn numbers_lent(x: &[f64]) -> f64 {
    let out: Vec<_> = x.iter().map(|&v| number(v)).collect();
    sum_of_squares(&out)
}

#[adjoint]
fn sum_of_squares(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

#[adjoint]
fn states_pushed(x: &[f64]) -> f64 {
    let mut out = vec![state(x[0])];
    for i in 1..x.len() {
        let s = state(x[i] * out[i - 1].a);
        out.push(s);
    }
    out[0].a * out[2].b[0]
}

#[adjoint]
fn states_collected(x: &[f64]) -> f64 {
    let out: Vec<State> = x.iter().map(|&v| state(v)).collect();
    let mut s = 0.0;
    for o in &out {
        s += o.a * o.b[1];
    }
    s
}

#[adjoint]
fn states_filtered(x: &[f64]) -> f64 {
    let mut out: Vec<State> = x.iter().filter(|v| **v > 0.0).map(|&v| state(v)).collect();
    out[0].a *= 2.0;
    out.iter().map(|o| o.a * o.b[0]).sum()
}

#[adjoint]
fn trajectory(x: &[f64]) -> f64 {
    let mut t = vec![pair(x[0])];
    for i in 1..x.len() {
        let last = t[t.len() - 1];
        t.push(pair(last[0] * x[i]));
    }
    t.iter().map(|p| p[0] * p[1]).sum()
}

#[adjoint]
fn last_of_a_trajectory(x: &[f64]) -> f64 {
    let mut t = vec![pair(x[0])];
    for i in 1..x.len() {
        let last = *t.last().unwrap();
        t.push(pair(last[1] * x[i]));
    }
    let [a, b] = t[x.len() - 1];
    a * b
}

#[adjoint]
fn nested(x: &[f64]) -> f64 {
    let mut t = vec![vec![number(x[0])]];
    t.push(vec![number(x[1]), number(x[2])]);
    t[0][0] * t[1][1]
}

/// Stages of a Runge–Kutta step, of which the last one is the first of the next.
#[adjoint]
fn stages(x: &[f64], p: f64) -> f64 {
    let mut y = x.to_vec();
    let mut first = slope(&y, p);
    for _ in 0..3 {
        let mut ks = vec![first.clone()];
        for (s, c) in [0.5, 0.75].iter().enumerate() {
            let yi: Vec<f64> = (0..y.len()).map(|i| y[i] + 0.1 * c * ks[s][i]).collect();
            ks.push(slope(&yi, p));
        }
        for i in 0..y.len() {
            y[i] += 0.1 * (0.2 * ks[0][i] + 0.3 * ks[1][i] + 0.5 * ks[2][i]);
        }
        first = ks.pop().unwrap();
    }
    y[0] * y[1] + first[1]
}

#[derive(Clone, Copy, Differentiable)]
struct Turn {
    w: f64,
    v: f64,
}

#[adjoint]
impl Turn {
    fn then(self, o: Turn) -> Turn {
        Turn {
            w: self.w * o.w - self.v * o.v,
            v: self.w * o.v + self.v * o.w,
        }
    }

    fn back(self) -> Turn {
        Turn {
            w: self.w,
            v: -self.v,
        }
    }

    fn after(mut self, angle: f64) -> Turn {
        self.w += angle.sin();
        self
    }
}

/// Methods of what methods return.
#[adjoint]
fn turned(q: [f64; 2], x: &[f64]) -> f64 {
    let q = Turn { w: q[0], v: q[1] };
    let mut p = Turn { w: x[0], v: x[1] };
    for &angle in x {
        let inner = q.then(p).then(q.back());
        p = inner.after(angle).then(inner.then(p).back());
    }
    p.w * p.v
}

const WEIGHTS: [[f64; 2]; 3] = [[0.2, 0.8], [0.5, -0.5], [1.5, 0.25]];

/// A row of a constant table.
#[adjoint]
fn weighted(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for s in 0..x.len() {
        let row = WEIGHTS[s];
        let mut mean = row[0] * x[s];
        mean += row[1] * mean;
        sum += mean * mean;
    }
    sum
}

const X: [f64; 3] = [0.7, 0.4, 1.3];

#[test]
fn of_numbers() {
    let x = X.to_vec();
    check!(numbers_pushed(&x) -> f64);
    check!(numbers_lent(&x) -> f64);
    check!(nested(&x) -> f64);
}

#[test]
fn of_structs() {
    let x = X.to_vec();
    check!(states_pushed(&x) -> f64);
    check!(states_collected(&x) -> f64);
    check!(states_collected(&vec![]) -> f64);
    check!(states_filtered(&vec![-0.3, 0.7, 1.1, -0.2]) -> f64);
}

#[test]
fn of_arrays_and_vecs() {
    let x = X.to_vec();
    check!(trajectory(&x) -> f64);
    check!(last_of_a_trajectory(&x) -> f64);
    check!(stages(&vec![0.9, -0.4], 1.3) -> f64);
}

#[test]
fn of_methods() {
    check!(turned([0.6, -0.8], &X.to_vec()) -> f64);
}

#[test]
fn of_constants() {
    check!(weighted(&X.to_vec()) -> f64);
}

/// What is returned has no float, and `?` passes it on.
#[adjoint]
fn divided(x: &mut [f64], k: f64) -> Result<(), String> {
    if k == 0.0 {
        return Err("zero".to_string());
    }
    for v in x.iter_mut() {
        *v /= k;
    }
    Ok(())
}

#[adjoint]
fn divided_twice(x: &mut [f64], k: f64) -> Result<(), String> {
    divided(x, k)?;
    divided(x, k * k)?;
    Ok(())
}

#[test]
fn without_floats() {
    let (mut x, mut x_adj, mut k_adj) = (vec![1.0, 2.0], vec![1.0, 1.0], 0.0);
    divided_twice_adjoint(&mut x, &mut x_adj, 2.0, &mut k_adj).expect("no zero");
    assert_eq!(x_adj, [0.125, 0.125]);
    assert!((k_adj + 9.0 / 16.0).abs() < 1e-12, "d/dk of 3/k³ at 2");
    let refused = divided_twice_adjoint(&mut x, &mut x_adj, 0.0, &mut k_adj);
    assert_eq!(refused, Err("zero".to_string()));
}

#[adjoint]
fn root(x: &[f64], scratch: &mut [f64]) -> Result<f64, String> {
    for i in 0..x.len() {
        scratch[i] *= x[i];
        if scratch[i] < 0.0 {
            return Err(format!("{i} is negative"));
        }
    }
    Ok(scratch.iter().sum::<f64>().sqrt())
}

#[adjoint]
fn first_above(x: &[f64], bound: f64) -> Option<f64> {
    for v in x {
        if *v > bound {
            return Some(*v * bound);
        }
    }
    None
}

#[adjoint]
fn refused_with_a_number(x: f64) -> Result<f64, f64> {
    if x < 0.0 { Err(x * x) } else { Ok(3.0 * x) }
}

#[test]
fn failures_leave_the_adjoints_as_they_are() {
    let mut tape = adjoint::Tape::new();
    let (x, mut x_adj) = ([4.0, -2.0, 1.0], [0.5; 3]);
    for seed in [Ok(1.0), Err(String::new())] {
        let (mut scratch, mut scratch_adj) = ([1.0, 2.0, 3.0], [7.0, 8.0, 9.0]);
        let refused = root_adjoint_with(
            &mut tape,
            &x,
            &mut x_adj,
            &mut scratch,
            &mut scratch_adj,
            seed,
        );
        assert_eq!(refused, Err("1 is negative".to_string()));
        assert_eq!((x_adj, scratch_adj), ([0.5; 3], [7.0, 8.0, 9.0]));
        assert_eq!(scratch, [4.0, -4.0, 3.0], "what the function leaves");
    }
    // The tape is as good as new.
    let (x, mut x_adj) = ([4.0, 0.0], [0.5; 2]);
    let (mut scratch, mut scratch_adj) = ([1.0, 2.0], [0.0; 2]);
    let root = root_adjoint_with(
        &mut tape,
        &x,
        &mut x_adj,
        &mut scratch,
        &mut scratch_adj,
        Ok(8.0),
    );
    assert_eq!(
        (root, x_adj, scratch_adj),
        (Ok(2.0), [2.5, 4.5], [8.0, 0.0])
    );

    let (mut x_adj, mut bound_adj) = ([1.0; 2], 2.0);
    for seed in [Some(1.0), None] {
        let none = first_above_adjoint(&[1.0, 2.0], &mut x_adj, 5.0, &mut bound_adj, seed);
        assert_eq!((none, x_adj, bound_adj), (None, [1.0; 2], 2.0));
    }
    let some = first_above_adjoint(&[1.0, 7.0], &mut x_adj, 5.0, &mut bound_adj, Some(1.0));
    assert_eq!((some, x_adj, bound_adj), (Some(35.0), [1.0, 6.0], 9.0));
}

#[test]
fn an_error_that_carries_floats_has_an_adjoint() {
    let mut x_adj = 1.0;
    assert_eq!(
        refused_with_a_number_adjoint(-3.0, &mut x_adj, Ok(1.0)),
        Err(9.0)
    );
    assert_eq!(x_adj, 1.0);
    assert_eq!(
        refused_with_a_number_adjoint(-3.0, &mut x_adj, Err(1.0)),
        Err(9.0)
    );
    assert_eq!(x_adj, -5.0);
}

#[test]
#[should_panic = "`ret` is `Ok`, but `ret_adj` is `Err`"]
fn a_success_has_the_seed_of_one() {
    let _ = refused_with_a_number_adjoint(3.0, &mut 0.0, Err(1.0));
}
