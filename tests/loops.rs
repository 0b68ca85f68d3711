//! Kernels with loops: ranges of every form, `while`, nests, time stepping.
#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    clippy::manual_memcpy,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{Random, assert_close, assert_rows_close, check};

#[adjoint]
fn horner(c: &[f64], x: f64) -> f64 {
    let mut y = 0.0;
    for i in (0..c.len()).rev() {
        y = y * x + c[i];
    }
    y
}

#[test]
fn horner_backwards() {
    let (c, x) = (vec![1.0, -2.0, 0.5, 3.0], 0.7_f64);
    let jacobian = check!(horner(&c, x) -> f64);
    let slope = -2.0 + x + 9.0 * x * x;
    assert_close(&jacobian[0], &[1.0, x, x * x, x * x * x, slope]);
}

#[adjoint]
fn horner_while(c: &[f64], x: f64) -> f64 {
    let mut i = c.len();
    let mut y = 0.0;
    while i > 0 {
        i -= 1;
        y *= x;
        y += c[i];
    }
    y
}

#[test]
fn horner_with_while() {
    check!(horner_while(&vec![1.0, -2.0, 0.5, 3.0], -1.3) -> f64);
    assert_eq!(check!(horner_while(&vec![], 2.0) -> f64), [[0.0]]);
}

#[adjoint]
fn polynomial_with_derivative(c: &[f64], x: f64, slope: &mut f64) -> f64 {
    let n = c.len();
    let mut p = c[n - 1];
    let mut dp = 0.0;
    for i in (0..n - 1).rev() {
        dp = dp * x + p;
        p = p * x + c[i];
    }
    *slope = dp;
    p
}

#[test]
fn horner_with_its_derivative() {
    check!(polynomial_with_derivative(&vec![0.3, 1.0, -1.0, 0.2], 1.4, &mut 0.0) -> f64);
}

#[adjoint]
fn trapezoid(a: f64, b: f64, k: f64, n: usize) -> f64 {
    let h = (b - a) / n as f64;
    let mut s = 0.5 * ((k * a).sin() + (k * b).sin());
    for i in 1..n {
        let x = a + i as f64 * h;
        s += (k * x).sin();
    }
    s * h
}

#[test]
fn trapezoid_rule() {
    check!(trapezoid(0.0, 2.0, 1.3, const 8) -> f64);
    check!(trapezoid(0.1, 2.0, 1.3, const 1) -> f64);
}

#[adjoint]
fn simpson(f: &[f64], h: f64) -> f64 {
    let n = f.len() - 1;
    let mut s = f[0] + f[n];
    for i in (1..n).step_by(2) {
        s += 4.0 * f[i];
    }
    for i in (2..n).step_by(2) {
        s += 2.0 * f[i];
    }
    s * h / 3.0
}

#[test]
fn simpson_has_its_weights() {
    let jacobian = check!(simpson(&vec![1.0, 2.0, 0.0, -1.0, 5.0], 0.3) -> f64);
    assert_close(
        &jacobian[0],
        &[0.1, 0.4, 0.2, 0.4, 0.1, 14.0 / 3.0 - 4.0 / 3.0],
    );
}

#[adjoint]
fn inclusive(x: &[f64]) -> f64 {
    let mut s = 1.0;
    for i in 1..=x.len() - 1 {
        s = s * x[i] + x[i - 1];
    }
    s
}

#[test]
fn an_inclusive_range() {
    check!(inclusive(&vec![0.5, 1.5, -2.0, 0.8]) -> f64);
    assert_eq!(check!(inclusive(&vec![0.5]) -> f64), [[0.0]]);
}

#[adjoint]
fn inclusive_reversed(x: &[f64], n: usize) -> f64 {
    let mut s = 0.3;
    for i in (0..=n).rev() {
        s = (s * x[i]).sin() + x[i];
    }
    s
}

#[test]
fn an_inclusive_range_reversed() {
    check!(inclusive_reversed(&vec![0.5, 1.5, -2.0], const 2) -> f64);
    check!(inclusive_reversed(&vec![0.5, 1.5, -2.0], const 0) -> f64);
}

#[adjoint]
fn steps(x: &mut [f64], stride: usize) {
    let n = x.len();
    for i in (0..n).step_by(stride) {
        x[i] = x[i] * x[n - 1];
    }
    for i in (0..n).rev().step_by(stride) {
        x[i] = x[i] * x[0] + 1.0;
    }
    for i in (0..n).step_by(stride).rev() {
        x[i] *= x[n / 2];
    }
    for i in (1..=n - 1).rev().step_by(2) {
        x[i] = x[i - 1].cos() * x[i];
    }
}

#[test]
fn ranges_with_steps_in_both_orders() {
    let x = [1.1, -0.6, 0.4, 2.0, 0.9, -1.3];
    for stride in 1..=7 {
        check!(steps(&mut x.to_vec(), const stride));
    }
}

#[adjoint]
fn signed_range(x: &[f64], lo: i32, hi: i32) -> f64 {
    let mut s = 0.0;
    for k in lo..hi {
        let w = (k * k - 2) as f64;
        s = s * 0.5 + w * x[(k - lo) as usize].sin();
    }
    s
}

#[test]
fn a_range_of_signed_integers() {
    let x = vec![0.1, 0.2, 0.3, 0.4, 0.5];
    check!(signed_range(&x, const -2, const 3) -> f64);
    assert_close(
        &check!(signed_range(&x, const 3, const -2) -> f64)[0],
        &[0.0; 5],
    );
}

#[adjoint]
fn zero_and_one_trip(x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = y * y + x;
    }
    for _ in n..n {
        y = y.exp();
    }
    y
}

#[test]
fn zero_one_and_more_trips() {
    assert_eq!(check!(zero_and_one_trip(0.4, const 0) -> f64), [[1.0]]);
    assert_close(&check!(zero_and_one_trip(0.4, const 1) -> f64)[0], &[1.8]);
    check!(zero_and_one_trip(0.4, const 5) -> f64);
}

#[adjoint]
fn triangular(a: &[[f64; 4]; 4]) -> f64 {
    let mut s = 0.0;
    for i in 0..4 {
        for j in i..4 {
            for k in 0..j {
                s += a[i][j] * a[k][i] * s + a[j][k];
            }
        }
    }
    s
}

#[test]
fn bounds_that_depend_on_outer_indices() {
    let mut random = Random::new(3);
    let a: [[f64; 4]; 4] =
        std::array::from_fn(|_| std::array::from_fn(|_| random.uniform(-0.5, 0.5)));
    check!(triangular(&a) -> f64);
}

#[adjoint]
fn rk4(y0: f64, k: f64, h: f64, n: usize) -> f64 {
    let mut y = y0;
    for i in 0..n {
        let t = i as f64 * h;
        let k1 = -k * y * y + t.sin();
        let y2 = y + 0.5 * h * k1;
        let k2 = -k * y2 * y2 + (t + 0.5 * h).sin();
        let y3 = y + 0.5 * h * k2;
        let k3 = -k * y3 * y3 + (t + 0.5 * h).sin();
        let y4 = y + h * k3;
        let k4 = -k * y4 * y4 + (t + h).sin();
        y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    y
}

#[test]
fn runge_kutta_steps() {
    check!(rk4(1.2, 0.8, 0.1, const 10) -> f64);
}

#[adjoint]
fn heat(u: &mut [f64], nu: f64, steps: usize) {
    let n = u.len();
    for _ in 0..steps {
        let mut left = u[0];
        for i in 1..n - 1 {
            let here = u[i];
            u[i] = here + nu * (left - 2.0 * here + u[i + 1]);
            left = here;
        }
    }
}

#[test]
fn heat_equation_in_place() {
    check!(heat(&mut vec![0.0, 1.0, 0.3, -0.4, 0.2, 0.0], 0.2, const 4));
}

#[adjoint]
fn burgers(u: &mut [f64], work: &mut [f64], dt_dx: f64, steps: usize) {
    let n = u.len();
    for _ in 0..steps {
        for i in 0..n {
            work[i] = u[i];
        }
        for i in 1..n - 1 {
            u[i] = work[i] - dt_dx * work[i] * (work[i] - work[i - 1])
                + 0.1 * (work[i + 1] - 2.0 * work[i] + work[i - 1]);
        }
    }
}

#[test]
fn burgers_with_a_work_array() {
    check!(burgers(&mut vec![0.5, 1.0, 0.8, 0.3, 0.1], &mut vec![0.0; 5], 0.3, const 5));
}

#[adjoint]
fn gauss_seidel(u: &mut [[f64; 4]; 4], f: &[[f64; 4]; 4], sweeps: usize) {
    for _ in 0..sweeps {
        for i in 1..3 {
            for j in 1..3 {
                u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
            }
        }
    }
}

#[test]
fn gauss_seidel_sweeps() {
    let u = [
        [1.0, 2.0, 3.0, 4.0],
        [0.5, 0.0, 0.0, 1.0],
        [0.2, 0.0, 0.0, 2.0],
        [1.0; 4],
    ];
    check!(gauss_seidel(&mut u, &[[0.1; 4]; 4], const 3));
}

#[adjoint]
fn newton_sqrt(a: f64, n: usize) -> f64 {
    let mut x = a;
    for _ in 0..n {
        x = 0.5 * (x + a / x);
    }
    x
}

#[test]
fn newton_with_a_fixed_count() {
    let jacobian = check!(newton_sqrt(2.0, const 8) -> f64);
    assert_close(&jacobian[0], &[0.5 / 2.0_f64.sqrt()]);
}

#[adjoint(wrt(a))]
fn newton_sqrt_tolerance(a: f64, tolerance: f64) -> f64 {
    let mut x = 0.5 * (a + 1.0);
    while (x * x - a).abs() > tolerance {
        x -= (x * x - a) / (2.0 * x);
    }
    x
}

#[test]
fn newton_until_a_tolerance() {
    let jacobian = check!(newton_sqrt_tolerance(7.0, const 1e-13) -> f64);
    assert_close(&jacobian[0], &[0.5 / 7.0_f64.sqrt()]);
}

#[adjoint]
fn moving_average(x: &[f64], alpha: f64, out: &mut [f64]) {
    let mut average = x[0];
    for i in 0..x.len() {
        average = alpha * x[i] + (1.0 - alpha) * average;
        out[i] = average;
    }
}

#[test]
fn exponential_moving_average() {
    check!(moving_average(
        &vec![1.0, 3.0, 2.0, 5.0],
        0.3,
        &mut vec![0.0; 4]
    ));
}

#[adjoint]
fn leapfrog(q: &mut f64, p: &mut f64, omega: f64, h: f64, steps: usize) {
    for _ in 0..steps {
        *p -= 0.5 * h * omega * omega * *q;
        *q += h * *p;
        *p -= 0.5 * h * omega * omega * *q;
    }
}

#[test]
fn leapfrog_is_symplectic() {
    let jacobian = check!(leapfrog(&mut 1.0, &mut 0.3, 1.1, 0.05, const 20));
    let determinant = jacobian[0][0] * jacobian[1][1] - jacobian[0][1] * jacobian[1][0];
    assert_close(&[determinant], &[1.0]);
}

#[adjoint]
fn logistic_map(x0: f64, r: f64, n: usize) -> f64 {
    let mut x = x0;
    let mut i = 0;
    while i < n {
        x = r * x * (1.0 - x);
        i += 1;
    }
    x
}

#[test]
fn logistic_map_by_a_while_loop() {
    check!(logistic_map(0.3, 2.8, const 12) -> f64);
    assert_eq!(check!(logistic_map(0.3, 2.8, const 0) -> f64), [[1.0, 0.0]]);
}

#[adjoint]
fn halving(x: f64) -> f64 {
    let mut y = x;
    let mut product = 1.0;
    while y > 1.0 {
        y *= 0.5;
        product *= y;
    }
    product
}

#[test]
fn a_while_loop_on_an_active_value() {
    // Three trips: y, y/2, y/4 ... = x³ / 2⁶.
    let x: f64 = 7.0;
    assert_close(&check!(halving(x) -> f64)[0], &[3.0 * x * x / 64.0]);
    assert_eq!(check!(halving(0.5) -> f64), [[0.0]]);
}

#[adjoint]
fn nested_while(x: &mut [f64], limit: f64) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    while i < x.len() {
        while x[i] < limit {
            x[i] = x[i] * x[i] + 0.5;
            total += x[i];
        }
        i += 1;
    }
    total
}

#[test]
fn while_loops_nest() {
    check!(nested_while(&mut vec![0.1, 2.0, 1.2, -0.3], 1.5) -> f64);
}

#[adjoint]
fn sieve_of_indices(x: &mut [f64], stride: usize) {
    let mut at = 0;
    let mut step = stride;
    while at < x.len() {
        x[at] *= x[x.len() - 1 - at];
        at += step;
        step = 2 * step - 1;
    }
}

#[test]
fn integers_that_change_in_a_loop() {
    let x = [1.5, 0.3, -0.8, 1.1, 2.0, -0.4, 0.6];
    for stride in 1..4 {
        check!(sieve_of_indices(&mut x.to_vec(), const stride));
    }
}

#[adjoint]
fn packed_triangle(a: &[f64], x: &[f64], y: &mut [f64]) {
    let mut k = 0;
    for i in 0..x.len() {
        for j in 0..=i {
            y[i] += a[k] * x[j];
            k += 1;
        }
    }
}

#[test]
fn a_running_index_over_packed_storage() {
    let a = vec![1.0, 2.0, -1.0, 0.5, 0.3, 0.9];
    check!(packed_triangle(
        &a,
        &vec![0.1, -0.2, 0.7],
        &mut vec![1.0, 1.0, 1.0]
    ));
}

#[adjoint]
fn fibonacci(a: f64, b: f64, n: usize) -> f64 {
    let mut x = a;
    let mut y = b;
    for _ in 0..n {
        let next = x + y;
        x = y;
        y = next;
    }
    x
}

#[test]
fn fibonacci_has_fibonacci_numbers() {
    assert_eq!(check!(fibonacci(1.0, 2.0, const 10) -> f64), [[34.0, 55.0]]);
}

#[adjoint]
fn power_iteration(a: &[[f64; 2]; 2], v: &mut [f64; 2], n: usize) -> f64 {
    let mut norm = 0.0;
    for _ in 0..n {
        let w = [
            a[0][0] * v[0] + a[0][1] * v[1],
            a[1][0] * v[0] + a[1][1] * v[1],
        ];
        norm = (w[0] * w[0] + w[1] * w[1]).sqrt();
        v[0] = w[0] / norm;
        v[1] = w[1] / norm;
    }
    norm
}

#[test]
fn power_iteration_differentiates_the_largest_eigenvalue() {
    let jacobian =
        check!(power_iteration(&[[2.0, 0.0], [0.0, 1.0]], &mut [1.0, 0.0], const 3) -> f64);
    assert_close(&jacobian[0][..4], &[1.0, 0.0, 0.0, 0.0]);
    check!(power_iteration(&[[2.0, 0.4], [0.3, 1.0]], &mut [1.0, 0.5], const 4) -> f64);
}

#[adjoint]
fn wave(u: &mut [f64], v: &mut [f64], c: f64, steps: usize) {
    let n = u.len();
    for _ in 0..steps {
        for i in 0..n {
            let left = u[(i + n - 1) % n];
            let right = u[(i + 1) % n];
            v[i] += c * (left - 2.0 * u[i] + right);
        }
        for i in 0..n {
            u[i] += v[i];
        }
    }
}

#[test]
fn periodic_wave_equation() {
    check!(wave(&mut vec![0.0, 1.0, 0.5, -0.2], &mut vec![0.1, 0.0, 0.0, -0.1], 0.3, const 4));
}

#[adjoint]
fn lorenz(state: &mut [f64; 3], sigma: f64, rho: f64, beta: f64, h: f64, steps: usize) {
    for _ in 0..steps {
        let x = state[0];
        let y = state[1];
        let z = state[2];
        state[0] = x + h * sigma * (y - x);
        state[1] = y + h * (x * (rho - z) - y);
        state[2] = z + h * (x * y - beta * z);
    }
}

#[test]
fn lorenz_by_euler_steps() {
    check!(lorenz(&mut [1.0, 2.0, 3.0], 10.0, 28.0, 2.6, 0.01, const 6));
}

#[adjoint]
fn upwards_then_downwards(x: &mut [f64]) {
    let n = x.len();
    for i in 1..n {
        x[i] += 0.5 * x[i - 1] * x[i];
    }
    for i in (0..n - 1).rev() {
        x[i] -= 0.5 * x[i + 1] * x[i];
    }
}

#[test]
fn sweeps_in_both_directions() {
    check!(upwards_then_downwards(&mut vec![0.7, -1.0, 0.3, 1.4]));
}

#[adjoint]
fn linear_loop_needs_no_values(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s = 2.0 * s + x[i];
    }
    s
}

#[test]
fn powers_of_two_from_a_linear_loop() {
    assert_rows_close(
        &check!(linear_loop_needs_no_values(&vec![0.3, 0.4, 0.5, 0.6]) -> f64),
        &[&[8.0, 4.0, 2.0, 1.0]],
    );
}
