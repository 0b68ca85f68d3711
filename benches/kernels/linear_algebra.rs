//! Factorisations, solvers and iterations.

use adjoint::adjoint;

/// The logarithm of a determinant, by Cholesky's factorisation of `A Aᵀ + n`, `A` being of `n` rows.
#[adjoint]
pub fn cholesky(x: &[f64], n: usize) -> f64 {
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                a[i * n + j] += x[i * n + k] * x[j * n + k];
            }
        }
        a[i * n + i] += n as f64;
    }
    let mut log_det = 0.0;
    for j in 0..n {
        let mut d = a[j * n + j];
        for k in 0..j {
            d -= a[j * n + k] * a[j * n + k];
        }
        let root = d.sqrt();
        a[j * n + j] = root;
        log_det += 2.0 * root.ln();
        for i in j + 1..n {
            let mut s = a[i * n + j];
            for k in 0..j {
                s -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = s / root;
        }
    }
    log_det
}

/// Orthogonal columns, `n` of them, by the modified method of Gram and Schmidt.
#[adjoint]
pub fn gram_schmidt(x: &[f64], n: usize) -> f64 {
    let rows = x.len() / n;
    let mut q = x.to_vec();
    let mut trace = 0.0;
    for k in 0..n {
        let mut norm = 0.0;
        for i in 0..rows {
            norm += q[k * rows + i] * q[k * rows + i];
        }
        let norm = norm.sqrt();
        trace += norm;
        for i in 0..rows {
            q[k * rows + i] /= norm;
        }
        for j in k + 1..n {
            let mut dot = 0.0;
            for i in 0..rows {
                dot += q[k * rows + i] * q[j * rows + i];
            }
            for i in 0..rows {
                q[j * rows + i] -= dot * q[k * rows + i];
            }
        }
    }
    trace
}

/// Thomas's algorithm for a tridiagonal matrix: what is below, on and above its diagonal, and the right side.
#[adjoint]
pub fn tridiagonal(x: &[f64], _n: usize) -> f64 {
    let n = x.len() / 4;
    let mut upper = vec![0.0; n];
    let mut y = vec![0.0; n];
    upper[0] = x[2 * n] / (4.0 + x[n]);
    y[0] = x[3 * n] / (4.0 + x[n]);
    for i in 1..n {
        let pivot = 4.0 + x[n + i] - x[i] * upper[i - 1];
        upper[i] = x[2 * n + i] / pivot;
        y[i] = (x[3 * n + i] - x[i] * y[i - 1]) / pivot;
    }
    for i in (0..n - 1).rev() {
        y[i] -= upper[i] * y[i + 1];
    }
    y.iter().sum()
}

/// The greatest eigenvalue of a matrix of `n` rows, by ten steps of power iteration.
#[adjoint]
pub fn power_iteration(x: &[f64], n: usize) -> f64 {
    let mut v = vec![1.0; n];
    let mut value = 0.0;
    for _ in 0..10 {
        let w: Vec<f64> = (0..n)
            .map(|i| {
                x[i * n..(i + 1) * n]
                    .iter()
                    .zip(&v)
                    .map(|(a, v)| a * v)
                    .sum()
            })
            .collect();
        value = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        v = w.iter().map(|w| w / value).collect();
    }
    value
}

/// Ten steps of conjugate gradients for a matrix of a Laplacian and a potential: the potential, then the right side.
#[adjoint]
pub fn conjugate_gradients(x: &[f64], _n: usize) -> f64 {
    let (potential, right) = x.split_at(x.len() / 2);
    let n = right.len();
    let mut solution = vec![0.0; n];
    let mut residual = right.to_vec();
    let mut direction = right.to_vec();
    let mut product = vec![0.0; n];
    let mut norm: f64 = residual.iter().map(|r| r * r).sum();
    for _ in 0..10 {
        for i in 0..n {
            let left = if i > 0 { direction[i - 1] } else { 0.0 };
            let above = if i + 1 < n { direction[i + 1] } else { 0.0 };
            product[i] = (3.0 + potential[i]) * direction[i] - left - above;
        }
        let curvature: f64 = direction.iter().zip(&product).map(|(d, p)| d * p).sum();
        let step = norm / curvature;
        for i in 0..n {
            solution[i] += step * direction[i];
            residual[i] -= step * product[i];
        }
        let next: f64 = residual.iter().map(|r| r * r).sum();
        for i in 0..n {
            direction[i] = residual[i] + next / norm * direction[i];
        }
        norm = next;
    }
    solution.iter().map(|s| s * s).sum()
}

/// A sum over the entries of a sparse matrix with `n` of them in each row, and a vector.
#[adjoint]
pub fn sparse_product(x: &[f64], n: usize) -> f64 {
    let rows = x.len() / (n + 1);
    let (vector, entries) = x.split_at(rows);
    let mut sum = 0.0;
    for i in 0..rows {
        let mut dot = 0.0;
        for k in 0..n {
            let column = (i * 7 + k * k * 13) % rows;
            dot += entries[i * n + k] * vector[column];
        }
        sum += dot * dot;
    }
    sum
}
