//! Boxed trait objects, and structs that hold them, sorted.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod m {
    use adjoint::Differentiable;
    pub trait Shape {
        fn area(&self) -> f64;
    }
    #[derive(Clone, Differentiable)]
    pub struct Square {
        a: f64,
    }
    impl Shape for Square {
        fn area(&self) -> f64 {
            self.a * self.a
        }
    }
    struct Held {
        b: Box<dyn Shape>,
        k: usize,
    }
    pub fn boxes(x: &[f64], m: usize) -> f64 {
        let mut v: Vec<Box<dyn Shape>> = x
            .iter()
            .map(|&a| Box::new(Square { a }) as Box<dyn Shape>)
            .collect();
        v.sort_unstable_by_key(|b| (b.area() * m as f64) as i64);
        v.iter().enumerate().map(|(i, b)| i as f64 * b.area()).sum()
    }
    pub fn held(x: &[f64], m: usize) -> f64 {
        let mut v: Vec<Held> = x
            .iter()
            .enumerate()
            .map(|(i, &a)| Held {
                b: Box::new(Square { a }),
                k: i % m,
            })
            .collect();
        v.sort_by_key(|b| b.k);
        v.iter()
            .enumerate()
            .map(|(i, b)| i as f64 * b.b.area())
            .sum()
    }
}
use m::*;
#[test]
fn by_what_their_methods_give() {
    let x: Vec<f64> = (0..60).map(|i| (f64::from(i) * 1.7).sin()).collect();
    check!(boxes(&x, const 3) -> f64);
    check!(held(&x, const 3) -> f64);
}
