//! Test functions of optimisation, generic as their crates write them.

use std::f64::consts::PI;
use std::iter::Sum;

use adjoint::adjoint;
use num_traits::{Float, FloatConst, FromPrimitive};

use crate::common::{assert_close, check};

/// Names an instance of a generic kernel, so that the harness can call it.
macro_rules! instance {
    ($name:ident = $f:ident::<$($g:tt),*>($($arg:ident: $ty:ty),*) -> $ret:ty) => {
        #[adjoint]
        fn $name($($arg: $ty),*) -> $ret {
            $f::<$($g),*>($($arg),*)
        }
    };
}

#[adjoint]
pub fn rosenbrock<T>(param: &[T]) -> T
where
    T: Float + FromPrimitive + Sum,
{
    rosenbrock_ab(
        param,
        T::from_f64(1.0).unwrap(),
        T::from_f64(100.0).unwrap(),
    )
}

#[adjoint]
pub fn rosenbrock_ab<T>(param: &[T], a: T, b: T) -> T
where
    T: Float + FromPrimitive + Sum,
{
    param
        .iter()
        .zip(param.iter().skip(1))
        .map(|(&xi, &xi1)| (a - xi).powi(2) + b * (xi1 - xi.powi(2)).powi(2))
        .sum()
}

instance!(rosenbrock64 = rosenbrock::<f64>(x: &[f64]) -> f64);

#[test]
fn the_valley() {
    let x: Vec<f64> = vec![-1.2, 1.0, 0.7];
    let g = check!(rosenbrock64(&x) -> f64);
    let first = -2.0 * (1.0 - x[0]) - 400.0 * x[0] * (x[1] - x[0] * x[0]);
    assert_close(&g[0][..1], &[first]);
}

#[adjoint]
pub fn ackley_abc<T>(param: &[T], a: T, b: T, c: T) -> T
where
    T: Float + FromPrimitive + Sum,
{
    let num1 = T::from_f64(1.0).unwrap();
    let n = T::from_usize(param.len()).unwrap();
    -a * (-b * ((num1 / n) * param.iter().map(|x| x.powi(2)).sum()).sqrt()).exp()
        - ((num1 / n) * param.iter().map(|x| (c * *x).cos()).sum()).exp()
        + a
        + num1.exp()
}

instance!(ackley64 = ackley_abc::<f64>(x: &[f64], a: f64, b: f64, c: f64) -> f64);

#[test]
fn ackley() {
    check!(ackley64(&vec![0.3, -0.7, 1.1], 20.0, 0.2, 2.0 * PI) -> f64);
}

#[adjoint]
pub fn rastrigin<T: Float + FromPrimitive + FloatConst>(param: &[T]) -> T {
    let a = T::from_f64(10.0).unwrap();
    let two_pi = T::PI() + T::PI();
    let n = T::from(param.len()).unwrap();
    param
        .iter()
        .fold(a * n, |acc, &x| acc + x.powi(2) - a * (two_pi * x).cos())
}

instance!(rastrigin64 = rastrigin::<f64>(x: &[f64]) -> f64);

#[test]
fn rastrigin_sums_in_a_fold() {
    check!(rastrigin64(&vec![0.4, -1.2, 2.2]) -> f64);
}

#[adjoint]
pub fn styblinski_tang<T>(param: &[T]) -> T
where
    T: Float + FromPrimitive + Sum,
{
    T::from_f64(0.5).unwrap()
        * param
            .iter()
            .map(|x| {
                x.powi(4) - T::from_f64(16.0).unwrap() * x.powi(2) + T::from_f64(5.0).unwrap() * *x
            })
            .sum()
}

instance!(tang64 = styblinski_tang::<f64>(x: &[f64]) -> f64);

#[test]
fn a_constant_times_a_sum() {
    check!(tang64(&vec![0.4, -2.9]) -> f64);
}

#[adjoint]
pub fn beale<T>(param: &[T; 2]) -> T
where
    T: Float + FromPrimitive,
{
    let [x1, x2] = *param;
    (T::from_f64(1.5).unwrap() - x1 + x1 * x2).powi(2)
        + (T::from_f64(2.25).unwrap() - x1 + x1 * (x2.powi(2))).powi(2)
        + (T::from_f64(2.625).unwrap() - x1 + x1 * (x2.powi(3))).powi(2)
}

instance!(beale64 = beale::<f64>(x: &[f64; 2]) -> f64);

#[test]
fn an_array_taken_apart() {
    check!(beale64(&[1.2, 0.7]) -> f64);
}

#[adjoint]
pub fn levy<T>(param: &[T]) -> T
where
    T: Float + FromPrimitive + FloatConst + Sum,
{
    let plen = param.len();
    assert!(plen >= 2);
    let n1 = T::from_f64(1.0).unwrap();
    let n4 = T::from_f64(4.0).unwrap();
    let n10 = T::from_f64(10.0).unwrap();
    let pi = T::PI();
    let w = |x: T| n1 + (x - n1) / n4;
    (pi * w(param[0])).sin().powi(2)
        + param
            .iter()
            .take(plen - 1)
            .map(|&x| w(x))
            .map(|wi: T| (wi - n1).powi(2) * (n1 + n10 * (pi * wi + n1).sin().powi(2)))
            .sum()
        + (w(param[plen - 1]) - n1).powi(2)
            * (n1
                + (T::from_f64(2.0).unwrap() * pi * w(param[plen - 1]))
                    .sin()
                    .powi(2))
}

instance!(levy64 = levy::<f64>(x: &[f64]) -> f64);

#[test]
fn a_closure_in_several_places() {
    check!(levy64(&vec![0.4, -2.9, 1.7]) -> f64);
}

#[adjoint]
pub fn himmelblau<T: Float + FromPrimitive>(param: &[T]) -> T {
    assert!(param.len() == 2);
    let (x1, x2) = (param[0], param[1]);
    let n = |v: f64| T::from_f64(v).unwrap();
    (x1.powi(2) + x2 - n(11.0)).powi(2) + (x1 + x2.powi(2) - n(7.0)).powi(2)
}

instance!(himmelblau64 = himmelblau::<f64>(x: &[f64]) -> f64);

#[test]
fn constants_by_a_closure() {
    check!(himmelblau64(&vec![2.2, -0.7]) -> f64);
}

/// Goldstein–Price: one long expression.
#[adjoint]
fn goldstein_price(p: &[f64; 2]) -> f64 {
    let &[x1, x2] = p;
    (1.0 + (x1 + x2 + 1.0).powi(2)
        * (19.0 - 14.0 * (x1 + x2) + 3.0 * (x1.powi(2) + x2.powi(2)) + 6.0 * x1 * x2))
        * (30.0
            + (2.0 * x1 - 3.0 * x2).powi(2)
                * (18.0 - 32.0 * x1 + 12.0 * x1.powi(2) + 48.0 * x2 - 36.0 * x1 * x2
                    + 27.0 * x2.powi(2)))
}

#[test]
fn one_long_expression() {
    check!(goldstein_price(&[0.3, -0.8]) -> f64);
}

/// Rosenbrock over windows of two.
#[adjoint]
fn rosenbrock_windows(x: &[f64]) -> f64 {
    x.windows(2)
        .map(|w| {
            let (a, b) = (1.0 - w[0], w[1] - w[0] * w[0]);
            a * a + 100.0 * b * b
        })
        .sum::<f64>()
}

/// The same with a slice pattern.
#[adjoint]
fn rosenbrock_pattern(x: &[f64]) -> f64 {
    x.windows(2)
        .map(|w| match w {
            [a, b] => (1.0 - a).powi(2) + 100.0 * (b - a.powi(2)).powi(2),
            _ => unreachable!(),
        })
        .sum()
}

/// The same with `if let` and `chunks`.
#[adjoint]
fn rosenbrock_chunks(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for pair in x.chunks(2) {
        if let &[a, b] = pair {
            total += (1.0 - a).powi(2) + 100.0 * (b - a.powi(2)).powi(2);
        } else if let [a] = pair {
            total += a * a;
        }
    }
    total
}

#[test]
fn rosenbrock_in_three_ways() {
    let x: Vec<f64> = vec![-1.2, 1.0, 0.7, 0.9, 1.3];
    let a = check!(rosenbrock_windows(&x) -> f64);
    assert_close(&a[0], &check!(rosenbrock_pattern(&x) -> f64)[0]);
    check!(rosenbrock_chunks(&x) -> f64);
}

/// Michalewicz, with the exponent as an integer parameter.
#[adjoint]
fn michalewicz(x: &[f64], m: i32) -> f64 {
    -x.iter()
        .enumerate()
        .map(|(i, &xi)| xi.sin() * (((i + 1) as f64) * xi.powi(2) / PI).sin().powi(2 * m))
        .sum::<f64>()
}

#[test]
fn an_integer_power_of_a_parameter() {
    check!(michalewicz(&vec![2.2, 1.57, 1.1], const 3) -> f64);
}

/// The largest of all terms: Schwefel's 2.21 and the infinity norm.
#[adjoint]
fn schwefel_221(x: &[f64]) -> f64 {
    x.iter()
        .map(|v| v.abs())
        .max_by(|a, b| a.partial_cmp(b).unwrap())
        .unwrap()
}

#[adjoint]
fn spread(x: &[f64]) -> f64 {
    let hi = x
        .iter()
        .cloned()
        .max_by(|a, b| a.total_cmp(b))
        .unwrap_or(0.0);
    let lo = x.iter().copied().min_by(f64::total_cmp).unwrap_or(0.0);
    hi - lo * lo
}

#[test]
fn extremes_by_comparison() {
    let g = check!(schwefel_221(&vec![0.3, -2.5, 1.1]) -> f64);
    assert_eq!(g[0], [0.0, -1.0, 0.0]);
    check!(spread(&vec![0.3, -2.5, 1.1, 0.8]) -> f64);
    assert_eq!(spread(&[]), 0.0);
}

/// Griewank: a sum and a product in one pass.
#[adjoint]
fn griewank(x: &[f64]) -> f64 {
    let (sum, prod) = x.iter().enumerate().fold((0.0, 1.0), |(s, p), (i, &xi)| {
        (
            s + xi * xi / 4000.0,
            p * (xi / ((i + 1) as f64).sqrt()).cos(),
        )
    });
    sum - prod + 1.0
}

#[test]
fn a_fold_with_a_tuple() {
    check!(griewank(&vec![3.0, -4.0, 5.0]) -> f64);
}
