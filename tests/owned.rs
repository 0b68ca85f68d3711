//! `Vec`s that grow and shrink.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#![allow(
    clippy::needless_range_loop,
    clippy::ptr_arg,
    clippy::explicit_counter_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{assert_rows_close, check};

#[adjoint]
fn pushed_and_summed(x: &[f64], k: f64) -> f64 {
    let mut squares = Vec::new();
    for i in 0..x.len() {
        squares.push(x[i] * x[i] * k);
    }
    let mut s = 0.0;
    for i in 0..squares.len() {
        s += squares[i].sin() * (i + 1) as f64;
    }
    s
}

#[test]
fn elements_are_pushed() {
    check!(pushed_and_summed(&vec![0.5, 1.2, -0.7], 1.3) -> f64);
    check!(pushed_and_summed(&Vec::<f64>::new(), 1.3) -> f64);
}

#[adjoint]
fn postfix(x: &[f64], program: &[i32]) -> f64 {
    // A stack machine: a number is an operand, -1 adds, -2 multiplies, -3 takes the sine.
    let mut stack: Vec<f64> = Vec::with_capacity(4);
    for &op in program {
        if op >= 0 {
            stack.push(x[op as usize]);
        } else if op == -3 {
            let a = stack.pop().unwrap();
            stack.push(a.sin());
        } else {
            let (b, a) = (stack.pop().unwrap(), stack.pop().unwrap());
            stack.push(if op == -1 { a + b } else { a * b });
        }
    }
    stack.pop().expect("a result")
}

#[test]
fn a_stack_machine() {
    let x = vec![0.5, 1.2, -0.7];
    check!(postfix(&x, const &[0, 1, -2, -3, 2, -1, 0, 2, -2, -2]) -> f64);
    check!(postfix(&x, const &[0]) -> f64);
}

#[test]
#[should_panic(expected = "called `Option::unwrap()` on a `None` value")]
fn an_empty_stack_panics_as_in_the_function() {
    let mut x_adj = vec![0.0; 1];
    postfix_adjoint(&[1.0], &mut x_adj, &[0, -1], 1.0);
}
