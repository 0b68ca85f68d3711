//! Traits, closures, iterators and arrays of structs, with swaps, early exits and loops of no trips.

use adjoint::{Differentiable, adjoint};

use crate::common::check;
use crate::common::types::P;

#[adjoint]
fn mapped(m: &mut Vec<P>, ids: [usize; 3], k: f64) -> f64 {
    let mut s = k;
    for r in 0..3 {
        let ps = ids.map(|i| {
            s += m[i].x * s;
            m[i]
        });
        if s > 4.0 {
            return s * ps[0].y;
        }
        m[r] = P {
            x: ps[1].y * s,
            y: ps[2].x * ps[0].x,
        };
        m.swap(0, 2);
    }
    s
}
#[adjoint]
mod generic {
    use super::Differentiable;
    pub trait Step {
        fn step(&mut self, y: &mut Vec<f64>, k: f64) -> Option<f64>;
        fn gain(&self, k: f64) -> f64 {
            k * k
        }
    }
    #[derive(Clone, Debug, Differentiable)]
    pub struct Ping {
        pub a: Vec<f64>,
        pub b: Vec<f64>,
        pub n: usize,
    }
    #[derive(Clone, Debug, Differentiable)]
    pub struct Plain {
        pub w: f64,
    }
    impl Step for Ping {
        fn step(&mut self, y: &mut Vec<f64>, k: f64) -> Option<f64> {
            for i in 0..self.a.len() {
                self.b[i] = (self.a[i] * k + y[i]).sin();
                y[i] *= self.b[i];
                if y[i] > 1.5 {
                    return None;
                }
            }
            std::mem::swap(&mut self.a, &mut self.b);
            self.n += 1;
            Some(self.a[0] * self.gain(k))
        }
    }
    impl Step for Plain {
        fn step(&mut self, y: &mut Vec<f64>, k: f64) -> Option<f64> {
            y.push(self.w * k);
            self.w *= y[0];
            y.first().map(|v| v * self.w)
        }
        fn gain(&self, k: f64) -> f64 {
            k * self.w
        }
    }
    fn run<S: Step>(s: &mut S, y: &mut Vec<f64>, k: f64, n: usize) -> f64 {
        let mut acc = 0.0;
        for i in 0..n {
            match s.step(y, k + acc) {
                Some(v) if v > 0.9 => break,
                Some(v) => acc += v * acc + v,
                None => {
                    acc *= 2.0;
                    continue;
                }
            }
            y[i % 2] += acc * s.gain(k);
        }
        acc
    }
    pub fn both(a: &[f64], y: &mut Vec<f64>, k: f64, n: usize) -> f64 {
        let mut p = Ping {
            a: a.to_vec(),
            b: vec![0.0; a.len()],
            n: 0,
        };
        let mut q = Plain { w: k };
        let u = run(&mut p, y, k, n);
        let v = run(&mut q, y, u * 0.3 + k, n);
        u * v + p.a[0] + q.w * p.n as f64
    }
    fn scaled(mut k: f64) -> impl Fn(f64) -> f64 {
        k *= k;
        move |x| k * x.sin()
    }
    fn tail(it: impl Iterator<Item = f64>, k: f64) -> f64 {
        let first = k;
        let mut s = first;
        for v in it {
            s = s * v + first;
            if s > 3.0 {
                break;
            }
        }
        s
    }
    pub fn handed(x: &[f64], mut k: f64) -> f64 {
        let f = scaled(k);
        k *= 3.0;
        let g = scaled(k);
        k = f(k);
        tail(x.iter().map(|&v| f(v) + g(v)), k)
            + tail(x.iter().copied().filter(|v| *v > 0.5), k)
            + tail(std::iter::empty::<f64>(), k)
    }
}
#[adjoint]
fn boxed(x: &[f64], k: f64) -> Box<[f64]> {
    let mut v: Vec<f64> = x.iter().map(|a| a * k).collect();
    if v.len() > 2 {
        v.truncate(1);
    }
    for a in v.iter_mut() {
        *a *= *a;
    }
    v.into_boxed_slice()
}
#[test]
fn written_out_among_exits_and_swaps() {
    let ps = |s: f64| {
        vec![
            P { x: 0.3 * s, y: 0.7 },
            P {
                x: -0.4,
                y: 0.2 * s,
            },
            P { x: 0.9, y: 1.1 },
        ]
    };
    check!(mapped(&mut ps(1.0), const [2, 0, 1], 0.8) -> f64);
    check!(mapped(&mut ps(2.0), const [2, 2, 1], 2.8) -> f64);
    for n in 0..4 {
        check!(generic::both(&vec![0.3, -0.8], &mut vec![0.6, 0.4], 0.7, const n) -> f64);
        check!(generic::both(&vec![1.3, 0.8], &mut vec![1.9, 0.4], 0.2, const n) -> f64);
    }
    for x in [vec![], vec![0.7], vec![0.7, 0.2, 0.9]] {
        check!(generic::handed(&x, 0.6) -> f64);
        check!(boxed(&x, 0.6) -> &Box<[f64]>);
    }
}
