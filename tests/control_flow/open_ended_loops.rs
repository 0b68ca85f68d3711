//! Loops over ranges without an end, and methods named like those of `Vec`.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Debug, Clone, PartialEq, Differentiable)]
enum EosError {
    Negative(f64),
    NoConvergence { iterations: usize },
}
#[adjoint]
fn checked_sqrt(x: f64) -> Result<f64, EosError> {
    if x < 0.0 {
        return Err(EosError::Negative(x));
    }
    Ok(x.sqrt())
}
#[adjoint]
fn van_der_waals(p: f64, t: f64, a: f64, b: f64) -> Result<f64, EosError> {
    let mut v = t / p;
    for it in 0.. {
        if it > 50 {
            return Err(EosError::NoConvergence { iterations: it });
        }
        let f = (p + a / (v * v)) * (v - b) - t;
        let df = p + a / (v * v) - 2.0 * a / v.powi(3) * (v - b);
        let step = f / df;
        v -= step;
        if step.abs() < 1e-13 * v.abs() {
            break;
        }
    }
    let c = checked_sqrt(v - b)?;
    Ok(v * c)
}
#[adjoint]
fn eos(p: f64, t: f64, a: f64, b: f64) -> f64 {
    van_der_waals(p, t, a, b).unwrap_or(-1.0)
}
#[test]
fn an_equation_of_state() {
    check!(eos(1.2, 3.0, 0.4, 0.1) -> f64);
}

fn weight(k: u8) -> f64 {
    f64::from(k) * 0.1
}

#[adjoint]
fn counted_up(x: f64) -> f64 {
    let mut s = x;
    for k in 3.. {
        s *= weight(k) * x.sin();
        if k == 7 {
            break;
        }
    }
    s
}

#[test]
fn a_count_of_a_type_that_a_callee_tells() {
    check!(counted_up(0.4) -> f64);
}

#[adjoint]
mod lb {
    use adjoint::Differentiable;
    #[derive(Clone, Debug, Differentiable)]
    pub struct Lbfgs {
        s: Vec<Vec<f64>>,
        y: Vec<Vec<f64>>,
        rho: Vec<f64>,
        cap: usize,
    }
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }
    impl Lbfgs {
        fn push(&mut self, s: Vec<f64>, y: Vec<f64>) {
            let sy = dot(&s, &y);
            if sy <= 1e-10 {
                return;
            }
            if self.s.len() == self.cap {
                self.s.remove(0);
                self.y.remove(0);
                self.rho.remove(0);
            }
            self.rho.push(1.0 / sy);
            self.s.push(s);
            self.y.push(y);
        }
        fn direction(&self, g: &[f64]) -> Vec<f64> {
            let mut q = g.to_vec();
            let m = self.s.len();
            let mut alpha = vec![0.0; m];
            for i in (0..m).rev() {
                alpha[i] = self.rho[i] * dot(&self.s[i], &q);
                for (q, y) in q.iter_mut().zip(&self.y[i]) {
                    *q -= alpha[i] * y;
                }
            }
            if let (Some(s), Some(y)) = (self.s.last(), self.y.last()) {
                let gamma = dot(s, y) / dot(y, y);
                q.iter_mut().for_each(|v| *v *= gamma);
            }
            for i in 0..m {
                let beta = self.rho[i] * dot(&self.y[i], &q);
                for (q, s) in q.iter_mut().zip(&self.s[i]) {
                    *q += (alpha[i] - beta) * s;
                }
            }
            q
        }
    }
    fn grad(x: &[f64], a: f64) -> Vec<f64> {
        vec![
            -2.0 * (1.0 - x[0]) - 4.0 * a * x[0] * (x[1] - x[0] * x[0]),
            2.0 * a * (x[1] - x[0] * x[0]),
        ]
    }
    fn value(x: &[f64], a: f64) -> f64 {
        (1.0 - x[0]).powi(2) + a * (x[1] - x[0] * x[0]).powi(2)
    }
    pub fn minimise(x0: &[f64], a: f64, iters: usize) -> f64 {
        let mut opt = Lbfgs {
            s: vec![],
            y: vec![],
            rho: vec![],
            cap: 2,
        };
        let mut x = x0.to_vec();
        let mut g = grad(&x, a);
        for _ in 0..iters {
            let d = opt.direction(&g);
            let mut t = 1.0;
            let f0 = value(&x, a);
            let slope = dot(&g, &d);
            let next = loop {
                let trial: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x - t * d).collect();
                if value(&trial, a) <= f0 - 1e-4 * t * slope {
                    break trial;
                }
                t *= 0.5;
                if t < 1e-8 {
                    break trial;
                }
            };
            let gn = grad(&next, a);
            let s: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
            let y: Vec<f64> = gn.iter().zip(&g).map(|(a, b)| a - b).collect();
            opt.push(s, y);
            x = next;
            g = gn;
        }
        value(&x, a) + x[0]
    }
}
#[test]
fn a_limited_memory() {
    check!(lb::minimise(&vec![-0.6, 0.9], 2.0, const 5) -> f64);
}
