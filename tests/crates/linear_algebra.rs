//! Dense linear algebra without a library.

use std::ops::{Add, Mul, Sub};

use adjoint::adjoint;

use crate::common::check;

/// Gaussian elimination with partial pivoting, rows of a `Vec<Vec<f64>>` swapped.
#[adjoint]
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for col in 0..n {
        let mut pivot = col;
        for row in col + 1..n {
            if a[row][col].abs() > a[pivot][col].abs() {
                pivot = row;
            }
        }
        a.swap(col, pivot);
        b.swap(col, pivot);
        for row in (col + 1)..n {
            let factor = a[row][col] / a[col][col];
            for k in col..n {
                a[row][k] -= factor * a[col][k];
            }
            b[row] -= factor * b[col];
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let tail: f64 = (i + 1..n).map(|j| a[i][j] * x[j]).sum();
        x[i] = (b[i] - tail) / a[i][i];
    }
    x
}

#[test]
fn elimination_with_pivots() {
    let a = vec![
        vec![0.1, 2.0, 1.0],
        vec![3.0, 0.5, -1.0],
        vec![1.0, 1.0, 4.0],
    ];
    check!(solve(a, vec![1.0, -2.0, 0.5]) -> &Vec<f64>);
}

/// The determinant by elimination of a flat row-major matrix, the pivot by an iterator.
#[adjoint]
fn determinant(m: &[f64], n: usize) -> f64 {
    let mut a = m.to_vec();
    let mut det = 1.0;
    for k in 0..n {
        let p = (k..n)
            .max_by(|&i, &j| a[i * n + k].abs().partial_cmp(&a[j * n + k].abs()).unwrap())
            .unwrap();
        if a[p * n + k] == 0.0 {
            return 0.0;
        }
        if p != k {
            for j in 0..n {
                a.swap(p * n + j, k * n + j);
            }
            det = -det;
        }
        det *= a[k * n + k];
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= f * a[k * n + j];
            }
        }
    }
    det
}

#[test]
fn a_determinant_by_elimination() {
    check!(determinant(&vec![0.1, 2.0, 1.0, 3.0, 0.5, -1.0, 1.0, 1.0, 4.0], const 3) -> f64);
}

/// Laplace's expansion, by recursion over minors that are collected.
#[adjoint]
fn laplace(a: &[Vec<f64>]) -> f64 {
    if a.len() == 1 {
        return a[0][0];
    }
    let mut det = 0.0;
    for j in 0..a.len() {
        let minor: Vec<Vec<f64>> = a[1..]
            .iter()
            .map(|row| {
                row.iter()
                    .enumerate()
                    .filter(|(k, _)| *k != j)
                    .map(|(_, v)| *v)
                    .collect()
            })
            .collect();
        let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
        det += sign * a[0][j] * laplace(&minor);
    }
    det
}

#[test]
fn a_determinant_by_minors() {
    let a = vec![
        vec![0.1, 2.0, 1.0],
        vec![3.0, 0.5, -1.0],
        vec![1.0, 1.0, 4.0],
    ];
    check!(laplace(&a) -> f64);
}

/// Cholesky as an `Option`, over fixed-size arrays by value.
#[adjoint]
fn cholesky<const N: usize>(a: [[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let mut l = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let mut s = a[i][j];
            for k in 0..j {
                s -= l[i][k] * l[j][k];
            }
            if i == j {
                if s <= 0.0 {
                    return None;
                }
                l[i][i] = s.sqrt();
            } else {
                l[i][j] = s / l[j][j];
            }
        }
    }
    Some(l)
}

#[adjoint]
fn log_det(a: [[f64; 3]; 3]) -> f64 {
    let l: [[f64; 3]; 3] = cholesky::<3>(a).expect("positive definite");
    2.0 * (0..3).map(|i| l[i][i].ln()).sum::<f64>()
}

#[test]
fn a_factorisation_that_may_fail() {
    check!(log_det([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.1]]) -> f64);
}

type Mat3 = [[f64; 3]; 3];
type Vec3 = [f64; 3];

#[adjoint]
fn mat_mul(a: &Mat3, b: &Mat3) -> Mat3 {
    let mut c = [[0.0; 3]; 3];
    for (i, row) in a.iter().enumerate() {
        for j in 0..3 {
            c[i][j] = row.iter().zip(b.iter()).map(|(x, brow)| x * brow[j]).sum();
        }
    }
    c
}

#[adjoint]
fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[adjoint]
fn rodrigues(axis: [f64; 3], angle: f64, v: [f64; 3]) -> [f64; 3] {
    let (s, c) = angle.sin_cos();
    let norm = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let k = axis.map(|x| x / norm);
    let kv = cross(k, v);
    let d: f64 = k.iter().zip(v.iter()).map(|(a, b)| a * b).sum();
    std::array::from_fn(|i| v[i] * c + kv[i] * s + k[i] * d * (1.0 - c))
}

#[adjoint]
fn rotation_error(a: Mat3, b: Mat3) -> f64 {
    let p: Mat3 = mat_mul(&a, &b);
    let trace = p[0][0] + p[1][1] + p[2][2];
    ((trace - 1.0) / 2.0).clamp(-1.0, 1.0).acos()
}

#[test]
fn rotations_of_fixed_size() {
    check!(rodrigues([0.2, -0.4, 1.0], 0.7, [1.0, 0.3, -0.5]) -> [f64; 3]);
    let a = [[0.6, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.3, 0.5]];
    check!(rotation_error(a, a) -> f64);
}

/// The user's own bounds instead of `Float`.
#[adjoint]
fn dot_generic<T>(a: &[T], b: &[T], zero: T) -> T
where
    T: Copy + Add<Output = T> + Mul<Output = T> + Sub<Output = T>,
{
    let mut acc = zero;
    for i in 0..a.len().min(b.len()) {
        acc = acc + a[i] * b[i] - zero;
    }
    acc
}

#[adjoint]
fn dot64(a: &[f64], b: &[f64]) -> f64 {
    dot_generic(a, b, 0.0)
}

#[test]
fn bounds_of_the_users_own() {
    check!(dot64(&vec![1.0, 2.0, -0.5], &vec![0.3, 0.1, 0.7]) -> f64);
}

/// Power iteration with early stop and buffers made by `collect`.
#[adjoint(wrt(a))]
fn power_iteration(a: &[f64], n: usize, tol: f64) -> f64 {
    let mut v: Vec<f64> = (0..n).map(|i| 1.0 / (i + 1) as f64).collect();
    let mut lambda = 0.0f64;
    for _ in 0..60 {
        let w: Vec<f64> = a
            .chunks_exact(n)
            .map(|row| row.iter().zip(v.iter()).map(|(&r, &x)| r * x).sum())
            .collect();
        let norm = w.iter().fold(0.0, |s, x| s + x * x).sqrt();
        let next = w.iter().zip(&v).map(|(x, y)| x * y).sum::<f64>();
        v = w.into_iter().map(|x| x / norm).collect();
        let done = (next - lambda).abs() < tol;
        lambda = next;
        if done {
            break;
        }
    }
    lambda
}

#[test]
fn the_largest_eigenvalue() {
    check!(power_iteration(&vec![2.0, 0.3, 0.1, 0.3, 1.5, 0.2, 0.1, 0.2, 1.0], const 3, const 0.0) -> f64);
}

/// Modified Gram–Schmidt in place, columns through `split_at_mut`.
#[adjoint]
fn gram_schmidt(q: &mut [Vec<f64>]) {
    for i in 0..q.len() {
        let (done, rest) = q.split_at_mut(i);
        let col = &mut rest[0];
        for prev in done.iter() {
            let r: f64 = prev.iter().zip(col.iter()).map(|(a, b)| a * b).sum();
            for (c, p) in col.iter_mut().zip(prev.iter()) {
                *c -= r * p;
            }
        }
        let norm = col.iter().map(|c| c * c).sum::<f64>().sqrt();
        col.iter_mut().for_each(|c| *c /= norm);
    }
}

#[test]
fn orthogonal_columns() {
    check!(gram_schmidt(&mut vec![
        vec![1.0, 0.2, 0.1],
        vec![0.4, 1.1, -0.3],
        vec![0.2, 0.5, 0.9]
    ]));
}

/// The Thomas algorithm with working arrays.
#[adjoint]
fn tridiagonal(a: &[f64], b: &[f64], c: &[f64], d: &[f64]) -> Vec<f64> {
    let n = d.len();
    let mut cp = vec![0.0; n];
    let mut x = d.to_vec();
    cp[0] = c[0] / b[0];
    x[0] /= b[0];
    for i in 1..n {
        let m = 1.0 / (b[i] - a[i] * cp[i - 1]);
        cp[i] = if i < n - 1 { c[i] * m } else { 0.0 };
        x[i] = (x[i] - a[i] * x[i - 1]) * m;
    }
    for i in (0..n - 1).rev() {
        x[i] -= cp[i] * x[i + 1];
    }
    x
}

#[test]
fn a_tridiagonal_system() {
    check!(tridiagonal(
        &vec![0.0, 0.5, 0.2, 0.1], &vec![2.0, 2.1, 1.9, 2.2], &vec![0.3, 0.4, 0.1, 0.0], &vec![1.0, -0.5, 0.7, 0.2]
    ) -> &Vec<f64>);
}

/// A quadratic form over the upper triangle, index arithmetic in other integer types.
#[adjoint]
fn packed_quadratic(packed: &[f64], x: &[f64]) -> f64 {
    let n = x.len() as i32;
    let at = |i: i32, j: i32| (j * (j + 1) / 2 + i) as usize;
    let mut total = 0.0;
    for j in 0..n {
        for i in 0..=j {
            let scale = if i == j { 1.0 } else { 2.0 };
            total += scale * packed[at(i, j)] * x[i as usize] * x[j as usize];
        }
    }
    total
}

#[test]
fn a_packed_triangle() {
    check!(packed_quadratic(&vec![1.0, 0.2, 1.5, -0.1, 0.4, 0.9], &vec![0.3, -0.7, 1.1]) -> f64);
}
