//! Results and parameters by the paths of associated types: `<Rma as Method>::Output`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
pub mod a {
    use adjoint::Differentiable;
    use std::ops::{Add, Mul};
    pub trait Method {
        type Input;
        type Output;
        fn next(&mut self, value: &Self::Input) -> Self::Output;
        fn peek(&self) -> <Self as Method>::Output;
    }
    #[derive(Clone, Differentiable)]
    pub struct Rma {
        alpha: f64,
        prev: f64,
    }
    impl Method for Rma {
        type Input = f64;
        type Output = Self::Input;
        fn next(&mut self, &value: &Self::Input) -> Self::Output {
            self.prev += self.alpha * (value - self.prev);
            self.peek()
        }
        fn peek(&self) -> <Self as Method>::Output {
            self.prev * 1.0
        }
    }
    #[derive(Clone, Differentiable)]
    pub struct Two {
        a: Rma,
        b: f64,
    }
    impl Method for Two {
        type Input = <Rma as Method>::Input;
        type Output = (f64, <Rma as Method>::Output);
        fn next(&mut self, value: &Self::Input) -> Self::Output {
            let a = self.a.next(value);
            self.b += a * a;
            (self.b, a)
        }
        fn peek(&self) -> <Self as Method>::Output {
            (self.b, self.a.peek())
        }
    }
    fn sq(x: f64) -> <Rma as Method>::Output {
        x * x
    }
    fn cube(x: <Rma as Method>::Input) -> <f64 as Mul>::Output {
        x * x * x
    }
    fn generic<M: Method<Input = f64>>(m: &mut M, x: &[f64]) -> <M as Method>::Output {
        for v in x {
            m.next(v);
        }
        m.peek()
    }
    fn short<M>(m: &mut M, x: &[f64]) -> M::Output
    where
        M: Method<Input = f64>,
    {
        for v in x {
            m.next(v);
        }
        m.peek()
    }
    pub fn f(x: &[f64]) -> f64 {
        let mut r = Rma {
            alpha: 0.3,
            prev: x[0],
        };
        let mut s = 0.0;
        for v in x {
            s += r.next(v);
        }
        let mut t = Two {
            a: r.clone(),
            b: x[1],
        };
        let (u, v) = generic(&mut t, x);
        let w: <Rma as Method>::Output = short(&mut r, x);
        s + sq(x[0]) + cube(x[1]) + generic(&mut r, x) + u * v + w
    }
    fn added<T: Copy + Add>(a: T, b: T) -> <T as Add>::Output {
        a + b
    }
    pub fn g(x: f64, y: f64) -> f64 {
        added(x, y) * added(x * y, y)
    }
}
use a::*;
#[test]
fn by_their_paths() {
    check!(f(&[0.3, 0.7, 1.2]) -> f64);
}
#[test]
fn of_operators() {
    check!(g(0.3, 0.7) -> f64);
}

#[adjoint]
mod of_supertraits {
    pub trait Space {
        type Scalar;
        fn dot(&self, o: &Self) -> Self::Scalar;
    }
    pub trait Inner: Space<Scalar = f64> {
        fn square(&self) -> Self::Scalar {
            self.dot(self)
        }
        fn length(&self) -> f64 {
            let s: Self::Scalar = self.square();
            s.sqrt()
        }
    }
    #[derive(Clone, Copy, adjoint::Differentiable)]
    pub struct V {
        x: f64,
        y: f64,
    }
    impl Space for V {
        type Scalar = f64;
        fn dot(&self, o: &V) -> f64 {
            self.x * o.x + self.y * o.y
        }
    }
    impl Inner for V {}
    pub fn f(x: f64) -> f64 {
        let v = V { x, y: x * x };
        v.square() * v.length()
    }
}

#[test]
fn of_a_supertrait() {
    check!(of_supertraits::f(0.3) -> f64);
}
