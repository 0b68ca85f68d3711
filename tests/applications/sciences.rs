//! Textbook methods of the sciences.

use adjoint::{Differentiable, adjoint};

use crate::common::{self, check};

#[adjoint]
fn sir(beta: f64, gamma: f64, mut state: [f64; 3], dt: f64, days: usize) -> Vec<f64> {
    let mut infected = Vec::with_capacity(days);
    for _ in 0..days {
        let [s, i, r] = state;
        let new_infections = beta * s * i * dt;
        let recoveries = gamma * i * dt;
        state = [
            s - new_infections,
            i + new_infections - recoveries,
            r + recoveries,
        ];
        infected.push(state[1]);
    }
    infected
}

#[adjoint]
fn rk45(k: f64, y0: f64, t_end: f64, tol: f64) -> f64 {
    let f = |t: f64, y: f64| -k * y + t.sin();
    let (mut t, mut y, mut h) = (0.0, y0, 0.1);
    while t < t_end {
        if t + h > t_end {
            h = t_end - t;
        }
        let k1 = f(t, y);
        let k2 = f(t + 0.5 * h, y + 0.5 * h * k1);
        let k3 = f(t + h, y + h * (2.0 * k2 - k1));
        let low = y + h * k2;
        let high = y + h * (k1 + 4.0 * k2 + k3) / 6.0;
        let err = (high - low).abs();
        if err <= tol {
            t += h;
            y = high;
        }
        h *= (0.9 * (tol / err.max(1e-12)).powf(0.33)).clamp(0.3, 2.0);
    }
    y
}

#[adjoint]
fn gauss_seidel(a: &Vec<Vec<f64>>, b: &[f64], sweeps: usize) -> Vec<f64> {
    let n = b.len();
    let mut x = vec![0.0; n];
    for _ in 0..sweeps {
        for i in 0..n {
            let sigma: f64 = (0..n).filter(|&j| j != i).map(|j| a[i][j] * x[j]).sum();
            x[i] = (b[i] - sigma) / a[i][i];
        }
    }
    x
}

#[adjoint]
fn givens_qr(a: &mut [[f64; 3]; 3]) {
    for j in 0..3 {
        for i in (j + 1..3).rev() {
            let (p, q) = (a[i - 1][j], a[i][j]);
            let r = p.hypot(q);
            if r == 0.0 {
                continue;
            }
            let (c, s) = (p / r, q / r);
            for k in 0..3 {
                let (u, v) = (a[i - 1][k], a[i][k]);
                a[i - 1][k] = c * u + s * v;
                a[i][k] = -s * u + c * v;
            }
        }
    }
}

#[adjoint]
fn garch(returns: &[f64], omega: f64, alpha: f64, beta: f64) -> f64 {
    let mut sigma2 = returns.iter().map(|r| r * r).sum::<f64>() / returns.len() as f64;
    let mut log_likelihood = 0.0;
    for r in returns {
        log_likelihood -= 0.5 * (sigma2.ln() + r * r / sigma2);
        sigma2 = omega + alpha * r.powi(2) + beta * sigma2;
    }
    log_likelihood
}

#[adjoint]
fn gaussian_process(x: &[f64], y: &[f64], length: f64, noise: f64) -> f64 {
    let n = x.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let d = (x[i] - x[j]) / length;
            let mut s = (-0.5 * d * d).exp();
            if i == j {
                s += noise;
            }
            for k in 0..j {
                s -= l[i][k] * l[j][k];
            }
            l[i][j] = if i == j { s.sqrt() } else { s / l[j][j] };
        }
    }
    let mut z = y.to_vec();
    for i in 0..n {
        for k in 0..i {
            z[i] -= l[i][k] * z[k];
        }
        z[i] /= l[i][i];
    }
    let fit: f64 = z.iter().map(|v| v * v).sum();
    let log_det: f64 = (0..n).map(|i| l[i][i].ln()).sum();
    -0.5 * fit - log_det
}

#[adjoint]
fn haversine(lat1: f64, lon1: f64, lat2: f64, lon2: f64) -> f64 {
    let (dlat, dlon) = (lat2 - lat1, lon2 - lon1);
    let a = (dlat / 2.0).sin().powi(2) + lat1.cos() * lat2.cos() * (dlon / 2.0).sin().powi(2);
    2.0 * 6371.0 * a.sqrt().asin()
}

#[adjoint]
fn de_boor(knots: &[f64], control: &[f64], x: f64) -> f64 {
    const P: usize = 2;
    let k = (P..control.len()).rfind(|&i| knots[i] <= x).unwrap_or(P);
    let mut d: Vec<f64> = (0..=P).map(|j| control[j + k - P]).collect();
    for r in 1..=P {
        for j in (r..=P).rev() {
            let i = j + k - P;
            let alpha = (x - knots[i]) / (knots[i + P + 1 - r] - knots[i]);
            d[j] = (1.0 - alpha) * d[j - 1] + alpha * d[j];
        }
    }
    d[P]
}

#[adjoint]
fn gru(x: &[f64], h: &mut [f64], wz: &[f64], wr: &[f64], wh: &[f64]) {
    let sigmoid = |v: f64| 1.0 / (1.0 + (-v).exp());
    let n = h.len();
    let old = h.to_vec();
    for i in 0..n {
        let row = |w: &[f64], j: usize| w[i * n + j];
        let z = sigmoid((0..n).map(|j| row(wz, j) * old[j]).sum::<f64>() + x[i]);
        let r = sigmoid((0..n).map(|j| row(wr, j) * old[j]).sum::<f64>() - x[i]);
        let candidate = (r * (0..n).map(|j| row(wh, j) * old[j]).sum::<f64>() + x[i]).tanh();
        h[i] = (1.0 - z) * old[i] + z * candidate;
    }
}

#[adjoint]
fn layer_norm(x: &mut [f64], gain: &[f64], bias: &[f64]) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let var = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let inv = (var + 1e-5).sqrt().recip();
    for ((x, g), b) in x.iter_mut().zip(gain).zip(bias) {
        *x = (*x - mean) * inv * g + b;
    }
}

#[adjoint]
fn nelson_siegel(b: [f64; 3], tau: f64, maturities: &[f64], prices: &[f64]) -> f64 {
    maturities
        .iter()
        .zip(prices)
        .map(|(&m, &p)| {
            let e = (-m / tau).exp();
            let slope = (1.0 - e) * tau / m;
            let y = b[0] + b[1] * slope + b[2] * (slope - e);
            (p - (-y * m).exp()).powi(2)
        })
        .sum()
}

#[adjoint]
fn monte_carlo(spot: f64, vol: f64, rate: f64, strike: f64, paths: u64) -> f64 {
    let mut state = 42u64;
    let mut uniform = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let mut payoff = 0.0;
    for _ in 0..paths {
        let (u, v) = (uniform(), uniform());
        let z = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
        let end = spot * ((rate - 0.5 * vol * vol) + vol * z).exp();
        payoff += (end - strike).max(0.0);
    }
    (-rate).exp() * payoff / paths as f64
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct Pid {
    kp: f64,
    ki: f64,
    kd: f64,
}

common::flat!(Pid { kp, ki, kd });

#[adjoint]
fn controlled(pid: &Pid, target: f64, steps: usize) -> f64 {
    let (mut position, mut velocity) = (0.0, 0.0);
    let mut integral = 0.0;
    let mut last: Option<f64> = None;
    let mut cost = 0.0;
    for _ in 0..steps {
        let error = target - position;
        integral += error * 0.1;
        let derivative = match last {
            Some(previous) => (error - previous) / 0.1,
            None => 0.0,
        };
        last = Some(error);
        let force = pid.kp * error + pid.ki * integral + pid.kd * derivative;
        velocity += (force - 0.5 * velocity) * 0.1;
        position += velocity * 0.1;
        cost += error * error + 0.01 * force.powi(2);
    }
    cost
}

#[adjoint]
fn assembled(nodes: &[f64], conductivity: &[f64], load: f64) -> Vec<f64> {
    let n = nodes.len();
    let (mut diagonal, mut off) = (vec![0.0; n], vec![0.0; n - 1]);
    let mut f = vec![0.0; n];
    for (e, (w, k)) in nodes.windows(2).zip(conductivity).enumerate() {
        let h = w[1] - w[0];
        let stiffness = k / h;
        diagonal[e] += stiffness;
        diagonal[e + 1] += stiffness;
        off[e] -= stiffness;
        f[e] += 0.5 * load * h;
        f[e + 1] += 0.5 * load * h;
    }
    diagonal[0] += 1e3;
    for i in 1..n {
        let m = off[i - 1] / diagonal[i - 1];
        diagonal[i] -= m * off[i - 1];
        f[i] -= m * f[i - 1];
    }
    f[n - 1] /= diagonal[n - 1];
    for i in (0..n - 1).rev() {
        f[i] = (f[i] - off[i] * f[i + 1]) / diagonal[i];
    }
    f
}

#[adjoint]
fn shallow_water(h: &mut Vec<f64>, u: &mut Vec<f64>, dt: f64, steps: usize) {
    let n = h.len();
    for _ in 0..steps {
        let flux: Vec<f64> = h.iter().zip(u.iter()).map(|(h, u)| h * u).collect();
        let next: Vec<f64> = (0..n)
            .map(|i| h[i] - 0.5 * dt * (flux[(i + 1) % n] - flux[(i + n - 1) % n]))
            .collect();
        for i in 0..n {
            u[i] -= 0.5 * dt * 9.81 * (next[(i + 1) % n] - next[(i + n - 1) % n]);
        }
        *h = next;
    }
}

#[adjoint]
fn logistic_newton(x: &[[f64; 2]], y: &[bool], ridge: f64, iterations: usize) -> [f64; 2] {
    let mut w = [0.0, 0.0];
    for _ in 0..iterations {
        let (mut g, mut h) = ([ridge * w[0], ridge * w[1]], [[ridge, 0.0], [0.0, ridge]]);
        for (xi, &yi) in x.iter().zip(y) {
            let p = 1.0 / (1.0 + (-(w[0] * xi[0] + w[1] * xi[1])).exp());
            let r = p - if yi { 1.0 } else { 0.0 };
            for a in 0..2 {
                g[a] += r * xi[a];
                for b in 0..2 {
                    h[a][b] += p * (1.0 - p) * xi[a] * xi[b];
                }
            }
        }
        let det = h[0][0] * h[1][1] - h[0][1] * h[1][0];
        w[0] -= (h[1][1] * g[0] - h[0][1] * g[1]) / det;
        w[1] -= (h[0][0] * g[1] - h[1][0] * g[0]) / det;
    }
    w
}

#[test]
fn differential_equations() {
    check!(sir(0.4, 0.1, [0.9, 0.1, 0.0], 0.5, const 4) -> &Vec<f64>);
    check!(controlled(&Pid { kp: 2.0, ki: 0.3, kd: 0.4 }, 1.0, const 6) -> f64);
    check!(shallow_water(&mut vec![1.0, 1.2, 0.9, 1.1], &mut vec![0.1, -0.1, 0.0, 0.2], 0.02, const 3));
    check!(assembled(&vec![0.0, 0.3, 0.7, 1.2], &vec![1.0, 2.0, 0.5], 1.5) -> &Vec<f64>);
}

#[test]
fn an_embedded_pair_with_error_control() {
    let adjoint = |k: f64, y0: f64| {
        let (mut k_adj, mut y_adj) = (0.0, 0.0);
        let y = rk45_adjoint(
            k, &mut k_adj, y0, &mut y_adj, 1.0, &mut 0.0, 1e-3, &mut 0.0, 1.0,
        );
        (y, k_adj, y_adj)
    };
    let (y, k_adj, y_adj) = adjoint(0.7, 1.2);
    // The steps are chosen by the solution, so differences are taken of the same steps.
    let d = 1e-7;
    let by_k = (rk45(0.7 + d, 1.2, 1.0, 1e-3) - rk45(0.7 - d, 1.2, 1.0, 1e-3)) / (2.0 * d);
    let by_y = (rk45(0.7, 1.2 + d, 1.0, 1e-3) - rk45(0.7, 1.2 - d, 1.0, 1e-3)) / (2.0 * d);
    assert!((k_adj - by_k).abs() < 1e-5 && (y_adj - by_y).abs() < 1e-5);
    assert_eq!(y, rk45(0.7, 1.2, 1.0, 1e-3));
}

#[test]
fn linear_systems() {
    check!(gauss_seidel(&vec![vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -0.5], vec![0.2, 0.4, 5.0]], &vec![1.0, 2.0, -1.0], const 3) -> &Vec<f64>);
    check!(givens_qr(&mut [
        [1.0, 0.5, 0.2],
        [0.3, 2.0, -0.4],
        [0.7, 0.1, 1.5]
    ]));
    check!(logistic_newton(&[[0.5, 1.0], [-0.3, 0.8], [1.2, -0.4]], const &[true, false, true], 0.3, const 3) -> [f64; 2]);
}

#[test]
fn likelihoods() {
    check!(garch(&vec![0.1, -0.3, 0.2, 0.05], 0.01, 0.1, 0.8) -> f64);
    check!(gaussian_process(&vec![0.1, 0.5, 0.9], &vec![0.3, 0.7, 0.2], 0.4, 0.1) -> f64);
}

#[test]
fn curves_and_spheres() {
    check!(haversine(0.8, 0.1, 0.7, 0.3) -> f64);
    check!(de_boor(&[0.0, 0.1, 0.3, 0.8, 1.3, 1.9, 2.6], &[0.5, 1.0, -0.3, 0.7], 0.9) -> f64);
}

#[test]
fn layers() {
    check!(gru(
        &vec![0.3, -0.2],
        &mut vec![0.1, 0.5],
        &vec![0.3, 0.1, -0.4, 0.2],
        &vec![0.7, -0.1, 0.4, 0.3],
        &vec![0.2, 0.6, 0.5, -0.3]
    ));
    check!(layer_norm(
        &mut vec![0.3, -0.2, 0.9],
        &vec![1.0, 0.5, 1.5],
        &vec![0.1, 0.0, -0.3]
    ));
}

#[test]
fn prices() {
    check!(nelson_siegel([0.03, -0.01, 0.02], 1.5, &vec![1.0, 2.0, 5.0], &vec![0.97, 0.93, 0.8]) -> f64);
    check!(monte_carlo(1.0, 0.2, 0.05, 0.9, const 8) -> f64);
}
