//! Functions as parameters, closures with a state, nested functions, macros of the user's.

use std::hint::black_box;

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn weighted(weight: impl Fn(usize) -> f64, x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| weight(i) * v * v).sum()
}

#[adjoint]
fn weighted_dyn(weight: &dyn Fn(usize) -> f64, x: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += weight(i) * x[i].powf(k);
    }
    s
}

#[adjoint]
fn weighted_generic<F>(x: &[f64], weight: F, index: fn(usize) -> usize) -> f64
where
    F: Fn(usize) -> f64,
{
    let mut s = 0.0;
    for i in 0..x.len() {
        s += weight(index(i)) * x[index(i)].sin();
    }
    s
}

#[test]
fn weights_by_functions() {
    let scale = vec![0.5, 2.0, -1.0];
    let weight = |i: usize| scale[i] + 1.0;
    let x = [0.3, 1.2, 0.7];
    let mut x_adj = [0.0; 3];
    let value = weighted_adjoint(weight, &x, &mut x_adj, 1.0);
    assert_eq!(value, weighted(weight, &x));
    for i in 0..3 {
        assert!((x_adj[i] - 2.0 * weight(i) * x[i]).abs() < 1e-14);
    }
    let (mut x_adj, mut k_adj) = ([0.0; 3], 0.0);
    weighted_dyn_adjoint(&weight, &x, &mut x_adj, 1.7, &mut k_adj, 1.0);
    for i in 0..3 {
        assert!((x_adj[i] - weight(i) * 1.7 * x[i].powf(0.7)).abs() < 1e-14);
    }
    let slope: f64 = (0..3).map(|i| weight(i) * x[i].powf(1.7) * x[i].ln()).sum();
    assert!((k_adj - slope).abs() < 1e-14);
    let mut x_adj = [0.0; 3];
    weighted_generic_adjoint(&x, &mut x_adj, weight, |i| 2 - i, 1.0);
    for i in 0..3 {
        assert!((x_adj[i] - weight(i) * x[i].cos()).abs() < 1e-14);
    }
}

/// Weights of a rule that is made by a function without a derivative.
fn rule(n: usize, node: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..n)
        .map(|i| (std::f64::consts::PI * node(i)).sin())
        .collect()
}

fn largest(n: usize, of: &dyn Fn(usize) -> f64) -> f64 {
    (0..n).map(of).fold(0.0, f64::max)
}

#[adjoint]
fn with_closures(x: &[f64], n: usize) -> f64 {
    let h = 1.0 / n as f64;
    let mut table = vec![0.5, 2.0];
    table.push(-1.0);
    let a = x[0] * 2.0;
    let weight = |i: usize| table[i] + h;
    let q = rule(3, |i| (i as f64 + 0.5) * h);
    let y = [x[0] * x[1], x[2], x[1]];
    let scale = largest(3, &|i: usize| table[i].abs());
    a * weighted(&weight, &y)
        + weighted(move |i| table[i] * h, x)
        + weighted_dyn(&|x| h + x as f64, x, 2.0)
        + q[1] * x[1] / scale
}

#[adjoint]
fn handed_on(f: &dyn Fn(usize) -> f64, g: impl Fn(usize) -> f64, x: &[f64]) -> f64 {
    let (q, r) = (rule(3, f), rule(3, &g));
    let nodes = q[1] * x[1].sin() + r[0] * x[2];
    nodes + weighted(f, x) + weighted(&g, x) * weighted_dyn(&g, x, 3.0) + weighted(&f, x)
}

#[adjoint]
fn handed_on_generic<F: Fn(usize) -> f64>(f: &F, x: &[f64]) -> f64 {
    let one = 1.0;
    handed_on(f, |i| f(i) + one, x) + weighted_dyn(f, x, 2.0)
}

#[adjoint]
fn with_all(x: &[f64]) -> f64 {
    let shift = 0.25;
    handed_on_generic(&|i| shift + i as f64, x)
}

#[test]
fn closures_that_are_handed_in() {
    check!(with_closures(&vec![0.3, 1.2, 0.7], const 4) -> f64);
    check!(with_all(&vec![0.3, 1.2, 0.7]) -> f64);
}

/// A sum with weights that are drawn.
#[adjoint]
fn noisy(x: &[f64], rng: &mut dyn FnMut() -> f64) -> f64 {
    let mut s = 0.0;
    for v in x {
        let r = rng();
        s += r * v * v;
    }
    s
}

#[adjoint]
fn noisy_generic<F: FnMut(usize) -> f64>(x: &[f64], rng: &mut F, log: &mut impl FnMut(f64)) -> f64 {
    let mut s = 0.5;
    for (i, v) in x.iter().enumerate() {
        s *= rng(i) * v.sin();
    }
    log(1.0);
    s
}

#[test]
fn functions_with_a_state() {
    let (mut drawn, mut logged, mut x_adj) = (0, 0.0, [0.0; 2]);
    let mut draw = || {
        drawn += 1;
        drawn as f64
    };
    let s = noisy_adjoint(&[1.0, 3.0], &mut x_adj, &mut draw, 1.0);
    assert_eq!((s, x_adj, drawn), (19.0, [2.0, 12.0], 2));
    let mut draw = |i: usize| {
        drawn += 1;
        drawn as f64 + i as f64
    };
    x_adj = [0.0; 2];
    assert_eq!(noisy_generic(&[], &mut draw, &mut |_| {}), 0.5);
    let mut log = |value| logged += value;
    noisy_generic_adjoint(&[1.0, 3.0], &mut x_adj, &mut draw, &mut log, 1.0);
    let (sin, cos) = ([1.0f64.sin(), 3.0f64.sin()], [1.0f64.cos(), 3.0f64.cos()]);
    let expected = [
        0.5 * 3.0 * 5.0 * cos[0] * sin[1],
        0.5 * 3.0 * 5.0 * sin[0] * cos[1],
    ];
    assert!((x_adj[0] - expected[0]).abs() < 1e-14 && (x_adj[1] - expected[1]).abs() < 1e-14);
    assert_eq!(
        (drawn, logged),
        (4, 1.0),
        "each is called as often as in the primal"
    );
}

#[adjoint]
fn running(x: &[f64]) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    let mut add = |v: f64| {
        count += 1;
        sum += v * v / count as f64;
    };
    for &v in x {
        add(v);
    }
    x.iter().rev().for_each(|v| add(*v));
    sum
}

#[test]
fn a_closure_that_keeps_state() {
    check!(running(&vec![0.4, -1.0, 2.5]) -> f64);
}

#[adjoint]
fn nested(x: &[f64], k: f64) -> f64 {
    const GRAVITY: f64 = 9.81;
    #[adjoint]
    fn spring(x: f64, k: f64) -> f64 {
        0.5 * k * x * x
    }
    fn other(i: usize, n: usize) -> usize {
        (i + 1) % n
    }
    let mut energy = 0.0;
    for i in 0..x.len() {
        energy += spring(x[other(i, x.len())] - x[i], k) + GRAVITY * x[i];
    }
    energy
}

#[test]
fn functions_in_a_function() {
    check!(nested(&vec![0.4, -1.0, 2.5], 1.5) -> f64);
}

macro_rules! at {
    ($i:expr, $j:expr, $n:expr) => {
        $i * $n + $j
    };
}

/// The trace of a product; documented, hinted and restricted.
///
/// ```text
/// tr(a b)
/// ```
#[inline]
#[must_use]
#[adjoint]
pub(crate) fn trace_of_product(a: &[f64], b: &[f64], n: usize) -> f64 {
    assert_eq!(a.len(), n * n, "`a` is square");
    debug_assert!(b.len() == n * n);
    let mut s = 0.0;
    for i in 0..n {
        for j in 0..n {
            s += a[i * n + j] * b[j * n + i];
        }
    }
    if !s.is_finite() {
        eprintln!("trace {s} of {} entries", a.len());
    }
    s
}

#[test]
fn attributes_and_assertions() {
    let _ = at!(1, 2, 3);
    let (a, b) = (vec![1.0, -0.5, 0.25, 2.0], vec![0.3, 0.7, -1.1, 0.2]);
    check!(trace_of_product(&a, &b, const 2) -> f64);
}

#[adjoint]
fn as_they_are(x: f64, y: &[f64]) -> f64 {
    let v = black_box(x * x);
    let z = std::hint::black_box(y);
    let q: Vec<f64> = std::convert::identity(z.to_vec());
    let squares = y.iter().map(|v| (*v > 0.0).then(|| v * v));
    let kept: f64 = squares.filter_map(std::convert::identity).sum();
    v * z[0] + q[1] * black_box(&q)[0] + kept
}

#[test]
fn functions_that_hand_on_what_they_take() {
    check!(as_they_are(0.4, &[0.3, -0.7, 0.2]) -> f64);
}
