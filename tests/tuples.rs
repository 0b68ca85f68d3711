//! Tuples: locals, parameters, results, nested, swapped.

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

#[adjoint]
fn complex_mul(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

#[test]
fn parameters_and_result() {
    check!(complex_mul((0.5, 1.5), (-0.7, 0.4)) -> (f64, f64));
}

#[adjoint]
fn complex_power(z: (f64, f64), n: usize) -> (f64, f64) {
    let mut p = (1.0, 0.0);
    for _ in 0..n {
        p = complex_mul(p, z);
    }
    p
}

#[test]
fn a_tuple_through_a_loop_of_calls() {
    for n in 0..4 {
        check!(complex_power((0.5, 1.5), const n) -> (f64, f64));
    }
}

#[adjoint]
fn mandelbrot(c: (f64, f64), n: usize) -> f64 {
    let (mut x, mut y) = (0.0, 0.0);
    for _ in 0..n {
        (x, y) = (x * x - y * y + c.0, 2.0 * x * y + c.1);
    }
    x * x + y * y
}

#[test]
fn destructuring_assignment_reads_before_it_writes() {
    check!(mandelbrot((0.2, 0.3), const 4) -> f64);
}

#[adjoint]
fn fibonacci(a: f64, b: f64, n: usize) -> f64 {
    let (mut a, mut b) = (a, b);
    for _ in 0..n {
        (a, b) = (b, a * b + a);
    }
    (a, b) = (b, a);
    a * b - b
}

#[test]
fn swapped_pairs() {
    for n in 0..4 {
        check!(fibonacci(0.8, 1.1, const n) -> f64);
    }
}

#[adjoint]
fn fields_are_assigned(x: f64, n: usize) -> f64 {
    let mut s = (x, 1.0, 0);
    for _ in 0..n {
        s.0 *= s.1 + 0.5;
        s.1 += s.0 * s.0;
        s.2 += 1;
    }
    let (a, b, c) = s;
    s.1 = a * b;
    s.1 * c as f64 + s.0
}

#[test]
fn fields() {
    check!(fields_are_assigned(0.6, const 3) -> f64);
}

#[adjoint]
fn nested(t: ((f64, f64), [f64; 2])) -> ((f64, f64), f64) {
    let ((a, b), [c, d]) = t;
    let inner = (a * c, b * d);
    let whole = (inner, t.1[0] * t.0.1);
    let ((p, _), q) = whole;
    ((p * q, whole.0.1), whole.1 + inner.0)
}

#[test]
fn tuples_in_tuples() {
    check!(nested(((0.5, 1.5), [-0.7, 0.4])) -> ((f64, f64), f64));
}

#[adjoint]
fn in_place(p: &mut (f64, f64), q: &(f64, usize)) {
    p.0 *= p.1 * q.0;
    p.1 = p.0.powi(q.1 as i32);
    std::mem::swap(&mut p.0, &mut p.1);
    let (x, y) = p;
    *x += *y * q.0;
}

#[test]
fn tuples_by_reference() {
    check!(in_place(&mut (0.7, 1.2), &(0.4, 2)));
}

#[adjoint]
fn arrays_of_tuples(points: &[(f64, f64)], out: &mut [(f64, f64); 2]) -> f64 {
    let mut area = 0.0;
    let n = points.len();
    for i in 0..n {
        let (a, b) = (points[i], points[(i + 1) % n]);
        area += a.0 * b.1 - b.0 * a.1;
    }
    for (o, p) in out.iter_mut().zip(points) {
        *o = (p.0 * area, o.1 * p.1);
    }
    for &(x, y) in points {
        area += x * y;
    }
    for (x, y) in points.iter() {
        area *= x + y;
    }
    area
}

#[test]
fn sequences_of_tuples() {
    check!(arrays_of_tuples(
        &vec![(0.0, 0.1), (1.0, 0.2), (0.9, 1.3)],
        &mut [(0.3, 0.4), (0.5, 0.6)]
    ) -> f64);
}

#[adjoint]
fn chosen(x: f64, y: f64, flag: bool) -> f64 {
    let (a, b) = if flag { (x * y, y) } else { (y, x.sin()) };
    let pair = match flag {
        true => (a, b),
        false => (b * b, a),
    };
    let last = loop {
        break (pair.0 * a, pair.1);
    };
    last.0 - last.1 * b
}

#[test]
fn tuples_from_branches() {
    check!(chosen(0.7, 1.3, const true) -> f64);
    check!(chosen(0.7, 1.3, const false) -> f64);
}

#[adjoint]
fn polar(x: f64, y: f64) -> (f64, f64) {
    (x.hypot(y), y.atan2(x))
}

#[adjoint]
fn uses_results(x: f64, y: f64) -> f64 {
    let (r, phi) = polar(x, y);
    let p = polar(y, r);
    let q = p;
    let (_, psi) = polar(p.0, q.1);
    r * phi + q.0 * psi
}

#[test]
fn results_are_taken_apart() {
    check!(uses_results(0.7, 1.3) -> f64);
}

#[adjoint]
fn mixed_with_discrete(x: &[f64], flag: (bool, usize)) -> (f64, usize) {
    let mut best = (x[0], 0);
    for (i, &v) in x.iter().enumerate().skip(flag.1) {
        if v > best.0 {
            best = (v, i);
        }
    }
    if flag.0 {
        best.0 *= x[best.1];
    }
    best
}

#[test]
fn an_index_with_its_value() {
    let jacobian = check!(mixed_with_discrete(&vec![0.7, 1.3, -0.2], const (true, 1)) -> (f64, usize));
    assert_close(&jacobian[0], &[0.0, 2.6, 0.0]);
}

#[adjoint]
fn unit_and_one(x: (f64,)) -> (f64,) {
    let () = ();
    let (y,) = x;
    (y * y,)
}

#[test]
fn short_tuples() {
    assert_eq!(check!(unit_and_one((3.0,)) -> (f64,)), [[6.0]]);
}
