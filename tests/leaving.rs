//! Loops that are left: from any depth, by every kind of exit, at the first iteration and at the last of a
//! type, with flags of the user's own; and what of it the tape has to hold.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::{Tape, adjoint};
use common::check;

/// The bytes of control that one run takes.
fn control_of(run: impl FnOnce(&mut Tape)) -> (usize, usize) {
    let mut tape = Tape::new();
    run(&mut tape);
    let control = tape.stats().control;
    (control.entries, control.bytes)
}

#[adjoint]
fn three_deep(x: &mut [f64], codes: &[u8]) -> f64 {
    let n = x.len();
    let mut s = 0.5;
    'a: for i in 0..n {
        'b: for j in (0..n).rev() {
            for k in (0..=n).step_by(2) {
                s = 0.7 * s * x[(i + j + k) % n] + 0.25;
                match codes[(i * 7 + j * 3 + k) % codes.len()] {
                    0 => {
                        s = s.sin();
                        continue 'a;
                    }
                    1 => break 'b,
                    2 => {
                        x[i] *= s;
                        break 'a;
                    }
                    3 => return s * x[j],
                    4 => continue 'b,
                    5 => break,
                    _ => x[j] = x[j] * 0.9 + 0.1 * s,
                }
                s *= 0.9;
            }
            s = (s + x[i]).sin();
        }
        x[i] = (x[i] + s * s).cos();
    }
    s.exp()
}

#[test]
fn exits_of_three_loops_in_all_orders() {
    for a in 0..7u8 {
        for b in 0..7 {
            for c in [0, 2, 5, 6] {
                let codes = [6, a, 6, b, 6, 6, c];
                check!(three_deep(&mut vec![0.9, -0.4, 1.3], const &codes) -> f64);
            }
        }
    }
    check!(three_deep(&mut vec![0.9, -0.4, 1.3], const &[6]) -> f64);
    check!(three_deep(&mut vec![0.9], const &[3]) -> f64);
}

#[adjoint(without(fusion))]
fn found_in_depth(a: &[[f64; 3]], limit: f64) -> f64 {
    let mut s = 0.1;
    for i in 0..a.len() {
        for j in 0..3 {
            for k in 0..2 {
                s = s * 1.1 + a[i][j] * a[i][(j + k) % 3];
                if s > limit {
                    return s.sqrt() + a[i][0];
                }
            }
        }
        s += a[i][1];
    }
    s
}

#[test]
fn a_return_from_depth_records_one_number_for_each_loop() {
    let a = vec![[0.5, 1.0, -0.3], [1.2, 0.8, 0.4], [0.9, -1.1, 0.2]];
    for limit in [0.05, 0.9, 2.0, 3.0, 5.0, 100.0] {
        check!(found_in_depth(&a, limit) -> f64);
        let control = control_of(|tape| {
            let (mut a_adj, mut limit_adj) = (vec![[0.0; 3]; 3], 0.0);
            found_in_depth_adjoint_with(tape, &a, &mut a_adj, limit, &mut limit_adj, 1.0);
        });
        assert_eq!(control, (3, 24));
    }
}

#[adjoint]
fn to_the_last_of_a_type(x: f64, stop: u8, down: i8) -> f64 {
    let mut s = x;
    for k in 0..=u8::MAX {
        s = s * 1.001 + 0.001 * k as f64;
        if k == stop {
            s = s.sin();
            break;
        }
        s += 0.01;
    }
    for k in (i8::MIN..=i8::MAX).rev() {
        if k == down {
            break;
        }
        s *= 1.0 + 1e-5 * k as f64 * s;
    }
    for k in (250..=u8::MAX).step_by(5) {
        s *= s * 0.5;
        if k == stop {
            break;
        }
    }
    for k in (-100i8..100).rev().step_by(37) {
        s = s.cos() + x;
        if k < down {
            break;
        }
    }
    for k in (0usize..90).step_by(8).rev() {
        s = (s + k as f64 * 0.01).sin() * x;
        if k as i8 == down {
            break;
        }
    }
    s
}

#[test]
fn loops_to_the_limits_of_their_types() {
    for stop in [0, 1, 100, 250, 254, 255] {
        for down in [-128, -127, 0, 24, 26, 88, 126, 127] {
            check!(to_the_last_of_a_type(0.7, const stop, const down) -> f64);
        }
    }
}

#[adjoint]
fn of_no_length(x: &[f64], lo: usize, hi: usize, limit: f64) -> f64 {
    let mut s = 1.0;
    let mut at = 0;
    for k in lo..hi {
        s *= x[k % x.len()];
        at = k;
        if s < limit {
            s += 1.0;
            break;
        }
    }
    for k in lo + 1..=hi {
        s += x[at % x.len()] * s;
        if s > 2.0 {
            return s.ln();
        }
        for j in k..lo {
            s *= x[j];
            if s < 0.0 {
                break;
            }
        }
    }
    s.sin()
}

#[test]
fn loops_without_an_iteration() {
    for (lo, hi) in [(0, 0), (2, 2), (3, 1), (0, 1), (1, 4), (0, 5)] {
        for limit in [0.0, 0.5, 2.0] {
            check!(of_no_length(&vec![0.9, 1.4, 0.3], const lo, const hi, limit) -> f64);
        }
    }
}

#[adjoint]
fn own_flags(x: &mut [f64], limit: f64) -> f64 {
    let mut s = 0.3;
    let mut found = false;
    let mut at = 0;
    for i in 0..x.len() {
        let mut turned = false;
        for j in 0..x.len() {
            s += x[i] * x[j];
            if s > limit {
                found = true;
                at = j + 1;
                s = s.sqrt();
                break;
            }
            if s < -limit {
                turned = true;
                break;
            }
        }
        if turned {
            s = -s * x[i];
        }
        if found {
            break;
        }
        x[i] = s.sin();
    }
    if found {
        s *= x[at - 1];
    } else {
        s = s.cos() + x[at];
    }
    s
}

#[test]
fn flags_that_the_user_keeps() {
    for limit in [0.2, 0.5, 1.0, 1.5, 9.0] {
        check!(own_flags(&mut vec![0.9, -0.7, 0.4], limit) -> f64);
        check!(own_flags(&mut vec![-0.9, 1.7, -1.4, 0.8], limit) -> f64);
    }
}

#[adjoint]
fn flags_that_come_and_go(x: &mut [f64]) -> f64 {
    let mut s = 0.5;
    let mut armed = false;
    let mut done = false;
    while !done {
        for i in 0..x.len() {
            if armed && x[i] < s {
                s = s * x[i] + 0.1;
                armed = false;
            } else if x[i] > s {
                armed = true;
                x[i] *= s;
                if x[i] > 1.5 {
                    done = true;
                    break;
                }
            }
            s += 0.25 * x[i] * x[i];
        }
        if s > 2.0 {
            done = true;
        }
    }
    if armed { s.sin() } else { s * s }
}

#[test]
fn flags_set_and_taken_back() {
    for x in [
        [0.9, 0.2, 0.7],
        [1.9, 0.1, 0.3],
        [0.4, 0.45, 0.5],
        [2.9, 3.0, 0.1],
    ] {
        check!(flags_that_come_and_go(&mut x.to_vec()) -> f64);
    }
}

#[adjoint]
fn checked(s: f64, x: f64) -> Option<f64> {
    if s * x < 3.0 { Some(s * x + 0.2) } else { None }
}

#[adjoint]
fn by_question_mark(x: &[f64]) -> Option<f64> {
    let mut s = 1.0;
    for i in 0..x.len() {
        for j in 0..i {
            s = checked(s, x[j])?;
            if s < 0.1 {
                return Some(s.exp());
            }
        }
        s = checked(s.sin(), x[i])?;
    }
    Some(s)
}

#[adjoint]
fn or_zero(x: &[f64]) -> f64 {
    match by_question_mark(x) {
        Some(s) => s * x[0],
        None => x[0] + x[1],
    }
}

#[test]
fn question_marks_in_loops() {
    for x in [
        [0.5, 0.9, 1.4],
        [2.5, 1.9, 1.4],
        [0.05, 0.9, 1.4],
        [0.5, -0.9, 4.0],
        [4.0, 1.0, 1.0],
    ] {
        check!(or_zero(&x.to_vec()) -> f64);
    }
}

#[adjoint]
fn drained(x: &[f64], limit: f64) -> f64 {
    let mut stack = x.to_vec();
    let mut s = 0.0;
    while let Some(v) = stack.pop() {
        if v < 0.0 {
            continue;
        }
        s += v * v;
        if s > limit {
            break;
        }
        let mut left = 2;
        while let Some(w) = stack.last().copied() {
            left -= 1;
            if left == 0 || w > v {
                break;
            }
            s *= w;
            stack.pop();
        }
    }
    s + stack.len() as f64
}

#[test]
fn loops_of_while_let() {
    for limit in [0.1, 1.0, 2.0, 50.0] {
        check!(drained(&vec![0.5, 1.2, -0.4, 0.9, 1.1], limit) -> f64);
    }
}

#[adjoint]
fn match_in_a_block(x: &[f64], kinds: &[u8]) -> f64 {
    let mut s = x[0];
    let r = 'found: {
        for k in 0..kinds.len() {
            let v = match kinds[k] {
                0 => continue,
                1 => s.sin(),
                2 => break 'found s * x[k % x.len()],
                3 => {
                    let mut t = s;
                    for j in 0..x.len() {
                        t *= x[j];
                        if t < 0.1 {
                            break 'found t + s;
                        }
                        if t > 2.0 {
                            break;
                        }
                    }
                    t
                }
                4 => return s,
                _ => break,
            };
            s += v * x[k % x.len()];
        }
        s.cos()
    };
    r * s
}

#[test]
fn exits_out_of_matches_and_blocks() {
    for a in 0..6u8 {
        for b in 0..6 {
            for c in 0..6 {
                check!(match_in_a_block(&vec![0.9, 1.4, 0.6], const &[a, b, c]) -> f64);
                check!(match_in_a_block(&vec![1.9, 1.4, 1.6], const &[a, b, c]) -> f64);
            }
        }
    }
}

/// In one iteration a loop may be left by either flag, and go on with the flag set.
#[adjoint]
fn left_or_not(x: &mut [f64], codes: &[u8]) -> f64 {
    let mut s = 0.4;
    for i in 0..codes.len() {
        let mut exit = 0;
        for j in 0..x.len() {
            s = s * 0.9 + x[j] * x[j];
            match codes[(i + j) % codes.len()] {
                1 => {
                    exit = 1;
                    break;
                }
                2 => {
                    exit = 2;
                    x[j] *= s;
                    break;
                }
                3 => exit = 3,
                _ => {}
            }
        }
        if exit == 1 {
            s = s.sin();
        } else if exit == 2 {
            s += x[0];
            if s > 1.0 {
                break;
            }
        } else if exit == 3 {
            s *= x[1];
        }
        x[i % 2] += 0.1 * s;
    }
    s
}

#[test]
fn a_number_that_does_not_say_whether_the_loop_was_left() {
    for a in 0..4u8 {
        for b in 0..4 {
            for c in 0..4 {
                check!(left_or_not(&mut vec![0.6, -0.9], const &[a, b, c]) -> f64);
            }
        }
    }
}

#[adjoint]
fn until_it_meets(x: f64, n: u8, m: i8, far: usize) -> f64 {
    let mut s = x;
    let mut i = 0;
    while i != n {
        s = s.sin() + 0.1;
        i += 1;
    }
    let mut k = m;
    while -3 != k {
        s = (s * (1.01 + 0.001 * k as f64)).sin();
        k -= 1;
    }
    let mut j = far;
    loop {
        if j == 2 {
            break;
        }
        s = s * s * 0.5 + 0.2;
        j -= 1;
    }
    let mut t = 0u64;
    loop {
        t += 1;
        s += 0.1 * s * s;
        if t == 3 {
            s = s.sqrt();
            break;
        }
    }
    s
}

#[test]
fn loops_until_a_counter_meets_its_bound() {
    for (n, m, far) in [(0, -3, 2), (1, -2, 3), (7, 4, 9), (255, 127, 40)] {
        check!(until_it_meets(0.8, const n, const m, const far) -> f64);
        let control = control_of(|tape| {
            let mut x_adj = 0.0;
            until_it_meets_adjoint_with(tape, 0.8, &mut x_adj, n, m, far, 1.0);
        });
        assert_eq!(control, (0, 0));
    }
}

#[adjoint]
fn until_one_is_found(y: &mut [f64], z: f64, limit: f64) -> f64 {
    let mut n = 0;
    while n < 6 {
        n += 1;
        if y.iter().any(|&a| a > limit) {
            break;
        }
        y[n % 2] *= z * y[1];
    }
    y[0] * n as f64
}

#[adjoint]
fn unless_one_is_found(x: &[f64], y: &[f64], z: f64) -> Option<f64> {
    x.iter().try_fold(z, |s, &a| {
        let found = y.iter().any(|&b| b < s);
        if found { None } else { Some(s * a.sin()) }
    })
}

#[test]
fn what_one_of_all_ends() {
    for limit in [0.1, 0.9, 1.5, 9.0] {
        check!(until_one_is_found(&mut [0.3, 0.8], 1.7, limit) -> f64);
    }
    for y in [[0.1, 0.01], [-1.0, -0.7]] {
        check!(unless_one_is_found(&[0.7, 1.2, 0.9], &y, -0.8) -> Option<f64>);
    }
}
