//! Items that are searched from the end or requested one by one, also where there are none.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn found(x: &[f64], k: f64) -> f64 {
    let Some(last_large) = x.iter().copied().rev().find(|v| *v > 0.7) else {
        return k * k;
    };
    let n = x.len();
    let Some(i) = (0..n).rev().find(|&i| x[i] < 0.5) else {
        return last_large * k;
    };
    x[i] * last_large * k
}

#[adjoint]
fn ends(x: &[f64], k: f64) -> f64 {
    let first = x.iter().rev().next().unwrap_or(&k);
    let third = x.iter().rev().nth(2).copied().unwrap_or(k);
    let last = x.iter().rev().last().unwrap_or(&0.5);
    let second = x.iter().rev().skip(1).next().unwrap_or(&k);
    let stepped = x.iter().step_by(2).rev().next().unwrap_or(&k);
    let pair = x.iter().zip(x.iter().skip(1)).rev().next();
    let pair = pair.map_or(k, |(a, b)| a * b);
    first * third + last * second + stepped * pair
}

#[adjoint]
fn extremes(x: &[f64], k: f64) -> f64 {
    let largest = x.iter().rev().max_by(|a, b| a.total_cmp(b));
    let smallest = (0..x.len()).rev().min_by(|&i, &j| x[i].total_cmp(&x[j]));
    largest.map_or(k, |v| v * v) * smallest.map_or(0.3, |i| x[i] * k)
}

#[adjoint]
fn pieces(x: &[f64], k: f64) -> f64 {
    let mut back = x.iter().rev();
    let a = back.next().unwrap_or(&k);
    let b = back.next().unwrap_or(&k);
    let c = x.iter().cycle().next().unwrap_or(&k);
    let d = x.chunks(2).rev().next().map_or(k, |d| d[0]);
    let e = x.rchunks(2).next().map_or(k, |e| e[0]);
    let f = x.windows(2).rev().next().map_or(k, |f| f[1]);
    let i = x.iter().rposition(|v| *v > 0.2).map_or(k, |i| x[i]);
    a * b + c * d + e * f * i
}

/// What the closure does with an item is not done where there is none.
#[adjoint]
fn one_by_one(x: &[f64], k: f64) -> f64 {
    let mut forwards = x.iter().map(|v| {
        let t = v - 1.5;
        t * k
    });
    let a = forwards.next().unwrap_or(k);
    let b = forwards.next().unwrap_or(k * k);
    let mut backwards = (0..x.len()).rev().map(|i| x[i]);
    let c = backwards.next().unwrap_or(k);
    let d = backwards.next().unwrap_or(k);
    let mut pairs = x.iter().zip(x.iter().rev().map(|v| {
        let t = v % 0.5 - k;
        t * t
    }));
    let e = pairs.next().map_or(k, |(p, q)| p * q);
    let f = pairs.next().map_or(k, |(p, q)| p - q);
    let mut chunks = x.chunks(2).rev().map(|c| c[0] * c[c.len() - 1]);
    let g = chunks.next().unwrap_or(k);
    let h = chunks.next().unwrap_or(k * k);
    a * b + c * d + e * f + g * h
}

#[adjoint]
fn until_the_end(x: &[f64], k: f64) -> f64 {
    let mut items = x.iter().map(|v| {
        let t = v - k;
        t * t
    });
    let mut s = k;
    while let Some(v) = items.next() {
        s = s * v - 0.1;
    }
    let mut indices = (0..x.len()).rev();
    let last = indices.next().unwrap_or(0);
    s * k + indices.next().map_or(k, |i| x[i] * last as f64)
}

#[test]
fn from_behind_or_nowhere() {
    let lists: [&[f64]; 5] = [&[], &[0.15], &[0.9], &[0.3, 0.8], &[0.85, 0.15, 0.25, 0.6]];
    for x in lists {
        let x = x.to_vec();
        check!(found(&x, 0.6) -> f64);
        check!(ends(&x, 0.6) -> f64);
        check!(extremes(&x, 0.6) -> f64);
        check!(pieces(&x, 0.6) -> f64);
        check!(one_by_one(&x, 0.6) -> f64);
        check!(until_the_end(&x, 0.6) -> f64);
    }
}
