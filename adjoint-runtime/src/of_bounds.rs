//! Methods of type parameters that bounds of the user's give: they are called, and have to be std's, whose derivatives
//! are known.

use std::marker::PhantomData;

use num_traits::Float;

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
/// If it is not `std(x)`, up to half of the digits.
#[inline(always)]
#[track_caller]
pub fn unary<T: Float>(
    name: &str,
    is_std: impl Fn() -> bool,
    own: impl Fn(T) -> T,
    std: impl Fn(T) -> T,
    x: T,
) -> T {
    match is_std() {
        true => std(x),
        false => same(name, own(x), std(x)),
    }
}

/// `own(x, y)`.
///
/// # Panics
/// If it is not `std(x, y)`, up to half of the digits.
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
    match is_std() {
        true => std(x, y),
        false => same(name, own(x, y), std(x, y)),
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
    let scale = T::one().max(std.abs());
    own.is_nan() && std.is_nan() || (own - std).abs() <= T::epsilon().sqrt() * scale
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
