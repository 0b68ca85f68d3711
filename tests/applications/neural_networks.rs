//! Networks of boxed layers, with a state and a builder.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod nets {
    use adjoint::Differentiable;
    use std::fmt::Debug;
    pub trait Layer: Debug {
        fn forward(&mut self, x: &[f64]) -> Vec<f64>;
        fn name(&self) -> String {
            String::from("layer")
        }
        fn len(&self) -> usize;
        fn weights(&self) -> &[f64] {
            &[]
        }
        fn decay(&mut self, _k: f64) {}
    }
    #[derive(Debug, Clone, Differentiable)]
    pub struct Dense {
        w: Vec<f64>,
        b: Vec<f64>,
        last: Vec<f64>,
    }
    #[derive(Debug, Clone, Copy, Differentiable)]
    pub struct Relu;
    #[derive(Debug, Clone, Differentiable)]
    pub struct Gain {
        k: f64,
        calls: usize,
    }
    impl Dense {
        fn new(w: &[f64], n: usize) -> Self {
            Dense {
                w: w.to_vec(),
                b: vec![0.1; n],
                last: Vec::new(),
            }
        }
    }
    impl Layer for Dense {
        fn forward(&mut self, x: &[f64]) -> Vec<f64> {
            self.last = x.to_vec();
            let n = x.len();
            (0..self.b.len())
                .map(|i| self.b[i] + (0..n).map(|j| self.w[i * n + j] * x[j]).sum::<f64>())
                .collect()
        }
        fn len(&self) -> usize {
            self.w.len()
        }
        fn weights(&self) -> &[f64] {
            &self.w
        }
        fn decay(&mut self, k: f64) {
            for w in &mut self.w {
                *w *= k;
            }
        }
    }
    impl Layer for Relu {
        fn forward(&mut self, x: &[f64]) -> Vec<f64> {
            x.iter().map(|v| v.max(0.0)).collect()
        }
        fn len(&self) -> usize {
            0
        }
        fn name(&self) -> String {
            "relu".to_string()
        }
    }
    impl Layer for Gain {
        fn forward(&mut self, x: &[f64]) -> Vec<f64> {
            self.calls += 1;
            self.k *= 1.1;
            x.iter().map(|v| v * self.k / self.calls as f64).collect()
        }
        fn len(&self) -> usize {
            1
        }
    }
    #[derive(Debug)]
    pub struct Net {
        layers: Vec<Box<dyn Layer>>,
        rate: f64,
    }
    impl Net {
        pub fn new(rate: f64) -> Self {
            Net {
                layers: Vec::new(),
                rate,
            }
        }
        pub fn with(mut self, l: impl Layer + 'static) -> Self {
            self.layers.push(Box::new(l));
            self
        }
        pub fn push(&mut self, l: Box<dyn Layer>) {
            self.layers.push(l);
        }
        pub fn forward(&mut self, x: &[f64]) -> Vec<f64> {
            let mut h = x.to_vec();
            for l in self.layers.iter_mut() {
                h = l.forward(&h);
            }
            h
        }
        pub fn size(&self) -> usize {
            self.layers.iter().map(|l| l.len()).sum()
        }
        pub fn norm(&self) -> f64 {
            self.layers
                .iter()
                .flat_map(|l| l.weights())
                .map(|w| w * w)
                .sum::<f64>()
                * self.rate
        }
        pub fn decay(&mut self) {
            for l in &mut self.layers {
                l.decay(1.0 - self.rate);
            }
        }
    }
    pub fn run(p: &[f64], x: &[f64], rate: f64) -> f64 {
        let mut net = Net::new(rate).with(Dense::new(&p[..4], 2)).with(Relu);
        net.push(Box::new(Gain { k: p[4], calls: 0 }));
        net.push(Box::new(Dense::new(&p[5..7], 1)));
        let a = net.forward(x);
        net.decay();
        let b = net.forward(&[a[0], x[1]]);
        (a[0] + b[0] * 2.0) / net.size() as f64 + net.norm()
    }
}
use nets::*;

#[adjoint]
mod chain {
    use adjoint::Differentiable;
    pub trait Layer {
        fn forward(&self, x: f64) -> f64;
    }
    #[derive(Debug, Clone, Differentiable)]
    pub struct Dense {
        w: f64,
    }
    impl Layer for Dense {
        fn forward(&self, x: f64) -> f64 {
            x * self.w
        }
    }
    pub struct Net {
        layers: Vec<Box<dyn Layer>>,
        rate: f64,
    }
    impl Net {
        pub fn with(mut self, l: impl Layer + 'static) -> Self {
            self.layers.push(Box::new(l));
            self
        }
        pub fn add<L: Layer + 'static>(&mut self, l: L) -> &mut Self {
            self.layers.push(Box::new(l));
            self
        }
        pub fn forward(&self, x: f64) -> f64 {
            self.layers.iter().fold(x, |h, l| l.forward(h)) * self.rate
        }
    }
    pub fn chained(p: f64, x: f64, rate: f64) -> f64 {
        let mut net = Net {
            layers: vec![],
            rate,
        }
        .with(Dense { w: p })
        .with(Dense { w: 2.0 });
        net.add(Dense { w: x });
        net.add(Dense { w: x }).add(Dense { w: p });
        net.forward(x)
    }
}
use chain::*;

#[test]
fn networks() {
    check!(run(&[0.3, 0.7, 1.1, 0.4, 0.9, -0.4, 0.8], &[0.5, 0.7], 0.1) -> f64);
    check!(chained(0.3, 0.7, 1.2) -> f64);
}
