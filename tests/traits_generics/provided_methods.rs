//! Provided methods of traits with parameters.

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

    pub trait Flow<const N: usize, T = f64> {
        const RATE: f64 = 0.5;

        fn slope(&self, y: &[f64; N], k: T) -> [f64; N];

        fn advance(&mut self, y: &mut [f64; N], k: T, n: usize) -> usize;

        /// Overwrites its argument, and leaves in two ways.
        fn many(&mut self, y: &mut [f64; N], k: f64, n: usize) -> f64 {
            let mut all = vec![0.0; N];
            let mut s = 0.0;
            for step in 0..n {
                let old = *y;
                for i in 0..N {
                    y[i] = Self::RATE * old[(i + 1) % N] * k + y[i];
                    all[i] += y[i] * s;
                }
                s += y[0] * all[N - 1];
                if s > 3.0 {
                    return s * y[1];
                }
                if step > 4 {
                    break;
                }
            }
            s * k + all[0]
        }
    }

    #[derive(Clone, Differentiable)]
    pub struct River {
        pub k: f64,
    }

    impl Flow<3> for River {
        fn slope(&self, y: &[f64; 3], k: f64) -> [f64; 3] {
            y.map(|v| v * k * self.k)
        }

        fn advance(&mut self, y: &mut [f64; 3], k: f64, n: usize) -> usize {
            for _ in 0..n {
                *y = self.slope(y, k);
                self.k *= y[0];
            }
            n
        }
    }

    pub fn flow(y: &mut [f64; 3], a: f64, k: f64, n: usize) -> f64 {
        let mut d = River { k: a };
        let r = d.many(y, k, n);
        let n = d.advance(y, r * 0.3, 2);
        r * d.k * n as f64 + d.many(y, d.k, 1)
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
    for n in [0, 1, 3, 9] {
        check!(odes::flow(&mut [0.3, 0.8, 0.5], 0.7, 0.4, const n) -> f64);
    }
    check!(odes::both(&[0.3, 0.7]) -> f64);
}
