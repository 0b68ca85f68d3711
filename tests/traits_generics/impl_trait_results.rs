//! Results whose type is a trait alone: `-> impl Into<f64>`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod hidden {
    pub trait Law {
        fn at(&self, x: f64) -> f64;
    }
    #[derive(Clone, adjoint::Differentiable)]
    pub struct Lin(f64);
    impl Law for Lin {
        fn at(&self, x: f64) -> f64 {
            self.0 * x
        }
    }
    fn sq(x: f64) -> impl Into<f64> {
        x * x
    }
    fn law(x: f64) -> impl Law {
        Lin(x * x)
    }
    fn num(x: f64) -> impl std::ops::Mul<f64, Output = f64> + Copy {
        x * 2.0
    }
    fn list(x: f64) -> impl std::ops::Deref<Target = [f64]> {
        vec![x, x * x]
    }
    pub fn into(x: f64) -> f64 {
        let v: f64 = sq(x).into();
        v + law(x).at(x) + num(x) * x + list(x)[1]
    }
}
#[adjoint]
fn inner(x: f64) -> f64 {
    fn g(x: f64) -> impl Into<f64> {
        x * x
    }
    let v: f64 = g(x).into();
    v
}
use hidden::*;

#[test]
fn what_it_is_the_body_tells() {
    check!(into(0.7) -> f64);
    check!(inner(0.7) -> f64);
}
