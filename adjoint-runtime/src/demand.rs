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
