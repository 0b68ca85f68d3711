//! Methods of traits that return references or have functions as parameters, in annotated modules.

use crate::common::check;

#[adjoint::adjoint]
mod views {
    use adjoint::Differentiable;

    pub trait Sampled {
        fn samples(&self) -> &[f64];

        fn step(&self) -> f64;

        fn samples_mut(&mut self) -> &mut [f64];

        fn energy(&self) -> f64 {
            self.samples().iter().map(|v| v * v).sum::<f64>() * self.step()
        }

        fn damp(&mut self, k: f64) {
            for v in self.samples_mut() {
                *v *= k;
            }
        }

        fn inner(&self) -> &[f64] {
            let all = self.samples();
            &all[1..all.len() - 1]
        }
    }

    #[derive(Clone, Differentiable)]
    pub struct Signal {
        pub data: Vec<f64>,
        pub dt: f64,
    }

    impl Sampled for Signal {
        fn samples(&self) -> &[f64] {
            &self.data
        }

        fn step(&self) -> f64 {
            self.dt
        }

        fn samples_mut(&mut self) -> &mut [f64] {
            &mut self.data
        }
    }

    #[derive(Clone, Differentiable)]
    pub struct Window {
        pub taps: [f64; 4],
    }

    impl Sampled for Window {
        fn samples(&self) -> &[f64] {
            &self.taps[..3]
        }

        fn step(&self) -> f64 {
            self.taps[3]
        }

        fn samples_mut(&mut self) -> &mut [f64] {
            &mut self.taps[1..]
        }
    }

    fn correlation<A: Sampled, B: Sampled>(a: &A, b: &B) -> f64 {
        let pairs = a.samples().iter().zip(b.samples());
        pairs.map(|(p, q)| p * q).sum::<f64>() * a.step()
    }

    pub fn of_a_value(x: &[f64], dt: f64) -> f64 {
        let s = Signal {
            data: x.to_vec(),
            dt,
        };
        s.energy() * s.samples()[1] + s.inner().iter().sum::<f64>()
    }

    pub fn of_two_types(x: &[f64], dt: f64) -> f64 {
        let s = Signal {
            data: x.to_vec(),
            dt,
        };
        let w = Window {
            taps: [x[0], dt, x[1] * x[2], x[1]],
        };
        correlation(&s, &w) * w.energy() + correlation(&w, &s)
    }

    pub fn changed_through(x: &mut [f64], k: f64) -> f64 {
        let mut w = Window {
            taps: [x[0], x[1], x[2], x[0] * k],
        };
        let before = w.energy();
        w.damp(k);
        w.samples_mut()[0] *= x[2];
        x[1] = w.samples()[1] * k;
        w.energy() - before * x[1]
    }

    fn damped(w: &mut Window, k: f64) -> f64 {
        for _ in 0..3 {
            w.damp(k);
            w.samples_mut()[1] += w.step() * k;
        }
        w.inner()[0].sin()
    }

    pub fn by_reference(taps: &mut [f64; 4], k: f64) -> f64 {
        let mut w = Window { taps: *taps };
        let low = damped(&mut w, k);
        *taps = w.taps;
        low
    }
}

#[adjoint::adjoint]
mod functions {
    use adjoint::Differentiable;

    pub trait Rule {
        fn nodes(&self) -> usize;

        fn integrate<F: Fn(f64) -> f64>(&self, f: F, a: f64, b: f64) -> f64 {
            let n = self.nodes();
            let h = (b - a) / n as f64;
            let mut sum = 0.0;
            for i in 0..n {
                sum += f(a + (i as f64 + 0.5) * h);
            }
            sum * h
        }

        fn apply(&self, f: impl Fn(f64, f64) -> f64, x: f64) -> f64;
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Midpoint {
        pub n: usize,
        pub weight: f64,
    }

    impl Rule for Midpoint {
        fn nodes(&self) -> usize {
            self.n
        }

        fn apply(&self, f: impl Fn(f64, f64) -> f64, x: f64) -> f64 {
            let mut y = x;
            for _ in 0..self.n {
                y = f(y, self.weight);
            }
            y
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Ends {
        pub scale: f64,
    }

    impl Rule for Ends {
        fn nodes(&self) -> usize {
            2
        }

        fn integrate<F: Fn(f64) -> f64>(&self, f: F, a: f64, b: f64) -> f64 {
            (f(a) + f(b)) * (b - a) * self.scale
        }

        fn apply(&self, f: impl Fn(f64, f64) -> f64, x: f64) -> f64 {
            f(f(x, x), self.scale)
        }
    }

    fn mean(rule: &impl Rule, k: f64, b: f64) -> f64 {
        rule.integrate(|t| (k * t).exp(), 0.0, b) / b
    }

    pub fn with_what_is_active(k: f64, b: f64, w: f64) -> f64 {
        let rule = Midpoint { n: 5, weight: w };
        let half = 0.5 * k;
        rule.integrate(|t| (t * half).sin() * k, 0.0, b)
            * rule.apply(|y, w| y * w + k / (1.0 + y * y), b)
    }

    pub fn of_two(k: f64, b: f64, w: f64) -> f64 {
        let ends = Ends { scale: w };
        mean(&ends, k, b) + mean(&Midpoint { n: 3, weight: w }, k, b)
            - ends.apply(|p, q| p * q * k, b)
    }
}

/// A type's own methods go before those of a trait, which differ.
#[adjoint::adjoint]
mod own_first {
    use adjoint::Differentiable;

    pub trait Level {
        fn level(&self) -> &f64;

        fn scaled<F: Fn(f64) -> f64>(&self, f: F, x: f64) -> f64 {
            f(x) * 3.0
        }

        fn edges(&self) -> &[f64];
    }

    #[derive(Clone, Differentiable)]
    pub struct Tank {
        pub now: f64,
        pub edges: Vec<f64>,
    }

    impl Level for Tank {
        fn level(&self) -> &f64 {
            &self.now
        }

        fn edges(&self) -> &[f64] {
            &self.edges
        }
    }

    impl Tank {
        pub fn level(&self) -> f64 {
            self.now * self.now
        }

        pub fn edges(&self) -> &[f64] {
            &self.edges[1..]
        }
    }

    pub fn drained(x: &[f64], k: f64) -> f64 {
        let mut tank = Tank {
            now: k,
            edges: x.to_vec(),
        };
        let mut sum = 0.0;
        for (i, v) in x.iter().enumerate() {
            if tank.level() * 2.0 > 9.0 {
                break;
            }
            let before = tank.level();
            tank.now += tank.scaled(|t| t * v * before, k);
            sum += tank.level() * before * tank.edges()[0];
            tank.edges[1] *= v + i as f64;
        }
        sum * tank.edges()[0]
    }
}

#[test]
fn own_methods_go_first() {
    use own_first::*;
    for k in [0.0, 0.4, -0.9, 1.7, 2.5] {
        check!(drained(&[0.4, -1.3, 0.7, 0.2], k) -> f64);
    }
    let (mut dx, mut dk) = ([0.0; 2], 0.0);
    assert!(own_first::drained_adjoint(&[f64::NAN, 0.5], &mut dx, 0.4, &mut dk, 0.0).is_nan());
    assert_eq!((dx, dk), ([0.0; 2], 0.0));

    let tank = Tank {
        now: 3.0,
        edges: vec![1.0, 2.0],
    };
    assert_eq!((*Level::level(&tank), tank.level()), (3.0, 9.0));
    assert_eq!((Level::edges(&tank).len(), tank.edges().len()), (2, 1));
}

#[test]
fn references_of_traits() {
    use views::*;
    check!(of_a_value(&[0.4, -1.3, 0.7, 2.0], 0.1) -> f64);
    check!(of_two_types(&[0.4, -1.3, 0.7], 0.3) -> f64);
    check!(changed_through(&mut [0.4, -1.3, 0.7], 0.9) -> f64);
    check!(by_reference(&mut [0.3, 1.2, -0.4, 0.8], 0.9) -> f64);
}

#[test]
fn functions_given_to_traits() {
    use functions::*;
    check!(with_what_is_active(0.8, 1.7, 0.6) -> f64);
    check!(of_two(0.8, 1.7, 0.6) -> f64);
}
