//! Calls from annotated functions to annotated functions, however they are named.
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, assert_rows_close, check};

#[adjoint]
fn square(x: f64) -> f64 {
    x * x
}

#[adjoint]
fn sum_of_squares(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += square(x[i]);
    }
    s
}

#[test]
fn a_call_in_a_loop() {
    assert_eq!(
        check!(sum_of_squares(&vec![1.0, -2.0, 3.0]) -> f64),
        [[2.0, -4.0, 6.0]]
    );
}

#[adjoint]
fn called_before_its_definition(x: f64) -> f64 {
    defined_below(x, 2.0) + defined_below(3.0, x)
}

#[adjoint]
fn defined_below(a: f64, b: f64) -> f64 {
    a * b * b
}

#[test]
fn order_of_definition_does_not_matter() {
    let x = 1.5;
    assert_close(
        &check!(called_before_its_definition(x) -> f64)[0],
        &[4.0 + 6.0 * x],
    );
}

#[adjoint]
fn calls_in_operands(x: f64, y: f64) -> f64 {
    square(x + square(y)) * square(x) - square(square(y) / 2.0)
}

#[test]
fn calls_nest_in_expressions() {
    check!(calls_in_operands(0.8, -1.1) -> f64);
}

mod physics {
    use adjoint::adjoint;

    #[adjoint]
    pub fn kinetic(m: f64, v: f64) -> f64 {
        0.5 * m * v * v
    }

    pub mod potentials {
        use adjoint::adjoint;

        #[adjoint]
        pub fn spring(k: f64, x: f64) -> f64 {
            0.5 * k * super::super::square(x)
        }

        #[adjoint]
        pub fn morse(x: f64) -> f64 {
            let e = 1.0 - (-x).exp();
            e * e
        }
    }
}

#[adjoint]
fn by_path(x: f64, v: f64) -> f64 {
    physics::kinetic(2.0, v)
        + physics::potentials::spring(3.0, x)
        + crate::physics::potentials::morse(x)
}

#[test]
fn callees_by_path() {
    check!(by_path(0.4, 1.7) -> f64);
    check!(physics::kinetic(1.1, 0.4) -> f64);
}

mod imports {
    use super::physics::kinetic;
    use super::physics::potentials::spring as harmonic;
    use adjoint::adjoint;

    #[adjoint]
    pub fn by_use(x: f64, v: f64) -> f64 {
        kinetic(1.5, v) * harmonic(x, v)
    }
}

#[test]
fn callees_by_use_and_renamed() {
    check!(imports::by_use(0.9, 1.2) -> f64);
}

mod globs {
    use super::physics::potentials::*;
    use adjoint::adjoint;

    #[adjoint]
    pub fn by_glob(x: f64) -> f64 {
        morse(x) + spring(2.0, morse(x))
    }
}

#[test]
fn callees_by_glob() {
    check!(globs::by_glob(0.6) -> f64);
}

#[adjoint]
fn nested_function(x: f64) -> f64 {
    #[adjoint]
    fn inner(t: f64, n: i32) -> f64 {
        t.powi(n) + t
    }
    inner(x, 3) * inner(x.sin(), 2)
}

#[test]
fn a_function_inside_the_body() {
    check!(nested_function(1.3) -> f64);
}

#[adjoint]
fn normalise(v: &mut [f64]) -> f64 {
    let norm = sum_of_squares(v).sqrt();
    for i in 0..v.len() {
        v[i] /= norm;
    }
    norm
}

#[test]
fn a_mutable_slice_is_lent_to_a_reader() {
    check!(normalise(&mut vec![3.0, 4.0, 12.0]) -> f64);
}

#[adjoint]
fn twice_normalised(v: &mut [f64], w: &mut [f64]) -> f64 {
    let a = normalise(v);
    for i in 0..w.len() {
        w[i] *= v[i] + a;
    }
    let b = normalise(w);
    a * b
}

#[test]
fn callees_overwrite_their_arguments() {
    check!(twice_normalised(&mut vec![3.0, 4.0], &mut vec![0.6, -0.2]) -> f64);
}

#[adjoint]
fn update(y: &mut f64, by: f64) {
    *y = *y * by + by;
}

#[adjoint]
fn elements_by_reference(y: &mut [f64], k: f64) -> f64 {
    let n = y.len();
    let mut s = k;
    for i in 0..n {
        update(&mut y[i], s);
        update(&mut s, y[n - 1 - i]);
    }
    s
}

#[test]
fn elements_and_locals_are_lent() {
    check!(elements_by_reference(&mut vec![0.5, -0.7, 1.1], 0.9) -> f64);
}

#[adjoint]
fn rhs(t: f64, y: &[f64; 2], mu: f64, dy: &mut [f64; 2]) {
    dy[0] = y[1];
    dy[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0] + 0.1 * t.cos();
}

#[adjoint]
fn rk4_step(t: f64, h: f64, y: &mut [f64; 2], mu: f64) {
    let mut k1 = [0.0; 2];
    let mut k2 = [0.0; 2];
    let mut k3 = [0.0; 2];
    let mut k4 = [0.0; 2];
    let mut tmp = [0.0; 2];
    rhs(t, y, mu, &mut k1);
    for i in 0..2 {
        tmp[i] = y[i] + 0.5 * h * k1[i];
    }
    rhs(t + 0.5 * h, &tmp, mu, &mut k2);
    for i in 0..2 {
        tmp[i] = y[i] + 0.5 * h * k2[i];
    }
    rhs(t + 0.5 * h, &tmp, mu, &mut k3);
    for i in 0..2 {
        tmp[i] = y[i] + h * k3[i];
    }
    rhs(t + h, &tmp, mu, &mut k4);
    for i in 0..2 {
        y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
}

#[adjoint]
fn van_der_pol(y: &mut [f64; 2], mu: f64, h: f64, steps: usize) {
    let mut t = 0.0;
    for _ in 0..steps {
        rk4_step(t, h, y, mu);
        t += h;
    }
}

#[test]
fn an_ode_with_a_helper_for_its_right_hand_side() {
    check!(rk4_step(0.2, 0.1, &mut [1.0, 0.3], 0.8));
    check!(van_der_pol(&mut [1.0, 0.3], 0.8, 0.1, const 5));
}

#[adjoint]
fn rotate(v: [f64; 2], phi: f64) -> [f64; 2] {
    [
        v[0] * phi.cos() - v[1] * phi.sin(),
        v[0] * phi.sin() + v[1] * phi.cos(),
    ]
}

#[adjoint]
fn chain_of_arms(lengths: &[f64], angles: &[f64]) -> [f64; 2] {
    let mut at = [0.0, 0.0];
    for i in (0..lengths.len()).rev() {
        at[0] += lengths[i];
        at = rotate(at, angles[i]);
    }
    at
}

#[test]
fn arrays_pass_and_return_by_value() {
    check!(chain_of_arms(&vec![1.0, 0.7, 0.3], &vec![0.2, -0.5, 0.9]) -> [f64; 2]);
}

fn weight(i: usize) -> f64 {
    1.0 / (1.0 + i as f64)
}

#[adjoint]
fn with_constant_calls(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += weight(i) * x[i] * x[i] * f64::from(2_u8).sqrt();
    }
    s
}

#[test]
fn a_call_without_varied_arguments_is_a_constant() {
    let root = 2.0_f64.sqrt();
    let jacobian = check!(with_constant_calls(&vec![1.0, 2.0, 3.0]) -> f64);
    assert_close(&jacobian[0], &[2.0 * root, 2.0 * root, 2.0 * root]);
}

#[adjoint(wrt(x))]
fn inactive_argument(x: f64, k: f64) -> f64 {
    defined_below(k, x) + defined_below(x, k) + square(k)
}

#[test]
fn some_arguments_of_a_call_are_constants() {
    let (x, k) = (1.2, 0.5);
    assert_close(
        &check!(inactive_argument(x, const k) -> f64)[0],
        &[2.0 * k * x + k * k],
    );
}

#[adjoint]
fn in_branches(x: f64, y: f64) -> f64 {
    let mut r = if square(x) > y {
        square(x - y)
    } else {
        defined_below(x, y)
    };
    if r > 1.0 {
        update(&mut r, x);
    }
    r
}

#[test]
fn calls_in_conditions_and_branches() {
    for (x, y) in [(2.3, 1.0), (3.0, 0.5), (0.5, 1.0), (1.0, 2.0)] {
        check!(in_branches(x, y) -> f64);
    }
}

#[adjoint]
fn ignored_result(v: &mut [f64]) {
    normalise(v);
    let _ = normalise(v);
    let _norm = normalise(v);
    v[0] *= v[1];
}

#[test]
fn results_may_be_ignored() {
    check!(ignored_result(&mut vec![0.3, -0.8]));
}

#[adjoint]
fn split_result(x: f64, whole: &mut f64, part: &mut f64) -> bool {
    *whole = x.floor();
    *part = x - *whole;
    *part > 0.5
}

#[adjoint]
fn discrete_result(x: f64) -> f64 {
    let mut whole = 0.0;
    let mut part = 0.0;
    let upper = split_result(x, &mut whole, &mut part);
    if upper {
        part * part + whole
    } else {
        part.sin() * whole
    }
}

#[test]
fn a_callee_returns_a_discrete_value() {
    assert_close(&check!(discrete_result(3.8) -> f64)[0], &[1.6]);
    check!(discrete_result(3.2) -> f64);
}

#[adjoint]
fn same_argument_twice(x: &[f64]) -> f64 {
    distance(x, x) + distance(x, &[1.0, 2.0])
}

#[adjoint]
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len() {
        s += (a[i] - b[i]) * (a[i] - b[i]) + a[i] * b[i];
    }
    s
}

#[test]
fn one_slice_for_two_parameters() {
    // Σ xᵢ² + Σ (xᵢ - cᵢ)² + xᵢ cᵢ
    let (x, c) = ([3.0, -1.0], [1.0, 2.0]);
    let slope = |i: usize| 4.0 * x[i] - c[i];
    assert_rows_close(
        &check!(same_argument_twice(&x.to_vec()) -> f64),
        &[&[slope(0), slope(1)]],
    );
}

#[adjoint]
fn generic_length<const N: usize>(x: &[f64; N]) -> f64 {
    let mut p = 1.0;
    for i in 0..N {
        p *= x[i] + i as f64;
    }
    p
}

#[adjoint]
fn of_two_lengths(x: &[f64; 2], y: &[f64; 3]) -> f64 {
    generic_length(x) * generic_length::<3>(y)
}

#[test]
fn callees_with_const_generics() {
    check!(of_two_lengths(&[0.3, 0.9], &[1.1, -0.4, 0.8]) -> f64);
}

#[adjoint]
fn single(x: f32) -> f32 {
    x * x.sqrt()
}

#[adjoint]
fn mixed_precision(x: f64) -> f64 {
    single(x as f32) as f64 * x
}

#[test]
fn a_callee_in_single_precision() {
    assert_eq!(check!(single(4.0) -> f32), [[3.0]]);
    let mut x_adj = 0.0;
    assert_eq!(mixed_precision_adjoint(4.0, &mut x_adj, 1.0), 32.0);
    assert_eq!(x_adj, 20.0);
}

#[adjoint]
fn rows_of_a_matrix(a: &[[f64; 2]; 3], x: &[f64; 2]) -> f64 {
    let mut s = 0.0;
    for i in 0..3 {
        s += distance(&a[i], x) * a[i][0];
    }
    s
}

#[adjoint]
fn rows_in_place(a: &mut [[f64; 2]; 3]) {
    for i in 0..3 {
        let norm = normalise(&mut a[i]);
        a[2 - i][0] += norm;
    }
}

#[test]
fn rows_are_lent() {
    let a = [[1.0, 2.0], [0.5, -1.0], [0.3, 0.7]];
    check!(rows_of_a_matrix(&a, &[0.2, 0.4]) -> f64);
    check!(rows_in_place(&mut a));
}

#[adjoint]
fn scaled_power(x: f32, n: usize, k: f32) -> f32 {
    let mut p = k;
    for _ in 0..n {
        p *= x;
    }
    p
}

#[adjoint]
fn with_literals(x: f32) -> f32 {
    scaled_power(x, 3, 0.5) + scaled_power(x * x, 2, 1.5)
}

#[test]
fn literals_take_the_types_of_the_parameters() {
    // x³/2 + 3x⁴/2
    assert_eq!(check!(with_literals(2.0) -> f32), [[6.0 + 48.0]]);
}

#[adjoint]
fn gathered(x: &[f32], at: &[usize], weights: &[f32]) -> f32 {
    let mut s = 0.0;
    for k in 0..at.len() {
        s += x[at[k]] * weights[k] * x[at[k]];
    }
    s
}

#[adjoint]
fn with_literal_arrays(x: &[f32]) -> f32 {
    gathered(x, &[0, 2, 2], &[1.0, 0.5, 2.0])
}

#[test]
fn literal_arrays_take_the_types_of_the_parameters() {
    assert_eq!(
        check!(with_literal_arrays(&vec![3.0, 1.0, 2.0]) -> f32),
        [[6.0, 0.0, 10.0]]
    );
}
