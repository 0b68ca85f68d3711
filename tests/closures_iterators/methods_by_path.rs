//! Methods that are called by their path, from outside of the `impl` and inside.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
struct Spring {
    stiffness: f64,
}

#[adjoint]
impl Spring {
    fn new(x: f64) -> Spring {
        Spring { stiffness: x * x }
    }

    fn unit() -> Spring {
        Spring { stiffness: 1.0 }
    }

    fn energy(&self, x: f64) -> f64 {
        self.stiffness * self.stiffness * x
    }

    fn stiffen(&mut self) -> f64 {
        self.stiffness *= self.stiffness;
        self.stiffness
    }

    fn couple(a: &Spring, b: &mut Spring) -> f64 {
        b.stiffness *= a.stiffness;
        b.stiffness * a.stiffness
    }

    fn inside(&self, k: f64) -> f64 {
        let mut other = Spring::new(k);
        let e = Self::energy(self, k) + Spring::stiffen(&mut other);
        e * Self::couple(self, &mut other)
    }
}

#[adjoint]
fn springs(x: &[f64], w: &mut [f64]) -> f64 {
    let mut first = Spring::new(x[0]);
    let mut all = [
        Spring::new(x[1]),
        Spring { stiffness: x[2] },
        Spring::unit(),
    ];
    let a = Spring::energy(&first, x[1]);
    let b = Spring::stiffen(&mut first);
    let c = Spring::couple(&first, &mut all[1]);
    let d: f64 = all.iter().map(|s| Spring::energy(s, w[0])).sum();
    let e = all.iter_mut().map(Spring::stiffen).last().unwrap();
    let f = all.iter().fold(0.0, |sum, s| sum + Spring::energy(s, sum));
    let g = Spring::inside(&first, x[2]) + first.inside(x[1]);
    w[1] *= Spring::energy(&all[0], c);
    a * b + c * d * e + f * w[1] + g
}

#[test]
fn methods_by_their_paths() {
    check!(springs(&[0.7, 1.3, 0.4], &mut [0.3, 0.2]) -> f64);
    check!(springs(&[-0.4, 0.6, 1.1], &mut [0.9, -0.7]) -> f64);
}
