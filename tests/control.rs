//! Kernels with jumps: `break` and `continue` with labels and values, `return` from any depth; ranges
//! at the ends of their types.
#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

#[adjoint]
fn early_return(x: f64, y: f64) -> f64 {
    if x < 0.0 {
        return y;
    }
    let z = x.sqrt() * y;
    if z > 2.0 {
        let w = z.ln();
        return w * x;
    }
    z * z
}

#[test]
fn return_from_branches() {
    check!(early_return(-1.0, 2.0) -> f64);
    check!(early_return(4.0, 2.0) -> f64);
    check!(early_return(0.5, 1.0) -> f64);
}

#[adjoint]
fn return_from_depth(a: &[[f64; 3]], limit: f64) -> f64 {
    let mut s = 0.1;
    for i in 0..a.len() {
        for j in 0..3 {
            s = s * 1.1 + a[i][j] * a[i][j];
            if s > limit {
                return s.sqrt() + a[i][0];
            }
        }
        s += a[i][1];
    }
    s
}

#[test]
fn return_from_nested_loops() {
    let a = vec![[0.5, 1.0, -0.3], [1.2, 0.8, 0.4], [0.9, -1.1, 0.2]];
    for limit in [0.05, 0.9, 2.0, 3.0, 100.0] {
        check!(return_from_depth(&a, limit) -> f64);
    }
}

#[adjoint]
fn return_without_value(x: &mut [f64], at: usize) {
    for i in 0..x.len() {
        if i == at {
            return;
        }
        x[i] *= x[i];
    }
    x[0] = 1.0;
}

#[test]
fn return_leaves_the_rest_untouched() {
    for at in 0..5 {
        check!(return_without_value(&mut vec![1.5, -0.5, 2.0, 0.3], const at));
    }
}

#[adjoint]
fn break_on_value(x: &[f64], limit: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += x[i] * x[i];
        if s > limit {
            break;
        }
        s *= 0.9;
    }
    s * x[0]
}

#[test]
fn break_from_a_counted_loop() {
    let x = vec![1.0, 0.5, 2.0, 0.7];
    for limit in [0.5, 1.1, 4.0, 50.0] {
        check!(break_on_value(&x, limit) -> f64);
    }
}

#[adjoint]
fn continue_over_some(x: &mut [f64]) -> f64 {
    let mut p = 1.0;
    for i in 0..x.len() {
        if x[i] < 0.0 {
            x[i] = 0.5 * x[i];
            continue;
        }
        p *= x[i] + 0.2;
        if i % 2 == 1 {
            continue;
        }
        x[i] = p;
    }
    p
}

#[test]
fn continue_in_a_counted_loop() {
    check!(continue_over_some(&mut vec![1.0, -0.5, 2.0, 0.7, -3.0, 1.3]) -> f64);
}

#[adjoint]
fn labelled(a: &[[f64; 3]; 3]) -> f64 {
    let mut s = 1.0;
    'rows: for i in 0..3 {
        for j in 0..3 {
            if a[i][j] < 0.0 {
                s *= 1.0 - a[i][j];
                continue 'rows;
            }
            if a[i][j] > 9.0 {
                s += a[i][j];
                break 'rows;
            }
            s += s * a[i][j];
        }
        s = s.sqrt();
    }
    s
}

#[test]
fn labels_leave_outer_loops() {
    check!(labelled(&[[1.0, 2.0, 0.5], [0.3, -1.0, 7.0], [0.2, 0.4, 0.6]]) -> f64);
    check!(labelled(&[[1.0, 2.0, 0.5], [0.3, 10.0, 7.0], [0.2, 0.4, 0.6]]) -> f64);
    check!(labelled(&[[-1.0, 2.0, 0.5], [-0.3, 1.0, 7.0], [-0.2, 0.4, 0.6]]) -> f64);
}

#[adjoint]
fn three_labels(x: &mut [f64], n: usize) -> f64 {
    let mut s = 0.5;
    'a: for i in 0..n {
        let mut j = 0;
        'b: while j < n {
            j += 1;
            let mut k = 0;
            'c: loop {
                k += 1;
                s += 0.1 * x[(i + j + k) % x.len()] * s;
                match (i + 2 * j + 3 * k) % 7 {
                    0 => continue 'a,
                    1 => break 'b,
                    2 => continue 'b,
                    3 => break 'c,
                    4 if k > 3 => break 'a,
                    _ => {}
                }
                x[k % n] = x[k % n] * 0.9 + 0.01 * s;
            }
            s *= 1.01;
        }
        x[i] += s;
    }
    s
}

#[test]
fn breaks_and_continues_to_every_level() {
    for n in 1..6 {
        check!(three_labels(&mut vec![0.5, 0.3, 0.8, -0.2, 0.6], const n) -> f64);
    }
}

#[adjoint]
fn labelled_block(x: f64, y: f64) -> f64 {
    let r = 'found: {
        if x > y {
            break 'found x * x;
        }
        let t = y.sin();
        if t > 0.9 {
            break 'found t * x;
        }
        t + x
    };
    r * y
}

#[test]
fn break_from_a_labelled_block() {
    for (x, y) in [(2.0, 1.0), (0.5, 1.5), (0.1, 0.3)] {
        check!(labelled_block(x, y) -> f64);
    }
}

#[adjoint]
fn loop_with_value(a: f64) -> f64 {
    let mut x = 0.5 * (a + 1.0);
    let root = loop {
        let next = 0.5 * (x + a / x);
        if (next - x).abs() < 1e-12 {
            break next;
        }
        x = next;
    };
    root * root * root
}

#[test]
fn break_gives_the_loop_its_value() {
    let a = 5.0_f64;
    assert_close(&check!(loop_with_value(a) -> f64)[0], &[1.5 * a.sqrt()]);
}

#[adjoint]
fn all_bytes(x: f64) -> f64 {
    let mut s = x;
    for b in 0..=255u8 {
        s += (b as f64 * 0.01 * x).sin() * 0.01;
    }
    for b in (250..=u8::MAX).rev() {
        s = s * 0.9 + b as f64 * x * 1e-3;
    }
    for b in i8::MIN..=-127 {
        s *= b as f64 * -0.01 * x;
    }
    s
}

#[test]
fn ranges_to_the_ends_of_their_types() {
    check!(all_bytes(0.8) -> f64);
}

#[adjoint]
fn negative_indices(x: &[f64], radius: isize) -> f64 {
    let n = x.len() as isize;
    let mut s = 1.0;
    for i in -radius..=radius {
        let at = (i + n) % n;
        let w = (-(i * i) as f64 * 0.1).exp();
        s += w * x[at as usize] * s;
    }
    for i in (-radius..radius).rev().step_by(2) {
        s -= 0.1 * i as f64 * x[i.unsigned_abs()];
    }
    s
}

#[test]
fn ranges_over_negative_integers() {
    for radius in -1..4 {
        check!(negative_indices(&vec![0.3, -0.2, 0.5, 0.9, 0.1], const radius) -> f64);
    }
}

#[adjoint]
fn trips(x: f64, lo: i32, hi: i32) -> f64 {
    let mut y = x;
    for i in lo..hi {
        y = y * x + i as f64;
    }
    for i in lo..=hi {
        y += x * i as f64;
    }
    let mut n = hi - lo;
    while n > 0 {
        y *= 0.5 + x;
        n -= 2;
    }
    y
}

#[test]
fn loops_with_zero_one_and_more_trips() {
    for (lo, hi) in [(0, 0), (0, 1), (5, 2), (-1, -1), (-3, 4), (1, 0)] {
        check!(trips(0.7, const lo, const hi) -> f64);
    }
}

#[adjoint]
fn lazy_conditions(x: &[f64], at: usize) -> f64 {
    let mut s = 0.5;
    if at < x.len() && x[at] > 0.0 {
        s = x[at] * x[at];
    }
    if at >= x.len() || x[at] < 1.0 {
        s += x[0].exp();
    }
    s
}

#[test]
fn lazy_operators_guard_indices() {
    for at in 0..4 {
        check!(lazy_conditions(&vec![0.5, 2.0, -1.0], const at) -> f64);
    }
}
