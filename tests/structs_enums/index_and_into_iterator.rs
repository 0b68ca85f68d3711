//! `Index` and `IntoIterator` of structs, and iterators that hold references.
//!
//! Some structs with `Index` hold references, without `IndexMut`, or choose a field.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod m {
    use adjoint::Differentiable;
    use std::ops::{Index, IndexMut};
    pub struct View<'a> {
        data: &'a [f64],
        cols: usize,
    }
    impl Index<(usize, usize)> for View<'_> {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            &self.data[i * self.cols + j]
        }
    }
    impl<'a> View<'a> {
        fn trace(&self) -> f64 {
            (0..self.cols).map(|i| self[(i, i)]).sum()
        }
    }
    pub fn trace(a: &[f64]) -> f64 {
        let v = View { data: a, cols: 2 };
        v.trace() * v[(0, 1)]
    }
    pub struct ViewMut<'a> {
        data: &'a mut [f64],
        cols: usize,
    }
    impl Index<usize> for ViewMut<'_> {
        type Output = [f64];
        fn index(&self, i: usize) -> &[f64] {
            &self.data[i * self.cols..][..self.cols]
        }
    }
    impl IndexMut<usize> for ViewMut<'_> {
        fn index_mut(&mut self, i: usize) -> &mut [f64] {
            &mut self.data[i * self.cols..][..self.cols]
        }
    }
    pub fn scaled(a: &mut [f64], k: f64) -> f64 {
        let mut v = ViewMut { data: a, cols: 2 };
        for i in 0..2 {
            for j in 0..2 {
                v[i][j] *= k * v[0][0];
            }
        }
        v[1][0] = v[0][1] + k;
        v[1].iter().sum()
    }
    #[derive(Clone, Copy, Differentiable)]
    pub struct V {
        x: f64,
        y: f64,
    }
    impl Index<usize> for V {
        type Output = f64;
        fn index(&self, i: usize) -> &f64 {
            match i {
                0 => &self.x,
                1 => &self.y,
                _ => panic!(),
            }
        }
    }
    pub fn fields(x: f64, y: f64) -> f64 {
        let v = V { x, y: x * y };
        let mut s = 0.0;
        for i in 0..2 {
            s += v[i] * v[1 - i] + v[i];
        }
        s * v[1]
    }
    #[derive(Clone, Copy, Differentiable)]
    pub struct W {
        x: f64,
        y: f64,
    }
    impl Index<usize> for W {
        type Output = f64;
        fn index(&self, i: usize) -> &f64 {
            match i {
                0 => &self.x,
                _ => &self.y,
            }
        }
    }
    impl IndexMut<usize> for W {
        fn index_mut(&mut self, i: usize) -> &mut f64 {
            match i {
                0 => &mut self.x,
                _ => &mut self.y,
            }
        }
    }
    pub fn chosen(x: f64, y: f64) -> f64 {
        let mut v = W { x, y };
        for i in 0..2 {
            v[i] *= v[1 - i];
            v[0] += y;
        }
        v.x * v[1]
    }
    #[derive(Clone, Differentiable)]
    pub struct L {
        a: Vec<f64>,
    }
    impl IntoIterator for L {
        type Item = f64;
        type IntoIter = std::vec::IntoIter<f64>;
        fn into_iter(self) -> Self::IntoIter {
            self.a.into_iter()
        }
    }
    impl<'a> IntoIterator for &'a L {
        type Item = &'a f64;
        type IntoIter = std::slice::Iter<'a, f64>;
        fn into_iter(self) -> Self::IntoIter {
            self.a.iter()
        }
    }
    impl<'a> IntoIterator for &'a mut L {
        type Item = &'a mut f64;
        type IntoIter = std::slice::IterMut<'a, f64>;
        fn into_iter(self) -> Self::IntoIter {
            self.a.iter_mut()
        }
    }
    pub fn items(x: f64) -> f64 {
        let mut v = L { a: vec![x, x * x] };
        let mut s = 0.0;
        for t in &v {
            s += t * t;
        }
        for t in &mut v {
            *t *= x;
        }
        s += (&v).into_iter().zip(&v).map(|(a, b)| a * b).sum::<f64>();
        for t in v {
            s += t;
        }
        s
    }
    pub struct Rows<'a> {
        rest: &'a [f64],
        n: usize,
    }
    impl<'a> Iterator for Rows<'a> {
        type Item = &'a [f64];
        fn next(&mut self) -> Option<&'a [f64]> {
            if self.rest.len() < self.n {
                return None;
            }
            let (a, b) = self.rest.split_at(self.n);
            self.rest = b;
            Some(a)
        }
    }
    pub fn left(x: &[f64]) -> f64 {
        let mut r = Rows { rest: x, n: 2 };
        let first = r.next().unwrap();
        let mut s = first[0];
        for row in &mut r {
            s += row[0] * row[1];
            if s > 1.0 {
                break;
            }
        }
        s += r.by_ref().map(|row| row[1] * row[0]).sum::<f64>();
        s + r.rest[0] + Rows { rest: x, n: 1 }.map(|row| row[0]).product::<f64>()
    }
    pub fn rows(x: &[f64]) -> f64 {
        let mut s = 0.0;
        let r = Rows { rest: x, n: 2 };
        for row in r {
            s += row[0] * row[1];
        }
        s
    }
    pub fn searched(x: &[f64]) -> f64 {
        let mut r = Rows { rest: x, n: 1 };
        let a = r.next().map_or(0.0, |row| row[0]);
        let b = x[1];
        let c = r.any(|row| row[0] > 1.0);
        let k = r.position(|row| row[0] < 0.5).unwrap_or(0);
        let mut s = a * b + k as f64 * x[0];
        while let Some(row) = r.next() {
            s += row[0] * x[1];
            break;
        }
        let lent = &mut r;
        s += lent.take(1).map(|row| row[0]).sum::<f64>();
        s += take_one(&mut r);
        if c {
            s *= 2.0;
        }
        s + r.rest.len() as f64 * x[2] + r.map(|row| row[0] * row[0]).sum::<f64>()
    }
    fn take_one(r: &mut Rows<'_>) -> f64 {
        r.next().map_or(0.5, |row| row[0])
    }
    pub fn moved(x: &[f64]) -> f64 {
        let r = Rows { rest: x, n: 2 };
        let it = r.skip(1).enumerate();
        let (k, a) = (1, x);
        let mut s = a[0] * k as f64 + a[1];
        for (i, row) in it {
            s += row[0] * i as f64;
        }
        s
    }
}
use m::*;
const T: [f64; 5] = [0.1, 0.4, 0.5, 0.7, 0.9];
#[test]
fn indexed_by_two() {
    check!(trace(&[0.3, 0.7, 0.9, 1.4]) -> f64);
}
#[test]
fn indexed_and_changed() {
    check!(scaled(&mut [0.3, 0.7, 0.9, 1.4], 0.8) -> f64);
}
#[test]
fn fields_by_number() {
    check!(fields(0.3, 0.7) -> f64);
    check!(chosen(0.3, 0.7) -> f64);
}
#[test]
fn run_over() {
    check!(items(0.7) -> f64);
}
#[test]
fn rows_one_after_the_other() {
    check!(left(&T) -> f64);
    check!(left(&[0.9, 0.8, 0.7, 1.3, 1.1, 0.3, 0.6]) -> f64);
    check!(rows(&T) -> f64);
}
#[test]
fn advanced_on_the_way() {
    check!(searched(&[0.9, 0.8, 0.7, 1.3, 1.1, 0.3, 0.6, 0.2, 1.7, 0.35, 0.45]) -> f64);
    check!(moved(&[0.9, 0.8, 0.7, 1.3, 1.1, 0.3, 0.6]) -> f64);
}
