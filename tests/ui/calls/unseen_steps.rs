//! Methods named like those of numbers whose derivative is zero, of fields that are not seen.

use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Account {
    v: f64,
}

#[adjoint]
impl Account {
    fn floor(&self) -> f64 {
        self.v * self.v
    }

    fn signum(&self) -> f64 {
        self.v * 3.0
    }
}

#[derive(Clone, Differentiable)]
struct Holder {
    a: Account,
    all: Vec<Account>,
}

#[adjoint]
impl Holder {
    fn total(&self, k: f64) -> f64 {
        self.a.floor() * k
    }

    fn signs(&self, k: f64) -> f64 {
        self.all.iter().map(|a| a.signum() * k).sum::<f64>()
    }
}

fn main() {}
