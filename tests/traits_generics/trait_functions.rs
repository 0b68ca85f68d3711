//! Functions of traits, called by the name of the trait on types that the macro does not see.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

trait Law {
    fn rate(x: f64) -> f64;
    fn scaled(&self, x: f64) -> f64;
    fn pair(x: f64) -> (f64, f64);
}

#[derive(Clone, Copy, Default, Differentiable)]
struct Linear {
    k: f64,
}

#[derive(Clone, Copy, Default, Differentiable)]
struct Wave;

#[adjoint]
impl Law for Linear {
    fn rate(x: f64) -> f64 {
        x * x
    }

    fn scaled(&self, x: f64) -> f64 {
        self.k * x * x
    }

    fn pair(x: f64) -> (f64, f64) {
        (x, x * x)
    }
}

#[adjoint]
impl Law for Wave {
    fn rate(x: f64) -> f64 {
        x.sin()
    }

    fn scaled(&self, x: f64) -> f64 {
        x.cos()
    }

    fn pair(x: f64) -> (f64, f64) {
        (x.sin(), x * x)
    }
}

#[adjoint]
fn sum(x: f64) -> f64 {
    <Linear as Law>::rate(x) + <Wave as Law>::rate(x) * <Linear as Law>::rate(x).sqrt()
}

#[adjoint]
fn of_type(x: f64) -> f64 {
    <Linear>::rate(x) * <Wave>::rate(x)
}

#[adjoint]
fn on_values(x: f64) -> f64 {
    let law = Linear { k: x };
    <Linear as Law>::scaled(&law, x) * law.scaled(x) * <Wave as Law>::scaled(&Wave, x)
}

#[adjoint]
fn pairs(x: f64) -> f64 {
    let (a, b) = <Linear as Law>::pair(x);
    let c = <Wave as Law>::pair(a * b);
    c.0 * c.1
}

#[test]
fn each_type_has_its_own() {
    check!(sum(0.7) -> f64);
    check!(of_type(0.7) -> f64);
    check!(on_values(0.7) -> f64);
    check!(pairs(0.7) -> f64);
}
