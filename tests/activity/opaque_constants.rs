//! Constants of types that the macro does not see.
//!
//! Their expressions are evaluated as written, once in each execution of the statement.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use adjoint::adjoint;

use crate::common::check;
use grids::{Grid, read};

/// Types as another crate has them: none is `Differentiable`, and a few are not `Clone`.
mod grids {
    use std::ops::{Index, Mul};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    pub static READ: AtomicUsize = AtomicUsize::new(0);

    pub struct Grid {
        values: Vec<f64>,
        columns: usize,
    }

    pub struct Row<'g>(&'g [f64]);

    pub fn read() -> Grid {
        READ.fetch_add(1, Relaxed);
        Grid::new(vec![0.5, 1.5, -0.25, 2.0], 2)
    }

    impl Grid {
        pub fn new(values: Vec<f64>, columns: usize) -> Grid {
            Grid { values, columns }
        }

        pub fn height(&self) -> usize {
            self.values.len() / self.columns
        }

        pub fn line(&self, i: usize) -> Row<'_> {
            Row(&self.values[i * self.columns..][..self.columns])
        }

        pub fn lines(&self) -> impl Iterator<Item = &[f64]> {
            self.values.chunks(self.columns)
        }

        pub fn within(&self, i: usize) -> Option<&f64> {
            self.values.get(i)
        }

        pub fn span(&self) -> (f64, f64) {
            let fold = |f: fn(f64, f64) -> f64| self.values.iter().copied().reduce(f).unwrap();
            (fold(f64::min), fold(f64::max))
        }
    }

    impl Index<(usize, usize)> for Grid {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            &self.values[i * self.columns + j]
        }
    }

    impl Index<[usize; 2]> for Grid {
        type Output = f64;
        fn index(&self, [i, j]: [usize; 2]) -> &f64 {
            &self[(i, j)]
        }
    }

    impl<'g> IntoIterator for &'g Grid {
        type Item = &'g f64;
        type IntoIter = std::slice::Iter<'g, f64>;
        fn into_iter(self) -> Self::IntoIter {
            self.values.iter()
        }
    }

    impl Index<usize> for Row<'_> {
        type Output = f64;
        fn index(&self, j: usize) -> &f64 {
            &self.0[j]
        }
    }

    impl Mul<f64> for &Grid {
        type Output = Grid;
        fn mul(self, by: f64) -> Grid {
            Grid::new(self.values.iter().map(|v| v * by).collect(), self.columns)
        }
    }
}

#[adjoint(wrt(p))]
fn indexed(p: &[f64], g: &Grid) -> f64 {
    let mut s = 0.0;
    for i in 0..g.height() {
        let line = g.line(i);
        for j in 0..p.len() {
            s += g[(i, j)] * p[j] * p[i] + g[[j, i]] * p[j].sin() + line[j] * p[0];
        }
    }
    s
}

#[adjoint(wrt(p))]
fn run_over(p: &[f64], g: &Grid) -> f64 {
    let mut s = 0.0;
    for v in g {
        s += v * p[0] * p[0];
    }
    for line in g.lines() {
        s += line.iter().zip(p).map(|(v, p)| v * p).sum::<f64>().tanh();
    }
    s
}

#[adjoint(wrt(p))]
fn found(p: f64, g: &Grid) -> f64 {
    let (low, high) = g.span();
    let doubled = g * 2.0;
    let there = match g.within(1) {
        Some(v) => v * p,
        None => p,
    };
    let missing = if let Some(v) = g.within(99) {
        v * p
    } else {
        p * p
    };
    (p - low) * (high - p) + there * missing + doubled[(0, 1)] * p + doubled.span().0 * p.exp()
}

#[adjoint]
fn made(p: &[f64]) -> f64 {
    let g = read();
    let mut s = 0.0;
    for (k, v) in g.into_iter().enumerate() {
        s += v * p[k % 2] * p[0] * f64::from(k as u32);
    }
    s * g[(1, 1)]
}

#[adjoint(wrt(x))]
fn ranged(x: f64, w: &BTreeMap<usize, f64>) -> f64 {
    let (_, c) = w.range(1..3).next().unwrap();
    x * x * c
}

/// A copy that changes is no constant.
#[adjoint(wrt(x))]
fn copied(x: f64, g: &Grid) -> f64 {
    let mut all: Vec<f64> = g.into_iter().copied().collect();
    all[0] *= x;
    all[0] * all[1] * x
}

struct Counter(AtomicUsize);

impl Counter {
    fn number(&self) -> usize {
        self.0.fetch_add(1, Relaxed)
    }
}

#[adjoint(wrt(x))]
fn kept_behind(x: &[f64], calls: &Counter) -> f64 {
    let n = calls.number();
    let mut s = 0.0;
    for i in 0..n {
        s += x[i] * x[i];
    }
    s * n as f64
}

fn grid() -> Grid {
    Grid::new(vec![0.5, 1.5, -0.25, 2.0], 2)
}

#[test]
fn constants_are_looked_into() {
    check!(indexed(&[0.3, -0.7], const &grid()) -> f64);
    check!(run_over(&[0.3, -0.7], const &grid()) -> f64);
    check!(found(0.4, const &grid()) -> f64);
    check!(made(&[0.3, -0.7]) -> f64);
    check!(ranged(0.4, const &BTreeMap::from([(0, 5.0), (2, 3.0)])) -> f64);
    check!(copied(0.4, const &grid()) -> f64);
}

#[test]
fn constants_are_evaluated_once() {
    let before = grids::READ.load(Relaxed);
    made_adjoint(&[0.3, -0.7], &mut [0.0; 2], 1.0);
    assert!(grids::READ.load(Relaxed) > before);
    let (calls, mut x_adj) = (Counter(AtomicUsize::new(2)), [0.0; 3]);
    kept_behind_adjoint(&[0.5, 1.0, 1.5], &mut x_adj, &calls, 1.0);
    assert_eq!((x_adj, calls.number()), ([2.0, 4.0, 0.0], 3));
}
