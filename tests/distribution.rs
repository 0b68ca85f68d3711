//! Distributed loops and invariants before loops: values, zero seeds, and the shortest loops.
#![allow(
    clippy::assign_op_pattern,
    clippy::manual_is_multiple_of,
    clippy::needless_range_loop,
    clippy::ptr_arg,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;

use adjoint::adjoint;
use common::check;

#[adjoint]
mod kernels {
    /// One step of advection and diffusion; its factors are invariant.
    pub fn step(old: &[f64], u: &mut [f64], nu: f64, dt: f64, dx: f64) {
        for i in 1..old.len() - 1 {
            let flux = old[i] * (old[i + 1] - old[i - 1]);
            u[i] = old[i] - dt / (2.0 * dx) * flux
                + nu * dt / (dx * dx) * (old[i + 1] - 2.0 * old[i] + old[i - 1]);
        }
    }
    pub fn steps(u: &mut [f64], nu: f64, dt: f64, dx: f64, n: usize) -> f64 {
        for _ in 0..n {
            let old = u.to_vec();
            step(&old, u, nu, dt, dx);
        }
        u.iter().map(|v| v * v).sum()
    }
    pub fn product(a: &[f64], x: &[f64], y: &mut [f64], first: usize) {
        let n = x.len();
        for i in 0..y.len() {
            for j in first..n {
                y[i] += a[i * n + j] * x[j];
            }
        }
    }
    /// The halves of one array, and a sum.
    pub fn fold(x: &mut [f64], middle: usize, k: f64) -> f64 {
        let mut s = 0.0;
        let (a, b) = x.split_at_mut(middle);
        for i in 0..b.len().min(a.len()) {
            a[i] += k * b[i] * b[i];
            b[i] = k * b[i] - a[i];
            s += a[i] * b[i];
        }
        s
    }
    /// Backwards, inclusive, with indices of another type, under a branch.
    pub fn forms(x: &[f64], y: &mut [f64], k: f64) -> f64 {
        let mut s = 0.0;
        for i in (1..x.len()).rev() {
            y[i - 1] += k * x[i];
        }
        for i in 1..=x.len() - 2 {
            if x[i] > 0.1 {
                s += x[i] * y[i];
            } else {
                y[i] *= x[i];
            }
        }
        for i in 0..x.len() as i32 {
            s += x[i as usize] * f64::from(i);
        }
        s
    }
    /// Elements that only a branch reads or writes, and their adjoints.
    pub fn chosen(x: &[f64], y: &mut [f64], z: &mut [f64], k: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            s += x[i] * k;
            if x[i] > 0.3 {
                z[i] = x[i] * y[i];
            }
            let v = if x[i] < -0.2 { 3.0 * y[i] } else { k * x[i] };
            y[i] = v * k;
        }
        for i in 0..x.len() {
            if x[i] > 0.1 {
                y[i] = y[i] * y[i] * x[i];
            }
            s += y[i] * y[i];
        }
        for i in 0..x.len() {
            if y[i] > 0.1 {
                s += x[i];
            } else {
                s += z[i];
            }
        }
        s
    }
}
use kernels::*;

/// Elimination, whose factor is a sum and its row elements of one loop, and columns of the result.
#[adjoint]
fn eliminated(a: &mut [f64], n: usize) -> f64 {
    for k in 0..n {
        let (above, below) = a.split_at_mut((k + 1) * n);
        let pivot = &above[k * n..];
        for row in below.chunks_exact_mut(n) {
            let factor = row[k] / (4.0 + pivot[k]);
            for j in k + 1..n {
                row[j] -= factor * pivot[j];
            }
        }
    }
    let mut total = 0.0;
    for j in 0..n {
        let mut sum = 0.0;
        for i in 0..n {
            sum += a[i * n + j] * a[i];
        }
        total += sum * sum;
    }
    total
}

/// Elements of one half beside a column of the other one, and a column of a diagonal beside another matrix.
#[adjoint]
fn halves_and_diagonals(a: &mut [f64], m: &[Vec<f64>], x: &[f64], y: &[f64], c: f64) -> f64 {
    let n = x.len();
    let (p, q) = a.split_at_mut(n);
    for k in 0..n {
        p[k] += c * q[3 * k];
    }
    let mut sum = 0.0;
    for i in 0..n {
        sum += m[i][0] * x[i] + m[i][i] * y[i] * p[i];
    }
    sum
}

/// What is joined into one increment of its own statement's zero.
#[adjoint]
fn grown(x: &mut [f64], c: f64) {
    for i in 0..x.len() {
        x[i] = (x[i] + c * x[i]).sin();
    }
    let mut v = x[0];
    v = (v + c * v).exp() * v;
    x[0] = v;
}

/// Callers for which one of two sums is varied.
#[adjoint]
fn of_fixed_matrix(x: &[f64], y: &[f64]) -> f64 {
    let m = vec![vec![2.0, 3.0, 5.0]; 3];
    let z = vec![1.5; 3];
    diagonals(&m, &z, y) + diagonals(&m, x, &z)
}

#[adjoint]
fn diagonals(m: &[Vec<f64>], x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += m[i][0] * x[i] + m[i][i] * y[i];
    }
    sum
}

#[test]
fn parts_borrow_what_they_reach() {
    check!(of_fixed_matrix(&waves(3, 0.1), &waves(3, 0.2)) -> f64);
    for n in [1, 2, 9] {
        let m: Vec<Vec<f64>> = (0..n).map(|i| waves(n, i as f64)).collect();
        let (x, y) = (waves(n, 0.4), waves(n, 0.9));
        check!(halves_and_diagonals(&mut waves(4 * n, 0.3), &m, &x, &y, 1.2) -> f64);
        check!(grown(&mut waves(n, 0.1), 0.3));
    }
}

#[test]
fn sums_beside_elements_and_columns() {
    for n in [0, 1, 2, 3, 4, 5, 6, 7, 9, 13] {
        check!(eliminated(&mut waves(n * n, 0.3), const n) -> f64);
    }
}

/// Ways of three branches, recorded behind them: 70 labels, and flags among these.
#[adjoint]
fn ways(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        let v = if x[i] < -0.3 {
            x[i].sin()
        } else if x[i] < 0.3 {
            3.0 * x[i]
        } else {
            x[i] * x[i]
        };
        if i % 3 == 0 && v > 0.1 {
            sum += v * x[i];
        } else {
            sum -= v;
        }
    }
    sum * sum
}

#[test]
fn ways_are_recorded_behind_branches() {
    for n in [1, 31, 32, 33, 70] {
        check!(ways(&waves(n, 0.2)) -> f64);
    }
}

fn waves(n: usize, shift: f64) -> Vec<f64> {
    (0..n).map(|i| (0.7 * i as f64 + shift).sin()).collect()
}

#[test]
fn loops_of_any_length() {
    for n in [2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 21] {
        check!(step(&waves(n, 0.2), &mut waves(n, 0.9), 0.3, 0.1, 0.7));
        check!(steps(&mut waves(n, 0.2), 0.3, 0.1, 0.7, const 3) -> f64);
        for first in [0, 1] {
            let a = waves(3 * n, 0.4);
            check!(product(&a, &waves(n, 0.1), &mut waves(3, 0.8), const first));
        }
        check!(fold(&mut waves(2 * n + 1, 0.3), const n, 1.2) -> f64);
        check!(fold(&mut waves(2 * n, 0.3), const n + 1, 1.2) -> f64);
        check!(forms(&waves(n, 0.6), &mut waves(n, 0.5), 0.75) -> f64);
        check!(chosen(&waves(n, 0.2), &mut waves(n, 0.5), &mut waves(n, 0.8), 0.75) -> f64);
    }
}

#[adjoint]
fn beyond(x: &[f64], y: &mut [f64], from: usize, to: usize) -> f64 {
    let mut s = 0.0;
    for i in from..to {
        y[i - 1] = x[i + 1] * x[i];
    }
    for i in from..to {
        s += x[i - 1];
    }
    for v in y.iter() {
        s += v * v;
    }
    s
}

#[test]
fn loops_without_iterations_may_be_out_of_bounds() {
    for (from, to) in [(0, 0), (9, 9), (9, 3), (1, 8), (1, 2)] {
        check!(beyond(&waves(9, 0.2), &mut waves(8, 0.3), const from, const to) -> f64);
    }
    check!(step(&vec![0.4, 0.5], &mut Vec::<f64>::new(), 0.3, 0.1, 0.7));
    check!(beyond(&Vec::<f64>::new(), &mut Vec::<f64>::new(), const 3, const 1) -> f64);
}

/// Sums behind references, and numbers that only statements in front of a loop require.
#[adjoint]
mod numbers {
    pub fn sums(x: &[f64], y: &[f64], a: &mut f64, b: &mut f64) {
        for v in x {
            *a += v * v;
        }
        for v in y {
            *b += v * v * v;
        }
    }
    pub fn squared_sums(x: &[f64], y: &[f64], s: &mut f64) -> f64 {
        *s = x[0] * *s;
        sums(x, y, s, &mut 0.0);
        *s * *s
    }
    /// The order of a fast transform: the bits of `i` in `j`, backwards.
    pub fn reversed_bits(x: &mut [f64], k: f64) -> f64 {
        let n = x.len();
        let (mut j, mut s) = (0, 0.0);
        for i in 1..n {
            let mut bit = n >> 1;
            while j & bit != 0 {
                j ^= bit;
                bit >>= 1;
            }
            j ^= bit;
            s += x[j % n] * x[i] * k;
            if i < j && j < n {
                x.swap(i, j);
            }
            x[i] *= s;
        }
        s
    }
    /// A generator of random numbers in the loop; how often it is called depends on them.
    pub fn drawn(x: &[f64], mut state: u64) -> f64 {
        let mut s = 0.0;
        for v in x {
            let at = state % 7;
            while state % 3 > 0 {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407)
                    >> 3;
            }
            s += v * v * at as f64 * (state % 5) as f64;
            state += 11;
        }
        s
    }
    /// A real number that no adjoint in the inner loop requires.
    pub fn scaled(x: &[f64], n: usize) -> f64 {
        let (mut s, mut w) = (0.0, 1.5);
        for v in x {
            s += v * v * w;
            for _ in 0..n {
                w = 0.5 * w + 0.25;
            }
        }
        s * w
    }
}

#[test]
fn numbers_are_recorded_in_front_of_loops() {
    for n in [1, 2, 8, 16, 21] {
        let (x, y) = (waves(n, 0.2), waves(n, 0.9));
        check!(numbers::sums(&x, &y, &mut 0.5, &mut 0.25));
        check!(numbers::squared_sums(&x, &y, &mut 0.75) -> f64);
        check!(numbers::reversed_bits(&mut waves(n, 0.2), 0.3) -> f64);
        check!(numbers::drawn(&x, const 12345) -> f64);
        check!(numbers::scaled(&x, const 3) -> f64);
        check!(numbers::scaled(&x, const 0) -> f64);
    }
}

/// Records of loops that run downwards.
#[adjoint]
mod downwards {
    pub fn from_zero(x: &[f64], y: &mut [f64]) {
        for j in (0..x.len()).rev() {
            y[j] = x[j] * y[j];
        }
    }
    pub fn from_one(x: &[f64], y: &mut [f64], k: f64) -> f64 {
        let mut s = 0.0;
        for j in (1..=x.len() - 1).rev() {
            let v = (k * x[j]).exp();
            y[j - 1] = v * y[j - 1];
            s += v * y[j - 1];
        }
        s
    }
    pub fn by_items(x: &[f64], y: &mut [f64]) {
        for (x, y) in x.iter().zip(y.iter_mut()).rev() {
            *y = x * *y * *y;
        }
    }
    pub fn of_another_type(x: &[f64], y: &mut [f64], n: i32) {
        for j in (2..n).rev() {
            y[j as usize] = x[j as usize] * y[j as usize] * f64::from(j);
        }
    }
}

#[test]
fn loops_that_run_downwards() {
    for n in [2, 3, 8, 9, 10, 13, 24] {
        let x = waves(n, 0.2);
        check!(downwards::from_zero(&x, &mut waves(n, 0.9)));
        check!(downwards::from_one(&x, &mut waves(n, 0.9), 0.4) -> f64);
        check!(downwards::by_items(&x, &mut waves(n, 0.9)));
        check!(downwards::of_another_type(&x, &mut waves(n, 0.9), const n as i32));
    }
}

#[adjoint]
mod rows {
    /// Gaussian elimination without pivots.
    pub fn eliminate(m: &mut Vec<Vec<f64>>, x: &mut [f64]) {
        let n = x.len();
        for k in 0..n {
            for i in k + 1..n {
                let f = m[i][k] / m[k][k];
                for j in k..n {
                    m[i][j] -= f * m[k][j];
                }
                x[i] -= f * x[k];
            }
        }
    }
    /// Rows that may be one row, from behind.
    pub fn combine(m: &mut [Vec<f64>], to: usize, from: usize, f: f64) {
        for j in (1..m[to].len()).rev() {
            let v = m[from][j];
            m[to][j] = f * v * m[to][j] + m[from][j];
        }
    }
    /// Runs of one list, which overlap or not, as `to` and `from` are.
    pub fn add(m: &mut [f64], to: usize, from: usize, n: usize, f: f64) -> f64 {
        let mut s = 0.0;
        for j in 2..n {
            m[to * 2 + j] += f * m[from + j] * m[from + j];
            s += m[to * 2 + j];
        }
        s
    }
    /// Three rows at once.
    pub fn rotate(m: &mut Vec<Vec<f64>>, a: usize, b: usize, c: usize, t: f64) {
        for j in 0..m[a].len() {
            let (x, y, z) = (m[a][j], m[b][j], m[c][j]);
            m[a][j] = t * x - y * z;
            m[b][j] = t * y + x;
            m[c][j] = t * z + y;
        }
    }
}
use rows::*;

fn matrix(rows: usize, columns: usize) -> Vec<Vec<f64>> {
    let mut m: Vec<Vec<f64>> = (0..rows).map(|i| waves(columns, i as f64)).collect();
    for (i, row) in m.iter_mut().enumerate() {
        if let Some(v) = row.get_mut(i) {
            *v += 4.0;
        }
    }
    m
}

#[test]
fn rows_and_runs_that_may_be_the_same() {
    for n in [1, 7, 8, 11, 17] {
        check!(eliminate(&mut matrix(n, n), &mut waves(n, 0.3)));
        for (a, b) in [(0, 2), (2, 0), (1, 1)] {
            check!(combine(&mut matrix(3, n), const a, const b, 0.7));
            for c in 0..3 {
                check!(rotate(&mut matrix(3, n), const a, const b, const c, 0.7));
            }
        }
    }
    for n in [2_usize, 3, 9, 10, 14] {
        for (to, from) in [
            (0, 0),
            (0, 1),
            (1, 0),
            (3, 2),
            (0, n.saturating_sub(3)),
            (0, n - 2),
            (n / 2, 0),
            (0, 14),
        ] {
            check!(add(&mut waves(28, 0.1), const to, const from, const n, 0.6) -> f64);
        }
    }
}

#[adjoint]
fn generic<T: num_traits::Float>(x: &[T], y: &[T], k: T) -> T {
    let mut s = T::zero();
    for i in 0..x.len() {
        s = s + k * x[i] * y[i];
    }
    s
}

#[test]
fn sums_of_generic_floats() {
    check!(generic(&waves(19, 0.2), &waves(19, 0.4), 1.3) -> f64);
    let (mut x_adj, mut k_adj) = ([0f32; 9], 0f32);
    let (x, y) = ([0.5f32; 9], [2f32; 9]);
    let mut y_adj = [0f32; 9];
    let value = generic_adjoint(&x, &mut x_adj, &y, &mut y_adj, 3.0, &mut k_adj, 1.0);
    assert_eq!(
        (value, x_adj, y_adj, k_adj),
        (27.0, [6.0; 9], [1.5; 9], 9.0)
    );
}

#[adjoint]
fn weighted(w: f64, x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * y[i];
    }
    w * sum
}

#[test]
fn a_zero_seed_leaves_infinite_elements_out() {
    let (x, mut y) = (waves(12, 0.1), waves(12, 0.2));
    y[5] = f64::INFINITY;
    y[7] = f64::NAN;
    let (mut w_adj, mut x_adj, mut y_adj) = (0.0, vec![0.5; 12], vec![0.25; 12]);
    let value = weighted_adjoint(0.0, &mut w_adj, &x, &mut x_adj, &y, &mut y_adj, 1.0);
    assert!(value.is_nan() && w_adj.is_nan());
    assert_eq!((x_adj, y_adj), (vec![0.5; 12], vec![0.25; 12]));
}

#[adjoint]
fn scaled(a: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..x.len() {
        y[i] = a * x[i];
    }
}

#[test]
fn zero_seeds_of_elements_leave_these_out() {
    let mut x = vec![2.0; 11];
    (x[3], x[10]) = (f64::INFINITY, f64::NAN);
    let mut y = vec![0.0; 11];
    let mut y_adj = vec![1.0; 11];
    (y_adj[3], y_adj[10]) = (0.0, 0.0);
    let (mut a_adj, mut x_adj) = (0.0, vec![0.0; 11]);
    scaled_adjoint(
        f64::INFINITY,
        &mut a_adj,
        &x,
        &mut x_adj,
        &mut y,
        &mut y_adj,
    );
    assert_eq!(a_adj, 18.0);
    let infinite: Vec<bool> = x_adj.iter().map(|v| *v == f64::INFINITY).collect();
    let expected: Vec<bool> = (0..11).map(|i| i != 3 && i != 10).collect();
    assert_eq!((infinite, x_adj[3], x_adj[10]), (expected, 0.0, 0.0));
    assert_eq!(y_adj, vec![0.0; 11]);
}

#[adjoint]
fn scaled_by_both(a: f64, b: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..x.len() {
        y[i] = a * x[i] + b * (a * x[i]);
    }
}

/// Where the factors of a loop are finite, no seed is tested; where one is not, each is.
#[test]
fn factors_that_are_the_same_in_all_iterations() {
    for n in [1, 7, 8, 11, 40] {
        for (a, b) in [
            (2.0, -0.5),
            (f64::INFINITY, 3.0),
            (0.25, f64::NEG_INFINITY),
            (f64::NAN, 1.0),
            (1e200, 1e200),
        ] {
            let x = waves(n, 0.4);
            let (mut a_adj, mut b_adj) = (0.0, 0.0);
            let (mut x_adj, mut y) = (vec![0.0; n], vec![0.0; n]);
            let mut y_adj: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
            scaled_by_both_adjoint(
                a, &mut a_adj, b, &mut b_adj, &x, &mut x_adj, &mut y, &mut y_adj,
            );
            for i in 0..n {
                let seed = (i % 3) as f64;
                // A zero seed stays zero, whatever it is multiplied by.
                let expected = match seed == 0.0 {
                    true => 0.0,
                    false => seed * a + seed * b * a,
                };
                let found = x_adj[i];
                assert!(
                    found == expected
                        || found.is_nan() && expected.is_nan()
                        || (found - expected).abs() < 1e-12 * expected.abs(),
                    "{n} {a} {b} {i}: {found} and not {expected}"
                );
            }
        }
    }
}

#[adjoint]
mod expanded {
    /// The second difference, weighted; its adjoint goes to three neighbours.
    pub fn bent(a: &[f64], x: &[f64], y: &mut [f64]) {
        for i in 1..x.len() - 1 {
            let bend = x[i + 1] - 2.0 * x[i] + x[i - 1];
            y[i] = a[i] * bend;
        }
    }
    /// The same for an index of another type, both ends included.
    pub fn from_to(a: &[f64], x: &[f64], first: i32, last: i32) -> f64 {
        let mut sum = 0.0;
        for i in first..=last {
            let i = i as usize;
            let step = a[i] * (x[i] - x[i - 1]);
            sum += (1.0 + step * step).sqrt();
        }
        sum
    }
    /// A slope that is limited, for callers that want some of the derivatives.
    pub fn limited(u: &[f64], k: f64, out: &mut [f64]) {
        for i in 1..u.len() - 1 {
            let (left, right) = (u[i] - u[i - 1], u[i + 1] - u[i]);
            let slope = if left * right <= 0.0 {
                0.0
            } else if left.abs() < right.abs() {
                k * left
            } else {
                right
            };
            out[i] = u[i] + 0.4 * slope;
        }
    }
    #[adjoint(wrt(u))]
    pub fn energy(u: &[f64], k: f64) -> f64 {
        let mut out = vec![0.0; u.len()];
        limited(u, k, &mut out);
        out.iter().map(|v| v * v).sum()
    }
}

/// The parts of these loops run in blocks of 64 iterations.
#[test]
fn locals_that_parts_take_from_others() {
    for n in [2, 3, 9, 65, 66, 67, 130, 131, 200] {
        let (a, x, y) = (waves(n, 0.3), waves(n, 0.1), waves(n, 0.7));
        check!(expanded::bent(&a, &x, &mut y.clone()));
        check!(expanded::limited(&x, 0.8, &mut y.clone()));
        check!(expanded::energy(&x, const 0.8) -> f64);
        let last = n as i32 - 1;
        check!(expanded::from_to(&a, &x, const 1, const last) -> f64);
    }
}

#[test]
fn taken_locals_are_zero_where_their_seed_is() {
    let n = 150;
    let (mut a, x) = (waves(n, 0.3), waves(n, 0.1));
    a[70] = f64::INFINITY;
    let (mut a_adj, mut x_adj) = (vec![0.0; n], vec![0.0; n]);
    let (mut y, mut y_adj) = (vec![0.0; n], vec![1.0; n]);
    y_adj[70] = 0.0;
    expanded::bent_adjoint(&a, &mut a_adj, &x, &mut x_adj, &mut y, &mut y_adj);
    let a_of = |i: usize| if i == 70 { 0.0 } else { a[i] };
    for i in 2..n - 2 {
        let expected = a_of(i - 1) - 2.0 * a_of(i) + a_of(i + 1);
        assert!((x_adj[i] - expected).abs() < 1e-12, "{i}: {}", x_adj[i]);
        let bend = if i == 70 {
            0.0
        } else {
            x[i + 1] - 2.0 * x[i] + x[i - 1]
        };
        assert!((a_adj[i] - bend).abs() < 1e-12, "{i}: {}", a_adj[i]);
    }
}

#[adjoint]
mod aligned {
    /// Five neighbours, of which none is in the middle.
    pub fn lopsided(x: &[f64], y: &mut [f64], k: f64) {
        for i in 3..x.len() - 2 {
            y[i] = x[i - 3] * x[i - 1] + k * x[i + 1] * x[i + 2] - x[i] * x[i - 3];
        }
    }
    /// A value of each iteration is on the tape, and each part finds its own.
    pub fn recorded(x: &[f64], y: &mut [f64], steps: usize) -> f64 {
        for _ in 0..steps {
            for i in 1..x.len() - 1 {
                let weight = y[i].sin();
                y[i] = weight * x[i - 1] + (weight + y[i]) * x[i + 1];
            }
        }
        y.iter().map(|v| v * v).sum()
    }
    /// Neighbours in the rows of two matrices.
    pub fn rows(a: &mut [Vec<f64>], b: &[[f64; 40]], k: f64) {
        for (row, of) in a.iter_mut().zip(b) {
            for j in 1..=38 {
                row[j] += k * of[j + 1] * of[j] - of[j - 1];
            }
        }
    }
    /// Of what a caller needs no derivative of, and of a sum.
    #[adjoint(wrt(x))]
    pub fn energy(x: &[f64], k: f64) -> f64 {
        let mut y = vec![0.0; x.len()];
        lopsided(x, &mut y, k);
        let mut sum = 0.0;
        for i in 1..y.len() {
            sum += y[i] * y[i - 1];
        }
        sum
    }
}

/// The ends of shared loops, and loops that have nothing else.
#[test]
fn parts_that_share_a_loop() {
    for n in [5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 66, 67, 68, 71, 140] {
        let (x, y) = (waves(n, 0.1), waves(n, 0.7));
        check!(aligned::lopsided(&x, &mut y.clone(), 0.8));
        check!(aligned::recorded(&x, &mut y.clone(), const 2) -> f64);
        check!(aligned::energy(&x, const 0.8) -> f64);
    }
    let b = [0.3, 0.9].map(|shift| std::array::from_fn(|j| (j as f64 * 0.7 + shift).sin()));
    check!(aligned::rows(&mut matrix(2, 40), &b, 0.4));
}

#[test]
fn zero_seeds_leave_infinite_neighbours_out() {
    let n = 40;
    let mut x = waves(n, 0.3);
    x[20] = f64::INFINITY;
    let mut x_adj = vec![0.0; n];
    let (mut y, mut y_adj) = (vec![0.0; n], vec![0.0; n]);
    y_adj[10..16].fill(1.0);
    let (k, mut k_adj) = (0.8, 0.0);
    aligned::lopsided_adjoint(&x, &mut x_adj, &mut y, &mut y_adj, k, &mut k_adj);
    let seed = |i: usize| f64::from(u8::from((10..16).contains(&i)));
    for m in 5..n - 5 {
        let mut expected = 0.0;
        for (i, partial) in [
            (m + 3, x[m + 2] - x[m + 3]),
            (m + 1, x[m - 2]),
            (m, -x[m - 3]),
            (m - 1, k * x[m + 1]),
            (m - 2, k * x[m - 1]),
        ] {
            if seed(i) != 0.0 {
                expected += partial;
            }
        }
        assert!((x_adj[m] - expected).abs() < 1e-12, "{m}: {}", x_adj[m]);
    }
    let of_k: f64 = (10..16).map(|i| x[i + 1] * x[i + 2]).sum();
    assert!((k_adj - of_k).abs() < 1e-12, "{k_adj}");
    assert_eq!(y_adj[3..n - 2], vec![0.0; n - 5]);
}

#[adjoint]
mod peeled {
    /// A ring of at least one cell, with two neighbours on either side.
    pub fn ring(x: &[f64], y: &mut [f64], k: f64) {
        let n = x.len();
        for i in 0..n {
            let far = x[(i + 2) % n] * x[(i + 2 * n - 2) % n];
            let near = x[(i + 1) % n] - x[if i == 0 { n - 1 } else { i - 1 }];
            y[i] = k * far + near * x[i];
        }
    }
    /// Ends that are set apart, neighbours that stay at the ends, and the last values of a step on the tape.
    pub fn walled(u: &mut [f64], steps: usize, k: f64) -> f64 {
        let n = u.len();
        let mut old = vec![0.0; n];
        for _ in 0..steps {
            old.copy_from_slice(u);
            for i in 0..n {
                if i == 0 || i == n - 1 {
                    u[i] = old[i] * old[i];
                } else {
                    u[i] += k * (old[i + 1] * old[i - 1] - old[i]);
                }
            }
            for i in 0..n {
                let around = old[(i + 1).min(n - 1)] + old[i.saturating_sub(1)];
                u[i] = (u[i] * around).tanh();
            }
        }
        u.iter().map(|v| v * v).sum()
    }
    /// A roughness, with an end beyond which nothing is.
    pub fn rough(x: &[f64], k: f64) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            let next = if i + 1 < x.len() { x[i + 1] } else { k };
            let bend = next - 2.0 * x[i] + if i > 0 { x[i - 1] } else { 0.0 };
            sum += (k + bend * bend).sqrt();
        }
        sum
    }
    /// A grid that is closed in both directions, both ends of the rows included in the range.
    pub fn torus(u: &[Vec<f64>], out: &mut [Vec<f64>], k: f64) {
        let (rows, columns) = (u.len(), u[0].len());
        for i in 0..rows {
            let (above, below) = ((i + rows - 1) % rows, (i + 1) % rows);
            for j in 0..=columns - 1 {
                let (left, right) = ((j + columns - 1) % columns, (j + 1) % columns);
                let around = u[above][j] + u[below][j] + u[i][left] + u[i][right];
                out[i][j] = k * around + u[i][j] * u[i][j];
            }
        }
    }
    /// The index that wraps is of another loop's range.
    pub fn shifted(x: &[f64], y: &mut [f64], from: usize, to: usize) {
        let n = x.len();
        for i in from..to {
            y[i] *= x[(i + 1) % n] * x[(i + n - 1) % n];
        }
    }
    /// Two runs of one array, which overlap or not, and the indices of one have no value in the first iteration.
    pub fn two_runs(y: &mut [f64], m: usize, n: usize, k: f64) {
        for i in 0..n {
            if i > 0 {
                y[m + i] += (y[i - 1] * k).sin();
            }
        }
    }
    /// Two levels of time in one array.
    pub fn two_levels(y: &mut [f64], x: &[f64], steps: usize, k: f64) {
        let n = x.len();
        for step in 0..steps {
            let (old, new) = (step % 2, (step + 1) % 2);
            for i in 0..n {
                let left = if i == 0 { n - 1 } else { i - 1 };
                let right = if i + 1 == n { 0 } else { i + 1 };
                y[new * n + i] += k * y[old * n + left] * y[old * n + right] + x[i];
            }
        }
    }
    /// The counter in a condition goes on behind the value that it is compared with.
    pub fn counted(x: &[f64], y: &mut [f64], first: usize) {
        let mut count = first;
        for i in 0..x.len() - 1 {
            let before = count;
            count += 1;
            y[i] += if before < count {
                x[i + 1] * x[i]
            } else {
                x[i]
            };
        }
    }
    /// Signed indices.
    pub fn signed(x: &[f64], y: &mut [f64]) {
        let n = x.len() as i64;
        for i in 0..n {
            let at = |k: i64| k.rem_euclid(n) as usize;
            y[at(i)] += x[at(i - 1)] * x[at(i + 1)];
        }
    }
}

/// Loops of fewer iterations than are peeled, of just as many, and of more.
#[test]
fn ends_that_wrap_around() {
    for n in [1, 2, 3, 4, 5, 6, 8, 11, 12, 13, 66, 67, 70] {
        let (x, y) = (waves(n, 0.1), waves(n, 0.7));
        check!(peeled::ring(&x, &mut y.clone(), 0.8));
        check!(peeled::walled(&mut y.clone(), const 2, 0.3) -> f64);
        check!(peeled::rough(&x, 0.6) -> f64);
        check!(peeled::signed(&x, &mut y.clone()));
        for m in [0, 1, n / 2, n] {
            check!(peeled::two_runs(&mut waves(2 * n, 0.5), const m, const n, 0.8));
        }
        check!(peeled::two_levels(&mut waves(2 * n, 0.5), &x, const 3, 0.3));
        check!(peeled::counted(&x, &mut y.clone(), const 3));
        for rows in 1..=if n < 13 { 3 } else { 1 } {
            check!(peeled::torus(&matrix(rows, n), &mut matrix(rows, n), 0.4));
        }
        for (from, to) in [(0, n), (1, n), (0, n - 1), (n / 2, n), (n - 1, n / 2)] {
            check!(peeled::shifted(&x, &mut y.clone(), const from, const to));
        }
    }
}

#[test]
fn zero_seeds_leave_infinite_cells_of_a_ring_out() {
    let n = 24;
    let (mut x, mut y) = (waves(n, 0.3), vec![0.0; n]);
    x[n - 1] = f64::NAN;
    x[9] = f64::INFINITY;
    // Cells that read neither of these two.
    let seeds: Vec<usize> = (2..n - 3).filter(|i| i.abs_diff(9) > 2).collect();
    let (mut x_adj, mut y_adj, mut k_adj) = (vec![0.0; n], vec![0.0; n], 0.0);
    seeds.iter().for_each(|i| y_adj[*i] = 1.0);
    peeled::ring_adjoint(&x, &mut x_adj, &mut y, &mut y_adj, 0.8, &mut k_adj);
    let mut expected = vec![0.0; n];
    for &i in &seeds {
        expected[i + 2] += 0.8 * x[i - 2];
        expected[i - 2] += 0.8 * x[i + 2];
        expected[i + 1] += x[i];
        expected[i - 1] -= x[i];
        expected[i] += x[i + 1] - x[i - 1];
    }
    for i in 0..n {
        assert!((x_adj[i] - expected[i]).abs() < 1e-12, "{i}: {}", x_adj[i]);
    }
    assert_eq!(y_adj, vec![0.0; n]);
    let of_k: f64 = seeds.iter().map(|i| x[i + 2] * x[i - 2]).sum();
    assert!((k_adj - of_k).abs() < 1e-12, "{k_adj}");
}
