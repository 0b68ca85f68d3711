//! Function parameters that are passed on to std by name: `x.iter().map(act)`, `v.sort_by(order)`.

use crate::common::check;

#[adjoint::adjoint]
mod layers {
    pub fn leaky(x: f64) -> f64 {
        if x > 0.0 { x } else { 0.01 * x }
    }

    fn by_pointer(x: &[f64], act: fn(f64) -> f64) -> Vec<f64> {
        x.iter().copied().map(act).collect()
    }

    fn by_reference<F>(x: &[f64], act: F) -> Vec<f64>
    where
        F: Fn(f64) -> f64,
    {
        x.iter().cloned().map(&act).map(&act).collect()
    }

    fn by_object(x: &[f64], act: &dyn Fn(f64) -> f64) -> Vec<f64> {
        x.iter().cloned().map(act).collect()
    }

    fn of_array(x: [f64; 3], f: fn(f64) -> f64) -> [f64; 3] {
        x.map(f)
    }

    pub fn net(x: &[f64], k: f64) -> f64 {
        let h = by_pointer(x, leaky);
        let h = by_reference(&h, f64::sin);
        let h = by_object(&h, &|v| v * k);
        let a = of_array([h[0], h[1], k], f64::cos);
        h.iter().map(|v| v * v).sum::<f64>() + a[0] * a[2]
    }
}

#[adjoint::adjoint]
mod reductions {
    use std::cmp::Ordering;

    fn fold(x: &[f64], op: impl Fn(f64, f64) -> f64) -> f64 {
        x.iter().copied().fold(0.3, op)
    }

    fn reduce(x: &[f64], op: fn(f64, f64) -> f64) -> f64 {
        x.iter().copied().reduce(op).unwrap()
    }

    fn kept(x: &[f64], keep: impl Fn(&f64) -> bool) -> f64 {
        x.iter().copied().filter(keep).sum()
    }

    fn found(x: &[f64], is: impl Fn(&f64) -> bool) -> f64 {
        match x.iter().copied().find(is) {
            Some(v) => v * v,
            None => 0.0,
        }
    }

    fn mapped(x: Option<f64>, f: impl Fn(f64) -> f64) -> f64 {
        x.map(f).unwrap_or(0.0)
    }

    fn each(x: &mut [f64], f: impl FnMut(&mut f64)) {
        x.iter_mut().for_each(f);
    }

    fn least(x: &[f64], order: fn(&f64, &f64) -> Ordering) -> f64 {
        let mut v = x.to_vec();
        v.sort_by(order);
        v[0] * v[0] + v[1]
    }

    fn most<C: Fn(&f64, &f64) -> Ordering>(x: &[f64], order: C) -> f64 {
        let mut v = x.to_vec();
        v.sort_by(&order);
        v[0] * v[0] - v[1]
    }

    fn ascending(a: &f64, b: &f64) -> Ordering {
        a.partial_cmp(b).unwrap()
    }

    pub fn folds(x: &[f64], k: f64) -> f64 {
        fold(x, |a, b| a * k + b) + reduce(x, f64::max)
    }

    pub fn searches(x: &[f64], k: f64) -> f64 {
        let kept = kept(x, |v| *v > -0.5);
        mapped(Some(x[0]), |v| v * k) + kept * found(x, |v| *v > 1.0)
    }

    pub fn sums(x: &[f64], k: f64) -> f64 {
        let mut y = x.to_vec();
        let mut s = 0.0;
        each(&mut y, |v| {
            s += *v * k;
            *v *= s;
        });
        s + y[2]
    }

    pub fn orders(x: &[f64]) -> f64 {
        least(x, ascending) + most(x, |a, b| b.total_cmp(a))
    }
}

use layers::*;
use reductions::*;

#[test]
fn layers_call_what_they_are_handed() {
    check!(net(&[0.4, -0.7, 1.3], 0.6) -> f64);
    check!(net(&[-0.4, 0.7, -1.3], -0.2) -> f64);
}

#[test]
fn reductions_call_what_they_are_handed() {
    for x in [[0.4, -0.7, 1.3], [1.4, -0.2, -1.3]] {
        check!(folds(&x, 0.6) -> f64);
        check!(searches(&x, 0.6) -> f64);
        check!(sums(&x, 0.6) -> f64);
        check!(orders(&x) -> f64);
    }
}
