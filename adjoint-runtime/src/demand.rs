//! What generated code takes a type of the user's for, where only rustc can see what it is.

mod constants;
mod lists;
mod numbers;
mod parts;

pub use constants::*;
pub use lists::*;
pub use numbers::*;
pub use parts::*;

/// Compiles if both are the same function: one of the standard library or of a trait, and what its name means here.
#[inline(always)]
pub fn one_function<F>(_: F, _: F) {}

/// A type named `Ordering` of the standard library.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is taken for the standard library's `Ordering`, which has no derivative",
    label = "of the same name",
    note = "help: give the type another name, or put `#[adjoint] mod` around the type and this function"
)]
pub trait Ordering {}

impl Ordering for std::cmp::Ordering {}
impl Ordering for std::sync::atomic::Ordering {}

/// Compiles if the type is that.
#[inline(always)]
pub fn ordering<T: Ordering>() {}

/// The type itself.
#[diagnostic::on_unimplemented(
    message = "`inactive` names the method of `{U}`, and that of `{Self}` is called here",
    label = "another type of this name",
    note = "help: write the paths of both types where they are used, instead of importing one of them"
)]
pub trait Is<U: ?Sized> {}

impl<T: ?Sized> Is<T> for T {}

/// Compiles if both are one type.
#[inline(always)]
pub fn one_type<T: Is<U> + ?Sized, U: ?Sized>() {}
