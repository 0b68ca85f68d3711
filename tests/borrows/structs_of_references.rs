//! Structs that hold references: data to fit, states that are stepped, functions to solve.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod m {
    pub struct Data<'a> {
        t: &'a [f64],
        y: &'a [f64],
        k: f64,
    }
    impl<'a> Data<'a> {
        pub fn new(t: &'a [f64], y: &'a [f64]) -> Self {
            Data { t, y, k: y[0] }
        }
        pub fn residual(&self, i: usize, p: &[f64]) -> f64 {
            p[0] * (p[1] * self.t[i]).exp() - self.y[i] * self.k
        }
        pub fn cost(&self, p: &[f64]) -> f64 {
            let mut s = 0.0;
            for (t, y) in self.t.iter().zip(self.y) {
                let r = p[0] * (p[1] * t).exp() - y;
                s += r * r;
            }
            for i in 0..self.t.len() {
                s += self.residual(i, p).powi(2);
            }
            s
        }
        fn weigh(&mut self, w: f64) {
            self.k *= w;
            self.y = &self.y[1..];
            self.t = &self.t[..self.y.len()];
        }
        #[adjoint(wrt(p))]
        pub fn gradient(&self, p: &[f64]) -> f64 {
            self.cost(p) + self.residual(0, p)
        }
    }
    pub fn cost(p: &[f64], t: &[f64], y: &[f64]) -> f64 {
        let d = Data::new(t, y);
        d.cost(p)
    }
    pub fn weighed(p: &[f64], t: &[f64], y: &[f64]) -> f64 {
        let mut d = Data::new(t, y);
        d.weigh(p[0]);
        let e = &mut d;
        e.k *= p[1];
        e.weigh(p[1]);
        for _ in 0..2 {
            d.weigh(0.5 + p[0]);
        }
        d.cost(p)
    }
    fn helper(d: &Data<'_>, p: &[f64]) -> f64 {
        d.cost(p) + d.k
    }
    pub fn chosen(p: &[f64], t: &[f64], y: &[f64]) -> f64 {
        let d = if p[0] > 0.0 {
            Data::new(t, y)
        } else {
            Data { t: y, y: t, k: 1.0 }
        };
        let Data { k, .. } = d;
        helper(&d, p) * k
    }
    pub struct Stepper<'a> {
        state: &'a mut [f64],
        rate: &'a f64,
        time: f64,
        seen: Vec<f64>,
    }
    impl Stepper<'_> {
        fn step(&mut self, dt: f64) -> f64 {
            for v in self.state.iter_mut() {
                *v += dt * *self.rate * v.sin();
            }
            self.time += dt;
            self.seen.push(self.state[0]);
            self.time
        }
    }
    pub fn run(y: &mut [f64], rate: f64, n: usize) -> f64 {
        let mut s = Stepper {
            state: y,
            rate: &rate,
            time: 0.0,
            seen: Vec::new(),
        };
        let mut last = 0.0;
        for i in 0..n {
            last = s.step(0.1 + 0.01 * i as f64);
        }
        last + s.seen.iter().sum::<f64>()
    }
    pub struct Newton<F: Fn(f64) -> f64> {
        f: F,
        h: f64,
    }
    impl<F: Fn(f64) -> f64> Newton<F> {
        fn slope(&self, x: f64) -> f64 {
            ((self.f)(x + self.h) - (self.f)(x - self.h)) / (2.0 * self.h)
        }
        fn solve(&self, mut x: f64, n: usize) -> f64 {
            for _ in 0..n {
                x -= (self.f)(x) / self.slope(x);
            }
            x
        }
    }
    pub fn root(a: f64, x: f64) -> f64 {
        let n = Newton {
            f: |x| x * x * x - a,
            h: 1e-3,
        };
        n.solve(x, 3)
    }
}
use m::*;
const T: [f64; 5] = [0.1, 0.4, 0.5, 0.7, 0.9];
const Y: [f64; 5] = [1.3, 0.7, 2.1, -0.4, 1.9];
#[test]
fn fitted() {
    check!(cost(&[0.7, -0.4], &T, &Y) -> f64);
}
#[test]
fn weighed_by_methods() {
    check!(weighed(&[0.7, -0.4], &T, &Y) -> f64);
}
#[test]
fn chosen_at_run_time() {
    check!(chosen(&[0.7, -0.4], &T, &Y) -> f64);
}
#[test]
fn chosen_the_other_way() {
    check!(chosen(&[-0.7, -0.4], &T, &Y) -> f64);
}
#[test]
fn stepped() {
    check!(run(&mut [0.7, -0.4], 0.3, const 3) -> f64);
}
#[test]
fn of_a_closure() {
    check!(root(2.0, 1.1) -> f64);
}

#[adjoint]
fn inner(x: &[f64], n: usize) -> f64 {
    struct Rest<'a> {
        x: &'a [f64],
        k: f64,
    }
    impl<'a> Rest<'a> {
        fn next(&mut self) -> f64 {
            let v = self.x[0];
            self.x = &self.x[1..];
            self.k *= 1.5;
            v * self.k
        }
    }
    let mut r = Rest { x, k: 1.0 };
    let mut s = 0.0;
    for _ in 0..n {
        s += r.next();
        if s > 5.0 {
            break;
        }
    }
    s * r.k
}
#[adjoint]
mod of_constants {
    const T: &[f64] = &[0.5, 0.25, 2.0];
    static S: [f64; 3] = [1.0, 2.0, 3.0];
    pub struct D<'a> {
        x: &'a [f64],
        w: &'a [f64],
    }
    impl D<'_> {
        fn dot(&self) -> f64 {
            let mut s = 0.0;
            for (a, b) in self.x.iter().zip(self.w) {
                s += a * b;
            }
            s * self.x[0]
        }
    }
    pub fn dots(x: &[f64]) -> f64 {
        D { x, w: T }.dot() + D { x, w: &S }.dot() + D { x: T, w: x }.dot()
    }
}

#[test]
fn declared_in_the_body() {
    for n in 0..4 {
        check!(inner(&[1.3, 0.7, 2.1, 0.4], const n) -> f64);
    }
}
#[test]
fn constants_in_fields() {
    check!(of_constants::dots(&[0.3, 0.8, 0.9]) -> f64);
}
