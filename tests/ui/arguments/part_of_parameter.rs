use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Model {
    a: f64,
}

#[adjoint(wrt(model.a))]
fn field(model: &Model, x: f64) -> f64 {
    model.a * x
}

#[adjoint(wrt(x), of(y[0]))]
fn element(x: f64, y: &mut [f64]) {
    y[0] = x * x;
}

fn main() {}
