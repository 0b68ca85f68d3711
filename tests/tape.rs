//! The tape that a caller keeps, the checks on entry, and panics.
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use std::panic::{AssertUnwindSafe, catch_unwind};

use adjoint::{Differentiable, Tape, adjoint};
use common::Random;

#[adjoint]
fn product_of_sines(x: &[f64], k: f64) -> f64 {
    let mut p = 1.0;
    for i in 0..x.len() {
        p = p * (k * x[i]).sin() + x[i];
    }
    p
}

#[adjoint]
fn smooth(u: &mut [f64], steps: usize) {
    let n = u.len();
    for _ in 0..steps {
        for i in 1..n - 1 {
            if u[i] > 0.0 {
                u[i] = 0.5 * u[i] * (u[i - 1] + u[i + 1]);
            }
        }
        let mut i = 0;
        while u[i] < 0.9 && i < n - 1 {
            u[i] += u[i + 1].exp() * u[i];
            i += 1;
        }
    }
}

#[adjoint]
fn linear(x: &[f64], w: &[f64; 2]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += 2.0 * x[i];
    }
    s + w[0] - w[1]
}

fn total(tape: &Tape) -> usize {
    let stats = tape.stats();
    stats.reals.bytes + stats.integers.bytes + stats.control.bytes + stats.snapshots.bytes
}

#[test]
fn a_new_tape_has_held_nothing() {
    for tape in [Tape::new(), Tape::default()] {
        assert_eq!(total(&tape), 0);
        assert_eq!(tape.stats().peak_bytes, 0);
        assert_eq!(tape.stats().reals.entries, 0);
    }
}

#[test]
fn a_linear_kernel_records_nothing() {
    let mut tape = Tape::new();
    let (mut x_adj, mut w_adj) = ([0.0; 3], [0.0; 2]);
    linear_adjoint_with(
        &mut tape,
        &[1.0, 2.0, 3.0],
        &mut x_adj,
        &[0.5, 0.25],
        &mut w_adj,
        1.0,
    );
    assert_eq!((x_adj, w_adj), ([2.0; 3], [1.0, -1.0]));
    assert_eq!(total(&tape), 0);
}

#[test]
fn records_are_counted_for_the_last_sweep() {
    let mut tape = Tape::new();
    let record = |tape: &mut Tape, n: usize| {
        let (x, mut x_adj, mut k_adj) = (vec![0.5; n], vec![0.0; n], 0.0);
        product_of_sines_adjoint_with(tape, &x, &mut x_adj, 1.1, &mut k_adj, 1.0);
        tape.stats()
    };
    let long = record(&mut tape, 40);
    assert!(
        long.reals.entries >= 40,
        "an overwritten value is needed in each iteration"
    );
    assert_eq!(long.reals.bytes, 8 * long.reals.entries);
    assert_eq!(long.snapshots.entries, 0);
    assert!(long.peak_bytes >= long.reals.bytes);
    let short = record(&mut tape, 10);
    assert!(short.reals.entries >= 10 && short.reals.entries <= long.reals.entries / 3);
    assert_eq!(record(&mut tape, 40), long);
}

#[test]
fn a_kept_tape_allocates_once() {
    let mut tape = Tape::new();
    let start = Random::new(5).vector(30, -0.5, 1.0);
    let (mut u, mut u_adj) = (start.clone(), vec![0.0; start.len()]);
    let mut sweep = |seed: f64| {
        u.copy_from_slice(&start);
        u_adj.fill(seed);
        smooth_adjoint_with(&mut tape, &mut u, &mut u_adj, 6);
        u_adj[3]
    };
    let first = sweep(1.0);
    let (mut again, mut twice) = (0.0, 0.0);
    let later = allocation_counter::measure(|| {
        again = sweep(1.0);
        twice = sweep(2.0);
    });
    assert_eq!(later.count_total, 0, "allocations of later sweeps");
    assert_eq!(again.to_bits(), first.to_bits());
    assert_eq!(twice.to_bits(), (2.0 * first).to_bits());
}

/// Data with an adjoint that nobody wants.
#[derive(Clone, Debug, Differentiable)]
struct Table {
    rows: Vec<Vec<f64>>,
    scales: Box<[f64]>,
}

#[adjoint]
fn row(table: &Table, x: f64, k: usize) -> f64 {
    table.rows[k].iter().fold(0.0, |s, c| s * x + c) * table.scales[k]
}

#[adjoint(wrt(x))]
fn rows(table: &Table, x: f64) -> f64 {
    let mut s = 0.0;
    for k in 0..table.rows.len() {
        s += row(table, x, k);
    }
    s
}

#[test]
fn no_memory_is_taken_for_the_adjoint_of_a_constant() {
    let mut tape = Tape::new();
    let table = Table {
        rows: vec![vec![1.0; 100]; 3],
        scales: vec![0.5; 3].into_boxed_slice(),
    };
    let mut x_adj = 0.0;
    rows_adjoint_with(&mut tape, &table, 0.5, &mut x_adj, 1.0);
    let first = x_adj;
    let later = allocation_counter::measure(|| {
        rows_adjoint_with(&mut tape, &table, 0.5, &mut x_adj, 1.0);
    });
    assert_eq!(later.count_total, 0, "allocations of a later sweep");
    assert_eq!(x_adj.to_bits(), (2.0 * first).to_bits());
}

#[test]
fn one_tape_serves_several_kernels() {
    let mut tape = Tape::new();
    let x = [0.4, 0.8, -0.3];
    let (mut fresh, mut kept) = ([0.0; 3], [0.0; 3]);
    let mut k_adj = 0.0;
    product_of_sines_adjoint(&x, &mut fresh, 0.9, &mut k_adj, 1.0);
    let (mut u, mut u_adj) = ([0.2, 0.5, 0.7, 1.0], [1.0; 4]);
    smooth_adjoint_with(&mut tape, &mut u, &mut u_adj, 3);
    product_of_sines_adjoint_with(&mut tape, &x, &mut kept, 0.9, &mut k_adj, 1.0);
    assert_eq!(fresh, kept);
}

/// The message of the panic in a closure.
fn panic_of(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("a panic");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => (*payload.downcast::<&str>().expect("a message")).to_string(),
    }
}

#[track_caller]
fn assert_names(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn slices_of_different_lengths_are_named() {
    let mut x_adj = [0.5; 4];
    let message = panic_of(|| {
        product_of_sines_adjoint(&[1.0; 3], &mut x_adj, 1.0, &mut 0.0, 1.0);
    });
    assert_names(&message, &["x", "x_adj", "3", "4"]);
    assert_eq!(x_adj, [0.5; 4]);
}

#[test]
fn in_out_slices_of_different_lengths_are_named_before_anything_is_written() {
    let (mut u, mut u_adj) = ([0.3; 5], [1.0; 2]);
    let message = panic_of(|| smooth_adjoint(&mut u, &mut u_adj, 1));
    assert_names(&message, &["u", "u_adj", "5", "2"]);
    assert_eq!((u, u_adj), ([0.3; 5], [1.0; 2]));
}

#[adjoint]
fn guarded(x: &mut [f64], at: usize, divisor: usize) -> f64 {
    assert!(divisor < 10, "the divisor {divisor} is too large");
    x[0] *= 2.0;
    if divisor == 7 {
        panic!("seven is not supported");
    }
    x[at] / (at / divisor) as f64
}

#[test]
fn a_panic_of_the_kernel_is_the_same_panic() {
    // Out of bounds, an assertion, an explicit panic, a division by zero.
    for (at, divisor) in [(3, 1), (0, 12), (1, 7), (1, 0)] {
        let of_kernel = panic_of(|| {
            guarded(&mut [1.0, 2.0, 3.0], at, divisor);
        });
        let of_adjoint = panic_of(|| {
            guarded_adjoint(&mut [1.0, 2.0, 3.0], &mut [0.0; 3], at, divisor, 1.0);
        });
        assert_eq!(of_adjoint, of_kernel);
    }
}

#[test]
fn a_tape_is_usable_after_a_panic() {
    let mut tape = Tape::new();
    panic_of(|| {
        guarded_adjoint_with(&mut tape, &mut [1.0], &mut [0.0], 5, 1, 1.0);
    });
    let (mut x, mut x_adj) = ([1.0, 2.0], [0.0, 0.0]);
    guarded_adjoint_with(&mut tape, &mut x, &mut x_adj, 1, 1, 1.0);
    assert_eq!((x, x_adj), ([2.0, 2.0], [0.0, 1.0]));
}

#[adjoint]
fn doubled(x: f64) -> f64 {
    2.0 * x
}

/// Squares each component, and records them.
#[adjoint]
fn squares(x: &[f64]) -> Vec<f64> {
    let mut y = Vec::new();
    let mut last = 1.0;
    for i in 0..x.len() {
        last *= x[i];
        y.push(last * last);
    }
    y
}

#[test]
fn a_panic_between_the_sweeps_leaves_no_record() {
    let (x, seed) = ([1.0, 2.0, 3.0], [1.0; 3]);
    let run = |tape: &mut Tape| {
        let mut x_adj = [0.0; 3];
        squares_adjoint_with(tape, &x, &mut x_adj, &seed);
        (x_adj, tape.stats())
    };
    let mut tape = Tape::new();
    let expected = run(&mut tape);
    assert!(expected.1.reals.entries >= 3);
    let message = panic_of(|| {
        squares_adjoint_with(&mut tape, &x, &mut [0.0; 3], &[1.0; 2]);
    });
    assert_names(&message, &["ret", "3", "2"]);
    // An adjoint that records nothing is between the panic and the next one that does.
    let mut x_adj = 0.0;
    doubled_adjoint_with(&mut tape, 1.0, &mut x_adj, 3.0);
    assert_eq!((x_adj, total(&tape), tape.stats().peak_bytes), (6.0, 0, 0));
    assert_eq!(run(&mut tape), expected);
    assert_eq!(run(&mut tape), expected);
}

#[test]
fn statistics_are_those_of_the_last_adjoint_also_if_it_records_nothing() {
    let mut tape = Tape::new();
    squares_adjoint_with(&mut tape, &[1.0, 2.0], &mut [0.0; 2], &[1.0; 2]);
    assert!(tape.stats().peak_bytes >= 16);
    doubled_adjoint_with(&mut tape, 1.0, &mut 0.0, 1.0);
    assert_eq!((total(&tape), tape.stats().peak_bytes), (0, 0));
}

#[test]
fn what_records_nothing_allocates_nothing() {
    let (mut x_adj, mut w_adj) = ([0.0; 3], [0.0; 2]);
    let info = allocation_counter::measure(|| {
        linear_adjoint(&[1.0, 2.0, 3.0], &mut x_adj, &[0.5, 0.25], &mut w_adj, 1.0);
        doubled_adjoint(1.0, &mut x_adj[0], 1.0);
    });
    assert_eq!(info.count_total, 0);
    assert_eq!((x_adj, w_adj), ([4.0, 2.0, 2.0], [1.0, -1.0]));
}

/// The product by hand: the adjoint runs another one, on a tape of its own.
fn weighted_by_hand(x: &[f64], x_adj: &mut [f64], seed: f64) -> f64 {
    let mut k_adj = 0.0;
    product_of_sines_adjoint(x, x_adj, 0.7, &mut k_adj, seed)
}

#[adjoint(custom = weighted_by_hand)]
fn weighted(x: &[f64]) -> f64 {
    product_of_sines(x, 0.7)
}

#[adjoint]
fn outer(x: &[f64]) -> f64 {
    let mut s = 1.0;
    for i in 0..x.len() {
        s = s * x[i] + weighted(x);
    }
    s
}

#[adjoint]
fn outer_in_one(x: &[f64]) -> f64 {
    let mut s = 1.0;
    for i in 0..x.len() {
        s = s * x[i] + product_of_sines(x, 0.7);
    }
    s
}

#[test]
fn an_adjoint_within_a_sweep_has_its_own_tape() {
    let x = [0.4, 0.8, -0.3];
    let mut tape = Tape::new();
    let (mut nested, mut direct) = ([0.0; 3], [0.0; 3]);
    let value = outer_adjoint_with(&mut tape, &x, &mut nested, 1.0);
    let alone = tape.stats();
    assert_eq!(
        outer_in_one_adjoint_with(&mut tape, &x, &mut direct, 1.0),
        value
    );
    assert_eq!(nested, direct);
    assert!(alone.reals.entries < tape.stats().reals.entries);
    assert!(alone.reals.entries >= 3);
}

/// A decay until it is small, in as many steps as that takes.
#[adjoint]
fn decay(mut x: f64, rate: f64, least: f64) -> f64 {
    while x > least {
        x -= rate * x * x;
    }
    x
}

#[test]
fn a_tape_holds_a_quarter_more_memory_than_records() {
    for least in [1e-6, 2e-6, 3e-6, 7e-6] {
        let mut tape = Tape::new();
        let info = allocation_counter::measure(|| {
            decay_adjoint_with(
                &mut tape, 0.5, &mut 0.0, 1.0, &mut 0.0, least, &mut 0.0, 1.0,
            );
        });
        let (held, recorded) = (info.bytes_current as usize, tape.stats().peak_bytes);
        assert!(recorded >= 1 << 20, "{recorded}");
        let most = (recorded + recorded / 4).max(1 << 21) + 4096;
        assert!(held <= most, "{held} bytes for {recorded}");
    }
}

/// A product of values that a helper makes, which keeps the loop from having a frame.
#[adjoint]
mod helped {
    pub fn product(x: &[f64], k: f64) -> f64 {
        let mut p = k;
        for i in 0..x.len() {
            p = p * halved(x[i]) + k;
        }
        p
    }

    fn halved(x: f64) -> f64 {
        let mut y = x;
        while y > 1.0 {
            y *= 0.5;
        }
        y
    }

    /// The loop panics long before its end.
    pub fn of_too_many(x: &[f64], n: usize) -> f64 {
        let mut p = 1.0;
        for i in 0..n {
            p *= halved(x[i]);
        }
        p
    }
}

#[test]
fn what_a_counted_loop_pushes_is_reserved_at_once() {
    let (n, k) = (500_000, 0.5);
    let (x, mut x_adj, mut k_adj) = (vec![0.9; n], vec![0.0; n], 0.0);
    let mut tape = Tape::new();
    let info = allocation_counter::measure(|| {
        helped::product_adjoint_with(&mut tape, &x, &mut x_adj, k, &mut k_adj, 1.0);
    });
    let stats = tape.stats();
    assert!(stats.reals.entries >= n, "{stats:?}");
    // The reals are one allocation, and neither they nor what is copied while the others grow come to more.
    let others = (stats.integers.bytes + stats.control.bytes) as u64;
    let most = stats.reals.bytes as u64 + (3 * others).max(1 << 13);
    assert!(
        info.bytes_max <= most,
        "{} bytes for {stats:?}",
        info.bytes_max
    );
}

#[test]
fn a_loop_that_panics_before_its_end_reserves_nothing_impossible() {
    let (mut x_adj, n) = ([0.0; 2], usize::MAX >> 8);
    let of_function = panic_of(|| {
        helped::of_too_many(&[1.0, 2.0], n);
    });
    let of_adjoint = panic_of(|| {
        helped::of_too_many_adjoint(&[1.0, 2.0], &mut x_adj, n, 1.0);
    });
    assert_eq!(of_adjoint, of_function);
}

/// Frames of floats and of integers, beside flags.
#[adjoint(wrt(x))]
fn scattered(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut k = 2;
    let mut p = 1.0;
    for _ in 0..steps {
        k = k * k % n;
        if p > 1.0 {
            p = 0.5 * p * x[k].sin();
        } else {
            p = p * p + x[k];
        }
    }
    p
}

/// The derivative with respect to one component.
fn scattered_derivative(x: &[f64], steps: usize, of: usize) -> f64 {
    let (mut k, mut p, mut d) = (2, 1.0, 0.0);
    for _ in 0..steps {
        k = k * k % x.len();
        let own = f64::from(u8::from(k == of));
        (p, d) = if p > 1.0 {
            let s = x[k].sin();
            (0.5 * p * s, 0.5 * (d * s + p * x[k].cos() * own))
        } else {
            (p * p + x[k], 2.0 * p * d + own)
        };
    }
    d
}

#[test]
fn frames_of_several_types_are_side_by_side() {
    let (x, steps) = (Random::new(3).vector(11, 0.2, 0.9), 9);
    let mut tape = Tape::new();
    let run = |tape: &mut Tape| {
        let mut x_adj = vec![0.0; x.len()];
        scattered_adjoint_with(tape, &x, &mut x_adj, steps, 1.0);
        (x_adj, tape.stats())
    };
    let (x_adj, stats) = run(&mut tape);
    for (of, found) in x_adj.iter().enumerate() {
        let expected = scattered_derivative(&x, steps, of);
        assert!(
            (found - expected).abs() <= 1e-14,
            "{of}: {found} for {expected}"
        );
    }
    assert!(x_adj.iter().any(|d| *d != 0.0));
    // An index and a flag in each step.
    assert!(
        stats.reals.entries >= steps && stats.integers.entries >= 2 * steps,
        "{stats:?}"
    );
    assert_eq!(run(&mut tape), (x_adj, stats));
}
