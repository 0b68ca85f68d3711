//! Data in types of other crates, which no derivative goes through: they are evaluated as written.

#![allow(missing_docs, reason = "kernels and their adjoints")]
#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../../common/mod.rs"]
mod common;

use std::collections::{BTreeMap, HashMap};

use adjoint::adjoint;
use common::check;
use nalgebra::{DMatrix, DVector};
use ndarray::{Array1, Array2, array};

struct Data {
    x: Array2<f64>,
    y: Array1<f64>,
    scale: f64,
}

fn load() -> Array1<f64> {
    Array1::from(vec![1.0, 2.0, 3.0])
}

struct Model {
    x: Array2<f64>,
    y: Array1<f64>,
    bias: f64,
}

#[adjoint]
impl Model {
    #[adjoint(wrt(p))]
    fn loss(&self, p: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..self.x.nrows() {
            let f: f64 = self.x.row(i).iter().zip(p).map(|(a, b)| a * b).sum();
            s += (f + self.bias - self.y[i]).powi(2);
        }
        s
    }
}

#[adjoint(wrt(p))]
fn indexed_by_an_array(p: &[f64], x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..x.nrows() {
        let mut f = 0.0;
        for j in 0..x.ncols() {
            f += x[[i, j]] * p[j];
        }
        let r = f - y[i];
        s += r * r;
    }
    s
}

#[adjoint(wrt(p))]
fn run_over(p: &[f64], y: &Array1<f64>) -> f64 {
    let mut s = 0.0;
    for v in y {
        s += (v - p[0]).powi(2);
    }
    s
}

#[adjoint(wrt(p))]
fn zipped_with_the_independent(p: &[f64], y: &Array1<f64>) -> f64 {
    let mut s = 0.0;
    for (a, b) in y.iter().zip(p) {
        s += a * b * b;
    }
    s
}

#[adjoint(wrt(p))]
fn bound_row(p: &[f64], x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..x.shape()[0] {
        let row = x.row(i);
        let mut f = 0.0;
        for j in 0..p.len() {
            f += p[j] * row[j];
        }
        s += (f - y[i]).powi(2) + x.row(i)[0] * p[0].sin();
    }
    s
}

#[adjoint(wrt(p))]
fn slice_of_an_array(p: &[f64], x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let ys = y.as_slice().unwrap();
    let mut s = 0.0;
    for (i, row) in x.outer_iter().enumerate() {
        let f: f64 = row.iter().zip(p).map(|(a, b)| a * b).sum();
        s += (f - ys[i]).powi(2);
    }
    s
}

#[adjoint(wrt(p))]
fn outer_iterator_in_a_chain(p: &[f64], x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    x.outer_iter()
        .zip(y.iter())
        .map(|(row, yi)| {
            let f: f64 = row.iter().zip(p.iter()).map(|(a, b)| a * b).sum();
            (f - yi).powi(2)
        })
        .sum()
}

#[adjoint(wrt(p))]
fn matrix_of_nalgebra(p: &[f64], m: &DMatrix<f64>, v: &DVector<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..m.nrows() {
        let r = m.row(i);
        for j in 0..m.ncols() {
            s += m[(i, j)] * p[j] * v[i] + r[j] * p[j].exp();
        }
    }
    s
}

#[adjoint(wrt(p))]
fn means_and_products(p: &[f64], y: &Array1<f64>) -> f64 {
    let mean = y.sum() / y.len() as f64;
    let m = y.mean().unwrap();
    (p[0] - mean).powi(2) * m + p[1] * y.dot(y)
}

#[adjoint(wrt(p))]
fn maps(p: &[f64], w: &HashMap<String, f64>, b: &BTreeMap<usize, Vec<f64>>) -> f64 {
    let mut s = w["a"] * p[0];
    for (k, v) in b {
        s += p[*k] * v[0] * v.len() as f64;
    }
    if let Some(v) = w.get("b") {
        s += v * p[1];
    }
    s += w.get("c").copied().unwrap_or(2.0) * p[0];
    s += w.values().sum::<f64>() * p[1].sin();
    s
}

#[adjoint(wrt(p))]
fn field_of_a_struct(p: &[f64], d: &Data) -> f64 {
    let mut s = 0.0;
    for i in 0..d.x.nrows() {
        let mut f = 0.0;
        for j in 0..d.x.ncols() {
            f += d.x[[i, j]] * p[j];
        }
        s += (f - d.y[i]).powi(2) / d.scale;
    }
    s
}

#[adjoint]
fn made_by_a_call(p: &[f64]) -> f64 {
    let x = load();
    let mut s = 0.0;
    for i in 0..x.len() {
        s += x[i] * p[i] * p[i];
    }
    for v in x.iter() {
        s += v * p[0];
    }
    s
}

#[adjoint(wrt(p))]
fn by_value(p: &[f64], x: Array2<f64>) -> f64 {
    let t = x.t();
    let mut s = 0.0;
    for i in 0..p.len() {
        s += t[[i, 0]] * p[i].sin();
    }
    s
}

#[adjoint(wrt(p))]
fn enumerated(p: &[f64], y: &Array1<f64>) -> f64 {
    y.iter()
        .enumerate()
        .map(|(i, yi)| (yi - p[i]).powi(2))
        .sum::<f64>()
        / y.len() as f64
}

#[adjoint(wrt(p))]
fn on_the_right_of_a_zip(p: &[f64], y: &Array1<f64>) -> f64 {
    p.iter().zip(y).map(|(a, b)| (a - b).abs()).sum()
}

#[adjoint(wrt(p))]
fn indexed_iterator(p: &[f64], x: &Array2<f64>) -> f64 {
    let mut s = 0.0;
    for ((i, j), v) in x.indexed_iter() {
        s += v * p[i] * p[j];
    }
    s
}

#[adjoint(wrt(p))]
fn in_a_test(p: &[f64], x: &Array2<f64>) -> f64 {
    let mut s = 1.0;
    for i in 0..x.nrows() {
        if x[[i, 0]] > 0.5 {
            s *= p[0] * x[[i, 1]];
        } else {
            s += p[1];
        }
    }
    s
}

#[adjoint(wrt(p))]
fn small_vector(p: f64, v: &nalgebra::Vector3<f64>) -> f64 {
    let n = v.norm();
    let u = v / n;
    p * u[0] + p * p * u.y + v.x * p + v.dot(&u) * p.sin()
}

#[adjoint(wrt(p))]
fn rows(p: &[f64], x: &Array2<f64>) -> f64 {
    let mut s = 0.0;
    for row in x.rows() {
        let mut f = 0.0;
        for (a, b) in row.iter().zip(p) {
            f += a * b;
        }
        s += f.tanh();
    }
    s
}

#[adjoint(wrt(p))]
fn logistic(p: &[f64], x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let mut s = 0.0;
    for (row, &yi) in x.outer_iter().zip(y.iter()) {
        let mut f = p[0];
        for (j, &v) in row.iter().enumerate() {
            f += p[j + 1] * v;
        }
        s -= yi * f - (1.0 + f.exp()).ln();
    }
    s
}

#[adjoint(wrt(p))]
fn in_a_slice_of_tuples(p: &[f64], data: &[(f64, Array1<f64>)]) -> f64 {
    let mut s = 0.0;
    for (w, x) in data {
        s += w * x[0] * p[0] + x.iter().map(|v| v * p[1]).sum::<f64>();
    }
    s
}

#[adjoint(wrt(p))]
fn found_or_not(p: &[f64], x: &Array2<f64>) -> f64 {
    let mut s = 0.0;
    if let Some(v) = x.get([0, 1]) {
        s += v * p[0];
    }
    if let Some(&v) = x.get((1, 1)) {
        s += v * p[1];
    }
    match x.get([99, 0]) {
        Some(v) => s += v * p[0],
        None => s += p[1] * p[0],
    }
    s
}

#[adjoint(wrt(p))]
fn struct_taken_apart(p: &[f64], d: &Data) -> f64 {
    let Data { x, y, scale } = d;
    let mut s = 0.0;
    for (row, y) in x.outer_iter().zip(y) {
        let f = row.iter().zip(p).fold(0.0, |a, (x, p)| a + x * p);
        s += (f - y).powi(2) * scale;
    }
    s
}

#[adjoint(wrt(p))]
fn computed_from_data(p: &[f64], x: &Array2<f64>) -> f64 {
    let means: Vec<f64> = x.columns().into_iter().map(|c| c.mean().unwrap()).collect();
    let total: f64 = x.iter().sum();
    let top = x.iter().cloned().fold(f64::MIN, f64::max);
    p.iter()
        .zip(&means)
        .map(|(p, m)| (p - m).powi(2))
        .sum::<f64>()
        * total
        + top * p[0]
}

#[adjoint(wrt(p))]
fn inverse(p: &[f64], m: &DMatrix<f64>, v: &DVector<f64>) -> f64 {
    let inv = m.clone().try_inverse().unwrap();
    let w = &inv * v;
    let mut s = 0.0;
    for i in 0..w.len() {
        s += w[i] * p[i] + inv[(i, 0)] * p[i] * p[i];
    }
    for (a, b) in w.iter().zip(p) {
        s += a * b.sin();
    }
    s + w.norm() * p[0]
}

#[adjoint(wrt(p))]
fn map_of_arrays(p: &[f64], seasons: &BTreeMap<String, Array1<f64>>, key: &str) -> f64 {
    let y = &seasons[key];
    let mut s = 0.0;
    for (k, a) in seasons.iter() {
        s += a[0] * p[0] * k.len() as f64;
    }
    for i in 0..y.len() {
        s += y[i] * p[i].exp();
    }
    s
}

#[adjoint(wrt(p))]
fn slice_of_arrays(p: &[f64], xs: &[Array1<f64>]) -> f64 {
    let mut s = 0.0;
    for x in xs {
        for (j, v) in x.iter().enumerate() {
            s += v * p[j];
        }
    }
    for k in 0..xs.len() {
        s += xs[k][0] * p[0] * p[0] + xs[k].sum() * p[1];
    }
    s += xs.iter().map(|x| x[1] * p[0].cos()).sum::<f64>();
    s
}

#[adjoint(wrt(p))]
fn batch(p: &[f64], x: &Array2<f64>, batch: &[usize]) -> f64 {
    let mut s = 0.0;
    let mut w = vec![0.0; p.len()];
    for &b in batch {
        let row = x.row(b);
        let n = row.dot(&row).sqrt();
        for j in 0..p.len() {
            w[j] = p[j] * row[j] / n;
            s += w[j] * w[j];
        }
        while s > 1e9 {
            s *= 0.5;
        }
    }
    s
}

#[adjoint(wrt(p))]
fn macro_of_another_crate(p: &[f64], y: &Array1<f64>) -> f64 {
    let half = y.slice_axis(ndarray::Axis(0), ndarray::Slice::from(..y.len() / 2));
    let s = half.iter().zip(p).map(|(a, b)| a * b * b).sum::<f64>();
    s + y.dot(&ndarray::array![0.5, 2.0]) * p[0].sin()
}

#[adjoint(wrt(p))]
fn vec_of_arrays(p: &[f64], x: &Vec<Array1<f64>>) -> f64 {
    let mut s = 0.0;
    for v in x {
        s += v[0] * p[0] + v.sum() * p[1];
    }
    s
}

#[adjoint(wrt(p))]
fn advanced(p: &[f64], y: &Array1<f64>) -> f64 {
    let mut it = y.iter();
    let mut s = 0.0;
    while let Some(v) = it.next() {
        s += v * p[0];
    }
    s
}

#[adjoint(wrt(p))]
fn in_a_closure(p: &[f64], x: &Array2<f64>) -> f64 {
    let f = |i: usize, j: usize| x[[i, j]] * 2.0;
    let shape = x.shape();
    let (r, c) = (shape[0], shape[1]);
    let (rows, cols) = x.dim();
    let mut s = 0.0;
    for i in 0..r.min(rows) {
        for j in 0..c.min(cols) {
            s += f(i, j) * p[j] * p[i];
        }
    }
    s
}

#[adjoint(wrt(p))]
fn extremes(p: &[f64], y: &Array1<f64>) -> f64 {
    let i = y
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(b.1))
        .unwrap()
        .0;
    let best = *y.iter().min_by(|a, b| a.total_cmp(b)).unwrap();
    p[i] * p[i] * best
}

#[adjoint(wrt(p))]
fn view(p: f64, xs: &ndarray::ArrayView1<'_, f64>) -> f64 {
    xs.iter().rev().fold(0.0, |acc, &c| acc * p + c)
}

#[adjoint(wrt(p))]
fn again_and_again(p: &[f64], y: &Array1<f64>) -> f64 {
    let twice: f64 = p
        .iter()
        .zip(y.iter().cycle().skip(1))
        .map(|(p, y)| p * p * y)
        .sum();
    y.iter()
        .cycle()
        .zip(p)
        .map(|(y, p)| y * p.sin())
        .sum::<f64>()
        * twice
}

#[adjoint(wrt(p))]
fn copies_that_change(p: &[f64], y: &Array1<f64>) -> f64 {
    let mut z = y.to_vec();
    let mut w = y.clone().into_raw_vec_and_offset().0;
    z[0] *= p[0];
    for (w, p) in w.iter_mut().zip(p) {
        *w += p * p;
    }
    z[0] * z[1] + w[0] * w[1]
}

fn x() -> Array2<f64> {
    array![[1.0, 2.0], [0.5, -1.5]]
}

fn y() -> Array1<f64> {
    array![0.25, 1.75]
}

fn m() -> DMatrix<f64> {
    DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 0.5, -1.5])
}

fn v() -> DVector<f64> {
    DVector::from_vec(vec![0.25, 1.75])
}

fn data() -> Data {
    Data {
        x: x(),
        y: y(),
        scale: 1.3,
    }
}

fn weights() -> HashMap<String, f64> {
    HashMap::from([("a".to_string(), 2.0), ("b".to_string(), 3.0)])
}

fn lists() -> BTreeMap<usize, Vec<f64>> {
    BTreeMap::from([(0, vec![1.0, 2.0]), (1, vec![3.0])])
}

fn arrays() -> Vec<Array1<f64>> {
    vec![y(), array![3.0, 4.0]]
}

fn seasons() -> BTreeMap<String, Array1<f64>> {
    BTreeMap::from([("a".to_string(), y()), ("bc".to_string(), array![3.0, 4.0])])
}

#[test]
fn data_is_indexed_and_run_over() {
    check!(indexed_by_an_array(&[0.3, -0.7], const &x(), const &y()) -> f64);
    check!(run_over(&[0.3, -0.7], const &y()) -> f64);
    check!(zipped_with_the_independent(&[0.3, -0.7], const &y()) -> f64);
    check!(bound_row(&[0.3, -0.7], const &x(), const &y()) -> f64);
    check!(slice_of_an_array(&[0.3, -0.7], const &x(), const &y()) -> f64);
    check!(by_value(&[0.3, -0.7], const x()) -> f64);
    check!(in_a_test(&[0.3, -0.7], const &x()) -> f64);
    check!(in_a_closure(&[0.3, -0.7], const &x()) -> f64);
}

#[test]
fn data_is_run_over_in_chains() {
    check!(outer_iterator_in_a_chain(&[0.3, -0.7], const &x(), const &y()) -> f64);
    check!(again_and_again(&[0.3, -0.7], const &y()) -> f64);
    check!(enumerated(&[0.3, -0.7], const &y()) -> f64);
    check!(on_the_right_of_a_zip(&[0.3, -0.7], const &y()) -> f64);
    check!(indexed_iterator(&[0.3, -0.7], const &x()) -> f64);
    check!(rows(&[0.3, -0.7], const &x()) -> f64);
    check!(logistic(&[0.3, -0.7, 0.2], const &x(), const &y()) -> f64);
    check!(advanced(&[0.3, -0.7], const &y()) -> f64);
    check!(view(0.4, const &y().view()) -> f64);
}

#[test]
fn what_is_computed_from_data_is_a_constant() {
    check!(copies_that_change(&[0.3, -0.7], const &y()) -> f64);
    check!(means_and_products(&[0.3, -0.7], const &y()) -> f64);
    check!(computed_from_data(&[0.3, -0.7], const &x()) -> f64);
    check!(extremes(&[0.3, -0.7], const &y()) -> f64);
    check!(macro_of_another_crate(&[0.3, -0.7], const &y()) -> f64);
    check!(batch(&[0.3, -0.7], const &x(), const &[0, 1, 1]) -> f64);
    check!(made_by_a_call(&[0.3, -0.7, 0.2]) -> f64);
    check!(found_or_not(&[0.3, -0.7], const &x()) -> f64);
}

#[test]
fn matrices_of_nalgebra_are_data() {
    check!(matrix_of_nalgebra(&[0.3, -0.7], const &m(), const &v()) -> f64);
    check!(small_vector(0.4, const &nalgebra::Vector3::new(1.0, 2.0, -0.5)) -> f64);
    check!(inverse(&[0.3, -0.7], const &m(), const &v()) -> f64);
}

#[test]
fn data_stands_in_structs_and_collections() {
    check!(field_of_a_struct(&[0.3, -0.7], const &data()) -> f64);
    check!(struct_taken_apart(&[0.3, -0.7], const &data()) -> f64);
    check!(maps(&[0.3, -0.7], const &weights(), const &lists()) -> f64);
    check!(map_of_arrays(&[0.3, -0.7], const &seasons(), const "bc") -> f64);
    check!(slice_of_arrays(&[0.3, -0.7], const &arrays()) -> f64);
    check!(vec_of_arrays(&[0.3, -0.7], const &arrays()) -> f64);
    check!(in_a_slice_of_tuples(&[0.3, -0.7], const &vec![(0.5, y()), (1.5, array![3.0, 4.0])]) -> f64);
}

#[test]
fn methods_leave_their_data_out() {
    let model = Model {
        x: x(),
        y: y(),
        bias: 0.1,
    };
    let p = [0.3, -0.7];
    let mut p_adj = [0.0; 2];
    model.loss_adjoint(&p, &mut p_adj, 1.0);
    let difference = adjoint::check::finite_difference(|p| model.loss(p), &p, &p_adj);
    assert!(difference.relative_error < 1e-9, "{difference:?}");
}
