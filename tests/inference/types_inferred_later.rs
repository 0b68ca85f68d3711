//! Types that are inferred after their first use: of ranges, defaults, arrays of structs, inlined results.

use adjoint::{Differentiable, adjoint};
use num_traits::{Float, NumAssign};

use crate::common::types::P;
use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
pub struct Mesh {
    ps: Vec<P>,
    nodes: Vec<[f64; 2]>,
    lo: usize,
    hi: usize,
    rounds: Option<usize>,
}
flat!(Mesh { ps, nodes });

#[adjoint]
fn picked(m: &Mesh, ids: [usize; 3]) -> f64 {
    let ps: [P; 3] = ids.map(|i| m.ps[i]);
    let qs: [P; 3] = std::array::from_fn(|k| m.ps[ids[2 - k]]);
    ps[0].x * ps[1].y + ps[2].x * qs[2].y
}

#[adjoint]
fn area(p: [[f64; 2]; 3]) -> f64 {
    (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1])
}

#[adjoint]
fn gathered(m: &Mesh, ids: [usize; 3]) -> f64 {
    area(ids.map(|i| m.nodes[i]))
}

#[adjoint]
fn powers(m: &Mesh, w: f64) -> f64 {
    let n = m.rounds.unwrap_or(3);
    let mut s = w;
    for _ in 0..n {
        s += (m.lo..m.hi).map(|i| w.powi(i as i32)).sum::<f64>() * s;
    }
    s * w.powi(m.hi.try_into().unwrap())
}

#[adjoint]
mod solvers {
    use super::Differentiable;

    #[derive(Debug, Clone, PartialEq, Differentiable)]
    pub enum Fault {
        Under,
        Many(usize),
    }

    fn solve(y: f64, f: impl Fn(f64) -> f64) -> Result<f64, Fault> {
        if f(y) < 0.0 {
            return Err(Fault::Under);
        }
        if f(y) > 9.0 {
            return Err(Fault::Many(2));
        }
        Ok(f(2.0 * y))
    }

    pub fn solved(y: f64, k: f64) -> f64 {
        match solve(y, |x| k * x) {
            Ok(v) => v,
            Err(Fault::Under) => 2.0 * y,
            Err(Fault::Many(n)) => y * k * n as f64,
        }
    }
}

#[adjoint]
fn copied<T: Float>(a: &[T]) -> Vec<T> {
    a.to_vec()
}

#[adjoint]
fn parts<T: Float + std::iter::Sum>(x: &[T]) -> T {
    let l = copied(x);
    let s: T = l[..1].iter().map(|&a| a * x[0]).sum();
    s / l[0] * l[1]
}

#[adjoint]
fn parts_of_floats(x: &[f64]) -> f64 {
    parts(x)
}

#[test]
fn types_that_are_told_late() {
    let p = |x, y| P { x, y };
    let mesh = |rounds| Mesh {
        ps: vec![p(0.1, 0.2), p(0.3, 0.4), p(0.5, 0.6)],
        nodes: vec![[0.1, 0.0], [1.2, 0.3], [0.4, 0.9]],
        lo: 1,
        hi: 3,
        rounds,
    };
    check!(picked(&mesh(None), const [2, 0, 1]) -> f64);
    check!(gathered(&mesh(None), const [2, 0, 1]) -> f64);
    check!(powers(&mesh(None), 0.4) -> f64);
    check!(powers(&mesh(Some(2)), 0.4) -> f64);
    check!(solvers::solved(0.4, 0.7) -> f64);
    check!(solvers::solved(-0.4, 0.7) -> f64);
    check!(solvers::solved(4.0, 7.0) -> f64);
    check!(parts_of_floats(&vec![0.4, 0.7]) -> f64);
}

#[adjoint]
fn increment<T: Float + NumAssign>(x: T, a: T, b: T) -> T {
    let mut s = x;
    s += a - b;
    s
}

#[adjoint]
fn increments<T: Float + NumAssign>(x: &mut [T], a: T, b: T) {
    for v in x.iter_mut() {
        *v += a + b;
    }
}

/// What is added to a generic number is added as a whole.
#[test]
fn sums_of_sums_keep_their_order() {
    let [mut p, mut q, mut r] = [0.0; 3];
    let y = increment_adjoint(1.0, &mut p, 1e17, &mut q, 1e17, &mut r, 1.0);
    assert_eq!((y, p, q, r), (1.0, 1.0, 1.0, -1.0));
    let mut x = [1e-3];
    increments_adjoint(&mut x, &mut [1.0], 1e17, &mut q, -1e17, &mut r);
    assert_eq!((x, q, r), ([1e-3], 2.0, 0.0));
}
