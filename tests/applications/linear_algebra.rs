//! Linear algebra by hand: reflections, a Cholesky factor, a tridiagonal solve, conjugate gradients, a filter.

use adjoint::adjoint;

use crate::common::check;

type Matrix = Vec<Vec<f64>>;

/// The triangular factor of a QR factorisation by Householder reflections.
#[adjoint]
fn householder(a: &mut [Vec<f64>]) {
    let (m, n) = (a.len(), a[0].len());
    for k in 0..n.min(m - 1) {
        let mut v: Vec<f64> = (k..m).map(|i| a[i][k]).collect();
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let alpha = if v[0] > 0.0 { -norm } else { norm };
        v[0] -= alpha;
        let v2: f64 = v.iter().map(|x| x.powi(2)).sum();
        if v2 == 0.0 {
            continue;
        }
        for j in k..n {
            let dot: f64 = v.iter().enumerate().map(|(i, vi)| vi * a[k + i][j]).sum();
            let f = 2.0 * dot / v2;
            for (i, vi) in v.iter().enumerate() {
                a[k + i][j] -= f * vi;
            }
        }
        for i in k + 1..m {
            a[i][k] = 0.0;
        }
    }
}

#[test]
fn reflections() {
    check!(householder(&mut vec![
        vec![1.0, 2.0],
        vec![-0.5, 0.3],
        vec![0.7, -1.2],
    ]));
}

/// In place, the lower triangle of a symmetric matrix in one vector.
#[adjoint]
fn cholesky(a: &mut [f64], n: usize) {
    for j in 0..n {
        let mut d = a[j * n + j];
        for k in 0..j {
            d -= a[j * n + k] * a[j * n + k];
        }
        let d = d.sqrt();
        a[j * n + j] = d;
        for i in j + 1..n {
            let mut s = a[i * n + j];
            for k in 0..j {
                s -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = s / d;
        }
    }
}

#[adjoint]
fn gaussian_log_density(cov: &[f64], x: &[f64], mean: &[f64]) -> f64 {
    let n = x.len();
    let mut l = cov.to_vec();
    cholesky(&mut l, n);
    let mut z = vec![0.0; n];
    for i in 0..n {
        let s: f64 = (0..i).map(|k| l[i * n + k] * z[k]).sum();
        z[i] = (x[i] - mean[i] - s) / l[i * n + i];
    }
    let log_det: f64 = (0..n).map(|i| l[i * n + i].ln()).sum::<f64>();
    -0.5 * z.iter().map(|v| v * v).sum::<f64>()
        - log_det
        - 0.5 * n as f64 * std::f64::consts::TAU.ln()
}

#[test]
fn a_density_by_a_factorisation() {
    let cov = vec![2.0, 0.3, 0.1, 0.3, 1.5, -0.2, 0.1, -0.2, 1.2];
    check!(gaussian_log_density(&cov, &vec![0.5, -0.2, 0.9], &vec![0.1, 0.0, -0.3]) -> f64);
}

#[adjoint]
fn thomas(a: &[f64], b: &[f64], c: &[f64], d: &mut [f64]) {
    let n = d.len();
    let mut scratch = vec![0.0; n];
    scratch[0] = c[0] / b[0];
    d[0] = d[0] / b[0];
    for i in 1..n {
        let m = 1.0 / (b[i] - a[i] * scratch[i - 1]);
        scratch[i] = c[i] * m;
        d[i] = (d[i] - a[i] * d[i - 1]) * m;
    }
    for i in (0..n - 1).rev() {
        d[i] -= scratch[i] * d[i + 1];
    }
}

#[test]
fn a_tridiagonal_solve_in_place() {
    let (a, b) = (vec![0.0, 0.4, -0.3, 0.2], vec![2.0, 2.5, 1.9, 2.2]);
    check!(thomas(
        &a,
        &b,
        &vec![0.5, -0.2, 0.3, 0.0],
        &mut vec![1.0, -1.0, 0.5, 2.0]
    ));
}

#[adjoint]
fn mat_vec(a: &Matrix, x: &[f64]) -> Vec<f64> {
    a.iter()
        .map(|row| row.iter().zip(x).map(|(aij, xj)| aij * xj).sum())
        .collect()
}

#[adjoint]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y.iter()).map(|(a, b)| a * b).sum()
}

#[adjoint]
fn conjugate_gradients(a: &Matrix, b: &[f64], tol: f64) -> Vec<f64> {
    let mut x = vec![0.0; b.len()];
    let mut r = b.to_vec();
    let mut p = r.clone();
    let mut rs = dot(&r, &r);
    for _ in 0..b.len() {
        let ap = mat_vec(a, &p);
        let alpha = rs / dot(&p, &ap);
        for i in 0..x.len() {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        let rs_new = dot(&r, &r);
        if rs_new.sqrt() < tol {
            break;
        }
        p.iter_mut()
            .zip(&r)
            .for_each(|(p, r)| *p = r + rs_new / rs * *p);
        rs = rs_new;
    }
    x
}

#[adjoint(wrt(a, b))]
fn solved(a: &Matrix, b: &[f64], tol: f64) -> f64 {
    let x = conjugate_gradients(a, b, tol);
    dot(&x, &x)
}

#[test]
fn conjugate_directions() {
    let a = vec![
        vec![3.0, 0.5, 0.2],
        vec![0.5, 2.0, -0.3],
        vec![0.2, -0.3, 1.5],
    ];
    check!(solved(&a, &vec![1.0, -0.4, 0.6], const 1e-3) -> f64);
}

/// A Kalman filter in one dimension of position and velocity.
#[adjoint]
fn kalman(measured: &[f64], q: f64, r: f64, dt: f64) -> f64 {
    let mut x = [measured[0], 0.0];
    let mut p = [[1.0, 0.0], [0.0, 1.0]];
    let mut log_likelihood = 0.0;
    for z in measured.iter().skip(1) {
        x = [x[0] + dt * x[1], x[1]];
        let f = [[1.0, dt], [0.0, 1.0]];
        let mut fp = [[0.0; 2]; 2];
        let mut next = [[0.0; 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                for k in 0..2 {
                    fp[i][j] += f[i][k] * p[k][j];
                }
            }
        }
        for i in 0..2 {
            for j in 0..2 {
                for k in 0..2 {
                    next[i][j] += fp[i][k] * f[j][k];
                }
                if i == j {
                    next[i][j] += q;
                }
            }
        }
        let s = next[0][0] + r;
        let gain = [next[0][0] / s, next[1][0] / s];
        let innovation = z - x[0];
        x[0] += gain[0] * innovation;
        x[1] += gain[1] * innovation;
        for i in 0..2 {
            for j in 0..2 {
                p[i][j] = next[i][j] - gain[i] * next[0][j];
            }
        }
        log_likelihood -= 0.5 * (innovation * innovation / s + s.ln());
    }
    log_likelihood
}

#[test]
fn a_filter() {
    check!(kalman(&vec![0.1, 0.5, 0.8, 1.4], 0.1, 0.4, 0.5) -> f64);
}
