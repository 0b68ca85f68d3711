//! Trait objects in recursive enums, and chosen within arguments.
//!
//! Functions, methods, fields and variants have the same names.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod models {
    use adjoint::Differentiable;
    // names that clash with functions, methods, variants
    pub trait Term {
        fn value(&self, x: f64) -> f64;
        fn build(&self) -> f64 {
            0.0
        }
    }
    #[derive(Clone, Differentiable)]
    pub struct Poly {
        c: Vec<f64>,
    }
    #[derive(Clone, Differentiable)]
    pub struct Wave {
        build: f64,
        w: f64,
    }
    impl Term for Poly {
        fn value(&self, x: f64) -> f64 {
            self.c.iter().rev().fold(0.0, |s, c| s * x + c)
        }
        fn build(&self) -> f64 {
            self.c[0]
        }
    }
    impl Term for Wave {
        fn value(&self, x: f64) -> f64 {
            self.build * (self.w * x).sin()
        }
    }
    pub struct Model {
        terms: Vec<Box<dyn Term>>,
        bias: f64,
    }
    pub enum Source {
        Model(Model),
        Fixed(f64),
        Both(Box<Source>, Box<dyn Term>),
    }
    fn build(p: &[f64]) -> Model {
        Model {
            terms: vec![
                Box::new(Poly { c: p[..2].to_vec() }),
                Box::new(Wave {
                    build: p[2],
                    w: p[3],
                }),
            ],
            bias: p[0],
        }
    }
    impl Model {
        fn eval(&self, x: f64) -> f64 {
            self.terms
                .iter()
                .map(|t| t.value(x) + t.build())
                .sum::<f64>()
                + self.bias
        }
        fn add(&mut self, t: Box<dyn Term>) {
            self.terms.push(t);
        }
        fn drop_first(mut self) -> (Box<dyn Term>, Model) {
            let first = self.terms.remove(0);
            (first, self)
        }
    }
    impl Source {
        fn at(&self, x: f64) -> f64 {
            match self {
                Source::Model(m) => m.eval(x),
                Source::Fixed(v) => *v,
                Source::Both(s, t) => s.at(x) * t.value(x),
            }
        }
        fn depth(&self) -> usize {
            if let Source::Both(s, _) = self {
                1 + s.depth()
            } else {
                0
            }
        }
    }
    pub fn fit(p: &[f64], xs: &[f64]) -> f64 {
        let build_scale = p[1];
        let model = build(p);
        let mut s = 0.0;
        for &x in xs {
            s += model.eval(x) * build_scale;
        }
        let (first, rest) = model.drop_first();
        let sources = [
            Source::Model(rest),
            Source::Fixed(s),
            Source::Both(Box::new(Source::Fixed(p[2])), first),
        ];
        for (i, src) in sources.iter().enumerate() {
            s += src.at(xs[i % xs.len()]) * (1 + src.depth()) as f64;
        }
        s
    }
    pub fn by_the_same_name(p: &[f64], x: f64) -> f64 {
        let build = build(p);
        let mut make = make(p[1]);
        make = if x > 0.0 { make } else { self::make(x) };
        build.eval(x) * make.value(x)
    }

    fn make(w: f64) -> Box<dyn Term> {
        Box::new(T { w })
    }

    /// Named as parameters often are.
    #[derive(Clone, Differentiable)]
    pub struct T {
        w: f64,
    }

    impl Term for T {
        fn value(&self, x: f64) -> f64 {
            (self.w * x).exp()
        }
    }

    pub fn empty(p: &[f64], n: usize) -> f64 {
        let mut m = Model {
            terms: Vec::with_capacity(n),
            bias: p[0],
        };
        for i in 0..n {
            let build = p[i % p.len()];
            m.terms.push(if i % 2 == 0 {
                Box::new(Wave {
                    build,
                    w: build * 2.0,
                })
            } else {
                Box::new(Poly {
                    c: vec![build, 1.0],
                })
            });
        }
        m.add(if n > 2 {
            Box::new(Poly { c: vec![p[0]] })
        } else {
            Box::new(Wave {
                build: 0.5,
                w: p[1],
            })
        });
        let mut s = m.eval(0.3);
        while let Some(t) = m.terms.pop() {
            s = s * 0.5 + t.value(s);
            if s.is_nan() {
                return s;
            }
        }
        s + m.eval(p[1])
    }
}
use models::*;

#[test]
fn terms() {
    check!(fit(&[0.3, 0.7, 1.1, 0.45], &[0.2, -0.4, 0.9]) -> f64);
    for x in [0.4, -0.6] {
        check!(by_the_same_name(&[0.3, 0.7, 1.1, 0.45], x) -> f64);
    }
    for n in 0..5 {
        check!(empty(&[0.3, 0.7, 1.1], const n) -> f64);
    }
}
