//! Gradient checks: does an adjoint agree with differences of its function?
//!
//! [`gradient`] checks a function's value and gradient in one line of a test, [`finite_difference`] each component of a
//! gradient at hand; [`dot_product`] checks a
//! vector–Jacobian product in a few random directions at once, at a cost that does not grow with
//! the number of variables. Both evaluate the function at several steps, extrapolate the central
//! differences to step zero (Richardson; Ridders' choice of the best estimate), and leave out
//! steps that leave the function's domain. For a smooth and well-scaled function, a correct adjoint
//! typically comes out with a relative error below 1e-9.

mod derivative;

use std::borrow::{Borrow, BorrowMut};

use crate::Differentiable;
use derivative::derivative;

/// The largest disagreement of a check, and where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discrepancy {
    /// `|expected − found| / max(1, |expected|, |found|)`; infinite if either is NaN.
    pub relative_error: f64,
    /// Which component of the gradient, or which direction.
    pub index: usize,
    /// What the differences give.
    pub expected: f64,
    /// What the adjoint gives.
    pub found: f64,
}

/// Compares the value and the gradient that `value_and_gradient` gives at `x` with `f` and its differences.
///
/// `x` may be any value that is [`Differentiable`]: a number, an array, a slice, a struct, or a tuple of parameters; the
/// index in the result counts its floats as [`to_flat`](Differentiable::to_flat) does.
///
/// ```
/// use adjoint_runtime::check;
///
/// // As `#[adjoint]` makes them.
/// fn f(x: &[f64], k: f64) -> f64 {
///     k * x[0] * x[1]
/// }
/// fn f_value_and_gradient(x: &[f64], k: f64) -> (f64, (Vec<f64>, f64)) {
///     (f(x, k), (vec![k * x[1], k * x[0]], x[0] * x[1]))
/// }
///
/// check::gradient(|(x, k)| f(x, *k), |(x, k)| f_value_and_gradient(x, *k), &(vec![3.0, 2.0], 0.5))
///     .assert_within(1e-9);
/// ```
///
/// # Panics
///
/// If the two values differ by more than rounding (relatively, 10⁻¹²), or the gradient has another number of floats
/// than `x`.
#[track_caller]
pub fn gradient<X, G>(
    mut f: impl FnMut(&X) -> f64,
    mut value_and_gradient: impl FnMut(&X) -> (f64, G),
    x: &X,
) -> Discrepancy
where
    X: Differentiable + ToOwned + ?Sized,
    X::Owned: BorrowMut<X>,
    G: Differentiable,
{
    let (found, gradient) = value_and_gradient(x);
    let expected = f(x);
    let values = Discrepancy::new(0, expected, found);
    assert!(
        values.relative_error <= SAME_VALUE || expected.is_nan() && found.is_nan(),
        "the function gives {expected}, but its value and gradient {found}"
    );
    let mut point = x.to_owned();
    let at = |flat: &[f64]| {
        point.borrow_mut().copy_from_flat(flat);
        f(point.borrow())
    };
    finite_difference(at, &x.to_flat(), &gradient.to_flat())
}

/// How far the value beside a gradient may be from the function's.
const SAME_VALUE: f64 = 1e-12;

/// Compares a gradient with differences of its function at `x`.
///
/// ```
/// use adjoint_runtime::check::finite_difference;
///
/// let f = |x: &[f64]| x[0] * x[0] * x[1];
/// let right = finite_difference(f, &[3.0, 2.0], &[12.0, 9.0]);
/// assert!(right.relative_error < 1e-10);
///
/// let wrong = finite_difference(f, &[3.0, 2.0], &[12.0, 6.0]);
/// assert_eq!((wrong.index, wrong.found), (1, 6.0));
/// assert!((wrong.expected - 9.0).abs() < 1e-9);
/// assert!((wrong.relative_error - 1.0 / 3.0).abs() < 1e-9);
/// ```
///
/// # Panics
///
/// If `gradient` and `x` differ in length.
#[track_caller]
pub fn finite_difference(
    mut f: impl FnMut(&[f64]) -> f64,
    x: &[f64],
    gradient: &[f64],
) -> Discrepancy {
    assert_same_length("gradient", gradient, "x", x);
    let mut point = x.to_vec();
    let components = gradient.iter().enumerate().map(|(i, &found)| {
        let along_axis = |value: f64| {
            point[i] = value;
            f(&point)
        };
        let expected = derivative(along_axis, x[i]);
        point[i] = x[i];
        Discrepancy::new(i, expected, found)
    });
    Discrepancy::largest(components)
}

/// Compares a vector–Jacobian product with differences of its function at `x`.
///
/// For a few pairs of a direction ẋ and weights ȳ, pseudo-random yet the same in each call, it
/// compares `⟨ȳ, J·ẋ⟩`, by differences of `f`, with `⟨Jᵀ·ȳ, ẋ⟩`, from `vjp(x, ȳ)`.
///
/// ```
/// use adjoint_runtime::check::dot_product;
///
/// let f = |x: &[f64]| vec![x[0] * x[1], x[0].sin()];
/// let vjp = |x: &[f64], y: &[f64]| vec![y[0] * x[1] + y[1] * x[0].cos(), y[0] * x[0]];
/// assert!(dot_product(f, vjp, &[0.5, 2.0]).relative_error < 1e-10);
///
/// let forgotten = |x: &[f64], y: &[f64]| vec![y[0] * x[1], y[0] * x[0]];
/// assert!(dot_product(f, forgotten, &[0.5, 2.0]).relative_error > 1e-2);
/// ```
///
/// # Panics
///
/// If what `vjp` returns and `x` differ in length.
#[track_caller]
pub fn dot_product(
    mut f: impl FnMut(&[f64]) -> Vec<f64>,
    mut vjp: impl FnMut(&[f64], &[f64]) -> Vec<f64>,
    x: &[f64],
) -> Discrepancy {
    const DIRECTIONS: usize = 4;
    let outputs = f(x).len();
    let mut random = Random(0);
    let mut all = Vec::with_capacity(DIRECTIONS);
    for i in 0..DIRECTIONS {
        // In proportion to the variables, as the steps of `finite_difference` are.
        let direction: Vec<f64> = x.iter().map(|v| random.next() * v.abs().max(1.0)).collect();
        let weights: Vec<f64> = (0..outputs).map(|_| random.next()).collect();
        let along_direction = |t: f64| {
            let moved = x.iter().zip(&direction).map(|(v, d)| v + t * d);
            dot(&weights, &f(&moved.collect::<Vec<f64>>()))
        };
        let expected = derivative(along_direction, 0.0);
        let product = vjp(x, &weights);
        assert_same_length("the result of vjp", &product, "x", x);
        all.push(Discrepancy::new(i, expected, dot(&product, &direction)));
    }
    Discrepancy::largest(all.into_iter())
}

impl Discrepancy {
    /// Passes where the relative error is at most the tolerance.
    ///
    /// # Panics
    ///
    /// With the component and both derivatives, where it is larger.
    #[track_caller]
    pub fn assert_within(self, tolerance: f64) {
        let Discrepancy {
            relative_error,
            index,
            expected,
            found,
        } = self;
        assert!(
            relative_error <= tolerance,
            "component {index}: differences give {expected}, the adjoint {found}, a relative error of {relative_error:e}"
        );
    }

    fn new(index: usize, expected: f64, found: f64) -> Discrepancy {
        let relative_error = if expected == found {
            0.0
        } else {
            let scale = expected.abs().max(found.abs()).max(1.0);
            let error = (expected - found).abs() / scale;
            if error.is_nan() { f64::INFINITY } else { error }
        };
        Discrepancy {
            relative_error,
            index,
            expected,
            found,
        }
    }

    /// The first of the largest; none at all is perfect agreement.
    fn largest(all: impl Iterator<Item = Discrepancy>) -> Discrepancy {
        all.reduce(|largest, next| {
            if next.relative_error > largest.relative_error {
                next
            } else {
                largest
            }
        })
        .unwrap_or(Discrepancy::new(0, 0.0, 0.0))
    }
}

#[track_caller]
fn assert_same_length(name: &str, a: &[f64], other: &str, b: &[f64]) {
    let (n, m) = (a.len(), b.len());
    assert!(n == m, "{name} has length {n}, but {other} has length {m}");
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// SplitMix64: directions need to be the same everywhere, not to be good.
struct Random(u64);

impl Random {
    /// A number in [-1, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) as i64) as f64 / 9_223_372_036_854_775_808.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Random, dot_product, finite_difference, gradient};

    #[test]
    fn the_largest_error_is_reported() {
        let f = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
        let found = finite_difference(f, &[1.0, 2.0, 3.0], &[2.0, 4.5, 6.1]);
        assert_eq!((found.index, found.found), (1, 4.5));
        assert!((found.expected - 4.0).abs() < 1e-11);
        assert!((found.relative_error - 0.5 / 4.5).abs() < 1e-11);
    }

    #[test]
    fn gradients_of_any_shape() {
        let product = |x: &(f64, Vec<f64>)| x.0 * x.1[0] * x.1[1];
        let right = |x: &(f64, Vec<f64>)| {
            (
                product(x),
                (x.1[0] * x.1[1], vec![x.0 * x.1[1], x.0 * x.1[0]]),
            )
        };
        let at = &(0.5, vec![2.0, 3.0]);
        gradient(product, right, at).assert_within(1e-9);
        let wrong = gradient(product, |x| (product(x), [6.0, 1.5, 2.0]), at);
        assert_eq!((wrong.index, wrong.found), (2, 2.0));
        gradient(
            |x: &[f64]| x[0].sin(),
            |x| (x[0].sin(), x[0].cos()),
            &[1.0][..],
        )
        .assert_within(1e-9);
        gradient(|x| x * x, |x| (x * x, 2.0 * x), &3.0).assert_within(1e-9);
    }

    #[test]
    #[should_panic = "the function gives 3, but its value and gradient 3.1"]
    fn values_must_agree() {
        gradient(|x| *x, |_| (3.1, 1.0), &3.0);
    }

    #[test]
    #[should_panic = "component 1: differences give "]
    fn errors_are_shown() {
        finite_difference(|x| x[1], &[1.0, 2.0], &[0.0, 2.0]).assert_within(1e-3);
    }

    #[test]
    fn small_derivatives_are_measured_absolutely() {
        let found = finite_difference(|x| 1e-3 * x[0], &[1.0], &[2e-3]);
        assert!((found.relative_error - 1e-3).abs() < 1e-12);
    }

    #[test]
    fn nan_is_an_infinite_error() {
        let found = finite_difference(|x| x[0], &[1.0, 2.0], &[1.0, f64::NAN]);
        assert_eq!((found.relative_error, found.index), (f64::INFINITY, 1));
        let found = finite_difference(|_| f64::NAN, &[1.0], &[f64::NAN]);
        assert_eq!(found.relative_error, f64::INFINITY);
        let found = dot_product(|_| vec![1.0], |_, _| vec![f64::NAN], &[1.0]);
        assert_eq!(found.relative_error, f64::INFINITY);
    }

    #[test]
    fn nothing_to_compare_agrees() {
        assert_eq!(finite_difference(|_| 1.0, &[], &[]).relative_error, 0.0);
        let found = dot_product(|_| vec![], |x, _| vec![0.0; x.len()], &[1.0]);
        assert_eq!(found.relative_error, 0.0);
    }

    #[test]
    fn one_wrong_entry_of_a_large_product_shows() {
        let x: Vec<f64> = (0..50).map(|i| 1.0 + f64::from(i)).collect();
        let f = |x: &[f64]| x.windows(2).map(|w| w[0] * w[1].ln()).collect();
        let vjp = |x: &[f64], y: &[f64]| {
            let mut product = vec![0.0; x.len()];
            for (i, y) in y.iter().enumerate() {
                product[i] += y * x[i + 1].ln();
                product[i + 1] += y * x[i] / x[i + 1];
            }
            product
        };
        assert!(dot_product(f, vjp, &x).relative_error < 1e-10);
        let wrong = |x: &[f64], y: &[f64]| {
            let mut product = vjp(x, y);
            product[30] *= 1.01;
            product
        };
        assert!(dot_product(f, wrong, &x).relative_error > 1e-4);
    }

    #[test]
    #[should_panic = "gradient has length 1, but x has length 2"]
    fn lengths_must_agree() {
        finite_difference(|_| 0.0, &[1.0, 2.0], &[1.0]);
    }

    #[test]
    #[should_panic = "the result of vjp has length 1, but x has length 2"]
    fn the_product_has_one_entry_per_variable() {
        dot_product(|_| vec![1.0], |_, _| vec![1.0], &[1.0, 2.0]);
    }

    #[test]
    fn directions_fill_both_signs() {
        let mut random = Random(0);
        let all: Vec<f64> = (0..1000).map(|_| random.next()).collect();
        assert!(all.iter().all(|v| (-1.0..1.0).contains(v)));
        let mean = all.iter().sum::<f64>() / 1000.0;
        assert!(mean.abs() < 0.05, "{mean}");
    }
}
