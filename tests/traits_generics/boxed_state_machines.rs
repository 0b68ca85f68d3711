//! A state machine whose states are boxed trait objects and give the next one.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod machine {
    use adjoint::Differentiable;
    pub trait State {
        fn next(&self, x: f64) -> Option<Box<dyn State>>;
        fn out(&self) -> f64;
        fn absorb(&mut self, other: f64) {
            let _ = other;
        }
    }
    #[derive(Clone, Differentiable)]
    pub struct Idle {
        level: f64,
    }
    #[derive(Clone, Differentiable)]
    pub struct Rising {
        level: f64,
        rate: f64,
    }
    pub struct Wrapped {
        inner: Box<dyn State>,
        gain: f64,
    }
    impl State for Idle {
        fn next(&self, x: f64) -> Option<Box<dyn State>> {
            if x > self.level {
                Some(Box::new(Rising {
                    level: self.level,
                    rate: x - self.level,
                }))
            } else {
                None
            }
        }
        fn out(&self) -> f64 {
            self.level
        }
    }
    impl State for Rising {
        fn next(&self, x: f64) -> Option<Box<dyn State>> {
            if x < 0.0 {
                return Some(Box::new(Idle {
                    level: self.level + self.rate,
                }));
            }
            if self.level > 2.0 {
                return Some(Box::new(Wrapped {
                    inner: Box::new(Idle { level: x }),
                    gain: self.rate,
                }));
            }
            let level = self.level + self.rate * x;
            Some(Box::new(Rising {
                level,
                ..self.clone()
            }))
        }
        fn out(&self) -> f64 {
            self.level * self.rate
        }
        fn absorb(&mut self, other: f64) {
            self.rate += 0.1 * other;
        }
    }
    impl State for Wrapped {
        fn next(&self, x: f64) -> Option<Box<dyn State>> {
            let next = self.inner.next(x)?;
            Some(Box::new(Wrapped {
                inner: next,
                gain: self.gain * 0.9,
            }))
        }
        fn out(&self) -> f64 {
            self.gain * self.inner.out()
        }
        fn absorb(&mut self, other: f64) {
            self.inner.absorb(other);
            self.gain *= 1.1;
        }
    }
    pub struct Machine {
        state: Box<dyn State>,
        history: Vec<f64>,
        spare: Option<Box<dyn State>>,
    }
    impl Machine {
        fn feed(&mut self, x: f64) -> f64 {
            if let Some(next) = self.state.next(x) {
                let old = std::mem::replace(&mut self.state, next);
                self.state.absorb(old.as_ref().out());
                self.spare = Some(old);
            }
            let out = self.state.out();
            self.history.push(out);
            out
        }
    }
    pub fn run(xs: &[f64], level: f64) -> f64 {
        let mut m = Machine {
            state: Box::new(Idle { level }),
            history: Vec::new(),
            spare: None,
        };
        let mut total = 0.0;
        for (i, &x) in xs.iter().enumerate() {
            let y = m.feed(x);
            if y > 40.0 {
                break;
            }
            if i % 3 == 2 {
                if let Some(s) = m.spare.take() {
                    total += s.out() * 0.5;
                    m.state = s;
                }
            }
            total += y;
        }
        total
            + m.history
                .iter()
                .enumerate()
                .map(|(i, h)| h * i as f64)
                .sum::<f64>()
    }
}
use machine::*;

#[test]
fn states_that_give_others() {
    check!(run(&[0.5, 1.3, 0.9, 1.7, -0.4, 2.2, 3.1, 0.2, 1.9], 0.35) -> f64);
    check!(run(&[0.1, -0.2], 0.35) -> f64);
    check!(run(&[0.5, 1.3, 1.9, 1.7, 1.1, 2.2, 3.1, 4.2, 1.9], 0.85) -> f64);
}
