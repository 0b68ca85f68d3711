//! Annotated functions whose results carry no floats: searches, tests, orders.
//!
//! They have no adjoint, and callers call them as they are, also if they do not see their types.

use std::cmp::Ordering;
use std::collections::HashMap;

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::{check, flat};

#[adjoint]
fn interval(xs: &[f64], x: f64) -> usize {
    let above = xs.partition_point(|v| *v <= x);
    above.clamp(1, xs.len() - 1) - 1
}

#[adjoint]
fn first_above(xs: &[f64], x: f64) -> Option<usize> {
    xs.iter().position(|v| *v > x)
}

#[adjoint]
fn is_inside(x: f64) -> bool {
    (0.0..1.0).contains(&x)
}

#[adjoint]
fn largest<T: Float>(xs: &[T]) -> usize {
    (0..xs.len()).fold(0, |k, i| if xs[i] > xs[k] { i } else { k })
}

#[adjoint]
fn sign(x: f64) -> &'static str {
    if x > 0.0 { "positive" } else { "negative" }
}

#[adjoint]
fn compared(a: f64, b: f64) -> Ordering {
    a.total_cmp(&b)
}

#[adjoint]
fn order(xs: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..xs.len()).collect();
    order.sort_by(|a, b| xs[*a].total_cmp(&xs[*b]));
    order
}

#[adjoint]
fn steps(x: f64) -> Result<usize, String> {
    let mut counted = HashMap::new();
    counted.insert("steps", x);
    match counted["steps"] {
        x if x > 0.0 => Ok(x as usize),
        x => Err(format!("{x} is negative")),
    }
}

#[adjoint]
fn parts((a, b): (f64, f64)) -> (usize, bool) {
    (a as usize, b > 0.0)
}

/// A parameter has the function's name.
#[adjoint]
fn positive(positive: f64) -> bool {
    positive > 0.0
}

#[adjoint]
fn interpolated(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let k = interval(xs, x);
    let t = (x - xs[k]) / (xs[k + 1] - xs[k]);
    ys[k] * (1.0 - t) + ys[k + 1] * t
}

#[adjoint]
fn of_all(xs: &[f64], x: f64) -> f64 {
    let mut sum = xs[largest(xs)] * x;
    if let Some(i) = first_above(xs, x) {
        sum += xs[i] * x;
    }
    let above = first_above(xs, x);
    sum += above.map(|i| xs[i]).unwrap_or(2.0) * x;
    if is_inside(x) {
        sum += x * x;
    }
    if sign(x) == "positive" {
        sum *= 2.0;
    }
    match compared(x, xs[0]) {
        Ordering::Less => sum -= x,
        _ => sum += 3.0 * x,
    }
    let (n, is_positive) = parts((x * 10.0, sum));
    if is_positive && positive(x) {
        sum += n as f64 * x;
    }
    for (rank, i) in order(xs).into_iter().enumerate() {
        sum += rank as f64 * xs[i] * xs[i];
    }
    sum + steps(x * 7.0).unwrap_or(0) as f64 * x
}

#[adjoint]
fn advanced(xs: &[f64], x: f64, hint: &mut usize) -> usize {
    while *hint + 1 < xs.len() && xs[*hint + 1] <= x {
        *hint += 1;
    }
    *hint
}

#[adjoint]
fn weighted(n: usize, x: f64) -> f64 {
    x * n as f64 + x * x
}

/// Of `at`, only its use in another call tells what it is.
#[adjoint]
fn walked(xs: &[f64], x: f64, hint: &mut usize) -> f64 {
    let mut sum = 0.0;
    for j in 0..4 {
        let at = advanced(xs, x * j as f64, hint);
        sum += weighted(at, x) * xs[*hint];
    }
    sum
}

#[adjoint]
fn walked_twice(xs: &[f64], x: f64) -> f64 {
    let mut hint = 0;
    let there = walked(xs, x, &mut hint);
    let further = walked(xs, there * 0.1, &mut hint);
    there * further + xs[hint] * x * hint as f64
}

/// Nothing is derived for it.
struct Limits {
    least: f64,
}

#[adjoint]
fn is_beyond(limits: &Limits, x: f64) -> bool {
    x > limits.least
}

#[adjoint(wrt(x))]
fn limited(limits: &Limits, x: f64) -> f64 {
    if is_beyond(limits, x) { x * x } else { 3.0 * x }
}

#[derive(Clone, Differentiable)]
struct Grid {
    x: Vec<f64>,
    last: usize,
}

flat!(Grid { x });

#[adjoint]
impl Grid {
    fn cell(&self, x: f64) -> usize {
        interval(&self.x, x)
    }

    fn above(&self, x: f64) -> Option<usize> {
        self.x.iter().position(|v| *v > x)
    }

    fn starts_above(xs: &[f64], x: f64) -> bool {
        x < xs[0]
    }

    #[adjoint]
    fn ends_above(&self, x: f64) -> bool {
        self.x[self.last] > x
    }

    fn at(&self, x: f64) -> f64 {
        self.x[self.cell(x)] * x
    }
}

#[adjoint]
fn on_grid(grid: &Grid, x: f64) -> f64 {
    let cell = grid.cell(x);
    let mut sum = weighted(cell, x) * grid.x[cell];
    if let Some(i) = grid.above(x) {
        sum += grid.x[i] * x * x;
    }
    if Grid::starts_above(&grid.x, x) {
        sum *= 2.0;
    }
    if grid.ends_above(x) {
        sum += x;
    }
    sum + grid.at(x)
}

#[derive(Clone, Differentiable)]
struct Pair<T> {
    a: T,
    b: T,
}

type Real = Pair<f64>;
flat!(Real { a, b });

#[adjoint]
impl<T: Float> Pair<T> {
    fn is_ordered(&self, shift: T) -> bool {
        self.a + shift < self.b
    }

    fn sum(&self) -> T {
        self.a + self.b
    }
}

#[adjoint]
fn of_pair<T: Float>(p: &Pair<T>, x: T) -> T {
    if p.is_ordered(x) { x * p.sum() } else { x * x }
}

#[adjoint]
mod tables {
    pub fn nearest(xs: &[f64], x: f64) -> usize {
        let distance = |k: usize| (xs[k] - x).abs();
        (0..xs.len()).fold(0, |k, i| if distance(i) < distance(k) { i } else { k })
    }

    #[adjoint]
    pub fn farthest(xs: &[f64], x: f64) -> Option<usize> {
        (!xs.is_empty()).then(|| nearest(xs, -x))
    }

    pub fn value(xs: &[f64], x: f64) -> f64 {
        let (near, far) = (nearest(xs, x), farthest(xs, x));
        xs[near] * x + far.map_or(0.0, |k| xs[k])
    }

    #[derive(Clone, adjoint::Differentiable)]
    pub struct Threshold {
        pub at: f64,
    }

    impl Threshold {
        pub fn counted(&self, count: &mut usize, x: f64) -> bool {
            *count += 1;
            x > self.at
        }
    }
}

use tables::{Threshold, farthest, nearest};

flat!(Threshold { at });

#[adjoint]
fn from_elsewhere(xs: &[f64], x: f64) -> f64 {
    let sum = weighted(nearest(xs, x), x);
    match farthest(xs, x) {
        Some(k) => sum + xs[k] * 2.0 * x,
        None => sum,
    }
}

#[adjoint]
fn over_threshold(t: &Threshold, x: f64) -> f64 {
    let (mut count, mut sum) = (0, 0.0);
    for k in 0..5 {
        if t.counted(&mut count, x * k as f64) {
            break;
        }
        sum += count as f64 * x * x;
    }
    sum * count as f64 * t.at
}

const XS: [f64; 4] = [0.1, 0.35, 0.6, 1.3];

#[test]
fn functions() {
    check!(interpolated(&XS, &[1.0, 2.0, -1.0, 0.5], 0.41) -> f64);
    check!(of_all(&XS, 0.41) -> f64);
    check!(of_all(&XS, -0.3) -> f64);
    for x in [0.2, 0.9] {
        let mut x_adj = 0.0;
        limited_adjoint(&Limits { least: 0.5 }, x, &mut x_adj, 1.0);
        assert_eq!(x_adj, if x > 0.5 { 2.0 * x } else { 3.0 });
    }
}

#[test]
fn with_integers_that_come_back() {
    check!(walked(&XS, 0.41, const &mut 0) -> f64);
    check!(walked_twice(&XS, 0.41) -> f64);
    let (mut hint, mut x_adj) = (0, 0.0);
    walked_adjoint(&XS, &mut [0.0; 4], 0.41, &mut x_adj, &mut hint, 1.0);
    assert_eq!(hint, 2);
}

#[test]
fn methods() {
    let grid = || Grid {
        x: XS.to_vec(),
        last: 3,
    };
    check!(on_grid(&grid(), 0.41) -> f64);
    check!(on_grid(&grid(), 0.05) -> f64);
    check!(of_pair(&Pair { a: 0.1, b: 2.0 }, 0.41) -> f64);
    check!(of_pair(&Pair { a: 0.1, b: 0.2 }, 0.41) -> f64);
}

#[test]
fn of_a_module() {
    check!(tables::value(&XS, 0.41) -> f64);
    check!(from_elsewhere(&XS, 0.41) -> f64);
    check!(over_threshold(&Threshold { at: 1.0 }, 0.3) -> f64);
}
