//! Returned structs, written options and live iterators, among early exits, loops of zero trips and overwrites.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

/// A result's adjoint handed back in a loop of zero or more trips, left early, and overwritten.
#[derive(Clone, Differentiable)]
struct Net {
    w: Vec<f64>,
    b: f64,
}
#[adjoint]
impl Net {
    fn new(w: &[f64], b: f64) -> Self {
        Net { w: w.to_vec(), b }
    }
    fn run(&self, x: f64) -> f64 {
        self.w.iter().fold(self.b, |s, w| s * x + w)
    }
}
#[adjoint]
fn nets(x: &[f64], n: usize) -> f64 {
    let mut net = Net::new(&x[..n.min(2)], x[0]);
    let mut s = x[1];
    for k in 0..n {
        if s > 40.0 {
            return s * net.run(0.5);
        }
        net = Net::new(&[s, x[k % 2]], net.run(s));
        s += net.run(x[1]) * net.b;
    }
    s * net.run(s)
}

/// Options of tuples written by way of patterns under a changing index, with exits and a `None`.
#[adjoint]
fn slots(x: &[f64], n: usize) -> f64 {
    let mut o = [Some((x[0], Some(x[1]))), None, Some((x[1], None))];
    let (mut i, mut s) = (0, 1.0);
    while i < n {
        match &mut o[i % 3] {
            Some((a, Some(b)))
                if {
                    i += 1;
                    *a < 5.0
                } =>
            {
                std::mem::swap(a, b);
                *a *= s;
                s += *b;
            }
            Some((a, b)) => {
                *b = Some(*a * s);
                i += 2;
                if s > 3.0 {
                    break;
                }
            }
            None => {
                i += 1;
                s *= x[0];
            }
        }
        if let Some((ref mut a, _)) = o[(i + 1) % 3]
            && {
                i += 1;
                s > 0.5
            }
        {
            *a += s * x[1];
        }
        o.swap(0, i % 3);
    }
    let c = o.clone();
    if let Some((a, _)) = &mut o[0] {
        *a = 0.0;
    }
    s + c
        .iter()
        .flatten()
        .map(|(a, b)| a * b.unwrap_or(2.0))
        .sum::<f64>()
        * o[0].map_or(1.0, |p| p.0 + 2.0)
}

/// Iterators that hold values which are overwritten, states, and zeros.
#[adjoint]
fn kept(x: &[f64]) -> f64 {
    let (mut s, mut c) = (x[0], 0.0);
    let ends = std::iter::once(s)
        .chain(Some(s * x[1]))
        .chain(std::iter::repeat_n(c, 2));
    s = 0.0;
    let v: Vec<f64> = ends
        .scan(1.0, |p, e| {
            c += e * *p;
            *p *= 0.5 + e;
            if c > 50.0 { None } else { Some(*p + s) }
        })
        .collect();
    c = c * c;
    let mut k = 0;
    let w = vec![
        c;
        {
            k += v.len();
            c = x[1];
            k
        }
    ];
    w.iter()
        .zip(&v)
        .skip(1)
        .map(|(a, b)| {
            s += a;
            a * b + s
        })
        .last()
        .unwrap_or(c)
        * c
        + s
}

#[test]
fn among_exits_and_overwrites() {
    for n in 0..5 {
        check!(nets(&[0.3, 0.7], const n) -> f64);
        check!(nets(&[3.0, 2.0], const n) -> f64);
    }
    for n in 0..9 {
        check!(slots(&[0.3, 0.7], const n) -> f64);
        check!(slots(&[0.0, 1.7], const n) -> f64);
    }
    check!(kept(&[0.3, 0.7]) -> f64);
    check!(kept(&[0.0, 0.7]) -> f64);
    check!(kept(&[60.0, 0.7]) -> f64);
}
