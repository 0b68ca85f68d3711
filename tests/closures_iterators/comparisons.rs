//! Comparisons: of texts from inactive calls, and of items by functions of slices.

use adjoint::adjoint;

use crate::common::check;

fn status(x: f64) -> String {
    let status = if x > 1.0 { "OK" } else { "no" };
    status.to_string()
}

fn kind(n: usize) -> &'static str {
    if n > 1 { "OK" } else { "no" }
}

#[adjoint]
fn owned_texts(x: f64) -> f64 {
    if status(x) == "OK" { x * x } else { x }
}

#[adjoint]
fn lent_texts(x: f64, n: usize) -> f64 {
    let a = if kind(n) != "OK" { x * x } else { x };
    let k = kind(n + 1);
    if "OK" == k { a.sin() } else { a.cos() }
}

#[adjoint]
fn matched_texts(x: f64, n: usize) -> f64 {
    match kind(n) {
        "OK" => x * x,
        _ => x.sin(),
    }
}

#[test]
fn texts() {
    check!(owned_texts(0.3) -> f64);
    check!(owned_texts(1.3) -> f64);
    for n in 0..3 {
        check!(lent_texts(1.3, const n) -> f64);
        check!(matched_texts(1.3, const n) -> f64);
    }
}

fn cost(a: &[f64]) -> f64 {
    a[0] * a[0] + a[1]
}

#[adjoint]
fn active_cost(a: &[f64]) -> f64 {
    a[0] * a[0] + a[1]
}

#[adjoint]
fn of_made_items(rows: &Vec<Vec<f64>>, x: f64) -> f64 {
    let scaled = rows.iter().map(|r| vec![r[0] * x, r[1]]);
    let best = scaled.min_by(|a, b| cost(a).partial_cmp(&cost(b)).unwrap());
    let best = best.unwrap();
    best[0] * best[1] * x
}

#[adjoint]
fn by_a_handed_function(rows: Vec<Vec<f64>>, of: fn(&[f64]) -> f64) -> f64 {
    let best = rows.into_iter().min_by(|a, b| of(a).total_cmp(&of(b)));
    let best = best.unwrap();
    best[0] * best[1]
}

#[adjoint]
fn in_many_ways(rows: Vec<Vec<f64>>) -> f64 {
    let by_cost = |a: &&Vec<f64>, b: &&Vec<f64>| active_cost(a).total_cmp(&active_cost(b));
    let best = rows.iter().max_by(by_cost).unwrap();
    let copies = rows.iter().cloned();
    let second = copies
        .min_by_key(|a| (active_cost(a) * 1e3) as i64)
        .unwrap();
    let numbered = rows.iter().enumerate();
    let worst = numbered.min_by(|(_, a), (_, b)| active_cost(a).total_cmp(&active_cost(b)));
    let worst = worst.map(|(i, v)| v[0] * i as f64).unwrap();
    let least = rows
        .iter()
        .map(|p| active_cost(p))
        .min_by(|a, b| a.total_cmp(b));
    best[0] * best[1] + second[0] + worst + least.unwrap()
}

#[test]
fn functions_of_slices() {
    let rows = vec![vec![0.3, 0.2], vec![-0.1, 0.4], vec![0.2, 0.1]];
    check!(of_made_items(&rows, 1.2) -> f64);
    check!(in_many_ways(rows.clone()) -> f64);
    let mut adjoint = vec![vec![0.0; 2]; 3];
    let least = by_a_handed_function_adjoint(rows, &mut adjoint, cost, 2.0);
    assert_eq!(least, 0.2 * 0.1);
    assert_eq!(adjoint, [[0.0, 0.0], [0.0, 0.0], [0.2, 0.4]]);
}

#[adjoint]
fn from_iter(x: &[f64], o: Option<f64>) -> f64 {
    let v: Vec<f64> = Vec::from_iter(x.iter().map(|a| a * a));
    let w = Vec::from_iter(x.iter().copied().chain(o));
    v.iter().sum::<f64>() + w[0] * w[1]
}

#[test]
fn lists_of_iterators() {
    check!(from_iter(&[0.3, 0.4], Some(0.5)) -> f64);
    check!(from_iter(&[0.3, 0.4], None) -> f64);
    check!(from_iter(&[0.3], Some(0.2)) -> f64);
}
