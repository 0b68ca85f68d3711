//! Named iterators that are borrowed by `by_ref` and `&mut`, searched, and used again.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn rem1(x: &[f64]) -> f64 {
    let chunks = x.chunks_exact(4);
    let rem = chunks.remainder();
    let mut acc = [0.0; 4];
    for c in chunks {
        for (a, v) in acc.iter_mut().zip(c) {
            *a += v * v;
        }
    }
    let mut s: f64 = acc.iter().sum();
    for v in rem {
        s += v.sin();
    }
    s
}

#[adjoint]
fn rem3(x: &[f64]) -> f64 {
    let mut it = x.chunks_exact(2);
    let mut s = 0.0;
    for c in it.by_ref() {
        s += c[0] * c[1];
    }
    for v in it.remainder() {
        s += v;
    }
    s
}

#[adjoint]
fn rem4(y: &mut [f64], k: f64) {
    let mut it = y.chunks_exact_mut(2);
    for c in &mut it {
        c[0] *= k;
        c[1] += k;
    }
    for v in it.into_remainder() {
        *v *= k * k;
    }
}

#[adjoint]
fn left(x: &[f64], k: f64) -> f64 {
    let mut it = x.iter();
    let mut s = 0.0;
    for v in it.by_ref() {
        if *v < 0.0 {
            break;
        }
        s += v * k;
    }
    for v in it {
        s *= v + 2.0;
    }
    s
}

#[adjoint]
fn left2(x: &[f64]) -> f64 {
    let mut it = x.iter();
    let first = it.find(|v| **v < 0.5).copied().unwrap_or(1.0);
    let head: f64 = it.by_ref().take(2).map(|v| v * first).sum();
    let n = it.position(|v| *v > 0.15);
    let rest: f64 = it.map(|v| v * v).sum();
    head + rest * first + n.map_or(0.0, |n| n as f64)
}

#[adjoint]
fn left3(x: &mut [f64], k: f64) -> f64 {
    let mut it = x.iter_mut();
    let mut s = 1.0;
    'a: for v in &mut it {
        *v *= k;
        s += *v;
        if s > 2.0 {
            break 'a;
        }
    }
    if let Some(v) = it.next() {
        *v = s;
    }
    let all = it.by_ref().all(|v| *v > -0.5);
    for v in it {
        *v += if all { 1.0 } else { k };
    }
    s
}

#[adjoint]
fn left4(x: &[f64], n: usize) -> f64 {
    let mut it = x.chunks_exact(n);
    let s: f64 = it.by_ref().map(|c| c.iter().product::<f64>()).sum();
    s + it.remainder().iter().sum::<f64>() * s
}

#[test]
fn what_is_left() {
    let x = [0.3, 0.7, -1.1, 0.45, 0.9, 0.2, -0.6];
    check!(rem1(&x) -> f64);
    check!(rem3(&x) -> f64);
    check!(rem4(&mut x.to_vec(), 0.7));
    check!(left(&x, 0.8) -> f64);
    check!(left2(&x) -> f64);
    check!(left3(&mut x.to_vec(), 0.85) -> f64);
    check!(left4(&x, const 2) -> f64);
}
