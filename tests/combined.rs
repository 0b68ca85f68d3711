//! Operators of users' types, loops that are left and lists of results, together and overwritten.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[macro_use]
mod common;

use adjoint::{Differentiable, adjoint};
use common::Flat;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V {
    x: f64,
    y: f64,
}

impl Flat for V {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.x, self.y]);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        V {
            x: f64::read(&0.0, from),
            y: f64::read(&0.0, from),
        }
    }
}

#[adjoint]
impl Add for V {
    type Output = V;
    fn add(self, o: V) -> V {
        V {
            x: self.x + o.x,
            y: self.y + o.y,
        }
    }
}

#[adjoint]
impl Sub for V {
    type Output = V;
    fn sub(self, o: V) -> V {
        V {
            x: self.x - o.x,
            y: self.y - o.y,
        }
    }
}
/// Complex product.
#[adjoint]
impl Mul for V {
    type Output = V;
    fn mul(self, o: V) -> V {
        V {
            x: self.x * o.x - self.y * o.y,
            y: self.x * o.y + self.y * o.x,
        }
    }
}

#[adjoint]
impl Mul<f64> for V {
    type Output = V;
    fn mul(self, k: f64) -> V {
        V {
            x: self.x * k,
            y: self.y * k,
        }
    }
}

#[adjoint]
impl Mul<&V> for &V {
    type Output = V;
    fn mul(self, o: &V) -> V {
        V {
            x: self.x * o.x - self.y * o.y,
            y: self.x * o.y + self.y * o.x,
        }
    }
}

#[adjoint]
impl Neg for V {
    type Output = V;
    fn neg(self) -> V {
        V {
            x: -self.x,
            y: -self.y,
        }
    }
}

#[adjoint]
impl AddAssign for V {
    fn add_assign(&mut self, o: V) {
        self.x += o.x;
        self.y += o.y;
    }
}
/// Not the opposite of `+=`: it overwrites what it reads.
#[adjoint]
impl SubAssign<&V> for V {
    fn sub_assign(&mut self, o: &V) {
        if o.x > 0.0 {
            self.x = self.x * o.y - o.x;
        } else {
            self.y *= o.x;
        }
    }
}

#[adjoint]
fn orbit(z: V, c: &V, n: usize, limit: f64) -> V {
    let mut z = z;
    let mut path: Vec<V> = Vec::new();
    for i in 0..n {
        path.push(z);
        let w = z;
        z = &z * &z + *c;
        z -= &w;
        z -= c;
        if z.x * z.x + z.y * z.y > limit {
            break;
        }
        if i % 2 == 1 {
            continue;
        }
        z += z * 0.5;
        z = -z * z;
    }
    let mut sum = V { x: 0.0, y: 1.0 };
    for p in path.iter().rev() {
        sum = sum * *p + z;
    }
    sum - z
}

#[adjoint]
fn butterflies(v: &mut [V], k: f64) {
    let n = v.len();
    for i in 0..n {
        let j = (i * 2 + 1) % n;
        v[i] = v[j] * k + v[i] * v[i];
        let t = v[j];
        v[j] -= &t;
        v[i] += t;
    }
}

#[adjoint]
fn ranges(x: &[f64], lo: isize, hi: isize, step: usize, limit: f64) -> f64 {
    let mut s = x[0];
    let (mut lo, mut hi, mut step) = (lo, hi, step);
    for r in 0..3u8 {
        for i in (lo..=hi).rev().step_by(step) {
            s = s * 0.9 + (s * x[i.rem_euclid(3) as usize]).sin();
            if s > limit {
                break;
            }
            if i == -1 {
                continue;
            }
            s += 0.1;
        }
        for i in (lo..hi).step_by(step).rev() {
            s *= x[i.rem_euclid(3) as usize];
            if s.is_nan() || s < -limit {
                break;
            }
            s = s.cos() + 0.2;
        }
        lo -= 1;
        hi = hi - r as isize * 2;
        step = 1 + (step + 1) % 3;
    }
    s
}

#[adjoint]
fn bytes(x: f64, from: u8, stop: u8) -> f64 {
    let mut s = x;
    for i in from..=255u8 {
        s = s * 0.99 + (i as f64) * 1e-3 * s.sin();
        if i == stop {
            s *= s;
            break;
        }
    }
    for i in (0..=from).rev() {
        s += s * 0.01;
        if i == stop {
            break;
        }
        s = s.sin() + x;
    }
    let mut k = from;
    while k != stop {
        s = s * 1.01 - x * 0.01 * s * s;
        k = k.wrapping_add(1);
    }
    s
}

#[allow(
    unused_variables,
    unused_assignments,
    reason = "what is dead is left out of the sweeps"
)]
#[adjoint]
#[allow(unused_variables, unused_assignments)] // `dead` is there to be left out of the adjoint.
fn lifted(x: &[f64], n: usize, limit: f64) -> f64 {
    let mut s = 1.0;
    'rows: for r in 0..n {
        let mut found = false;
        let mut at = 0usize;
        let mut dead = s * 3.0;
        for i in 0..x.len() {
            s *= x[i];
            dead += s;
            if s > limit {
                found = true;
                at = i;
                break;
            }
            if s < -limit {
                continue 'rows;
            }
            s += 0.3;
        }
        if found {
            s = s.sqrt() * x[at];
            if r == 2 {
                return s * x[0];
            }
            found = false;
        }
        if !found && s > 0.5 {
            s *= 0.5;
        }
        for j in 0..r {
            if j == 3 {
                break 'rows;
            }
            s += x[j % x.len()] * s;
        }
    }
    s
}

#[adjoint]
fn step(v: V, k: f64) -> V {
    V {
        x: v.y * k,
        y: (v.x * k).sin(),
    }
}

#[adjoint]
fn histories(x: &[f64], k: f64) -> f64 {
    let (mut a, b): (Vec<V>, Vec<V>) = x
        .iter()
        .map(|&t| {
            let v = V { x: t, y: t * t };
            (step(v, k), step(step(v, t), k))
        })
        .unzip();
    let mut all = Vec::new();
    for i in 0..x.len() {
        let last = match all.last() {
            Some(v) => *v,
            None => a[i],
        };
        let next = step(last, x[i]);
        if next.x > 0.9 {
            break;
        }
        all.push(next);
        a[i].x *= next.y;
    }
    if let Some(first) = all.first_mut() {
        *first = step(*first, 2.0);
    }
    let mut s = 0.0;
    for v in all.iter().chain(&a).chain(b.iter().skip(1)) {
        s += v.x * v.y;
    }
    s
}

#[test]
fn operators() {
    for n in 0..5 {
        for limit in [0.05, 100.0] {
            check!(orbit(V { x: 0.3, y: -0.4 }, &V { x: 0.2, y: 0.5 }, const n, limit) -> V);
            check!(orbit(V { x: 0.3, y: -0.4 }, &V { x: -0.2, y: 0.5 }, const n, limit) -> V);
        }
    }
    for n in 1..5 {
        check!(butterflies(
            &mut (0..n)
                .map(|i| V {
                    x: 0.3 + 0.1 * i as f64,
                    y: 0.5 - 0.2 * i as f64
                })
                .collect::<Vec<_>>(),
            0.7
        ));
    }
}

#[test]
fn exits() {
    for lo in [-4isize, 0, 2] {
        for hi in [-5isize, -1, 3] {
            for step in 1..4usize {
                for limit in [0.4, 1.05, 1e9] {
                    check!(
                        ranges(&vec![0.8, -0.7, 1.1], const lo, const hi, const step, limit) -> f64
                    );
                }
            }
        }
    }
    for (from, stop) in [
        (0u8, 255u8),
        (255, 0),
        (250, 255),
        (250, 252),
        (255, 255),
        (3, 1),
    ] {
        check!(bytes(0.4, const from, const stop) -> f64);
    }
    for n in 0..6 {
        for limit in [0.3, 1.0, 50.0] {
            check!(lifted(&vec![1.3, 0.9, -0.8, 1.7], const n, limit) -> f64);
            check!(lifted(&vec![1.3, 1.9, 0.8, 1.2], const n, limit) -> f64);
        }
    }
}

#[test]
fn lists() {
    for n in 0..5 {
        for k in [0.4, 1.4] {
            check!(histories(&[0.5, 0.8, -0.3, 1.1][..n].to_vec(), k) -> f64);
        }
    }
}

#[test]
fn zero_seeds() {
    let (mut za, mut ca) = (V { x: 0.0, y: 0.0 }, V { x: 0.0, y: 0.0 });
    orbit_adjoint(
        V {
            x: f64::NAN,
            y: f64::INFINITY,
        },
        &mut za,
        &V { x: 1.0, y: 0.0 },
        &mut ca,
        3,
        1.0,
        &mut 0.0,
        V { x: 0.0, y: 0.0 },
    );
    assert_eq!((za, ca), (V { x: 0.0, y: 0.0 }, V { x: 0.0, y: 0.0 }));
}
