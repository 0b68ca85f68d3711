//! Lists of slices: rows, windows and chunks, sorted, swapped and passed on.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn rows1(x: &[f64], n: usize) -> f64 {
    let rows: Vec<&[f64]> = x.chunks(n).collect();
    let mut s = 0.0;
    for r in &rows {
        s += r[0] * r.iter().sum::<f64>();
    }
    s + rows[1][0] * rows.len() as f64
}

#[adjoint]
fn rows2(x: &[f64], n: usize) -> f64 {
    let rows = x.chunks(n).collect::<Vec<_>>();
    rows.iter()
        .zip(rows.iter().skip(1))
        .map(|(a, b)| a[0] * b[0])
        .sum()
}

#[adjoint]
fn windows2(x: &[f64]) -> f64 {
    let w: Vec<&[f64]> = x.windows(2).collect();
    w.iter().map(|p| (p[1] - p[0]).powi(2)).sum::<f64>() + w.last().unwrap()[0]
}

#[adjoint]
fn matrix(x: &[f64], n: usize) -> f64 {
    let mut rows: Vec<&[f64]> = x.chunks(n).collect();
    rows.sort_by(|a, b| a[0].partial_cmp(&b[0]).unwrap());
    rows.swap(0, 1);
    let last = rows[rows.len() - 1];
    let mid = rows[rows.len() / 2];
    let dot: f64 = mid.iter().zip(last).map(|(a, b)| a * b).sum();
    dot + sum_of(mid) * sum_of(rows[0])
}

#[adjoint]
fn sum_of(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

#[adjoint]
fn filtered(x: &[f64]) -> f64 {
    let w = x.windows(3).filter(|w| w[1] > w[0]).collect::<Vec<_>>();
    w.iter().map(|w| w[2] * w[0]).sum::<f64>()
}

#[test]
fn parts() {
    let x = [0.3, 0.7, -1.1, 0.45, 0.9, 0.2, -0.6];
    check!(rows1(&x, const 2) -> f64);
    check!(rows2(&x, const 2) -> f64);
    check!(windows2(&x) -> f64);
    check!(matrix(&x, const 2) -> f64);
    check!(filtered(&x) -> f64);
}
