//! Functions with iterators as parameters.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod k {
    fn mean(it: impl Iterator<Item = f64>) -> f64 {
        let mut n = 0.0;
        let mut s = 0.0;
        for x in it {
            s += x * x;
            n += 1.0;
        }
        s / n
    }
    fn total<I: IntoIterator<Item = f64>>(it: I) -> f64 {
        it.into_iter().fold(0.0, |a, b| a + b * b)
    }
    fn norm<'a>(it: impl IntoIterator<Item = &'a f64>) -> f64 {
        it.into_iter().map(|x| x * x).sum::<f64>().sqrt()
    }
    fn dot<'a, A, B>(a: A, b: B) -> f64
    where
        A: Iterator<Item = &'a f64>,
        B: Iterator<Item = &'a f64>,
    {
        a.zip(b).map(|(x, y)| x * y).sum()
    }
    fn second(mut it: impl Iterator<Item = f64>) -> Option<f64> {
        it.next();
        it.next()
    }
    fn pairs<I>(it: I) -> f64
    where
        I: Iterator<Item = f64> + Clone,
    {
        let mut s = 0.0;
        for (a, b) in it.clone().zip(it.skip(1)) {
            s += (b - a).powi(2) * a;
        }
        s
    }
    pub fn along(x: &[f64], w: &Vec<f64>) -> f64 {
        let m = mean(x.iter().zip(w).map(|(a, b)| a * b));
        m + total(x.iter().copied())
            + total(vec![x[0], w[0]])
            + norm(x)
            + norm(w.iter()) * dot(x.iter(), w.iter().rev())
            + second(x.iter().map(|v| v.sin())).unwrap_or(0.0)
            + pairs(x.iter().copied())
            + mean(x.iter().copied().filter(|&v| v > 0.5))
    }
    struct Stats;
    impl Stats {
        fn of<'a>(it: impl Iterator<Item = &'a f64>) -> f64 {
            it.fold(1.0, |a, b| a * b)
        }
        pub fn rows(v: &[Vec<f64>]) -> f64 {
            v.iter().map(|r| Stats::of(r.iter())).sum()
        }
    }
    pub fn rows(v: &[Vec<f64>]) -> f64 {
        Stats::rows(v) + v.iter().map(|r| norm(r)).product::<f64>()
    }
}
#[test]
fn taken_iterators() {
    check!(k::along(&vec![0.3, 0.7, 0.4], &vec![0.2, 1.4, -0.3]) -> f64);
    check!(k::rows(&vec![vec![0.3, 0.7, 0.4], vec![0.2, 1.4]]) -> f64);
}
