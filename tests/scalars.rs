//! Kernels over scalars: operators, casts, `let`, assignment, blocks, constants.
#![allow(
    clippy::needless_late_init,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, assert_rows_close, check};

#[adjoint]
fn rosenbrock(x: f64, y: f64) -> f64 {
    let a = 1.0 - x;
    let b = y - x * x;
    a * a + 100.0 * b * b
}

#[test]
fn rosenbrock_has_its_gradient() {
    let (x, y) = (-1.2, 1.0);
    let jacobian = check!(rosenbrock(x, y) -> f64);
    let b = y - x * x;
    assert_close(&jacobian[0], &[-2.0 * (1.0 - x) - 400.0 * x * b, 200.0 * b]);
}

#[adjoint]
fn himmelblau(x: f64, y: f64) -> f64 {
    (x * x + y - 11.0).powi(2) + (x + y * y - 7.0).powi(2)
}

#[test]
fn himmelblau_has_its_gradient() {
    let (x, y) = (0.3, -1.7);
    let jacobian = check!(himmelblau(x, y) -> f64);
    let (u, v) = (x * x + y - 11.0, x + y * y - 7.0);
    assert_close(
        &jacobian[0],
        &[4.0 * x * u + 2.0 * v, 2.0 * u + 4.0 * y * v],
    );
}

#[adjoint]
fn goldstein_price(x: f64, y: f64) -> f64 {
    let s = x + y + 1.0;
    let d = 2.0 * x - 3.0 * y;
    let first =
        1.0 + s * s * (19.0 - 14.0 * x + 3.0 * x * x - 14.0 * y + 6.0 * x * y + 3.0 * y * y);
    let second =
        30.0 + d * d * (18.0 - 32.0 * x + 12.0 * x * x + 48.0 * y - 36.0 * x * y + 27.0 * y * y);
    first * second
}

#[test]
fn goldstein_price_is_flat_at_its_minimum() {
    check!(goldstein_price(0.4, 0.6) -> f64);
    assert_close(&check!(goldstein_price(0.0, -1.0) -> f64)[0], &[0.0, 0.0]);
}

#[adjoint]
fn by_reference(x: &f64, y: &f64) -> f64 {
    *x * *y + x.sin()
}

#[test]
fn scalars_by_reference() {
    let jacobian = check!(by_reference(&0.7, &1.3) -> f64);
    assert_close(&jacobian[0], &[1.3 + 0.7_f64.cos(), 0.7]);
}

#[adjoint]
fn shadowed(x: f64) -> f64 {
    let x = x * x;
    let x = x + x.sin();
    let y = {
        let x = x.exp();
        x * x
    };
    x * y
}

#[test]
fn shadowing_makes_new_variables() {
    check!(shadowed(0.6) -> f64);
}

#[adjoint]
fn initialised_later(x: f64, y: f64) -> f64 {
    let product;
    let mut sum;
    product = x * y;
    sum = x;
    sum += product;
    sum = sum * sum - y;
    sum
}

#[test]
fn a_let_without_an_initialiser() {
    check!(initialised_later(1.1, -0.4) -> f64);
}

#[adjoint]
fn compound(x: f64, y: f64) -> f64 {
    let mut s = x;
    s += y;
    s *= x;
    s -= x * y;
    s /= y + 2.0;
    s *= s;
    s += s;
    s -= s * y;
    s
}

#[test]
fn compound_assignments_read_their_own_target() {
    check!(compound(1.4, 0.9) -> f64);
}

#[adjoint]
fn remainders(x: f64, y: f64) -> f64 {
    let mut r = x % y;
    r %= 0.4 * y;
    r * x
}

#[test]
fn remainders_pass_the_quotient_to_the_divisor() {
    let (x, y) = (7.3, 2.0);
    let jacobian = check!(remainders(x, y) -> f64);
    // x % y = x - 3y = 1.3, and 1.3 % 0.8 = x - 3y - 0.4y.
    let r = x - 3.4 * y;
    assert_close(&jacobian[0], &[x + r, -3.4 * x]);
    check!(remainders(-7.3, 2.0) -> f64);
}

#[adjoint]
fn signs(x: f64, y: f64) -> f64 {
    let a = -x;
    let b = -(-y * a);
    -(a - -b) / -(x * x + 1.0)
}

#[test]
fn negations_nest() {
    check!(signs(0.8, -2.2) -> f64);
}

#[adjoint]
fn unused_and_cancelled(x: f64, y: f64, z: f64) -> f64 {
    let _ignored = z.exp();
    let same = x;
    x * y + (same - x)
}

#[test]
fn unused_inputs_have_exact_zeros() {
    let jacobian = check!(unused_and_cancelled(1.5, 2.5, 3.5) -> f64);
    assert_close(&jacobian[0], &[2.5, 1.5, 0.0]);
    assert_eq!(jacobian[0][2], 0.0);
}

#[adjoint]
fn constant(_x: f64) -> f64 {
    42.0
}

#[test]
fn a_constant_has_a_zero_gradient() {
    assert_eq!(check!(constant(3.0) -> f64), [[0.0]]);
}

#[adjoint]
fn identity(x: f64) -> f64 {
    x
}

#[test]
fn the_identity_passes_its_seed() {
    assert_eq!(check!(identity(-3.0) -> f64), [[1.0]]);
}

const GAS_CONSTANT: f64 = 8.314_462_618;
const A: f64 = 0.137;
const B: f64 = 3.87e-5;

#[adjoint]
fn van_der_waals(temperature: f64, volume: f64, moles: f64) -> f64 {
    const KELVIN: f64 = 273.15;
    let t = temperature + KELVIN;
    moles * GAS_CONSTANT * t / (volume - moles * B) - A * moles * moles / (volume * volume)
}

#[test]
fn constants_of_the_module_and_of_the_function() {
    let (t, v, n) = (25.0, 0.03, 1.2);
    let jacobian = check!(van_der_waals(t, v, n) -> f64);
    let free = v - n * B;
    let by_t = n * GAS_CONSTANT / free;
    assert_close(&jacobian[0][..1], &[by_t]);
}

#[adjoint]
fn pi_and_e(x: f64) -> f64 {
    use std::f64::consts::{E, PI};
    (PI * x).sin() + E * x + std::f64::consts::LN_2 * x * x + f64::EPSILON
}

#[test]
fn constants_of_std() {
    check!(pi_and_e(0.3) -> f64);
}

#[adjoint]
fn with_integers(x: f64, n: usize, k: i32) -> f64 {
    let m = 2 * n + 1;
    let half = (m / 2) as f64;
    let odd = (m % 2) as f64;
    let shifted = (k << 2 | 1) as f64;
    x.powi(k) * half + x * odd / shifted - (n as i32 - k).abs() as f64 * x
}

#[test]
fn integers_are_constants() {
    check!(with_integers(1.3, const 4, const -3) -> f64);
    check!(with_integers(-0.8, const 0, const 2) -> f64);
}

#[adjoint]
fn casts(x: f64, y: f32) -> f64 {
    let single = x as f32;
    let wide = (single * y) as f64;
    let whole = (10.0 * x) as i64;
    let back = whole as f64;
    wide * x + back * x + f64::from(y)
}

#[test]
fn casts_between_floats_pass_through_and_to_integers_stop() {
    let jacobian = check!(casts(0.75, 2.5) -> f64);
    assert_close(&jacobian[0], &[2.0 * 2.5 * 0.75 + 7.0, 0.75 * 0.75 + 1.0]);
}

#[adjoint]
fn single_precision(x: f32, y: f32) -> f32 {
    let r = (x * x + y * y).sqrt();
    let phi = y.atan2(x);
    r * (2.0 * phi).cos() + 0.5_f32 * x
}

#[test]
fn single_precision_throughout() {
    check!(single_precision(1.5, 0.75) -> f32);
}

#[adjoint]
fn nested_blocks(x: f64, y: f64) -> f64 {
    let a = {
        let t = x.exp();
        {
            let u = t * y;
            u + t
        }
    } * {
        let t = y.sin();
        t * t
    };
    let b = {
        let mut s = a;
        s *= x;
        s
    };
    {
        let c = a + b;
        c * c
    }
}

#[test]
fn blocks_are_expressions() {
    check!(nested_blocks(0.2, 0.9) -> f64);
}

#[adjoint]
fn black_scholes(spot: f64, strike: f64, rate: f64, volatility: f64, years: f64) -> f64 {
    let root = volatility * years.sqrt();
    let d1 = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / root;
    let d2 = d1 - root;
    // The logistic approximation of the normal distribution.
    let n1 = 1.0 / (1.0 + (-1.5976 * d1 - 0.07056 * d1 * d1 * d1).exp());
    let n2 = 1.0 / (1.0 + (-1.5976 * d2 - 0.07056 * d2 * d2 * d2).exp());
    spot * n1 - strike * (-rate * years).exp() * n2
}

#[test]
fn black_scholes_has_its_greeks() {
    check!(black_scholes(100.0, 105.0, 0.03, 0.2, 1.5) -> f64);
}

#[adjoint]
fn redlich_kwong(t: f64, v: f64, a: f64, b: f64) -> f64 {
    8.314 * t / (v - b) - a / (t.sqrt() * v * (v + b))
}

#[test]
fn redlich_kwong_pressure() {
    check!(redlich_kwong(300.0, 2.0, 3.2, 0.04) -> f64);
}

#[adjoint]
fn several_results(x: f64, y: f64, sum: &mut f64, product: &mut f64) -> f64 {
    *sum = x + y;
    *product = x * y;
    *sum / *product
}

#[test]
fn results_through_references_and_by_value() {
    let (x, y) = (1.5, -0.5);
    let jacobian = check!(several_results(x, y, &mut 9.0, &mut 9.0) -> f64);
    assert_rows_close(
        &jacobian,
        &[
            &[-1.0 / (x * x), -1.0 / (y * y), 0.0, 0.0],
            &[1.0, 1.0, 0.0, 0.0],
            &[y, x, 0.0, 0.0],
        ],
    );
}

#[adjoint(wrt(x))]
fn only_the_first(x: f64, k: f64) -> f64 {
    k * x.sin() + k
}

#[test]
fn wrt_leaves_the_others_out() {
    assert_close(
        &check!(only_the_first(0.5, const 3.0) -> f64)[0],
        &[3.0 * 0.5_f64.cos()],
    );
}

#[adjoint]
fn long_chain(x: f64) -> f64 {
    let a = x.sin();
    let b = a.exp();
    let c = (b + x).sqrt();
    let d = c.ln() * a;
    let e = d.tanh() + b / c;
    let f = e * e * e - d;
    let g = f.atan() * (a + b + c + d + e);
    g / (1.0 + f * f)
}

#[test]
fn a_long_chain() {
    check!(long_chain(0.77) -> f64);
}

#[adjoint]
fn speelpenning(a: f64, b: f64, c: f64, d: f64, e: f64) -> f64 {
    a * b * c * d * e
}

#[test]
fn speelpenning_with_a_zero_factor() {
    let jacobian = check!(speelpenning(2.0, 0.0, 3.0, 0.5, 4.0) -> f64);
    assert_eq!(jacobian, [[0.0, 12.0, 0.0, 0.0, 0.0]]);
}

#[adjoint]
fn parameters_as_variables(mut x: f64, mut y: f64) -> f64 {
    x *= y;
    y += x.cos();
    x += y * y;
    x
}

#[test]
fn mutable_parameters_by_value() {
    check!(parameters_as_variables(0.6, 1.9) -> f64);
}

#[adjoint]
fn both_ends_of_an_overwrite(x: f64, y: f64) -> f64 {
    let mut t = x * y;
    let before = t.sin();
    t = t * t + x;
    let after = t.cos();
    t = y;
    before * after + t * x
}

#[test]
fn values_before_and_after_an_overwrite() {
    check!(both_ends_of_an_overwrite(0.9, 1.2) -> f64);
}
