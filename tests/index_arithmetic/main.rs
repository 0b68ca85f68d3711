//! Kernels with index arithmetic, those of `[INV]` §5 among them: derivatives, and how few integers their tapes hold.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod figures;
mod minors;
mod mixture;
mod neighbours;
mod search;

use adjoint::Tape;
use common::Random;

/// A kernel with the integers and the control values that its tape holds.
type Entries = (&'static str, usize, usize);

/// What the tape of a gradient holds.
fn entries(kernel: &'static str, gradient: impl FnOnce(&mut Tape)) -> Entries {
    let mut tape = Tape::new();
    gradient(&mut tape);
    let stats = tape.stats();
    (kernel, stats.integers.entries, stats.control.entries)
}

/// Numbers around 1.
fn values(n: usize) -> Vec<f64> {
    Random::new(5).vector(n, 0.7, 1.3)
}

/// Integers and control values, beside what `[INV]` says has to be stored.
const ENTRIES: [Entries; 19] = [
    // Figure 8: the last `i` and `j` of each of the four inner loops.
    ("wrapped_while", 8, 0),
    ("wrapped_for", 8, 0),
    // Figure 11: nothing, as the loops give the edge, and the tables its nodes.
    ("mesh", 0, 0),
    // Figure 12: nothing.
    ("layers", 0, 0),
    ("layers_while", 0, 0),
    ("boundary", 0, 0),
    // Figure 13: `k2` of each of the six levels.
    ("profile", 6, 0),
    // Figure 14(a): `ii` in each of the five iterations, and the last `ipntp`; here `ipnt` in place of `ii`.
    ("cholesky", 6, 1),
    // Figure 14(b): `m` or a flag in each iteration of the inner loop; the last `k2` and `k3` are still in scope.
    ("search", 18, 75),
    // The offset into a triangle is a function of row and column: no integer. `log_sum_exp` has a flag for each other term of
    // each of the three points.
    ("counted", 6, 0),
    ("closed", 6, 0),
    ("offset", 6, 0),
    ("split", 6, 0),
    ("chunked", 6, 0),
    // A set of columns is an argument, and a linked list changes element by element.
    ("by_bits", 0, 0),
    ("by_lists", 252, 0),
    // A neighbour is a function of the loops' counters: no integer.
    ("by_if", 0, 0),
    ("by_remainder", 0, 0),
    ("by_match", 0, 0),
];

#[test]
fn tapes_hold_few_integers_and_control_values() {
    let found = [
        figures::entries(),
        search::entries(),
        mixture::entries(),
        minors::entries(),
        neighbours::entries(),
    ];
    assert_eq!(found.concat(), ENTRIES);
}
