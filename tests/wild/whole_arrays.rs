//! References to slices that begin as whole arrays: `let mut rest = &b[..];`, whose length is that of what they refer
//! to.

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
