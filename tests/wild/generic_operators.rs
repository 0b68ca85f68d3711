//! Operators of generic structs: what they make has fields.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[adjoint]
mod m {
    use super::*;
    use num_traits::Float;
    use std::ops::Mul;
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
            V {
                x: self.x * h,
                y: self.y * h,
            }
        }
    }
    impl<T: Float> Mul for Q<T> {
        type Output = Q<T>;
        fn mul(self, o: Q<T>) -> Q<T> {
            Q {
                w: self.w * o.w - self.v.x * o.v.x,
                v: V {
                    x: self.w * o.v.y,
                    y: self.v.y * o.w,
                },
            }
        }
    }
    pub fn s<T: Float>(q: Q<T>, h: T) -> V<T> {
        let d: Q<T> = q * q;
        let v = d.v * h;
        v
    }
    pub fn s2<T: Float>(q: Q<T>, h: T) -> Q<T> {
        let d = q * q;
        Q { w: h, v: d.v * h }
    }
    pub fn s3(mut q: Q<f64>, h: f64) -> Q<f64> {
        q.v = (q * q).v * h;
        q
    }
}
#[adjoint]
mod k {
    use super::*;
    use std::ops::{Add, Mul};
    #[derive(Clone, Copy, Differentiable)]
    pub struct M<const R: usize, const C: usize> {
        pub a: [[f64; C]; R],
    }
    impl<const R: usize, const C: usize, const K: usize> Mul<M<C, K>> for M<R, C> {
        type Output = M<R, K>;
        fn mul(self, o: M<C, K>) -> M<R, K> {
            let mut a = [[0.0; K]; R];
            for i in 0..R {
                for j in 0..K {
                    for l in 0..C {
                        a[i][j] += self.a[i][l] * o.a[l][j];
                    }
                }
            }
            M { a }
        }
    }
    impl<const R: usize, const C: usize> Add for M<R, C> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            let mut a = self.a;
            for i in 0..R {
                for j in 0..C {
                    a[i][j] += o.a[i][j];
                }
            }
            M { a }
        }
    }
    impl<const R: usize, const C: usize> Mul<f64> for M<R, C> {
        type Output = Self;
        fn mul(self, o: f64) -> Self {
            let mut a = self.a;
            for i in 0..R {
                for j in 0..C {
                    a[i][j] *= o;
                }
            }
            M { a }
        }
    }
    pub fn f(x: f64, y: f64) -> f64 {
        let m = M {
            a: [[x, y], [y, x * y]],
        };
        let v = M { a: [[x], [2.0]] };
        let r = m * v;
        let w = (m * m * r).a[0][0];
        let q = (m + m * 2.0).a;
        w + r.a[1][0] * q[1][1]
    }
}
#[test]
fn fields_of_results() {
    check!(s(0.3, 0.5, -0.2, 1.5) -> f64);
    check!(s2(0.3, 0.5, -0.2, 1.5) -> f64);
    check!(s3(0.3, 0.5, -0.2, 1.5) -> f64);
    check!(k::f(0.3, 0.5) -> f64);
}
#[adjoint]
fn s(w: f64, x: f64, y: f64, h: f64) -> f64 {
    let v: m::V<f64> = m::s(
        m::Q {
            w,
            v: m::V { x, y },
        },
        h,
    );
    v.x * v.y + v.x
}
#[adjoint]
fn s2(w: f64, x: f64, y: f64, h: f64) -> f64 {
    let q: m::Q<f64> = m::s2(
        m::Q {
            w,
            v: m::V { x, y },
        },
        h,
    );
    let v: m::V<f64> = q.v;
    v.x * v.y + v.x * q.w
}
#[adjoint]
fn s3(w: f64, x: f64, y: f64, h: f64) -> f64 {
    let q: m::Q<f64> = m::s3(
        m::Q {
            w,
            v: m::V { x, y },
        },
        h,
    );
    let v: m::V<f64> = q.v;
    v.x * v.y + v.x * q.w
}
