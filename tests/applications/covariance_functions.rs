//! Covariance functions that are composed of others in boxes.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod gp {
    use adjoint::Differentiable;
    pub trait Kernel {
        fn eval(&self, a: f64, b: f64) -> f64;
    }
    #[derive(Debug, Clone, Differentiable)]
    pub struct Rbf {
        len: f64,
        var: f64,
    }
    #[derive(Debug, Clone, Differentiable)]
    pub struct Linear(f64);
    #[derive(Clone, Differentiable)]
    pub struct White;
    impl Kernel for Rbf {
        fn eval(&self, a: f64, b: f64) -> f64 {
            let d = (a - b) / self.len;
            self.var * (-0.5 * d * d).exp()
        }
    }
    impl Kernel for Linear {
        fn eval(&self, a: f64, b: f64) -> f64 {
            self.0 * a * b
        }
    }
    impl Kernel for White {
        fn eval(&self, a: f64, b: f64) -> f64 {
            if a == b { 0.3 } else { 0.0 }
        }
    }
    pub struct Sum {
        a: Box<dyn Kernel>,
        b: Box<dyn Kernel>,
    }
    impl Kernel for Sum {
        fn eval(&self, a: f64, b: f64) -> f64 {
            self.a.eval(a, b) + self.b.eval(a, b)
        }
    }
    pub struct Product(Vec<Box<dyn Kernel>>);
    impl Kernel for Product {
        fn eval(&self, a: f64, b: f64) -> f64 {
            self.0.iter().map(|k| k.eval(a, b)).product()
        }
    }
    fn sum(a: Box<dyn Kernel>, b: Box<dyn Kernel>) -> Box<dyn Kernel> {
        Box::new(Sum { a, b })
    }
    fn build(t: &[f64]) -> Box<dyn Kernel> {
        let smooth = Box::new(Rbf {
            len: t[0].exp(),
            var: t[1].exp(),
        });
        let trend = Box::new(Product(vec![
            Box::new(Linear(t[2])),
            Box::new(Rbf {
                len: t[3],
                var: 1.0,
            }),
        ]));
        sum(smooth, sum(trend, Box::new(White)))
    }
    fn gram(k: &dyn Kernel, x: &[f64]) -> Vec<Vec<f64>> {
        x.iter()
            .map(|a| x.iter().map(|b| k.eval(*a, *b)).collect())
            .collect()
    }
    fn cholesky(a: &mut Vec<Vec<f64>>) {
        let n = a.len();
        for j in 0..n {
            for k in 0..j {
                let v = a[j][k];
                a[j][j] -= v * v;
            }
            a[j][j] = a[j][j].sqrt();
            for i in j + 1..n {
                for k in 0..j {
                    let v = a[i][k] * a[j][k];
                    a[i][j] -= v;
                }
                a[i][j] /= a[j][j];
            }
        }
    }
    pub fn likelihood(t: &[f64], x: &[f64], y: &[f64]) -> f64 {
        let k = build(t);
        let mut g = gram(k.as_ref(), x);
        cholesky(&mut g);
        let mut z = y.to_vec();
        for i in 0..z.len() {
            for j in 0..i {
                z[i] -= g[i][j] * z[j];
            }
            z[i] /= g[i][i];
        }
        0.5 * z.iter().map(|v| v * v).sum::<f64>()
            + g.iter().enumerate().map(|(i, r)| r[i].ln()).sum::<f64>()
    }
}
use gp::*;

#[test]
fn of_sums_and_products() {
    check!(likelihood(&[0.1, 0.2, 0.7, 1.3], &[0.3, 0.9, 1.4], &[0.5, -0.7, 0.2]) -> f64);
}
