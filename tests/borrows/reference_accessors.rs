//! Types with accessors that return references, as linear algebra is written.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Differentiable, Debug)]
struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}
flat!(Matrix { data });

#[adjoint]
impl Matrix {
    fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..][..self.cols]
    }
    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        let start = i * self.cols;
        let end = start + self.cols;
        &mut self.data[start..end]
    }
    fn index_of(&self, i: usize, j: usize) -> usize {
        debug_assert!(i < self.rows && j < self.cols);
        i * self.cols + j
    }
    fn get(&self, i: usize, j: usize) -> f64 {
        self.data[self.index_of(i, j)]
    }
    fn at(&self, i: usize, j: usize) -> &f64 {
        &self.data[self.index_of(i, j)]
    }
    fn at_mut(&mut self, i: usize, j: usize) -> &mut f64 {
        let k = self.index_of(i, j);
        &mut self.data[k]
    }
    fn rows_iter(&self) -> impl Iterator<Item = &[f64]> + '_ {
        self.data.chunks(self.cols)
    }
    fn iter_mut(&mut self) -> std::slice::IterMut<'_, f64> {
        self.data.iter_mut()
    }
    fn data(&self) -> &[f64] {
        &self.data
    }
    fn matvec(&self, x: &[f64], y: &mut [f64]) {
        for i in 0..self.rows {
            let r = self.row(i);
            let mut s = 0.0;
            for j in 0..r.len() {
                s += r[j] * x[j];
            }
            y[i] = s;
        }
    }
    fn norm_sq(&self) -> f64 {
        self.rows_iter()
            .map(|r| r.iter().map(|v| v * v).sum::<f64>().sqrt())
            .sum()
    }
    fn eliminate(&mut self) {
        for k in 0..self.rows {
            let p = *self.at(k, k);
            for i in k + 1..self.rows {
                let f = self.get(i, k) / p;
                for j in k..self.cols {
                    *self.at_mut(i, j) -= f * self.get(k, j);
                }
            }
        }
    }
    fn normalize(&mut self) {
        for i in 0..self.rows {
            let row = self.row_mut(i);
            let n = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            for v in row.iter_mut() {
                *v /= n;
            }
        }
    }
    fn scale(&mut self, k: f64) {
        for v in self.iter_mut() {
            *v *= k;
        }
        self.row_mut(0)[1] *= k;
    }
    fn dot(&self, other: &Matrix) -> f64 {
        self.data()
            .iter()
            .zip(other.data())
            .map(|(a, b)| a * b)
            .sum::<f64>()
            + other.row(1)[0] * Self::row(self, 0)[1]
    }
}

fn matrix() -> Matrix {
    Matrix {
        rows: 3,
        cols: 3,
        data: vec![2.0, 0.3, -0.4, 0.7, 1.8, 0.2, -0.1, 0.6, 2.4],
    }
}

#[adjoint]
fn matvec(m: &Matrix, x: &[f64], y: &mut [f64]) {
    m.matvec(x, y);
}

#[adjoint]
fn norms(m: &Matrix) -> f64 {
    m.norm_sq()
}

#[adjoint]
fn eliminated(m: &mut Matrix) {
    m.eliminate();
}

#[adjoint]
fn normalized(m: &mut Matrix, k: f64) {
    m.normalize();
    m.scale(k);
}

#[adjoint]
fn product(a: &Matrix, b: &Matrix) -> f64 {
    a.dot(b)
}

#[test]
fn methods_by_accessors() {
    let m = matrix();
    check!(matvec(&m, &vec![0.4, -1.2, 0.9], &mut vec![0.0; 3]));
    check!(norms(&m) -> f64);
    check!(eliminated(&mut m));
    check!(normalized(&mut m, 1.3));
    let other = Matrix {
        data: m.data.iter().rev().copied().collect(),
        ..m.clone()
    };
    check!(product(&m, &other) -> f64);
}

/// Several types and functions that see each other.
#[adjoint]
mod solvers {
    use adjoint::Differentiable;

    #[derive(Clone, Differentiable, Debug)]
    pub struct Dense<const N: usize> {
        pub a: [[f64; N]; N],
    }

    impl<const N: usize> Dense<N> {
        fn row(&self, i: usize) -> &[f64; N] {
            &self.a[i]
        }
        fn entry(&mut self, i: usize, j: usize) -> &mut f64 {
            &mut self.a[i][j]
        }
        fn diagonal(&self) -> impl Iterator<Item = f64> + '_ {
            (0..N).map(|i| self.a[i][i])
        }
    }

    #[derive(Clone, Differentiable, Debug)]
    pub struct Grid {
        pub nx: usize,
        pub now: Vec<f64>,
        pub next: Vec<f64>,
    }

    impl Grid {
        fn at(&self, i: isize) -> &f64 {
            &self.now[i.rem_euclid(self.nx as isize) as usize]
        }
        fn buffers(&mut self) -> (&[f64], &mut [f64]) {
            (&self.now, &mut self.next)
        }
        fn last(&self) -> Option<&f64> {
            self.now.last()
        }
        fn interior(&mut self) -> &mut [f64] {
            let n = self.nx;
            &mut self.now[1..n - 1]
        }
    }

    pub fn trace<const N: usize>(m: &Dense<N>, x: &[f64; N]) -> f64 {
        let mut s: f64 = m.diagonal().sum();
        for i in 0..N {
            s += m.row(i).iter().zip(x).map(|(a, b)| a * b).sum::<f64>() * x[i];
        }
        s
    }

    pub fn set(m: &mut Dense<2>, v: f64) -> f64 {
        *m.entry(0, 1) = v * v;
        *m.entry(1, 0) += m.row(0)[1] * m.row(1)[1];
        m.row(1)[0]
    }

    pub fn diffuse(g: &mut Grid, nu: f64, steps: usize) -> f64 {
        for _ in 0..steps {
            for i in 0..g.nx as isize {
                let lap = g.at(i - 1) - 2.0 * g.at(i) + g.at(i + 1);
                g.next[i as usize] = g.at(i) + nu * lap * g.at(i);
            }
            std::mem::swap(&mut g.now, &mut g.next);
        }
        let (now, next) = g.buffers();
        for (a, b) in now.iter().zip(next) {
            *b *= a;
        }
        g.interior()[0] *= nu;
        let tail = g.last().copied().unwrap_or(0.0);
        tail * g.next[0]
    }
}

use solvers::{Dense, Grid};

type Dense2 = Dense<2>;

flat!(Dense2 { a });
flat!(Grid { now, next });

#[test]
fn types_that_see_each_other() {
    let m = Dense {
        a: [[1.5, 0.4], [-0.3, 0.8]],
    };
    check!(solvers::trace(&m, &[0.3, -1.1]) -> f64);
    check!(solvers::set(&mut m, 0.9) -> f64);
    let g = Grid {
        nx: 4,
        now: vec![0.3, 1.2, -0.5, 0.8],
        next: vec![0.0; 4],
    };
    check!(solvers::diffuse(&mut g, 0.2, const 2) -> f64);
}
