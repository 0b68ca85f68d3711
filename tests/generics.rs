//! Generic kernels: `T: Float` and weaker bounds, conversions, const generics, calls.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::check;
use num_traits::{Float, FloatConst, FromPrimitive, NumCast, One, Zero};
use std::ops::{Add, AddAssign, Mul, Sub};

/// Names an instance of a generic kernel, so that the harness can call it.
macro_rules! instance {
    ($name:ident = $f:ident::<$($g:tt),*>($($arg:ident: $ty:ty),*) $(-> $ret:ty)?) => {
        #[adjoint]
        fn $name($($arg: $ty),*) $(-> $ret)? {
            $f::<$($g),*>($($arg),*)
        }
    };
}

#[adjoint]
fn logistic<T: Float>(x: T, k: T) -> T {
    T::one() / (T::one() + (-k * x).exp())
}

instance!(logistic64 = logistic::<f64>(x: f64, k: f64) -> f64);
instance!(logistic32 = logistic::<f32>(x: f32, k: f32) -> f32);

#[test]
fn constants_and_methods() {
    check!(logistic64(0.7, 1.3) -> f64);
    check!(logistic32(0.7, 1.3) -> f32);
}

#[adjoint]
fn methods_in_path_form<T: Float>(x: T, y: T) -> T {
    let a = T::sqrt(x) * Float::sin(y) + num_traits::Float::powi(x, 3);
    let b = <T as Float>::max(a, y) - T::hypot(x, y);
    a * b + T::mul_add(x, y, a).tanh() + x.powf(y) + x.atan2(y) + Float::abs(-x)
}

instance!(paths64 = methods_in_path_form::<f64>(x: f64, y: f64) -> f64);
instance!(paths32 = methods_in_path_form::<f32>(x: f32, y: f32) -> f32);

#[test]
fn methods_by_path() {
    check!(paths64(0.7, 1.3) -> f64);
    check!(paths32(0.75, 1.25) -> f32);
}

#[adjoint]
fn conversions<T: Float>(x: T, n: usize) -> T {
    let two = T::from(2.0).unwrap();
    let half: T = NumCast::from(0.5).unwrap();
    let count = T::from(n).expect("a small number");
    let third = num_traits::cast::<f64, T>(1.0 / 3.0).unwrap();
    let whole = <T as NumCast>::from(7).unwrap();
    two * x * half.powi(2) + count * x * third + whole * x.ln()
}

instance!(conversions64 = conversions::<f64>(x: f64, n: usize) -> f64);
instance!(conversions32 = conversions::<f32>(x: f32, n: usize) -> f32);

#[test]
fn constants_are_converted() {
    check!(conversions64(0.7, const 3) -> f64);
    check!(conversions32(0.75, const 3) -> f32);
}

#[adjoint]
fn there_and_back<T: Float + FromPrimitive>(x: T, y: f64) -> T {
    let wide = x.to_f64().unwrap();
    let product = wide * y * y;
    let narrow = T::from(product).unwrap();
    let other = T::from_f64(y * wide).unwrap();
    let index = (x * T::from(10.0).unwrap()).to_usize().unwrap();
    narrow * other + T::from_usize(index).unwrap() * x
}

instance!(back64 = there_and_back::<f64>(x: f64, y: f64) -> f64);
instance!(back32 = there_and_back::<f32>(x: f32, y: f64) -> f32);

#[test]
fn active_values_are_converted() {
    check!(back64(0.75, 1.25) -> f64);
    check!(back32(0.75, 1.25) -> f32);
}

#[adjoint]
fn polynomial<T: Copy + Add<Output = T> + Mul<Output = T>>(c: &[T], x: T) -> T {
    let mut p = c[c.len() - 1];
    for i in (0..c.len() - 1).rev() {
        p = p * x + c[i];
    }
    p
}

instance!(polynomial64 = polynomial::<f64>(c: &[f64], x: f64) -> f64);
instance!(polynomial32 = polynomial::<f32>(c: &[f32], x: f32) -> f32);

#[test]
fn operators_are_the_only_bounds() {
    check!(polynomial64(&vec![0.5, 1.5, -0.7], 0.8) -> f64);
    check!(polynomial32(&vec![0.5, 1.5, -0.75], 0.75) -> f32);
}

#[adjoint]
fn determinant<T>(a: [[T; 2]; 2], by: &mut T)
where
    T: Copy + Mul<Output = T> + Sub<Output = T> + AddAssign,
{
    *by += a[0][0] * a[1][1] - a[0][1] * a[1][0];
}

instance!(determinant64 = determinant::<f64>(a: [[f64; 2]; 2], by: &mut f64));

#[test]
fn compound_operators() {
    check!(determinant64([[0.5, 1.5], [-0.7, 0.8]], &mut 0.3));
}

#[adjoint]
fn in_a_where_clause<T>(x: &[T], y: &mut [T], eps: T) -> T
where
    T: num_traits::Float + std::iter::Sum + std::fmt::Debug,
{
    let total: T = x.iter().copied().sum();
    let norm = x.iter().map(|&v| v * v).sum::<T>().sqrt() + eps;
    for (y, &x) in y.iter_mut().zip(x.iter()) {
        *y = *y * x / norm;
    }
    let largest = x.iter().fold(T::neg_infinity(), |a, &b| a.max(b));
    debug_assert!(norm > T::zero(), "norm {norm:?}");
    total * largest + y.iter().fold(T::zero(), |a, b| a + *b)
}

instance!(where64 = in_a_where_clause::<f64>(x: &[f64], y: &mut [f64], eps: f64) -> f64);
instance!(where32 = in_a_where_clause::<f32>(x: &[f32], y: &mut [f32], eps: f32) -> f32);

#[test]
fn bounds_in_a_where_clause() {
    check!(where64(&vec![0.5, 1.5, -0.7], &mut vec![0.3, 0.2, 0.9], 0.1) -> f64);
    check!(where32(&vec![0.5, 1.5, -0.75], &mut vec![0.25, 0.5, 1.25], 0.125) -> f32);
}

#[adjoint]
fn mat_vec<T: Float, const N: usize, const M: usize>(a: &[[T; M]; N], x: [T; M]) -> [T; N] {
    let mut y = [T::zero(); N];
    for i in 0..N {
        for j in 0..M {
            y[i] = y[i] + a[i][j] * x[j] * x[j];
        }
    }
    y
}

#[adjoint]
fn twice<T: Float, const N: usize>(a: &[[T; N]; N], x: [T; N]) -> T {
    let y = mat_vec(a, x);
    let z = mat_vec::<T, N, N>(a, y);
    let mut s = T::zero();
    for i in 0..N {
        s = s + z[i] * x[i];
    }
    s
}

instance!(twice64 = twice::<f64, 2>(a: &[[f64; 2]; 2], x: [f64; 2]) -> f64);
instance!(twice32 = twice::<f32, 3>(a: &[[f32; 3]; 3], x: [f32; 3]) -> f32);

#[test]
fn const_generics() {
    check!(twice64(&[[0.5, 1.5], [-0.7, 0.4]], [0.3, 0.9]) -> f64);
    check!(twice32(
        &[[0.5, 1.5, 0.25], [-0.75, 0.5, 0.5], [0.25, 0.125, 1.0]],
        [0.25, 1.0, 0.5]
    ) -> f32);
}

#[adjoint]
fn constants<T: Float + FloatConst>(x: T) -> T {
    let mut s = x * T::PI() + T::E() * x.sin();
    if x > T::epsilon() && x < T::max_value() && !x.is_nan() {
        s = s * <T as FloatConst>::SQRT_2();
    }
    s - T::LN_2() * x.recip()
}

instance!(constants64 = constants::<f64>(x: f64) -> f64);
instance!(constants32 = constants::<f32>(x: f32) -> f32);

#[test]
fn constants_of_the_traits() {
    check!(constants64(0.7) -> f64);
    check!(constants32(0.75) -> f32);
}

#[adjoint]
fn zero_and_one<T: Copy + Zero + One + Sub<Output = T>>(x: &[T]) -> T {
    let mut product: T = One::one();
    for &v in x {
        product = product * (v + T::one());
    }
    let start: T = num_traits::zero();
    let sum = x.iter().fold(start, |a, &b| a + b * b);
    product - sum * <T as One>::one()
}

instance!(zero_and_one64 = zero_and_one::<f64>(x: &[f64]) -> f64);

#[test]
fn zero_and_one_of_any_spelling() {
    check!(zero_and_one64(&vec![0.5, 1.5, -0.7]) -> f64);
}

#[adjoint]
fn from_bound<T: Float + From<f32>>(x: T) -> T {
    let quarter: T = 0.25.into();
    x * <T as From<f32>>::from(0.5) + quarter * x * x
}

instance!(from64 = from_bound::<f64>(x: f64) -> f64);

#[test]
fn from_a_narrower_type() {
    check!(from64(0.7) -> f64);
}

#[adjoint]
fn into_bound<T: Float + Into<f64>>(x: T, y: f64) -> f64 {
    let wide: f64 = x.into();
    wide * y + x.into() * x.into()
}

#[test]
fn conversions_without_loss() {
    check!(into64(0.7, 1.3) -> f64);
    check!(into32(0.75, 1.25) -> f64);
}

instance!(into64 = into_bound::<f64>(x: f64, y: f64) -> f64);
instance!(into32 = into_bound::<f32>(x: f32, y: f64) -> f64);

#[adjoint]
fn recursive<T: Float>(x: T, n: usize) -> T {
    if n == 0 {
        return x;
    }
    let half = recursive(x, n / 2);
    half * half + recursive::<T>(x, n - 1) * T::from(n).unwrap().recip()
}

instance!(recursive64 = recursive::<f64>(x: f64, n: usize) -> f64);

#[test]
fn a_generic_recursion() {
    for n in 0..4 {
        check!(recursive64(0.7, const n) -> f64);
    }
}

#[adjoint]
fn vecs<T: Float>(x: &[T]) -> Vec<T> {
    let mut v = vec![T::zero(); x.len()];
    let mut w = x.to_vec();
    for i in 0..x.len() {
        v[i] = w[i] * x[0];
        w[0] = v[i].sin();
    }
    std::mem::swap(&mut v, &mut w);
    v[1] = v[1] * w[1];
    v
}

#[adjoint]
fn vecs64(x: &[f64]) -> f64 {
    let v = vecs(x);
    v[0] * v[1]
}

#[test]
fn generic_vecs() {
    check!(vecs64(&vec![0.5, 1.5, -0.7]) -> f64);
}

#[adjoint]
fn two_types<S: Float, T: Float>(x: S, y: T) -> T {
    let z = T::from(x).unwrap();
    let w: S = S::from(y).unwrap();
    z * y + T::from(w * x).unwrap()
}

instance!(two_types64 = two_types::<f32, f64>(x: f32, y: f64) -> f64);

#[test]
fn two_type_parameters() {
    check!(two_types64(0.75, 1.25) -> f64);
}

/// A trait of one's own whose names collide with num-traits'.
trait Number: Copy + Add<Output = Self> + Mul<Output = Self> + PartialOrd {
    fn zero() -> Self;
}

impl Number for f64 {
    fn zero() -> f64 {
        0.0
    }
}

#[adjoint]
fn own_trait<T: Number>(x: &[T]) -> T {
    let mut s = T::zero();
    for &v in x {
        if v > T::zero() {
            s = s + v * v;
        }
    }
    s
}

instance!(own_trait64 = own_trait::<f64>(x: &[f64]) -> f64);

#[test]
fn a_trait_of_ones_own() {
    assert_eq!(
        check!(own_trait64(&vec![0.5, -1.5, 0.7]) -> f64),
        [[1.0, 0.0, 1.4]]
    );
}

/// Every operation in a generic function, on operands by value and by reference.
#[adjoint]
fn every_operator<T: Float + std::ops::AddAssign + std::ops::MulAssign>(x: &T, y: T) -> T {
    let mut s = *x / y - (*x * y) % T::from(0.3).unwrap();
    s += x.mul_add(y, -*x);
    s *= y.abs_sub(*x) + x.min(y).exp_m1() + x.clamp(T::zero(), T::one());
    if *x >= y {
        s = -s
    };
    s.signum() * s
        + x.fract()
        + y.floor() * *x
        + x.ln_1p()
        + x.cbrt()
        + x.to_degrees().log(T::from(10).unwrap())
}

instance!(every64 = every_operator::<f64>(x: &f64, y: f64) -> f64);

#[test]
fn every_operator_on_a_parameter() {
    check!(every64(&0.7, 1.3) -> f64);
    check!(every64(&0.8, 0.45) -> f64);
}

#[adjoint]
fn unknown_pairs<T: Float>(x: T) -> (T, [T; 2]) {
    (x * x, [x.sin(), x])
}

#[adjoint]
fn takes_pairs<T: Float>(p: (T, [T; 2]), k: T) -> T {
    p.0 * p.1[0] + p.1[1] * k
}

#[adjoint]
fn passes_results_on<T: Float>(x: T, n: usize) -> T {
    let mut s = T::zero();
    for i in 0..n {
        let p = unknown_pairs(x * T::from(i + 1).unwrap());
        let q = p;
        s = s + takes_pairs(q, s) * takes_pairs(p, x) + q.0;
    }
    s
}

instance!(passes64 = passes_results_on::<f64>(x: f64, n: usize) -> f64);
instance!(passes32 = passes_results_on::<f32>(x: f32, n: usize) -> f32);

#[test]
fn results_of_unknown_type_are_passed_on() {
    for n in 0..4 {
        check!(passes64(0.4, const n) -> f64);
    }
    check!(passes32(0.5, const 2) -> f32);
}

/// What is taken away is a sum.
#[adjoint]
fn remainder<T: Float + std::ops::SubAssign>(x: T, a: T, b: T) -> T {
    let mut rest = x * x;
    rest -= a + b;
    rest -= a - b * x;
    rest * a
}

#[test]
fn what_is_taken_away_is_taken_as_a_whole() {
    check!(remainder(1.3, 0.4, 0.7) -> f64);
}

#[adjoint]
fn product<const R: usize, const K: usize, const C: usize>(
    a: &[[f64; K]; R],
    b: &[[f64; C]; K],
) -> [[f64; C]; R] {
    let mut out = [[0.0; C]; R];
    for i in 0..R {
        for j in 0..C {
            for k in 0..K {
                out[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    out
}

/// Only the arguments tell how large the results are.
#[adjoint]
fn cubed<const N: usize>(a: &[[f64; N]; N]) -> f64 {
    let square = product(a, a);
    let cube = product(&square, a);
    cube[0][1] * square[1][0]
}

#[test]
fn extents_told_by_arguments() {
    check!(cubed(&[[0.3, 0.4], [0.5, 0.6]]) -> f64);
}
