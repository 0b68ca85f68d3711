//! What is taken for a number.

use crate::shape::Discrete;

/// What has the methods and operators of integers.
#[diagnostic::on_unimplemented(
    message = "what this does with a `{Self}` can't be seen",
    label = "taken for an integer, because the type is not visible here",
    note = "help: put `#[adjoint] mod` around the type and this function"
)]
pub trait Integer {}

/// Compiles if the place holds an integer. The closure is never called: the place need not be there yet.
#[inline(always)]
pub fn integer_of<'a, T: Integer + 'a>(_: impl FnOnce() -> &'a T) {}

/// What a method gives, or an operator makes, and a cast takes.
#[diagnostic::on_unimplemented(
    message = "what is cast here is a `{Self}`, which can't be seen",
    label = "taken for an integer, because its type is not visible here",
    note = "help: bind it to a name with its type first, as in `let v: f32 = m.norm();`"
)]
pub trait Counted {}

impl<T: Discrete> Counted for T {}

/// Compiles if the value has no derivative. The closure is never called.
#[inline(always)]
pub fn counts<'a, T: Counted + 'a>(_: impl FnOnce() -> &'a T) {}

/// What a method gives that numbers have, by its name a float, and a cast takes.
#[diagnostic::on_unimplemented(
    message = "what is cast here is a `{Self}`, which can't be seen",
    label = "taken for a float, as methods of this name give one",
    note = "help: bind it to a name with its type first, as in `let n: {Self} = grid.floor();`"
)]
pub trait Rounded {}

impl<T: num_traits::Float> Rounded for T {}

/// Compiles if the place holds a float. The closure is never called.
#[inline(always)]
pub fn rounds<'a, T: Rounded + 'a>(_: impl FnOnce() -> &'a T) {}

/// A type whose `Sum` adds up the items.
#[diagnostic::on_unimplemented(
    message = "what `sum` does with items `{Item}` can't be seen, so it has no derivative",
    label = "only sums of numbers have a derivative rule",
    note = "help: put `#[adjoint]` on the `impl`s of `Sum` and `Add`, or write `.fold(start, |a, b| a + b)`"
)]
pub trait Summed<Item> {}

/// Compiles if the sum of values is that of an addition.
#[inline(always)]
pub fn summed<T: Summed<T>>() {}

/// The same for what is lent.
#[inline(always)]
pub fn summed_shared<T: for<'a> Summed<&'a T>>() {}

/// A number with the methods of floats.
#[diagnostic::on_unimplemented(
    message = "there is no derivative rule for this method of `{Self}`",
    label = "only floats have methods with derivative rules",
    note = "help: write the method under `#[adjoint]` in an `impl` of the type and call it by the type's name, as in `{Self}::abs(z)`, or put `#[adjoint] mod` around the type and this function"
)]
pub trait Number {}

/// Compiles if the type is a float.
#[inline(always)]
pub fn float<T: Number>() {}

/// The same for a value.
#[inline(always)]
pub fn float_of<'a, T: Number + 'a>(_: impl FnOnce() -> &'a T) {}

impl<T: num_traits::Float> Number for T {}

/// A number with the methods that give steps: `floor`, `signum`, `div_euclid`.
#[diagnostic::on_unimplemented(
    message = "there is no derivative rule for this method of `{Self}`",
    label = "only numbers have methods with derivative rules",
    note = "help: write the method under `#[adjoint]` in an `impl` of the type and call it by the type's name, as in `{Self}::floor(z)`, or put `#[adjoint] mod` around the type and this function"
)]
pub trait Stepped<M> {}

impl<T: num_traits::Float> Stepped<Reals> for T {}
impl<M, T: Stepped<M> + ?Sized> Stepped<(M,)> for &T {}

/// Compiles if the place holds a number. The closure is never called.
#[inline(always)]
pub fn stepped<'a, M, T: Stepped<M> + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// A number or what converts to one as a number does.
#[diagnostic::on_unimplemented(
    message = "what `into` makes of a `{Self}` can't be seen from here",
    label = "only numbers are converted where their types are not visible",
    note = "help: name the type that is made, as in `usize::from(kind)`, or put `#[adjoint] mod` around the type and this function"
)]
pub trait Converted<M> {}

/// Marks what is no float.
pub enum Primitives {}

impl<T: num_traits::Float> Converted<Reals> for T {}
impl<M, T: Converted<M> + ?Sized> Converted<(M,)> for &T {}

macro_rules! converted {
    ($($ty:ty),*) => {
        $(impl Converted<Primitives> for $ty {})*
    };
}

converted!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, bool, char
);

/// Compiles if the place holds a number. The closure is never called.
#[inline(always)]
pub fn converted<'a, M, T: Converted<M> + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// A float whose method integers have, too.
#[diagnostic::on_unimplemented(
    message = "this method of a `{Self}` is taken for that of a float, because the type is not visible here",
    label = "called on a `{Self}` whose type is not visible here",
    note = "help: bind an integer to a name with its type first, as in `let n: {Self} = s.n;`, or put `#[adjoint] mod` around the type and this function"
)]
pub trait Chosen {}

impl<T: num_traits::Float> Chosen for T {}

/// Compiles if the place holds a float.
#[inline(always)]
pub fn chosen_of<'a, T: Chosen + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// A type that is `N`.
#[diagnostic::on_unimplemented(
    message = "what this operator does with a `{Self}` can't be seen, so it has no derivative",
    label = "taken for a `{N}` by the other operand, because the type is not visible here",
    note = "help: put `#[adjoint] mod` around the type and this function, or write it with the operators of its fields"
)]
pub trait Holds<N> {}

impl<N, T: Holds<N> + ?Sized> Holds<N> for &T {}
impl<N, T: Holds<N> + ?Sized> Holds<N> for &mut T {}

/// Compiles if the place holds a number of the type. The closure is never called.
#[inline(always)]
pub fn holds<'a, N, T: Holds<N> + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// Compiles if the value is a number of the type. The closure is never called.
#[inline(always)]
pub fn holds_value<N, T: Holds<N>>(_: impl FnOnce() -> T) {}

/// Compiles if the value is of the type. The closure is never called.
#[inline(always)]
pub fn is_value<T>(_: impl FnOnce() -> T) {}

/// Compiles if the place is of the type. The closure is never called.
#[inline(always)]
pub fn is<'a, T: 'a>(_: impl FnOnce() -> &'a T) {}

/// What the operators of Rust's own numbers are applied to.
#[diagnostic::on_unimplemented(
    message = "what this operator does with a `{Self}` can't be seen, so it has no derivative",
    label = "the operators of numbers have derivative rules, those of other types do not",
    note = "help: put `#[adjoint]` on the `impl` of the operator and annotate the value, as in `let v: Vec3 = ..`, or write it with the operators of its fields"
)]
pub trait Operand<M> {}

/// Tells numbers that carry a derivative from all others.
pub enum Reals {}

/// Numbers and the like without a derivative.
pub enum Others {}

impl<T: num_traits::Float> Operand<Reals> for T {}

impl Operand<Others> for bool {}
impl Operand<Others> for String {}
impl Operand<Others> for std::time::Duration {}
impl Operand<Others> for std::time::Instant {}

impl<M, T: Operand<M> + ?Sized> Operand<(M,)> for &T {}

impl<T> Operand<Others> for std::num::Wrapping<T> {}

/// Compiles if the operators on the type are those of numbers.
#[inline(always)]
pub fn operand<T: Operand<M> + ?Sized, M>() {}

/// The same for the type of a place.
#[inline(always)]
pub fn operand_of<'a, T: Operand<M> + ?Sized + 'a, M>(_: impl FnOnce() -> &'a T) {}

macro_rules! integers {
    ($($ty:ty),*) => { $(
        impl Integer for $ty {}
        impl Operand<Others> for $ty {}
        impl Stepped<Others> for $ty {}
        impl Summed<$ty> for $ty {}
        impl Summed<&$ty> for $ty {}
    )* };
}

integers!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);

macro_rules! floats {
    ($($ty:ty),*) => { $(
        impl Holds<$ty> for $ty {}
        impl Summed<$ty> for $ty {}
        impl Summed<&$ty> for $ty {}
    )* };
}

floats!(f32, f64);
