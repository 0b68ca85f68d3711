//! Methods that traits with parameters provide.

use crate::common::check;

#[adjoint::adjoint]
mod odes {
    use adjoint::Differentiable;

    pub trait Ode<const N: usize> {
        fn slope(&self, y: &[f64; N]) -> [f64; N];

        fn again(&self, y: &[f64; N]) -> [f64; N] {
            let a = self.slope(y);
            let mut b = [0.0; N];
            for i in 0..N {
                b[i] = a[i] * y[i];
            }
            self.slope(&b)
        }

        fn norm(&self, y: &[f64; N]) -> f64 {
            self.slope(y).iter().map(|v| v * v).sum()
        }

        fn scaled(&self, x: f64) -> f64 {
            x * x * N as f64
        }
    }

    pub trait Kernel<T> {
        fn at(&self, x: T) -> T;

        fn thrice(&self, x: T) -> T {
            self.at(self.at(self.at(x)))
        }
    }

    #[derive(Clone, Differentiable)]
    pub struct Decay {
        pub k: f64,
    }

    impl Ode<2> for Decay {
        fn slope(&self, y: &[f64; 2]) -> [f64; 2] {
            [-self.k * y[0], y[1] * self.k]
        }
    }

    impl Kernel<f64> for Decay {
        fn at(&self, x: f64) -> f64 {
            self.k * x.sin()
        }
    }

    pub trait Rule<T = f64> {
        fn rule(&self, x: T) -> f64;

        fn doubled(&self, x: T) -> f64 {
            let y = self.rule(x);
            y * y
        }
    }

    impl Rule for Decay {
        fn rule(&self, x: f64) -> f64 {
            self.k * x
        }
    }

    /// Two of one trait, each with what it provides.
    #[derive(Clone, Differentiable)]
    pub struct Both {
        pub k: f64,
    }

    impl Ode<2> for Both {
        fn slope(&self, y: &[f64; 2]) -> [f64; 2] {
            [-self.k * y[0], y[1] * self.k]
        }
    }

    impl Ode<3> for Both {
        fn slope(&self, y: &[f64; 3]) -> [f64; 3] {
            [-self.k * y[0], y[1] * self.k, y[2]]
        }
    }

    pub fn decay(x: &[f64]) -> f64 {
        let d = Decay { k: x[0] };
        let r = d.again(&[x[1], 1.0]);
        r[0] * r[1] * d.norm(&[x[1], x[0]]) * d.scaled(x[1])
    }

    pub fn kernel(x: &[f64]) -> f64 {
        let d = Decay { k: x[0] };
        d.thrice(x[1]) * d.doubled(x[0])
    }

    pub fn both(x: &[f64]) -> f64 {
        let b = Both { k: x[0] };
        let r = b.slope(&[x[1], x[0]]);
        let s = b.again(&[x[1], x[0], 2.0]);
        r[0] * r[1] + s[0] * s[2] * b.norm(&[x[0], x[1]])
    }
}

#[test]
fn with_what_the_parameters_stand_for() {
    check!(odes::decay(&[0.3, 0.7]) -> f64);
    check!(odes::kernel(&[0.3, 0.7]) -> f64);
    check!(odes::both(&[0.3, 0.7]) -> f64);
}
