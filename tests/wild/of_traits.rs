//! Methods of traits, of types that are known where they are called.

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::check;

trait Kernel {
    const SCALE: f64;
    type Params;
    fn params(&self) -> Self::Params;
    fn value(&self, r: f64) -> f64;
    fn scaled(&self, r: f64) -> f64;
}

#[derive(Clone, Debug, Differentiable)]
pub struct Gauss {
    width: f64,
    height: f64,
}

#[adjoint]
impl Kernel for Gauss {
    const SCALE: f64 = 0.5;
    type Params = [f64; 2];
    fn params(&self) -> Self::Params {
        [self.width * self.height, self.height]
    }
    fn value(&self, r: f64) -> f64 {
        self.height * (-(r / self.width).powi(2)).exp()
    }
    fn scaled(&self, r: f64) -> f64 {
        Self::SCALE * self.value(r * Self::SCALE) + self.params()[0]
    }
}

trait Evolve<T> {
    fn step(&mut self, dt: T);
    fn energy(&self) -> T;
}

#[derive(Clone, Debug, Differentiable)]
pub struct Body<T> {
    x: T,
    v: T,
}

#[adjoint]
impl<T: Float> Evolve<T> for Body<T> {
    fn step(&mut self, dt: T) {
        let a = -self.x.sin();
        self.v = self.v + a * dt;
        self.x = self.x + self.v * dt;
    }
    fn energy(&self) -> T {
        self.v * self.v + self.x * self.x
    }
}

#[adjoint]
fn potential(width: f64, x: &[f64]) -> f64 {
    let k = Gauss { width, height: 1.5 };
    x.iter().map(|&r| k.value(r) * k.scaled(r)).sum::<f64>() + k.params()[1]
}

#[adjoint]
fn swung(x: f64, v: f64, n: usize) -> f64 {
    let mut b = Body { x, v };
    for _ in 0..n {
        b.step(0.1);
    }
    b.energy()
}

#[adjoint]
mod seen {
    use super::Differentiable;

    pub trait Layer {
        fn weight(&self, i: usize) -> f64;
        fn size(&self) -> usize;
        /// Provided by the trait.
        fn apply(&self, x: &[f64]) -> f64 {
            (0..self.size())
                .map(|i| self.weight(i) * x[i])
                .sum::<f64>()
                .tanh()
        }
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Dense {
        pub w: Vec<f64>,
    }
    #[derive(Clone, Debug, Differentiable)]
    pub struct Tied {
        pub w: f64,
        pub n: usize,
    }

    impl Layer for Dense {
        fn weight(&self, i: usize) -> f64 {
            self.w[i] * self.w[0]
        }
        fn size(&self) -> usize {
            self.w.len()
        }
    }

    impl Layer for Tied {
        fn weight(&self, i: usize) -> f64 {
            self.w / (i + 1) as f64
        }
        fn size(&self) -> usize {
            self.n
        }
    }

    impl std::fmt::Display for Tied {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}", self.w)
        }
    }

    impl From<f64> for Tied {
        fn from(w: f64) -> Self {
            Tied { w: w * w, n: 2 }
        }
    }

    pub fn network(w: &[f64], k: f64, x: &[f64]) -> f64 {
        let dense = Dense { w: w.to_vec() };
        let tied = Tied::from(k);
        let h = dense.apply(x) * tied.apply(x);
        tied.weight(1) * h + dense.weight(1)
    }
}

#[test]
fn methods_of_traits() {
    check!(potential(0.8, &vec![0.3, -0.7, 1.2]) -> f64);
    check!(swung(0.8, 0.2, const 4) -> f64);
    check!(seen::network(&vec![0.3, -0.7], 1.2, &vec![0.4, 0.9]) -> f64);
}

#[test]
fn their_adjoints_are_methods() {
    let (k, mut k_adj) = (
        Gauss {
            width: 2.0,
            height: 3.0,
        },
        Gauss {
            width: 0.0,
            height: 0.0,
        },
    );
    let mut r_adj = 0.0;
    let value = k.value_adjoint(&mut k_adj, 2.0, &mut r_adj, 1.0);
    let e = (-1.0f64).exp();
    assert_eq!((value, k_adj.height, r_adj), (3.0 * e, e, -3.0 * e));
}
