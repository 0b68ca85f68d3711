//! Consumers of iterators: what they make, and where they stop.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[macro_use]
mod common;

use adjoint::adjoint;

const X: [f64; 4] = [0.7, 1.3, -0.4, 2.1];

#[adjoint]
fn from_fn_ret(x: &[f64]) -> [f64; 3] {
    std::array::from_fn(|i| x[i] * x[i + 1])
}

#[adjoint]
fn from_fn_nested(x: &[f64]) -> [[f64; 2]; 2] {
    std::array::from_fn(|i| std::array::from_fn(|j| x[i] * x[j].sin()))
}

#[adjoint]
fn from_fn_assign(x: &[f64], m: &mut [[f64; 2]; 2]) {
    *m = std::array::from_fn(|i| std::array::from_fn(|j| m[i][j] * x[j].sin()));
}

#[adjoint]
fn rposition(x: &[f64]) -> f64 {
    let i = x.iter().rposition(|v| *v > 1.0).unwrap();
    x[i] * x[0]
}

#[adjoint]
fn unzip_filter(x: &[f64]) -> f64 {
    let (a, b): (Vec<f64>, Vec<f64>) = x
        .iter()
        .filter(|v| **v > 0.0)
        .map(|v| (v * v, v.sin()))
        .unzip();
    a.iter().zip(&b).map(|(a, b)| a * b).sum()
}

#[adjoint]
fn collect_option(x: &[f64]) -> Option<f64> {
    let roots: Option<Vec<f64>> = x
        .iter()
        .map(|v| {
            if *v > -1.0 {
                Some((v + 1.0).sqrt())
            } else {
                None
            }
        })
        .collect();
    let roots = roots?;
    Some(roots.iter().sum::<f64>() * roots[0])
}

#[adjoint]
fn collect_result(x: &[f64]) -> Result<f64, String> {
    let roots = x
        .iter()
        .map(|v| {
            if *v > -1.0 {
                Ok((v + 1.0).sqrt())
            } else {
                Err("neg".to_string())
            }
        })
        .collect::<Result<Vec<f64>, String>>()?;
    Ok(roots.iter().sum::<f64>() * roots[0])
}

#[adjoint]
fn collect_result_ok(x: &[f64]) -> f64 {
    match collect_result(x) {
        Ok(v) => v * v,
        Err(_) => 0.0,
    }
}

#[adjoint]
fn sum_option(x: &[f64]) -> Option<f64> {
    x.iter()
        .map(|v| {
            if *v > -1.0 {
                Some((v + 1.0).sqrt())
            } else {
                None
            }
        })
        .sum()
}

#[adjoint]
fn sum_opt(x: &[f64]) -> f64 {
    sum_option(x).unwrap() * x[0]
}

#[adjoint]
fn rfold(x: &[f64], t: f64) -> f64 {
    x.iter().rfold(0.0, |acc, c| acc * t + c) + x.iter().rev().fold(0.0, |acc, &c| acc * t + c)
}

#[adjoint]
fn option_combinators(x: &[f64]) -> f64 {
    let a = x
        .iter()
        .copied()
        .find(|v| *v < 0.0)
        .map(|v| v * v)
        .unwrap_or(1.0);
    let b = x
        .iter()
        .copied()
        .reduce(f64::max)
        .filter(|v| *v > 1.0)
        .unwrap_or_default();
    let c = x
        .get(10)
        .copied()
        .or_else(|| x.first().copied())
        .unwrap_or(0.0);
    let d = x
        .iter()
        .copied()
        .min_by(|a, b| a.total_cmp(b))
        .map_or(0.0, |m| m.cos());
    a * b + c * d
}

#[adjoint]
fn scan_pairs(x: &[f64]) -> Vec<(f64, f64)> {
    x.iter()
        .scan((0.0, 1.0), |st, &v| {
            st.0 += v;
            st.1 *= v;
            Some((st.0, st.1))
        })
        .collect()
}

#[adjoint]
fn fold_array(x: &[f64]) -> f64 {
    let m = x.iter().fold([0.0; 3], |mut m, &v| {
        m[0] += v;
        m[1] += v * v;
        m[2] += v * v * v;
        m
    });
    m[0] * m[1] + m[2]
}

#[adjoint]
fn fold_vec(x: &[f64]) -> f64 {
    let v = x.iter().fold(Vec::new(), |mut acc, &v| {
        acc.push(v * v);
        acc
    });
    v.iter().sum()
}

#[adjoint]
fn sum_of_vecs(rows: &[Vec<f64>]) -> Vec<f64> {
    rows.iter().fold(vec![0.0; rows[0].len()], |acc, r| {
        acc.iter().zip(r).map(|(a, b)| a + b * b).collect()
    })
}

#[adjoint]
fn flatten_rows(m: &[Vec<f64>]) -> f64 {
    m.iter().flatten().map(|v| v * v).sum::<f64>() + m.concat().iter().sum::<f64>()
}

/// Joins slices.
#[adjoint]
fn joined(x: &[f64]) -> f64 {
    let all = [&x[..2], &x[1..]].concat();
    all.iter().enumerate().map(|(i, v)| i as f64 * v * v).sum()
}

/// A function that is not annotated makes what is filled.
fn zeros(n: usize) -> Vec<f64> {
    vec![0.0; n]
}

#[adjoint]
fn filled(x: &[f64]) -> f64 {
    let mut squares = zeros(x.len());
    for i in 0..x.len() {
        squares[i] = x[i] * x[i];
        squares[i] *= squares[i];
    }
    squares[0] * squares[1]
}

#[adjoint]
fn each_root(x: &[f64], sum: &mut f64) -> Result<(), String> {
    x.iter().try_for_each(|v| {
        if *v < -1.0 {
            return Err("too small".to_string());
        }
        *sum += (v + 1.0).sqrt();
        Ok(())
    })
}

#[adjoint]
fn roots(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    match each_root(x, &mut sum) {
        Ok(()) => sum * sum,
        Err(_) => sum,
    }
}

#[test]
fn arrays_by_position() {
    let x = X.to_vec();
    check!(from_fn_ret(&x) -> [f64; 3]);
    check!(from_fn_nested(&x) -> [[f64; 2]; 2]);
    check!(from_fn_assign(&x, &mut [[1.0, 2.0], [3.0, 4.0]]));
}

#[test]
fn from_the_end() {
    let x = X.to_vec();
    check!(rposition(&x) -> f64);
    check!(rfold(&x, 0.7) -> f64);
}

#[test]
fn until_there_is_none() {
    for x in [X.to_vec(), vec![0.3, -1.5, 0.4]] {
        check!(collect_option(&x) -> Option<f64>);
        check!(collect_result_ok(&x) -> f64);
        check!(sum_option(&x) -> Option<f64>);
        check!(roots(&x) -> f64);
    }
    check!(sum_opt(&X.to_vec()) -> f64);
    check!(option_combinators(&X.to_vec()) -> f64);
}

#[test]
fn several_results() {
    let x = X.to_vec();
    check!(unzip_filter(&x) -> f64);
    check!(scan_pairs(&x) -> &Vec<(f64, f64)>);
    check!(fold_array(&x) -> f64);
    check!(fold_vec(&x) -> f64);
}

#[test]
fn lists_of_lists() {
    let m = vec![vec![0.3, 0.1], vec![0.5, 0.7]];
    check!(sum_of_vecs(&m) -> &Vec<f64>);
    check!(flatten_rows(&m) -> f64);
    check!(joined(&X.to_vec()) -> f64);
    check!(filled(&X.to_vec()) -> f64);
}
