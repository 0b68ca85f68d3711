//! Some kernels of `speed`, over any type of numbers: each is a function of one vector.

use std::ops::{Add, Mul, Sub};

/// A number that a crate differentiates.
pub trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    fn value(self) -> f64;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn tanh(self) -> Self;
}

pub trait Kernel {
    fn evaluate<N: Number>(&self, x: &[N]) -> N;
}

pub struct Rosenbrock;

impl Kernel for Rosenbrock {
    fn evaluate<N: Number>(&self, x: &[N]) -> N {
        let term = |i: usize| {
            let a = x[i] - 1.0;
            let b = x[i + 1] - x[i] * x[i];
            a * a + b * b * 100.0
        };
        (1..x.len() - 1).fold(term(0), |sum, i| sum + term(i))
    }
}

/// A dense layer of this width: weights, bias and batch stand one behind the other.
pub struct Dense(pub usize);

impl Kernel for Dense {
    fn evaluate<N: Number>(&self, x: &[N]) -> N {
        let n = self.0;
        let (w, rest) = x.split_at(n * n);
        let (bias, batch) = rest.split_at(n);
        let outputs = batch.chunks_exact(n).flat_map(|x| {
            (0..n).map(move |i| {
                let row = w[i * n..(i + 1) * n].iter().zip(x);
                row.fold(bias[i], |z, (w, x)| z + *w * *x).tanh()
            })
        });
        outputs.reduce(|a, b| a + b).expect("the batch has rows")
    }
}

/// Burgers' equation for this number of steps; the viscosity is behind the values.
pub struct Burgers(pub usize);

impl Kernel for Burgers {
    fn evaluate<N: Number>(&self, x: &[N]) -> N {
        let (nu, start) = x.split_last().expect("the viscosity");
        let mut u = start.to_vec();
        let mut old = u.clone();
        for _ in 0..self.0 {
            old.copy_from_slice(&u);
            for i in 1..u.len() - 1 {
                let flux = old[i] * (old[i + 1] - old[i - 1]);
                let curvature = old[i + 1] - old[i] * 2.0 + old[i - 1];
                u[i] = old[i] - flux * 0.1 + *nu * curvature;
            }
        }
        let squares = u.iter().map(|u| *u * *u);
        squares.reduce(|a, b| a + b).expect("there are values")
    }
}

pub struct LogSumExp;

impl Kernel for LogSumExp {
    fn evaluate<N: Number>(&self, x: &[N]) -> N {
        let larger = |a: N, b: &N| if b.value() > a.value() { *b } else { a };
        let largest = x[1..].iter().fold(x[0], larger);
        let terms = x.iter().map(|x| (*x - largest).exp());
        largest + terms.reduce(|a, b| a + b).expect("there are terms").ln()
    }
}
