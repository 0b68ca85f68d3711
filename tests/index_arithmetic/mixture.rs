//! A Gaussian mixture whose inverse covariances are packed triangles, walked in each of the usual ways.

use adjoint::adjoint;

use crate::Entries;
use crate::common::{Random, check};

#[adjoint]
fn log_sum_exp(x: &[f64]) -> f64 {
    let mut max = x[0];
    for v in x {
        if *v > max {
            max = *v;
        }
    }
    let mut sum = 0.0;
    for v in x {
        sum += (v - max).exp();
    }
    max + sum.ln()
}

/// An index that counts.
#[adjoint]
fn counted(alphas: &[f64], means: &[f64], qs: &[f64], ls: &[f64], x: &[f64], d: usize) -> f64 {
    let k = alphas.len();
    let packed = d * (d - 1) / 2;
    let mut total = 0.0;
    let mut terms = vec![0.0; k];
    for i in 0..x.len() / d {
        for c in 0..k {
            let l = &ls[c * packed..(c + 1) * packed];
            let mut at = 0;
            let mut square = 0.0;
            for r in 0..d {
                let mut y = qs[c * d + r].exp() * (x[i * d + r] - means[c * d + r]);
                for j in 0..r {
                    y += l[at] * (x[i * d + j] - means[c * d + j]);
                    at += 1;
                }
                square += y * y;
            }
            terms[c] = alphas[c] - 0.5 * square;
        }
        total += log_sum_exp(&terms);
    }
    total
}

/// The closed form of the index.
#[adjoint]
fn closed(alphas: &[f64], means: &[f64], qs: &[f64], ls: &[f64], x: &[f64], d: usize) -> f64 {
    let k = alphas.len();
    let packed = d * (d - 1) / 2;
    let mut total = 0.0;
    let mut terms = vec![0.0; k];
    for n in 0..x.len() / d {
        for c in 0..k {
            let l = &ls[c * packed..(c + 1) * packed];
            let mut square = 0.0;
            for i in 0..d {
                let mut y = qs[c * d + i].exp() * (x[n * d + i] - means[c * d + i]);
                for j in 0..i {
                    let at = i * (i - 1) / 2 + j;
                    y += l[at] * (x[n * d + j] - means[c * d + j]);
                }
                square += y * y;
            }
            terms[c] = alphas[c] - 0.5 * square;
        }
        total += log_sum_exp(&terms);
    }
    total
}

/// The offset of the row.
#[adjoint]
fn offset(alphas: &[f64], means: &[f64], qs: &[f64], ls: &[f64], x: &[f64], d: usize) -> f64 {
    let k = alphas.len();
    let packed = d * (d - 1) / 2;
    let mut total = 0.0;
    let mut terms = vec![0.0; k];
    for i in 0..x.len() / d {
        for c in 0..k {
            let l = &ls[c * packed..(c + 1) * packed];
            let mut row = 0;
            let mut square = 0.0;
            for r in 0..d {
                let mut y = qs[c * d + r].exp() * (x[i * d + r] - means[c * d + r]);
                for j in 0..r {
                    y += l[row + j] * (x[i * d + j] - means[c * d + j]);
                }
                row += r;
                square += y * y;
            }
            terms[c] = alphas[c] - 0.5 * square;
        }
        total += log_sum_exp(&terms);
    }
    total
}

/// Rows split off the rest.
#[adjoint]
fn split(alphas: &[f64], means: &[f64], qs: &[f64], ls: &[f64], x: &[f64], d: usize) -> f64 {
    let k = alphas.len();
    let packed = d * (d - 1) / 2;
    let mut total = 0.0;
    let mut terms = vec![0.0; k];
    for i in 0..x.len() / d {
        for c in 0..k {
            let mut rest = &ls[c * packed..(c + 1) * packed];
            let mut square = 0.0;
            for r in 0..d {
                let mut y = qs[c * d + r].exp() * (x[i * d + r] - means[c * d + r]);
                let (row, tail) = rest.split_at(r);
                for j in 0..r {
                    y += row[j] * (x[i * d + j] - means[c * d + j]);
                }
                rest = tail;
                square += y * y;
            }
            terms[c] = alphas[c] - 0.5 * square;
        }
        total += log_sum_exp(&terms);
    }
    total
}

/// Points and triangles as chunks.
#[adjoint]
fn chunked(alphas: &[f64], means: &[f64], qs: &[f64], ls: &[f64], x: &[f64], d: usize) -> f64 {
    let packed = d * (d - 1) / 2;
    let mut total = 0.0;
    let mut terms = vec![0.0; alphas.len()];
    for point in x.chunks(d) {
        for (c, l) in ls.chunks(packed).enumerate() {
            let mut at = 0;
            let mut square = 0.0;
            for r in 0..d {
                let mut y = qs[c * d + r].exp() * (point[r] - means[c * d + r]);
                for j in 0..r {
                    y += l[at] * (point[j] - means[c * d + j]);
                    at += 1;
                }
                square += y * y;
            }
            terms[c] = alphas[c] - 0.5 * square;
        }
        total += log_sum_exp(&terms);
    }
    total
}

/// Three points in four dimensions, two components: weights, means, logarithms of diagonals, triangles, points.
fn data() -> [Vec<f64>; 5] {
    let mut random = Random::new(3);
    [2, 8, 8, 12, 12].map(|n| random.vector(n, -1.0, 1.0))
}

#[test]
fn derivatives() {
    let [alphas, means, qs, ls, x] = data();
    let jacobians = [
        check!(counted(&alphas, &means, &qs, &ls, &x, const 4) -> f64),
        check!(closed(&alphas, &means, &qs, &ls, &x, const 4) -> f64),
        check!(offset(&alphas, &means, &qs, &ls, &x, const 4) -> f64),
        check!(split(&alphas, &means, &qs, &ls, &x, const 4) -> f64),
        check!(chunked(&alphas, &means, &qs, &ls, &x, const 4) -> f64),
    ];
    for jacobian in &jacobians {
        assert_eq!(*jacobian, jacobians[0]);
    }
}

pub fn entries() -> Vec<Entries> {
    let [alphas, means, qs, ls, x] = &data();
    let mut adjoints = data();
    let mut of = |kernel, adjoint: Adjoint| {
        let [d_alphas, d_means, d_qs, d_ls, d_x] = &mut adjoints;
        crate::entries(kernel, |t| {
            adjoint(
                t, alphas, d_alphas, means, d_means, qs, d_qs, ls, d_ls, x, d_x, 4, 1.0,
            );
        })
    };
    vec![
        of("counted", counted_adjoint_with),
        of("closed", closed_adjoint_with),
        of("offset", offset_adjoint_with),
        of("split", split_adjoint_with),
        of("chunked", chunked_adjoint_with),
    ]
}

/// The adjoint of each way: every slice with its adjoint, the dimension, and the seed.
type Adjoint = fn(
    &mut adjoint::Tape,
    &[f64],
    &mut [f64],
    &[f64],
    &mut [f64],
    &[f64],
    &mut [f64],
    &[f64],
    &mut [f64],
    &[f64],
    &mut [f64],
    usize,
    f64,
) -> f64;
