//! Operators of generic structs, whose results have fields, and sums by them.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
mod pairs {
    use std::ops::Mul;

    use adjoint::Differentiable;
    use num_traits::Float;

    #[derive(Clone, Copy, Differentiable)]
    pub struct V<T> {
        pub x: T,
        pub y: T,
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Q<T> {
        pub w: T,
        pub v: V<T>,
    }

    impl<T: Float> Mul<T> for V<T> {
        type Output = V<T>;
        fn mul(self, h: T) -> V<T> {
            let V { x, y } = self;
            V { x: x * h, y: y * h }
        }
    }

    impl<T: Float> Mul for Q<T> {
        type Output = Q<T>;
        fn mul(self, o: Q<T>) -> Q<T> {
            let (x, y) = (self.w * o.v.y, self.v.y * o.w);
            let w = self.w * o.w - self.v.x * o.v.x;
            Q { w, v: V { x, y } }
        }
    }

    pub fn named<T: Float>(q: Q<T>, h: T) -> Q<T> {
        let d: Q<T> = q * q;
        let v = d.v * h;
        Q { w: v.x, v }
    }

    pub fn in_a_literal<T: Float>(q: Q<T>, h: T) -> Q<T> {
        let d = q * q;
        Q { w: h, v: d.v * h }
    }

    pub fn on_the_spot(mut q: Q<f64>, h: f64) -> Q<f64> {
        q.v = (q * q).v * h;
        q
    }
}

#[adjoint]
fn all(w: f64, x: f64, y: f64, h: f64) -> [f64; 9] {
    let q: pairs::Q<f64> = pairs::Q {
        w,
        v: pairs::V { x, y },
    };
    let a: pairs::Q<f64> = pairs::named(q, h);
    let b: pairs::Q<f64> = pairs::in_a_literal(q, h);
    let c: pairs::Q<f64> = pairs::on_the_spot(q, h);
    [a.w, a.v.x, a.v.y, b.w, b.v.x, b.v.y, c.w, c.v.x, c.v.y]
}

#[adjoint]
mod matrices {
    use std::ops::{Add, Mul};

    use adjoint::Differentiable;

    #[derive(Clone, Copy, Differentiable)]
    pub struct M<const R: usize, const C: usize> {
        pub a: [[f64; C]; R],
    }

    impl<const R: usize, const C: usize, const K: usize> Mul<M<C, K>> for M<R, C> {
        type Output = M<R, K>;
        fn mul(self, o: M<C, K>) -> M<R, K> {
            let mut a = [[0.0; K]; R];
            for (i, row) in a.iter_mut().enumerate() {
                for (j, v) in row.iter_mut().enumerate() {
                    *v = (0..C).map(|l| self.a[i][l] * o.a[l][j]).sum();
                }
            }
            M { a }
        }
    }

    impl<const R: usize, const C: usize> Add for M<R, C> {
        type Output = Self;
        fn add(mut self, o: Self) -> Self {
            for i in 0..R {
                for j in 0..C {
                    self.a[i][j] += o.a[i][j];
                }
            }
            self
        }
    }

    impl<const R: usize, const C: usize> Mul<f64> for M<R, C> {
        type Output = Self;
        fn mul(mut self, h: f64) -> Self {
            self.a.iter_mut().flatten().for_each(|v| *v *= h);
            self
        }
    }

    pub fn products(x: f64, y: f64) -> f64 {
        let m = M {
            a: [[x, y], [y, x * y]],
        };
        let r = m * M { a: [[x], [2.0]] };
        let w = (m * m * r).a[0][0];
        w + r.a[1][0] * (m + m * 2.0).a[1][1]
    }
}

#[adjoint]
mod sums {
    use super::*;

    #[derive(Clone, Copy, Differentiable)]
    pub struct Dual {
        pub v: f64,
        pub d: f64,
    }

    impl std::ops::Add for Dual {
        type Output = Dual;
        fn add(self, o: Dual) -> Dual {
            let (v, d) = (self.v + o.v, self.d + o.d);
            Dual { v, d }
        }
    }

    impl std::iter::Sum for Dual {
        fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
            iter.fold(Self { v: 0.0, d: 0.0 }, |a, b| a + b)
        }
    }

    pub fn of_squares(x: &[f64]) -> f64 {
        let d: Dual = x.iter().map(|&a| Dual { v: a, d: a * a }).sum();
        d.v * d.d
    }
}

#[test]
fn fields_of_results() {
    check!(all(0.3, 0.5, -0.2, 1.5) -> [f64; 9]);
    check!(matrices::products(0.3, 0.5) -> f64);
    check!(sums::of_squares(&[0.3, 0.5]) -> f64);
    check!(sums::of_squares(&[]) -> f64);
}
