//! What [`Carrier`](crate::Carrier) does, for types that generated code puts together.
//!
//! Whether a `Vec<T>` with `T: Float` carries floats is not a fact about `T` that a bound of the user's
//! function states. The macro knows it, though, and says it by a marker: `Vec<T>` is a sequence of
//! leaves, `Seq<Leaf>`. Markers keep the implementations apart that would overlap without them.
//! `Carrier` of the language's types is implemented through this trait.

mod containers;
mod scalars;
#[cfg(test)]
mod tests;
mod tuples;

use std::marker::PhantomData;
use std::slice::Iter;

use crate::{Mismatch, Tape};

pub use scalars::Discrete;

/// Marks a float: any `T: Real`.
#[derive(Debug)]
pub enum Leaf {}

/// Marks a value without floats: any `T: Discrete`.
#[derive(Debug)]
pub enum Plain {}

/// Marks a type that decides for itself: any `T: Carrier`.
#[derive(Debug)]
pub enum Diff {}

/// Marks a `Vec`, slice, array, `Box` or `Option` of what `M` marks. A tuple is marked by the tuple of
/// its components' markers, a `Result` by the pair.
#[derive(Debug)]
pub struct Seq<M>(PhantomData<M>);

/// The methods of [`Carrier`](crate::Carrier), where `M` says what the type is made of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no adjoint: it is not `Differentiable`",
    label = "help: derive `Differentiable` for a type of your own, also where it holds no floats; leave one of another crate's out by `wrt`/`of`, or copy its numbers into one that derives it"
)]
pub trait Shape<M> {
    /// An adjoint of this value, zero.
    fn zero_like(&self) -> Self
    where
        Self: Sized;

    /// A value of the type that nobody reads, as small as can be had at once: sequences are empty. It is lent
    /// to a callee for which nothing of the value is varied.
    #[inline]
    fn vacant(&self) -> Self
    where
        Self: Sized,
    {
        self.zero_like()
    }

    /// Sets the floats to zero.
    fn set_zero(&mut self);

    /// Adds the floats of another value of the same shape.
    #[inline]
    fn accumulate(&mut self, increment: &Self) {
        self.axpy(1.0, increment);
    }

    /// Adds `a` times the floats of another value of the same shape.
    fn axpy(&mut self, a: f64, x: &Self);

    /// Multiplies the floats.
    fn scale(&mut self, a: f64);

    /// The sum of the products with the floats of another value of the same shape.
    fn dot(&self, other: &Self) -> f64;

    /// Whether another value can be the adjoint of this one.
    fn check_shape(&self, adjoint: &Self) -> Result<(), Mismatch>;

    /// The number of floats.
    fn flat_len(&self) -> usize;

    /// Appends the floats.
    fn append_flat(&self, flat: &mut Vec<f64>);

    /// Sets the floats to the next ones.
    fn take_flat(&mut self, flat: &mut Iter<'_, f64>);

    /// Appends the floats of a sequence.
    #[inline]
    fn append_flat_slice(values: &[Self], flat: &mut Vec<f64>)
    where
        Self: Sized,
    {
        values.iter().for_each(|value| value.append_flat(flat));
    }

    /// Sets the floats of a sequence to the next ones.
    #[inline]
    fn take_flat_slice(values: &mut [Self], flat: &mut Iter<'_, f64>)
    where
        Self: Sized,
    {
        values.iter_mut().for_each(|value| value.take_flat(flat));
    }

    /// Pushes everything that makes up the value.
    fn save(&self, tape: &mut Tape);

    /// Pops what `save` pushed.
    fn restore(&mut self, tape: &mut Tape);

    /// Pops what `save` pushed into a new value.
    fn load(tape: &mut Tape) -> Self
    where
        Self: Sized;

    /// Saves a sequence whose length is known.
    #[inline]
    fn save_slice(values: &[Self], tape: &mut Tape)
    where
        Self: Sized,
    {
        for value in values {
            value.save(tape);
        }
    }

    /// Restores what `save_slice` saved.
    #[inline]
    fn restore_slice(values: &mut [Self], tape: &mut Tape)
    where
        Self: Sized,
    {
        for value in values.iter_mut().rev() {
            value.restore(tape);
        }
    }

    /// Pops the last `n` values that `save_slice` saved into a new sequence.
    #[inline]
    fn load_vec(n: usize, tape: &mut Tape) -> Vec<Self>
    where
        Self: Sized,
    {
        let mut values: Vec<Self> = (0..n).map(|_| Self::load(tape)).collect();
        values.reverse();
        values
    }
}

/// Zeros in the shape of a slice.
#[inline]
pub fn zeros_like<M, T: Shape<M>>(values: &[T]) -> Vec<T> {
    values.iter().map(Shape::zero_like).collect()
}

/// Gives the adjoint of a value that was replaced as a whole the discrete parts that the value has now.
pub fn reshape_adjoint<M, T: Shape<M>>(value: &T, adjoint: &mut T) {
    let mut reshaped = value.zero_like();
    reshaped.accumulate(adjoint);
    *adjoint = reshaped;
}

/// What is done with a value of type `T` and its adjoint, where rustc shows what the type lacks: the methods of [`Shape`].
#[diagnostic::on_unimplemented(
    message = "`{T}` has no adjoint: it is not `Differentiable`",
    label = "help: derive `Differentiable` for a type of your own, also where it holds no floats; leave one of another crate's out by `wrt`/`of`, or copy its numbers into one that derives it"
)]
pub trait Carried<M, T: ?Sized> {
    /// Checks on entry that an adjoint parameter has the shape of its parameter, whose name stands behind that of the
    /// function: `f::x`.
    ///
    /// # Panics
    ///
    /// With both names and lengths, if it hasn't.
    #[track_caller]
    fn check(name: &str, value: &T, adjoint: &T);

    /// Adds what a sweep returns.
    fn accumulate(adjoint: &mut T, increment: &T);

    /// An adjoint of the value, zero.
    fn zero_like(value: &T) -> T
    where
        T: Sized;

    /// Pushes the value.
    fn save(value: &T, tape: &mut Tape);

    /// Pops what was pushed.
    fn restore(value: &mut T, tape: &mut Tape);

    /// The number of floats.
    fn flat_len(value: &T) -> usize;

    /// Appends the floats.
    fn append_flat(value: &T, flat: &mut Vec<f64>);

    /// Sets the floats to the next ones.
    fn take_flat(value: &mut T, flat: &mut Iter<'_, f64>);

    /// Pops a value, of a type that is told.
    fn load(_: PhantomData<T>, tape: &mut Tape) -> T
    where
        T: Sized;
}

#[diagnostic::do_not_recommend]
impl<M, T: Shape<M> + ?Sized> Carried<M, T> for () {
    #[inline]
    fn check(name: &str, value: &T, adjoint: &T) {
        if let Err(mismatch) = value.check_shape(adjoint) {
            refuse(&mismatch, name);
        }
    }

    #[inline]
    fn accumulate(adjoint: &mut T, increment: &T) {
        adjoint.accumulate(increment);
    }

    #[inline]
    fn zero_like(value: &T) -> T
    where
        T: Sized,
    {
        value.zero_like()
    }

    #[inline]
    fn save(value: &T, tape: &mut Tape) {
        value.save(tape);
    }

    #[inline]
    fn restore(value: &mut T, tape: &mut Tape) {
        value.restore(tape);
    }

    #[inline]
    fn flat_len(value: &T) -> usize {
        value.flat_len()
    }

    #[inline]
    fn append_flat(value: &T, flat: &mut Vec<f64>) {
        value.append_flat(flat);
    }

    #[inline]
    fn take_flat(value: &mut T, flat: &mut Iter<'_, f64>) {
        value.take_flat(flat);
    }

    #[inline]
    fn load(_: PhantomData<T>, tape: &mut Tape) -> T
    where
        T: Sized,
    {
        T::load(tape)
    }
}

/// [`Carried::check`] for sequences of scalars, which differ in length only.
///
/// # Panics
///
/// With both names and lengths, if these differ.
#[inline]
#[track_caller]
pub fn check_length<T, U>(name: &str, value: &[T], adjoint: &[U]) {
    if value.len() != adjoint.len() {
        refuse(&Mismatch::length(value.len(), adjoint.len()), name);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn refuse(mismatch: &Mismatch, name: &str) -> ! {
    let (function, value) = name.rsplit_once("::").unwrap_or(("", name));
    let message = mismatch.message(value, &format!("{value}_adj"));
    panic!("adjoint of `{function}`: {message}")
}

/// An adjoint and its increment come from one value, so this is a bug of the caller.
///
/// # Panics
///
/// Always.
#[cold]
#[inline(never)]
#[track_caller]
pub fn unequal() -> ! {
    panic!("an adjoint and its increment differ in shape")
}

/// The label on the tape is none of the enum's.
///
/// # Panics
///
/// Always.
#[cold]
#[inline(never)]
pub fn no_variant() -> ! {
    panic!(
        "adjoint tape: no variant has this label, the sweeps are out of step (a bug in `adjoint`)"
    )
}

/// Takes the last element, which the caller knows to be there.
///
/// # Panics
///
/// If there is none.
#[inline]
#[track_caller]
pub fn take_last<T>(values: &mut Vec<T>) -> T {
    values.pop().expect("the `Vec` is not empty")
}

/// A type whose values both sweeps can take.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is taken by value, which both sweeps do, and can't be copied",
    label = "taken by value here",
    note = "help: derive `Clone`, or take it by reference"
)]
pub trait Twice: Sized {
    /// The value for one of them.
    fn once(&self) -> Self;
}

impl<T: Clone> Twice for T {
    #[inline]
    fn once(&self) -> T {
        self.clone()
    }
}

/// A copy that is owned: of a slice, a `Vec`.
#[inline]
pub fn owned<T: ToOwned + ?Sized>(value: &T) -> T::Owned {
    value.to_owned()
}

/// The copy as what it is a copy of.
#[inline]
pub fn lend<T: ?Sized, O: std::borrow::BorrowMut<T>>(copy: &mut O) -> &mut T {
    copy.borrow_mut()
}
