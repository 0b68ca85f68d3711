//! Texts of inactive calls, functions that compare items, and `Vec::from_iter`.
use crate::common::check;
use adjoint::adjoint;
fn status(x: f64) -> String {
    if x > 1.0 {
        "OK".to_string()
    } else {
        "no".to_string()
    }
}
fn kind(n: usize) -> &'static str {
    if n > 1 { "OK" } else { "no" }
}
#[adjoint]
fn f(x: f64) -> f64 {
    if status(x) == "OK" { x * x } else { x }
}
#[adjoint]
fn g(x: f64, n: usize) -> f64 {
    let a = if kind(n) != "OK" { x * x } else { x };
    let k = kind(n + 1);
    if "OK" == k { a.sin() } else { a.cos() }
}
#[adjoint]
fn h(x: f64, n: usize) -> f64 {
    match kind(n) {
        "OK" => x * x,
        _ => x.sin(),
    }
}
#[test]
fn texts() {
    check!(f(0.3) -> f64);
    check!(f(1.3) -> f64);
    for n in 0..3 {
        check!(g(1.3, const n) -> f64);
        check!(h(1.3, const n) -> f64);
    }
}
#[adjoint]
fn from_iter(x: &[f64], o: Option<f64>) -> f64 {
    let v: Vec<f64> = Vec::from_iter(x.iter().map(|a| a * a));
    let w = Vec::from_iter(x.iter().copied().chain(o));
    v.iter().sum::<f64>() + w[0] * w[1]
}
#[test]
fn lists_of_iterators() {
    check!(from_iter(&[0.3,0.4], Some(0.5)) -> f64);
    check!(from_iter(&[0.3,0.4], None) -> f64);
    check!(from_iter(&[0.3], Some(0.2)) -> f64);
}
fn obj(a: &[f64]) -> f64 {
    a[0] * a[0] + a[1]
}
#[adjoint]
fn smallest(pop: &Vec<Vec<f64>>, x: f64) -> f64 {
    let best = pop
        .iter()
        .map(|p| vec![p[0] * x, p[1]])
        .min_by(|a, b| obj(a).partial_cmp(&obj(b)).unwrap())
        .unwrap();
    best[0] * best[1] * x
}
#[adjoint(wrt(pop))]
fn handed(pop: Vec<Vec<f64>>, objective: fn(&[f64]) -> f64) -> f64 {
    let best = pop
        .into_iter()
        .min_by(|a, b| objective(a).partial_cmp(&objective(b)).unwrap())
        .unwrap();
    best[0] * best[1]
}
#[adjoint]
fn o(a: &[f64]) -> f64 {
    a[0] * a[0] + a[1]
}
#[adjoint]
fn k(pop: Vec<Vec<f64>>) -> f64 {
    let best = pop.iter().max_by(|a, b| o(a).total_cmp(&o(b))).unwrap();
    let second = pop
        .iter()
        .cloned()
        .min_by_key(|a| (o(a) * 1000.0) as i64)
        .unwrap();
    let worst = pop
        .iter()
        .enumerate()
        .min_by(|(_, a), (_, b)| o(a).total_cmp(&o(b)))
        .map(|(i, v)| v[0] * i as f64)
        .unwrap();
    best[0] * best[1]
        + second[0]
        + worst
        + pop
            .iter()
            .map(|p| o(p))
            .min_by(|a, b| a.total_cmp(b))
            .unwrap()
}
#[test]
fn comparing_functions() {
    let p = vec![vec![0.3, 0.2], vec![-0.1, 0.4], vec![0.2, 0.1]];
    check!(smallest(&p, 1.2) -> f64);
    check!(k(p.clone()) -> f64);
}
