//! Lists behind references and shared pointers, in structs that the macro does not see.

use std::borrow::Cow;
use std::sync::Arc;

use adjoint::adjoint;

use crate::common::check;

struct View<'a> {
    data: &'a [f64],
    weights: &'a [f64; 3],
    table: Arc<Vec<f64>>,
    scale: Cow<'a, [f64]>,
}

fn with_view(f: impl FnOnce(&View<'_>)) {
    f(&View {
        data: &[0.5, 1.5, 2.5],
        weights: &[0.25, 1.0, 2.0],
        table: Arc::new(vec![0.3, 0.7, 1.1, 0.2]),
        scale: Cow::Owned(vec![0.6, 0.1, 0.4]),
    });
}

#[adjoint(wrt(k))]
fn parted(v: &View<'_>, k: f64) -> f64 {
    let (left, right) = v.data.split_at(1);
    let (low, _) = v.table.split_at(2);
    (left[0] + right[1]) * k * low[1]
}

#[adjoint(wrt(k))]
fn copied(v: &View<'_>, k: f64) -> f64 {
    let u = v.data.to_vec();
    let mut z = v.table.to_vec();
    let w = v.weights.to_vec();
    let s = v.scale.to_vec();
    z[0] *= k;
    k * u[0] * z[0] * w[2] + s[1] * z[0]
}

#[adjoint(wrt(k))]
fn overlapping(v: &View<'_>, k: f64) -> f64 {
    let mut s = 0.0;
    for w in v.data.windows(2) {
        s += w[0] * w[1] * k;
    }
    for w in v.table.windows(2) {
        s *= w[0] + w[1] * k.sin();
    }
    s
}

#[adjoint(wrt(k))]
fn ends(v: &View<'_>, k: f64) -> f64 {
    let s = v.data.first().unwrap() * k + v.table.last().unwrap() * k * k;
    s * v.weights.first().unwrap() * v.scale.get(2).unwrap()
}

#[adjoint(wrt(k))]
fn counted(v: &View<'_>, k: f64) -> f64 {
    let (mut s, mut i) = (k, 0);
    while i < v.data.len() {
        s *= v.data[i] * k;
        i += 1;
    }
    for j in 0..v.table.len() {
        s += v.table[j] * k * s;
    }
    s
}

#[test]
fn lists_that_are_lent() {
    with_view(|v| {
        check!(parted(const v, 0.8) -> f64);
        check!(copied(const v, 0.8) -> f64);
        check!(overlapping(const v, 0.8) -> f64);
        check!(ends(const v, 0.8) -> f64);
        check!(counted(const v, 0.8) -> f64);
    });
}
