//! Ways through a kernel: exits to every level, conditions with side effects, enums that carry floats,
//! loops that change their bounds, recursion; and what of it the tape has to hold.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::{Differentiable, Tape, adjoint};
use common::check;

/// `codes` says where each iteration of the innermost loop goes.
#[adjoint]
fn every_exit(x: &mut [f64], codes: &[u8], n: usize) -> f64 {
    let mut s = 0.5;
    'outer: for i in 0..n {
        let mut k = 0;
        'middle: while k < n {
            k += 1;
            let mut turns = 0;
            'inner: loop {
                s = s * x[i] + 0.25;
                turns += 1;
                match codes[(i * n + k) % codes.len()] {
                    0 => break 'inner,
                    1 => {
                        x[i] *= s;
                        continue 'middle;
                    }
                    2 => break 'middle,
                    3 => {
                        s = s.sin();
                        continue 'outer;
                    }
                    4 => break 'outer,
                    5 => return s * x[0],
                    _ if s > 1.0 && turns < 4 => {
                        s = s.sqrt();
                        continue 'inner;
                    }
                    _ => {}
                }
                s += x[i] * x[i];
                if s > 2.0 || turns > 6 {
                    break;
                }
            }
            s *= 0.75;
        }
        x[i] += s * s;
    }
    s.exp()
}

#[test]
fn exits_to_every_level_in_all_orders() {
    for first in 0..7u8 {
        for second in 0..7 {
            for third in [0, 1, 2, 6] {
                let codes = [first, second, third, 6, 0];
                check!(every_exit(&mut vec![0.9, -0.4, 1.3], const &codes, const 3) -> f64);
            }
        }
    }
}

#[adjoint]
fn found_in_rows(a: &[[f64; 3]], kind: u8) -> f64 {
    let mut s = 1.0;
    for row in 0..a.len() {
        for column in 0..3 {
            let v = a[row][column];
            match kind {
                0 if v > 1.0 => return v * s,
                1 => {
                    if v < 0.0 {
                        return v.exp() * s;
                    }
                    s += v;
                }
                2 | 3 => {
                    s *= v;
                    if kind == 3 && s.abs() > 2.0 {
                        return s.sin();
                    }
                }
                _ => s += 0.5 * v * v,
            }
        }
    }
    s * s
}

#[test]
fn early_returns_from_loops_and_matches() {
    let rows = vec![[0.5, 0.8, 0.3], [1.5, -0.4, 2.0], [0.1, 1.2, 0.7]];
    for kind in 0..5 {
        check!(found_in_rows(&rows, const kind) -> f64);
    }
}

#[adjoint]
fn effects_in_conditions(x: &mut [f64], limit: f64) -> f64 {
    let mut s = 0.3;
    for i in 0..x.len() {
        let big = x[i] > 0.5 && {
            x[i] *= limit;
            s += x[i];
            s > 1.0
        };
        if big || {
            s = s.sin();
            s * x[i] > 0.2
        } {
            s *= x[i];
        }
    }
    s
}

#[test]
fn lazy_operators_with_side_effects() {
    check!(effects_in_conditions(&mut vec![0.7, 0.2, 0.9, 0.6, -0.5], 0.8) -> f64);
    check!(effects_in_conditions(&mut vec![0.1, 0.2, -0.9, 1.4], 1.3) -> f64);
}

#[adjoint]
fn bounds_that_change(x: &mut [f64]) -> f64 {
    let (mut lo, mut hi) = (0, x.len());
    let mut s = 0.1;
    // The range is fixed when the loop starts.
    for i in lo..hi {
        hi -= 1;
        s = s * x[i] + x[i.min(hi)];
    }
    hi = x.len();
    // This condition is read again and again.
    while lo < hi {
        if x[lo] * s > 0.3 {
            x[lo] = s.sin();
            hi -= 1;
        } else {
            s += x[lo] * x[hi - 1];
        }
        lo += 1;
    }
    s
}

#[test]
fn bounds_changed_in_the_body() {
    check!(bounds_that_change(&mut vec![0.5, 1.5, -0.3, 0.8, 1.1]) -> f64);
    check!(bounds_that_change(&mut vec![0.7]) -> f64);
    check!(bounds_that_change(&mut vec![]) -> f64);
}

#[adjoint]
fn even_steps(x: f64, n: usize) -> f64 {
    if n == 0 {
        x
    } else {
        odd_steps(x * x + 0.1, n - 1)
    }
}

#[adjoint]
fn odd_steps(x: f64, n: usize) -> f64 {
    if n == 0 {
        return x.exp();
    }
    let y = even_steps(x.sin(), n - 1);
    y * x
}

#[test]
fn recursion_through_another_function() {
    for n in 0..6 {
        check!(even_steps(0.6, const n) -> f64);
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Law {
    Linear(f64),
    Power { scale: f64, exponent: f64 },
    Clamped(f64, f64),
    Off,
}

#[adjoint(wrt(x))]
fn force(law: &Law, x: f64) -> f64 {
    match law {
        Law::Linear(k) => *k * x,
        Law::Power { scale, exponent } => *scale * x.powf(*exponent),
        Law::Clamped(k, most) if x * *k > *most => *most,
        Law::Clamped(k, _) => x * x * *k,
        Law::Off => 0.0,
    }
}

#[test]
fn enums_with_data_and_struct_patterns() {
    let power = Law::Power {
        scale: 2.0,
        exponent: 1.5,
    };
    for law in [Law::Linear(3.0), power, Law::Clamped(2.0, 1.0), Law::Off] {
        for x in [0.4, 0.9] {
            check!(force(const &law, x) -> f64);
        }
    }
}

#[derive(Clone, Copy)]
enum Move {
    Up(usize),
    Down(usize),
    Turn { by: usize },
}

#[adjoint(wrt(x))]
fn moved(x: &mut [f64], moves: &[Move]) -> f64 {
    let mut s = 1.0;
    for step in moves {
        match *step {
            Move::Up(k) | Move::Down(k) if k < x.len() => {
                if matches!(step, Move::Up(_)) {
                    s *= x[k];
                } else {
                    x[k] = s.sin();
                }
            }
            Move::Turn { by: 0 } => continue,
            Move::Turn { by } => s = s * by as f64 + x[by % 2],
            Move::Up(_) | Move::Down(_) => break,
        }
        s += 0.1;
    }
    s
}

#[test]
fn or_patterns_with_bindings() {
    use Move::*;
    for moves in [
        vec![Up(0), Turn { by: 2 }, Down(1), Up(1)],
        vec![Turn { by: 0 }, Down(0), Up(9), Up(0)],
        vec![],
    ] {
        check!(moved(&mut vec![0.7, 1.2], const &moves) -> f64);
    }
}

#[adjoint]
fn optional_terms(x: f64, y: f64, n: usize) -> f64 {
    let root = (x > 0.0).then(|| x.sqrt());
    let bonus = (n > 1).then_some(2.0 * y);
    let base = match root {
        Some(r) if matches!(n, 1..=3) => r * y,
        Some(r) => r,
        None => y * y,
    };
    if let Some(b) = bonus { base + b } else { base }
}

#[test]
fn bools_that_give_options() {
    for n in 0..5 {
        check!(optional_terms(0.8, 1.3, const n) -> f64);
        check!(optional_terms(-0.8, 1.3, const n) -> f64);
    }
}

#[adjoint]
fn checked_root(x: f64) -> Result<f64, usize> {
    if x < 0.0 {
        return Err(7);
    }
    Ok(x.sqrt())
}

#[adjoint]
fn sum_of_roots(x: &[f64]) -> Result<f64, usize> {
    let mut s = 0.0;
    for i in 0..x.len() {
        let r = checked_root(x[i])?;
        s += r * r * r;
    }
    Ok(s)
}

#[adjoint]
fn roots_or_squares(x: &[f64]) -> f64 {
    match sum_of_roots(x) {
        Ok(s) => s,
        Err(code) => x[0] * x[0] * code as f64,
    }
}

#[test]
fn question_mark_on_a_result() {
    check!(roots_or_squares(&vec![0.5, 1.5, 2.5]) -> f64);
    check!(roots_or_squares(&vec![0.5, -1.5, 2.5]) -> f64);
}

#[adjoint]
fn counting_loops(x: f64, n: u8, m: i32) -> f64 {
    let mut s = x;
    let mut i = 250u8;
    while i < n {
        s = s.sin() + x;
        i += 1;
    }
    let mut k = m;
    while k >= -4 {
        s *= x + 0.1;
        k -= 3;
    }
    let mut j = 7usize;
    while 2 < j {
        s += s * x;
        j -= 2;
    }
    s
}

/// Trips that follow from start, step and bound are not on the tape.
#[test]
fn loops_that_count_record_no_trips() {
    for (n, m) in [(255, 5), (253, -4), (250, -5), (3, 0)] {
        check!(counting_loops(0.4, const n, const m) -> f64);
    }
    let mut tape = Tape::new();
    let mut x_adj = 0.0;
    counting_loops_adjoint_with(&mut tape, 0.4, &mut x_adj, 254, 5, 1.0);
    assert_eq!(tape.stats().control.entries, 0);
}

#[adjoint(wrt(a), without(fusion))]
fn iterated(a: f64, limit: f64) -> f64 {
    let mut x = a;
    loop {
        let y = x * x - a;
        if y.abs() < limit {
            break;
        }
        x -= y / (2.0 * x);
    }
    x
}

/// Only the last iteration leaves the loop: the number of trips says it all.
#[test]
fn the_only_way_out_takes_no_flags() {
    check!(iterated(2.0, const 1e-9) -> f64);
    let mut tape = Tape::new();
    let mut a_adj = 0.0;
    iterated_adjoint_with(&mut tape, 2.0, &mut a_adj, 1e-9, 1.0);
    assert_eq!(tape.stats().control.entries, 1);
}

#[adjoint]
fn five_ways(x: &mut [f64]) {
    for i in 0..x.len() {
        let v = x[i];
        x[i] = if v < -1.0 {
            -v
        } else if v < 0.0 {
            v * v
        } else if v < 1.0 {
            v.sin()
        } else if v < 2.0 {
            v.exp()
        } else {
            v.ln()
        };
    }
}

/// One label for each element, whichever arm it takes; the tests would be one to four flags.
#[test]
fn a_chain_takes_one_label() {
    let x = vec![-1.5, -0.5, 0.5, 1.5, 2.5];
    check!(five_ways(&mut x.clone()));
    let mut tape = Tape::new();
    five_ways_adjoint_with(&mut tape, &mut x.clone(), &mut vec![1.0; 5]);
    assert!(tape.stats().control.entries <= 5);
}

#[adjoint]
fn until_a_counter_says_so(x: f64, n: u8, m: i32) -> f64 {
    let mut s = x;
    let mut i = 250u8;
    loop {
        if i >= n {
            break;
        }
        s = s.sin() + x;
        i += 1;
    }
    let mut k = m;
    loop {
        k -= 3;
        s *= x + 0.1;
        if -4 >= k {
            s = s.sin();
            break;
        }
    }
    let mut j = 7usize;
    loop {
        if j > 2 {
            j -= 2;
        } else {
            break;
        }
        s += s * x;
    }
    s
}

#[test]
fn loops_that_a_counter_ends_record_no_trips() {
    for (n, m) in [(255, 5), (253, -4), (250, -5), (3, 0)] {
        check!(until_a_counter_says_so(0.4, const n, const m) -> f64);
    }
    let mut tape = Tape::new();
    let mut x_adj = 0.0;
    until_a_counter_says_so_adjoint_with(&mut tape, 0.4, &mut x_adj, 254, 5, 1.0);
    assert_eq!(tape.stats().control.entries, 0);
}

/// Seven ways out of a loop in a loop, between flags of other branches.
#[adjoint]
fn seven_ways(x: &[f64], k: f64) -> f64 {
    let mut s = k;
    'outer: for i in 0..x.len() {
        let mut t = x[i] * s;
        for j in 0..3u8 {
            if s > 3.0 {
                t *= 0.5;
            }
            match (t * 4.0) as i64 {
                0 if j > 1 => {
                    s += t;
                    continue 'outer;
                }
                1 => {
                    s *= t.cos();
                    break;
                }
                2 => {
                    t = t * t;
                    s -= t;
                    continue;
                }
                3 => {
                    s = s.sin() + t;
                    break 'outer;
                }
                4..=9 => {
                    return s * t;
                }
                n if n < -3 => {
                    s = -(s * t).sin();
                    t = k;
                }
                _ => {
                    t += s * 0.3;
                    s += (t * t).sin();
                }
            }
            s += t * (j as f64);
        }
        s += t;
    }
    s * k
}

#[test]
fn seven_ways_out_of_loops() {
    for a in [-1.3, -0.2, 0.1, 0.4, 0.9, 1.7] {
        for k in [-0.8, 0.35, 1.2, 3.4] {
            check!(seven_ways(&vec![a, 0.3, -a], k) -> f64);
        }
    }
    check!(seven_ways(&vec![], 0.7) -> f64);
}
