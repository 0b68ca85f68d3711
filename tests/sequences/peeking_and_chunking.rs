//! Items from the end, conditional items by `next_if`, arrays as one sequence, and runs of neighbours.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn from_the_end(x: &[f64], k: f64, n: usize) -> f64 {
    let a = x.iter().nth_back(n).copied().unwrap_or(k);
    let b = x.iter().map(|v| v * v).nth_back(1).unwrap_or(k * k);
    let c = x.iter().next_back().unwrap_or(&k);
    let d = x.iter().filter(|v| **v > 0.2).next_back().unwrap_or(&0.3);
    let mut acc = 1.0;
    let e = x
        .iter()
        .map(|v| {
            acc *= v;
            acc
        })
        .nth_back(n)
        .unwrap_or(k);
    let g = x.windows(2).nth_back(n).map_or(k, |w| w[0] * w[1]);
    let h = (0..x.len()).step_by(2).nth_back(n).map_or(k, |i| x[i]);
    a * b + c * d * e * acc + g * h
}

#[test]
fn from_the_end_at_every_length() {
    for m in 0..4 {
        for n in 0..4 {
            check!(from_the_end(&[0.1, 0.7, 0.9][..m].to_vec(), 1.3, const n) -> f64);
        }
    }
}

#[adjoint]
fn rising(x: &[f64], k: f64) -> f64 {
    let mut it = x.iter().copied().peekable();
    let mut s = 0.0;
    while let Some(v) = it.next() {
        let mut run = v;
        while let Some(w) = it.next_if(|w| *w > v) {
            run *= w;
        }
        s += run * k;
    }
    s
}

#[test]
fn rising_at_every_length() {
    for m in 0..5 {
        check!(rising(&[0.1, 0.7, 0.9, 0.4][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn rising_by_reference(x: &[f64], k: f64) -> f64 {
    let mut it = x.iter().peekable();
    let mut s = 0.0;
    while let Some(&v) = it.next() {
        let mut run = v;
        while let Some(&w) = it.next_if(|w| **w > v) {
            run *= w + k;
        }
        s += run * k;
    }
    s
}

#[test]
fn rising_by_reference_at_every_length() {
    for m in 0..5 {
        check!(rising_by_reference(&[0.1, 0.7, 0.9, 0.4][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn merged(x: &[f64], y: &[f64], k: f64) -> f64 {
    let (mut a, mut b) = (x.iter().peekable(), y.iter().copied().peekable());
    let mut s = 1.0;
    while let (Some(&&u), Some(&v)) = (a.peek(), b.peek()) {
        if u <= v {
            s = s * u + k;
            a.next();
        } else {
            s = s * v - k;
            b.next();
        }
    }
    for u in a {
        s *= u;
    }
    for v in b {
        s += v;
    }
    s
}

#[test]
fn merged_at_every_length() {
    for m in 0..5 {
        check!(merged(&[0.1, 0.4, 0.7, 0.9][..m].to_vec(), &vec![0.2, 0.3, 0.8], 1.3) -> f64);
    }
}

#[adjoint]
fn flat(x: &[[f64; 2]], k: f64) -> f64 {
    let v = x.as_flattened();
    v.iter().map(|a| a * a * k).sum::<f64>() * v.len() as f64
}

#[test]
fn flat_at_every_length() {
    for m in 0..3 {
        check!(flat(&[[0.1, 0.7], [0.9, 0.4]][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn flat_in_place(x: &mut [[f64; 2]], k: f64) {
    for v in x.as_flattened_mut() {
        *v *= k;
    }
}

#[test]
fn flat_in_place_at_every_length() {
    for m in 0..3 {
        check!(flat_in_place(
            &mut [[0.1, 0.7], [0.9, 0.4]][..m].to_vec(),
            1.3
        ));
    }
}

#[adjoint]
fn flat_beside_others(x: &[[f64; 2]], y: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for (i, (a, b)) in x.as_flattened().iter().zip(y).enumerate() {
        s += a * b * i as f64;
    }
    s + x
        .as_flattened()
        .iter()
        .rev()
        .skip(1)
        .map(|v| v * k)
        .sum::<f64>()
        + x.as_flattened().iter().fold(k, |a, b| a * b)
}

#[test]
fn flat_beside_others_at_every_length() {
    for m in 0..3 {
        check!(flat_beside_others(&[[0.1, 0.7], [0.9, 0.4]][..m].to_vec(), &vec![0.2, 0.9, 0.3], 1.3) -> f64);
    }
}

#[adjoint]
fn flat_largest(x: &mut Vec<[f64; 3]>, k: f64) -> f64 {
    for (i, v) in x.as_flattened_mut().iter_mut().enumerate() {
        *v = v.sin() * k + i as f64;
    }
    let mut m: f64 = 0.0;
    for v in x.as_flattened() {
        m = m.max(*v);
    }
    m
}

#[test]
fn flat_largest_at_every_length() {
    for m in 0..3 {
        check!(flat_largest(&mut [[0.1, 0.7, 0.2], [0.9, 0.4, 0.3]][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn flat_twice<const N: usize>(x: &[[f64; N]; 2], k: f64) -> f64 {
    let v = x.as_flattened();
    let s: f64 = v.iter().sum();
    let t: f64 = v.iter().map(|a| a * a).sum();
    let w: Vec<f64> = v.to_vec();
    let last = w.last().copied().unwrap_or(k);
    s * t * last
}

#[test]
fn flat_twice_at_every_length() {
    check!(flat_twice(&[[0.1, 0.7, 0.2], [0.9, 0.4, 0.3]], 1.3) -> f64);
}

#[adjoint]
fn runs(x: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for run in x.chunk_by(|a, b| a < b) {
        s += run.iter().product::<f64>() * k;
    }
    s
}

#[test]
fn runs_at_every_length() {
    for m in 0..6 {
        check!(runs(&[0.1, 0.7, 0.9, 0.4, 0.5][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn groups(x: &[f64], id: &[usize], k: f64) -> f64 {
    let mut s = 0.0;
    let mut at = 0;
    for run in id.chunk_by(|a, b| a == b) {
        let t: f64 = x[at..at + run.len()].iter().sum();
        s += t * t * k;
        at += run.len();
    }
    s
}

#[test]
fn groups_at_every_length() {
    for m in 0..6 {
        check!(groups(&[0.1, 0.7, 0.9, 0.4, 0.5][..m].to_vec(), const &[1, 1, 2, 3, 3][..m], 1.3) -> f64);
    }
}

#[adjoint]
fn runs_in_place(x: &mut [f64], k: f64) {
    for run in x.chunk_by_mut(|a, b| a < b) {
        let n = run.len() as f64;
        let m = run[0];
        for v in run.iter_mut() {
            *v = *v * m + k / n;
        }
    }
}

#[test]
fn runs_in_place_at_every_length() {
    for m in 0..6 {
        check!(runs_in_place(
            &mut [0.1, 0.7, 0.9, 0.4, 0.5][..m].to_vec(),
            1.3
        ));
    }
}

#[adjoint]
fn runs_through_adapters(x: &[f64], k: f64) -> f64 {
    let v: Vec<f64> = x
        .chunk_by(|a, b| (a - b).abs() < 0.25)
        .map(|r| r.iter().sum::<f64>() / r.len() as f64)
        .collect();
    let longest = x.chunk_by(|a, b| a < b).map(|r| r.len()).max().unwrap_or(0);
    let mut s = k;
    for (i, r) in x.chunk_by(|a, b| a < b).enumerate() {
        if i == 2 {
            break;
        }
        if r.len() == 1 {
            continue;
        }
        s *= r[r.len() - 1];
    }
    let first = x
        .chunk_by(|a, b| a < b)
        .map(|r| r[0] * k)
        .next()
        .unwrap_or(k);
    s * v.iter().map(|a| a * a).sum::<f64>()
        + longest as f64 * first
        + x.chunk_by(|a, b| a < b).count() as f64 * k
}

#[test]
fn runs_through_adapters_at_every_length() {
    for m in 0..6 {
        check!(runs_through_adapters(&[0.1, 0.7, 0.9, 0.4, 0.5][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn runs_that_write(x: &[f64], k: f64) -> f64 {
    let mut c = k;
    let mut s = 0.0;
    for run in x.chunk_by(|a, b| {
        c = c * a + b;
        a < b
    }) {
        s += run[0] * k;
        if s > 2.0 {
            return s * k;
        }
    }
    s * c
}

#[test]
fn runs_that_write_at_every_length() {
    for m in 0..6 {
        check!(runs_that_write(&[0.1, 0.7, 0.9, 0.4, 0.5][..m].to_vec(), 1.3) -> f64);
        check!(runs_that_write(&[0.1, 0.7, 0.9, 0.4, 0.5][..m].to_vec(), 4.3) -> f64);
    }
}

#[adjoint]
fn groups_of_pairs(x: &[(usize, f64)], k: f64) -> f64 {
    let mut s = 0.0;
    for run in x.chunk_by(|a, b| a.0 == b.0) {
        let t: f64 = run.iter().map(|(_, v)| v).sum();
        s += t * t * k;
    }
    s
}

#[test]
fn groups_of_pairs_at_every_length() {
    for m in 0..6 {
        check!(groups_of_pairs(&[(1, 0.1), (1, 0.7), (2, 0.9), (3, 0.4), (3, 0.5)][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn blocks(q: &[f64], d: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..q.len() / d {
        let cols = i * d..(i + 1) * d;
        let part = &q[cols.clone()];
        let tail = &q[cols.end..];
        s += part.iter().sum::<f64>() * tail.iter().map(|x| x * x).sum::<f64>() + q[cols.start];
        for j in cols {
            s += q[j] * s;
        }
    }
    let whole = 0..=q.len() - 1;
    s * q[whole].iter().product::<f64>()
}

#[test]
fn ranges_with_names() {
    check!(blocks(&vec![0.3, 0.8, 0.5, 1.2], const 2) -> f64);
}
