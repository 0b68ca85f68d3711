//! Named iterators that advance from both ends, and further sequence functions of std.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn folded(x: &[f64]) -> f64 {
    let mut items = x.iter();
    let mut t = 0.0;
    while let (Some(a), Some(b)) = (items.next(), items.next_back()) {
        t += a * b.sin();
    }
    t
}

#[adjoint]
fn by_last(x: &[f64]) -> f64 {
    let mut items = x.iter().copied();
    let last = items.next_back().unwrap();
    let copy = items.clone();
    let before = items.nth_back(1).unwrap_or(0.5);
    let n = items.len() as f64;
    items.map(|v| v * last).sum::<f64>() * before + n * copy.product::<f64>()
}

#[adjoint]
fn numbered(x: &[f64]) -> f64 {
    let mut items = x.iter().enumerate();
    let mut t = 0.0;
    while let Some((i, a)) = items.next_back() {
        t = t * 0.5 + a * i as f64;
        if items.len() == 2 {
            let Some((j, b)) = items.next() else { break };
            t *= b * j as f64 + 1.0;
        }
    }
    t
}

#[adjoint]
fn reversed(x: &[f64], k: f64) -> f64 {
    let mut items = x.iter().map(|v| v * k).rev();
    let (a, b) = (items.next().unwrap(), items.next_back().unwrap());
    a * b + items.fold(k, |t, v| t * v)
}

#[adjoint]
fn changed(x: &mut [f64]) {
    let mut items = x.iter_mut();
    while let (Some(a), Some(b)) = (items.next(), items.next_back()) {
        *a *= *b;
        *b = a.sin();
    }
}

#[test]
fn names_that_both_ends_advance() {
    let x = vec![0.3, -0.5, 0.7, 1.2, 0.9, -0.4];
    for n in 0..=6 {
        check!(folded(&x[..n].to_vec()) -> f64);
        check!(numbered(&x[..n].to_vec()) -> f64);
        check!(changed(&mut x[..n].to_vec()));
    }
    for n in 2..=6 {
        check!(by_last(&x[..n].to_vec()) -> f64);
        check!(reversed(&x[..n].to_vec(), 1.3) -> f64);
    }
}

#[test]
fn the_ends_meet_as_in_std() {
    let mut adjoint = vec![0.0; 5];
    let value = folded_adjoint(&[1.0, 2.0, 5.0, 3.0, 4.0], &mut adjoint, 1.0);
    assert_eq!(value, 4.0_f64.sin() + 2.0 * 3.0_f64.sin());
    assert_eq!(adjoint[2], 0.0);
}

#[adjoint]
fn passed_over(x: &[f64]) -> f64 {
    let mut items = x.iter();
    let first = items.next().unwrap();
    let third = items.nth(1).unwrap();
    let none = items.nth(7).is_none() as i32;
    items.fold(*first, |a, b| a * b) * third + none as f64
}

#[adjoint]
fn left_over(x: &[f64]) -> f64 {
    let mut pairs = x.chunks_exact(2);
    let mut t = 0.0;
    while let Some(pair) = pairs.next() {
        t += pair[0] * pair[1];
    }
    t * pairs.remainder().iter().sum::<f64>()
}

#[test]
fn names_that_are_advanced() {
    check!(passed_over(&vec![0.3, 0.5, 0.7, 1.2]) -> f64);
    check!(left_over(&vec![0.3, 0.5, 0.7]) -> f64);
}

#[adjoint]
fn spliced(x: &[f64], k: f64) -> f64 {
    let mut v = x.to_vec();
    v.splice(1..3, [x[0] * 2.0, x[1] * k, k]);
    let old: Vec<f64> = v.splice(..2, x.iter().map(|a| a * a)).collect();
    v.splice(3..3, x.iter().filter(|a| **a > 0.0).copied());
    let mut t = old[0] * old[1];
    for (i, a) in v.iter().enumerate() {
        t = t * k + a * i as f64;
    }
    t
}

#[adjoint]
fn filled(x: &mut [f64], k: f64) {
    let mut power = x[0];
    x[1..].fill_with(|| {
        power *= k;
        power
    });
    let mut v = x.to_vec();
    v.resize_with(7, || power * power);
    x[0] = v.iter().sum();
}

#[adjoint]
fn in_order(x: &[f64], k: f64) -> f64 {
    let mut t = k;
    if x.iter().is_sorted() {
        t *= x[0] * x[1];
    }
    if x.iter().map(|v| v * v).is_sorted_by(|a, b| a <= b) {
        t += x[1];
    }
    if x.iter().is_sorted_by_key(|v| -v.abs()) {
        t *= x[2];
    }
    t
}

#[test]
fn sequences_as_in_std() {
    check!(spliced(&vec![0.31, 0.32, 0.5, -0.7], 1.2) -> f64);
    check!(filled(&mut vec![0.31, 0.32, 0.5], 1.2));
    check!(in_order(&vec![0.31, 0.32, 0.5], 1.2) -> f64);
    check!(in_order(&vec![-0.31, -0.3, 0.1], 1.2) -> f64);
    check!(in_order(&vec![0.31, -0.32, 0.1], 1.2) -> f64);
}

#[adjoint]
fn by_references(x: &mut [f64; 3], y: [f64; 3]) -> f64 {
    for a in x.each_mut() {
        *a *= y[0];
    }
    let [a, b, _] = x.each_mut();
    *a *= *b;
    let squares = y.each_ref().map(|v| v * v);
    y.each_ref().iter().map(|v| v.sin()).sum::<f64>() * squares[1]
}

#[test]
fn arrays_of_references() {
    check!(by_references(&mut [0.3, 0.5, 0.7], [1.2, 0.4, 0.9]) -> f64);
}
