//! What generated code takes a type of the user's for, where only rustc can see what it is.

/// A sequence whose elements are had by index.
#[diagnostic::on_unimplemented(
    message = "indexing a `{Self}` can't be differentiated",
    label = "only arrays, slices and `Vec`s are indexed by a rule that the reverse sweep knows",
    note = "help: index the field that holds the elements, or move the access into a method under `#[adjoint]`"
)]
pub trait Sequence {}

impl<T, const N: usize> Sequence for [T; N] {}
impl<T> Sequence for [T] {}
impl<T> Sequence for Vec<T> {}
impl<T: Sequence + ?Sized> Sequence for Box<T> {}
impl<T: Sequence + ?Sized> Sequence for &T {}
impl<T: Sequence + ?Sized> Sequence for &mut T {}

/// A number with the methods of floats.
#[diagnostic::on_unimplemented(
    message = "there is no derivative rule for this method of `{Self}`",
    label = "only floats have methods with derivative rules",
    note = "help: write the method under `#[adjoint]` in an `impl` of the type, or use operators of its fields"
)]
pub trait Number {}

impl<T: num_traits::Float> Number for T {}

/// Compiles if the type is a sequence.
#[inline(always)]
pub fn sequence<T: Sequence + ?Sized>() {}

/// Compiles if the type is a float.
#[inline(always)]
pub fn float<T: Number>() {}
