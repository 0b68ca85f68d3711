//! References to slices that start as whole arrays, `let mut rest = &b[..];`, and have the length of their referent.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[adjoint]
fn walked(b: &[f64; 3], dt: f64) -> f64 {
    let mut rest = &b[..];
    let mut s = 0.0;
    while let Some((h, tail)) = rest.split_first() {
        for t in tail {
            s += h * t * dt;
        }
        rest = tail;
    }
    s
}
#[adjoint]
fn walked_mut(b: &mut [f64; 3], dt: f64) -> f64 {
    let mut rest = &mut b[..];
    let mut s = 0.0;
    while let Some((h, tail)) = rest.split_first_mut() {
        for t in tail.iter_mut() {
            *t += *h * dt;
            *h -= *t * dt;
            s += *h * *t;
        }
        rest = tail;
    }
    s
}
#[adjoint]
fn ends(b: &[f64; 4], dt: f64) -> f64 {
    let mut rest = &b[..];
    let mut s = 0.0;
    for k in 0..6 {
        if rest.len() < 2 {
            s *= 2.0;
            break;
        }
        s += rest[0] * rest[rest.len() - 1] * dt;
        rest = &rest[1..];
        if k == 1 {
            rest = &rest[..rest.len() - 1];
        }
    }
    s + rest.len() as f64 * dt
}
#[adjoint]
fn by_slice(b: [f64; 4], dt: f64) -> f64 {
    let mut r: &[f64] = &b;
    let mut s = 0.0;
    loop {
        if r.is_empty() {
            break;
        }
        s += r[0] * dt * r.len() as f64;
        r = &r[1..];
    }
    let mut q = b.as_slice();
    while let [a, tail @ ..] = q {
        s *= a + dt;
        q = tail;
    }
    let mut t = &b[..];
    while t.len() > 1 {
        let (x, y) = t.split_at(t.len() / 2);
        s += x[0] * y[0];
        t = if dt > 0.0 { y } else { x };
    }
    s
}
#[adjoint]
fn local(x: f64, n: usize) -> f64 {
    let mut a = [x, x * x, 1.0, x.sin()];
    let mut r = &mut a[..];
    for i in 0..n {
        if r.len() == 1 {
            break;
        }
        r[0] *= r[1];
        r[1] += i as f64 * x;
        r = &mut r[1..];
    }
    let m = r.len() as f64;
    a.iter().sum::<f64>() * m
}
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct P {
    x: f64,
    v: f64,
    m: f64,
}
#[adjoint]
fn advance(b: &mut [P; 3], dt: f64) {
    let mut rest = &mut b[..];
    while let Some((p, tail)) = rest.split_first_mut() {
        for q in tail.iter_mut() {
            let d = p.x - q.x;
            let f = dt / (d * d + 0.1);
            p.v -= d * q.m * f;
            q.v += d * p.m * f;
        }
        rest = tail;
    }
    for p in b.iter_mut() {
        p.x += dt * p.v;
    }
}
#[adjoint]
fn bodies(x: f64, dt: f64) -> f64 {
    let mut b = [
        P { x, v: 0.1, m: 1.0 },
        P {
            x: 1.0,
            v: x,
            m: 0.5,
        },
        P {
            x: -x,
            v: 0.0,
            m: x,
        },
    ];
    for _ in 0..3 {
        advance(&mut b, dt);
    }
    b[0].x * b[1].v + b[2].x
}
#[test]
fn whole_arrays_that_are_narrowed() {
    check!(walked(&[0.3, 0.8, 0.5], 0.7) -> f64);
    check!(walked_mut(&mut [0.3, 0.8, 0.5], 0.7) -> f64);
    check!(ends(&[0.3, 0.8, 0.5, 1.2], 0.7) -> f64);
    check!(by_slice([0.3, 0.8, 0.5, 1.2], 0.7) -> f64);
    check!(by_slice([0.3, 0.8, 0.5, 1.2], -0.7) -> f64);
    for n in 0..6 {
        check!(local(0.3, const n) -> f64);
    }
    check!(bodies(0.3, 0.1) -> f64);
}
#[adjoint]
mod narrowing {
    fn halves<F: Fn(f64) -> f64>(xs: &[f64], f: F) -> f64 {
        let mut r = xs;
        let mut s = 0.0;
        while r.len() > 1 {
            s += f(r[0]) * r.len() as f64;
            r = &r[r.len() / 2..];
        }
        s
    }
    pub fn templated(x: f64, y: f64) -> f64 {
        let a = [x, y, x * y, 1.0, x];
        halves(&a, |v| v * v * x)
    }
    pub fn closed(x: f64, y: f64) -> f64 {
        let a = [x, y, x * y, 1.0];
        let g = |xs: &[f64]| {
            let mut r = xs;
            let mut s = 0.0;
            while let Some((h, t)) = r.split_last() {
                s += h * y * r.len() as f64;
                r = t;
            }
            s
        };
        g(&a) + g(&a[1..]) + g(&[y, x])
    }
    pub fn searched(b: &[f64; 5], x: f64) -> f64 {
        let mut lo = &b[..];
        let mut off = 0;
        while lo.len() > 2 {
            let m = lo.len() / 2;
            if x < lo[m] {
                lo = &lo[..=m];
            } else {
                lo = &lo[m..];
                off += m;
            }
        }
        lo[0] * x + lo[1] * b[off]
    }
    pub fn chosen(b: &[f64; 4], k: usize) -> f64 {
        let mut r = &b[..];
        if k > 1 {
            r = &b[1..k];
        }
        let mut s = 0.0;
        for i in 0..r.len() {
            s += r[i] * r[0] * r.len() as f64;
        }
        s
    }
    pub fn counted(b: &[f64; 4]) -> f64 {
        let mut r = &b[..];
        let mut s = 0.0;
        for _ in 0..3 {
            s += r[0] * r[1] * r.len() as f64;
            r = &r[1..];
        }
        s
    }
    pub fn arrays(a: &[f64; 3], b: &[f64; 3], c: bool) -> f64 {
        let mut r = a;
        let mut q = b;
        if c {
            std::mem::swap(&mut r, &mut q);
        }
        let [x, y, z] = *r;
        let v = *q;
        x * y * z + v.iter().sum::<f64>() * v[0] * r.len() as f64
    }
    pub fn shrunk(b: &mut [f64; 4], k: f64) -> f64 {
        let mut r = &mut b[..];
        while r.len() >= 2 {
            r[1] += r[0] * k;
            r = &mut r[1..];
        }
        b[3] * b[1]
    }
}
#[test]
fn arrays_handed_to_what_narrows_them() {
    use narrowing::*;
    check!(templated(0.3, 0.8) -> f64);
    check!(closed(0.3, 0.8) -> f64);
    check!(searched(&[0.1, 0.3, 0.5, 0.8, 0.9], 0.55) -> f64);
    for k in 0..5 {
        check!(chosen(&[0.1, 0.3, 0.5, 0.8], const k) -> f64);
    }
    check!(counted(&[0.1, 0.3, 0.5, 0.8]) -> f64);
    check!(arrays(&[0.1, 0.3, 0.5], &[0.8, 0.9, 1.1], const true) -> f64);
    check!(arrays(&[0.1, 0.3, 0.5], &[0.8, 0.9, 1.1], const false) -> f64);
    check!(shrunk(&mut [0.1, 0.3, 0.5, 0.8], 0.7) -> f64);
}
#[adjoint]
mod either_one {
    pub fn either(a: &[f64; 3], b: &[f64; 4], c: usize) -> f64 {
        let r: &[f64] = if c == 0 {
            a
        } else if c == 1 {
            &b[1..]
        } else {
            b
        };
        let mut s = 0.0;
        for i in 0..r.len() {
            s += r[i] * r[0];
        }
        s * r.len() as f64
    }
    pub fn by_match(a: &[f64; 3], b: &[f64; 4], c: usize) -> f64 {
        let mut r: &[f64] = match c {
            0 => a,
            1 => b,
            _ => &b[..2],
        };
        let mut s = 0.0;
        while let [x, t @ ..] = r {
            s += x * r.len() as f64;
            r = t;
        }
        s
    }
    pub fn of_options(a: &[f64; 3], b: &[f64], c: usize) -> f64 {
        let r = b.get(c..).unwrap_or(a);
        let q: Option<&[f64]> = if c > 1 { Some(a) } else { Some(&b[1..]) };
        let n = q.map_or(0, |q| q.len());
        r.len() as f64 * r[0] * q.unwrap_or(&[1.0])[0] * n as f64
    }
    pub fn later(a: &[f64; 3], b: &[f64], c: usize) -> f64 {
        let r: &[f64];
        if c > 1 {
            r = a;
        } else {
            r = b;
        }
        r.len() as f64 * r.iter().sum::<f64>()
    }
    fn ln(x: &[f64]) -> f64 {
        x.len() as f64 * x[0]
    }
    pub fn tuple(a: &[f64; 3], b: &[f64], c: usize) -> f64 {
        let (p, q): (&[f64], &[f64]) = if c > 1 { (a, b) } else { (b, &a[1..]) };
        p.len() as f64 * q[0] + q.len() as f64 * p[0] + ln(p) * ln(q) + ln(a)
    }
}
#[test]
fn arrays_and_slices_in_arms() {
    use either_one::*;
    for k in 0..4 {
        check!(either(&[0.3, 0.8, 0.5], &[0.2, 1.8, 1.5, 0.9], const k) -> f64);
        check!(by_match(&[0.3, 0.8, 0.5], &[0.2, 1.8, 1.5, 0.9], const k) -> f64);
        check!(of_options(&[0.3, 0.8, 0.5], &vec![0.2, 1.8, 1.5, 0.9], const k) -> f64);
        check!(later(&[0.3, 0.8, 0.5], &vec![0.2, 1.8, 1.5, 0.9], const k) -> f64);
        check!(tuple(&[0.3, 0.8, 0.5], &vec![0.2, 1.8, 1.5, 0.9], const k) -> f64);
    }
}

#[adjoint]
fn gauss(a: f64, b: f64, n: usize) -> f64 {
    let (xs, ws): (&[f64], &[f64]) = match n {
        1 => (&[0.0], &[2.0]),
        2 => (&[-0.57735, 0.57735], &[1.0, 1.0]),
        _ => (
            &[-0.774597, 0.0, 0.774597],
            &[5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0],
        ),
    };
    let (m, h) = ((a + b) / 2.0, (b - a) / 2.0);
    let mut s = 0.0;
    for (x, w) in xs.iter().zip(ws) {
        let t = m + h * x;
        s += w * t * t * t.sin();
    }
    s * h
}
#[adjoint]
fn coefs(x: f64, i: usize) -> f64 {
    let c: &[f64] = match i {
        0 => &[1.0, 0.5],
        1 => &[0.3, 0.4, 0.7],
        _ => &[],
    };
    c.iter().rev().fold(0.0, |s, c| s * x + c)
}
#[adjoint]
fn of_locals(x: f64, i: usize) -> f64 {
    let a = [x, x * x];
    let b = [x.sin(), x, 1.0];
    let p: &[f64] = if i == 0 { &a } else { &b };
    p.iter().sum::<f64>() / p.len() as f64
}
#[adjoint]
fn by_mut(a: &mut [f64; 2], b: &mut [f64; 3], i: usize) {
    let p: &mut [f64] = if i == 0 { a } else { b };
    for v in p.iter_mut() {
        *v *= *v;
    }
}
#[adjoint]
fn set_later(a: &[f64], b: &[f64; 3], i: usize) -> f64 {
    let mut p: &[f64] = b;
    if i == 0 {
        p = a;
    }
    p.iter().sum::<f64>() / p.len() as f64
}
#[adjoint]
mod parts {
    use adjoint::Differentiable;
    #[derive(Clone, Debug, Differentiable)]
    pub struct S {
        pub a: [f64; 2],
        pub b: [f64; 3],
        pub v: Vec<f64>,
    }
    impl S {
        pub fn part(&self, i: usize) -> &[f64] {
            match i {
                0 => &self.a,
                1 => &self.b,
                _ => &self.v,
            }
        }
        pub fn mean(&self, i: usize) -> f64 {
            let p = self.part(i);
            p.iter().sum::<f64>() / p.len() as f64
        }
    }
    pub fn product(x: f64, i: usize) -> f64 {
        let s = S {
            a: [x, x * x],
            b: [1.0, x, x.sin()],
            v: vec![x; 4],
        };
        s.mean(i) * s.mean((i + 1) % 3)
    }
}
#[adjoint]
fn listed(a: &[f64; 2], b: &[f64; 3]) -> f64 {
    let mut s = 0.0;
    for p in [&a[..], &b[..]] {
        s += p.iter().map(|v| v * v).sum::<f64>() / p.len() as f64;
    }
    s
}
#[adjoint]
fn picked(a: &[f64; 2], b: &[f64; 3], i: usize) -> f64 {
    let parts: [&[f64]; 2] = [a, b];
    let p = parts[i];
    let mut s = 0.0;
    for v in p {
        s += v * p[0];
    }
    s * p.len() as f64
}
#[adjoint]
fn norms(a: &[f64; 2], b: &[f64; 3], i: usize) -> f64 {
    let norm = |p: &[f64]| {
        let mut s = 0.0;
        for v in p {
            s += v * v;
        }
        s / p.len() as f64
    };
    norm(if i == 1 { &a[..] } else { &b[..] }) + norm(a) * norm(b)
}
#[adjoint]
fn opts(a: &[f64; 2], b: &[f64; 3], i: usize) -> f64 {
    let o: Option<&[f64]> = match i {
        0 => Some(a),
        1 => Some(b),
        _ => None,
    };
    match o {
        Some(p) => p.iter().map(|v| v * v).sum::<f64>() / p.len() as f64,
        None => a[0],
    }
}
#[adjoint]
fn points(a: &[[f64; 2]; 2], b: &[[f64; 2]; 3], i: usize) -> f64 {
    let p: &[[f64; 2]] = if i == 0 { a } else { b };
    let mut s = 0.0;
    for q in p {
        s += q[0] * q[1];
    }
    s * p.len() as f64
}
#[adjoint]
fn stencil(u: &[f64], at: usize, order: usize) -> f64 {
    let (off, w): (&[isize], &[f64]) = if order == 2 {
        (&[-1, 0, 1], &[1.0, -2.0, 1.0])
    } else {
        (
            &[-2, -1, 0, 1, 2],
            &[-1.0 / 12.0, 4.0 / 3.0, -2.5, 4.0 / 3.0, -1.0 / 12.0],
        )
    };
    let mut s = 0.0;
    for (o, w) in off.iter().zip(w) {
        let v = u[(at as isize + o) as usize];
        s += w * v * v;
    }
    s
}
#[test]
fn slices_of_arrays_of_several_lengths() {
    for n in 1..4 {
        check!(gauss(0.4, 1.3, const n) -> f64);
    }
    for i in 0..3 {
        check!(coefs(0.4, const i) -> f64);
        check!(of_locals(0.4, const i) -> f64);
        check!(parts::product(0.4, const i) -> f64);
        check!(opts(&[0.3, 0.8], &[0.2, 1.8, 1.5], const i) -> f64);
        check!(norms(&[0.3, 0.8], &[0.2, 1.8, 1.5], const i) -> f64);
        check!(set_later(&vec![0.3, 0.8], &[0.2, 1.8, 1.5], const i) -> f64);
    }
    for i in 0..2 {
        check!(by_mut(&mut [0.3, 0.8], &mut [0.2, 1.8, 1.5], const i));
        check!(picked(&[0.3, 0.8], &[0.2, 1.8, 1.5], const i) -> f64);
        check!(points(&[[0.3, 0.8], [0.1, 0.2]], &[[0.2, 1.8], [1.5, 0.1], [0.7, 0.6]], const i) -> f64);
    }
    check!(listed(&[0.3, 0.8], &[0.2, 1.8, 1.5]) -> f64);
    for order in [2, 4] {
        check!(stencil(&vec![0.3, 0.8, 0.2, 1.8, 1.5], const 2, const order) -> f64);
    }
}
