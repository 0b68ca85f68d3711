//! Queues, states behind traits and values from several `From`s, among exits, loops of zero trips and overwrites.

use std::collections::VecDeque;

use adjoint::adjoint;

use crate::common::check;

/// A window left early, run over zero times, whose elements are overwritten, moved out and put back.
#[adjoint]
fn window(x: &mut [f64], k: f64, n: usize) -> f64 {
    let mut q: VecDeque<(f64, Vec<f64>)> = VecDeque::new();
    let mut spare: VecDeque<f64> = VecDeque::from(vec![k; 2]);
    let mut s = 0.0;
    for i in 0..n {
        if let Some((a, v)) = q.front_mut() {
            *a = a.sin() * k;
            v[0] *= *a;
            if *a > 0.9 {
                return *a * s + v[0];
            }
        }
        q.push_back((x[i], vec![x[i] * k, s]));
        if q.len() == 3 {
            let Some((a, mut v)) = q.pop_front() else {
                return -1.0;
            };
            v.push(a);
            x[i] = v.iter().sum::<f64>() * spare[0];
            q.push_front((v[2], v));
            std::mem::swap(&mut spare[0], &mut s);
            while q.len() > 2 {
                if let Some((a, _)) = q.pop_back() {
                    s += a;
                }
            }
        }
        spare.rotate_left(1);
        spare.push_front(s * x[i]);
        if spare.len() > 3 {
            spare.pop_back();
        }
    }
    while let Some((a, v)) = q.pop_front() {
        s = s * a + v[v.len() - 1];
        if s.is_nan() {
            break;
        }
    }
    s + spare
        .iter()
        .enumerate()
        .map(|(i, v)| v * i as f64)
        .sum::<f64>()
}

/// States behind a trait's parameter, changed, replaced and left early.
#[adjoint]
mod steps {
    use adjoint::Differentiable;
    pub trait Step {
        fn step(&mut self, x: f64) -> f64;
        fn twice(&mut self, x: f64) -> f64 {
            let y = self.step(x);
            self.step(y)
        }
    }
    #[derive(Clone, Debug, Differentiable)]
    pub struct Lag {
        s: f64,
        h: Vec<f64>,
    }
    #[derive(Clone, Debug, Differentiable)]
    pub struct Two<A, B> {
        a: A,
        b: B,
        n: usize,
    }
    impl Step for Lag {
        fn step(&mut self, x: f64) -> f64 {
            if x < 0.0 {
                self.h.clear();
                return self.s;
            }
            self.h.push(self.s * x);
            self.s = 0.5 * self.s + x;
            self.s * self.h.last().unwrap()
        }
    }
    impl<A: Step, B: Step> Step for Two<A, B> {
        fn step(&mut self, x: f64) -> f64 {
            self.n += 1;
            if self.n % 3 == 0 {
                std::mem::swap(&mut self.n, &mut 4);
                return self.b.step(x) - x;
            }
            let y = self.a.step(x);
            self.b.step(y * x) + y
        }
    }
    fn run<S: Step>(s: &mut S, x: &[f64], n: usize) -> f64 {
        let mut y = 1.0;
        for k in 0..n {
            y = s.twice(x[k % x.len()] * y);
            if y > 3.0 {
                return y;
            }
        }
        y
    }
    pub fn all(x: &[f64], n: usize) -> f64 {
        let mut t = Two {
            a: Lag { s: x[0], h: vec![] },
            b: Two {
                a: Lag {
                    s: x[1],
                    h: vec![1.0],
                },
                b: Lag {
                    s: 0.1,
                    h: vec![x[0]],
                },
                n: 2,
            },
            n: 0,
        };
        let y = run(&mut t, x, n);
        let old = std::mem::replace(&mut t.a, Lag { s: y, h: vec![y] });
        y + old.h.iter().sum::<f64>() * t.step(x[0])
    }
}

/// Conversions by several `From`s into what is overwritten, in loops of zero trips, with constants of blocks between.
#[adjoint]
mod made {
    use adjoint::Differentiable;
    use std::ops::{AddAssign, Mul};
    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct P {
        x: f64,
        y: f64,
    }
    impl P {
        pub const E: P = P { x: 1.0, y: -0.5 };
    }
    impl From<[f64; 2]> for P {
        fn from(v: [f64; 2]) -> P {
            if v[0] > v[1] {
                return P { x: v[0], y: 0.0 };
            }
            P {
                x: v[0] * v[1],
                y: v[1],
            }
        }
    }
    impl From<f64> for P {
        fn from(v: f64) -> P {
            P { x: v, y: v * v }
        }
    }
    impl From<&P> for f64 {
        fn from(p: &P) -> f64 {
            p.x
        }
    }
    impl Mul<f64> for P {
        type Output = P;
        fn mul(self, k: f64) -> P {
            P {
                x: self.x * k,
                y: self.y + k,
            }
        }
    }
    impl AddAssign for P {
        fn add_assign(&mut self, o: P) {
            self.x += o.y;
            self.y = o.x * self.y;
        }
    }
    pub fn f(x: &mut [f64], n: usize) -> f64 {
        let mut p: P = x[0].into();
        for k in 0..n {
            const H: f64 = 0.25;
            let q: P = [x[k % 2], p.x * H].into();
            p.add_assign(q * x[1]);
            x[k % 2] = p.y;
            if p.x.abs() > 2.0 {
                const H: f64 = 2.0;
                p = (p.y * H).into();
                break;
            }
            p += P::E * p.x;
        }
        p = P::from([p.x, x[1]]).mul(x[0]);
        p.x * p.y
    }
}

#[test]
fn windows_are_left_early() {
    for n in 0..6 {
        check!(window(&mut [0.4, -0.3, 0.7, 0.2, 1.1, 0.9], 1.3, const n) -> f64);
        check!(window(&mut [0.4, -0.3, 0.7, 0.2, 1.1, 0.9], 0.0, const n) -> f64);
    }
}

#[test]
fn states_change_behind_a_trait() {
    for n in 0..7 {
        check!(steps::all(&[0.4, 0.7], const n) -> f64);
        check!(steps::all(&[0.9, -0.7], const n) -> f64);
    }
}

#[test]
fn values_are_made_anew() {
    for n in 0..7 {
        check!(made::f(&mut [0.4, 0.7], const n) -> f64);
        check!(made::f(&mut [0.9, -0.7], const n) -> f64);
    }
}
