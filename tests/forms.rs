//! Forms of matching and of loops as numerical programmers write them: patterns of every kind, conditions
//! with side effects, ranges at the limits of their types, ways out with values.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::adjoint;
use common::check;

#[adjoint]
fn integer_ranges(x: f64, code: i32) -> f64 {
    let scale = match code {
        i32::MIN..=-1 => x * x,
        0 => 1.0,
        n @ 1..=3 => x.powi(n) + n as f64 * x,
        4 | 6 | 8 => x.sin(),
        n @ (5 | 7) if n > 6 => x.exp() * n as f64,
        10.. => x.ln(),
        _ => return 2.0 * x,
    };
    scale * x
}

#[test]
fn matches_on_integer_ranges() {
    for code in [-7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, i32::MAX, i32::MIN] {
        check!(integer_ranges(0.7, const code) -> f64);
    }
}

#[adjoint]
fn pairs(x: f64, y: f64, kind: (u8, bool)) -> f64 {
    let (a, b) = match (kind, x > y) {
        ((0, _), _) => (x, y),
        ((1, true), true) => (y * x, x),
        ((1, flag), up) if flag != up => (x.sin(), y.cos()),
        ((n, true), false) => (x * n as f64, y),
        ((n @ 2..=4, false), _) => (y / n as f64, x * x),
        (_, true) => (1.0, x * y),
        _ => (x + y, 1.0),
    };
    a * a + b * x
}

#[test]
fn matches_on_tuples_with_guards() {
    for n in 0..6 {
        for flag in [false, true] {
            check!(pairs(0.7, 1.2, const (n, flag)) -> f64);
            check!(pairs(1.4, 1.2, const (n, flag)) -> f64);
        }
    }
}

#[adjoint]
fn slices(x: &[f64]) -> f64 {
    match x {
        [] => 1.0,
        [a] => a * a,
        [a, b] => a * b.sin(),
        [first, .., last] if *first > *last => first * first / last,
        [a, rest @ ..] => {
            let mut s = *a;
            for v in rest {
                s = s * v + a;
            }
            s
        }
    }
}

#[test]
fn patterns_of_slices() {
    for x in [
        vec![],
        vec![0.7],
        vec![0.7, 1.2],
        vec![1.7, 1.2, 0.4],
        vec![0.3, 1.2, 0.4, 0.9],
    ] {
        check!(slices(&x) -> f64);
    }
}

#[adjoint]
fn chained_lets(x: f64, a: Option<f64>, n: usize) -> f64 {
    let mut s = x;
    if let Some(v) = a
        && v > 0.5
        && let Some(k) = n.checked_sub(2)
        && k < 3
    {
        s = s * v + k as f64;
    } else if let Some(v) = a {
        s = s.sin() * v;
    } else {
        s = s * s;
    }
    let Some(v) = a else {
        return s * x;
    };
    s * v
}

#[test]
fn chains_of_lets() {
    for n in 0..6 {
        for a in [None, Some(0.3), Some(0.8)] {
            check!(chained_lets(0.7, a, const n) -> f64);
        }
    }
}

#[adjoint]
fn to_the_limit(x: f64, from: u8) -> f64 {
    let mut s = x;
    for i in from..=255u8 {
        s = (s * x).sin() + i as f64 * 0.001 * x;
    }
    for i in (250..=255u8).rev().step_by(2) {
        s += x * x * i as f64 * 0.01;
    }
    for i in (i8::MIN..=-125).step_by(2) {
        s += x * s * i as f64 * 0.001;
    }
    s
}

#[adjoint]
fn negative_strides(x: f64, lo: isize, hi: isize) -> f64 {
    let mut s = 1.0;
    for i in (lo..hi).rev().step_by(3) {
        s = s * x + i as f64;
    }
    for i in (lo..hi).step_by(2).rev() {
        if i == -1 {
            continue;
        }
        s = (s + i as f64 * x).sin();
    }
    s
}

#[test]
fn ranges_at_the_limits_and_below_zero() {
    for from in [253, 254, 255] {
        check!(to_the_limit(0.8, const from) -> f64);
    }
    for (lo, hi) in [(-5, 3), (-4, -1), (-1, -1), (2, -3)] {
        check!(negative_strides(0.6, const lo, const hi) -> f64);
    }
}

#[adjoint]
fn values_of_breaks(x: &[f64], limit: f64) -> f64 {
    let mut k = 0;
    let first = loop {
        if k == x.len() {
            break limit * 0.5;
        }
        if x[k] > limit {
            break x[k] * x[k];
        }
        k += 1;
    };
    let second = 'found: {
        for (i, v) in x.iter().enumerate().rev() {
            for w in &x[..i] {
                if v * w < limit {
                    break 'found v + w * first;
                }
            }
        }
        first.sin()
    };
    let mut turns = 0;
    let third = 'outer: loop {
        let mut s = second;
        turns += 1;
        for v in x {
            s += v * limit;
            if s > 4.0 {
                break 'outer s.sqrt();
            }
            if s < 0.0 && turns < 3 {
                continue 'outer;
            }
        }
        break s;
    };
    first * second + third
}

#[test]
fn breaks_with_values() {
    for x in [
        vec![],
        vec![0.4, 0.9],
        vec![2.4, 3.9, 1.8],
        vec![0.2, 1.5, 0.1],
    ] {
        for limit in [0.3, 1.1] {
            check!(values_of_breaks(&x, limit) -> f64);
        }
    }
}

#[adjoint]
fn bump(s: &mut f64, by: f64) -> f64 {
    *s = *s * by + 0.1;
    *s
}

#[adjoint]
fn order_of_operands(x: f64, y: f64) -> f64 {
    let mut s = x;
    let a = s + bump(&mut s, y) * s + {
        s = s.sin();
        s
    };
    let mut v = [x, y, 1.0];
    let mut i = 0;
    v[{
        i += 1;
        i
    }] += {
        i += 1;
        v[i] * a
    };
    v[i] = v[i - 1] * v[0] + bump(&mut s, a);
    let t = (s, bump(&mut s, x), s);
    a * v[2] + v[1] + t.0 * t.1 - t.2
}

#[test]
fn operands_are_read_in_order() {
    check!(order_of_operands(0.7, 1.3) -> f64);
}

#[adjoint]
fn shadows(x: f64, n: usize) -> f64 {
    let s = x * x;
    let mut total = 0.0;
    for i in 0..n {
        let s = s + i as f64 * x;
        let x = s.sin();
        if i % 2 == 0 {
            let s = s * x;
            let mut x = x;
            x *= s;
            total += x * s;
        } else {
            let mut carried = s;
            while carried < 3.0 {
                let s = carried * 1.5 + x * x;
                carried = s + 0.1;
            }
            total += carried * x;
        }
        total *= s;
    }
    total + s * x
}

#[test]
fn names_that_shadow() {
    for n in 0..5 {
        check!(shadows(0.8, const n) -> f64);
    }
}

#[adjoint]
fn lazy(x: &mut [f64], n: usize) -> f64 {
    let mut s = 0.5;
    let mut hits = 0;
    for i in 0..n {
        if (i % 2 == 0 || {
            x[i] *= s;
            hits += 1;
            x[i] > 0.4
        }) && !({
            s += x[i] * x[i];
            s > 2.0
        } && hits > 1)
        {
            s *= x[i];
        }
        let both = s > 0.2 || {
            s = s + 1.0;
            hits > 2
        };
        if both & (hits < 3) {
            x[i] = s;
        }
    }
    let mut k = 0;
    while k < n && {
        s = s.sin() + x[k];
        k += 1;
        s < 1.5
    } {
        s *= 0.9;
    }
    s * hits as f64
}

#[test]
fn conditions_with_side_effects() {
    check!(lazy(&mut vec![0.7, 1.1, 0.4, 0.9, 1.3], const 5) -> f64);
    check!(lazy(&mut vec![-0.7, 0.1, 0.4, -0.9, 0.3], const 4) -> f64);
    check!(lazy(&mut vec![0.3], const 0) -> f64);
}

#[adjoint]
fn first_root(a: f64, b: f64) -> Option<f64> {
    let d = a * a - b;
    if d < 0.0 {
        return None;
    }
    Some(a + d.sqrt())
}

#[adjoint]
fn roots(x: &[f64]) -> Option<f64> {
    let mut s = 1.0;
    for w in x.windows(2) {
        s *= first_root(w[0], w[1] * s)?;
        if s > 30.0 {
            return Some(s.ln());
        }
    }
    Some(s)
}

#[adjoint]
fn with_default(x: &[f64]) -> f64 {
    let first = match roots(x) {
        Some(r) if r > 2.0 => r * r,
        Some(r) => r,
        None => x[0] * 0.5,
    };
    let next: Option<f64> = roots(&x[1..]);
    first + next.map_or(x[1], |r| r.sin()) * first
}

#[test]
fn question_marks_in_loops() {
    check!(with_default(&vec![1.5, 0.5, 2.5]) -> f64);
    check!(with_default(&vec![0.5, 1.5, 2.5]) -> f64);
    check!(with_default(&vec![5.5, 4.5, 6.5, 2.0]) -> f64);
}

#[adjoint]
fn moving_bounds(x: &[f64], n: usize) -> f64 {
    let (mut n, mut lo, mut step) = (n, 0, 1);
    let mut s = 0.3;
    for i in (lo..n).step_by(step) {
        n = n / 2;
        lo += 2;
        step += 1;
        s = s * x[i] + x[n] * x[lo % x.len()];
        for j in (n..i).rev() {
            s = (s + x[j]).sin();
            n += 1;
        }
    }
    s * n as f64 + step as f64
}

#[test]
fn ranges_whose_bounds_change() {
    let x = vec![0.5, 1.5, -0.3, 0.8, 1.1, 0.2, 0.9];
    for n in 0..7 {
        check!(moving_bounds(&x, const n) -> f64);
    }
}

#[adjoint]
fn ping(x: f64, n: usize, trace: &mut [f64]) -> f64 {
    if n == 0 {
        return x * trace[0];
    }
    trace[n] *= x;
    let y = match n % 3 {
        0 => pong(x * 0.5, n - 1, trace),
        1 if x > 1.0 => return trace[n].sin(),
        _ => pong(x + trace[n], n - 1, trace) * x,
    };
    trace[n - 1] += y * x;
    y.sin()
}

#[adjoint]
fn pong(x: f64, n: usize, trace: &mut [f64]) -> f64 {
    let mut s = x;
    for k in 0..n.min(2) {
        if s > 2.0 {
            break;
        }
        s += ping(s * trace[k], n - 1 - k, trace);
    }
    s
}

#[test]
fn mutual_recursion_with_loops() {
    for n in 0..5 {
        check!(ping(0.6, const n, &mut vec![0.5, 1.2, 0.8, 0.3, 1.1]) -> f64);
        check!(ping(1.4, const n, &mut vec![0.5, 1.2, 0.8, 0.3, 1.1]) -> f64);
    }
}

#[adjoint]
fn asserted(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        assert!(x[i] > 0.0, "x[{i}] is not positive");
        s += match i {
            0..=2 => x[i].ln(),
            3 => x[i].sqrt(),
            _ => panic!("too many: {i}"),
        };
    }
    s
}

#[test]
fn panics_are_those_of_the_kernel() {
    check!(asserted(&vec![0.5, 1.5, 2.5, 0.8], const 4) -> f64);
    let message = |x: &[f64], n: usize| {
        let run = || {
            let mut x_adj = vec![0.0; x.len()];
            asserted_adjoint(x, &mut x_adj, n, 1.0)
        };
        let panic = std::panic::catch_unwind(run).expect_err("a panic");
        panic.downcast_ref::<String>().cloned().expect("a message")
    };
    assert_eq!(message(&[0.5, -1.0], 2), "x[1] is not positive");
    assert_eq!(message(&[0.5, 1.0, 1.0, 1.0, 1.0], 5), "too many: 4");
}
