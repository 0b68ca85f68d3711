//! Closures bound to a name and called, and passed to adapters.

mod common;
use adjoint::adjoint;
use common::check;

#[adjoint]
fn named(x: f64, k: f64) -> f64 {
    let f = |t: f64| t * t * k;
    let g = |a, b| f(a) - f(b) * a;
    f(x) * g(x, k) + g(2.0, x)
}

#[test]
fn a_closure_that_calls_a_closure() {
    check!(named(0.7, 1.3) -> f64);
}

#[adjoint]
fn reads_at_the_call(x: f64) -> f64 {
    let mut table = [x, 2.0 * x];
    let first = {
        let at = |i: usize| table[i] * x;
        at(0) * at(1)
    };
    table[0] = first;
    let at = |i: usize| table[i] * x;
    at(0) + at(1) * first
}

#[test]
fn captures_by_reference() {
    check!(reads_at_the_call(0.7) -> f64);
}

#[adjoint]
fn writes_captures(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    let mut count = 0;
    let mut push = |v: f64| {
        sum = sum * 0.5 + v * v;
        count += 1;
    };
    for &v in x {
        push(v);
        if v > 0.0 {
            push(2.0 * v);
        }
    }
    sum * count as f64
}

#[test]
fn captures_by_mutable_reference() {
    check!(writes_captures(&vec![0.5, -0.7, 1.2]) -> f64);
}

#[adjoint]
fn returns_early(x: f64, y: f64) -> f64 {
    let safe_root = |t: f64| {
        if t <= 0.0 {
            return 0.0;
        }
        let r = t.sqrt();
        if r > 2.0 {
            return 2.0 + (r - 2.0) * 0.1;
        }
        r
    };
    safe_root(x) * safe_root(y) + safe_root(x * y) * x
}

#[test]
fn return_leaves_the_closure() {
    check!(returns_early(0.7, 9.0) -> f64);
    check!(returns_early(-0.7, 9.0) -> f64);
    check!(returns_early(2.7, 1.5) -> f64);
}

#[adjoint]
fn returns_from_a_loop(x: &[f64], limit: f64) -> f64 {
    let until = |limit: f64| -> f64 {
        let mut s = 0.0;
        for v in x {
            s += v * v;
            if s > limit {
                return s * limit;
            }
        }
        s
    };
    let whole = until(1e3);
    until(limit) + whole
}

#[test]
fn return_from_a_loop_in_a_closure() {
    check!(returns_from_a_loop(&vec![0.5, -0.7, 1.2], 0.6) -> f64);
}

#[adjoint]
fn takes_slices(x: &[f64], y: &mut [f64]) -> f64 {
    let norm = |v: &[f64]| v.iter().map(|a| a * a).sum::<f64>().sqrt();
    let scale = |v: &mut [f64], k: f64| {
        for e in v.iter_mut() {
            *e *= k;
        }
    };
    let k = norm(x);
    scale(y, k);
    scale(&mut y[1..], norm(&x[..1]));
    norm(y) + norm(&y[1..])
}

#[test]
fn slices_as_arguments() {
    check!(takes_slices(&vec![0.5, -0.7], &mut vec![1.2, 0.3, 0.9]) -> f64);
}

#[adjoint]
fn by_move(x: f64) -> f64 {
    let mut k = x;
    let f = move |t: f64| t * k;
    k *= 3.0;
    let mut count = 0.0;
    let mut next = move || {
        count += x;
        count
    };
    let (a, b) = (next(), next());
    f(2.0) * k + a * b + count
}

#[test]
fn move_copies_what_it_captures() {
    // f(2) = 2x, k = 3x, a = x, b = 2x
    let x = 0.7;
    let jacobian = check!(by_move(x) -> f64);
    assert!((jacobian[0][0] - 16.0 * x).abs() < 1e-12);
}

#[adjoint]
fn tuples_and_patterns(x: f64, y: f64) -> f64 {
    let rotate = |(a, b): (f64, f64), phi: f64| {
        let (s, c) = phi.sin_cos();
        (c * a - s * b, s * a + c * b)
    };
    let [p, q] = [(x, y), (y, x * y)];
    let r = rotate(p, x);
    let (u, v) = rotate(q, r.1);
    let weight = |&[a, b]: &[f64; 2]| a * b;
    u * v + r.0 * weight(&[x, u])
}

#[test]
fn tuples_in_and_out() {
    check!(tuples_and_patterns(0.7, -0.4) -> f64);
}

#[adjoint]
fn rk4(y0: f64, a: f64, h: f64, n: usize) -> f64 {
    let f = |t: f64, y: f64| a * y * (1.0 - y) + t.sin();
    let step = |t: f64, y: f64| {
        let k1 = f(t, y);
        let k2 = f(t + h / 2.0, y + h / 2.0 * k1);
        let k3 = f(t + h / 2.0, y + h / 2.0 * k2);
        let k4 = f(t + h, y + h * k3);
        y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    };
    let mut y = y0;
    for i in 0..n {
        y = step(i as f64 * h, y);
    }
    y
}

#[test]
fn a_right_hand_side_as_a_closure() {
    check!(rk4(0.4, 1.3, 0.1, const 5) -> f64);
}

#[adjoint]
fn lorenz_step(s: [f64; 3], p: &[f64; 3], dt: f64) -> [f64; 3] {
    let rhs = |[x, y, z]: [f64; 3]| [p[0] * (y - x), x * (p[1] - z) - y, x * y - p[2] * z];
    let add = |a: [f64; 3], b: [f64; 3], k: f64| [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
    let k1 = rhs(s);
    let k2 = rhs(add(s, k1, 0.5 * dt));
    add(s, k2, dt)
}

#[test]
fn arrays_in_and_out() {
    check!(lorenz_step([1.0, 2.0, 3.0], &[10.0, 28.0, 2.6], 0.01) -> [f64; 3]);
}

#[adjoint]
fn helper(x: f64, y: &mut f64) -> f64 {
    *y += x * x;
    x * *y
}

#[adjoint]
fn calls_functions(x: f64, y: &mut f64) -> f64 {
    let mut twice = |t: f64| {
        let a = helper(t, y);
        a * helper(2.0 * t, y)
    };
    twice(x) + twice(x * 0.5)
}

#[test]
fn annotated_functions_are_called_from_closures() {
    check!(calls_functions(0.7, &mut 0.4) -> f64);
}

#[adjoint]
fn nested(x: &[f64]) -> f64 {
    let outer = |i: usize| {
        let inner = |j: usize| x[i] * x[j];
        (0..x.len()).map(inner).sum::<f64>()
    };
    let weighted = |f: f64, i: usize| f * outer(i);
    (0..x.len()).map(|i| weighted(0.5, i) * outer(i)).sum()
}

#[test]
fn closures_in_closures() {
    check!(nested(&vec![0.5, -0.7, 1.2]) -> f64);
}

#[adjoint]
fn shadowed_names(x: f64, y: f64) -> f64 {
    let k = 2.0 * x;
    let f = |x: f64| x * k;
    let k = y;
    let x = f(k) + x;
    f(x) * k
}

#[test]
fn names_mean_what_they_meant_at_the_definition() {
    check!(shadowed_names(0.7, 1.1) -> f64);
}

#[adjoint]
fn chosen(x: f64, flag: bool) -> f64 {
    let square = |t: f64| t * t;
    let cube = |t: f64| t * t * t;
    let y = if flag { square(x) } else { cube(x) };
    y * square(y)
}

#[test]
fn one_of_two_closures() {
    check!(chosen(0.7, const true) -> f64);
    check!(chosen(0.7, const false) -> f64);
}

#[adjoint]
fn unit_closures(x: &mut [f64; 3], k: f64) {
    let mut at = 0;
    let mut rotate = || {
        let first = x[0];
        x[0] = x[1] * k;
        x[1] = x[2];
        x[2] = first * x[0];
        at += 1;
    };
    rotate();
    rotate();
    rotate();
    x[at % 3] *= k;
}

#[test]
fn closures_without_parameters() {
    check!(unit_closures(&mut [0.5, 1.5, -0.7], 0.9));
}
