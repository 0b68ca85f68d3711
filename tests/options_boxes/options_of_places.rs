//! An `Option` or `Result` of a reference keeps its place, also when the index that chose it changes.

use std::ops::{Index, IndexMut};

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
fn of_last(h: &Vec<Vec<f64>>, k: f64) -> f64 {
    let mut j = 0;
    let p = h[j].last();
    j += 1;
    match p {
        Some(a) => a * k * j as f64,
        None => k,
    }
}

#[adjoint]
fn written(h: &mut Vec<Vec<f64>>, k: f64) {
    let mut j = 0;
    let p = if k > 0.2 { Some(&mut h[j]) } else { None };
    j += 1;
    if let Some(p) = p {
        p[0] *= k * j as f64;
    }
}

#[adjoint]
fn by_then(h: &Vec<Vec<f64>>, k: f64) -> f64 {
    let mut j = 0;
    let p = (k > 0.2).then(|| &h[j]);
    let q = Some(&h[j]).filter(|r| r[0] > 0.1);
    j += 1;
    p.map_or(k, |a| a[0] * k * j as f64) + q.map_or(k, |a| a[1] * k)
}

#[adjoint]
fn in_a_loop(h: &Vec<Vec<f64>>, k: f64) -> f64 {
    let (mut s, mut j) = (k, 0);
    while j < h.len() {
        let row = Some(&h[j]);
        j += 1;
        if let Some(row) = row {
            s += row[0] * s;
        }
    }
    s
}

/// There is no index where there is no row.
#[adjoint]
fn one_before(h: &Vec<Vec<f64>>, k: f64, m: usize) -> f64 {
    let mut j = m;
    let p = if j > 0 { Some(&h[j - 1]) } else { None };
    j += 1;
    match p {
        Some(a) => a[0] * k * j as f64,
        None => k,
    }
}

#[adjoint]
fn of_options(h: &mut Vec<Option<f64>>, k: f64) -> f64 {
    let mut j = 0;
    let p = h[j].as_mut();
    j += 1;
    if let Some(p) = p {
        *p *= k;
    }
    h[0].unwrap_or(1.0) * h[j].unwrap_or(2.0)
}

#[adjoint]
fn by_table(h: &Vec<Vec<f64>>, k: f64) -> f64 {
    let mut i = [0usize, 1];
    let (p, c) = (Some(&h[i[0]]), k);
    i[0] = 1;
    match p {
        Some(a) => a[0] * c * i[0] as f64,
        None => k,
    }
}

#[adjoint]
fn of_result(h: &Vec<Vec<f64>>, k: f64) -> f64 {
    let mut j = 0;
    let p: Result<&Vec<f64>, f64> = if k > 0.2 { Ok(&h[j]) } else { Err(k) };
    j += 1;
    match p {
        Ok(a) => a[0] * k * j as f64,
        Err(e) => e,
    }
}

#[adjoint]
fn taking_turns(h: &Vec<Vec<f64>>, k: f64) -> f64 {
    let (mut now, mut s) = (0, k);
    for _ in 0..3 {
        let first = h[now].first();
        now = 1 - now;
        if let Some(v) = first {
            s = s * v + h[now][0];
        }
    }
    s
}

#[adjoint]
fn in_tuples(h: &Vec<Vec<f64>>, k: f64) -> f64 {
    let pair = if k > 0.2 {
        let j = h.len() - 1;
        Some((&h[j], &h[0]))
    } else {
        None
    };
    match pair {
        Some((a, b)) => a[0] * k + b[0],
        None => k,
    }
}

#[adjoint]
mod seen {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, Differentiable)]
    struct Layer {
        w: f64,
        bias: Option<Vec<f64>>,
    }

    fn through(layers: &[Layer], x: f64) -> f64 {
        let (mut i, mut s) = (0, x);
        while i < layers.len() {
            let bias = layers[i].bias.as_ref();
            let layer = Some(&layers[i]);
            i += 1;
            if let Some(b) = bias {
                s += b[0] * s;
            }
            s *= layer.unwrap().w;
        }
        s
    }

    pub fn net(x: &[f64]) -> f64 {
        let layer = |w: f64, bias: Option<Vec<f64>>| Layer { w, bias };
        let layers = vec![
            layer(x[0], Some(vec![x[1]])),
            layer(x[1], None),
            layer(x[2], Some(vec![x[0]])),
        ];
        through(&layers, x[2])
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Matrix {
    data: Vec<f64>,
    columns: usize,
}

#[adjoint]
impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.columns + j]
    }
}

#[adjoint]
impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.columns + j]
    }
}

/// There is no index of two numbers where there is no entry.
#[adjoint]
fn of_matrix(x: &[f64], k: f64, m: usize) -> f64 {
    let mut a = Matrix {
        data: x.to_vec(),
        columns: 2,
    };
    let mut i = m;
    let p = if m > 0 {
        Some(&mut a[(i - 1, i)])
    } else {
        None
    };
    i = 0;
    if let Some(p) = p {
        *p *= k;
    }
    a[(i, i)] * a[(i, i + 1)]
}

#[test]
fn options_stay_where_they_were_made() {
    let h = vec![vec![0.5, 0.3], vec![0.7, 0.9]];
    assert_eq!(of_last(&h, 0.5), 0.15);
    for k in [0.1, 0.3] {
        check!(of_last(&h, k) -> f64);
        check!(written(&mut h, k));
        check!(by_then(&h, k) -> f64);
        check!(in_a_loop(&h, k) -> f64);
        for m in 0..3 {
            check!(one_before(&h, k, const m) -> f64);
        }
        check!(of_options(&mut vec![Some(0.5), Some(0.7)], k) -> f64);
        check!(by_table(&h, k) -> f64);
        check!(of_result(&h, k) -> f64);
        check!(taking_turns(&h, k) -> f64);
        check!(in_tuples(&h, k) -> f64);
    }
    for m in 0..2 {
        check!(of_matrix(&[0.5, 0.7, 1.1, 0.9], 0.6, const m) -> f64);
    }
    check!(seen::net(&[0.5, 0.7, 1.1]) -> f64);
}
