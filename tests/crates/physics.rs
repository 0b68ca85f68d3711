//! Kernels of physics and finance.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use adjoint::adjoint;

use crate::common::{Flat, check};

/// Lennard-Jones energy over all pairs with a cut-off.
#[adjoint]
fn lennard_jones(pos: &[[f64; 3]], eps: f64, sigma: f64, cutoff: f64) -> f64 {
    let n = pos.len();
    let mut energy = 0.0;
    for i in 0..n {
        for j in (i + 1)..n {
            let mut r2 = 0.0;
            for d in 0..3 {
                let dx = pos[i][d] - pos[j][d];
                r2 += dx * dx;
            }
            if r2 > cutoff * cutoff {
                continue;
            }
            let sr6 = (sigma * sigma / r2).powi(3);
            energy += 4.0 * eps * (sr6 * sr6 - sr6);
        }
    }
    energy
}

#[test]
fn pair_energy() {
    check!(lennard_jones(&vec![[0.0, 0.1, 0.0], [1.1, 0.0, 0.2], [0.3, 1.2, 0.1], [4.0, 4.0, 4.0]], 0.9, 1.05, 3.0) -> f64);
}

/// Bodies as structs in a slice.
#[derive(Clone, Debug, PartialEq, adjoint::Differentiable)]
struct Body {
    pos: [f64; 3],
    vel: [f64; 3],
    mass: f64,
}

impl Flat for Body {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        to.extend(self.pos);
        to.extend(self.vel);
        to.push(self.mass);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        let mut next = || f64::read(&0.0, from);
        Body {
            pos: [next(), next(), next()],
            vel: [next(), next(), next()],
            mass: next(),
        }
    }
}

#[adjoint]
fn advance(bodies: &mut [Body], dt: f64) {
    for i in 0..bodies.len() {
        let (left, right) = bodies.split_at_mut(i + 1);
        let a: &mut Body = &mut left[i];
        for b in right.iter_mut() {
            let mut d = [0.0f64; 3];
            for k in 0..3 {
                d[k] = a.pos[k] - b.pos[k];
            }
            let d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let mag = dt / (d2 * d2.sqrt());
            let (ma, mb): (f64, f64) = (a.mass, b.mass);
            for k in 0..3 {
                a.vel[k] -= d[k] * mb * mag;
                b.vel[k] += d[k] * ma * mag;
            }
        }
    }
    for b in bodies {
        for k in 0..3 {
            b.pos[k] += dt * b.vel[k];
        }
    }
}

#[test]
fn bodies_in_a_slice() {
    let body = |x: f64, m: f64| Body {
        pos: [x, 0.3 * x * x, -x],
        vel: [0.1, x, 0.0],
        mass: m,
    };
    check!(advance(
        &mut vec![body(0.0, 1.0), body(1.0, 0.5), body(-1.5, 0.3)],
        0.01
    ));
}

/// Black–Scholes, with the user's own normal distribution.
#[adjoint]
fn norm_cdf(x: f64) -> f64 {
    const A: [f64; 5] = [
        0.319381530,
        -0.356563782,
        1.781477937,
        -1.821255978,
        1.330274429,
    ];
    let l = x.abs();
    let k = 1.0 / (1.0 + 0.2316419 * l);
    let poly = A.iter().rev().fold(0.0, |acc, &a| k * (a + acc));
    let w = 1.0 - (-0.5 * l * l).exp() / TAU.sqrt() * poly;
    if x < 0.0 { 1.0 - w } else { w }
}

#[derive(Clone, Copy)]
enum OptionKind {
    Call,
    Put,
}

#[adjoint(wrt(s, k, r, v, t))]
fn black_scholes(kind: OptionKind, s: f64, k: f64, r: f64, v: f64, t: f64) -> f64 {
    let d1 = ((s / k).ln() + (r + v * v / 2.0) * t) / (v * t.sqrt());
    let d2 = d1 - v * t.sqrt();
    match kind {
        OptionKind::Call => s * norm_cdf(d1) - k * (-r * t).exp() * norm_cdf(d2),
        OptionKind::Put => k * (-r * t).exp() * norm_cdf(-d2) - s * norm_cdf(-d1),
    }
}

#[test]
fn option_prices() {
    for kind in [OptionKind::Call, OptionKind::Put] {
        check!(black_scholes(const kind, 100.0, 105.0, 0.03, 0.2, 0.75) -> f64);
    }
}

/// An American put on a binomial tree.
#[adjoint]
fn binomial_put(s: f64, k: f64, r: f64, sigma: f64, t: f64, n: usize) -> f64 {
    let dt = t / n as f64;
    let u = (sigma * dt.sqrt()).exp();
    let d = 1.0 / u;
    let p = ((r * dt).exp() - d) / (u - d);
    let disc = (-r * dt).exp();
    let mut prices: Vec<f64> = (0..=n)
        .map(|i| (k - s * u.powi(2 * i as i32 - n as i32)).max(0.0))
        .collect();
    for step in (0..n).rev() {
        for i in 0..=step {
            let hold = disc * (p * prices[i + 1] + (1.0 - p) * prices[i]);
            let exercise = k - s * u.powi(2 * i as i32 - step as i32);
            prices[i] = hold.max(exercise);
        }
    }
    prices[0]
}

#[test]
fn an_american_put() {
    check!(binomial_put(100.0, 103.0, 0.03, 0.2, 1.0, const 5) -> f64);
}

/// A heat equation on a grid in one flat array, with wrap-around by `rem_euclid`.
#[adjoint]
fn heat2d(u: &mut [f64], nx: usize, ny: usize, alpha: f64, steps: usize) {
    let idx = |i: isize, j: isize| -> usize {
        let (i, j) = (i.rem_euclid(nx as isize), j.rem_euclid(ny as isize));
        i as usize * ny + j as usize
    };
    let mut next = vec![0.0; u.len()];
    for _ in 0..steps {
        for i in 0..nx as isize {
            for j in 0..ny as isize {
                let lap = u[idx(i - 1, j)] + u[idx(i + 1, j)] + u[idx(i, j - 1)] + u[idx(i, j + 1)]
                    - 4.0 * u[idx(i, j)];
                next[idx(i, j)] = u[idx(i, j)] + alpha * lap;
            }
        }
        u.copy_from_slice(&next);
    }
}

#[test]
fn heat_on_a_torus() {
    let u: Vec<f64> = (0..9).map(|i| (i as f64 * 0.7).sin()).collect();
    check!(heat2d(&mut u, const 3, const 3, 0.1, const 2));
}

/// Burgers' equation with upwinding; the grid is `[[f64; M]; N]`.
#[adjoint]
fn burgers<const N: usize, const M: usize>(u: &mut [[f64; M]; N], dt: f64) {
    let old = *u;
    for i in 1..N - 1 {
        for j in 1..M - 1 {
            let c = old[i][j];
            let dx = if c > 0.0 {
                c - old[i - 1][j]
            } else {
                old[i + 1][j] - c
            };
            let dy = if c > 0.0 {
                c - old[i][j - 1]
            } else {
                old[i][j + 1] - c
            };
            u[i][j] = c - dt * c * (dx + dy);
        }
    }
}

#[adjoint]
fn burgers43(u: &mut [[f64; 3]; 4], dt: f64) {
    burgers::<4, 3>(u, dt);
    burgers::<4, 3>(u, dt);
}

#[test]
fn upwinding_on_arrays() {
    let u = [
        [0.1, 0.5, -0.2],
        [0.7, -0.4, 0.3],
        [0.2, 0.8, -0.6],
        [0.4, 0.1, 0.9],
    ];
    check!(burgers43(&mut u, 0.1));
}

/// Ray and sphere: an `Option` of a hit.
#[derive(Clone, Copy, Debug, PartialEq, adjoint::Differentiable)]
struct Vec3 {
    x: f64,
    y: f64,
    z: f64,
}

impl Flat for Vec3 {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.x, self.y, self.z]);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        let mut next = || f64::read(&0.0, from);
        Vec3 {
            x: next(),
            y: next(),
            z: next(),
        }
    }
}

#[adjoint]
impl Vec3 {
    fn dot(self, other: Vec3) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
    fn sub(self, other: Vec3) -> Vec3 {
        Vec3 {
            x: self.x - other.x,
            y: self.y - other.y,
            z: self.z - other.z,
        }
    }
    fn scale(self, k: f64) -> Vec3 {
        Vec3 {
            x: k * self.x,
            y: k * self.y,
            z: k * self.z,
        }
    }
    fn norm(&self) -> f64 {
        self.dot(*self).sqrt()
    }
}

#[adjoint]
fn hit_sphere(origin: Vec3, dir: Vec3, center: Vec3, radius: f64) -> Option<f64> {
    let oc: Vec3 = origin.sub(center);
    let a: f64 = dir.dot(dir);
    let half_b: f64 = oc.dot(dir);
    let c = oc.dot(oc) - radius * radius;
    let disc = half_b * half_b - a * c;
    if disc < 0.0 {
        return None;
    }
    let root = disc.sqrt();
    [(-half_b - root) / a, (-half_b + root) / a]
        .into_iter()
        .find(|t| *t > 1e-3)
}

#[adjoint]
fn distance(origin: Vec3, dir: Vec3, center: Vec3, radius: f64) -> f64 {
    if let Some(t) = hit_sphere(origin, dir, center, radius) {
        let way: Vec3 = dir.scale(t);
        way.norm()
    } else {
        0.0
    }
}

#[test]
fn a_ray_and_a_sphere() {
    let v = |x, y, z| Vec3 { x, y, z };
    check!(distance(v(0.1, 0.2, -3.0), v(0.05, 0.0, 1.0), v(0.0, 0.0, 0.5), 1.2) -> f64);
    let miss = check!(distance(v(5.0, 0.2, -3.0), v(0.05, 0.0, 1.0), v(0.0, 0.0, 0.5), 1.2) -> f64);
    assert_eq!(miss, [[0.0; 10]]);
}

/// A double pendulum's acceleration, one long formula with many names.
#[adjoint]
fn double_pendulum(
    state: (f64, f64, f64, f64),
    m: (f64, f64),
    l: (f64, f64),
    g: f64,
) -> (f64, f64) {
    let (t1, t2, w1, w2) = state;
    let ((m1, m2), (l1, l2)) = (m, l);
    let delta = t1 - t2;
    let den = 2.0 * m1 + m2 - m2 * (2.0 * delta).cos();
    let a1 = (-g * (2.0 * m1 + m2) * t1.sin()
        - m2 * g * (t1 - 2.0 * t2).sin()
        - 2.0 * delta.sin() * m2 * (w2 * w2 * l2 + w1 * w1 * l1 * delta.cos()))
        / (l1 * den);
    let a2 = 2.0
        * delta.sin()
        * (w1.powi(2) * l1 * (m1 + m2)
            + g * (m1 + m2) * t1.cos()
            + w2.powi(2) * l2 * m2 * delta.cos())
        / (l2 * den);
    (a1, a2)
}

#[test]
fn tuples_of_tuples() {
    check!(double_pendulum((0.5, -0.3, 0.1, 0.7), (1.0, 0.8), (0.9, 1.1), 9.81) -> (f64, f64));
}

/// A neutral rotation of two-level amplitudes.
#[adjoint]
fn hadamard_chain(amplitudes: &mut [(f64, f64); 2], angles: &[f64]) -> f64 {
    for &theta in angles {
        let [a, b] = *amplitudes;
        let (s, c) = theta.sin_cos();
        amplitudes[0] = (FRAC_1_SQRT_2 * (a.0 + b.0), FRAC_1_SQRT_2 * (a.1 + b.1));
        let d = (FRAC_1_SQRT_2 * (a.0 - b.0), FRAC_1_SQRT_2 * (a.1 - b.1));
        amplitudes[1] = (d.0 * c - d.1 * s, d.0 * s + d.1 * c);
    }
    let (re, im) = amplitudes[1];
    re * re + im * im
}

#[test]
fn amplitudes_as_tuples() {
    check!(hadamard_chain(&mut [(0.8, 0.1), (0.2, -0.5)], &vec![0.3, 1.1]) -> f64);
}
