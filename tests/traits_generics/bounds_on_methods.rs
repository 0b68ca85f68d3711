//! Bounds that stand on methods (`where T: Mul<Output = T>`), and helpers without bounds.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod bounded {
    use adjoint::Differentiable;
    use num_traits::Float;
    use std::ops::{Add, Mul, Sub};
    pub trait Kernel {
        fn k(&self, a: f64) -> f64;
    }
    #[derive(Debug, Clone, Copy, Differentiable)]
    pub struct Sq {
        w: f64,
    }
    impl Kernel for Sq {
        fn k(&self, a: f64) -> f64 {
            self.w * a * a
        }
    }
    #[derive(Debug, Clone, Differentiable)]
    pub struct S<T>(Vec<T>);
    impl<T: Copy> S<T> {
        pub fn sample(&self, t: f64) -> f64
        where
            T: Kernel,
        {
            self.0[0].k(t)
        }
    }
    pub fn f(a: f64) -> f64 {
        let s = S(vec![Sq { w: a }]);
        s.sample(a)
    }
    #[derive(Clone, Copy, Differentiable)]
    pub struct V<T> {
        x: T,
        y: T,
    }
    impl<T: Copy> V<T> {
        fn new(x: T, y: T) -> Self {
            V { x, y }
        }
        fn dot(self, o: Self) -> T
        where
            T: Mul<Output = T> + Add<Output = T>,
        {
            self.x * o.x + self.y * o.y
        }
        fn norm(self) -> T
        where
            T: Float,
        {
            self.dot(self).sqrt()
        }
        fn minus(self, o: Self) -> Self
        where
            T: Sub<Output = T>,
        {
            V {
                x: self.x - o.x,
                y: self.y - o.y,
            }
        }
        fn swapped(self) -> Self {
            V {
                x: self.y,
                y: self.x,
            }
        }
    }
    pub fn g(x: f64) -> f64 {
        let v = V { x, y: x * x };
        let w = V::new(x * 3.0, 1.0);
        v.dot(v) + v.minus(w).norm() * w.swapped().x
    }
    fn generic<T: Float>(x: T) -> T {
        let v = V { x, y: x * x };
        v.dot(v.swapped()) * v.norm()
    }
    pub fn h(x: f64) -> f64 {
        generic(x)
    }
}
#[test]
fn of_traits() {
    check!(bounded::f(0.3) -> f64);
}
#[test]
fn of_operators() {
    check!(bounded::g(0.3) -> f64);
}
#[test]
fn in_generic_functions() {
    check!(bounded::h(0.3) -> f64);
}

#[adjoint]
mod of_anything {
    use std::ops::Mul;
    fn row<T: Copy>(a: [[T; 2]; 3], i: usize) -> [T; 3] {
        [a[0][i], a[1][i], a[2][i]]
    }
    fn product<T: Copy + Mul<Output = T>>(a: [[T; 2]; 3]) -> T {
        let r = row(a, 0);
        r[0] * r[1] * row(a, 1)[2]
    }
    pub fn f(x: &[f64]) -> f64 {
        let m = [[x[0], x[1]], [x[2], x[3]], [x[0], x[2]]];
        product(m) + row(m, 1)[0]
    }
}

#[test]
fn helpers_of_anything() {
    check!(of_anything::f(&[0.3, 0.4, 0.5, 0.7]) -> f64);
}
