//! Kernels with `if`: as statement and expression, nested, in loops, on active values.
#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    clippy::manual_memcpy,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::manual_is_multiple_of,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

#[adjoint]
fn relu(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

#[test]
fn relu_on_both_sides_and_at_the_kink() {
    assert_eq!(check!(relu(2.0) -> f64), [[1.0]]);
    assert_eq!(check!(relu(-2.0) -> f64), [[0.0]]);
    let mut x_adj = 0.5;
    assert_eq!(relu_adjoint(0.0, &mut x_adj, 1.0), 0.0);
    assert_eq!(x_adj, 0.5);
}

#[adjoint]
fn huber(r: f64, delta: f64) -> f64 {
    let a = r.abs();
    if a <= delta {
        0.5 * r * r
    } else {
        delta * (a - 0.5 * delta)
    }
}

#[test]
fn huber_loss_inside_and_outside() {
    assert_close(&check!(huber(0.3, 1.0) -> f64)[0], &[0.3, 0.0]);
    assert_close(&check!(huber(-3.0, 1.0) -> f64)[0], &[-1.0, 2.0]);
}

#[adjoint]
fn without_else(x: f64, y: f64) -> f64 {
    let mut s = x * y;
    if x > y {
        s *= x;
    }
    if s < 0.0 && x < 0.0 {
        s = -s + y;
    }
    s * s
}

#[test]
fn an_if_without_else() {
    for (x, y) in [(2.0, 1.0), (1.0, 2.0), (-1.0, 2.0), (-0.5, -2.0)] {
        check!(without_else(x, y) -> f64);
    }
}

#[adjoint]
fn chain(x: f64) -> f64 {
    if x < -1.0 {
        x.exp()
    } else if x < 0.0 {
        let t = x * x;
        t * x
    } else if x < 1.0 {
        x.sin()
    } else {
        3.0 / x
    }
}

#[test]
fn an_else_if_chain() {
    let closed = [
        (-2.0, (-2.0_f64).exp()),
        (-0.5, 0.75),
        (0.5, 0.5_f64.cos()),
        (2.0, -0.75),
    ];
    for (x, slope) in closed {
        assert_close(&check!(chain(x) -> f64)[0], &[slope]);
    }
}

#[adjoint]
fn nested(x: f64, y: f64, z: f64) -> f64 {
    let mut r = z;
    if x > 0.0 {
        if y > 0.0 {
            r *= x * y;
        } else {
            r += x / y;
            if z > 1.0 {
                r = r * r;
            }
        }
    } else {
        r = if y > z { y * r } else { x * r };
    }
    r + x
}

#[test]
fn branches_nest() {
    for x in [0.7, -0.7] {
        for y in [1.3, -0.9] {
            for z in [0.4, 1.9] {
                check!(nested(x, y, z) -> f64);
            }
        }
    }
}

#[adjoint]
fn logic(x: f64, y: f64, flag: bool) -> f64 {
    let inside = x * x + y * y < 1.0;
    let right = !(x <= 0.0) && y != 0.0;
    let mut s = 1.0;
    if inside || (right && flag) {
        s = x * y;
    }
    if inside == flag {
        s *= x;
    }
    if inside ^ right {
        s += y * y;
    }
    s
}

#[test]
fn conditions_are_values() {
    for (x, y) in [(0.3, 0.4), (-0.3, 0.4), (1.3, 0.4), (-1.3, 0.4)] {
        check!(logic(x, y, const true) -> f64);
        check!(logic(x, y, const false) -> f64);
    }
}

#[adjoint]
fn condition_is_overwritten(x: f64, y: f64) -> f64 {
    let mut a = x;
    let mut b = y;
    if a > b {
        a = b * b;
        b = a * x;
    } else {
        b = a * a;
        a = b * y;
    }
    let mut up = a < b;
    if up {
        a *= b;
        up = false;
    } else {
        b *= a;
        up = true;
    }
    if up { a - b * b } else { a * a - b }
}

#[test]
fn the_taken_way_is_remembered() {
    for (x, y) in [(2.0, 0.5), (0.5, 2.0), (3.0, 2.0), (0.2, 0.3)] {
        check!(condition_is_overwritten(x, y) -> f64);
    }
}

#[adjoint]
fn positive_part(x: &mut [f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            s += x[i] * x[i];
        } else {
            x[i] = -0.1 * x[i];
        }
        s += x[i].sin();
    }
    s
}

#[test]
fn branches_in_a_loop_overwrite_their_condition() {
    check!(positive_part(&mut vec![1.0, -2.0, 0.5, -0.3, 3.0]) -> f64);
}

#[adjoint]
fn red_black(u: &mut [f64], sweeps: usize) {
    let n = u.len();
    for sweep in 0..sweeps {
        for i in 1..n - 1 {
            if (i + sweep) % 2 == 0 {
                u[i] = 0.5 * (u[i - 1] + u[i + 1]) * u[i];
            }
        }
    }
}

#[test]
fn branches_on_the_parity_of_indices() {
    check!(red_black(&mut vec![1.0, 0.6, 1.4, 0.8, 1.1], const 3));
}

#[adjoint]
fn boundary(u: &[f64], out: &mut [f64]) {
    let n = u.len();
    for i in 0..n {
        let left = if i == 0 { 0.0 } else { u[i - 1] };
        let right = if i + 1 < n { u[i + 1] } else { u[n - 1] * u[0] };
        out[i] = (left - right) * u[i];
    }
}

#[test]
fn branches_guard_the_boundary() {
    check!(boundary(&vec![1.0, -0.4, 0.7, 2.0], &mut vec![0.0; 4]));
    check!(boundary(&vec![1.5], &mut vec![0.0; 1]));
}

#[adjoint]
fn largest(x: &[f64]) -> f64 {
    let mut m = x[0];
    for i in 1..x.len() {
        if x[i] > m {
            m = x[i];
        }
    }
    m * m
}

#[test]
fn the_largest_entry_has_the_derivative() {
    assert_eq!(
        check!(largest(&vec![1.0, 5.0, -7.0, 3.0]) -> f64),
        [[0.0, 10.0, 0.0, 0.0]]
    );
}

#[adjoint]
fn largest_by_index(x: &[f64]) -> f64 {
    let mut at = 0;
    for i in 0..x.len() {
        if x[i] > x[at] {
            at = i;
        }
    }
    x[at] * x[0]
}

#[test]
fn an_index_chosen_by_values() {
    assert_eq!(
        check!(largest_by_index(&vec![2.0, 1.0, 7.0]) -> f64),
        [[7.0, 0.0, 2.0]]
    );
}

#[adjoint]
fn minmod(a: f64, b: f64) -> f64 {
    if a * b <= 0.0 {
        0.0
    } else if a.abs() < b.abs() {
        a
    } else {
        b
    }
}

#[test]
fn minmod_chooses() {
    assert_eq!(check!(minmod(1.0, 2.0) -> f64), [[1.0, 0.0]]);
    assert_eq!(check!(minmod(-3.0, -2.0) -> f64), [[0.0, 1.0]]);
    assert_eq!(check!(minmod(1.0, -2.0) -> f64), [[0.0, 0.0]]);
}

#[adjoint]
fn van_leer(u: &[f64], slope: &mut [f64]) {
    for i in 1..u.len() - 1 {
        let a = u[i] - u[i - 1];
        let b = u[i + 1] - u[i];
        slope[i] = if a * b > 0.0 {
            2.0 * a * b / (a + b)
        } else {
            0.0
        };
    }
}

#[test]
fn van_leer_slopes() {
    check!(van_leer(
        &vec![0.0, 1.0, 1.5, 1.2, 3.0, 3.4],
        &mut vec![0.0; 6]
    ));
}

#[adjoint]
fn upwind(u: &mut [f64], a: &[f64], dt: f64, steps: usize) {
    let n = u.len();
    for _ in 0..steps {
        let mut old_left = u[0];
        for i in 1..n - 1 {
            let here = u[i];
            let flux = if a[i] > 0.0 {
                a[i] * (here - old_left)
            } else {
                a[i] * (u[i + 1] - here)
            };
            u[i] = here - dt * flux;
            old_left = here;
        }
    }
}

#[test]
fn upwind_advection() {
    let a = vec![1.0, 0.5, -0.7, 0.9, -1.0];
    check!(upwind(&mut vec![0.0, 1.0, 0.5, 0.2, 0.8], &a, 0.1, const 4));
}

#[adjoint]
fn piecewise(x: f64, knots: &[f64; 4], values: &[f64; 4]) -> f64 {
    let mut y = values[0];
    for i in 0..3 {
        if x >= knots[i] && x < knots[i + 1] {
            let t = (x - knots[i]) / (knots[i + 1] - knots[i]);
            y = (1.0 - t) * values[i] + t * values[i + 1];
        }
    }
    if x >= knots[3] { values[3] } else { y }
}

#[test]
fn piecewise_linear_interpolation() {
    let (knots, values) = ([0.0, 1.0, 2.5, 3.0], [1.0, -1.0, 4.0, 2.0]);
    for x in [-1.0, 0.4, 1.7, 2.9, 5.0] {
        check!(piecewise(x, &knots, &values) -> f64);
    }
}

#[adjoint]
fn branch_in_operand(x: f64, y: f64) -> f64 {
    2.0 * if x > y { x * x } else { y } + (if y > 0.0 { x } else { -x }) * y
}

#[test]
fn an_if_inside_an_expression() {
    for (x, y) in [(2.0, 1.0), (0.5, 1.0), (1.0, -2.0), (-3.0, -2.0)] {
        check!(branch_in_operand(x, y) -> f64);
    }
}

#[adjoint]
fn initialised_in_branches(x: f64, y: f64) -> f64 {
    let r;
    let s: f64;
    if x > y {
        r = x * y;
        s = x.sin();
    } else {
        s = y.cos();
        r = s * x;
    }
    r * s
}

#[test]
fn variables_that_each_branch_initialises() {
    check!(initialised_in_branches(1.2, 0.3) -> f64);
    check!(initialised_in_branches(0.3, 1.2) -> f64);
}

#[adjoint]
fn only_one_branch_is_active(x: f64, n: usize) -> f64 {
    let mut weight = 3.0;
    for i in 0..n {
        if i % 3 == 1 {
            weight = x * x;
        } else if i % 3 == 2 {
            weight = i as f64;
        }
        weight *= 0.5;
    }
    weight * x
}

#[test]
fn active_in_one_branch_and_constant_in_the_other() {
    for n in 0..6 {
        check!(only_one_branch_is_active(1.7, const n) -> f64);
    }
}

#[adjoint]
fn different_trip_counts(x: &[f64], deep: bool) -> f64 {
    let mut s = 1.0;
    if deep {
        for i in 0..x.len() {
            for j in 0..i {
                s += x[i] * x[j];
            }
        }
    } else {
        let mut i = 0;
        while i < x.len() && s < 4.0 {
            s += s * x[i];
            i += 2;
        }
    }
    s.ln()
}

#[test]
fn loops_inside_branches() {
    let x = vec![0.9, 0.5, 1.3, 0.2, 2.0];
    check!(different_trip_counts(&x, const true) -> f64);
    check!(different_trip_counts(&x, const false) -> f64);
}

#[adjoint]
fn comparisons(x: f64, n: i32) -> f64 {
    let mut s = x;
    if n == 0 {
        s *= x;
    }
    if n != 1 {
        s += 1.0;
    }
    if n >= 2 {
        s *= s;
    }
    if n <= -1 {
        s = s.exp();
    }
    if x.is_nan() || x.is_infinite() || x.is_sign_negative() {
        s = 0.0;
    }
    s
}

#[test]
fn every_comparison() {
    for n in -2..4 {
        check!(comparisons(0.6, const n) -> f64);
        assert_eq!(check!(comparisons(-0.6, const n) -> f64), [[0.0]]);
    }
}

#[adjoint]
fn set(o: &mut Option<f64>, k: f64) {
    match o {
        Some(v) => *v *= k,
        None => *o = Some(k * k),
    }
}

#[adjoint]
fn an_option_that_is_lent(x: f64, k: f64, there: bool) -> f64 {
    let mut o = if there { Some(x * k) } else { None };
    set(&mut o, x);
    set(&mut o, k);
    o.unwrap_or(x)
}

#[test]
fn an_option_is_lent() {
    for there in [true, false] {
        check!(an_option_that_is_lent(0.7, 1.3, const there) -> f64);
    }
}

/// An inner loop with a step, in the frame of the outer one, whose index it reads.
#[adjoint]
fn record_steps(a: &[f64], w: &[f64], n: usize) -> f64 {
    let mut product = 1.0;
    for i in 0..n {
        let mut row = 0.5;
        for j in (0..w.len()).step_by(2) {
            row += a[i * w.len() + j] * w[j];
        }
        product = product * row;
    }
    product
}

#[test]
fn the_index_of_a_frame_is_read_in_an_inner_loop_with_a_step() {
    let numbers = |n: i32| -> Vec<f64> { (0..n).map(|j| (0.1 + f64::from(j)).sin()).collect() };
    check!(record_steps(&numbers(15), &numbers(5), const 3) -> f64);
}

/// An inner loop over two rows, which are the same one in some iterations, in the frame of the outer one.
#[adjoint]
fn record_rows(a: &mut [[f64; 9]; 2], x: &mut [f64]) {
    for i in 0..x.len() {
        let (p, q) = (i % 2, (i + i / 2) % 2);
        for k in 1..9 {
            a[p][k] -= 0.5 * x[i] * a[q][k - 1 + i % 2];
        }
        x[i] = (x[i] * x[i]).sin();
    }
}

#[test]
fn rows_that_meet_are_reversed_in_the_frame_of_the_outer_loop() {
    let row = |by: f64| std::array::from_fn(|k| (by + k as f64).sin());
    let x: Vec<f64> = (0..6).map(|i| 0.3 + 0.1 * f64::from(i)).collect();
    check!(record_rows(&mut [row(0.1), row(0.6)], &mut x));
}

/// An inner loop has a frame of flags in each iteration of another.
#[adjoint]
fn record_sums(a: &[f64], x: &mut [f64]) {
    for i in 0..x.len() {
        let mut row = 0.0;
        for j in 0..a.len() {
            if a[j] > row {
                row += x[i] * a[j];
            }
        }
        x[i] = (row * row).sin();
    }
}

#[test]
fn flags_of_an_inner_loop() {
    let a: Vec<f64> = (0..70).map(|j| (0.1 + f64::from(j) * 0.7).sin()).collect();
    let x: Vec<f64> = (0..5).map(|i| 0.1 + 0.2 * f64::from(i)).collect();
    check!(record_sums(&a, &mut x));
}

/// Flags of single and nested branches, a label and a recorded choice, in a loop that runs downwards from an offset, in time steps.
#[adjoint]
fn record_ways(x: &[f64], steps: usize) -> f64 {
    let mut u = x.to_vec();
    let mut sum = 0.0;
    for _ in 0..steps {
        for i in (1..u.len() - 1).rev() {
            let slope = u[i + 1] - u[i - 1];
            let limited = if slope < -0.5 {
                -0.5 * slope * slope
            } else if slope > 0.5 {
                0.1
            } else {
                slope.sin()
            };
            if u[i] * limited > 0.0 {
                u[i] -= 0.1 * limited * u[i];
                if limited > 0.05 {
                    sum += u[i] * u[0];
                    u[i] *= 1.0 - 0.1 * u[i];
                }
            } else {
                u[i] += 0.2 * limited;
            }
        }
        u[0] = 0.9 * u[0] + 0.1 * u[1];
    }
    sum + u.iter().map(|v| v * v).sum::<f64>()
}

#[test]
fn ways_of_a_loop_in_time_steps() {
    for n in [2, 3, 10, 37] {
        let x: Vec<f64> = (0..n).map(|i| (f64::from(i) * 1.7).sin()).collect();
        check!(record_ways(&x, const 5) -> f64);
    }
}

/// A loop whose iterations are independent, with conditional sums and scattered and own elements.
#[adjoint]
fn record_parts(x: &[f64], w: &mut [f64], bins: &mut [f64]) -> f64 {
    let mut low = 0.0;
    let mut high = 1.0;
    for i in 0..w.len() {
        let v = w[i] * x[i];
        let is_high = v > 0.1;
        if is_high {
            high += v * v;
            w[i] = v.sqrt();
        } else {
            low += v * x[0];
            w[i] *= v;
        }
        if is_high != (x[i] > 0.3) {
            bins[i % 3] += w[i] * w[i];
        }
    }
    low * high
}

#[test]
fn ways_of_a_loop_that_is_distributed() {
    for n in [1, 4, 7, 64, 130] {
        let numbers = |by: f64| -> Vec<f64> { (0..n).map(|i| (by + f64::from(i)).sin()).collect() };
        check!(record_parts(&numbers(0.7), &mut numbers(0.4), &mut [0.5, 1.0, 1.5]) -> f64);
    }
}

/// Flags beside indices, bytes and numbers of two types in one loop.
#[adjoint]
fn record_types(x: &[f64], y: &mut [f32], steps: usize) -> f64 {
    let mut u = x.to_vec();
    let mut at = 0usize;
    let mut turn = 1u8;
    for _ in 0..steps {
        for i in 0..y.len() {
            if u[at] > 0.2 {
                at = (at * 5 + i) % u.len();
                turn = turn / 2 + 3;
            } else {
                at = (at / 2 + 2 * i + 1) % u.len();
                turn = turn / 3 + 1;
            }
            y[i] = (y[i] * y[i]).sin() + 0.1;
            u[at] = (u[at] + f64::from(turn) * 0.1).sin() * f64::from(y[i]);
        }
    }
    u.iter().sum()
}

#[test]
fn ways_beside_records_of_other_types() {
    let x = [0.1, 0.7, -0.4, 0.3, 0.5];
    let y = [0.25f32, 0.5, 0.75, 1.0];
    let mut x_adj = [0.0; 5];
    let mut y_adj = [0.0f32; 4];
    let mut after = y;
    record_types_adjoint(&x, &mut x_adj, &mut after, &mut y_adj, 3, 1.0);
    let along = |by: f64| {
        let x = x.map(|v| v + by * v.cos());
        record_types(&x, &mut y.clone(), 3)
    };
    let h = 1e-5;
    let slope = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
    let product: f64 = x.iter().zip(x_adj).map(|(v, adj)| v.cos() * adj).sum();
    assert!(
        (slope - product).abs() <= 1e-8 * slope.abs(),
        "{slope} {product}"
    );
    assert!(slope.abs() > 1e-3);
}

/// A helper whose callers want its records or not: the ways are there for those that take derivatives.
#[adjoint]
fn bend(x: &mut [f64], w: &[f64]) {
    for i in 0..x.len() {
        if x[i] > w[i] {
            x[i] = x[i] * w[i];
        } else {
            x[i] = x[i] - w[i] * w[i];
        }
    }
}

#[adjoint]
fn record_for_callers(x: &[f64], w: &[f64]) -> f64 {
    let mut fixed = vec![0.3; w.len()];
    bend(&mut fixed, &[0.5, 0.1, 0.2]);
    let mut scaled = x.to_vec();
    bend(&mut scaled, &fixed);
    bend(&mut scaled, w);
    scaled.iter().map(|v| v * v).sum::<f64>() + fixed[0] * w[0]
}

#[test]
fn ways_for_callers_that_want_them() {
    check!(record_for_callers(&[0.6, -0.2, 0.1], &[0.2, 0.4, -0.3]) -> f64);
}

/// The same for any float.
#[adjoint]
fn record_generic<T: num_traits::Float>(x: &[T], w: &mut [T]) -> T {
    let mut sum = T::zero();
    for i in 0..x.len() {
        if x[i] > w[i] {
            w[i] = x[i] * w[i];
        } else if x[i] < T::zero() {
            w[i] = w[i] - x[i] * x[i];
        }
        sum = sum + w[i] * w[i];
    }
    sum
}

#[test]
fn ways_of_a_generic_loop() {
    let x: Vec<f64> = (0..20).map(|i| (0.1 + f64::from(i) * 0.9).sin()).collect();
    let w: Vec<f64> = (0..20).map(|i| (f64::from(i) * 1.9).cos()).collect();
    check!(record_generic(&x, &mut w) -> f64);
}

/// A factor of all iterations, whose adjoint is a sum in lanes, beside flags and labels.
#[adjoint]
fn record_lanes(x: &[f64], c: f64, steps: usize) -> f64 {
    let mut u = x.to_vec();
    for _ in 0..steps {
        for i in 0..u.len() {
            let pull = if u[i] > 0.1 {
                0.8 * u[i] + c * x[i]
            } else if u[i] < -0.3 {
                u[i] + 0.3 * c
            } else {
                1.1 * u[i] - c * x[i] + 0.1
            };
            let is_far = pull > 0.4;
            u[i] = pull;
            if is_far {
                u[i] -= 0.5 * c;
            }
        }
    }
    u.iter().map(|v| v * v).sum()
}

#[test]
fn ways_beside_sums_in_lanes() {
    for n in [1, 3, 4, 11, 40] {
        let x: Vec<f64> = (0..n).map(|i| (0.2 + f64::from(i) * 1.3).sin()).collect();
        check!(record_lanes(&x, 0.9, const 4) -> f64);
    }
}

/// A type that has the name of that of flags' bytes.
mod shadowed {
    use adjoint::adjoint;

    #[allow(non_camel_case_types)]
    pub struct u8(pub i32);

    #[adjoint]
    pub fn bend(x: &[f64], u: &mut [f64], w: &u8) -> f64 {
        let mut sum = f64::from(w.0);
        for i in 0..u.len() {
            if u[i] > x[i] {
                u[i] *= x[i];
                sum += u[i];
            } else {
                u[i] = u[i] * u[i];
            }
        }
        sum
    }
}

#[test]
fn a_type_with_the_name_of_that_of_flags() {
    let x = [0.3, 0.5, 0.1, 0.9];
    let (mut u, mut x_adj, mut u_adj) = ([0.6, 0.4, 0.2, 0.3], [0.0; 4], [1.0; 4]);
    shadowed::bend_adjoint(&x, &mut x_adj, &mut u, &mut u_adj, &shadowed::u8(2), 1.0);
    assert_close(&x_adj, &[1.2, 0.0, 0.4, 0.0]);
    assert_close(&u_adj, &[0.6, 0.8, 0.2, 0.6]);
}
