//! What a handle tells the callers of its function, in types.
//!
//! What depends on the caller is written without it where that can be done: rustc looks at a type once, and at one
//! with a parameter again for each function.

use std::marker::PhantomData;

use crate::Tape;
use crate::context::{All, And, Bit, Bits, Context, No, Or, Reversed, Rows, Varies, Wants};
use crate::shape::Shape;

/// What a handle tells of its function.
pub trait Callee {
    /// The parameters whose values the reverse sweep reads, by position: those of `&mut` ones that the
    /// call leaves, those of others that it gets.
    type Reads: Readings;
    /// For each output, first the result and then the parameters by position, the parameters that it
    /// depends on in a differentiable way.
    type Depends: Rows;
    /// The [`Returned`] result, if the handle can name its type.
    type Result;
}

/// For each parameter whether its value is read.
pub trait Readings {
    /// The same for this caller.
    type For<C: Context>: Bits;
}

impl Readings for () {
    type For<C: Context> = ();
}

impl<H: Reading, T: Readings> Readings for (H, T) {
    type For<C: Context> = (H::For<C>, T::For<C>);
}

impl Readings for All {
    type For<C: Context> = All;
}

/// Whether a value is read: where one of these arguments is varied and one of these outputs useful, or as
/// one of the others says.
pub trait Reading {
    /// The same for this caller.
    type For<C: Context>: Bit;
}

impl<V: Bits, U: Bits> Reading for (V, U) {
    type For<C: Context> = And<Varies<C, V>, Wants<C, U>>;
}

impl Reading for No {
    type For<C: Context> = No;
}

/// For all callers for whom the reverse sweep does anything.
#[derive(Debug)]
pub struct IfReversed;

impl Reading for IfReversed {
    type For<C: Context> = Reversed<C>;
}

/// For callers that want any derivative.
#[derive(Debug)]
pub struct IfWanted;

impl Reading for IfWanted {
    type For<C: Context> = C::Wanted;
}

/// For callers that want their `&mut` arguments back.
#[derive(Debug)]
pub struct IfRestored;

impl Reading for IfRestored {
    type For<C: Context> = C::Restore;
}

/// Where one of two says so.
#[derive(Debug)]
pub struct Either<A, B>(PhantomData<(A, B)>);

impl<A: Reading, B: Reading> Reading for Either<A, B> {
    type For<C: Context> = Or<A::For<C>, B::For<C>>;
}

/// A result of type `V`, which is made of `K`.
#[derive(Debug)]
pub struct Returned<K, V>(PhantomData<(K, V)>);

/// What a caller does with the result of a function whose handle knows its type.
pub trait Returns {
    /// The type.
    type Value;

    /// Zeros in the shape of a result.
    fn result_zero(value: &Self::Value) -> Self::Value;

    /// Adds to the adjoint of a result.
    fn result_accumulate(value: &mut Self::Value, increment: &Self::Value);

    /// Records a result.
    fn result_save(value: &Self::Value, tape: &mut Tape);

    /// Restores a result.
    fn result_load(tape: &mut Tape) -> Self::Value;
}

impl<H: Callee<Result = Returned<K, V>>, K, V: Shape<K>> Returns for H {
    type Value = V;

    #[inline]
    fn result_zero(value: &V) -> V {
        value.zero_like()
    }

    #[inline]
    fn result_accumulate(value: &mut V, increment: &V) {
        value.accumulate(increment);
    }

    #[inline]
    fn result_save(value: &V, tape: &mut Tape) {
        value.save(tape);
    }

    #[inline]
    fn result_load(tape: &mut Tape) -> V {
        Shape::load(tape)
    }
}
