//! `Option`s and `Result`s that are assigned, combined, and passed through by their methods.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
fn changed(x: &[f64], n: usize) -> f64 {
    let mut held = Some(x[0]);
    let old = held.replace(x[1] * x[0]);
    let mut made = None;
    let new = made.insert(x[2]);
    *new *= x[1];
    let mut first: Option<f64> = None;
    let mut sum = 0.0;
    for i in 0..n {
        let m = first.get_or_insert(x[i]);
        *m *= x[i];
        sum += *m;
    }
    let mut cached = None;
    for i in 0..n {
        sum += x[i] * *cached.get_or_insert_with(|| x[i] * 2.0);
    }
    let mut squares: Option<f64> = None;
    for v in x {
        *squares.get_or_insert_default() += v * v;
    }
    let taken = held.take_if(|v| *v > 1.0);
    let rest = squares.take_if(|v| *v < 0.0).map_or(2.0, |v| v * v);
    old.unwrap() * taken.unwrap() + held.unwrap_or(x[0]) * made.unwrap() + sum * rest
}

#[adjoint]
fn together(x: &[f64]) -> f64 {
    let (a, b) = (x.first().copied(), x.get(1).copied());
    let none: Option<f64> = None;
    let product = a.zip(b).map(|(p, q)| p * q).unwrap_or(0.0);
    let second = none.or(b).unwrap() * a.and(b).unwrap();
    let only = a.xor(none).unwrap() + a.xor(b).unwrap_or(x[2]);
    let nested = Some(b).flatten().unwrap() * a.inspect(|v| assert!(*v > 0.0)).unwrap();
    let looped: f64 = a.iter().map(|v| v * v).sum();
    let mut scaled = b;
    for v in scaled.iter_mut() {
        *v *= x[2];
    }
    let through: f64 = scaled.into_iter().map(|v| v * x[0]).sum();
    let branch = if a.is_none_or(|v| v < 7.0) { x[0] } else { 1.0 };
    product + second * only + nested * looped + through * branch
}

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[adjoint]
fn points(x: &[f64]) -> f64 {
    let mut at = Some(Point { x: x[0], y: x[1] });
    let before = at.replace(Point { x: x[1], y: x[2] });
    let area = at.as_ref().map(|p| p.x * p.y).unwrap_or(0.0);
    let taken = at.take();
    let both = taken.zip(before).map(|(p, q)| p.x * q.y).unwrap();
    let kept = at.get_or_insert(Point { x: x[2], y: 1.0 });
    kept.y *= x[0];
    area * both + at.or(taken).unwrap().y
}

/// The best so far, as a pair.
#[adjoint]
fn best(x: &[f64], k: f64) -> f64 {
    let mut best: Option<(usize, f64)> = None;
    for (i, &v) in x.iter().enumerate() {
        if best.is_none_or(|(_, b)| v * k > b) {
            best.replace((i, v * k));
        }
    }
    let (i, b) = best.unwrap();
    b * x[i]
}

mod elsewhere {
    use adjoint::{Differentiable, adjoint};

    #[adjoint]
    pub fn root(x: f64) -> Option<f64> {
        if x > 0.0 { Some(x.sqrt()) } else { None }
    }

    #[adjoint]
    pub fn log(x: f64) -> Result<f64, i32> {
        if x > 0.0 { Ok(x.ln()) } else { Err(2) }
    }

    #[derive(Clone, Differentiable)]
    pub struct State {
        pub values: Vec<f64>,
        pub row: [f64; 3],
        pub last: Option<f64>,
        pub more: Option<Vec<f64>>,
    }
}
use elsewhere::{State, log, root};

/// What is done with a result tells whether it is an `Option` or a `Result`.
#[adjoint]
fn chained(x: &[f64]) -> Result<f64, i32> {
    let a = log(x[0]).map(|v| v * x[1])?;
    let b = log(x[1]).map_err(|e| e + 1)?;
    let c = log(x[2]).and_then(|v| log(v + 1.0)).unwrap_or(2.0);
    let d = log(-x[2]).unwrap_or_else(|_| x[0]) * log(-x[1]).or_else(|_| log(x[0]))?;
    let e = log(x[0])
        .ok()
        .zip(log(x[1]).ok())
        .map_or(1.0, |(p, q)| p * q);
    let all: Result<Vec<f64>, i32> = x.iter().map(|&v| log(v)).collect();
    let sum: Result<f64, i32> = x.iter().map(|&v| log(v)).sum();
    let first = all.map(|v| v[0]).unwrap_or(0.0);
    Ok(a * b + c * d * e + first * sum?)
}

#[adjoint]
fn optional(x: &[f64]) -> Option<f64> {
    let a = root(x[0]).map(|v| v * x[1])?;
    let b = log(x[1]).ok()?;
    let c = root(x[2]).and_then(root).unwrap_or(1.0);
    let Some(d) = root(x[1]).map(|v| v * v * v) else {
        return None;
    };
    Some(a * b * c * d)
}

#[adjoint]
fn unwrapped(x: &[f64]) -> f64 {
    chained(x).unwrap_or(0.0) * optional(x).unwrap_or(1.0)
}

#[adjoint]
fn updated(s: &mut State, i: usize, k: f64) -> f64 {
    s.values.swap(i, 0);
    s.row.swap(0, 2);
    let cached = *s.last.get_or_insert(k);
    if let Some(v) = s.last.as_mut() {
        *v *= k;
    }
    let product = s.more.as_ref().map(|m| m[0] * m[1]).unwrap_or(0.0);
    if let Some(m) = s.more.as_deref_mut() {
        m[0] *= k;
    }
    let taken = s.last.take().unwrap();
    s.last = Some(taken * s.values[0]);
    cached * taken + product * s.row[0] + s.more.as_deref().map_or(0.0, |m| m[0])
}

#[adjoint]
fn of_state(v: &[f64], k: f64) -> f64 {
    let mut s = State {
        values: v.to_vec(),
        row: [k, 2.0, v[0]],
        last: None,
        more: Some(v.to_vec()),
    };
    let first = updated(&mut s, 1, k);
    first * updated(&mut s, 2, k) * s.values[0] + s.row[2]
}

#[test]
fn options_change() {
    check!(changed(&vec![3.1, 2.3, 0.7], const 3) -> f64);
    check!(points(&vec![3.1, 2.3, 0.7]) -> f64);
    let jacobian = check!(best(&vec![1.1, 2.3, 0.7], 0.7) -> f64);
    crate::common::assert_rows_close(&jacobian, &[&[0.0, 2.0 * 2.3 * 0.7, 0.0, 2.3 * 2.3]]);
}

#[test]
fn options_are_put_together() {
    check!(together(&vec![1.1, 2.3, 0.7]) -> f64);
}

#[test]
fn results_are_told_by_what_is_done_with_them() {
    check!(unwrapped(&vec![1.1, 2.3, 1.7]) -> f64);
    check!(of_state(&vec![1.1, 2.3, 1.7], 0.6) -> f64);
}

#[adjoint]
fn lent(o: &Option<f64>, k: f64) -> f64 {
    let found = o.unwrap_or(0.3) * o.map_or(k, |v| v * k) + o.map_or_else(|| k, |v| v.sin());
    let tested = o.is_some_and(|v| v > k) || o.is_none_or(|v| v < 0.0);
    let chosen = o.or(Some(k)).unwrap_or_default() * o.and_then(|v| Some(v * v)).unwrap_or(k);
    let both = o.zip(Some(k)).map_or(0.1, |(a, b)| a * b) + o.xor(None).unwrap_or(k);
    let more = o.filter(|v| *v > 0.2).ok_or(1).unwrap_or(k) + o.and(Some(k)).unwrap_or(0.4);
    found * chosen + both * more * if tested { k } else { k * k }
}

#[adjoint]
fn lent_to_change(o: &mut Option<f64>, k: f64) -> f64 {
    let before = o.unwrap_or_else(|| k * k);
    let mut kept = o.unwrap_or(k);
    kept *= k;
    *o = o.map(|v| v * k).or_else(|| Some(k.exp()));
    let now = o.unwrap();
    *o = Some(now * o.unwrap_or_default().cos());
    before * kept + now * o.expect("there is one")
}

#[adjoint]
fn lent_in_turn(all: &mut [Option<f64>], k: f64) -> f64 {
    for o in all.iter_mut() {
        let v = o.unwrap_or(k);
        *o = Some(v * o.map_or(k, |x| x * x));
    }
    let first = all.iter().map(|o| o.unwrap_or(k)).sum::<f64>();
    let mut sum = 0.0;
    for o in &*all {
        sum += o.map_or(1.0, |v| v.sin()) * k;
    }
    first * sum
}

#[adjoint]
fn lent_result(r: &mut Result<f64, i32>, k: f64) -> f64 {
    let before = r.unwrap_or(k) + r.map_or(k, |v| v * v);
    *r = Ok(r.map(|v| v * k).unwrap_or_else(|e| k * f64::from(e)));
    before * r.map_err(|e| e + 1).unwrap()
}

#[test]
fn options_behind_references() {
    for o in [Some(0.7), Some(-0.4), None] {
        check!(lent(&o, 0.6) -> f64);
        check!(lent_to_change(&mut o, 0.6) -> f64);
        check!(lent_in_turn(&mut vec![o, Some(0.3), None], 1.2) -> f64);
    }
    check!(with_result(0.8, 0.6) -> f64);
    check!(with_result(-0.8, 0.6) -> f64);
}

#[adjoint]
fn with_result(x: f64, k: f64) -> f64 {
    let mut r = if x > 0.0 { Ok(x) } else { Err(3) };
    lent_result(&mut r, k) + r.unwrap_or(x)
}

#[adjoint]
fn penalty(x: &[f64], seq: &[usize], k: usize) -> f64 {
    let pen = if seq.last() == Some(&k) { 0.3 } else { 1.0 };
    let first = if seq.first() != Some(&0) { x[0] } else { x[1] };
    let mut s = 0.0;
    for i in 0..x.len() {
        if seq.get(i) == seq.get(i + 1) || x.get(i) > x.get(i + 1) {
            s += x[i] * x[0];
        }
    }
    s * pen * first
}

#[test]
fn references_in_options_are_compared() {
    check!(penalty(&vec![0.3, 0.8, 0.5], const &vec![0, 2, 2], const 2) -> f64);
    check!(penalty(&vec![0.3, 0.8, 0.5], const &vec![1, 2, 3], const 2) -> f64);
    check!(penalty(&vec![0.3, 0.8, 0.5], const &vec![], const 2) -> f64);
}
