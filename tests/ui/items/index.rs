use std::iter::Sum;
use std::ops::Index;

use adjoint::adjoint;

struct Table {
    shift: f64,
    low: Vec<f64>,
    high: Vec<f64>,
}

#[adjoint]
impl Index<usize> for Table {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        if self.shift > 0.0 { &self.high[i] } else { &self.low[i] }
    }
}

struct Product(f64);

#[adjoint]
impl Sum for Product {
    fn sum<I: Iterator<Item = Product>>(iter: I) -> Product {
        iter.fold(Product(1.0), |a, b| Product(a.0 * b.0))
    }
}

fn main() {}
