//! Integers whose type only a callee elsewhere decides: in `Ok(n)`, `Some((1, x))`, `Err(3)`.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[adjoint]
fn tq(d: &mut [f64]) -> Result<usize, String> {
    d[0] *= 2.0;
    if d[0] > 3.0 { Err("m".into()) } else { Ok(3) }
}
#[adjoint]
fn eig(d: &[f64]) -> f64 {
    let mut dd = d.to_vec();
    match tq(&mut dd) {
        Ok(n) if n > 0 => dd[0],
        Ok(_) => -1.0,
        Err(_) => 0.3,
    }
}
#[adjoint]
fn eig2(d: &[f64]) -> f64 {
    let mut dd = d.to_vec();
    if let Ok(n) = tq(&mut dd) {
        if n > 2 {
            return dd[0] * n as f64;
        }
    }
    dd[0] * 0.5
}
#[adjoint]
fn eig3(d: &[f64]) -> f64 {
    let mut dd = d.to_vec();
    match tq(&mut dd) {
        Ok(0) => dd[0],
        Ok(n) => dd[0] * n as f64,
        Err(_) => 0.3,
    }
}
#[adjoint]
fn of_option(x: f64, s: Option<(usize, f64)>) -> f64 {
    match s {
        Some((i, a)) => x * a * i as f64,
        None => x,
    }
}
#[adjoint]
fn g1(x: f64, t: usize) -> f64 {
    of_option(x, if t % 2 == 0 { Some((1, x)) } else { None })
}
#[adjoint]
fn f2(x: f64) -> (f64, usize, Option<i64>) {
    (x * x, 3, Some(4))
}
#[adjoint]
fn g2(x: f64) -> f64 {
    let (v, n, o) = f2(x);
    let mut s = v;
    if let Some(k) = o {
        if k < 5 {
            s += x;
        }
    }
    if n > 2 {
        s *= x;
    }
    s
}
#[derive(Clone, Debug, Differentiable)]
struct R {
    x: f64,
    n: u16,
    ok: bool,
    tag: Option<u8>,
}
#[adjoint]
fn f(x: f64) -> Result<R, u8> {
    if x > 2.0 {
        return Err(3);
    }
    if x < 0.0 {
        return Err(5);
    }
    Ok(R {
        x: x * x,
        n: if x > 1.0 { 4 } else { 3 },
        ok: true,
        tag: None,
    })
}
#[adjoint]
fn g(x: f64) -> f64 {
    match f(x) {
        Ok(r) if r.n > 3 && r.ok => r.x * r.n as f64,
        Ok(R { x, n: 4, .. }) => x,
        Ok(_) => 1.0,
        Err(3) => x * 2.0,
        Err(e) => e as f64,
    }
}
#[adjoint]
fn h(x: f64) -> Result<f64, u8> {
    let r: R = f(x)?;
    let k = r.n + 1;
    if k > 7 {
        return Err(9);
    }
    Ok(r.x * k as f64)
}
#[adjoint]
fn hh(x: f64) -> f64 {
    match h(x) {
        Ok(v) => v,
        Err(9) => 1.0,
        Err(e) => x * e as f64,
    }
}
#[derive(Clone, Debug, Differentiable)]
struct Wave {
    u: Vec<f64>,
}
#[adjoint]
impl Wave {
    fn step(&mut self, dt: f64, src: Option<(usize, usize, f64)>) {
        if let Some((i, j, a)) = src {
            self.u[i] += dt * a * self.u[j];
        }
    }
}
#[adjoint]
fn run(u: &[f64], dt: f64, amp: &[f64]) -> f64 {
    let mut w = Wave { u: u.to_vec() };
    for (t, &a) in amp.iter().enumerate() {
        w.step(
            dt,
            if t % 2 == 0 {
                Some((1, 1 + t % 2, a))
            } else {
                None
            },
        );
    }
    w.u[1]
}
#[test]
fn integers_are_what_functions_elsewhere_say() {
    check!(g1(0.7, const 1) -> f64);
    check!(g1(0.7, const 2) -> f64);
    check!(g2(0.7) -> f64);
    for x in [0.5, 1.5, 2.5, -0.5] {
        check!(g(x) -> f64);
        check!(hh(x) -> f64);
    }
    check!(run(&vec![0.3, 0.5], 0.7, &vec![1.1, 0.4, 0.9]) -> f64);
    check!(eig(&vec![0.3, 0.8]) -> f64);
    check!(eig2(&vec![0.3, 0.8]) -> f64);
    check!(eig3(&vec![0.3, 0.8]) -> f64);
}

#[derive(Clone, Debug, Differentiable)]
pub struct Tallied {
    x: f64,
    hist: [usize; 3],
    n: usize,
    u: usize,
    i: usize,
}
#[adjoint]
fn tallied(x: &[f64]) -> Vec<Tallied> {
    x.iter()
        .map(|x| Tallied {
            x: x * x,
            hist: [1, 2, 3],
            n: 1,
            u: 2,
            i: 3,
        })
        .collect()
}
#[adjoint]
fn histogram(ps: &[Tallied]) -> f64 {
    let mut h = [0; 3];
    for p in ps {
        for i in 0..3 {
            h[i] += p.hist[i];
        }
    }
    let mut s = 0.0;
    for (i, c) in h.iter().enumerate() {
        s += ps[i % ps.len()].x * *c as f64;
    }
    s
}
#[adjoint]
fn of_histogram(x: &[f64]) -> f64 {
    histogram(&tallied(x))
}
#[adjoint]
fn counts(ps: &[Tallied]) -> f64 {
    let mut h = vec![0; 2];
    for p in ps {
        h[p.n % 2] += p.u;
    }
    let mut s = 0.0;
    for i in 0..2 {
        s += ps[i % ps.len()].x * h[i] as f64;
    }
    s
}
#[adjoint]
fn of_counts(x: &[f64]) -> f64 {
    counts(&tallied(x))
}

#[test]
fn counts_kept_in_lists() {
    check!(of_histogram(&vec![0.3, 0.8, 0.5]) -> f64);
    check!(of_counts(&vec![0.3, 0.8, 0.5]) -> f64);
}
