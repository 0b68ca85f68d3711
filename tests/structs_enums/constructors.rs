//! Types with constructors and methods in an annotated `impl`.
//!
//! Functions outside use them without a view of the types of their fields.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
struct Mat {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

flat!(Mat { data });

#[adjoint]
impl Mat {
    fn zeros(rows: usize, cols: usize) -> Self {
        let data = vec![0.0; rows * cols];
        Self { rows, cols, data }
    }

    fn identity(n: &usize) -> Mat {
        let mut m = Mat::zeros(*n, *n);
        for i in 0..*n {
            m.set(i, i, 1.0);
        }
        m
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.cols + j]
    }

    fn set(&mut self, i: usize, j: usize, v: f64) {
        self.data[i * self.cols + j] = v;
    }

    fn times(&self, other: &Mat) -> Mat {
        let mut m = Mat::zeros(self.rows, other.cols);
        for i in 0..self.rows {
            for j in 0..other.cols {
                let mut s = 0.0;
                for k in 0..self.cols {
                    s += self.at(i, k) * other.at(k, j);
                }
                m.set(i, j, s);
            }
        }
        m
    }

    fn transposed(&self) -> Mat {
        let mut t = Mat::zeros(self.cols, self.rows);
        for i in 0..self.rows {
            for j in 0..self.cols {
                t.set(j, i, self.at(i, j));
            }
        }
        t
    }

    fn square_norm(&self) -> f64 {
        self.data.iter().map(|v| v * v).sum()
    }
}

#[adjoint]
fn gram(a: &Mat) -> f64 {
    let t = a.transposed();
    let mut g = Mat::zeros(a.cols, a.cols);
    g.set(a.cols - 1, 0, a.at(0, a.cols - 1));
    let product = t.times(a);
    for i in 0..a.cols {
        g.set(i, i, product.at(i, i).sin());
    }
    g.square_norm() * product.square_norm()
}

#[adjoint]
fn exponential(a: &Mat, terms: usize) -> f64 {
    let mut sum = Mat::identity(&a.rows);
    let mut term = sum.clone();
    for k in 1..=terms {
        term = term.times(a);
        for v in term.data.iter_mut() {
            *v /= k as f64;
        }
        for i in 0..sum.data.len() {
            sum.data[i] += term.data[i];
        }
    }
    sum.transposed().times(&sum).square_norm().sqrt()
}

/// A tree in an arena.
#[derive(Clone, Debug, Differentiable)]
struct Knot {
    weight: f64,
    left: Option<usize>,
    right: Option<usize>,
}

flat!(Knot { weight });

#[adjoint]
fn evaluate(tree: &[Knot], i: usize, x: f64) -> f64 {
    let knot = &tree[i];
    let a = match knot.left {
        Some(j) => evaluate(tree, j, x * knot.weight),
        None => x,
    };
    let b = if let Some(j) = knot.right {
        evaluate(tree, j, x + knot.weight)
    } else {
        1.0
    };
    a * b + knot.weight
}

#[test]
fn constructors_and_methods() {
    let data = vec![0.3, -0.7, 1.1, 0.4, 0.9, -0.2];
    let wide = Mat {
        rows: 2,
        cols: 3,
        data: data.clone(),
    };
    let square = Mat {
        rows: 2,
        cols: 2,
        data: data[..4].to_vec(),
    };
    check!(gram(&wide) -> f64);
    check!(exponential(&square, const 8) -> f64);
}

#[test]
fn a_tree_in_an_arena() {
    let knot = |weight, left, right| Knot {
        weight,
        left,
        right,
    };
    let tree = vec![
        knot(0.3, Some(1), Some(2)),
        knot(-0.7, None, Some(3)),
        knot(1.1, Some(3), None),
        knot(0.4, None, None),
    ];
    check!(evaluate(&tree, const 0, 0.7) -> f64);
}
