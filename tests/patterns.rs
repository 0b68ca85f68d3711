//! Kernels with patterns: `match` on numbers, ranges, tuples, guards and enums, `if let`, `let else`,
//! `while let`, `?` on an `Option`.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::check;

#[adjoint]
fn by_number(x: f64, kind: u32) -> f64 {
    match kind {
        0 => x * x,
        1 | 2 => x.sin(),
        3..=5 => {
            let t = x.exp();
            t * x
        }
        _ => -x,
    }
}

#[test]
fn match_on_integers() {
    for kind in 0..8 {
        check!(by_number(0.7, const kind) -> f64);
    }
}

#[adjoint]
fn by_range(x: &[f64]) -> f64 {
    let mut s = 1.0;
    for i in 0..x.len() {
        s = match i % 7 {
            0 => s * x[i],
            1..4 => s + x[i] * x[i],
            n @ 4..=5 => s * n as f64 - x[i].cos(),
            _ => s / x[i],
        };
    }
    s
}

#[test]
fn match_on_ranges_in_a_loop() {
    check!(by_range(&vec![0.5, 1.2, -0.7, 0.9, 1.5, 0.3, 2.0, 0.8, -1.1]) -> f64);
}

#[adjoint]
fn by_tuple(x: f64, y: f64) -> f64 {
    match (x > 0.0, y > 0.0) {
        (true, true) => x * y,
        (true, false) => x / y,
        (false, true) => y.powf(-x),
        (false, false) => (x * y).sqrt(),
    }
}

#[test]
fn match_on_a_tuple_of_conditions() {
    for (x, y) in [(0.7, 1.2), (0.7, -1.2), (-0.7, 1.2), (-0.7, -1.2)] {
        check!(by_tuple(x, y) -> f64);
    }
}

#[adjoint]
fn by_guard(x: f64, n: i32) -> f64 {
    match n {
        k if k < 0 => x.powi(-k),
        0 => x,
        k if x > 1.0 => x * k as f64,
        k if k % 2 == 0 => x.sqrt(),
        _ => x.ln(),
    }
}

#[test]
fn match_with_guards_on_active_values() {
    for n in [-3, 0, 1, 2] {
        check!(by_guard(0.6, const n) -> f64);
        check!(by_guard(1.6, const n) -> f64);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Limiter {
    Minmod,
    VanLeer,
    Superbee,
}

#[adjoint(wrt(a, b))]
fn limited(limiter: Limiter, a: f64, b: f64) -> f64 {
    if a * b <= 0.0 {
        return 0.0;
    }
    match limiter {
        Limiter::Minmod => {
            if a.abs() < b.abs() {
                a
            } else {
                b
            }
        }
        Limiter::VanLeer => 2.0 * a * b / (a + b),
        Limiter::Superbee => {
            let r = b / a;
            a * (2.0 * r).min(1.0).max(r.min(2.0))
        }
    }
}

#[test]
fn match_on_an_enum() {
    for limiter in [Limiter::Minmod, Limiter::VanLeer, Limiter::Superbee] {
        for (a, b) in [(1.0, 0.3), (1.0, 1.4), (1.0, 3.0), (-1.0, -0.7)] {
            check!(limited(const limiter, a, b) -> f64);
        }
        assert_eq!(
            check!(limited(const limiter, 1.0, -2.0) -> f64),
            [[0.0, 0.0]]
        );
    }
}

#[adjoint]
fn in_statement_position(x: &mut [f64], codes: &[u8]) {
    for i in 0..codes.len() {
        match codes[i] {
            b's' => x[i] = x[i].sin(),
            b'q' => x[i] *= x[i],
            b'n' => {}
            _ => {
                let next = (i + 1) % x.len();
                x[next] += x[i];
            }
        }
    }
}

#[test]
fn match_as_a_statement() {
    check!(in_statement_position(&mut vec![0.5, 1.5, -0.5, 2.0, 0.1], const b"sqn?q"));
}

#[adjoint]
fn last_positive(x: &[f64]) -> Option<f64> {
    let mut found = None;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            found = Some(x[i] * x[i]);
        }
    }
    found
}

#[adjoint]
fn with_if_let(x: &[f64], fallback: f64) -> f64 {
    if let Some(v) = last_positive(x) {
        v * fallback
    } else {
        fallback.exp()
    }
}

#[test]
fn if_let_on_an_option_of_a_float() {
    check!(with_if_let(&vec![1.0, 2.0, -1.0], 0.4) -> f64);
    check!(with_if_let(&vec![-1.0], 0.4) -> f64);
}

#[adjoint]
fn with_let_else(x: &[f64], w: f64) -> f64 {
    let Some(v) = last_positive(x) else {
        return w * w;
    };
    let y = v * w;
    y.sin()
}

#[test]
fn let_else_returns() {
    check!(with_let_else(&vec![0.3, 1.2, -1.0], 0.7) -> f64);
    check!(with_let_else(&vec![], 0.7) -> f64);
}

#[adjoint]
fn product_of_two(x: &[f64], y: &[f64]) -> Option<f64> {
    let a = last_positive(x)?;
    let scaled = 2.0 * a;
    let b = last_positive(y)?;
    Some(scaled * b)
}

#[adjoint]
fn with_question_marks(x: &[f64], y: &[f64]) -> f64 {
    match product_of_two(x, y) {
        Some(p) if p > 10.0 => p.ln(),
        Some(p) => p,
        None => x[0],
    }
}

#[test]
fn question_mark_on_an_option() {
    check!(with_question_marks(&vec![1.0, 2.0], &vec![0.5]) -> f64);
    check!(with_question_marks(&vec![1.0, 2.0], &vec![3.0]) -> f64);
    check!(with_question_marks(&vec![-1.0], &vec![3.0]) -> f64);
    check!(with_question_marks(&vec![1.0], &vec![-3.0]) -> f64);
}

#[adjoint]
fn index_by_option(x: &[f64], at: Option<usize>) -> f64 {
    let first = match at {
        Some(i) if i < x.len() => x[i],
        Some(_) => 1.0,
        None => x[0] * x[0],
    };
    if let Some(i) = at {
        first * i as f64
    } else {
        first
    }
}

#[test]
fn options_of_integers() {
    for at in [None, Some(0), Some(2), Some(9)] {
        check!(index_by_option(&vec![0.5, 1.5, -2.5], const at) -> f64);
    }
}

#[adjoint]
fn next_in_range(x: &[f64]) -> f64 {
    let mut at = x.len().checked_sub(1);
    let mut s = 0.2;
    while let Some(i) = at {
        s = s * x[i] + x[i];
        at = i.checked_sub(2);
    }
    s
}

#[test]
fn while_let_on_checked_arithmetic() {
    check!(next_in_range(&vec![0.5, 1.5, -0.3, 0.8, 1.1]) -> f64);
    check!(next_in_range(&vec![]) -> f64);
}

#[adjoint]
fn state_machine(x: &[f64]) -> f64 {
    let mut state = 0;
    let mut s = 1.0;
    let mut i = 0;
    while i < x.len() {
        state = match (state, x[i] > 0.5) {
            (0, true) => {
                s *= x[i];
                1
            }
            (0, false) => 0,
            (1, true) => {
                s += x[i] * s;
                i += 1;
                2
            }
            (1, false) => {
                s -= x[i];
                0
            }
            _ => {
                s = s.sin() + x[i];
                0
            }
        };
        i += 1;
    }
    s
}

#[test]
fn a_state_machine_that_skips() {
    check!(state_machine(&vec![0.9, 0.8, 0.2, 0.7, 0.1, 0.6, 1.2, 0.4, 0.3]) -> f64);
}

#[adjoint]
fn match_in_operand(x: f64, n: usize) -> f64 {
    x * match n {
        0 => 1.0,
        1 => x,
        _ => {
            if x < 0.0 {
                return -x;
            }
            x.sqrt()
        }
    } + 1.0
}

#[test]
fn return_from_inside_an_operand() {
    for n in 0..3 {
        check!(match_in_operand(0.8, const n) -> f64);
        check!(match_in_operand(-0.8, const n) -> f64);
    }
}

#[adjoint]
fn diverging_arms(x: f64, n: u8) -> f64 {
    let factor = match n {
        0 => return x,
        1 => 2.0,
        2 => x,
        _ => panic!("{n} is too large"),
    };
    let mut s = 0.0;
    for i in 0..4 {
        let term = if i == 2 { continue } else { factor * i as f64 };
        s += term * x;
    }
    s
}

#[test]
fn arms_that_do_not_return() {
    for n in 0..3 {
        check!(diverging_arms(1.3, const n) -> f64);
    }
}

#[adjoint]
fn shadowed_in_arms(x: f64, y: f64) -> f64 {
    let s = x * y;
    let s = match s > 1.0 {
        true => {
            let s = s.ln();
            s * x
        }
        false => {
            let x = s.exp();
            x * s
        }
    };
    s + x
}

#[test]
fn shadowing_inside_arms() {
    check!(shadowed_in_arms(1.5, 2.0) -> f64);
    check!(shadowed_in_arms(0.5, 0.7) -> f64);
}

/// A reference to a reference to a tuple is taken apart as the tuple.
#[adjoint]
fn behind_two_references(t: &(f64, f64), u: &(f64, f64), swapped: bool) -> f64 {
    let mut p = t;
    if swapped {
        p = u;
    }
    let (a, b) = &mut p;
    *a * a.sin() + *b * t.1
}

#[test]
fn a_tuple_behind_two_references() {
    for swapped in [false, true] {
        check!(behind_two_references(&(0.7, -1.2), &(0.4, 1.9), const swapped) -> f64);
    }
}

#[adjoint]
fn named_like_keywords((a, r#type): (f64, f64), (r#in, _): (f64, f64)) -> f64 {
    a.exp() * r#type * r#in
}

#[test]
fn parameters_named_like_keywords() {
    check!(named_like_keywords((0.3, 1.7), (-0.6, 2.0)) -> f64);
}
