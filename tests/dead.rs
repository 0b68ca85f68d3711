//! Values that nothing needs: the adjoint leaves them out, but not their panics.

#![allow(
    clippy::all,
    unused,
    reason = "kernels are written as numerical programmers write them"
)]

#[macro_use]
mod common;

use adjoint::adjoint;

#[adjoint]
fn diagnostics(x: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    let (mut largest, mut at) = (f64::NEG_INFINITY, 0usize);
    let mut trace = [0.0; 3];
    for i in 0..x.len() {
        if x[i] > largest {
            largest = x[i];
            at = i;
        }
        for t in trace.iter_mut() {
            *t += x[i] * k;
        }
        s += (x[i] * k).sin();
    }
    let _spread = largest - trace[0] * trace[1];
    s * k
}

/// What is dead in one iteration is read in the next one.
#[adjoint]
fn read_late(x: &[f64]) -> f64 {
    let (mut s, mut before, mut unused) = (0.0, 1.0, 0.0);
    for v in x {
        s += before * v;
        unused = before * s;
        before = v * v;
    }
    s
}

/// The second half of it only serves the value, which is no dependent.
#[adjoint(of(y))]
fn not_a_dependent(x: f64, y: &mut f64) -> f64 {
    let scratch = x * *y;
    *y = scratch.sin();
    let energy = scratch * scratch;
    energy.sqrt()
}

#[adjoint]
fn dead_element(x: &[f64], at: usize) -> f64 {
    let _unused = x[at];
    x[0] * x[0]
}

#[test]
fn dead_values() {
    let x = vec![0.4, -0.9, 1.2, 0.1];
    check!(diagnostics(&x, 0.7) -> f64);
    check!(diagnostics(&vec![], 0.7) -> f64);
    check!(read_late(&x) -> f64);
}

#[test]
fn a_result_that_is_no_dependent_is_returned() {
    let (mut y, mut x_adj, mut y_adj) = (0.5, 0.0, 2.0);
    let energy = not_a_dependent_adjoint(1.2, &mut x_adj, &mut y, &mut y_adj);
    assert_eq!((energy, y), (0.6, 0.6f64.sin()));
    let seed = 2.0 * 0.6f64.cos();
    assert_eq!((x_adj, y_adj), (seed * 0.5, seed * 1.2));
}

#[test]
#[should_panic(expected = "index out of bounds: the len is 2 but the index is 2")]
fn the_panic_of_a_dead_value() {
    dead_element_adjoint(&[1.0, 2.0], &mut [0.0; 2], 2, 1.0);
}
