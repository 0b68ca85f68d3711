//! In-out parameters: the adjoint of the exit value goes in, that of the entry value comes out.
#![allow(
    clippy::needless_range_loop,
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
