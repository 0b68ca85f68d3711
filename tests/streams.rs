//! Iterators whose items have no fixed positions, and consumers that look for an item.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

#[adjoint]
fn filtered(x: &[f64], limit: f64) -> f64 {
    let total: f64 = x.iter().filter(|&&v| v < limit).sum();
    let squares = x
        .iter()
        .copied()
        .filter(|v| *v > 0.0)
        .map(|v| v * v)
        .sum::<f64>();
    let n = x.iter().filter(|v| v.abs() < limit).count();
    let product = x.iter().filter(|v| **v != 0.0).product::<f64>();
    total * squares + n as f64 * product
}

#[test]
fn a_filter_is_a_test_in_the_loop() {
    check!(filtered(&vec![0.4, -1.2, 2.0, 0.7], 1.0) -> f64);
}

#[adjoint]
fn filtered_pairs(x: &[f64], y: &[f64], skip: usize) -> f64 {
    x.iter()
        .zip(y)
        .enumerate()
        .filter(|(i, _)| *i != skip)
        .filter(|&(_, (a, b))| a > b)
        .map(|(i, (a, b))| a * b * (i + 1) as f64)
        .sum()
}

#[test]
fn filters_of_pairs_and_positions() {
    check!(filtered_pairs(&vec![0.4, 1.2, 2.0, 0.7], &vec![0.1, 1.5, 0.3, 0.2], const 2) -> f64);
}

#[adjoint]
fn filter_mapped(x: &[f64]) -> f64 {
    let roots: f64 = x
        .iter()
        .filter_map(|&v| if v >= 0.0 { Some(v.sqrt()) } else { None })
        .sum();
    let logs = x
        .iter()
        .filter_map(|v| (*v > 0.5).then(|| v.ln()))
        .fold(1.0, |a, b| a * (b + 3.0));
    let halves: f64 = x.iter().filter_map(|&v| (v < 1.0).then_some(0.5 * v)).sum();
    roots + logs * halves
}

#[test]
fn filter_map_of_options() {
    check!(filter_mapped(&vec![0.4, -1.2, 2.0, 0.7]) -> f64);
}

#[adjoint]
fn chained(x: &[f64], y: &[f64], k: f64) -> f64 {
    let sum: f64 = x.iter().chain(y.iter()).map(|v| v * v).sum();
    let mut weighted = 0.0;
    for (i, v) in x.iter().chain(y).enumerate() {
        weighted += v * k.powi(i as i32);
    }
    let ends: f64 = std::iter::once(k)
        .chain(x.iter().copied())
        .chain(std::iter::once(2.0 * k))
        .rev()
        .fold(0.0, |acc, v| acc * 0.5 + v);
    sum + weighted * ends
}

#[test]
fn chains_are_two_loops() {
    check!(chained(&vec![0.4, -1.2], &vec![2.0, 0.7, 1.1], 0.8) -> f64);
}

#[adjoint]
fn exits_from_chains(x: &[f64], y: &[f64], limit: f64) -> f64 {
    let mut total = 0.0;
    for v in x.iter().chain(y) {
        if *v < 0.0 {
            continue;
        }
        total += v * v;
        if total > limit {
            break;
        }
    }
    total
}

#[test]
fn break_and_continue_in_chains() {
    check!(exits_from_chains(&vec![0.4, -1.2], &vec![2.0, 0.7, 1.1], 3.0) -> f64);
    check!(exits_from_chains(&vec![0.4, 3.0], &vec![2.0, 0.7, 1.1], 3.0) -> f64);
}

#[adjoint]
fn flattened(rows: &[Vec<f64>], n: usize) -> f64 {
    let sum: f64 = rows.iter().flatten().map(|v| v.exp()).sum();
    let frobenius = rows
        .iter()
        .flat_map(|r| r.iter())
        .map(|v| v * v)
        .sum::<f64>()
        .sqrt();
    let triangle: f64 = (0..n)
        .flat_map(|i| (0..=i).map(move |j| (i, j)))
        .map(|(i, j)| rows[i][j] * (i + 2 * j) as f64)
        .sum();
    sum * frobenius + triangle
}

#[test]
fn flattened_rows() {
    check!(flattened(&vec![vec![0.4, -0.2, 0.3], vec![0.1, 0.7, -0.5]], const 2) -> f64);
}

#[adjoint]
fn scanned(x: &[f64]) -> Vec<f64> {
    x.iter()
        .scan(0.0, |acc, &v| {
            *acc += v;
            Some(*acc * *acc)
        })
        .collect()
}

#[adjoint]
fn until(x: &[f64], limit: f64) -> f64 {
    x.iter()
        .scan(1.0, |product, v| {
            *product *= v;
            if *product > limit {
                None
            } else {
                Some(*product)
            }
        })
        .sum()
}

#[test]
fn scans_carry_a_state() {
    check!(scanned(&vec![0.4, -1.2, 2.0]) -> &Vec<f64>);
    check!(until(&vec![0.4, 1.2, 2.0, 9.0, 0.1], 2.0) -> f64);
}

#[adjoint]
fn while_it_holds(x: &[f64], limit: f64) -> f64 {
    let head: f64 = x.iter().take_while(|v| **v < limit).map(|v| v * v).sum();
    let tail: f64 = x.iter().skip_while(|v| **v < limit).map(|v| v.sin()).sum();
    let mapped: f64 = x.iter().map_while(|&v| (v < limit).then(|| v.exp())).sum();
    head * tail + mapped
}

#[test]
fn take_while_and_skip_while() {
    check!(while_it_holds(&vec![0.4, 0.2, 2.0, 0.7], 1.0) -> f64);
    check!(while_it_holds(&vec![0.4, 0.2], 1.0) -> f64);
}

#[adjoint]
fn counted_streams(x: &[f64], limit: f64, n: usize) -> f64 {
    let keep = |v: &&f64| **v < limit;
    let first: f64 = x.iter().filter(keep).take(n).sum();
    let rest: f64 = x.iter().filter(keep).skip(n).map(|v| v * v).sum();
    let each = x
        .iter()
        .filter(|v| **v < limit)
        .step_by(2)
        .map(|v| v.exp())
        .sum::<f64>();
    let paired: f64 = x
        .iter()
        .filter(|v| **v < limit)
        .zip(x.iter().rev())
        .map(|(a, b)| a * b)
        .sum();
    let zipped: f64 = x
        .iter()
        .zip(x.iter().filter(|v| **v < limit))
        .map(|(a, b)| a - 2.0 * b * b)
        .sum();
    first * rest + each * paired + zipped
}

#[test]
fn take_skip_and_zip_of_filtered_items() {
    check!(counted_streams(&vec![0.4, 1.2, 0.2, -0.3, 2.0, 0.7], 1.0, const 2) -> f64);
    check!(counted_streams(&vec![0.4, 1.2, 0.2], 1.0, const 0) -> f64);
}

#[adjoint]
fn searched(x: &[f64], y: &[f64], t: f64) -> f64 {
    let i = x.iter().position(|&v| v > t).unwrap_or(x.len() - 1);
    let large = x.iter().find(|v| **v > 1.0).copied().unwrap_or(0.0);
    let (j, v) = x.iter().enumerate().find(|(_, v)| **v < 0.0).unwrap();
    let product = x.iter().zip(y).map(|(a, b)| a * b).find(|p| *p > 0.5);
    let root = x
        .iter()
        .find_map(|v| if *v > 0.3 { Some(v.sqrt()) } else { None });
    y[i] * large + v * y[j] + product.unwrap_or(t) + root.map_or(0.0, |r| r * t)
}

#[test]
fn the_first_item_that_passes() {
    let (x, y) = (
        vec![0.2, 0.4, -1.2, 2.0, 0.7],
        vec![1.0, 0.3, 0.5, 0.9, -0.4],
    );
    check!(searched(&x, &y, 0.5) -> f64);
    check!(searched(&x, &y, 5.0) -> f64);
}

#[adjoint]
fn extremes(x: &[f64], y: &[f64]) -> f64 {
    let by_index = (0..x.len())
        .max_by(|&i, &j| x[i].partial_cmp(&x[j]).unwrap())
        .unwrap();
    let (at, least) = x
        .iter()
        .enumerate()
        .min_by(|(_, a), (_, b)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))
        .unwrap();
    let far = x
        .iter()
        .map(|v| v.abs())
        .max_by(|a, b| a.total_cmp(b))
        .unwrap();
    let near = x
        .iter()
        .copied()
        .filter(|v| *v > 0.0)
        .min_by(|a, b| a.total_cmp(b))
        .unwrap_or(1.0);
    let folded = x.iter().copied().reduce(f64::max).unwrap();
    let key = (0..x.len()).max_by_key(|&i| (i * 3) % x.len()).unwrap();
    y[by_index] * least + y[at] * far * near + folded * x[key]
}

#[test]
fn the_best_item() {
    check!(extremes(&vec![0.2, 0.4, -1.2, 1.1], &vec![1.0, 0.3, 0.5, 0.9]) -> f64);
}

#[adjoint]
fn last_items(x: &[f64], n: usize) -> f64 {
    let last = x.iter().filter(|v| **v > 0.0).last().unwrap();
    let third = *x.iter().nth(n).unwrap();
    let none = x.iter().skip(10).next().copied().unwrap_or(2.0);
    let first = x.iter().map(|v| v * v).next().unwrap();
    last * third + none * first + x.last().map_or(0.0, |v| v.sin())
}

#[test]
fn last_nth_and_next() {
    check!(last_items(&vec![0.2, 0.4, -1.2, 1.1], const 2) -> f64);
}

#[adjoint]
fn again_and_again(x: &[f64], w: &[f64], n: usize) -> f64 {
    let cyclic: f64 = x.iter().cycle().take(n).zip(w).map(|(a, b)| a * b).sum();
    let repeated: f64 = std::iter::repeat(x[0]).zip(w).map(|(a, b)| a + b * b).sum();
    let powers: f64 = std::iter::successors(Some(x[1]), |v| {
        if *v < 5.0 { Some(v * x[1] + 0.5) } else { None }
    })
    .take(4)
    .sum();
    cyclic * repeated + powers
}

#[test]
fn cycles_repeats_and_successors() {
    check!(again_and_again(&vec![0.2, 1.4, -1.2], &vec![1.0, 0.3, 0.5, 0.9, 0.1], const 5) -> f64);
}

#[adjoint]
fn in_reverse_chunks(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for (i, c) in x.rchunks(2).enumerate() {
        total += c[0] * (i + 1) as f64 + c.iter().product::<f64>();
    }
    let whole = x.chunks_exact(2);
    total + whole.remainder().iter().map(|v| v * v).sum::<f64>()
}

#[test]
fn chunks_from_the_end() {
    check!(in_reverse_chunks(&vec![0.2, 1.4, -1.2, 0.7, 0.3]) -> f64);
}

#[adjoint]
fn folds_that_stop(x: &[f64]) -> f64 {
    let total: Option<f64> = x
        .iter()
        .try_fold(1.0, |acc, &v| if v > 0.0 { Some(acc * v) } else { None });
    let checked: Result<f64, usize> = x.iter().enumerate().try_fold(0.0, |acc, (i, v)| {
        if v.abs() < 2.0 {
            Ok(acc + v * v)
        } else {
            Err(i)
        }
    });
    total.unwrap_or(0.5) + checked.unwrap_or_else(|i| i as f64)
}

#[test]
fn try_fold_ends_at_a_failure() {
    check!(folds_that_stop(&vec![0.2, 1.4, 0.7]) -> f64);
    check!(folds_that_stop(&vec![0.2, -1.4, 3.7]) -> f64);
}

#[adjoint]
fn predicates(x: &[f64], limit: f64) -> f64 {
    let all = x.iter().filter(|v| **v > 0.0).all(|v| *v < limit);
    let any = x.iter().chain(std::iter::once(&limit)).any(|v| *v > 1.5);
    match (all, any) {
        (true, true) => x[0] * limit,
        (true, false) => x[1],
        (false, _) => x[0] * x[1],
    }
}

#[test]
fn all_and_any_of_streams() {
    check!(predicates(&vec![0.2, 1.4], 2.0) -> f64);
    check!(predicates(&vec![0.2, 1.4], 1.0) -> f64);
}

#[adjoint]
fn inner_products(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    a.iter()
        .filter(|row| !row.is_empty())
        .map(|row| row.iter().zip(x).map(|(r, v)| r * v).sum())
        .collect()
}

#[test]
fn collected_streams() {
    check!(inner_products(&vec![vec![0.4, -0.2], vec![], vec![0.1, 0.7]], &vec![0.5, 1.5]) -> &Vec<f64>);
}

#[adjoint]
fn from_functions(x: f64) -> [f64; 4] {
    let powers: [f64; 4] = std::array::from_fn(|i| x.powi(i as i32 + 1));
    let scaled = powers.map(|p| p * 0.5);
    std::array::from_fn(|i| scaled[3 - i] + powers[i] * powers[i])
}

#[test]
fn arrays_from_functions() {
    let x: f64 = 0.7;
    let rows = check!(from_functions(x) -> [f64; 4]);
    assert_close(&rows[3], &[0.5 + 8.0 * x.powi(7)]);
}

#[adjoint]
fn by_order(a: f64, b: f64) -> f64 {
    use std::cmp::Ordering;
    let order = match a.partial_cmp(&b) {
        Some(Ordering::Less) => b - a,
        Some(Ordering::Greater) => a * b,
        Some(Ordering::Equal) => a,
        None => f64::NAN,
    };
    let sign = match a.total_cmp(&0.0) {
        Ordering::Less => -1.0,
        _ => 1.0,
    };
    order * sign
}

#[test]
fn orders_are_matched() {
    check!(by_order(0.7, 1.2) -> f64);
    check!(by_order(1.7, 1.2) -> f64);
    check!(by_order(-1.7, 1.2) -> f64);
}

#[adjoint]
fn median(data: &[f64]) -> f64 {
    let mut sorted = data.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let n = sorted.len();
    if n % 2 == 1 {
        sorted[n / 2]
    } else {
        0.5 * (sorted[n / 2 - 1] + sorted[n / 2])
    }
}

#[adjoint]
fn quantile(data: &[f64], p: f64) -> f64 {
    let mut v: Vec<f64> = data.iter().map(|x| x * x).collect();
    v.sort_unstable_by(f64::total_cmp);
    let h = p * (v.len() - 1) as f64;
    let lo = (h.floor() as usize).min(v.len() - 2);
    v[lo] + (h - lo as f64) * (v[lo + 1] - v[lo])
}

#[adjoint]
fn ranked(pairs: &mut [(f64, usize)], a: f64) -> f64 {
    pairs.sort_by_key(|&(_, rank)| rank);
    pairs
        .iter()
        .enumerate()
        .map(|(i, (v, _))| a.powi(i as i32) * v)
        .sum()
}

#[test]
fn sorted_values() {
    let rows = check!(median(&vec![0.4, 2.0, -1.2, 0.7]) -> f64);
    assert_eq!(rows[0], [0.5, 0.0, 0.0, 0.5]);
    check!(median(&vec![0.4, 2.0, -1.2]) -> f64);
    check!(quantile(&vec![0.4, 2.0, -1.2, 0.7], 0.3) -> f64);
    let (mut pairs, mut adj) = ([(0.4, 2), (2.0, 0), (-1.2, 1)], [(0.0, 0); 3]);
    let value = ranked_adjoint(&mut pairs, &mut adj, 0.5, &mut 0.0, 1.0);
    assert_eq!(value, 2.0 - 0.6 + 0.1);
    assert_eq!(adj.map(|(a, _)| a), [0.25, 1.0, 0.5]);
}

#[adjoint]
fn looked_up(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let i = xs.partition_point(|&v| v <= x).clamp(1, xs.len() - 1);
    let slope = (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1]);
    let near = match xs.binary_search_by(|v| v.partial_cmp(&x).unwrap()) {
        Ok(at) => ys[at],
        Err(at) => ys[at - 1] * x,
    };
    ys[i - 1] + slope * (x - xs[i - 1]) + near
}

#[test]
fn binary_searches() {
    check!(looked_up(&vec![0.0, 1.0, 2.5, 4.0], &vec![0.3, 1.2, -0.4, 0.9], 1.7) -> f64);
}

#[adjoint]
fn by_hand(x: &[f64]) -> f64 {
    let mut it = x.iter();
    let mut previous = match it.next() {
        Some(v) => *v,
        None => return 0.0,
    };
    let mut total = 0.0;
    for v in it {
        total += (v - previous).powi(2);
        previous = *v;
    }
    let mut pairs = x.iter().copied().peekable();
    while let Some(v) = pairs.next() {
        if let Some(n) = pairs.peek() {
            total += v * n;
        }
    }
    let mut coefficients = x.iter().rev();
    let first = *coefficients.next().unwrap();
    total + coefficients.fold(first, |acc, c| acc * 0.5 + c)
}

#[test]
fn next_and_peek() {
    check!(by_hand(&vec![0.4, 2.0, -1.2, 0.7]) -> f64);
    assert_eq!(by_hand(&[]), 0.0);
}

#[adjoint]
fn in_two(x: &[f64], k: f64) -> f64 {
    let (sines, squares): (Vec<f64>, Vec<f64>) = x.iter().map(|v| (v.sin(), v * v * k)).unzip();
    sines.iter().zip(&squares).map(|(a, b)| a * b).sum()
}

#[test]
fn pairs_are_unzipped() {
    check!(in_two(&vec![0.4, 2.0, -1.2], 0.7) -> f64);
}
