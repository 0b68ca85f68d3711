//! ODE integrators, root finders, quadrature and interpolation.

use std::f64::consts::PI;

use adjoint::{Differentiable, adjoint};

use crate::common::{Flat, assert_close, check};

/// One classical step of a system whose size is a const parameter.
#[adjoint]
fn lorenz(s: [f64; 3], sigma: f64, rho: f64, beta: f64) -> [f64; 3] {
    let [x, y, z] = s;
    [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]
}

#[adjoint]
fn shifted<const N: usize>(y: [f64; N], k: [f64; N], h: f64) -> [f64; N] {
    let mut out = y;
    for (o, ki) in out.iter_mut().zip(k) {
        *o += h * ki;
    }
    out
}

#[adjoint]
fn rk4(mut y: [f64; 3], p: (f64, f64, f64), h: f64, steps: usize) -> [f64; 3] {
    let (sigma, rho, beta) = p;
    for _ in 0..steps {
        let k1: [f64; 3] = lorenz(y, sigma, rho, beta);
        let k2: [f64; 3] = lorenz(shifted(y, k1, 0.5 * h), sigma, rho, beta);
        let k3: [f64; 3] = lorenz(shifted(y, k2, 0.5 * h), sigma, rho, beta);
        let k4: [f64; 3] = lorenz(shifted(y, k3, h), sigma, rho, beta);
        for i in 0..3 {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    y
}

#[test]
fn runge_kutta_on_arrays() {
    check!(rk4([1.0, 0.5, 1.2], (10.0, 28.0, 2.5), 0.01, const 6) -> [f64; 3]);
}

/// The same on `Vec`s that each stage collects.
#[adjoint]
fn pendulum(y: &[f64], damping: f64) -> Vec<f64> {
    vec![y[1], -y[0].sin() - damping * y[1]]
}

#[adjoint]
fn heun(y0: &[f64], damping: f64, h: f64, steps: usize) -> Vec<f64> {
    let mut y = y0.to_vec();
    for _ in 0..steps {
        let k1: Vec<f64> = pendulum(&y, damping);
        let mid: Vec<f64> = y.iter().zip(&k1).map(|(yi, ki)| yi + h * ki).collect();
        let k2: Vec<f64> = pendulum(&mid, damping);
        y = y
            .iter()
            .zip(k1.iter().zip(k2.iter()))
            .map(|(yi, (a, b))| yi + 0.5 * h * (a + b))
            .collect();
    }
    y
}

#[test]
fn heun_on_vecs() {
    check!(heun(&vec![0.4, -0.1], 0.2, 0.1, const 5) -> &Vec<f64>);
}

/// Dormand–Prince with a Butcher tableau as a constant, and adaptive steps.
const C: [f64; 3] = [0.0, 0.5, 0.75];
const A: [[f64; 2]; 3] = [[0.0, 0.0], [0.5, 0.0], [0.0, 0.75]];
const B: [f64; 3] = [2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0];
const B_HAT: [f64; 4] = [7.0 / 24.0, 0.25, 1.0 / 3.0, 0.125];

#[adjoint]
fn rhs(t: f64, y: f64, k: f64) -> f64 {
    -k * y + t.cos()
}

#[adjoint]
fn adaptive(y0: f64, k: f64, t_end: f64, tol: f64) -> f64 {
    let (mut t, mut y, mut h) = (0.0, y0, 0.1);
    let mut rejected = 0_u32;
    while t < t_end {
        if t + h > t_end {
            h = t_end - t;
        }
        let mut ks = [0.0; 4];
        for s in 0..3 {
            let mut yi = y;
            for j in 0..s {
                yi += h * A[s][j] * ks[j];
            }
            ks[s] = rhs(t + C[s] * h, yi, k);
        }
        let y_new = y + h * B.iter().zip(ks.iter()).map(|(b, k)| b * k).sum::<f64>();
        ks[3] = rhs(t + h, y_new, k);
        let y_hat = y + h * B_HAT.iter().zip(&ks).map(|(b, k)| b * k).sum::<f64>();
        let err = (y_new - y_hat).abs() / tol;
        if err <= 1.0 {
            t += h;
            y = y_new;
        } else {
            rejected += 1;
            if rejected > 1000 {
                panic!("step size too small");
            }
        }
        h *= (0.9 * err.max(1e-10).powf(-1.0 / 3.0)).clamp(0.2, 5.0);
    }
    y
}

#[test]
fn adaptive_steps() {
    let mut adj = [0.0; 4];
    let [a, b, c, d] = &mut adj;
    let value = adaptive_adjoint(1.0, a, 0.7, b, 1.0, c, 1e-6, d, 1.0);
    assert_eq!(value, adaptive(1.0, 0.7, 1.0, 1e-6));
    assert!((adj[0] - (-0.7f64).exp()).abs() < 1e-5, "{adj:?}");
}

/// Newton with a maximum of iterations, as a `Result`.
#[adjoint(wrt(a, b))]
fn kepler_like(a: f64, b: f64) -> Result<f64, String> {
    let mut x = a;
    for iter in 0..50 {
        let f = x - b * x.sin() - a;
        let df = 1.0 - b * x.cos();
        if df.abs() < 1e-12 {
            return Err(format!("flat at iteration {iter}"));
        }
        let dx = f / df;
        x -= dx;
        if dx.abs() < 1e-13 {
            return Ok(x);
        }
    }
    Err("did not converge".to_string())
}

#[adjoint]
fn true_anomaly(m: f64, e: f64) -> f64 {
    let ecc = kepler_like(m, e).unwrap();
    2.0 * ((1.0 + e).sqrt() * (0.5 * ecc).sin()).atan2((1.0 - e).sqrt() * (0.5 * ecc).cos())
}

#[test]
fn newton_as_a_result() {
    check!(true_anomaly(0.9, 0.3) -> f64);
}

/// Brent-like bisection on a closure.
#[adjoint]
fn bisect(target: f64, mut lo: f64, mut hi: f64) -> f64 {
    let f = |x: f64| x.powi(3) + x - target;
    assert!(f(lo) * f(hi) < 0.0, "not bracketed: {} {}", lo, hi);
    let mut mid;
    loop {
        mid = 0.5 * (lo + hi);
        if hi - lo < 1e-3 {
            break;
        }
        if f(lo) * f(mid) <= 0.0 {
            hi = mid
        } else {
            lo = mid
        }
    }
    // One step of Newton, which carries the derivative.
    mid - f(mid) / (3.0 * mid * mid + 1.0)
}

#[test]
fn bisection() {
    check!(bisect(3.1, 0.0, 2.0) -> f64);
}

/// Simpson's rule over a closure, weights by `match`.
#[adjoint]
fn simpson(a: f64, b: f64, omega: f64, n: usize) -> f64 {
    assert!(n % 2 == 0 && n > 0);
    let f = |x: f64| (omega * x).sin() * (-x).exp();
    let h = (b - a) / n as f64;
    let total = (0..=n)
        .map(|i| {
            let w = match i {
                0 => 1.0,
                i if i == n => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            w * f(a + i as f64 * h)
        })
        .sum::<f64>();
    total * h / 3.0
}

#[test]
fn simpson_with_a_closure() {
    check!(simpson(0.1, 2.0, 3.0, const 8) -> f64);
}

/// Romberg's table as nested `Vec`s.
#[adjoint]
fn romberg(a: f64, b: f64, levels: usize) -> f64 {
    let f = |x: f64| 1.0 / (1.0 + x * x);
    let mut r = vec![vec![0.0; levels]; levels];
    let mut h = b - a;
    r[0][0] = 0.5 * h * (f(a) + f(b));
    for i in 1..levels {
        h /= 2.0;
        let mut sum = 0.0;
        for k in (1..1usize << i).step_by(2) {
            sum += f(a + k as f64 * h);
        }
        r[i][0] = 0.5 * r[i - 1][0] + h * sum;
        for j in 1..=i {
            let factor = 4f64.powi(j as i32);
            r[i][j] = (factor * r[i][j - 1] - r[i - 1][j - 1]) / (factor - 1.0);
        }
    }
    r[levels - 1][levels - 1]
}

#[test]
fn romberg_has_the_integrand_as_slope() {
    let rows = check!(romberg(0.0, 1.0, const 6) -> f64);
    assert!((rows[0][1] - 0.5).abs() < 1e-6);
}

/// Adaptive Simpson by recursion.
#[adjoint]
fn integrand(x: f64, w: f64) -> f64 {
    (w * x).sin() / (1.0 + x)
}

#[adjoint]
fn adaptive_simpson(a: f64, b: f64, w: f64, eps: f64, depth: u8) -> f64 {
    let m = 0.5 * (a + b);
    let (fa, fm, fb) = (integrand(a, w), integrand(m, w), integrand(b, w));
    let whole = (b - a) / 6.0 * (fa + 4.0 * fm + fb);
    let (l, r) = (integrand(0.5 * (a + m), w), integrand(0.5 * (m + b), w));
    let left = (m - a) / 6.0 * (fa + 4.0 * l + fm);
    let right = (b - m) / 6.0 * (fm + 4.0 * r + fb);
    let delta = left + right - whole;
    if depth == 0 || delta.abs() <= 15.0 * eps {
        return left + right + delta / 15.0;
    }
    adaptive_simpson(a, m, w, eps / 2.0, depth - 1)
        + adaptive_simpson(m, b, w, eps / 2.0, depth - 1)
}

#[test]
fn recursive_quadrature() {
    check!(adaptive_simpson(0.0, 1.5, 2.0, 1e-4, const 6) -> f64);
}

/// A natural cubic spline in a struct with `Vec` fields.
#[derive(Clone, Debug, Differentiable)]
struct Spline {
    x: Vec<f64>,
    y: Vec<f64>,
    m: Vec<f64>,
}

#[adjoint]
impl Spline {
    fn evaluate(&self, t: f64) -> f64 {
        let n = self.x.len();
        let i = match self.x.iter().position(|&xi| xi > t) {
            Some(0) => 0,
            Some(i) => i - 1,
            None => n - 2,
        };
        let h = self.x[i + 1] - self.x[i];
        let a = (self.x[i + 1] - t) / h;
        let b = (t - self.x[i]) / h;
        a * self.y[i]
            + b * self.y[i + 1]
            + ((a.powi(3) - a) * self.m[i] + (b.powi(3) - b) * self.m[i + 1]) * h * h / 6.0
    }
}

#[test]
fn a_spline_as_a_struct() {
    let s = Spline {
        x: vec![0.0, 1.0, 2.5, 3.0],
        y: vec![0.5, 1.5, -0.5, 0.2],
        m: vec![0.0, -1.0, 0.7, 0.0],
    };
    let mut adj = Spline {
        x: vec![0.0; 4],
        y: vec![0.0; 4],
        m: vec![0.0; 4],
    };
    let mut t_adj = 0.0;
    let value = s.evaluate_adjoint(&mut adj, 1.7, &mut t_adj, 1.0);
    assert_eq!(value, s.evaluate(1.7));
    let step = 1e-6;
    let slope = (s.evaluate(1.7 + step) - s.evaluate(1.7 - step)) / (2.0 * step);
    assert!((t_adj - slope).abs() < 1e-8);
    let (a, b) = (0.8 / 1.5, 0.7 / 1.5);
    assert_close(&adj.y, &[0.0, a, b, 0.0]);
}

/// Interpolation in a table with a binary search.
#[adjoint]
fn interpolate(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    debug_assert_eq!(xs.len(), ys.len());
    let (mut lo, mut hi) = (0usize, xs.len() - 1);
    while hi - lo > 1 {
        let mid = (lo + hi) >> 1;
        if xs[mid] > x {
            hi = mid;
        } else {
            lo = mid;
        }
    }
    let t = (x - xs[lo]) / (xs[hi] - xs[lo]);
    ys[lo].mul_add(1.0 - t, ys[hi] * t)
}

#[test]
fn a_table_with_a_search() {
    check!(interpolate(&vec![0.0, 1.0, 2.5, 3.0], &vec![0.5, 1.5, -0.5, 0.2], 1.7) -> f64);
}

/// Neville's scheme overwrites its table.
#[adjoint]
fn neville(x: &[f64], y: &[f64], at: f64) -> f64 {
    let mut p: Vec<f64> = y.iter().cloned().collect();
    for k in 1..x.len() {
        for i in 0..x.len() - k {
            p[i] = ((at - x[i + k]) * p[i] + (x[i] - at) * p[i + 1]) / (x[i] - x[i + k]);
        }
    }
    p[0]
}

#[test]
fn neville_overwrites() {
    check!(neville(&vec![0.0, 1.0, 2.5, 3.0], &vec![0.5, 1.5, -0.5, 0.2], 1.7) -> f64);
}

/// Symplectic integration with a struct of state by `&mut self`.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Oscillator {
    q: f64,
    p: f64,
    k: f64,
    steps: usize,
}

impl Flat for Oscillator {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.q, self.p, self.k]);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        let mut next = || f64::read(&0.0, from);
        Oscillator {
            q: next(),
            p: next(),
            k: next(),
            steps: self.steps,
        }
    }
}

#[adjoint]
impl Oscillator {
    fn kick(&mut self, h: f64) {
        self.p -= h * self.k * self.q.sin();
    }
    fn drift(&mut self, h: f64) {
        self.q += h * self.p;
    }
    fn energy(&self) -> f64 {
        0.5 * self.p * self.p + self.k * (1.0 - self.q.cos())
    }
    fn run(&mut self, h: f64) -> f64 {
        for _ in 0..self.steps {
            self.kick(0.5 * h);
            self.drift(h);
            self.kick(0.5 * h);
        }
        self.energy()
    }
}

#[adjoint]
fn run(o: &mut Oscillator, h: f64) -> f64 {
    o.run(h)
}

#[test]
fn leapfrog_by_methods() {
    check!(run(&mut Oscillator { q: 0.7, p: -0.2, k: 1.4, steps: 4 }, 0.1) -> f64);
}

/// A boundary-value problem by shooting, with the state in a tuple.
#[adjoint]
fn shoot(slope: f64, length: f64) -> f64 {
    let n = 20;
    let h = length / n as f64;
    let mut state = (0.0, slope);
    for i in 0..n {
        let x = i as f64 * h;
        let (y, v) = state;
        let acc = -(1.0 + 0.1 * x) * y;
        state = (y + h * v, v + h * acc);
    }
    state.0 - (PI * state.1).cos()
}

#[test]
fn state_in_a_tuple() {
    check!(shoot(0.8, 1.3) -> f64);
}
