//! Kernels from applications.
#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    clippy::manual_memcpy,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use std::f64::consts::PI;

use adjoint::adjoint;
use common::{Random, assert_close, check};

#[adjoint]
fn logsumexp(x: &[f64]) -> f64 {
    let mut m = x[0];
    for i in 1..x.len() {
        m = m.max(x[i]);
    }
    let mut s = 0.0;
    for i in 0..x.len() {
        s += (x[i] - m).exp();
    }
    m + s.ln()
}

#[test]
fn logsumexp_has_softmax_as_gradient() {
    let x: Vec<f64> = vec![0.5, -1.0, 2.0];
    let jacobian = check!(logsumexp(&x) -> f64);
    let total: f64 = x.iter().map(|x| x.exp()).sum();
    let softmax: Vec<f64> = x.iter().map(|x| x.exp() / total).collect();
    assert_close(&jacobian[0], &softmax);
}

#[adjoint]
fn softmax(x: &mut [f64]) {
    let n = x.len();
    let mut total = 0.0;
    for i in 0..n {
        x[i] = x[i].exp();
        total += x[i];
    }
    for i in 0..n {
        x[i] /= total;
    }
}

#[test]
fn softmax_in_place() {
    check!(softmax(&mut vec![0.5, -1.0, 2.0, 0.1]));
}

#[adjoint]
fn gmm(x: &[[f64; 2]], weights: &[f64], means: &[[f64; 2]], log_scales: &[[f64; 2]]) -> f64 {
    let k = weights.len();
    let mut total = 0.0;
    for n in 0..x.len() {
        let mut terms = [0.0; 3];
        let mut largest = f64::NEG_INFINITY;
        for j in 0..k {
            let mut q = weights[j];
            for d in 0..2 {
                let z = (x[n][d] - means[j][d]) * (-log_scales[j][d]).exp();
                q -= 0.5 * z * z + log_scales[j][d];
            }
            terms[j] = q - (2.0 * PI).ln();
            if terms[j] > largest {
                largest = terms[j];
            }
        }
        let mut s = 0.0;
        for j in 0..k {
            s += (terms[j] - largest).exp();
        }
        total += largest + s.ln();
    }
    let mut norm = 0.0;
    for j in 0..k {
        norm += weights[j].exp();
    }
    total - x.len() as f64 * norm.ln()
}

#[test]
fn gaussian_mixture_log_density() {
    let x = vec![[0.1, 0.5], [1.5, -0.4], [-0.3, -1.0]];
    let means = vec![[0.0, 0.0], [1.0, -0.5], [-1.0, 1.0]];
    let scales = vec![[0.1, -0.2], [0.0, 0.3], [0.2, 0.2]];
    check!(gmm(&x, &vec![0.2, -0.4, 0.1], &means, &scales) -> f64);
}

#[adjoint]
fn lennard_jones(positions: &[[f64; 3]], epsilon: f64, sigma: f64) -> f64 {
    let n = positions.len();
    let mut energy = 0.0;
    for i in 0..n {
        for j in i + 1..n {
            let mut r2 = 0.0;
            for d in 0..3 {
                let delta = positions[i][d] - positions[j][d];
                r2 += delta * delta;
            }
            let s2 = sigma * sigma / r2;
            let s6 = s2 * s2 * s2;
            energy += 4.0 * epsilon * (s6 * s6 - s6);
        }
    }
    energy
}

#[test]
fn lennard_jones_forces_balance() {
    let p = vec![
        [0.0, 0.0, 0.0],
        [1.2, 0.1, 0.0],
        [0.2, 1.1, 0.3],
        [0.9, 0.8, 1.0],
    ];
    let jacobian = check!(lennard_jones(&p, 0.7, 1.0) -> f64);
    for d in 0..3 {
        let total: f64 = (0..4).map(|i| jacobian[0][3 * i + d]).sum();
        assert_close(&[total], &[0.0]);
    }
}

#[adjoint]
fn accelerations(x: &[[f64; 3]], mass: &[f64], a: &mut [[f64; 3]]) {
    let n = x.len();
    for i in 0..n {
        a[i] = [0.0; 3];
    }
    for i in 0..n {
        for j in 0..i {
            let dx = x[j][0] - x[i][0];
            let dy = x[j][1] - x[i][1];
            let dz = x[j][2] - x[i][2];
            let r2 = dx * dx + dy * dy + dz * dz + 1e-2;
            let f = 1.0 / (r2 * r2.sqrt());
            a[i][0] += mass[j] * f * dx;
            a[i][1] += mass[j] * f * dy;
            a[i][2] += mass[j] * f * dz;
            a[j][0] -= mass[i] * f * dx;
            a[j][1] -= mass[i] * f * dy;
            a[j][2] -= mass[i] * f * dz;
        }
    }
}

#[test]
fn gravity_of_three_bodies() {
    let x = vec![[0.0, 0.1, 0.0], [1.0, 0.5, -0.3], [-0.4, 1.1, 0.8]];
    check!(accelerations(
        &x,
        &vec![1.0, 0.5, 2.0],
        &mut vec![[9.0; 3]; 3]
    ));
}

#[adjoint]
fn thomas(a: &[f64], b: &[f64], c: &[f64], d: &mut [f64]) {
    let n = d.len();
    let mut scratch = [0.0; 8];
    scratch[0] = c[0] / b[0];
    d[0] /= b[0];
    for i in 1..n {
        let m = 1.0 / (b[i] - a[i] * scratch[i - 1]);
        scratch[i] = c[i] * m;
        d[i] = (d[i] - a[i] * d[i - 1]) * m;
    }
    for i in (0..n - 1).rev() {
        d[i] -= scratch[i] * d[i + 1];
    }
}

#[adjoint]
fn spline(y: &[f64; 5], h: f64, t: f64, at: usize) -> f64 {
    let mut m = [0.0; 5];
    let mut right = [0.0; 3];
    for i in 0..3 {
        right[i] = 6.0 * (y[i] - 2.0 * y[i + 1] + y[i + 2]) / (h * h);
    }
    thomas(&[1.0; 3], &[4.0; 3], &[1.0; 3], &mut right);
    for i in 0..3 {
        m[i + 1] = right[i];
    }
    let s = 1.0 - t;
    s * y[at]
        + t * y[at + 1]
        + h * h / 6.0 * ((s * s * s - s) * m[at] + (t * t * t - t) * m[at + 1])
}

#[test]
fn tridiagonal_systems_and_splines() {
    let (a, b, c) = (
        vec![0.0, 1.0, 0.5, 0.7],
        vec![4.0, 3.0, 5.0, 4.5],
        vec![0.3, 1.0, -1.0, 0.0],
    );
    check!(thomas(&a, &b, &c, &mut vec![1.0, 2.0, -1.0, 0.5]));
    for at in 0..4 {
        check!(spline(&[0.0, 1.0, 0.5, -0.3, 0.2], 0.5, 0.3, const at) -> f64);
    }
}

#[adjoint]
fn bilinear(grid: &[[f64; 4]; 3], x: f64, y: f64) -> f64 {
    let i = (x.floor() as usize).min(1);
    let j = (y.floor() as usize).min(2);
    let u = x - i as f64;
    let v = y - j as f64;
    (1.0 - u) * ((1.0 - v) * grid[i][j] + v * grid[i][j + 1])
        + u * ((1.0 - v) * grid[i + 1][j] + v * grid[i + 1][j + 1])
}

#[test]
fn bilinear_interpolation() {
    let grid = [
        [1.0, 2.0, 0.0, -1.0],
        [0.5, 3.0, 1.0, 2.0],
        [2.0, 2.5, -0.5, 1.0],
    ];
    for (x, y) in [(0.3, 0.6), (1.7, 2.2), (0.5, 1.5)] {
        check!(bilinear(&grid, x, y) -> f64);
    }
}

#[adjoint]
fn bratu(u: &[f64], lambda: f64, n: usize, residual: &mut [f64]) {
    let h = 1.0 / (n + 1) as f64;
    for i in 0..n {
        for j in 0..n {
            let at = i * n + j;
            let mut s = 4.0 * u[at];
            if i > 0 {
                s -= u[at - n];
            }
            if i < n - 1 {
                s -= u[at + n];
            }
            if j > 0 {
                s -= u[at - 1];
            }
            if j < n - 1 {
                s -= u[at + 1];
            }
            residual[at] = s - h * h * lambda * u[at].exp();
        }
    }
}

#[test]
fn bratu_residual() {
    let u = Random::new(8).vector(9, 0.0, 1.0);
    check!(bratu(&u, 5.0, const 3, &mut vec![0.0; 9]));
}

#[adjoint]
fn helmholtz_energy(x: &[f64], a: &[f64], b: &[f64], t: f64) -> f64 {
    let n = x.len();
    let root = 2.0_f64.sqrt();
    let mut bx = 0.0;
    for i in 0..n {
        bx += b[i] * x[i];
    }
    let mut ideal = 0.0;
    let mut mixed = 0.0;
    for i in 0..n {
        ideal += x[i] * (x[i] / (1.0 - bx)).ln();
        for j in 0..n {
            mixed += x[i] * a[i * n + j] * x[j];
        }
    }
    let log = ((1.0 + (1.0 + root) * bx) / (1.0 + (1.0 - root) * bx)).ln();
    8.314 * t * ideal - mixed * log / (2.0 * root * bx)
}

#[test]
fn helmholtz_energy_of_a_mixture() {
    let (x, b) = (vec![0.2, 0.5, 0.3], vec![0.1, 0.2, 0.15]);
    let a = vec![1.0, 0.8, 0.9, 0.8, 1.5, 1.1, 0.9, 1.1, 2.0];
    check!(helmholtz_energy(&x, &a, &b, 1.2) -> f64);
}

#[adjoint]
fn logistic_loss(w: &[f64], bias: f64, x: &[[f64; 2]], labels: &[bool]) -> f64 {
    let mut loss = 0.0;
    for n in 0..x.len() {
        let z = w[0] * x[n][0] + w[1] * x[n][1] + bias;
        let margin = if labels[n] { z } else { -z };
        // ln(1 + e⁻ᵐ) without overflow
        loss += if margin > 0.0 {
            (-margin).exp().ln_1p()
        } else {
            margin.exp().ln_1p() - margin
        };
    }
    loss / x.len() as f64
}

#[test]
fn logistic_regression_loss() {
    let x = vec![[1.0, 0.5], [-0.3, 2.0], [0.7, -1.0]];
    check!(logistic_loss(&vec![0.4, -0.9], 0.1, &x, const &[true, false, true]) -> f64);
}

#[adjoint]
fn tanh_layer(w: &[[f64; 3]], b: &[f64], x: &[f64; 3], y: &mut [f64]) {
    for i in 0..y.len() {
        let mut z = b[i];
        for j in 0..3 {
            z += w[i][j] * x[j];
        }
        y[i] = z.tanh();
    }
}

#[adjoint]
fn two_layers(
    w1: &[[f64; 3]; 3],
    b1: &[f64; 3],
    w2: &[[f64; 3]; 1],
    b2: &[f64; 1],
    x: &[f64; 3],
) -> f64 {
    let mut hidden = [0.0; 3];
    let mut out = [0.0; 1];
    tanh_layer(w1, b1, x, &mut hidden);
    tanh_layer(w2, b2, &hidden, &mut out);
    0.5 * (out[0] - 1.0).powi(2)
}

#[test]
fn a_neural_network() {
    let w1 = [[0.1, -0.4, 0.3], [0.7, 0.2, -0.6], [-0.5, 0.9, 0.8]];
    check!(tanh_layer(
        &w1.to_vec(),
        &vec![0.1, 0.0, -0.1],
        &[1.0, 0.5, -0.7],
        &mut vec![0.0; 3]
    ));
    check!(two_layers(&w1, &[0.1, 0.0, -0.1], &[[0.3, -0.2, 0.6]], &[0.05], &[1.0, 0.5, -0.7]) -> f64);
}

#[adjoint]
fn normal_cdf(x: f64) -> f64 {
    // Abramowitz and Stegun 26.2.17
    let t = 1.0 / (1.0 + 0.2316419 * x.abs());
    let poly = t
        * (0.319381530
            + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    let tail = (-0.5 * x * x).exp() / (2.0 * PI).sqrt() * poly;
    if x >= 0.0 { 1.0 - tail } else { tail }
}

#[adjoint]
fn black_scholes(call: bool, s: f64, k: f64, r: f64, v: f64, t: f64) -> f64 {
    let root = v * t.sqrt();
    let d1 = ((s / k).ln() + (r + 0.5 * v * v) * t) / root;
    let d2 = d1 - root;
    let discounted = k * (-r * t).exp();
    if call {
        s * normal_cdf(d1) - discounted * normal_cdf(d2)
    } else {
        discounted * normal_cdf(-d2) - s * normal_cdf(-d1)
    }
}

#[test]
fn black_scholes_calls_and_puts_differ_by_one_in_delta() {
    let call = check!(black_scholes(const true, 100.0, 105.0, 0.03, 0.2, 1.5) -> f64);
    let put = check!(black_scholes(const false, 100.0, 105.0, 0.03, 0.2, 1.5) -> f64);
    assert_close(&[call[0][0] - put[0][0]], &[1.0]);
}

#[adjoint]
fn biharmonic_spring_chain(x: &mut [f64], v: &mut [f64], k: f64, dt: f64, steps: usize) -> f64 {
    let n = x.len();
    let mut energy = 0.0;
    for _ in 0..steps {
        for i in 0..n {
            let left = if i > 0 { x[i] - x[i - 1] } else { x[i] };
            let right = if i + 1 < n { x[i + 1] - x[i] } else { -x[i] };
            v[i] += dt * (k * (right - left) - 0.1 * x[i] * x[i] * x[i]);
        }
        for i in 0..n {
            x[i] += dt * v[i];
            energy += 0.5 * dt * v[i] * v[i];
        }
    }
    energy
}

#[test]
fn a_chain_of_anharmonic_springs() {
    check!(biharmonic_spring_chain(&mut vec![0.3, -0.5, 0.9], &mut vec![0.0, 0.2, 0.0], 1.3, 0.1, const 5) -> f64);
}

#[adjoint]
fn cholesky_log_likelihood(c: &[[f64; 3]; 3], y: &[f64; 3]) -> f64 {
    let mut l = [[0.0; 3]; 3];
    let mut z = *y;
    let mut log_det = 0.0;
    for j in 0..3 {
        for i in j..3 {
            let mut s = c[i][j];
            for k in 0..j {
                s -= l[i][k] * l[j][k];
            }
            l[i][j] = if i == j { s.sqrt() } else { s / l[j][j] };
        }
        log_det += 2.0 * l[j][j].ln();
    }
    let mut quadratic = 0.0;
    for i in 0..3 {
        for k in 0..i {
            z[i] -= l[i][k] * z[k];
        }
        z[i] /= l[i][i];
        quadratic += z[i] * z[i];
    }
    -0.5 * (quadratic + log_det + 3.0 * (2.0 * PI).ln())
}

#[test]
fn a_gaussian_process_likelihood() {
    let c = [[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.0]];
    check!(cholesky_log_likelihood(&c, &[0.4, -1.0, 0.7]) -> f64);
}
