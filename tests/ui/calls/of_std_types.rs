//! Methods that traits give to types of std's by names of their own.

use adjoint::adjoint;

#[adjoint]
mod kernels {
    use adjoint::Differentiable;

    pub trait Smooth {
        fn abs(&self) -> f64;
        fn sin(&self) -> f64;
        fn cos(self) -> f64;
    }

    impl Smooth for f64 {
        fn abs(&self) -> f64 {
            (*self * *self + 0.01).powf(0.5)
        }
        // Handed on, so it is the same.
        fn sin(&self) -> f64 {
            f64::sin(*self)
        }
        // By value, std's comes first.
        fn cos(self) -> f64 {
            self
        }
    }

    pub fn smooth(x: &[f64]) -> f64 {
        x.iter().map(|v| v.abs() + v.sin() + v.cos()).sum()
    }

    pub trait Vector {
        fn len(&self) -> usize;
        fn reverse(&mut self);
    }

    impl Vector for [f64; 3] {
        fn len(&self) -> usize {
            2
        }
        fn reverse(&mut self) {
            self[0] *= 2.0;
        }
    }

    pub fn reversed(a: &[f64; 3], k: f64) -> f64 {
        let mut b = *a;
        b.reverse();
        b[0] * k + b[b.len() - 1]
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Gain {
        k: f64,
    }

    pub trait Scale {
        fn up(&self) -> f64;
    }

    impl Gain {
        fn up(self) -> f64 {
            self.k * 2.0
        }
    }

    impl Scale for Gain {
        fn up(&self) -> f64 {
            self.k * self.k
        }
    }

    pub fn gains(gains: &[Gain]) -> f64 {
        gains.iter().map(|g| g.up()).sum()
    }
}

fn main() {}
