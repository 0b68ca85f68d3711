//! Elements of lists that are borrowed together, also if they may be the same, and tables that match arms create.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Debug, Default, Differentiable)]
pub struct Body {
    p: [f64; 2],
    m: f64,
}

#[adjoint]
fn pull(a: &Body, b: &Body) -> f64 {
    let d = (a.p[0] - b.p[0]).powi(2) + (a.p[1] - b.p[1]).powi(2) + 0.1;
    a.m * b.m / d.sqrt()
}
#[adjoint]
fn push(a: &mut Body, b: &Body, dt: f64) {
    for k in 0..2 {
        a.p[k] += dt * b.m * (a.p[k] - b.p[k]);
    }
}
#[adjoint]
fn bodies(x: &[f64]) -> Vec<Body> {
    x.chunks_exact(3)
        .map(|c| Body {
            p: [c[0], c[1]],
            m: c[2],
        })
        .collect()
}
#[adjoint]
fn lent_twice(x: &[f64]) -> f64 {
    let b = bodies(x);
    let mut e = 0.0;
    for i in 0..b.len() {
        for j in 0..=i {
            e += pull(&b[i], &b[j]);
        }
    }
    e
}
#[adjoint]
fn lent_apart(x: &[f64], dt: f64) -> f64 {
    let mut b = bodies(x);
    for i in 0..b.len() {
        let (done, rest) = b.split_at_mut(i);
        let (first, rest) = rest.split_first_mut().unwrap();
        for other in done.iter().chain(rest.iter()) {
            push(first, other, dt);
        }
    }
    b.iter().map(|b| b.p[0] * b.p[1] * b.m).sum()
}

#[test]
fn elements_lent_together() {
    let x = vec![0.1, 0.4, 1.2, 0.9, -0.3, 0.7, -0.5, 0.8, 1.1];
    check!(lent_twice(&x) -> f64);
    check!(lent_apart(&x, 0.1) -> f64);
}

#[adjoint]
fn tables(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for k in 0..3 {
        let nodes: &[f64] = match (n + k) % 3 {
            0 => &[x[0] * x[0]],
            1 => &[x[1], x[0] * x[1]],
            _ => &x[1..],
        };
        let weights: &[f64] = if k == n {
            &[x[0], 2.0]
        } else {
            &[0.5, x[1], 1.0]
        };
        for (a, w) in nodes.iter().zip(weights) {
            s += a.sin() * w;
        }
    }
    s
}
#[adjoint]
fn exchanged(x: f64, y: f64) -> f64 {
    let mut p = (x, [y, x * y]);
    let mut q = (y, [x, x + y]);
    for k in 0..3 {
        std::mem::swap(&mut p, &mut q);
        p.0 *= q.1[k % 2];
        q.1[0] += p.0.sin();
    }
    p.0 + q.0 * p.1[0] - q.1[1]
}

#[test]
fn tables_and_tuples() {
    let x = vec![0.4, 0.7, 1.3];
    for n in 0..3 {
        check!(tables(&x, const n) -> f64);
    }
    check!(exchanged(0.4, 0.9) -> f64);
}
