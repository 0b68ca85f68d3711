//! Structs that hold references, by their traits, nested, generic, copied, with functions, and as cursors.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod m {
    // Traits implemented by structs that hold references.
    pub trait Problem {
        fn residual(&self, p: &[f64], i: usize) -> f64;
        fn len(&self) -> usize;
        fn cost(&self, p: &[f64]) -> f64 {
            (0..self.len()).map(|i| self.residual(p, i).powi(2)).sum()
        }
    }
    pub struct Fit<'a> {
        t: &'a [f64],
        y: &'a [f64],
    }
    impl<'a> Problem for Fit<'a> {
        fn residual(&self, p: &[f64], i: usize) -> f64 {
            p[0] * self.t[i].sin() + p[1] - self.y[i]
        }
        fn len(&self) -> usize {
            self.t.len()
        }
    }
    pub struct Line<'a>(&'a [f64], f64);
    impl Problem for Line<'_> {
        fn residual(&self, p: &[f64], i: usize) -> f64 {
            p[0] * self.0[i] + self.1
        }
        fn len(&self) -> usize {
            self.0.len()
        }
    }
    fn descend<P: Problem>(problem: &P, p: &mut [f64], n: usize) -> f64 {
        let h = 0.1;
        for _ in 0..n {
            let c = problem.cost(p);
            for k in 0..p.len() {
                let old = p[k];
                p[k] += h;
                let d = (problem.cost(p) - c) / h;
                p[k] = old - 0.01 * d;
            }
        }
        problem.cost(p)
    }
    pub fn both(p: &[f64], t: &[f64], y: &[f64]) -> f64 {
        let fit = Fit { t, y };
        let line = Line(t, p[0]);
        let mut q = p.to_vec();
        descend(&fit, &mut q, 2) + descend(&line, &mut q, 1) + anonymous(&fit, p) + object(&line, p)
    }
    fn anonymous(of: &impl Problem, p: &[f64]) -> f64 {
        of.cost(p)
    }
    fn object(of: &dyn Problem, p: &[f64]) -> f64 {
        of.cost(p) * of.len() as f64
    }

    // Nested, generic, with const generics, options.
    pub struct View<'a, T> {
        data: &'a [T],
        cols: usize,
    }
    impl<'a, T: Copy> View<'a, T> {
        fn at(&self, i: usize, j: usize) -> T {
            self.data[i * self.cols + j]
        }
        fn row(&self, i: usize) -> &'a [T] {
            &self.data[i * self.cols..][..self.cols]
        }
        fn rows(&self) -> usize {
            self.data.len() / self.cols
        }
    }
    pub struct System<'a> {
        a: View<'a, f64>,
        b: Option<&'a [f64]>,
        scale: f64,
    }
    impl<'a> System<'a> {
        fn apply(&self, x: &[f64]) -> Vec<f64> {
            (0..self.a.rows())
                .map(|i| {
                    let s: f64 = self.a.row(i).iter().zip(x).map(|(a, x)| a * x).sum();
                    match self.b {
                        Some(b) => s * self.scale + b[i],
                        None => s * self.scale,
                    }
                })
                .collect()
        }
    }
    pub fn system(a: &[f64], b: &[f64], x: &[f64]) -> f64 {
        let with = System {
            a: View { data: a, cols: 2 },
            b: Some(b),
            scale: x[0],
        };
        let without = System {
            b: None,
            ..System {
                a: View { data: a, cols: 2 },
                b: None,
                scale: 3.0,
            }
        };
        let u = with.apply(x);
        let v = without.apply(&u);
        u.iter().zip(&v).map(|(a, b)| a * b).sum::<f64>() + with.a.at(1, 0)
    }
    // A cursor over data.
    pub struct Reader<'a> {
        rest: &'a [f64],
    }
    impl<'a> Reader<'a> {
        fn next(&mut self) -> f64 {
            let (head, tail) = self.rest.split_first().unwrap();
            self.rest = tail;
            *head
        }
        fn take(&mut self, n: usize) -> &'a [f64] {
            let (a, b) = self.rest.split_at(n);
            self.rest = b;
            a
        }
    }
    pub fn network(w: &[f64], x: &[f64]) -> f64 {
        let mut r = Reader { rest: w };
        let mut h = x.to_vec();
        for _ in 0..2 {
            let bias = r.next();
            let row = r.take(h.len());
            let s: f64 = row.iter().zip(&h).map(|(a, b)| a * b).sum();
            for v in h.iter_mut() {
                *v = (*v * s + bias).tanh();
            }
        }
        h.iter().sum::<f64>() * r.next()
    }
    // Clone, Copy.
    #[derive(Clone, Copy, Debug)]
    pub struct Ray<'a> {
        dir: &'a [f64; 3],
        t: f64,
    }
    impl Ray<'_> {
        fn at(self, k: usize) -> f64 {
            self.dir[k] * self.t
        }
        fn moved(mut self, dt: f64) -> Self {
            self.t += dt;
            self
        }
    }
    pub fn rays(d: &[f64; 3], t: f64) -> f64 {
        let r = Ray { dir: d, t };
        let mut s = r;
        s.t *= 2.0;
        let u = s.clone().moved(t);
        println!("{} {:?}", r.t, s.t);
        assert!(u.t > r.t, "{}", u.t);
        r.at(0) * s.at(1) + u.at(2) + r.moved(1.0).t
    }
    // A closure over it, and functions in fields.
    pub struct Ode<'a> {
        rhs: &'a dyn Fn(f64, f64) -> f64,
        step: f64,
    }
    impl Ode<'_> {
        fn euler(&self, mut y: f64, n: usize) -> f64 {
            for i in 0..n {
                y += self.step * (self.rhs)(i as f64 * self.step, y);
            }
            y
        }
    }
    pub struct Boxed {
        f: Box<dyn Fn(f64) -> f64>,
        a: f64,
    }
    impl Boxed {
        fn go(&self, x: f64) -> f64 {
            (self.f)(x) * self.a
        }
    }
    pub struct Pointer {
        f: fn(f64) -> f64,
        a: f64,
    }
    impl Pointer {
        fn go(&self, x: f64) -> f64 {
            (self.f)(x) * self.a
        }
    }
    pub fn functions(k: f64, y: f64, n: usize) -> f64 {
        let rhs = |t: f64, y: f64| -k * y + t;
        let o = Ode {
            rhs: &rhs,
            step: 0.1,
        };
        let b = Boxed {
            f: Box::new(move |x| x * k),
            a: y,
        };
        let p = Pointer { f: f64::sin, a: k };
        o.euler(y, n)
            + b.go(y)
            + p.go(y)
            + Ode {
                rhs: &|_, y| y * k,
                step: k,
            }
            .euler(1.0, 2)
    }
}
use m::*;
const T: [f64; 5] = [0.1, 0.4, 0.5, 0.7, 0.9];
const Y: [f64; 5] = [1.3, 0.7, 2.1, -0.4, 1.9];
#[test]
fn by_their_trait() {
    check!(both(&[0.7, -0.4], &T, &Y) -> f64);
}
#[test]
fn nested_and_generic() {
    check!(system(&[0.7, -0.4, 0.3, 0.9], &[0.3, 0.8], &[1.2, 0.4]) -> f64);
}
#[test]
fn read_one_after_the_other() {
    check!(network(&[0.7, -0.4, 0.3, 0.9, 1.1, 0.2, 0.6], &[1.2, 0.4]) -> f64);
}
#[test]
fn copied() {
    check!(rays(&[0.7, -0.4, 0.3], 0.6) -> f64);
}
#[test]
fn of_functions() {
    check!(functions(0.7, 0.6, const 3) -> f64);
}
