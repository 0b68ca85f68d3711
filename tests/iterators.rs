//! Iterator chains, as loops and as consumers.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

#[adjoint]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

#[test]
fn a_dot_product() {
    assert_eq!(
        check!(dot(&vec![1.0, -2.0], &vec![3.0, 0.5]) -> f64),
        [[3.0, 0.5, 1.0, -2.0]]
    );
    assert_eq!(
        check!(dot(&Vec::<f64>::new(), &Vec::<f64>::new()) -> f64),
        [[]]
    );
}

#[adjoint]
fn shorter_of_two(x: &[f64], y: &mut [f64]) -> f64 {
    let mut s = 0.0;
    for (y, x) in y.iter_mut().zip(x.iter()) {
        *y *= *x * *x;
        s += *y;
    }
    s
}

#[test]
fn zip_ends_with_the_shorter() {
    check!(shorter_of_two(&vec![1.0, -2.0, 3.0], &mut vec![3.0, 0.5]) -> f64);
    check!(shorter_of_two(&vec![1.5], &mut vec![3.0, 0.5]) -> f64);
}

#[adjoint]
fn enumerated(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for (i, &v) in x.iter().enumerate() {
        s += v.powi(i as i32 + 1);
    }
    for (i, v) in x.iter().rev().enumerate() {
        s *= v + i as f64;
    }
    for (i, v) in x.iter().enumerate().rev() {
        s += v * x[x.len() - 1 - i];
    }
    s
}

#[test]
fn enumerate_and_rev_in_both_orders() {
    check!(enumerated(&vec![1.0, -2.0, 0.7]) -> f64);
}

#[adjoint]
fn skipped(x: &mut [f64], k: usize) -> f64 {
    let mut p = 1.0;
    for v in x.iter().skip(k) {
        p *= v;
    }
    for v in x.iter_mut().take(k) {
        *v *= p;
    }
    for v in x.iter().skip(1).take(2).rev() {
        p = p * v + 1.0;
    }
    for v in x.iter_mut().rev().skip(k).step_by(2) {
        *v = v.sin() * p;
    }
    p
}

#[test]
fn skip_take_and_step() {
    for k in 0..6 {
        check!(skipped(&mut vec![1.0, -2.0, 0.7, 1.3], const k) -> f64);
    }
}

#[adjoint]
fn strided(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for v in x.iter().step_by(n) {
        s += v * v;
    }
    for (i, v) in (0..x.len()).step_by(n).zip(x.iter().skip(1)) {
        s *= x[i] * v;
    }
    for (k, i) in (0..x.len()).rev().step_by(n).enumerate() {
        s += x[i] * k as f64;
    }
    for (k, i) in (0..x.len()).step_by(n).rev().enumerate() {
        s += x[i] * x[k];
    }
    s
}

#[test]
fn step_by_of_slices_and_ranges() {
    for n in 1..5 {
        check!(strided(&vec![1.0, -2.0, 0.7, 1.3, 0.4], const n) -> f64);
    }
}

#[adjoint]
fn copied(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in x.iter().copied() {
        s += v.exp();
    }
    for mut v in x.iter().cloned() {
        v *= s;
        s += v.sin();
    }
    s
}

#[test]
fn copied_and_cloned() {
    check!(copied(&vec![1.0, -2.0, 0.7]) -> f64);
}

#[adjoint]
fn consumers(x: &[f64], w: &[f64]) -> f64 {
    let total: f64 = x.iter().sum();
    let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let volume: f64 = w.iter().product();
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let variance = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (x.len() - 1) as f64;
    let weighted = x.iter().zip(w).fold(0.0, |acc, (a, b)| acc + a * b * b);
    total * norm + volume * variance + weighted
}

#[test]
fn sums_products_and_folds() {
    check!(consumers(&vec![1.0, -2.0, 0.7], &vec![0.4, 1.2, -0.8]) -> f64);
}

#[adjoint]
fn extremes(x: &[f64]) -> f64 {
    let hi = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lo = x.iter().fold(f64::INFINITY, |a, &b| a.min(b));
    let far = x.iter().map(|v| v.abs()).fold(0.0, f64::max);
    hi * lo + far
}

#[test]
fn extremes_by_folds() {
    assert_eq!(
        check!(extremes(&vec![1.0, -4.0, 3.0, 2.0]) -> f64),
        [[0.0, 3.0 - 1.0, -4.0, 0.0]]
    );
}

#[adjoint]
fn pair_fold(x: &[f64]) -> f64 {
    let (sum, product) = x.iter().fold((0.0, 1.0), |(s, p), v| (s + v * p, p * v));
    let (mut m, n) = x
        .iter()
        .fold((0.0, 0), |acc: (f64, usize), v| (acc.0 + v, acc.1 + 1));
    m /= n as f64;
    sum * product + m * m
}

#[test]
fn a_fold_of_pairs() {
    check!(pair_fold(&vec![1.1, -0.4, 0.9, 2.0]) -> f64);
}

#[adjoint]
fn each(x: &mut [f64], k: f64) -> f64 {
    x.iter_mut().for_each(|v| *v = v.exp() * k);
    x.iter_mut()
        .enumerate()
        .for_each(|(i, v)| *v += i as f64 * *v * k);
    let mut s = 0.0;
    x.iter()
        .zip(1..)
        .for_each(|(v, i)| s += v * (i as f64).sqrt());
    s
}

#[test]
fn for_each() {
    check!(each(&mut vec![0.1, -0.4, 0.9], 0.7) -> f64);
}

#[adjoint]
fn over_indices(n: usize, x: &[f64]) -> f64 {
    let s = (0..n).map(|i| x[i % x.len()] * i as f64).sum::<f64>();
    let p: f64 = (1..=n).map(|k| 1.0 + s / k as f64).product();
    let nested: f64 = (0..n)
        .map(|i| (0..i).map(|j| x[j % 2] * x[i % 3]).sum::<f64>().tanh())
        .sum();
    s * p + nested
}

#[test]
fn maps_over_ranges() {
    for n in 0..5 {
        check!(over_indices(const n, &vec![0.3, 0.8, -0.6]) -> f64);
    }
}

#[adjoint]
fn three_at_once(a: &[f64], b: &[f64], c: &mut [f64]) {
    for ((a, b), c) in a.iter().zip(b.iter()).zip(c.iter_mut()) {
        *c = a * b + *c * *c;
    }
    for (i, ((x, y), z)) in a.iter().zip(b).zip(c.iter_mut()).enumerate() {
        *z *= x - y * i as f64;
    }
}

#[test]
fn zip_of_three() {
    check!(three_at_once(
        &vec![0.3, 0.8],
        &vec![1.2, -0.7],
        &mut vec![0.4, 0.5]
    ));
}

#[adjoint]
fn unbounded(x: &[f64], from: usize) -> f64 {
    let mut s = 0.0;
    for (i, v) in (1..).zip(x) {
        s += v / i as f64;
    }
    for (v, i) in x.iter().zip(from..) {
        s *= v + i as f64;
    }
    for (k, v) in (0..).step_by(3).zip(x.iter().rev()) {
        s += v * v * k as f64;
    }
    s
}

#[test]
fn unbounded_ranges_in_zip() {
    check!(unbounded(&vec![0.3, 0.8, -1.1], const 2) -> f64);
}

#[adjoint]
fn array_maps(a: [f64; 3], k: f64) -> [f64; 3] {
    let squares = a.map(|x| x * x * k);
    let roots = squares.map(f64::sqrt);
    let mut out = [0.0; 3];
    for (o, (s, r)) in out.iter_mut().zip(squares.iter().zip(roots)) {
        *o = s * r + *o;
    }
    out
}

#[test]
fn map_on_arrays() {
    check!(array_maps([0.3, 0.8, 1.1], 0.9) -> [f64; 3]);
}

#[adjoint]
fn by_value(a: [f64; 3], points: &[[f64; 2]; 2]) -> f64 {
    let mut s = 0.0;
    for x in a {
        s += x * x;
    }
    for (i, x) in a.into_iter().enumerate() {
        s *= x + i as f64;
    }
    for [x, y] in points {
        s += x * y;
    }
    for &[x, y] in points.iter() {
        s *= x - y;
    }
    for p in points {
        s += p.iter().sum::<f64>() * p[0];
    }
    s
}

#[test]
fn arrays_by_value() {
    check!(by_value([0.3, 0.8, 1.1], &[[0.5, 0.7], [1.4, -0.2]]) -> f64);
}

#[adjoint]
fn square(x: f64) -> f64 {
    x * x
}

#[adjoint]
fn calls_in_adapters(x: &[f64], y: &mut [f64]) -> f64 {
    let s: f64 = x.iter().copied().map(square).sum();
    let t: f64 = x.iter().map(|&v| square(v + s)).sum();
    for v in y.iter_mut().map(|v| v) {
        *v = square(*v) * t;
    }
    let logs = x.iter().copied().map(f64::abs).map(f64::ln).sum::<f64>();
    s * t + logs
}

#[test]
fn functions_in_adapters() {
    check!(calls_in_adapters(&vec![0.3, 0.8, -1.1], &mut vec![0.5, 0.6]) -> f64);
}

#[adjoint]
fn chunked_rows(a: &[f64], n: usize, x: &[f64], y: &mut [f64]) {
    for (row, y) in a.chunks(n).zip(y.iter_mut()) {
        *y = row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>().tanh();
    }
    for (i, pair) in y.chunks_exact_mut(2).rev().enumerate() {
        pair[0] *= pair[1] + i as f64;
    }
}

#[test]
fn rows_as_chunks() {
    check!(chunked_rows(
        &vec![0.3, 0.8, -1.1, 0.4, 0.9, 0.1, 0.7, -0.2],
        const 2,
        &vec![0.5, 0.6],
        &mut vec![0.0; 4]
    ));
}

#[adjoint]
fn bool_tests(x: &[f64], limit: f64) -> f64 {
    let mut s = 0.0;
    if x.iter().all(|v| *v < limit) {
        s += x[0] * x[1];
    }
    if x.iter().any(|&v| v < 0.0) {
        s += x[1] * x[1];
    }
    if (0..x.len()).all(|i| x[i] > limit) && !x.is_empty() {
        s += x[2];
    }
    let n = x.iter().count();
    s * n as f64
}

#[test]
fn all_any_and_count() {
    assert_close(
        &check!(bool_tests(&vec![0.3, 0.8, 1.1], 2.0) -> f64)[0],
        &[2.4, 0.9, 0.0, 0.0],
    );
    assert_close(
        &check!(bool_tests(&vec![0.3, -0.8, 1.1], 1.0) -> f64)[0],
        &[0.0, -4.8, 0.0, 0.0],
    );
    assert_close(
        &check!(bool_tests(&vec![0.3, 0.8, 1.1], 0.1) -> f64)[0],
        &[0.0, 0.0, 3.0, 0.0],
    );
}

#[adjoint]
fn iterator_in_a_variable(x: &[f64], y: &[f64]) -> f64 {
    let pairs = x.iter().zip(y);
    let mut s = 1.0;
    for (a, b) in pairs {
        s = s * a + b;
    }
    let range = 0..x.len();
    for i in range {
        s += x[i] * y[i];
    }
    s
}

#[test]
fn iterators_bound_to_names() {
    check!(iterator_in_a_variable(&vec![0.3, 0.8], &vec![1.2, -0.4]) -> f64);
}

#[adjoint]
fn bounds_are_read_once(x: &mut [f64], n: usize) -> f64 {
    let mut k = n;
    let mut s = 0.0;
    for v in x.iter_mut().skip(k) {
        k += 1;
        *v *= *v * k as f64;
        s += *v;
    }
    let mut m = 1;
    for i in (0..k).map(|i| i * m) {
        s *= 1.0 + i as f64;
    }
    m += 1;
    s * m as f64
}

#[test]
fn bounds_that_change_in_the_loop() {
    check!(bounds_are_read_once(&mut vec![0.3, 0.8, -0.4], const 1) -> f64);
}

#[adjoint]
fn early_exits(x: &[f64], limit: f64) -> f64 {
    let mut s = 0.0;
    for (i, v) in x.iter().enumerate() {
        if *v < 0.0 {
            continue;
        }
        s += v * v * (i + 1) as f64;
        if s > limit {
            break;
        }
    }
    for w in x.windows(2) {
        if w[0] > w[1] {
            return s * w[0];
        }
        s += w[0] * w[1];
    }
    s
}

#[test]
fn exits_from_loops_over_iterators() {
    check!(early_exits(&vec![0.3, -0.8, 1.1, 0.4], 100.0) -> f64);
    check!(early_exits(&vec![0.3, 0.8, 1.1, 1.4], 1.0) -> f64);
}

#[adjoint]
fn last_and_nth(x: &[f64]) -> f64 {
    let last = x.iter().last().unwrap();
    let third = x.iter().rev().nth(2).unwrap();
    let end = x.iter().map(|v| v * v).last().unwrap();
    last * third + end
}

#[test]
fn last_and_nth_items() {
    assert_close(
        &check!(last_and_nth(&vec![0.3, 0.8, 1.1, 1.4]) -> f64)[0],
        &[0.0, 1.4, 0.0, 3.6],
    );
}

#[adjoint]
fn collected(x: &[f64], n: usize) -> f64 {
    let squares: Vec<f64> = x.iter().map(|v| v * v).collect();
    let sums = x
        .iter()
        .zip(&squares)
        .map(|(a, b)| a * b)
        .collect::<Vec<_>>();
    let table: Vec<Vec<f64>> = (0..n)
        .map(|i| sums.iter().map(|s| s * i as f64).collect::<Vec<f64>>())
        .collect();
    table
        .iter()
        .map(|row| row.iter().product::<f64>())
        .sum::<f64>()
        + squares[0] * sums[1]
}

#[test]
fn collect_into_vecs() {
    check!(collected(&vec![0.3, 0.8, 1.1], const 3) -> f64);
}

#[adjoint]
fn arrays_change_while_copies_are_iterated(x: [f64; 3], k: f64) -> f64 {
    let mut a = x;
    let mut s = 0.0;
    for v in a {
        a[2] = s + k;
        s += v * v;
    }
    for (v, w) in a.into_iter().zip(x) {
        a[1] *= v;
        s *= w + a[1];
    }
    let b = a.map(|v| {
        s += v;
        v * s
    });
    s * b[0] * b[2] + a[1]
}

#[test]
fn an_iterated_array_is_a_copy() {
    check!(arrays_change_while_copies_are_iterated([0.3, 0.8, 1.1], 0.9) -> f64);
}

#[adjoint]
fn effects_in_order(x: &mut [f64], k: f64) -> f64 {
    let mut running = k;
    let total: f64 = x
        .iter_mut()
        .map(|v| {
            running = running * 0.5 + *v;
            *v *= running;
            *v
        })
        .sum();
    let mut count = 0;
    let mean = x
        .iter()
        .map(|v| {
            count += 1;
            v * v
        })
        .sum::<f64>()
        / count as f64;
    total * mean + running
}

#[test]
fn closures_in_adapters_write() {
    check!(effects_in_order(&mut vec![0.3, 0.8, -1.1], 0.9) -> f64);
}

#[adjoint]
fn integers_beside(x: &[f64], at: &[usize]) -> f64 {
    let n: usize = at.iter().sum();
    let p = at.iter().map(|i| i + 1).product::<usize>();
    let last = at.iter().fold(0, |a, &b| a.max(b));
    let weighted: f64 = at.iter().zip(x).map(|(&i, v)| v * x[i] * i as f64).sum();
    weighted * n as f64 + x[p % x.len()] * x[last]
}

#[test]
fn sums_of_integers() {
    check!(integers_beside(&vec![0.3, 0.8, -1.1], const &[1, 0, 2]) -> f64);
}

#[adjoint]
fn rows_in_chains(a: &[[f64; 3]], w: &mut Vec<Vec<f64>>) -> f64 {
    let norms: f64 = a
        .iter()
        .map(|row| row.iter().map(|v| v * v).sum::<f64>().sqrt())
        .product();
    for (row, w) in a.iter().zip(w.iter_mut()) {
        for (v, w) in row.iter().zip(w.iter_mut()) {
            *w *= v + norms;
        }
    }
    let trace: f64 = w.iter().enumerate().map(|(i, row)| row[i]).sum();
    let columns = (0..3)
        .map(|j| a.iter().map(|row| row[j]).sum::<f64>())
        .fold(1.0, |p, s| p * s);
    norms * trace + columns
}

#[test]
fn chains_over_rows() {
    check!(rows_in_chains(
        &vec![[0.3, 0.8, -1.1], [0.5, 0.2, 0.9]],
        &mut vec![vec![1.0, 2.0, 0.5], vec![0.7, 0.1, 0.4]]
    ) -> f64);
}

#[adjoint]
fn consumers_in_loops(x: &[f64], n: usize) -> f64 {
    let mut y = 1.0;
    for k in 0..n {
        let s: f64 = x.iter().skip(k).map(|v| v * y).sum();
        let m = x
            .iter()
            .take(k + 1)
            .fold(f64::NEG_INFINITY, |a, v| a.max(v * y));
        if x[..k].iter().any(|v| v * y > 0.5) {
            y *= s;
        } else {
            y += m * s.tanh();
        }
    }
    y
}

#[test]
fn consumers_read_what_changes() {
    for n in 0..5 {
        check!(consumers_in_loops(&vec![0.3, 0.8, -1.1, 0.6], const n) -> f64);
    }
}
