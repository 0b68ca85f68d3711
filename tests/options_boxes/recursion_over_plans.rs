//! Recursion over a boxed plan without floats, whose boxes are borrowed as their contents.

use crate::common::{check, flat};
use adjoint::{Differentiable, adjoint};
use std::ops::{Add, Mul};

#[derive(Clone, Copy, Debug, PartialEq, Default, Differentiable)]
struct Complex {
    re: f64,
    im: f64,
}
flat!(Complex { re, im });

#[adjoint]
impl Add for Complex {
    type Output = Complex;
    fn add(self, o: Complex) -> Complex {
        Complex {
            re: self.re + o.re,
            im: self.im + o.im,
        }
    }
}

#[adjoint]
impl Mul for Complex {
    type Output = Complex;
    fn mul(self, o: Complex) -> Complex {
        Complex {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
}

#[adjoint]
impl Complex {
    fn cis(phi: f64) -> Complex {
        Complex {
            re: phi.cos(),
            im: phi.sin(),
        }
    }
}

#[derive(Clone, Debug, Differentiable)]
enum Plan {
    Copy,
    Split { inner: Box<Plan>, n: usize },
}

fn plan(n: usize) -> Plan {
    match n % 2 {
        0 => Plan::Split {
            inner: Box::new(plan(n / 2)),
            n,
        },
        _ => Plan::Copy,
    }
}

#[adjoint(wrt(x))]
fn transform(plan: &Plan, x: &[Complex]) -> Vec<Complex> {
    match plan {
        Plan::Copy => x.to_vec(),
        Plan::Split { inner, n } => {
            let even: Vec<Complex> = x.iter().copied().step_by(2).collect();
            let odd: Vec<Complex> = x.iter().skip(1).step_by(2).copied().collect();
            let e = transform(inner, &even);
            let o = transform(inner, &odd);
            let mut out = vec![Complex::default(); *n];
            for k in 0..n / 2 {
                let w = -2.0 * std::f64::consts::PI * k as f64 / *n as f64;
                let t: Complex = o[k] * Complex::cis(w);
                let u: Complex = o[k] * Complex::cis(w + std::f64::consts::PI);
                out[k] = e[k] + t;
                out[k + n / 2] = e[k] + u;
            }
            out
        }
    }
}

#[adjoint]
fn spectrum(x: &[f64], k: f64) -> f64 {
    let p = plan(x.len());
    let z: Vec<Complex> = x.iter().map(|&re| Complex { re, im: 0.0 }).collect();
    let f = transform(&p, &z);
    let mut s = 0.0;
    for (i, c) in f.iter().enumerate() {
        s += (c.re * c.re + c.im * c.im) / (1.0 + k * i as f64);
    }
    s
}

#[test]
fn a_transform_by_a_plan() {
    check!(spectrum(&[0.3, 0.8, -0.4, 1.2], 0.4) -> f64);
    check!(spectrum(&[0.3, 0.8, -0.4, 1.2, 0.7, 0.1], 0.4) -> f64);
    check!(spectrum(&[0.3, 0.8, -0.4], 0.4) -> f64);
}
