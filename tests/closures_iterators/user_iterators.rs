//! Iterators of the user's, in an annotated module: in loops, behind adapters, and advanced one by one.

use crate::common::check;

#[adjoint::adjoint]
mod series {
    use adjoint::Differentiable;

    #[derive(Clone, Differentiable)]
    pub struct Geometric {
        v: f64,
        r: f64,
        left: usize,
    }

    impl Geometric {
        fn new(v: f64, r: f64, left: usize) -> Geometric {
            Geometric { v, r, left }
        }
    }

    impl Iterator for Geometric {
        type Item = f64;

        fn next(&mut self) -> Option<f64> {
            if self.left == 0 {
                return None;
            }
            self.left -= 1;
            let now = self.v;
            self.v *= self.r;
            Some(now)
        }
    }

    #[derive(Clone, Differentiable)]
    pub struct Neighbours {
        of: Vec<f64>,
        at: usize,
    }

    impl Iterator for Neighbours {
        type Item = (usize, f64);

        fn next(&mut self) -> Option<Self::Item> {
            let i = self.at;
            if i + 1 >= self.of.len() {
                None
            } else {
                self.at += 1;
                Some((i, self.of[i] * self.of[i + 1]))
            }
        }
    }

    pub fn squares(a: f64, r: f64) -> f64 {
        let mut s = 0.0;
        for t in (Geometric { v: a, r, left: 5 }) {
            s += t * t;
        }
        s
    }

    pub fn sines(a: f64, r: f64) -> f64 {
        Geometric::new(a, r, 5).map(|t| t.sin()).sum()
    }

    pub fn adapted(a: f64, r: f64) -> f64 {
        let terms = Geometric::new(a, r, 9);
        let mut s = 0.0;
        for (i, t) in terms.enumerate().skip(1).take(4) {
            if i == 3 {
                continue;
            }
            s += t * i as f64;
        }
        s
    }

    pub fn advanced(a: f64, r: f64) -> f64 {
        let mut terms = Geometric::new(a, r, 9);
        let first = terms.next().unwrap();
        let small = terms.find(|t| *t < 0.2).unwrap_or(0.0);
        let two: f64 = terms.by_ref().take(2).sum();
        first + small * two + terms.next().unwrap_or(3.0)
    }

    pub fn one_by_one(a: f64, r: f64) -> f64 {
        let mut terms = Geometric::new(a, r, 6);
        let mut s = 0.0;
        while let Some(v) = terms.next() {
            s += v * v;
            if v < 0.1 {
                break;
            }
        }
        s + terms.left as f64 * a
    }

    pub fn left_behind(a: f64, r: f64) -> f64 {
        let all: Vec<f64> = Geometric::new(a, r, 4).collect();
        let mut terms = Geometric::new(r, a, 3);
        let mut s = 0.0;
        for t in &mut terms {
            s += t;
            if s > 0.9 {
                break;
            }
        }
        all[3] * s + terms.v
    }

    /// The index of the one that is run over changes meanwhile.
    pub fn of_several(a: f64, r: f64) -> f64 {
        let mut all = [Geometric::new(a, r, 3), Geometric::new(r, a, 4)];
        let mut i = 0;
        let mut s = 0.0;
        for t in &mut all[i] {
            s += t * (i + 1) as f64;
            i = 1;
        }
        for t in all[i].by_ref().take(2) {
            s += t * t + i as f64;
            i = 0;
        }
        s + all[0].v * all[1].v + all[1].left as f64 * a + i as f64
    }

    pub fn taken_and_replaced(a: f64, r: f64) -> f64 {
        let mut terms = Geometric::new(a, r, 3);
        let squares = terms.map(|t| t * t);
        terms = Geometric::new(r, r, 2);
        let s: f64 = squares.sum();
        s * terms.map(|t| t * 2.0).sum::<f64>()
    }

    pub fn cloned(a: f64, r: f64) -> f64 {
        let mut terms = Geometric::new(a, r, 5);
        terms.next();
        let others = terms.clone();
        let two: f64 = terms.take(2).sum();
        two * others.sum::<f64>()
    }

    pub fn shared(x: &[f64], a: f64) -> f64 {
        let mut terms = Geometric::new(a, a, 9);
        let mut s = 0.0;
        for (u, t) in x.iter().zip(terms.by_ref()) {
            s += u * t;
        }
        s += terms.by_ref().skip(1).take(1).sum::<f64>();
        for t in terms.by_ref().step_by(2).take(2) {
            s += t * t;
        }
        s * terms.next().unwrap() + terms.v
    }

    fn total(terms: &mut Geometric, n: usize) -> f64 {
        terms.take(n).sum()
    }

    pub fn lent(a: f64, r: f64) -> f64 {
        let mut terms = Geometric::new(a, r, 6);
        total(&mut terms, 2) * total(&mut terms, 3)
    }

    pub fn pairs(x: &[f64], k: f64) -> f64 {
        let mut s = 0.0;
        for (i, p) in (Neighbours {
            of: x.to_vec(),
            at: 0,
        }) {
            s += p * k * (i + 1) as f64;
        }
        s
    }

    pub fn joined(x: &[f64], k: f64) -> f64 {
        let pairs = Neighbours {
            of: x.to_vec(),
            at: 0,
        };
        let weighted = x.iter().zip(Geometric::new(k, k, 9)).map(|(a, b)| a * b);
        weighted
            .chain(pairs.map(|(_, a)| a))
            .fold(0.0, |s, v| s * 0.5 + v)
    }
}

/// Generic ones, ones that are copied, and such as carry no derivative.
#[adjoint::adjoint]
mod kinds {
    use adjoint::Differentiable;
    use num_traits::Float;

    #[derive(Clone, Differentiable)]
    struct Steps<T> {
        x: T,
        h: T,
        n: usize,
    }

    impl<T: Float> Iterator for Steps<T> {
        type Item = (T, T);

        fn next(&mut self) -> Option<(T, T)> {
            if self.n == 0 {
                return None;
            }
            self.n -= 1;
            let from = self.x;
            self.x = self.x + self.h;
            Some((from, self.x))
        }
    }

    impl<T: Float> Steps<T> {
        fn new(x: T, h: T, n: usize) -> Self {
            Steps { x, h, n }
        }

        fn rest(&mut self) -> T {
            let mut s = T::zero();
            for (a, b) in self {
                s = s + a * b;
            }
            s
        }
    }

    pub fn trapezoids(a: f64, b: f64) -> f64 {
        let steps = Steps::new(a, (b - a) / 4.0, 4);
        steps
            .map(|(l, r)| (r - l) * (l.sin() + r.sin()) * 0.5)
            .sum()
    }

    pub fn rest_of(a: f64, b: f64) -> f64 {
        let mut steps = Steps::new(a, b, 5);
        let first = steps.next();
        let rest = steps.rest();
        match first {
            Some((u, v)) => u * v * rest,
            None => 0.0,
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    struct Powers {
        x: f64,
        v: f64,
    }

    impl Iterator for Powers {
        type Item = f64;

        fn next(&mut self) -> Option<f64> {
            self.v *= self.x;
            Some(self.v)
        }
    }

    pub fn copied(a: f64) -> f64 {
        let powers = Powers { x: a, v: 1.0 };
        let s: f64 = powers.take(3).sum();
        let p: f64 = powers.skip(1).take(2).product();
        let mut other = powers;
        other.next();
        s * p + other.v + powers.v
    }

    struct Generator {
        state: u64,
    }

    impl Iterator for Generator {
        type Item = f64;

        fn next(&mut self) -> Option<f64> {
            self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1);
            Some((self.state >> 33) as f64 / 4294967296.0)
        }
    }

    pub fn sampled(a: f64, b: f64) -> f64 {
        let random = Generator { state: 7 };
        let mut s = 0.0;
        for u in random.take(6) {
            s += (a * u + b).exp();
        }
        s / 6.0
    }

    pub fn rejected(x: &[f64], b: f64) -> f64 {
        let mut random = Generator { state: 7 };
        let mut s = 0.0;
        for v in x {
            let u = random.next().unwrap();
            if u < 0.3 {
                continue;
            }
            s += v * u * b;
        }
        s
    }

    struct Even {
        n: usize,
    }

    impl Iterator for Even {
        type Item = usize;

        fn next(&mut self) -> Option<usize> {
            self.n += 2;
            (self.n < 7).then_some(self.n)
        }
    }

    pub fn by_index(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in (Even { n: 0 }) {
            s += x[i % 3] * i as f64;
        }
        let odd = Even { n: 1 };
        s + odd.map(|i| x[i % 2] * x[0]).sum::<f64>()
    }
}

use kinds::*;
use series::*;

#[test]
fn items_are_what_next_gives() {
    for (a, r) in [(0.4, 0.8), (0.9, 0.5)] {
        check!(squares(a, r) -> f64);
        check!(sines(a, r) -> f64);
        check!(adapted(a, r) -> f64);
        check!(pairs(&[a, r, 0.3], r) -> f64);
        check!(joined(&[a, r, 0.3], r) -> f64);
    }
}

#[test]
fn an_iterator_goes_on_where_it_was_left() {
    for (a, r) in [(0.4, 0.8), (0.9, 0.5)] {
        check!(advanced(a, r) -> f64);
        check!(one_by_one(a, r) -> f64);
        check!(left_behind(a, r) -> f64);
        check!(lent(a, r) -> f64);
        check!(of_several(a, r) -> f64);
        check!(taken_and_replaced(a, r) -> f64);
        check!(cloned(a, r) -> f64);
        check!(shared(&[a, r], 0.9) -> f64);
        check!(shared(&[], 0.9) -> f64);
    }
}

#[test]
fn iterators_of_other_kinds() {
    for (a, b) in [(0.3, 0.8), (0.9, 0.2)] {
        check!(trapezoids(a, b) -> f64);
        check!(rest_of(a, b) -> f64);
        check!(copied(a) -> f64);
        check!(sampled(a, b) -> f64);
        check!(rejected(&[a, b, 0.4], b) -> f64);
        check!(by_index(&[a, b, 0.4]) -> f64);
    }
}
