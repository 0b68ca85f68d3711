//! Methods of type parameters that bounds of the user's give: they are called, and have to be std's, whose derivatives
//! are known.

use std::marker::PhantomData;

use num_traits::Float;

use crate::convert::constant;

/// The bounds of `T`, where this is a type parameter: whether they name num-traits' `Float`.
#[derive(Debug)]
pub struct Bounds<T>(PhantomData<T>);

/// Other bounds.
pub trait Unknown {
    /// See [`Bounds::ARE_STD`].
    const ARE_STD: bool = false;
}

impl<T> Unknown for Bounds<T> {}

impl<T: Float> Bounds<T> {
    /// Whether methods of the bounds are num-traits'.
    pub const ARE_STD: bool = true;
}

/// `own(x)`.
///
/// # Panics
/// If it is not `std(x)`, up to half of the digits, or differs near by where most functions agree.
#[inline(always)]
#[track_caller]
pub fn unary<T: Float>(
    name: &str,
    is_std: impl Fn() -> bool,
    own: impl Fn(T) -> T,
    std: impl Fn(T) -> T,
    x: T,
) -> T {
    if is_std() {
        return std(x);
    }
    if is_common(x) {
        let x = aside(name, x);
        same(name, own(x), std(x));
    }
    same(name, own(x), std(x))
}

/// `own(x, y)`.
///
/// # Panics
/// If it is not `std(x, y)`, up to half of the digits, or differs near by where most functions agree.
#[inline(always)]
#[track_caller]
pub fn binary<T: Float>(
    name: &str,
    is_std: impl Fn() -> bool,
    own: impl Fn(T, T) -> T,
    std: impl Fn(T, T) -> T,
    x: T,
    y: T,
) -> T {
    if is_std() {
        return std(x, y);
    }
    if is_common(x) || is_common(y) {
        let (x, y) = (aside(name, x), aside(name, y));
        same(name, own(x, y), std(x, y));
    }
    same(name, own(x, y), std(x, y))
}

/// Whether functions of other slopes have the same value here: sines of radians and of degrees at 0, logarithms at 1.
#[inline(always)]
fn is_common<T: Float>(x: T) -> bool {
    let margin = constant(1e-3);
    x.abs() < margin || (x - T::one()).abs() < margin
}

/// An operand where they have not, in the same domain.
#[cold]
fn aside<T: Float>(name: &str, x: T) -> T {
    let step = constant(0.37);
    match is_common(x) {
        false => x,
        true if x < constant(0.5) || name == "acosh" => x + step,
        true => x - step,
    }
}

#[inline(always)]
#[track_caller]
fn same<T: Float>(name: &str, own: T, std: T) -> T {
    // Most forward to std, where this folds to a test for NaN.
    if own != std && !is_close(own, std) {
        differs(name, own.to_f64(), std.to_f64());
    }
    own
}

#[cold]
fn is_close<T: Float>(own: T, std: T) -> bool {
    let digits = T::epsilon().sqrt();
    let both_undefined = own.is_nan() && std.is_nan();
    both_undefined || (std.is_finite() && (own - std).abs() <= digits * std.abs().max(digits))
}

#[cold]
#[track_caller]
fn differs(name: &str, own: Option<f64>, std: Option<f64>) -> ! {
    let [own, std] = [own, std].map(|value| value.unwrap_or(f64::NAN));
    panic!(
        "`{name}` of a type parameter is another function than std's, whose derivative would be taken: it gave {own:e}, \
         not {std:e}. help: call it in a function with `#[adjoint(custom = ..)]`"
    )
}

#[cfg(test)]
mod tests;
