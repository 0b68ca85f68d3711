//! In-out parameters: the adjoint of the exit value goes in, that of the entry value comes out.
#![allow(
    clippy::needless_range_loop,
    clippy::ptr_arg,
    clippy::assign_op_pattern,
    clippy::manual_memcpy,
    clippy::manual_is_multiple_of,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

#[adjoint]
fn square(y: &mut f64) {
    *y *= *y;
}

#[test]
fn the_seed_is_replaced() {
    let (mut y, mut y_adj) = (3.0, 0.5);
    square_adjoint(&mut y, &mut y_adj);
    assert_eq!((y, y_adj), (9.0, 3.0));
}

#[adjoint]
fn overwrite(x: f64, y: &mut f64) {
    *y = 2.0 * x;
}

#[test]
fn an_overwritten_output_comes_back_with_a_zero() {
    let (mut y, mut x_adj, mut y_adj) = (f64::NAN, 10.0, 3.0);
    overwrite_adjoint(1.5, &mut x_adj, &mut y, &mut y_adj);
    assert_eq!((y, x_adj, y_adj), (3.0, 16.0, 0.0));
}

#[adjoint]
fn untouched(x: f64, y: &mut [f64]) -> f64 {
    x * y[0]
}

#[test]
fn an_output_that_is_only_read_keeps_its_seed() {
    let (mut x_adj, mut y, mut y_adj) = (0.0, [4.0, 5.0], [7.0, 8.0]);
    let value = untouched_adjoint(2.0, &mut x_adj, &mut y, &mut y_adj, 1.0);
    assert_eq!((value, x_adj, y, y_adj), (8.0, 4.0, [4.0, 5.0], [9.0, 8.0]));
}

#[adjoint]
fn not_used_at_all(_x: &[f64], y: &mut [f64], n: usize) -> usize {
    y.len() + n
}

#[test]
fn nothing_to_do_changes_nothing() {
    let (mut x_adj, mut y, mut y_adj) = ([1.0, 2.0], [3.0], [4.0]);
    let value = not_used_at_all_adjoint(&[0.0, 0.0], &mut x_adj, &mut y, &mut y_adj, 5);
    assert_eq!((value, x_adj, y, y_adj), (6, [1.0, 2.0], [3.0], [4.0]));
}

#[adjoint]
fn mixture(x: &[f64], y: &mut [f64], z: &mut f64) -> f64 {
    let before = y[0];
    y[0] = x[0] * *z;
    *z += before * y[1];
    y[1] = y[1].sin() * *z;
    y[0] + before
}

#[test]
fn entry_values_are_used_and_overwritten() {
    check!(mixture(&vec![0.7], &mut vec![1.2, -0.4], &mut 2.0) -> f64);
}

#[adjoint]
fn some_entries(y: &mut [f64], x: f64) {
    for i in 0..y.len() {
        if i % 2 == 0 {
            y[i] = x * i as f64;
        }
    }
}

#[test]
fn entries_that_stay_keep_their_seed() {
    let (mut y, mut y_adj, mut x_adj) = ([1.0; 4], [1.0, 2.0, 3.0, 4.0], 0.0);
    some_entries_adjoint(&mut y, &mut y_adj, 5.0, &mut x_adj);
    assert_eq!(y, [0.0, 1.0, 10.0, 1.0]);
    assert_eq!((y_adj, x_adj), ([0.0, 2.0, 0.0, 4.0], 6.0));
}

#[adjoint]
fn entry_and_exit_in_the_result(y: &mut f64) -> f64 {
    let entry = *y;
    *y = entry.exp();
    entry * *y
}

#[test]
fn seeds_of_result_and_output_add_up() {
    let (mut y, mut y_adj) = (0.5_f64, 2.0);
    let e = y.exp();
    let value = entry_and_exit_in_the_result_adjoint(&mut y, &mut y_adj, 3.0);
    assert_close(
        &[value, y, y_adj],
        &[0.5 * e, e, 2.0 * e + 3.0 * (e + 0.5 * e)],
    );
}

#[adjoint]
fn accumulate(x: &[f64], total: &mut f64, count: &mut usize) {
    for i in 0..x.len() {
        *total += x[i] * *total;
        *count += 1;
    }
}

#[test]
fn an_integer_output_has_no_adjoint() {
    let (mut total, mut total_adj, mut count, mut x_adj) = (2.0, 1.0, 40, [0.0, 0.0]);
    accumulate_adjoint(
        &[0.5, 1.0],
        &mut x_adj,
        &mut total,
        &mut total_adj,
        &mut count,
    );
    assert_eq!((total, count), (6.0, 42));
    assert_eq!((total_adj, x_adj), (3.0, [4.0, 3.0]));
}

#[adjoint(wrt(x), of(ret))]
fn only_the_result(x: &[f64], scratch: &mut [f64]) -> f64 {
    for i in 0..x.len() {
        scratch[i] = x[i] * x[i];
    }
    let mut s = 0.0;
    for i in 0..x.len() {
        s += scratch[i] * x[i];
    }
    s
}

#[test]
fn of_leaves_an_output_out_but_follows_what_passes_through_it() {
    let (mut x_adj, mut scratch) = ([0.0, 0.0], [0.0, 0.0]);
    let value = only_the_result_adjoint(&[2.0, -1.0], &mut x_adj, &mut scratch, 1.0);
    assert_eq!((value, scratch), (7.0, [4.0, 1.0]));
    assert_eq!(x_adj, [12.0, 3.0]);
}

#[adjoint(of(y))]
fn only_the_output(x: f64, y: &mut f64) -> f64 {
    *y = x * x;
    x.exp()
}

#[test]
fn of_leaves_the_result_out() {
    let (mut x_adj, mut y, mut y_adj) = (0.0, 0.0, 1.0);
    let value = only_the_output_adjoint(3.0, &mut x_adj, &mut y, &mut y_adj);
    assert_eq!((value, y, x_adj, y_adj), (3.0_f64.exp(), 9.0, 6.0, 0.0));
}

#[test]
fn adjoints_accumulate_over_calls() {
    let mut x_adj = 0.0;
    for seed in [1.0, 2.0, 4.0] {
        let (mut y, mut y_adj) = (0.0, seed);
        overwrite_adjoint(1.0, &mut x_adj, &mut y, &mut y_adj);
    }
    assert_eq!(x_adj, 14.0);
}

#[adjoint]
fn ping_pong(a: &mut [f64; 2], b: &mut [f64; 2], rounds: usize) {
    for _ in 0..rounds {
        for i in 0..2 {
            a[i] += 0.3 * b[1 - i] * a[i];
        }
        for i in 0..2 {
            b[i] = b[i] - 0.2 * a[i] * a[1 - i];
        }
    }
}

#[test]
fn outputs_that_feed_each_other() {
    check!(ping_pong(&mut [1.0, 0.4], &mut [-0.3, 0.9], const 4));
}

/// Callees that go through an argument several times, none of whose values their own adjoints need: for a caller that
/// needs the argument back, it is recorded once.
#[adjoint]
mod passes {
    /// `y = l x`, column by column, where `y` may be longer than `x`.
    pub fn multiply(l: &[f64], x: &[f64], y: &mut [f64]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = 2.0 * x;
        }
        let n = x.len();
        for c in 0..n {
            for r in 0..y.len() {
                y[r] += l[r * n + c] * x[c];
            }
        }
    }

    /// The products of several columns, each read where it is overwritten by the next.
    pub fn columns(l: &[f64], x: &[f64], n: usize, rows: usize) -> f64 {
        let mut y = vec![0.5; rows];
        let mut sum = 0.0;
        for k in 0..x.len() / n {
            multiply(l, &x[k * n..(k + 1) * n], &mut y);
            for r in 0..rows {
                sum += y[r].sin();
            }
        }
        sum + y[0] * y[rows - 1]
    }

    /// A value between two passes is used: `y` is required there too.
    pub fn used(x: &[f64], y: &mut [f64], rounds: usize) {
        for i in 0..y.len() {
            y[i] = 0.3 * x[0];
        }
        for _ in 0..rounds {
            for i in 0..y.len() {
                y[i] *= y[i] + x[1];
            }
        }
    }

    /// Through a `Vec`, the last pass in a callee, and one that is left.
    pub fn filled(x: &[f64], y: &mut Vec<f64>) {
        for i in 0..y.len() {
            y[i] = x[0] - x[1];
        }
        for x in x {
            if *x < 0.0 {
                break;
            }
            add(*x, y);
        }
    }

    fn add(x: f64, y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y += x * i as f64;
        }
    }

    pub fn rounds(x: &[f64], n: usize) -> f64 {
        let mut y = vec![1.0; 4];
        let mut sum = 0.0;
        for _ in 0..n {
            used(x, &mut y, 2);
            sum += y[1] * y[2];
            filled(x, &mut y);
            sum += y[0] * y[3] * y[3];
        }
        sum
    }
}

#[test]
fn arrays_that_only_a_caller_needs_back() {
    use passes::*;
    let l: [f64; 15] = std::array::from_fn(|k| 0.1 * k as f64 - 0.6);
    let x = [0.3, -0.7, 0.9, 0.2, 0.5, -0.4];
    check!(columns(&l, &x, const 3, const 5) -> f64);
    check!(columns(&l, &x, const 2, const 3) -> f64);
    check!(multiply(
        &l,
        &x[..3].to_vec(),
        &mut [0.1, 0.2, 0.3, 0.4, 0.5]
    ));
    check!(multiply(&[0.0; 0], &[0.0; 0], &mut [0.1, 0.2]));
    check!(multiply(&l, &x[..2].to_vec(), &mut [0.0; 0]));
    let x = [0.4, 0.2, 0.7, -0.1, 3.0];
    check!(rounds(&x, const 3) -> f64);
    check!(filled(&x, &mut vec![0.1, 0.2, 0.3]));
    check!(used(&x, &mut [0.6, 0.7], const 3));
}

#[test]
fn they_are_recorded_once() {
    let (n, rows, columns) = (4, 10, 6);
    let l = vec![0.1; n * rows];
    let x = vec![0.2; n * columns];
    let (mut l_adj, mut x_adj) = (vec![0.0; l.len()], vec![0.0; x.len()]);
    let mut tape = adjoint::Tape::new();
    passes::columns_adjoint_with(&mut tape, &l, &mut l_adj, &x, &mut x_adj, n, rows, 1.0);
    // Each column, and not each of the five values that an element has in it.
    let reals = tape.stats().reals.entries;
    assert!(reals <= 3 * rows * columns, "{reals}");
}
