//! `#[adjoint(jacobian)]`: whole Jacobians, against rows by `f_adjoint` and closed forms.
#![allow(
    clippy::assign_op_pattern,
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

use adjoint::{Differentiable, Tape, adjoint};
use num_traits::Float;

/// A product and a quotient.
#[adjoint(jacobian)]
fn pair(x: f64, y: f64) -> [f64; 2] {
    [x * y, x / y]
}

#[test]
fn straight_line_code() {
    let mut jac = [7.0; 4];
    assert_eq!(pair_jacobian(3.0, 2.0, &mut jac), [6.0, 1.5]);
    assert_eq!(jac, [2.0, 3.0, 0.5, -0.75]);
}

/// Residuals of an exponential fit, whose loop records.
#[adjoint(jacobian, wrt(p))]
fn residuals(p: &[f64], t: &[f64], y: &[f64]) -> Vec<f64> {
    let mut r = Vec::new();
    for i in 0..t.len() {
        r.push(p[0] * (p[1] * t[i]).exp() - y[i]);
    }
    r
}

#[test]
fn residuals_of_a_fit() {
    let (p, t) = ([1.5, -0.5], [0.0, 1.0, 2.0, 5.0]);
    let mut jac = [0.0; 8];
    let tape = &mut Tape::new();
    let r = residuals_jacobian_with(tape, &p, &t, &[0.5; 4], &mut jac);
    for (i, t) in t.iter().enumerate() {
        let e = (p[1] * t).exp();
        assert_eq!(r[i], p[0] * e - 0.5);
        assert!((jac[2 * i] - e).abs() < 1e-15);
        assert!((jac[2 * i + 1] - p[0] * t * e).abs() < 1e-15);
    }
    // No data, no rows.
    assert_eq!(residuals_jacobian_with(tape, &p, &[], &[], &mut []), []);
}

/// In-out values and a result; what is overwritten comes back for each row.
#[adjoint(jacobian)]
fn rotate(v: &mut [f64], angle: f64, factor: &f64) -> f64 {
    let (sin, cos) = angle.sin_cos();
    for k in 0..v.len() / 2 {
        let (a, b) = (v[2 * k], v[2 * k + 1]);
        v[2 * k] = (a * cos - b * sin) * factor;
        v[2 * k + 1] = (a * sin + b * cos) * a;
    }
    v[0] * v[1]
}

/// The rows by the adjoint, one call each.
fn rotate_rows(start: &[f64], angle: f64, factor: f64) -> Vec<f64> {
    let n = start.len();
    let mut rows = Vec::new();
    for row in 0..=n {
        let (mut v, mut v_adj) = (start.to_vec(), vec![0.0; n]);
        let (mut angle_adj, mut factor_adj) = (0.0, 0.0);
        if row > 0 {
            v_adj[row - 1] = 1.0;
        }
        let seed = if row == 0 { 1.0 } else { 0.0 };
        rotate_adjoint(
            &mut v,
            &mut v_adj,
            angle,
            &mut angle_adj,
            &factor,
            &mut factor_adj,
            seed,
        );
        rows.extend(v_adj);
        rows.extend([angle_adj, factor_adj]);
    }
    rows
}

#[test]
fn in_out_values_and_a_result() {
    let start = [0.5, 1.5, -0.25, 2.0];
    let mut jac = vec![f64::NAN; 5 * 6];
    let mut v = start;
    let value = rotate_jacobian(&mut v, 0.3, &1.25, &mut jac);
    assert_eq!(jac, rotate_rows(&start, 0.3, 1.25));
    let mut expected = start;
    assert_eq!(value, rotate(&mut expected, 0.3, &1.25));
    assert_eq!(v, expected);
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Camera {
    turn: [f64; 3],
    at: [f64; 3],
    focal: f64,
    distortion: [f64; 2],
    points: usize,
}

#[adjoint]
impl Camera {
    /// A projection with radial distortion.
    #[adjoint(jacobian)]
    fn project(&self, point: &[f64; 3]) -> [f64; 2] {
        let w = &self.turn;
        let mut p = [0.0; 3];
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            p[i] = point[i] + w[j] * point[k] - w[k] * point[j] + self.at[i];
        }
        let (u, v) = (p[0] / p[2], p[1] / p[2]);
        let r2 = u * u + v * v;
        let d = self.focal * (1.0 + r2 * (self.distortion[0] + self.distortion[1] * r2));
        [d * u, d * v]
    }
}

#[test]
fn methods_of_structs() {
    let camera = Camera {
        turn: [0.1, -0.2, 0.3],
        at: [0.5, 0.25, 4.0],
        focal: 1.5,
        distortion: [0.1, -0.05],
        points: 2,
    };
    let point = [0.4, -0.3, 1.0];
    let mut jac = [0.0; 24];
    let value = camera.project_jacobian(&point, &mut jac);
    assert_eq!(value, camera.project(&point));
    for row in 0..2 {
        let (mut camera_adj, mut point_adj) = (camera.zero_like(), [0.0; 3]);
        let mut seed = [0.0; 2];
        seed[row] = 1.0;
        camera.project_adjoint(&mut camera_adj, &point, &mut point_adj, seed);
        let expected = [camera_adj.to_flat(), point_adj.to_vec()].concat();
        assert_eq!(jac[12 * row..][..12], expected);
    }
}

/// Partials that are infinite at zero.
#[adjoint(jacobian)]
fn roots(x: &[f64; 2], y: &mut f64) -> (f64, f64) {
    let mut sum = 0.0;
    for v in x {
        sum += v.sqrt();
    }
    *y *= x[0].sqrt();
    (sum, x[1] * x[1])
}

#[test]
fn rows_with_a_zero_seed_meet_no_infinite_partial() {
    let (mut y, mut jac) = (3.0, [f64::NAN; 9]);
    roots_jacobian(&[0.0, 4.0], &mut y, &mut jac);
    let expected = [
        f64::INFINITY,
        0.25,
        0.0, //
        0.0,
        8.0,
        0.0, //
        f64::INFINITY,
        0.0,
        0.0,
    ];
    assert_eq!(jac, expected);
}

/// Halves of a split that change places, through recursion.
#[adjoint(jacobian)]
fn fold(x: &mut [f64], depth: usize, w: &[f64; 2]) -> f64 {
    let n = x.len();
    if depth == 0 || n < 2 {
        return if n == 0 { 0.0 } else { x[0] * w[0] };
    }
    let (a, b) = x.split_at_mut(n / 2);
    for i in 0..a.len() {
        let t = a[i];
        a[i] = b[i] * w[1];
        b[i] = t * t;
    }
    let l = fold(a, depth - 1, w);
    let r = fold(b, depth - 1, w);
    x[0] = l * r;
    x[n - 1] += l;
    l + r * w[1]
}

#[test]
fn recursion_over_halves() {
    for n in 0..7 {
        for depth in 0..4 {
            let x: Vec<f64> = (0..n).map(|i| 0.5 + 0.3 * (i as f64).sin()).collect();
            let columns = n + 2;
            let mut jac = vec![f64::NAN; (n + 1) * columns];
            fold_jacobian(&mut x.clone(), depth, &[0.9, 1.1], &mut jac);
            for row in 0..=n {
                let (mut x_adj, mut w_adj) = (vec![0.0; n], [0.0; 2]);
                if row > 0 {
                    x_adj[row - 1] = 1.0;
                }
                let seed = if row == 0 { 1.0 } else { 0.0 };
                fold_adjoint(
                    &mut x.clone(),
                    &mut x_adj,
                    depth,
                    &[0.9, 1.1],
                    &mut w_adj,
                    seed,
                );
                let expected = [&x_adj[..], &w_adj].concat();
                assert_eq!(
                    jac[row * columns..][..columns],
                    expected,
                    "{n} {depth} {row}"
                );
            }
        }
    }
}

/// Generic, in single precision too; columns are in the order of the parameters.
#[adjoint(jacobian)]
fn generic<T: Float>(x: &[T], y: Vec<T>) -> (T, T) {
    let mut s = T::one();
    for (a, b) in x.iter().zip(&y) {
        s = s * (*a * *b).sin();
    }
    (s, y[0] * y[0])
}

#[test]
fn generic_functions() {
    let (x, y) = ([0.5f32, 0.75], vec![1.0f32, 0.5]);
    let mut jac = [0.0; 8];
    generic_jacobian(&x, y.clone(), &mut jac);
    let (x, y) = (
        x.map(f64::from),
        y.iter().map(|v| f64::from(*v)).collect::<Vec<_>>(),
    );
    let (s, t) = ((x[0] * y[0]), (x[1] * y[1]));
    let (ds, dt) = (s.cos() * t.sin(), s.sin() * t.cos());
    let expected = [
        ds * y[0],
        dt * y[1],
        ds * x[0],
        dt * x[1], //
        0.0,
        0.0,
        2.0 * y[0],
        0.0,
    ];
    for (found, expected) in jac.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{jac:?}");
    }
}

/// Success and failure; `of` leaves the list out, which grows.
#[adjoint(jacobian, wrt(x), of(ret))]
fn tried(x: &[f64], log: &mut Vec<f64>) -> Option<f64> {
    let mut s = 1.0;
    for v in x {
        if *v < 0.0 {
            return None;
        }
        log.push(v * s);
        s *= v.sqrt();
    }
    Some(s)
}

#[test]
fn failures_leave_the_jacobian_as_it_is() {
    let (mut jac, mut log) = ([7.0; 2], vec![]);
    assert_eq!(tried_jacobian(&[4.0, -1.0], &mut log, &mut jac), None);
    assert_eq!((jac, &log[..]), ([7.0; 2], &[4.0][..]));
    log.clear();
    assert_eq!(tried_jacobian(&[4.0, 9.0], &mut log, &mut jac), Some(6.0));
    assert_eq!((jac, &log[..]), ([0.75, 1.0 / 3.0], &[4.0, 18.0][..]));
}

/// A list that grows is an independent and a dependent: its rows are those of the exit value, its columns those of the
/// entry value.
#[adjoint(jacobian)]
fn grow(list: &mut Vec<f64>, x: f64) {
    let last = list[list.len() - 1];
    list.push(last * x);
    list[0] = list[0] * list[0];
}

#[test]
fn a_list_that_grows() {
    let (mut list, mut jac) = (vec![3.0, 5.0], [0.0; 9]);
    grow_jacobian(&mut list, 2.0, &mut jac);
    assert_eq!(list, [9.0, 5.0, 10.0]);
    assert_eq!(jac, [6.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 5.0]);
}

#[adjoint]
mod stepped {
    /// Its own loop is reversed from snapshots, which serve one reverse sweep.
    #[adjoint(jacobian)]
    pub fn march(u: &mut [f64], k: f64, steps: usize) -> f64 {
        #[checkpoint(snapshots = 2)]
        for _ in 0..steps {
            for i in 1..u.len() {
                u[i] += k * u[i - 1] * u[i];
            }
        }
        u[0] * u[u.len() - 1]
    }

    /// Its callee's is.
    #[adjoint(jacobian)]
    pub fn twice(u: &mut [f64], k: f64, calls: &mut usize) -> f64 {
        *calls += 1;
        let first = march(u, k, 2 + *calls);
        for v in u.iter_mut() {
            *v = *v * *v;
        }
        first + march(u, k, 2)
    }

    /// Without snapshots.
    pub fn stored(u: &mut [f64], k: f64, steps: usize) -> f64 {
        for _ in 0..steps {
            for i in 1..u.len() {
                u[i] += k * u[i - 1] * u[i];
            }
        }
        u[0] * u[u.len() - 1]
    }

    #[adjoint(jacobian)]
    pub fn stored_twice(u: &mut [f64], k: f64) -> f64 {
        let first = stored(u, k, 3);
        for v in u.iter_mut() {
            *v = *v * *v;
        }
        first + stored(u, k, 2)
    }
}

#[test]
fn checkpointed_loops_run_again() {
    let start = [0.5, 0.75, -0.25];
    let run = |f: &dyn Fn(&mut [f64], &mut [f64]) -> f64| {
        let (mut u, mut jac) = (start, vec![0.0; 16]);
        let value = f(&mut u, &mut jac);
        (value, u, jac)
    };
    let expected = run(&|u, jac| stepped::stored_twice_jacobian(u, 0.3, jac));
    assert_eq!(
        run(&|u, jac| {
            let mut calls = 0;
            let value = stepped::twice_jacobian(u, 0.3, &mut calls, jac);
            assert_eq!(calls, 1);
            value
        }),
        expected
    );
    let (_, _, jac) = run(&|u, jac| stepped::march_jacobian(u, 0.3, 5, jac));
    for row in 0..4 {
        let (mut u, mut u_adj, mut k_adj) = (start, [0.0; 3], 0.0);
        let seed = if row == 0 { 1.0 } else { 0.0 };
        if row > 0 {
            u_adj[row - 1] = 1.0;
        }
        stepped::stored_adjoint(&mut u, &mut u_adj, 0.3, &mut k_adj, 5, seed);
        assert_eq!(jac[4 * row..][..4], [&u_adj[..], &[k_adj]].concat());
    }
}

#[test]
#[should_panic = "Jacobian of `pair`: `jac` has 3 entries, but 2 rows (outputs) of 2 columns (inputs) are 4"]
fn another_length_is_refused() {
    pair_jacobian(1.0, 2.0, &mut [0.0; 3]);
}

/// A rotation by a vector, in straight-line code with a branch, and a projection with radial distortion.
#[adjoint(jacobian)]
fn project(cam: &[f64; 11], x: &[f64; 3]) -> [f64; 2] {
    let (w, c) = ([cam[0], cam[1], cam[2]], [cam[3], cam[4], cam[5]]);
    let d = [x[0] - c[0], x[1] - c[1], x[2] - c[2]];
    let t2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    let p = if t2 != 0.0 {
        let t = t2.sqrt();
        let (s, co) = t.sin_cos();
        let a = [w[0] / t, w[1] / t, w[2] / t];
        let dot = (a[0] * d[0] + a[1] * d[1] + a[2] * d[2]) * (1.0 - co);
        let cross = [
            a[1] * d[2] - a[2] * d[1],
            a[2] * d[0] - a[0] * d[2],
            a[0] * d[1] - a[1] * d[0],
        ];
        [
            d[0] * co + cross[0] * s + a[0] * dot,
            d[1] * co + cross[1] * s + a[1] * dot,
            d[2] * co + cross[2] * s + a[2] * dot,
        ]
    } else {
        d
    };
    let (u, v) = (p[0] / p[2], p[1] / p[2]);
    let r = u * u + v * v;
    let l = 1.0 + cam[9] * r + cam[10] * r * r;
    [u * l * cam[6] + cam[7], v * l * cam[6] + cam[8]]
}

#[test]
fn a_camera_without_sweeps() {
    for turn in [0.3, 0.0] {
        let cam = [
            turn, -turn, turn, 0.5, 0.2, -4.0, 500.0, 3.0, 2.0, 0.01, 0.002,
        ];
        let (x, mut jac) = ([0.3, 0.4, 1.2], [7.0; 28]);
        assert_eq!(project_jacobian(&cam, &x, &mut jac), project(&cam, &x));
        for row in 0..2 {
            let (mut cam_adj, mut x_adj, mut seed) = ([0.0; 11], [0.0; 3], [0.0; 2]);
            seed[row] = 1.0;
            project_adjoint(&cam, &mut cam_adj, &x, &mut x_adj, seed);
            let expected = cam_adj.iter().chain(&x_adj);
            for (entry, expected) in jac[14 * row..].iter().zip(expected) {
                let error = (entry - expected).abs();
                assert!(
                    error <= 1e-12 * (1.0 + expected.abs()),
                    "{entry} {expected}"
                );
            }
        }
    }
}

/// `&mut` parameters after the result; those that `of` leaves out are no rows.
#[adjoint(jacobian, of(pair))]
fn swapped(pair: &mut [f64; 2], scale: f64, other: &mut f64) -> f64 {
    *pair = [pair[1] * scale, pair[0]];
    *other *= scale;
    pair[0] += pair[1];
    scale
}

#[adjoint(jacobian)]
fn shared(pair: &mut [f64; 2], scale: &f64) -> (f64, f64) {
    *pair = [pair[1] * scale, pair[0]];
    (pair[0] * pair[1], *scale)
}

#[test]
fn lent_outputs_without_sweeps() {
    let (mut pair, mut other, mut jac) = ([2.0, 3.0], 5.0, [7.0; 8]);
    assert_eq!(swapped_jacobian(&mut pair, 0.5, &mut other, &mut jac), 0.5);
    assert_eq!((pair, other), ([3.5, 2.0], 2.5));
    assert_eq!(jac, [1.0, 0.5, 3.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let (mut pair, mut jac) = ([2.0, 3.0], [7.0; 12]);
    assert_eq!(shared_jacobian(&mut pair, &0.5, &mut jac), (3.0, 0.5));
    assert_eq!(pair, [1.5, 2.0]);
    let expected = [
        [1.5, 1.0, 6.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.5, 3.0],
        [1.0, 0.0, 0.0],
    ];
    assert_eq!(jac, *expected.as_flattened());
}

/// At 0, the root's partial is infinite.
#[adjoint(jacobian)]
fn root(x: f64, y: f64, z: &mut f64) -> [f64; 2] {
    *z *= y;
    let s = x.sqrt();
    [s * y, s + *z]
}

#[test]
fn infinite_partials_are_left_to_the_sweeps() {
    let (mut z, mut jac) = (3.0, [7.0; 9]);
    assert_eq!(root_jacobian(4.0, 2.0, &mut z, &mut jac), [4.0, 8.0]);
    assert_eq!(z, 6.0);
    assert_eq!(jac, [0.5, 2.0, 0.0, 0.25, 3.0, 2.0, 0.0, 3.0, 2.0]);
    // A zero seed passes nothing, though 0 times infinity is no number.
    let mut z = 3.0;
    assert_eq!(root_jacobian(0.0, 0.0, &mut z, &mut jac), [0.0, 0.0]);
    assert_eq!(z, 0.0);
    assert_eq!(jac, [0.0, 0.0, 0.0, f64::INFINITY, 3.0, 0.0, 0.0, 3.0, 0.0]);
}

/// Helpers by value, by reference and through `&mut`, and one that calls another one.
#[adjoint]
mod helpers {
    #[adjoint(jacobian, wrt(camera, point))]
    pub fn seen(camera: &[f64; 5], point: &[f64; 3], from: f64) -> [f64; 2] {
        let &[r0, r1, r2, focal, k] = camera;
        let mut turned = rotate(&[r0, r1, r2], point);
        shift(&mut turned, from);
        let [x, y, z] = turned;
        let scale = distort(k, x / z, y / z);
        [focal * scale * x / z, focal * scale * y / z]
    }

    /// Elements that are lent, arrays by value, calls in a loop, and the same helper on one variable twice.
    #[adjoint(jacobian)]
    pub fn mixed(x: &[f64; 4], y: &mut [f64; 2]) -> f64 {
        let mut own = *x;
        for i in 0..own.len() {
            bump(&mut own[i], y, x[3 - i]);
        }
        let z = twice(twice(own[0] * y[0]));
        y[1] = sum(own, z) * y[1];
        if y[1] > 0.0 {
            bump(&mut y[0], &own, z);
        }
        z
    }

    fn bump(x: &mut f64, y: &[f64], by: f64) {
        *x = *x * by + y[1];
    }

    /// Over arrays in step, and without the first element.
    #[adjoint(jacobian)]
    pub fn zipped(x: &[f64; 3], y: &[f64; 3]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (a, b) in x.iter().zip(y) {
            sums[0] += a * b;
        }
        for (k, a) in x.iter().enumerate().skip(1) {
            sums[1] += a * a * k as f64;
        }
        sums
    }

    fn twice(x: f64) -> f64 {
        let mut y = x;
        y += x;
        y
    }

    fn sum(mut x: [f64; 4], z: f64) -> f64 {
        x[0] *= z;
        x[0] + x[1] * x[2] - x[3]
    }

    /// Calls itself, so that the rows come from sweeps.
    #[adjoint(jacobian)]
    pub fn recursive(x: f64, n: usize) -> [f64; 1] {
        [power(x, n)]
    }

    fn power(x: f64, n: usize) -> f64 {
        if n == 0 { 1.0 } else { x * power(x, n - 1) }
    }

    fn shift(x: &mut [f64; 3], by: f64) {
        for i in 0..x.len() {
            x[i] += by * x[0];
        }
        x[2] += 4.0;
    }

    fn distort(k: f64, x: f64, y: f64) -> f64 {
        1.0 + k * (x * x + y * y)
    }

    fn rotate(r: &[f64; 3], v: &[f64; 3]) -> [f64; 3] {
        let square = dot(r, r);
        if square == 0.0 {
            return [v[0], v[1], v[2]];
        }
        let (sin, cos) = square.sqrt().sin_cos();
        let along = dot(r, v) * (1.0 - cos) / square;
        let mut out = [0.0; 3];
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let across = (r[j] * v[k] - r[k] * v[j]) / square.sqrt();
            out[i] = v[i] * cos + across * sin + r[i] * along;
        }
        out
    }

    fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
        let mut sum = 0.0;
        for i in 0..3 {
            sum += a[i] * b[i];
        }
        sum
    }
}

#[test]
fn helpers_are_parts_of_the_graph() {
    for turn in [0.4, 0.0] {
        let (camera, point) = ([turn, turn, -turn, 2.0, 0.1], [0.3, -0.4, 1.2]);
        let mut jac = [7.0; 16];
        let tape = &mut Tape::new();
        let value = helpers::seen_jacobian_with(tape, &camera, &point, 0.2, &mut jac);
        assert_eq!(tape.stats(), Tape::new().stats(), "no sweep has run");
        assert_eq!(value, helpers::seen(&camera, &point, 0.2));
        for row in 0..2 {
            let (mut camera_adj, mut point_adj, mut seed) = ([0.0; 5], [0.0; 3], [0.0; 2]);
            seed[row] = 1.0;
            helpers::seen_adjoint(&camera, &mut camera_adj, &point, &mut point_adj, 0.2, seed);
            let expected = camera_adj.iter().chain(&point_adj);
            for (entry, expected) in jac[8 * row..].iter().zip(expected) {
                let error = (entry - expected).abs();
                assert!(
                    error <= 1e-12 * (1.0 + expected.abs()),
                    "{entry} {expected}"
                );
            }
        }
    }
}

#[test]
fn helpers_write_what_they_are_lent() {
    for sign in [1.0, -1.0] {
        let (x, start) = ([0.3, -0.4, 1.2, 0.7], [0.5, sign]);
        let (tape, mut y, mut jac) = (&mut Tape::new(), start, [7.0; 18]);
        let value = helpers::mixed_jacobian_with(tape, &x, &mut y, &mut jac);
        assert_eq!(tape.stats(), Tape::new().stats(), "no sweep has run");
        let mut expected = start;
        assert_eq!((value, y), (helpers::mixed(&x, &mut expected), expected));
        for row in 0..3 {
            let (mut y, mut x_adj, mut y_adj) = (start, [0.0; 4], [0.0; 2]);
            if row > 0 {
                y_adj[row - 1] = 1.0;
            }
            let seed = f64::from(u8::from(row == 0));
            helpers::mixed_adjoint(&x, &mut x_adj, &mut y, &mut y_adj, seed);
            let expected = x_adj.iter().chain(&y_adj);
            for (entry, expected) in jac[6 * row..].iter().zip(expected) {
                let error = (entry - expected).abs();
                assert!(
                    error <= 1e-13 * (1.0 + expected.abs()),
                    "{entry} {expected}"
                );
            }
        }
    }
    let (tape, mut jac) = (&mut Tape::new(), [7.0; 12]);
    helpers::zipped_jacobian_with(tape, &[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], &mut jac);
    let expected = [4.0, 5.0, 6.0, 1.0, 2.0, 3.0, 0.0, 4.0, 12.0, 0.0, 0.0, 0.0];
    assert_eq!(jac, expected);
    assert_eq!(tape.stats(), Tape::new().stats(), "no sweep has run");
    let mut jac = [7.0];
    assert_eq!(helpers::recursive_jacobian(1.5, 3, &mut jac), [3.375]);
    assert_eq!(jac, [6.75]);
}

/// Parameters by value that the body changes.
#[adjoint(jacobian)]
fn changed(mut x: [f64; 2], mut y: f64) -> [f64; 2] {
    x[0] *= y;
    y += x[0];
    let s = x[1].sqrt();
    x[1] = s * y;
    [x[0] + x[1], y]
}

#[test]
fn parameters_by_value_are_what_they_were_for_the_sweeps() {
    let mut jac = [7.0; 6];
    assert_eq!(changed_jacobian([2.0, 4.0], 3.0, &mut jac), [24.0, 9.0]);
    assert_eq!(jac, [9.0, 2.25, 8.0, 3.0, 0.0, 3.0]);
    // The root's partial is infinite.
    assert_eq!(changed_jacobian([2.0, 0.0], 3.0, &mut jac), [6.0, 9.0]);
    assert_eq!(jac, [3.0, f64::INFINITY, 2.0, 3.0, 0.0, 3.0]);
}

/// No copy of the result's type is needed.
#[derive(Differentiable, Debug, PartialEq)]
struct Pair {
    product: f64,
    first: f64,
}

#[adjoint(jacobian)]
fn fill(x: f64, y: f64, out: &mut Pair) {
    out.product = x * y;
    out.first = x;
}

#[test]
fn structs_without_a_copy() {
    let mut out = Pair {
        product: 0.0,
        first: 0.0,
    };
    let mut jac = [7.0; 8];
    fill_jacobian(2.0, 3.0, &mut out, &mut jac);
    assert_eq!(
        out,
        Pair {
            product: 6.0,
            first: 2.0
        }
    );
    assert_eq!(jac, [3.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}
