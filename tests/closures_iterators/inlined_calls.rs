//! Inlined calls have their own names, their own copies and their own early returns.

use adjoint::adjoint;

use crate::common::{check, flat};

#[adjoint]
mod inside {
    use adjoint::Differentiable;
    use num_traits::Float;

    const K: f64 = 1.5;

    #[derive(Clone, Differentiable, Debug)]
    pub struct Table<T> {
        pub width: usize,
        pub all: Vec<T>,
    }

    impl<T: Float> Table<T> {
        pub fn row(&self, i: usize) -> &[T] {
            &self.all[i * self.width..(i + 1) * self.width]
        }
        pub fn cell(&mut self, i: usize, j: usize) -> &mut T {
            let w = self.width;
            &mut self.all[i * w + j]
        }
        pub fn mean(&self, i: usize) -> T {
            let mut s = T::zero();
            for v in self.row(i) {
                s = s + *v;
            }
            s / T::from(self.width).unwrap()
        }
    }

    #[derive(Clone, Differentiable, Debug)]
    pub struct Pair {
        pub a: f64,
        pub b: f64,
        pub v: Vec<f64>,
    }

    impl Pair {
        fn one(&mut self, first: bool) -> &mut f64 {
            if first { &mut self.a } else { &mut self.b }
        }
        fn a(&self) -> f64 {
            self.a
        }
        fn set(&mut self, i: usize, x: f64) {
            self.v[i] = x * K;
        }
        fn update(&mut self, i: usize, f: impl Fn(f64) -> f64) {
            self.v[i] = f(self.v[i]);
        }
        fn slot(&mut self, i: usize) -> Option<&mut f64> {
            self.v.get_mut(i)
        }
    }

    fn twice(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        let k = x + 1.0;
        let y = f(k);
        f(y * K)
    }

    fn thrice<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
        let once = f(x);
        twice(&f, once) + twice(|k| f(k) * x, once)
    }

    fn trapezoid<T: Float, F: Fn(T) -> T>(f: F, a: T, b: T, n: usize) -> T {
        let h = (b - a) / T::from(n).unwrap();
        let mut s = T::from(0.5).unwrap() * (f(a) + f(b));
        for i in 1..n {
            let t = a + h * T::from(i).unwrap();
            s = s + f(t);
        }
        s * h
    }

    fn first_root(f: &dyn Fn(f64) -> f64, from: f64, steps: usize) -> Option<f64> {
        let mut x = from;
        let mut k = 0;
        while k < steps {
            let y = f(x);
            if y.abs() < 1e-3 {
                return Some(x);
            }
            if y > 100.0 {
                return None;
            }
            x -= y * 0.3;
            k += 1;
        }
        Some(x)
    }

    fn all_roots(f: impl Fn(f64, f64) -> f64, c: &[f64]) -> Option<f64> {
        let mut s = 0.0;
        for &c in c {
            s += first_root(&|x| f(x, c), 1.0, 6)?;
        }
        Some(s)
    }

    fn visit(mut v: Vec<f64>, x: f64, mut f: impl FnMut(usize, &mut f64, f64)) -> Vec<f64> {
        for (i, v) in v.iter_mut().enumerate() {
            f(i, v, x);
        }
        v[0] *= x;
        v
    }

    pub fn names(x: f64, k: f64) -> f64 {
        let y = x * k;
        twice(|t| t * k + y * x, y) + thrice(|s| (s * k).sin(), x) * y
    }

    pub fn generic(a: f64, k: f64) -> f64 {
        trapezoid(|x: f64| (k * x).exp(), 0.0, a, 7)
    }

    pub fn generic_in<T: Float>(a: T, k: T) -> T {
        trapezoid(|x: T| (k * x).exp(), T::zero(), a, 7)
    }

    pub fn rows(t: &mut Table<f64>, x: f64) -> f64 {
        *t.cell(0, 1) = t.row(1)[0] * x;
        *t.cell(1, 0) *= t.row(0)[1];
        t.mean(0) * t.row(1).iter().sum::<f64>()
    }

    pub fn pairs(p: &mut Pair, x: f64, first: bool) -> f64 {
        let before = p.a();
        *p.one(first) *= x;
        *p.one(!first) += p.a() * before;
        p.set(0, p.a() * x);
        p.set(1, p.v[0] + p.b);
        p.update(1, |v| v * x * before);
        if let Some(v) = p.slot(0) {
            *v = v.sin();
        }
        before * p.v[1] + p.a()
    }

    pub fn roots(c: &[f64], k: f64) -> f64 {
        all_roots(|x, c| x * x * k - c, c).map_or(0.0, |s| s * k)
    }

    pub fn visited(v: &[f64], x: f64) -> f64 {
        let mut x = x;
        let mut sums = [0.0; 2];
        let w = visit(v.to_vec(), x, |i, v, y| {
            sums[i % 2] += *v * x;
            *v *= x + y;
            x *= 1.1;
        });
        w.iter().zip(v).map(|(a, b)| a * b).sum::<f64>() * sums[0] + sums[1] * x
    }
}

use inside::{Pair, Table};

type Numbers = Table<f64>;

flat!(Numbers { all });
flat!(Pair { a, b, v });

#[test]
fn names_copies_and_exits() {
    check!(inside::names(0.7, 1.3) -> f64);
    check!(inside::generic(0.7, 1.3) -> f64);
    check!(inside::generic_in(0.7, 1.3) -> f64);
    let t = Table {
        width: 2,
        all: vec![0.4, -1.1, 0.8, 0.6],
    };
    check!(inside::rows(&mut t, 0.9) -> f64);
    for first in [true, false] {
        let p = Pair {
            a: 0.4,
            b: 1.2,
            v: vec![0.5, -0.3],
        };
        check!(inside::pairs(&mut p, 1.4, const first) -> f64);
    }
    check!(inside::roots(&vec![0.9, 1.2, 0.6], 0.8) -> f64);
    check!(inside::visited(&vec![0.3, -0.8, 1.1], 0.7) -> f64);
}

#[adjoint]
fn double(v: &mut f64, k: f64) -> f64 {
    *v *= k;
    *v + k
}

/// What a closure returns is a value of its own, which may be changed.
#[adjoint]
fn borrowed_results(x: &mut [f64], k: f64) -> f64 {
    fn at(x: &[f64], i: usize) -> &f64 {
        &x[i]
    }
    fn pick(x: &[f64], by: impl Fn(usize) -> usize) -> f64 {
        x[by(0)]
    }
    let first = |i: usize| x[i];
    let mut a = first(0);
    a *= k;
    let b = *at(x, 1);
    let mut c = pick(x, |i| i + 2);
    c *= b;
    x[1] = a * c;
    let r = &pick(x, |i| i + 1);
    let s = *r * k;
    x[1] += s;
    let first = |i: usize| x[i];
    let d = double(&mut first(0), k);
    a * b + c * x[1] * s + d * x[0]
}

#[test]
fn results_are_values() {
    check!(borrowed_results(&mut vec![0.4, 1.2, -0.7], 1.3) -> f64);
}
