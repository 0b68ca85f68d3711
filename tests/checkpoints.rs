//! `#[checkpoint]`: loops and statements that are reversed from snapshots.
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;

use adjoint::{Differentiable, Tape, adjoint};
use common::{assert_gradient, check};

/// A loop whose index and bounds matter.
#[adjoint]
fn decay(u: &mut [f64], nu: f64, from: usize, to: usize) {
    #[checkpoint(snapshots = 3)]
    for t in (from..=to).rev().step_by(2) {
        for i in 1..u.len() {
            u[i] += nu * u[i - 1] * u[i - 1].sin() / (1.0 + t as f64);
        }
    }
}

#[adjoint]
fn until(x: f64, limit: f64, snapshots: usize) -> f64 {
    let (mut s, mut n) = (x, 0);
    #[checkpoint(snapshots = snapshots)]
    while s < limit {
        s = s * s + 0.1 * n as f64;
        n += 1;
    }
    s * n as f64
}

/// A loop that is left in the middle of a step, by one of two exits, one of which returns.
#[adjoint]
fn leaving(x: &[f64], limit: f64) -> f64 {
    let mut s = 1.0;
    let mut product = 1.0;
    #[checkpoint(snapshots = 2)]
    for (i, v) in x.iter().enumerate() {
        s += v * s;
        if s > limit {
            break;
        }
        product *= v.cos();
        if product < 0.01 {
            return product * s * i as f64;
        }
        s *= product + 0.5;
    }
    s * s * product
}

#[adjoint]
fn tried(x: &[f64], at: &[usize]) -> Option<f64> {
    let mut s = 0.5;
    #[checkpoint(snapshots = 2)]
    for i in at {
        let v = x.get(*i)?;
        s = (s + v).sin() * v;
    }
    Some(s)
}

#[adjoint]
fn forever(x: f64) -> (f64, usize) {
    let (mut a, mut b, mut n) = (x, 1.0, 0);
    #[checkpoint(snapshots = 2)]
    loop {
        let next = 0.5 * (a + b);
        b = (a * b).sqrt();
        a = next;
        n += 1;
        if (a - b).abs() < 1e-9 {
            break;
        }
    }
    (a * b, n)
}

/// Loops inside each other, a history of which no adjoint reads the old elements, and scratch.
#[adjoint]
fn nested(u: &mut [f64], history: &mut [f64], k: f64) -> f64 {
    let mut scratch = vec![0.0; u.len()];
    let n = history.len();
    #[checkpoint(snapshots = 2)]
    for t in 0..n {
        #[checkpoint(snapshots = 3)]
        for _ in 0..4 {
            for i in 0..scratch.len() {
                scratch[i] = u[i] * u[(i + 1) % u.len()];
            }
            for i in 0..u.len() {
                u[i] += k * scratch[i].sin();
            }
        }
        history[t] = u[0] * u[1];
    }
    history.iter().map(|h| h * h).sum()
}

/// A list that grows and shrinks.
#[adjoint]
fn queue(x: &[f64], steps: usize) -> f64 {
    let mut held: Vec<f64> = Vec::new();
    let mut s = 1.0;
    #[checkpoint(snapshots = 2)]
    for t in 0..steps {
        held.push(x[t % x.len()] * s);
        if t % 3 == 2 {
            let last = held.pop().unwrap();
            s += last * held[0];
        }
    }
    s + held.iter().sum::<f64>()
}

#[adjoint]
mod particles {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Body {
        pub position: [f64; 2],
        pub speed: [f64; 2],
        pub mass: f64,
        pub steps: usize,
    }

    pub fn accelerate(body: &mut Body, dt: f64) {
        let r = (body.position[0] * body.position[0] + body.position[1] * body.position[1]).sqrt();
        for d in 0..2 {
            body.speed[d] -= dt * body.mass * body.position[d] / (r * r * r);
            body.position[d] += dt * body.speed[d];
        }
        body.steps += 1;
    }

    pub fn orbit(body: &mut Body, dt: f64, n: usize) -> f64 {
        #[checkpoint(snapshots = 4)]
        for _ in 0..n {
            accelerate(body, dt);
        }
        #[checkpoint]
        accelerate(body, 2.0 * dt);
        #[checkpoint]
        let energy = kinetic(body);
        energy * body.position[0]
    }

    pub fn kinetic(body: &Body) -> f64 {
        0.5 * body.mass * (body.speed[0] * body.speed[0] + body.speed[1] * body.speed[1])
    }
}
use particles::*;

#[adjoint]
fn generic<T: num_traits::Float>(x: &[T], k: T, steps: usize) -> T {
    let mut s = k;
    #[checkpoint(snapshots = 2)]
    for t in 0..steps {
        s = (s * x[t % x.len()]).sin() + k;
    }
    s * s
}

mod limits {
    pub const DISK: usize = 2;
}

#[adjoint]
fn on_disk(u: &mut [f64], limit: usize, steps: usize) -> f64 {
    let mut s = 1.0;
    let mut count = 0;
    let mut is_odd = false;
    #[checkpoint(snapshots = 1, disk = limits::DISK)]
    for _ in 0..steps {
        for v in u.iter_mut() {
            *v = (*v * s).sin() + 0.2;
        }
        if is_odd && count < limit {
            s *= u[count];
            count += 1;
        }
        is_odd = !is_odd;
    }
    s + u[0]
}

/// Ping-pong buffers, a scratch that one branch fills, continue, parity, halves.
#[adjoint]
fn pingpong(u: &mut Vec<f64>, k: f64, steps: usize, snapshots: usize) -> f64 {
    let n = u.len();
    let mut other = vec![0.0; n];
    let mut scratch = vec![1.0; n];
    let mut last = 0.0;
    #[checkpoint(snapshots = snapshots)]
    for t in 0..steps {
        if t % 3 != 1 {
            for i in 0..n {
                scratch[i] = u[i] * k;
            }
        }
        for i in 0..n {
            other[i] = (u[i] * scratch[(i + 1) % n]).sin() + u[n - 1 - i];
        }
        std::mem::swap(u, &mut other);
        if t % 4 == 2 {
            continue;
        }
        let (a, b) = u.split_at_mut(n / 2);
        for (x, y) in a.iter_mut().zip(b.iter()) {
            *x *= *y;
        }
        last = u[0] * scratch[n - 1];
    }
    last + other[0] * u[n - 1]
}

/// Labels, values of loops, nested, and integers of the caller's.
#[adjoint]
fn exits(x: &[f64], count: &mut usize, seen: &mut [bool], limit: f64) -> f64 {
    let mut s: f64 = 1.0;
    let mut hits = [0usize; 3];
    #[checkpoint(snapshots = 2)]
    'outer: for (i, &v) in x.iter().enumerate() {
        let mut j = 0;
        #[checkpoint(snapshots = 1)]
        let w = loop {
            s += v * (s * 0.3).cos();
            j += 1;
            *count += 1;
            if s > limit {
                break 'outer;
            }
            if j > i % 3 {
                break s * v;
            }
            if s < -limit {
                continue 'outer;
            }
        };
        hits[j % 3] += 1;
        seen[i % seen.len()] = !seen[i % seen.len()];
        if hits[j % 3] & 1 == 0 {
            s = w * w;
        } else {
            s += w;
        }
    }
    s * s * hits[1] as f64
}

#[adjoint]
mod relaxation {
    /// The caller needs `u` back.
    pub fn relax(u: &mut [f64], n: usize, tolerance: f64) -> usize {
        let mut done = 0;
        #[checkpoint(snapshots = 2)]
        while done < n {
            let mut change: f64 = 0.0;
            for i in 1..u.len() - 1 {
                let new = 0.5 * (u[i - 1] + u[i + 1]) * (1.0 + 0.1 * u[i]);
                change = change.max((new - u[i]).abs());
                u[i] = new;
            }
            done += 1;
            if change < tolerance {
                return done;
            }
        }
        done
    }
    pub fn recurse(u: &mut [f64], depth: usize) -> f64 {
        if depth == 0 {
            return u[0] * u[1];
        }
        #[checkpoint(snapshots = 2)]
        for k in 0..depth {
            for v in u.iter_mut() {
                *v = (*v * (k + 1) as f64).sin() + 0.5 * *v;
            }
        }
        let mut copy = u.to_vec();
        #[checkpoint]
        let a = recurse(&mut copy, depth - 1);
        let b = recurse(u, depth - 1);
        a * b * copy[1] + u[0]
    }
    pub fn twice(u: &mut [f64], k: f64, n: usize) -> f64 {
        for v in u.iter_mut() {
            *v = *v * *v * k;
        }
        let a = relax(u, n, 1e-3);
        for v in u.iter_mut() {
            *v = (*v).exp() * *v;
        }
        #[checkpoint]
        {
            relax(u, n + 1, 1e-3);
        }
        let mut product = 1.0;
        for v in u.iter_mut() {
            product *= *v;
            *v *= product;
        }
        product * a as f64 + recurse(&mut u[1..3], 3)
    }
}
use relaxation::*;

fn waves(n: usize, shift: f64) -> Vec<f64> {
    let wave = |i| 0.5 + 0.3 * (0.7 * i as f64 + shift).sin();
    (0..n).map(wave).collect()
}

#[test]
fn counted_loops() {
    for to in [0, 1, 2, 5, 17, 40] {
        check!(decay(&mut waves(5, 0.2), 0.3, const 1, const to));
        check!(generic(&waves(3, 0.3), 0.7, const to) -> f64);
        check!(queue(&waves(4, 0.6), const to) -> f64);
    }
    for n in [0, 1, 2, 7] {
        check!(nested(&mut waves(3, 0.4), &mut waves(n, 0.1), 0.2) -> f64);
    }
}

#[test]
fn loops_of_unknown_length() {
    for snapshots in [1, 2, 5] {
        check!(until(1.3, 8.5, const snapshots) -> f64);
        check!(until(1.01, 1e6, const snapshots) -> f64);
        check!(until(9.3, 8.5, const snapshots) -> f64);
    }
    for n in [0, 1, 4, 9, 30] {
        check!(leaving(&waves(n, 0.2), 20.0) -> f64);
        check!(leaving(&waves(n, 0.2), 1e9) -> f64);
    }
    let mut x_adj = 0.0;
    forever_adjoint(0.4, &mut x_adj, (1.0, 0));
    let difference = (forever(0.4 + 1e-6).0 - forever(0.4 - 1e-6).0) / 2e-6;
    assert!(
        (x_adj - difference).abs() < 1e-8 * difference.abs(),
        "{x_adj} {difference}"
    );
}

#[test]
fn question_marks_leave_the_adjoints_alone() {
    let x = [0.3, 0.8, 0.5];
    let mut x_adj = [0.0; 3];
    let value = tried_adjoint(&x, &mut x_adj, &[0, 2, 1, 1], Some(1.0));
    assert_eq!(value, tried(&x, &[0, 2, 1, 1]));
    for i in 0..3 {
        let at = |h: f64| {
            let mut x = x;
            x[i] += h;
            tried(&x, &[0, 2, 1, 1]).unwrap()
        };
        let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
        assert!(
            (x_adj[i] - difference).abs() < 1e-9,
            "{} {difference}",
            x_adj[i]
        );
    }
    let before = x_adj;
    assert_eq!(tried_adjoint(&x, &mut x_adj, &[0, 7], Some(1.0)), None);
    assert_eq!(x_adj, before);
}

fn body() -> Body {
    Body {
        position: [1.0, 0.2],
        speed: [0.1, 0.8],
        mass: 1.3,
        steps: 3,
    }
}

#[test]
fn structs_and_statements() {
    for n in [0, 1, 3, 25] {
        let mut gradient = body().zero_like();
        let mut tape = Tape::new();
        let mut moved = body();
        orbit_adjoint_with(&mut tape, &mut moved, &mut gradient, 0.05, &mut 0.0, n, 1.0);
        let mut expected = body();
        orbit(&mut expected, 0.05, n);
        assert_eq!(moved, expected);
        let flat = body().to_flat();
        assert_gradient(&gradient.to_flat(), &flat, |flat| {
            let mut moved = body();
            moved.copy_from_flat(flat);
            orbit(&mut moved, 0.05, n)
        });
    }
}

#[test]
fn snapshots_in_files() {
    for steps in [0, 1, 2, 3, 10, 33] {
        check!(on_disk(&mut waves(4, 0.5), const 3, const steps) -> f64);
    }
}

/// The same loop with and without snapshots has the same bits, and the tape holds less.
#[test]
fn the_tape_is_short() {
    #[adjoint]
    fn stored(u: &mut [f64], nu: f64, steps: usize) {
        for _ in 0..steps {
            for i in 1..u.len() {
                u[i] += nu * u[i - 1] * u[i - 1].sin();
            }
        }
    }
    #[adjoint]
    fn checkpointed(u: &mut [f64], nu: f64, steps: usize) {
        #[checkpoint(snapshots = 5)]
        for _ in 0..steps {
            for i in 1..u.len() {
                u[i] += nu * u[i - 1] * u[i - 1].sin();
            }
        }
    }
    let mut tape = Tape::new();
    type Sweeps = dyn Fn(&mut Tape, &mut [f64], &mut [f64], &mut f64);
    let mut run = |adjoint: &Sweeps| {
        let (mut u, mut u_adj, mut nu_adj) = (waves(20, 0.3), waves(20, 0.9), 0.0);
        adjoint(&mut tape, &mut u, &mut u_adj, &mut nu_adj);
        let bits = u.iter().chain(&u_adj).chain([&nu_adj]).map(|v| v.to_bits());
        (bits.collect::<Vec<_>>(), tape.stats())
    };
    let (all, of_all) = run(&|tape, u, u_adj, nu_adj| {
        stored_adjoint_with(tape, u, u_adj, 0.1, nu_adj, 200);
    });
    let (few, of_few) = run(&|tape, u, u_adj, nu_adj| {
        checkpointed_adjoint_with(tape, u, u_adj, 0.1, nu_adj, 200);
    });
    assert_eq!(all, few);
    assert_eq!(of_all.snapshots.entries, 0);
    // 200 steps have as many states, of which five are held at a time; a sixth copy is that of the exit values.
    assert!(of_few.snapshots.entries > 5, "{of_few:?}");
    assert_eq!(of_few.snapshots.bytes, of_few.snapshots.entries * 20 * 8);
    assert!(of_few.peak_bytes < 10 * 20 * 8, "{of_few:?}");
    assert!(of_all.peak_bytes > 200 * 19 * 8, "{of_all:?}");
}

#[test]
fn a_panic_leaves_no_snapshots() {
    #[adjoint]
    fn beyond(x: &[f64], steps: usize) -> f64 {
        let mut s = 1.0;
        #[checkpoint(snapshots = 2)]
        for t in 0..steps {
            s = (s * x[t]).sin();
        }
        s
    }
    let (x, mut x_adj, mut tape) = (waves(4, 0.1), vec![0.0; 4], Tape::new());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        beyond_adjoint_with(&mut tape, &x, &mut x_adj, 9, 1.0);
    }));
    assert!(panicked.is_err());
    x_adj.fill(0.0);
    beyond_adjoint_with(&mut tape, &x, &mut x_adj, 4, 1.0);
    let mut alone = vec![0.0; 4];
    beyond_adjoint(&x, &mut alone, 4, 1.0);
    assert_eq!(x_adj, alone);
}

#[test]
fn overwrites_exits_and_callers() {
    for n in [0, 1, 2, 3, 5] {
        for snapshots in [1, 2, 40] {
            check!(pingpong(&mut waves(4, 0.2), 0.8, const n, const snapshots) -> f64);
            check!(pingpong(&mut waves(5, 0.2), 0.8, const n, const snapshots) -> f64);
        }
        check!(twice(&mut waves(5, 0.3), 0.9, const n) -> f64);
        check!(recurse(&mut waves(3, 0.3), const n.min(4)) -> f64);
    }
}

#[test]
fn integers_of_the_caller_are_changed_once() {
    for (n, limit) in [(0, 2.0), (1, 2.0), (5, 2.0), (5, 6.0), (9, 6.0)] {
        let x = waves(n, 0.4);
        let run = |x: &[f64]| {
            let (mut count, mut seen) = (3, [false, true]);
            let value = exits(x, &mut count, &mut seen, limit);
            (value, count, seen)
        };
        let (mut count, mut seen, mut x_adj) = (3, [false, true], vec![0.0; n]);
        let value = exits_adjoint(&x, &mut x_adj, &mut count, &mut seen, limit, &mut 0.0, 1.0);
        assert_eq!((value, count, seen), run(&x));
        for (i, found) in x_adj.into_iter().enumerate() {
            let at = |h: f64| {
                let mut x = x.clone();
                x[i] += h;
                run(&x).0
            };
            let near = (at(1e-4) - at(-1e-4)) / 2e-4;
            let far = (at(2e-4) - at(-2e-4)) / 4e-4;
            let expected = (4.0 * near - far) / 3.0;
            let error = (found - expected).abs();
            assert!(error < 1e-6 * (1.0 + expected.abs()), "{n} {limit} {i}");
        }
    }
}
