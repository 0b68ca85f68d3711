//! Arms with `|` and a guard: Rust tries the guard with each alternative that matches.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
fn counted(a: f64, b: f64, c: f64) -> f64 {
    let mut tried = 0;
    let r = match (a, b, c) {
        (v, _, _) | (_, v, _) | (_, _, v)
            if {
                tried += 1;
                v > 1.0
            } =>
        {
            v * v
        }
        (v, w, _) => v * w,
    };
    r * tried as f64
}

#[adjoint]
fn of_options(a: f64, b: f64, c: f64) -> f64 {
    match (Some(a), Some(c), b > 1.0) {
        (Some(u), Some(v), true) | (Some(v), Some(u), _) if u > v => u * u * v,
        (Some(v), ..) | (_, Some(v), _) => v,
        _ => 0.0,
    }
}

#[adjoint]
fn by_matches(t: (f64, f64), y: f64) -> f64 {
    if matches!(t, (u, _) | (_, u) if u > y) {
        t.0 * y
    } else {
        t.1
    }
}

#[adjoint]
fn of_slices(x: &[f64]) -> f64 {
    match x {
        [a, .., b] | [b, .., a] if a > b => a * a * b,
        [a, ..] => *a,
        [] => 0.0,
    }
}

#[derive(Clone, Differentiable)]
enum Shape {
    Disc(f64),
    Square(f64),
    Cone { r: f64, h: f64 },
}

#[adjoint]
fn area(s: &Shape, k: f64) -> f64 {
    match s {
        Shape::Disc(v) | Shape::Square(v) | Shape::Cone { r: v, .. } if *v > 0.5 => v * v * k,
        Shape::Disc(v) => *v,
        Shape::Square(v) => v * 2.0,
        Shape::Cone { r: v, .. } | Shape::Cone { h: v, .. } if *v > 0.3 => v * k * 3.0,
        Shape::Cone { r, h } => r * h,
    }
}

#[adjoint]
fn areas(a: f64, b: f64, c: f64) -> f64 {
    area(&Shape::Disc(a), b) + area(&Shape::Square(a), c) + area(&Shape::Cone { r: a, h: b }, c)
}

#[adjoint]
fn nested(a: Option<f64>, b: Option<f64>) -> f64 {
    match (a, (b, 1.0)) {
        (Some(v), (_, k)) | (_, (Some(v), k)) if v > 1.0 => v * v * k,
        (x @ (Some(_) | None), (Some(v), _)) if v > 0.1 => v * x.unwrap_or(0.4),
        _ => 0.0,
    }
}

#[adjoint]
fn of_nested(a: f64, b: f64) -> f64 {
    nested(Some(a), Some(b)) + nested(None, Some(a))
}

#[adjoint]
fn of_literals(k: usize, x: f64) -> f64 {
    match k {
        0 | 1 if x > 0.0 => x * x,
        0..=2 | 5 if x < -1.0 => x.sin(),
        0 => x,
        _ => -x,
    }
}

#[test]
fn a_guard_is_tried_with_each_alternative() {
    for (a, b, c) in [
        (0.35, 0.4, 1.2),
        (1.3, 0.4, 0.2),
        (0.35, 1.4, 0.2),
        (0.35, 0.4, 0.2),
        (0.2, 1.6, 1.3),
    ] {
        check!(counted(a, b, c) -> f64);
        check!(of_options(a, b, c) -> f64);
        check!(by_matches((a, b), c) -> f64);
        check!(of_slices(&[a, b, c]) -> f64);
        check!(areas(a, b, c) -> f64);
        check!(of_nested(a, b) -> f64);
        check!(of_nested(c, b) -> f64);
    }
}

#[test]
fn alternatives_that_exclude_each_other() {
    for k in 0..6 {
        for x in [0.7, -0.7, -1.7] {
            check!(of_literals(const k, x) -> f64);
        }
    }
}
