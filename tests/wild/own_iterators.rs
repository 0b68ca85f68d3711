//! Iterators of the user's, in an annotated module: run over, adapted, and advanced one by one.

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
    }
}
