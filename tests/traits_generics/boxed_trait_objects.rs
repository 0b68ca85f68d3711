//! Boxed trait objects of several types of the module: created, chosen, stored in lists and in structs, passed on.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod payoffs {
    pub trait Payoff {
        fn value(&self, s: f64) -> f64;
    }
    #[derive(Clone, adjoint::Differentiable)]
    pub struct Call {
        k: f64,
    }
    #[derive(Clone, adjoint::Differentiable)]
    pub struct Put {
        k: f64,
        scale: f64,
    }
    impl Payoff for Call {
        fn value(&self, s: f64) -> f64 {
            (s - self.k).max(0.0)
        }
    }
    impl Payoff for Put {
        fn value(&self, s: f64) -> f64 {
            (self.k - s).max(0.0) * self.scale
        }
    }

    pub fn chosen(x: &[f64], k: f64, kind: usize) -> f64 {
        let p: Box<dyn Payoff> = if kind == 0 {
            Box::new(Call { k })
        } else {
            Box::new(Put { k, scale: 2.0 })
        };
        x.iter().map(|s| p.value(*s)).sum::<f64>() / x.len() as f64
    }

    fn make(kind: usize, k: f64) -> Box<dyn Payoff> {
        match kind {
            0 => Box::new(Call { k }),
            _ => Box::new(Put { k, scale: 2.0 }),
        }
    }
    fn mean(p: &dyn Payoff, x: &[f64]) -> f64 {
        x.iter().map(|s| p.value(*s)).sum::<f64>() / x.len() as f64
    }
    pub fn made(x: &[f64], k: f64, kind: usize) -> f64 {
        let p = make(kind, k);
        mean(p.as_ref(), x) + mean(&*p, x)
    }

    pub fn refs(x: &[f64], k: f64, kind: usize) -> f64 {
        let c = Call { k };
        let q = Put { k, scale: 2.0 };
        let p: &dyn Payoff = if kind == 0 { &c } else { &q };
        x.iter().map(|s| p.value(*s)).sum::<f64>() / x.len() as f64
    }

    fn book(ps: &[Box<dyn Payoff>], s: f64) -> f64 {
        ps.iter().map(|p| p.value(s)).sum()
    }
    pub fn one_type(x: &[f64], k: f64) -> f64 {
        let mut ps: Vec<Box<dyn Payoff>> = Vec::new();
        ps.push(Box::new(Call { k }));
        ps.push(Box::new(Call { k: k * k }));
        x.iter().map(|&s| book(&ps, s)).sum()
    }

    struct Book {
        legs: Vec<Box<dyn Payoff>>,
        rate: f64,
    }
    impl Book {
        fn value(&self, s: f64) -> f64 {
            self.legs.iter().map(|p| p.value(s)).sum::<f64>() * (-self.rate).exp()
        }
        fn add(&mut self, p: Box<dyn Payoff>) {
            self.legs.push(p);
        }
    }
    pub fn booked(x: &[f64], k: f64, rate: f64) -> f64 {
        let mut b = Book { legs: vec![], rate };
        b.add(Box::new(Call { k }));
        b.add(Box::new(Put {
            k: k * 0.8,
            scale: 0.5,
        }));
        x.iter().map(|&s| b.value(s)).sum()
    }
}

use payoffs::*;

#[test]
fn of_several_types() {
    let x = [0.3, 0.7, 1.1, 0.45];
    for kind in 0..2 {
        check!(chosen(&x, 0.5, const kind) -> f64);
        check!(made(&x, 0.5, const kind) -> f64);
        check!(refs(&x, 0.5, const kind) -> f64);
    }
    check!(one_type(&x, 0.5) -> f64);
    check!(booked(&x, 0.5, 0.1) -> f64);
}

#[adjoint]
mod printed {
    use std::fmt::Debug;

    pub trait Law: Debug {
        fn value(&self, s: f64) -> f64;
    }
    #[derive(Clone, Debug, adjoint::Differentiable)]
    pub struct Power {
        k: i32,
    }
    #[derive(Clone, Debug, adjoint::Differentiable)]
    pub struct Line {
        w: f64,
    }
    impl Law for Power {
        fn value(&self, s: f64) -> f64 {
            s.powi(self.k)
        }
    }
    impl Law for Line {
        fn value(&self, s: f64) -> f64 {
            self.w * s
        }
    }
    pub fn by_length(x: f64, n: usize) -> f64 {
        let law: Box<dyn Law> = match n {
            0 => Box::new(Power { k: 3 }),
            _ => Box::new(Line { w: 0.5 }),
        };
        law.value(x) * format!("{law:?}").len() as f64
    }
}

#[test]
fn printed_as_what_they_are() {
    check!(printed::by_length(0.7, const 0) -> f64);
    check!(printed::by_length(0.7, const 1) -> f64);
}
