//! Types of the user's with `Index` and `Sum`: a small matrix, points of a plane.

use std::iter::Sum;
use std::ops::{Add, Index, IndexMut, Mul};

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Differentiable, Debug)]
struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}
#[adjoint]
impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + j]
    }
}
#[adjoint]
impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.cols + j]
    }
}
#[adjoint]
fn trace(m: &Matrix) -> f64 {
    (0..m.rows).map(|i| m[(i, i)] * m[(i, 0)]).sum()
}
#[adjoint]
fn scale(m: &mut Matrix, k: f64) {
    for i in 0..m.rows {
        for j in 0..m.cols {
            m[(i, j)] *= k;
        }
    }
}
#[adjoint]
impl Matrix {
    fn zeros(rows: usize, cols: usize) -> Self {
        Matrix {
            rows,
            cols,
            data: vec![0.0; rows * cols],
        }
    }
    fn matmul(&self, other: &Matrix) -> Matrix {
        let mut out = Matrix::zeros(self.rows, other.cols);
        for i in 0..self.rows {
            for j in 0..other.cols {
                for k in 0..self.cols {
                    out[(i, j)] += self[(i, k)] * other[(k, j)];
                }
            }
        }
        out
    }
}
#[adjoint]
fn chol_logdet(a: &Matrix) -> f64 {
    let n = a.rows;
    let mut l = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let mut s = a[(i, j)];
            for k in 0..j {
                s -= l[(i, k)] * l[(j, k)];
            }
            if i == j {
                l[(i, i)] = s.sqrt();
            } else {
                l[(i, j)] = s / l[(j, j)];
            }
        }
    }
    (0..n).map(|i| l[(i, i)].ln()).sum::<f64>() * 2.0 + l.matmul(&l)[(1, 0)]
}
#[adjoint]
fn gauss_inplace(a: &mut Matrix) {
    for c in 0..a.rows {
        let p = a[(c, c)];
        for r in c + 1..a.rows {
            let f = a[(r, c)] / p;
            for k in c..a.cols {
                let t = a[(c, k)];
                a[(r, k)] -= f * t;
            }
        }
    }
}
flat!(Matrix { data });

#[derive(Clone, Copy, Differentiable, Debug)]
struct V {
    x: f64,
    y: f64,
}

flat!(V { x, y });
#[adjoint]
impl Add for V {
    type Output = V;
    fn add(self, o: V) -> V {
        V {
            x: self.x + o.x,
            y: self.y + o.y,
        }
    }
}
#[adjoint]
impl Mul<f64> for V {
    type Output = V;
    fn mul(self, k: f64) -> V {
        V {
            x: self.x * k,
            y: self.y * k,
        }
    }
}
#[adjoint]
impl Sum for V {
    fn sum<I: Iterator<Item = V>>(it: I) -> V {
        it.fold(V { x: 0.0, y: 0.0 }, |a, b| a + b)
    }
}
#[adjoint]
fn center(p: &[V], m: &[f64]) -> f64 {
    let c = p.iter().zip(m).map(|(p, m)| *p * *m).sum::<V>();
    c.x * c.y
}

#[adjoint]
fn center2(p: &[V]) -> f64 {
    let c: V = p.iter().copied().sum();
    c.x * c.y
}

#[adjoint]
fn center3(p: &[V], m: &[f64]) -> f64 {
    let mut c = V { x: 0.0, y: 0.0 };
    for (p, &m) in p.iter().zip(m) {
        c = c + *p * m;
    }
    c.x * c.y
}

#[adjoint]
fn center4(p: &[V], m: &[f64]) -> f64 {
    let c = p
        .iter()
        .zip(m.iter())
        .fold(V { x: 0.0, y: 0.0 }, |c, (p, &m)| c + *p * m);
    c.x * c.y
}

/// Its index is a number of a row.
#[derive(Clone, Debug, Differentiable)]
struct Rows {
    width: usize,
    all: Vec<f64>,
}

flat!(Rows { all });

#[adjoint]
impl Index<usize> for Rows {
    type Output = [f64];
    fn index(&self, row: usize) -> &[f64] {
        assert!(row * self.width < self.all.len());
        &self.all[row * self.width..(row + 1) * self.width]
    }
}

#[adjoint]
impl IndexMut<usize> for Rows {
    fn index_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.all[row * self.width..(row + 1) * self.width]
    }
}

#[adjoint]
fn smooth(rows: &mut Rows, height: usize) {
    for i in 1..height {
        for j in 0..rows.width {
            rows[i][j] += 0.5 * rows[i - 1][j] * rows[i][j];
        }
    }
}

// The same type by position.

#[adjoint]
impl Index<(usize, usize)> for Rows {
    type Output = f64;
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.all[row * self.width + column]
    }
}

#[adjoint]
impl IndexMut<(usize, usize)> for Rows {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.all[row * self.width + column]
    }
}

#[adjoint]
fn by_row_and_position(rows: &mut Rows, height: usize) -> f64 {
    let mut copy = rows.clone();
    for i in 1..height {
        for j in 0..rows.width {
            rows[(i, j)] *= rows[i - 1][j].sin() + rows[(0, 1)];
            copy[(i, j)] += rows[(i, j)] * copy[i - 1][j];
        }
    }
    copy[(height - 1, 0)] * rows[1][1]
}

#[test]
fn matrices() {
    let m = Matrix {
        rows: 2,
        cols: 2,
        data: vec![2.0, 0.3, 0.3, 1.5],
    };
    check!(trace(&m) -> f64);
    check!(scale(&mut m, 1.3));
    check!(chol_logdet(&m) -> f64);
    check!(gauss_inplace(&mut m));
}

#[test]
fn rows() {
    let rows = Rows {
        width: 2,
        all: vec![0.4, -0.3, 1.2, 0.8, 0.5, -0.7],
    };
    check!(smooth(&mut rows, const 3));
    check!(by_row_and_position(&mut rows, const 3) -> f64);
}

#[test]
fn sums_of_points() {
    let points = vec![V { x: 0.4, y: 1.2 }, V { x: -0.4, y: 0.7 }];
    let masses = vec![0.3, 0.8];
    check!(center(&points, &masses) -> f64);
    check!(center2(&points) -> f64);
    check!(center3(&points, &masses) -> f64);
    check!(center4(&points, &masses) -> f64);
}

/// Generic in the float type, with a constructor that takes no floats.
#[derive(Clone, Debug, Differentiable)]
struct Table<T> {
    d: Vec<T>,
    rows: usize,
    cols: usize,
}

#[adjoint]
impl<T: num_traits::Float> Table<T> {
    fn zeros(rows: usize, cols: usize) -> Self {
        Table {
            d: vec![T::zero(); rows * cols],
            rows,
            cols,
        }
    }

    fn at(&self, i: usize, j: usize) -> T {
        self.d[i * self.cols + j]
    }

    fn set(&mut self, i: usize, j: usize, v: T) {
        let cols = self.cols;
        self.d[i * cols + j] = v;
    }

    fn mul(&self, o: &Table<T>) -> Table<T> {
        let mut m = Table::zeros(self.rows, o.cols);
        for i in 0..self.rows {
            for j in 0..o.cols {
                let mut s = T::zero();
                for k in 0..self.cols {
                    s = s + self.at(i, k) * o.at(k, j);
                }
                m.set(i, j, s);
            }
        }
        m
    }

    fn trace(&self) -> T {
        (0..self.rows.min(self.cols)).fold(T::zero(), |s, i| s + self.at(i, i))
    }

    fn exp(&self, terms: usize) -> Table<T> {
        let mut sum = Table::zeros(self.rows, self.cols);
        for i in 0..self.rows {
            sum.set(i, i, T::one());
        }
        let mut term = sum.clone();
        for k in 1..=terms {
            term = term.mul(self);
            let f = T::one() / T::from(k).unwrap();
            for v in term.d.iter_mut() {
                *v = *v * f;
            }
            for (s, t) in sum.d.iter_mut().zip(&term.d) {
                *s = *s + *t;
            }
        }
        sum
    }
}

/// The struct is in the body only.
#[adjoint]
fn flow<T: num_traits::Float>(a: &[T], n: usize, k: T) -> T {
    let m = Table::<T> {
        d: a.to_vec(),
        rows: n,
        cols: n,
    };
    let e = m.exp(5);
    let g = e.mul(&e);
    g.trace() * k + e.at(0, n - 1)
}

#[test]
fn generic_structs_in_generic_functions() {
    let a: Vec<f64> = (0..9).map(|i| ((i * 5 + 1) as f64).sin() * 0.5).collect();
    check!(flow(&a, const 3, 0.7) -> f64);
    let a: Vec<f32> = a.iter().map(|&v| v as f32).collect();
    check!(flow(&a, const 3, 0.7f32) -> f32);
}
