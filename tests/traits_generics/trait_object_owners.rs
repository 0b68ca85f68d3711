//! Owners of boxed trait objects, with operators and a `Clone` written by hand, and names that closures have, too.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod m {
    use adjoint::Differentiable;
    use std::ops::{Add, Mul};
    pub trait Shape {
        fn area(&self) -> f64;
        fn box_clone(&self) -> Box<dyn Shape + Send>;
    }
    #[derive(Clone, Differentiable)]
    pub struct Square {
        a: f64,
    }
    #[derive(Clone, Copy, Differentiable)]
    pub struct Disc {
        r: f64,
    }
    impl Shape for Square {
        fn area(&self) -> f64 {
            self.a * self.a
        }
        fn box_clone(&self) -> Box<dyn Shape + Send> {
            Box::new(Square { a: self.a })
        }
    }
    impl Shape for Disc {
        fn area(&self) -> f64 {
            3.0 * self.r * self.r
        }
        fn box_clone(&self) -> Box<dyn Shape + Send> {
            Box::new(*self)
        }
    }
    pub struct Scene {
        shapes: Vec<Box<dyn Shape + Send>>,
        k: f64,
    }
    impl Clone for Scene {
        fn clone(&self) -> Self {
            Scene {
                shapes: self.shapes.iter().map(|s| s.box_clone()).collect(),
                k: self.k,
            }
        }
    }
    impl Scene {
        #[adjoint(wrt(self))]
        fn total(&self) -> f64 {
            self.k * self.shapes.iter().map(|s| s.area()).sum::<f64>()
        }
    }
    impl Add<Box<dyn Shape + Send>> for Scene {
        type Output = Scene;
        fn add(mut self, s: Box<dyn Shape + Send>) -> Scene {
            self.shapes.push(s);
            self
        }
    }
    impl Mul<f64> for Disc {
        type Output = Disc;
        fn mul(self, k: f64) -> Disc {
            let b: Box<dyn Shape> = Box::new(self);
            Disc {
                r: self.r * k * b.area(),
            }
        }
    }
    fn make(a: f64) -> Box<dyn Shape + Send> {
        Box::new(Square { a })
    }
    pub fn inner(a: f64, b: f64) -> f64 {
        let make = |a: f64| Box::new(Disc { r: a * 2.0 });
        let s = make(a);
        s.area() * b
    }
    pub fn outer(a: f64, b: f64) -> f64 {
        let scene = Scene {
            shapes: vec![make(a)],
            k: b,
        };
        let more = scene.clone() + make(b) + make(a * b);
        let d = Disc { r: b } * a;
        more.total() * scene.total() + d.area()
    }
}
use m::*;

#[test]
fn scenes() {
    check!(inner(0.3, 0.7) -> f64);
    check!(outer(0.3, 0.7) -> f64);
}
