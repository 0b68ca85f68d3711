//! `Vec` methods on fields whose types the macro does not see: swapped rows, slices, the payload of an `Option`.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
struct Matrix {
    v: Vec<f64>,
    n: usize,
    order: Vec<usize>,
    scale: Option<f64>,
}

#[adjoint]
impl Matrix {
    fn swap_rows(&mut self, i: usize, j: usize) {
        for k in 0..self.n {
            self.v.swap(i * self.n + k, j * self.n + k);
        }
        self.order.swap(i, j);
    }

    fn determinant(&mut self) -> f64 {
        let n = self.n;
        let mut d = 1.0;
        for k in 0..n {
            let mut p = k;
            for i in k + 1..n {
                if self.v[i * n + k].abs() > self.v[p * n + k].abs() {
                    p = i;
                }
            }
            if p != k {
                self.swap_rows(p, k);
                d = -d;
            }
            d *= self.v[k * n + k];
            for i in k + 1..n {
                let f = self.v[i * n + k] / self.v[k * n + k];
                for j in k..n {
                    self.v[i * n + j] -= f * self.v[k * n + j];
                }
            }
        }
        d
    }

    fn at(&self, i: usize) -> f64 {
        match self.v.get(i) {
            Some(v) => *v,
            None => 0.0,
        }
    }

    fn rescale(&mut self, s: f64) -> f64 {
        let old = self.scale.take();
        self.scale = Some(s);
        old.unwrap_or(1.0) * s
    }

    fn turn(&mut self, s: f64) {
        for v in self.v.as_mut_slice() {
            *v *= s;
        }
        self.v.reverse();
        self.v.rotate_left(1);
        let scale = self.scale.take();
        self.scale = scale.map(|v| v * s);
    }
}

#[adjoint]
fn eliminated(x: &[f64], t: f64) -> f64 {
    let mut m = Matrix {
        v: x.to_vec(),
        n: 2,
        order: vec![0, 1],
        scale: Some(t),
    };
    m.turn(t);
    let d = m.determinant();
    d * m.at(1) + m.at(7) + m.rescale(d)
}

#[adjoint]
fn exchange(m: &mut Matrix, n: usize) {
    m.v.swap(0, n);
    m.v[0] *= 2.0;
    let v = m.v.as_slice();
    m.scale = Some(v[0] * v[1]);
}

#[adjoint]
fn exchanged(x: &[f64], t: f64) -> f64 {
    let mut m = Matrix {
        v: x.to_vec(),
        n: 2,
        order: vec![0, 1],
        scale: Some(t),
    };
    exchange(&mut m, 1);
    m.v.swap(1, 2);
    let u = m.v[1] * m.scale.unwrap();
    let other = Matrix { n: 1, ..m };
    u * other.v[0]
}

#[test]
fn lists_in_fields_are_arranged() {
    check!(eliminated(&[0.4, 0.7, 0.3, 0.9], 0.6) -> f64);
    check!(exchanged(&[0.4, 0.7, 0.3, 0.9], 0.6) -> f64);
}
