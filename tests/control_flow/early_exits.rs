//! Swaps, references that are looked up and functions with a state, in loops with zero trips and early exits.

use std::mem;

use adjoint::{Differentiable, adjoint};

use crate::common::check;

/// Exchanges in some iterations only, with constants and with what the loop carries.
#[adjoint]
fn now_and_then(x: &[f64], k: f64, n: usize) -> f64 {
    let mut list = vec![x.to_vec(), vec![k], vec![]];
    let mut held = Some(x[0] * k);
    let mut spare: Option<f64> = None;
    let mut s = k;
    for i in 0..n {
        let mut fixed = vec![1.0 + i as f64; 2];
        if i % 2 == 0 {
            mem::swap(&mut list[i % 3], &mut fixed);
            s += fixed.iter().sum::<f64>() * k;
        }
        mem::swap(&mut held, &mut spare);
        if let Some(v) = held {
            s *= v;
        } else {
            held = Some(2.0);
        }
        if i == 3 && s > 100.0 {
            return s + list[0][0];
        }
        let mut constant = Some(3.0);
        if i == 2 {
            mem::swap(&mut spare, &mut constant);
            s += constant.unwrap_or(x[1]);
        }
        list.swap(0, 1);
        for row in &list {
            if row.is_empty() {
                continue;
            }
            s += row[row.len() - 1] * 0.5;
        }
    }
    let squares: f64 = list.iter().flatten().map(|v| v * v).sum();
    s + held.unwrap_or(k) * spare.unwrap_or(x[2]) + squares
}

#[adjoint]
fn taken(rows: &mut [Vec<f64>], kept: &mut Option<Vec<f64>>, n: usize) -> f64 {
    let mut t = 0.0;
    for i in 0..n {
        let mut row = vec![0.5; i + 1];
        mem::swap(&mut rows[i], &mut row);
        if i == 1 {
            let mut none = None;
            mem::swap(kept, &mut none);
            if let Some(v) = none {
                t += v[0] * row.len() as f64;
            }
        }
        if row.len() > 2 {
            return t;
        }
    }
    t
}

#[adjoint]
fn out_of_a_call(x: &[f64], k: f64, n: usize) -> f64 {
    let scaled = x.iter().map(|v| v * k).collect::<Vec<f64>>();
    let mut rows = vec![x.to_vec(), vec![k, k * x[0]], scaled];
    let mut kept = Some(vec![k * k, x[1]]);
    rows.swap(0, 1);
    let a = taken(&mut rows, &mut kept, n);
    let b = kept.as_ref().map_or(k, |v| v[1] * k);
    rows.iter().flatten().map(|v| v * v).sum::<f64>() * b + a
}

#[adjoint]
mod tables {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Table {
        data: Vec<f64>,
        columns: usize,
        at: usize,
    }

    impl Table {
        fn row(&self, i: usize) -> &[f64] {
            &self.data[i * self.columns..][..self.columns]
        }

        fn row_mut(&mut self, i: usize) -> &mut [f64] {
            let c = self.columns;
            &mut self.data[i * c..][..c]
        }

        fn rows(&self) -> impl Iterator<Item = &[f64]> {
            self.data.chunks_exact(self.columns)
        }

        fn advance(&mut self) -> &mut f64 {
            let k = self.at;
            self.at += 1;
            &mut self.data[k]
        }

        fn best(&self) -> &[f64] {
            let mut b = 0;
            for i in 1..self.data.len() / self.columns {
                if self.row(i)[0] > self.row(b)[0] {
                    b = i;
                }
            }
            self.row(b)
        }

        /// The indices that a row was looked up with change while the row is in use.
        fn walk(&mut self, k: f64, n: usize) -> f64 {
            let mut i = 0;
            let mut s = 0.0;
            while i < n {
                let r = self.row(i);
                let j = i;
                i += 1;
                s += r[0] * k + self.row(j)[1] * r[1];
                self.row_mut(j)[{
                    i += 1;
                    i % 2
                }] *= s;
                i -= 1;
                if s > 50.0 {
                    return s * self.best()[1];
                }
                *self.advance() += k * s;
                let top = self.best()[0];
                self.row_mut(j).fill(top * k);
            }
            self.at = 0;
            *self.advance() *= *self.advance();
            let products: f64 = self.rows().skip(1).map(|r| r[0] * r[1]).sum();
            s + products + self.best()[0]
        }
    }

    pub fn walked(x: &[f64], k: f64, n: usize) -> f64 {
        let data = x.iter().chain(x).copied().collect();
        let mut table = Table {
            data,
            columns: 2,
            at: 0,
        };
        table.walk(k, n) + table.data[1] * k
    }

    fn fixed_point(mut f: impl FnMut(f64) -> f64, start: f64, n: usize) -> f64 {
        let mut x = start;
        for i in 0..n {
            let y = f(x);
            if (y - x).abs() < 1e-9 {
                return y * 2.0;
            }
            if i == 4 {
                break;
            }
            x = y;
        }
        x
    }

    fn attempt(f: &dyn Fn(f64) -> Option<f64>, xs: &[f64]) -> Option<f64> {
        let mut s = 0.0;
        for &x in xs {
            s += f(x)?;
        }
        Some(s)
    }

    fn twice(f: impl Fn(f64) -> f64, mut a: [f64; 2], x: f64) -> f64 {
        a[0] = f(a[1]);
        a[1] *= f(x) + x;
        let x = f(x);
        a[0] * a[1] + x
    }

    /// Functions that keep a state, and that leave early.
    pub fn handed(x: &[f64], k: f64, n: usize) -> f64 {
        let mut calls = 0;
        let mut scale = k;
        let shrink = |v: f64| {
            calls += 1;
            scale *= 0.9;
            (v * scale).cos()
        };
        let a = fixed_point(shrink, x[0], n);
        let (start, count) = (scale, calls);
        let grow = |v: f64| {
            calls += 1;
            scale += v * 0.1;
            v.sin() + scale
        };
        let b = fixed_point(grow, start, count);
        let mut pair = [x[0], x[1]];
        let c = twice(|v| twice(|w| w * v + scale, pair, v), pair, x[1]);
        pair[0] = c;
        let limit = x[0];
        let d = attempt(&|v| if v < limit { Some(v * scale) } else { None }, x);
        let e = attempt(&|v| if v < 10.0 { Some(v * c) } else { None }, &x[1..]);
        a * b + c + d.unwrap_or(scale * pair[0]) + e.unwrap_or(0.0) + calls as f64 * k
    }
}

struct Constants {
    weights: Vec<f64>,
    stops: Vec<u8>,
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    weights: Vec<f64>,
    factor: Option<Vec<f64>>,
    scales: (f64, [f64; 2]),
}

#[adjoint]
fn grown(m: &Model, c: &[f64], o: &Option<f64>, x: f64, buffer: &mut Vec<f64>) -> f64 {
    buffer.push(x * m.weights[0]);
    if c[0] > 0.0 {
        buffer.extend_from_slice(c);
    } else {
        buffer.clear();
        return x * c[1] * m.scales.0;
    }
    let s: f64 = buffer.iter().zip(&m.weights).map(|(a, b)| a * b).sum();
    let q = if let Some(v) = &m.factor { v[0] * x } else { x };
    s * o.unwrap_or(2.0) + q * m.scales.1[1]
}

/// Constants that go to functions that resize, from a loop that a constant ends.
#[adjoint(wrt(x))]
fn with_constants(c: &Constants, m: &Model, x: &[f64], k: f64, n: usize) -> f64 {
    let mut buffer = vec![];
    let mut seen = vec![];
    let mut s = 0.0;
    for i in 0..n {
        let pair = [c.weights[i % c.weights.len()], 1.5];
        s += grown(m, &pair, &Some(k), x[i % x.len()], &mut buffer);
        s += grown(m, &c.weights, &None, x[0] * x[1], &mut buffer);
        let scaled = x.iter().map(|v| {
            seen.push(v * k);
            v * s
        });
        let positive = scaled.filter(|v| *v > 0.0).fold(0.0, |a, b| a + b);
        s += positive * seen.len() as f64 * 0.01;
        if c.stops[i] == 3 {
            return s * seen[seen.len() - 1];
        }
    }
    s + buffer.iter().sum::<f64>() + seen.iter().map(|v| v * v).sum::<f64>()
}

const POINTS: [([f64; 4], f64); 2] = [([0.3, 0.9, -0.7, 1.2], 1.1), ([1.6, -0.4, 0.8, 0.5], 0.7)];

#[test]
fn exchanges_in_some_iterations() {
    for (x, k) in POINTS {
        for n in 0..7 {
            check!(now_and_then(&x, k, const n) -> f64);
        }
        for n in 0..4 {
            check!(out_of_a_call(&x, k, const n) -> f64);
        }
    }
}

#[test]
fn references_by_indices_that_change() {
    for (x, k) in POINTS {
        for n in 0..5 {
            check!(tables::walked(&x, k, const n) -> f64);
        }
    }
}

#[test]
fn functions_that_keep_a_state() {
    for (x, k) in POINTS {
        for n in 0..7 {
            check!(tables::handed(&x, k, const n) -> f64);
        }
    }
}

#[test]
fn constants_to_what_resizes() {
    let c = Constants {
        weights: vec![0.4, -0.3, 0.8],
        stops: vec![0, 1, 0, 2, 0, 3, 1],
    };
    let m = Model {
        weights: vec![1.1, 0.6, -0.2, 0.9],
        factor: Some(vec![0.3]),
        scales: (0.7, [0.2, 1.3]),
    };
    for (x, k) in POINTS {
        for n in 0..7 {
            check!(with_constants(const &c, const &m, &x, const k, const n) -> f64);
        }
    }
}
