//! What snapshots leave out: elements that a step writes before it reads them, and fields.
#![allow(
    clippy::manual_memcpy,
    clippy::needless_range_loop,
    clippy::ptr_arg,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;

use adjoint::{Differentiable, Tape, adjoint};
use common::{assert_gradient, check, snapshot_bytes};

/// The scratch array's edges are neither read nor written.
#[adjoint]
fn interior(u: &mut [f64], r: f64, steps: usize) {
    let n = u.len();
    let mut new = vec![0.0; n];
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        for i in 1..n - 1 {
            new[i] = u[i] + r * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
        }
        for i in 1..n - 1 {
            u[i] = new[i];
        }
    }
}

/// The edges of `flow` are read in each step, and written in front of the loop alone.
#[adjoint]
fn edges(u: &mut [f64], steps: usize) {
    let n = u.len();
    let mut flow = vec![0.0; n];
    flow[0] = u[1] * u[1];
    flow[n - 1] = u[0];
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        for i in 1..u.len() - 1 {
            flow[i] = u[i - 1] * u[i + 1];
        }
        for i in 0..u.len() {
            u[i] += 0.1 * flow[i] * flow[i];
        }
    }
    u[0] *= flow[1] * flow[0];
}

/// A grid in one array; what a step leaves in `history` is no later one's affair.
#[adjoint]
fn grid(u: &mut [f64], n: usize, steps: usize) -> f64 {
    let mut flow = vec![0.0; n * n];
    let mut history = vec![0.0; steps];
    #[checkpoint(snapshots = 3)]
    for t in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let at = i * n + j;
                let around = u[at - 1] + u[at + 1] + u[at - n] + u[at + n];
                flow[at] = around - 4.0 * u[at] * u[at];
            }
        }
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                u[i * n + j] += 0.1 * flow[i * n + j];
            }
        }
        history[t] = u[n + 1];
    }
    let mut s = 0.0;
    for t in 0..steps {
        s += history[t] * history[t];
    }
    s
}

/// A grid in rows.
#[adjoint]
fn rows(u: &mut Vec<Vec<f64>>, steps: usize) {
    let (n, m) = (u.len(), u[0].len());
    let mut new = vec![vec![0.0; m]; n];
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                new[i][j] = 0.5 * (u[i - 1][j] * u[i][j - 1]).sin() + 0.5 * u[i][j];
            }
        }
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                u[i][j] = new[i][j];
            }
        }
    }
}

/// Each element is read where the next one is set.
#[adjoint]
fn sums(x: &mut [f64], steps: usize) {
    let n = x.len();
    let mut total = vec![0.0; n];
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        total[0] = x[0];
        for i in 1..n {
            total[i] = total[i - 1] + x[i];
        }
        for i in 0..n {
            x[i] *= 0.3 * (total[n - 1] - total[i] * x[i]);
        }
    }
}

/// A function whose steps leave elements of `memory`, or read them first, so that it is in the snapshots.
macro_rules! remembering {
    ($($name:ident: |$x:ident, $memory:ident, $n:ident, $t:ident| $step:tt)*) => {$(
        #[adjoint]
        fn $name($x: &mut [f64], steps: usize) {
            let $n = $x.len();
            let mut $memory = vec![0.5; $n];
            #[checkpoint(snapshots = 3)]
            for $t in 0..steps {
                $step
                for i in 0..$n {
                    $x[i] += 0.1 * $memory[i].sin();
                }
            }
        }
    )*};
}

remembering! {
    below_a_condition: |x, memory, n, _t| {
        for i in 0..n {
            if x[i] > 0.4 {
                memory[i] = x[i] * x[i];
            }
        }
    }
    one_too_few: |x, memory, n, t| {
        for i in 1..n {
            memory[i] = x[i] * x[i];
        }
        memory[t % 2] *= x[1];
    }
    too_late: |x, memory, n, _t| {
        for i in 0..n {
            x[i] *= memory[n - 1 - i];
            memory[i] = x[i] * x[i];
        }
    }
    from_behind: |x, memory, n, _t| {
        for i in 1..n {
            memory[i - 1] = memory[i] * x[i];
        }
        memory[n - 1] = x[0];
    }
    not_always: |x, memory, n, t| {
        for i in 0..t % 2 * n {
            memory[i] = x[i] * x[i];
        }
    }
    left_early: |x, memory, n, _t| {
        for i in 0..n {
            if x[i] < 0.3 {
                break;
            }
            memory[i] = x[i] * x[i];
        }
    }
    every_other: |x, memory, n, _t| {
        for i in (0..n).step_by(2) {
            memory[i] = x[i] * x[i];
        }
    }
    diagonal: |x, memory, n, _t| {
        for i in 0..2 {
            memory[i * 2 + i] = x[i] * x[i];
        }
    }
    while_loops: |x, memory, n, _t| {
        let mut i = 0;
        while i < n && x[i] > 0.3 {
            memory[i] = x[i] * x[i];
            i += 1;
        }
    }
}

/// The number of elements was copied before it changed: steps fill fewer than they read.
#[adjoint]
fn grown(x: &mut [f64], steps: usize) {
    let mut filled = x.len();
    let all = filled;
    filled -= 2;
    let mut memory = vec![0.5; all];
    #[checkpoint(snapshots = 3)]
    for t in 0..steps {
        for i in 0..filled {
            memory[i] = x[i] * x[i];
        }
        for i in 0..all {
            x[i] += 0.1 * memory[i].sin();
        }
        if t % 2 == 1 {
            memory[all - 1] += x[0];
        }
    }
}

/// The edges change between runs of a loop, which may have no step or be left, and behind it.
#[adjoint]
fn moving_edges(u: &mut [f64], rounds: usize) -> f64 {
    let n = u.len();
    let mut flow = vec![0.0; n];
    for round in 0..rounds {
        flow[0] = u[1] * u[1];
        flow[n - 1] *= u[0];
        #[checkpoint(snapshots = 2)]
        for t in 0..round * 2 {
            for i in 1..flow.len() - 1 {
                flow[i] = u[i - 1] * u[i + 1];
            }
            for i in 0..n {
                u[i] += 0.1 * flow[i] * flow[i];
            }
            if u[0] > 0.9 && t > 2 {
                break;
            }
        }
        flow[n - 1] += u[2] * flow[0];
        flow[0] = 0.0;
    }
    flow[1] * flow[n - 1]
}

/// Positions that the number of the step gives: one counts up, the other one down.
#[adjoint]
fn two_ways(x: &[f64], u: &mut [f64], steps: usize) {
    let (first, mut at, mut left) = (x.len() / 2, 1, 3 * steps);
    #[checkpoint(snapshots = 3)]
    for t in first..first + steps {
        u[0] += u[1] * x[at % x.len()] * x[left % x.len()] * x[t % x.len()];
        at += 2;
        left -= 3;
    }
    u[1] *= x[at % x.len()];
}

/// The same in a `while` loop that may be left.
#[adjoint]
fn backwards(x: &[f64], u: &mut [f64], steps: usize) -> f64 {
    let mut at = steps;
    #[checkpoint(snapshots = 3)]
    while at > 1 {
        if u[0] > 2.0 {
            break;
        }
        at -= 1;
        u[0] += 0.1 * u[0] * x[at % x.len()];
    }
    at as f64 * u[0]
}

/// In a `loop`, by the value of a variable.
#[adjoint]
fn by_width(x: &[f64], u: &mut [f64], steps: usize) {
    let (width, mut at) = (x.len() / 2, 1);
    #[checkpoint(snapshots = 3)]
    loop {
        if at >= steps * width {
            break;
        }
        u[0] *= 1.0 + 0.1 * x[(at + 1) % x.len()];
        at += width;
    }
}

/// Positions that it does not give: changed on one path, twice, by what steps change, or in an inner loop.
#[adjoint]
fn wandering(x: &[f64], u: &mut [f64], steps: usize) {
    let (mut a, mut b, mut c, mut d, mut by) = (0, 0, 0, 0, 1);
    let n = x.len();
    #[checkpoint(snapshots = 3)]
    for t in 0..steps {
        u[0] += u[1] * x[a % n] * x[b % n] * x[c % n] * x[d % n];
        if t % 3 == 1 {
            a += 1;
        }
        b += 1;
        u[1] += 0.1 * x[b % n] * u[0];
        b += 2;
        c += by;
        by += t;
        for _ in 0..t % 3 {
            d += 1;
        }
    }
}

#[adjoint]
mod solver {
    use super::*;

    const SIDE: usize = 4;

    /// Fills the inside of a plate of `SIDE · SIDE` cells, the edge of which it reads.
    fn warm(t: &mut [f64], flow: &mut [f64], h: f64) {
        for i in 1..SIDE - 1 {
            for j in 1..SIDE - 1 {
                let at = i * SIDE + j;
                flow[at] = h * (t[at - 1] + t[at + SIDE] - 2.0 * t[at] * t[at]);
            }
        }
        for at in 0..t.len() {
            t[at] += flow[at];
        }
    }

    /// By two calls, of which the first one passes its arguments on.
    pub fn plate(t: &mut [f64], h: f64, steps: usize) {
        let mut flow = vec![0.25; SIDE * SIDE];
        #[checkpoint(snapshots = 3)]
        for _ in 0..steps {
            warmed(t, &mut flow, h);
        }
    }

    fn warmed(t: &mut [f64], flow: &mut [f64], h: f64) {
        warm(t, flow, h * t[5]);
    }

    /// Writes the elements before `n`, which it gets.
    fn products(of: &[f64], n: usize, into: &mut [f64]) {
        for i in 0..n {
            into[i] = (of[i] * of[n - 1 - i]).sin();
        }
    }

    /// A callee overwrites what a step reads, or not all of it.
    pub fn called(x: &mut [f64], less: usize, steps: usize) {
        let n = x.len();
        let mut all = vec![0.0; n];
        #[checkpoint(snapshots = 3)]
        for _ in 0..steps {
            products(x, n, &mut all);
            for i in 0..n {
                x[i] = 0.3 * x[i] + all[i];
            }
        }
        let mut some = vec![0.5; n];
        #[checkpoint(snapshots = 3)]
        for _ in 0..steps {
            some[0] *= 0.5;
            products(x, n - less, &mut some);
            for i in 0..n {
                x[i] = 0.3 * x[i] + some[i] * some[i];
            }
            some[n - 1] += x[0];
        }
    }

    #[derive(Differentiable, Clone, Debug, PartialEq)]
    pub struct Water {
        pub depth: Vec<f64>,
        pub flow: Vec<f64>,
        pub bed: Vec<f64>,
        pub h: f64,
    }

    pub fn flood(water: &mut Water, steps: usize) {
        let n = water.depth.len();
        #[checkpoint(snapshots = 3)]
        for _ in 0..steps {
            for i in 0..n {
                water.flow[i] = water.bed[i] * water.depth[i] * water.depth[i];
            }
            for i in 1..n {
                water.depth[i] += water.h * (water.flow[i] - water.flow[i - 1]);
            }
        }
    }

    impl Water {
        fn flow(&mut self) {
            for i in 1..self.depth.len() {
                self.flow[i] = self.bed[i] * self.depth[i - 1] * self.depth[i];
            }
        }

        fn rise(&mut self, by: f64) {
            for i in 1..self.depth.len() - 1 {
                self.depth[i] += by * self.h * (self.flow[i] - self.flow[i + 1]);
            }
        }

        /// By methods, each of which uses some of the fields.
        pub fn run(&mut self, steps: usize) {
            #[checkpoint(snapshots = 3)]
            for _ in 0..steps {
                self.flow();
                self.rise(0.5);
            }
        }
    }

    pub fn run(depth: &[f64], bed: &[f64], h: f64, steps: usize) -> f64 {
        let mut water = Water {
            depth: depth.to_vec(),
            flow: bed.to_vec(),
            bed: bed.to_vec(),
            h,
        };
        water.run(steps);
        water.depth[1] * water.flow[2] + water.flow[0] * water.depth[0]
    }

    pub fn flooded(depth: &[f64], bed: &[f64], h: f64, steps: usize) -> f64 {
        let mut water = Water {
            depth: depth.to_vec(),
            flow: vec![0.0; depth.len()],
            bed: bed.to_vec(),
            h,
        };
        flood(&mut water, steps);
        let mut s = 0.0;
        for i in 0..depth.len() {
            s += water.depth[i] * water.flow[i];
        }
        s
    }
}
use solver::*;

fn waves(n: usize, shift: f64) -> Vec<f64> {
    let wave = |i| 0.5 + 0.3 * (0.7 * i as f64 + shift).sin();
    (0..n).map(wave).collect()
}

#[test]
fn derivatives_are_right() {
    for steps in [0, 1, 2, 5, 13] {
        check!(interior(&mut waves(6, 0.2), 0.3, const steps));
        check!(edges(&mut waves(6, 0.2), const steps));
        check!(grid(&mut waves(25, 0.2), const 5, const steps) -> f64);
        check!(sums(&mut waves(4, 0.2), const steps));
        check!(below_a_condition(&mut waves(5, 0.2), const steps));
        check!(one_too_few(&mut waves(5, 0.2), const steps));
        check!(too_late(&mut waves(5, 0.2), const steps));
        check!(from_behind(&mut waves(5, 0.2), const steps));
        check!(not_always(&mut waves(5, 0.2), const steps));
        check!(left_early(&mut waves(5, 0.2), const steps));
        check!(every_other(&mut waves(5, 0.2), const steps));
        check!(diagonal(&mut waves(5, 0.2), const steps));
        check!(two_ways(&waves(5, 0.2), &mut waves(2, 0.4), const steps));
        check!(backwards(&waves(5, 0.2), &mut waves(2, 0.4), const steps) -> f64);
        check!(by_width(&waves(5, 0.2), &mut waves(2, 0.4), const steps));
        check!(wandering(&waves(5, 0.2), &mut waves(2, 0.4), const steps));
        check!(while_loops(&mut waves(5, 0.2), const steps));
        check!(grown(&mut waves(5, 0.2), const steps));
        check!(moving_edges(&mut waves(5, 0.2), const steps.min(6)) -> f64);
        check!(plate(&mut waves(16, 0.2), 0.1, const steps));
        check!(called(&mut waves(4, 0.2), const 1, const steps));
        check!(run(&waves(5, 0.2), &waves(5, 1.0), 0.1, const steps) -> f64);
        check!(flooded(&waves(5, 0.2), &waves(5, 1.0), 0.1, const steps) -> f64);
    }
}

/// Rows have no oracle of their own: the same grid in one array.
#[test]
fn derivatives_of_rows_are_right() {
    let (n, m, steps) = (4, 5, 7);
    let flat = waves(n * m, 0.2);
    let rows_of = |flat: &[f64]| flat.chunks(m).map(<[f64]>::to_vec).collect::<Vec<_>>();
    let weights = waves(n * m, 1.0);
    let mut adjoints = rows_of(&weights);
    rows_adjoint(&mut rows_of(&flat), &mut adjoints, steps);
    let value = |flat: &[f64]| {
        let mut u = rows_of(flat);
        rows(&mut u, steps);
        let products = u.concat().into_iter().zip(&weights).map(|(u, w)| u * w);
        products.sum::<f64>()
    };
    assert_gradient(&adjoints.concat(), &flat, value);
}

/// Bytes of a snapshot, where the state is `x` alone and where it is `x` and the memory.
#[test]
fn snapshots_hold_what_steps_read_and_change() {
    let (tape, n, steps) = (&mut Tape::new(), 6, 20);
    macro_rules! bytes {
        ($name:ident($x:expr $(, $arg:expr)*)) => {{
            let mut x = $x;
            let mut x_adj = vec![0.0; x.len()];
            $name(tape, &mut x, &mut x_adj $(, $arg)*);
 snapshot_bytes(tape)
        }};
    }
    let x = || waves(n, 0.2);
    assert_eq!(
        bytes!(interior_adjoint_with(x(), 0.3, &mut 0.0, steps)),
        8 * n
    );
    assert_eq!(bytes!(edges_adjoint_with(x(), steps)), 8 * n);
    assert_eq!(bytes!(sums_adjoint_with(x(), steps)), 8 * n);
    // The loop is unrolled.
    assert_eq!(bytes!(diagonal_adjoint_with(x(), steps)), 8 * n);
    assert_eq!(
        bytes!(grid_adjoint_with(waves(25, 0.2), 5, steps, 1.0)),
        8 * 25
    );
    assert_eq!(
        bytes!(plate_adjoint_with(waves(16, 0.2), 0.1, &mut 0.0, steps)),
        8 * 16
    );

    let both = 8 * (2 * n + 1);
    assert_eq!(bytes!(below_a_condition_adjoint_with(x(), steps)), both);
    assert_eq!(bytes!(one_too_few_adjoint_with(x(), steps)), both);
    assert_eq!(bytes!(too_late_adjoint_with(x(), steps)), both);
    assert_eq!(bytes!(from_behind_adjoint_with(x(), steps)), both);
    assert_eq!(bytes!(not_always_adjoint_with(x(), steps)), both);
    assert_eq!(bytes!(left_early_adjoint_with(x(), steps)), both);
    assert_eq!(bytes!(every_other_adjoint_with(x(), steps)), both);
    assert_eq!(bytes!(grown_adjoint_with(x(), steps)), both);
    assert_eq!(bytes!(while_loops_adjoint_with(x(), steps)), both);
}

/// Of a struct, the fields that steps change.
#[test]
fn snapshots_hold_fields() {
    let n = 6;
    let water = |value: f64| Water {
        depth: vec![value; n],
        flow: vec![0.0; n],
        bed: vec![0.5; n],
        h: 0.1,
    };
    let tape = &mut Tape::new();
    flood_adjoint_with(tape, &mut water(0.7), &mut water(0.0), 20);
    assert_eq!(
        snapshot_bytes(tape),
        8 * (n + 1),
        "the depth, with its length"
    );
    water(0.7).run_adjoint_with(tape, &mut water(0.0), 20);
    assert_eq!(snapshot_bytes(tape), 8 * (n + 1), "the same");
}

#[test]
fn snapshots_leave_out_what_the_number_of_the_step_gives() {
    let (x, tape) = (waves(5, 0.2), &mut Tape::new());
    let x_adj = &mut [0.0; 5];
    let (u, adj) = (|| vec![0.1, 0.2], || vec![1.0; 2]);
    two_ways_adjoint_with(tape, &x, x_adj, &mut u(), &mut adj(), 20);
    assert_eq!(snapshot_bytes(tape), 8 * 2, "both elements of `u`");
    backwards_adjoint_with(tape, &x, x_adj, &mut u(), &mut adj(), 20, 1.0);
    let bytes = snapshot_bytes(tape);
    assert_eq!(bytes, 8 * 2 + 1, "both, and whether the loop was left");
    by_width_adjoint_with(tape, &x, x_adj, &mut u(), &mut adj(), 20);
    let bytes = snapshot_bytes(tape);
    assert_eq!(bytes, 8 * 2 + 1, "both, and whether the loop was left");
    wandering_adjoint_with(tape, &x, x_adj, &mut u(), &mut adj(), 20);
    assert_eq!(snapshot_bytes(tape), 8 * 7, "both, and the integers");
}
