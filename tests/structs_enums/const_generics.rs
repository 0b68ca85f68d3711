//! Matrices with constants of their type as extents, which only a function outside specifies.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Copy, Debug, Differentiable)]
struct Matrix<const R: usize, const C: usize>([[f64; C]; R]);

#[adjoint]
impl<const R: usize, const C: usize> Matrix<R, C> {
    fn transposed(&self) -> Matrix<C, R> {
        let mut out = Matrix::<C, R>([[0.0; R]; C]);
        for i in 0..R {
            for j in 0..C {
                out.0[j][i] = self.0[i][j];
            }
        }
        out
    }

    /// Sums of what is not seen here, into what is not seen.
    fn times<const K: usize>(&self, other: &Matrix<C, K>) -> Matrix<R, K> {
        let mut out = Matrix::<R, K>([[0.0; K]; R]);
        for i in 0..R {
            for k in 0..K {
                out.0[i][k] = (0..C).map(|j| self.0[i][j] * other.0[j][k]).sum();
            }
        }
        out
    }

    /// The sum and the product of each row, in its first two columns.
    fn reduced(&self) -> Matrix<R, 2> {
        let mut out = Matrix::<R, 2>([[0.0; 2]; R]);
        for (row, of) in out.0.iter_mut().zip(&self.0) {
            row[0] = of.iter().sum();
            row[1] = of.iter().product();
        }
        out
    }

    fn plus(&self, other: &Matrix<R, C>) -> Matrix<R, C> {
        let mut out = *self;
        for (a, b) in out.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *a += *b;
        }
        out
    }

    fn total(&self, k: f64) -> f64 {
        self.0.iter().flatten().map(|v| v * k).sum()
    }
}

/// Without the constants, which the fields tell.
#[adjoint]
fn of_literals(k: f64) -> f64 {
    let row = Matrix([[k, 1.0, k * k]]);
    let pair = Matrix::<1, 2>([[k, 3.0]]);
    let turned = row.transposed().total(k);
    turned + pair.total(k) * pair.transposed().total(2.0)
}

#[test]
fn literals_with_and_without_constants() {
    check!(of_literals(0.4) -> f64);
}

/// The likelihood of a Kalman filter for position and velocity.
#[adjoint]
fn filtered(seen: &[f64], q: f64, r: f64) -> f64 {
    let step = 0.1;
    let f = Matrix::<2, 2>([[1.0, step], [0.0, 1.0]]);
    let mut x = Matrix::<2, 1>([[0.0], [0.0]]);
    let mut p = Matrix::<2, 2>([[1.0, 0.0], [0.0, 1.0]]);
    let mut likelihood = 0.0;
    for &z in seen {
        x = f.times(&x);
        p = f.times(&p).times(&f.transposed());
        p.0[0][0] += q * step;
        p.0[1][1] += q;
        let s = p.0[0][0] + r;
        let y = z - x.0[0][0];
        let gain = [p.0[0][0] / s, p.0[1][0] / s];
        x = x.plus(&Matrix([[gain[0] * y], [gain[1] * y]]));
        let first = p.0[0];
        for (row, g) in p.0.iter_mut().zip(gain) {
            for (v, h) in row.iter_mut().zip(first) {
                *v -= g * h;
            }
        }
        likelihood -= 0.5 * (y * y / s + s.ln());
    }
    likelihood
}

#[test]
fn a_filter_of_small_matrices() {
    check!(filtered(&[0.2, 0.5, 0.4, 0.9, 1.3], 0.3, 0.2) -> f64);
    check!(filtered(&[0.5; 0], 0.3, 0.2) -> f64);
}

#[adjoint]
fn of_rows(x: &[f64], k: f64) -> f64 {
    let m = Matrix::<2, 3>([[x[0], x[1], k], [x[2], k * k, x[3]]]);
    let reduced = m.reduced();
    reduced.total(k) + reduced.times(&m).total(0.5)
}

#[test]
fn sums_and_products_of_rows() {
    check!(of_rows(&[0.3, -0.7, 1.1, 0.4], 0.9) -> f64);
    check!(of_rows(&[0.3, -0.0, 0.0, 0.4], 0.9) -> f64);
}

#[adjoint]
mod transposed {
    use adjoint::Differentiable;
    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct SMat<const R: usize, const C: usize> {
        pub d: [[f64; C]; R],
    }
    impl<const R: usize, const C: usize> SMat<R, C> {
        pub fn zeros() -> Self {
            SMat { d: [[0.0; C]; R] }
        }
        pub fn transpose(&self) -> SMat<C, R> {
            let mut t = SMat::<C, R>::zeros();
            for i in 0..R {
                for j in 0..C {
                    t.d[j][i] = self.d[i][j];
                }
            }
            t
        }
        pub fn turned(&self) -> SMat<C, R> {
            let mut t: SMat<C, R> = SMat::zeros();
            for i in 0..R {
                for j in 0..C {
                    t.d[j][i] = self.d[i][j];
                }
            }
            t
        }
        pub fn mul<const K: usize>(&self, o: &SMat<C, K>) -> SMat<R, K> {
            let mut t = SMat::<R, K>::zeros();
            for i in 0..R {
                for j in 0..K {
                    for k in 0..C {
                        t.d[i][j] += self.d[i][k] * o.d[k][j];
                    }
                }
            }
            t
        }
        pub fn gram(&self) -> SMat<C, C> {
            let t = self.transpose();
            let u = t.transpose();
            t.mul(&u)
        }
        pub fn back(o: &SMat<C, R>) -> Self {
            let t = o.transpose();
            let mut s = Self::zeros();
            for i in 0..R {
                for j in 0..C {
                    s.d[i][j] = t.d[i][j] * 2.0;
                }
            }
            s
        }
    }
    pub fn of_transpose(x: [[f64; 2]; 1]) -> f64 {
        let t = SMat { d: x }.transpose();
        t.d[0][0] * t.d[1][0]
    }
    pub fn of_gram(x: [[f64; 2]; 3]) -> f64 {
        let t = SMat { d: x }.gram();
        let u = SMat { d: x }.turned();
        t.d[0][1] * t.d[1][0] + SMat::back(&u).d[2][1]
    }
}

#[test]
fn a_type_has_other_arguments_in_its_own_methods() {
    use transposed::*;
    check!(of_transpose([[0.3, 0.8]]) -> f64);
    check!(of_gram([[0.3, 0.8], [1.1, -0.3], [0.2, 0.7]]) -> f64);
}
