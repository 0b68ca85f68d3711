//! Methods of traits, of types that are known at the call.

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

/// What is generic over a trait that is seen is written out for the types of its arguments.
#[adjoint]
mod generic {
    use super::Differentiable;

    pub trait System {
        fn rhs(&self, y: &[f64], dy: &mut [f64]);
        fn dim(&self) -> usize;
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Lorenz {
        pub rho: f64,
    }
    #[derive(Clone, Debug, Differentiable)]
    pub struct Decay {
        pub rate: Vec<f64>,
    }

    impl System for Lorenz {
        fn rhs(&self, y: &[f64], dy: &mut [f64]) {
            dy[0] = 10.0 * (y[1] - y[0]);
            dy[1] = y[0] * (self.rho - y[2]) - y[1];
            dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
        }
        fn dim(&self) -> usize {
            3
        }
    }

    impl System for Decay {
        fn rhs(&self, y: &[f64], dy: &mut [f64]) {
            for ((d, r), y) in dy.iter_mut().zip(&self.rate).zip(y) {
                *d = -r * y * y;
            }
        }
        fn dim(&self) -> usize {
            self.rate.len()
        }
    }

    fn euler<S: System>(system: &S, y: &mut [f64], h: f64, n: usize) {
        let mut dy = vec![0.0; system.dim()];
        for _ in 0..n {
            system.rhs(y, &mut dy);
            for (y, d) in y.iter_mut().zip(&dy) {
                *y += h * d;
            }
        }
    }

    fn energy(system: &dyn System, y: &[f64]) -> f64 {
        let mut dy = vec![0.0; y.len()];
        system.rhs(y, &mut dy);
        dy.iter().zip(y).map(|(d, y)| d * y).sum()
    }

    fn scaled(system: impl System, y: &[f64], k: f64) -> f64 {
        k * energy(&system, y)
    }

    pub fn both(rho: f64, rate: &[f64], h: f64) -> f64 {
        let (lorenz, decay) = (
            Lorenz { rho },
            Decay {
                rate: rate.to_vec(),
            },
        );
        let mut y = [1.0, 0.5, 0.2];
        euler(&lorenz, &mut y, h, 3);
        let mut z = rate.to_vec();
        euler(&decay, &mut z, h, 2);
        energy(&lorenz, &y) * z[0] + scaled(decay, &z, h)
    }
}

#[test]
fn functions_generic_over_traits() {
    check!(generic::both(2.8, &vec![0.4, 0.7], 0.05) -> f64);
}
