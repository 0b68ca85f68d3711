//! Structs that hold references and move: assigned again, in `Option`s, as items, with buffers that are swapped.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod m {
    use std::mem::swap;
    pub struct Data<'a> {
        t: &'a [f64],
        y: &'a [f64],
        k: f64,
    }
    impl<'a> Data<'a> {
        fn new(t: &'a [f64], y: &'a [f64]) -> Self {
            Self { t, y, k: t[0] }
        }
        fn cost(&self) -> f64 {
            self.t.iter().zip(self.y).map(|(a, b)| a * b).sum::<f64>() * self.k
        }
        fn longest(&self) -> &'a [f64] {
            if self.t.len() > self.y.len() {
                return self.t;
            }
            self.y
        }
        fn best(&self, k: f64) -> Option<&'a f64> {
            for v in self.t {
                if *v > k {
                    return Some(v);
                }
            }
            None
        }
        fn with(self, k: f64) -> Self {
            Self { k, ..self }
        }
        fn split(&self, n: usize) -> (Data<'a>, Data<'a>) {
            let (a, b) = self.t.split_at(n);
            let (c, d) = self.y.split_at(n);
            (
                Data {
                    t: a,
                    y: c,
                    k: self.k,
                },
                Data {
                    t: b,
                    y: d,
                    k: 2.0 * self.k,
                },
            )
        }
    }
    pub fn reassigned(t: &[f64], y: &[f64], n: usize) -> f64 {
        let mut d = Data::new(t, y);
        let mut s = 0.0;
        for i in 0..n {
            s += d.cost() * (i as f64 + 1.0);
            d = if i % 2 == 0 {
                Data {
                    t: d.y,
                    y: d.t,
                    k: d.k * t[1],
                }
            } else {
                Data::new(&t[1..], y)
            };
        }
        s + d.longest()[0] + d.best(0.3).map_or(0.0, |v| *v)
    }
    pub fn optional(t: &[f64], y: &[f64], c: bool) -> f64 {
        let d = if c { Some(Data::new(t, y)) } else { None };
        let s = match &d {
            Some(d) => d.cost(),
            None => t[0],
        };
        let mut u = 0.0;
        if let Some(d) = d {
            u += d.k * d.t[1];
            let (a, b) = d.split(1);
            u += a.cost() * b.cost() + b.with(y[0]).cost();
        }
        s * u + t[1]
    }
    pub struct Pair<'a> {
        a: &'a f64,
        b: &'a f64,
    }
    impl Pair<'_> {
        fn norm(&self) -> f64 {
            (self.a * self.a + self.b * self.b).sqrt()
        }
    }
    pub fn pairs(x: &[f64]) -> f64 {
        x.chunks(2)
            .map(|c| Pair { a: &c[0], b: &c[1] })
            .map(|p| p.norm() * p.a)
            .sum::<f64>()
            + x.windows(2)
                .map(|w| Pair { a: &w[0], b: &w[1] })
                .filter(|p| *p.a > 0.5)
                .map(|p| p.norm())
                .fold(0.0, |a, b| a * 0.5 + b)
    }
    pub struct Buffers<'a> {
        cur: &'a mut [f64],
        next: &'a mut [f64],
        steps: usize,
    }
    impl<'a> Buffers<'a> {
        fn step(&mut self, c: f64) {
            let n = self.cur.len();
            for i in 1..n - 1 {
                self.next[i] =
                    self.cur[i] + c * (self.cur[i - 1] - 2.0 * self.cur[i] + self.cur[i + 1]).sin();
            }
            self.next[0] = self.cur[0];
            self.next[n - 1] = self.cur[n - 1];
            swap(&mut self.cur, &mut self.next);
            self.steps += 1;
        }
        fn energy(&self) -> f64 {
            self.cur.iter().map(|v| v * v).sum()
        }
    }
    pub fn wave(u: &mut [f64], v: &mut [f64], c: f64, n: usize) -> f64 {
        let mut b = Buffers {
            cur: u,
            next: v,
            steps: 0,
        };
        let mut e = 0.0;
        for _ in 0..n {
            b.step(c);
            e += b.energy();
        }
        if b.steps % 2 == 1 {
            let Buffers { cur, next, .. } = b;
            next.copy_from_slice(cur);
        }
        e
    }
    use num_traits::Float;
    pub struct Poly<'a, T> {
        c: &'a [T],
        x0: T,
    }
    impl<'a, T: Float> Poly<'a, T> {
        fn new(c: &'a [T], x0: T) -> Self {
            Poly { c, x0 }
        }
        fn eval(&self, x: T) -> T {
            let d = x - self.x0;
            self.c.iter().rev().fold(T::zero(), |s, c| s * d + *c)
        }
    }
    pub fn poly(c: &[f64], x: f64) -> f64 {
        let p = Poly::new(c, 0.25 * x);
        p.eval(x) * p.eval(2.0 * x)
    }
    pub fn captured(t: &[f64], y: &[f64]) -> f64 {
        let mut d = Data::new(t, y);
        let mut add = |v: f64| {
            d.k += v;
            d.k
        };
        add(t[1]);
        add(y[1]);
        let f = |s: f64| s * d.cost();
        f(2.0) + f(t[0])
    }
    pub fn nested(t: &[f64], y: &[f64]) -> f64 {
        fn inner(d: &Data<'_>, s: f64) -> f64 {
            d.cost() * s
        }
        let mut d = Data::new(t, y);
        let r = &mut d;
        r.k = 3.0 * r.k;
        *r = Data {
            k: r.k * t[1],
            ..*r
        };
        inner(r, t[0]) + inner(&d, 1.0)
    }
}
use m::*;
const T: [f64; 5] = [0.1, 0.4, 0.5, 0.7, 0.9];
const Y: [f64; 5] = [1.3, 0.7, 2.1, -0.4, 1.9];
#[test]
fn assigned_again() {
    for n in 0..5 {
        check!(reassigned(&T, &Y, const n) -> f64);
    }
}
#[test]
fn in_options() {
    for c in [true, false] {
        check!(optional(&T, &Y, const c) -> f64);
    }
}
#[test]
fn as_items() {
    check!(pairs(&[0.1, 0.4, 0.6, 0.7]) -> f64);
}
#[test]
fn swapped_buffers() {
    for n in 0..5 {
        check!(wave(&mut [0.1, 0.4, 0.5, 0.7], &mut [0.0; 4], 0.3, const n) -> f64);
    }
}
#[test]
fn generic_over_floats() {
    check!(poly(&T, 0.7) -> f64);
}
#[test]
fn captured_by_closures() {
    check!(captured(&T, &Y) -> f64);
}
#[test]
fn lent_and_replaced() {
    check!(nested(&T, &Y) -> f64);
}

#[adjoint]
mod copied {
    #[derive(Clone, Copy)]
    pub struct D<'a> {
        x: &'a [f64],
        k: f64,
    }
    fn maybe<'a>(x: &'a [f64], n: usize) -> Option<D<'a>> {
        if n > 1 { Some(D { x, k: x[1] }) } else { None }
    }
    pub fn from_options(x: &[f64], n: usize) -> f64 {
        let o = if n > 1 { Some(D { x, k: x[1] }) } else { None };
        let mut s = x[0];
        if let Some(mut e) = o {
            e.k *= 2.0;
            s += e.k * e.x[0];
        }
        match o {
            Some(mut e) => {
                e.k += 1.0;
                s *= e.k;
            }
            None => s += 1.0,
        }
        s += o.map_or(0.0, |mut e| {
            e.k *= 3.0;
            e.k
        });
        if let Some(e) = o {
            s += e.k;
        }
        for mut e in o.into_iter() {
            e.k -= 1.0;
            s += e.k;
        }
        let p = maybe(x, n);
        if let Some(mut e) = maybe(x, n) {
            e.k *= 5.0;
            s += e.k;
        }
        s + p.map_or(0.0, |e| e.k * e.x[0])
    }
    impl D<'_> {
        fn added(self, k: f64) -> f64 {
            self.k * self.x[0] + k
        }
    }
    pub fn before_its_arguments(x: &[f64]) -> f64 {
        let mut d = D { x, k: x[1] };
        d.added({
            d.k += 1.0;
            d.k
        })
    }
    pub struct Rest<'a> {
        x: &'a [f64],
        k: f64,
    }
    impl Rest<'_> {
        fn advance(&mut self, k: f64) -> f64 {
            self.x = &self.x[1..];
            self.k += k;
            k * self.x[0]
        }
    }
    pub fn advanced(x: &[f64], n: usize) -> f64 {
        let mut d = Rest { x, k: x[1] };
        let mut s = d.advance(if n > 1 { x[0] } else { x[1] });
        s += d.advance(d.x.iter().sum::<f64>());
        let r = &mut d;
        s += r.advance(match n {
            1 => r.k,
            _ => r.x[0] * r.k,
        });
        s + d.k * d.x[0]
    }
    pub fn repeated(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for mut e in std::iter::repeat(D { x, k: x[1] }).take(3) {
            e.k *= 2.0;
            s += e.k;
        }
        let d = D { x, k: x[0] };
        let bump = move |n: usize| {
            let mut e = d;
            for _ in 0..n {
                e.k *= e.x[1];
            }
            e.k
        };
        s += bump(2) + bump(1) + d.k;
        let (mut a, b) = (d, d);
        a.k += 1.0;
        s += a.k * b.k;
        let pair = [d.k, a.k];
        let c = {
            let mut c = d;
            c.k = pair[1];
            c
        };
        let e = D { k: 2.0 * c.k, ..c };
        s + c.k * e.k + d.k
    }
}

#[test]
fn copied_where_they_are_named() {
    let x = [1.1, 0.4, 0.5];
    for n in 1..3 {
        check!(copied::from_options(&x, const n) -> f64);
    }
    for n in 0..3 {
        check!(copied::advanced(&[1.1, 0.4, 0.5, 0.7, 1.3], const n) -> f64);
    }
    check!(copied::repeated(&x) -> f64);
    check!(copied::before_its_arguments(&x) -> f64);
}

#[adjoint]
mod beside_arguments {
    #[derive(Clone, Copy)]
    pub struct D<'a> {
        x: &'a [f64],
        k: f64,
    }
    pub fn taken_out(x: &[f64], n: usize) -> f64 {
        let o = if n > 1 { Some(D { x, k: x[1] }) } else { None };
        let mut s = x[0];
        if n > 1 {
            let mut e = o.unwrap();
            e.k *= 2.0;
            s += e.k;
            let mut g = o.unwrap();
            g.k += 1.0;
            s += g.k;
        }
        s += o
            .map(|mut e| {
                e.k *= 3.0;
                e.k
            })
            .unwrap_or(0.5);
        if let Some(e) = &o {
            let mut g = *e;
            g.k -= 2.0;
            s += g.k * e.k;
        }
        if let Some(e) = o.as_ref() {
            let mut g = *e;
            g.k -= 2.0;
            s += g.k * e.k;
        }
        let q = question(x, o);
        s + q.unwrap_or(0.1) + o.map_or(0.0, |e| e.k)
    }
    fn question(x: &[f64], o: Option<D<'_>>) -> Option<f64> {
        let mut e = o?;
        e.k *= x[0];
        let g = o?;
        Some(e.k + g.k)
    }
    pub struct B<'a> {
        cur: &'a mut [f64],
        next: &'a mut [f64],
    }
    impl B<'_> {
        fn step(&mut self, c: f64) {
            for i in 0..self.cur.len() {
                self.next[i] = self.cur[i] * c;
            }
            std::mem::swap(&mut self.cur, &mut self.next);
        }
    }
    pub fn swapped(u: &mut [f64], v: &mut [f64], n: usize) -> f64 {
        let mut b = B { cur: u, next: v };
        for i in 0..n {
            b.step(if i % 2 == 0 {
                0.5
            } else {
                b.cur.iter().sum::<f64>()
            });
        }
        b.cur[0] * b.next[1]
    }
    impl<'a> D<'a> {
        fn reset(&mut self, k: f64) {
            *self = D {
                x: &self.x[1..],
                k: k * self.k,
            };
        }
    }
    pub fn replaced(x: &[f64], n: usize) -> f64 {
        let mut d = D { x, k: x[0] };
        for i in 0..n {
            d.reset(match i {
                0 => x[1],
                _ => d.x.iter().product(),
            });
        }
        d.k * d.x[0]
    }
}

#[test]
fn beside_what_changes() {
    for n in 0..4 {
        let x = [1.1, 0.4, 0.5, 0.7];
        check!(beside_arguments::taken_out(&x, const n) -> f64);
        check!(beside_arguments::swapped(&mut [1.1, 0.4, 0.5], &mut [0.3, 0.6, 0.9], const n) -> f64);
        check!(beside_arguments::replaced(&x, const n) -> f64);
    }
}
