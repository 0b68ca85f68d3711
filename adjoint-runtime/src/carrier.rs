//! Values that carry floats, and what adjoint code does with them as a whole.

mod impls;
#[cfg(test)]
mod tests;

use crate::{Mismatch, Tape};

/// A value that carries floats: what `#[derive(Differentiable)]` implements, and what adjoint code calls. What users
/// call is [`Differentiable`](crate::Differentiable).
///
/// No method is named as users' may be: a call on a `Box` would not get to the method of what it holds.
///
/// # By hand
///
/// Each method treats the fields one by one. The tape is a stack: `restore` and `load` take the
/// fields in the reverse of the order in which `save` takes them. `Differentiable` has nothing to implement.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no adjoint: it is not `Differentiable`",
    label = "help: derive `Differentiable` for a type of your own, also where it holds no floats; leave one of another crate's out by `wrt`/`of`, or copy its numbers into one that derives it"
)]
pub trait Carrier {
    /// An adjoint of this value, zero.
    fn zeroed(&self) -> Self
    where
        Self: Sized;

    /// A value of the type that nobody reads, as small as can be had at once: sequences are empty. It is lent
    /// to a callee for which nothing of the value is varied.
    #[inline]
    fn vacant(&self) -> Self
    where
        Self: Sized,
    {
        self.zeroed()
    }

    /// Sets the floats to zero.
    fn zero_floats(&mut self);

    /// Adds `a` times the floats of another value to those of this one; for floats of type `f32`, `a` is rounded.
    ///
    /// # Panics
    ///
    /// If the two differ in shape.
    fn add_floats(&mut self, a: f64, x: &Self);

    /// Multiplies the floats by `a`; for those of type `f32`, it is rounded.
    fn scale_floats(&mut self, a: f64);

    /// The sum of the products of the floats with those of another value, in `f64`.
    ///
    /// # Panics
    ///
    /// If the two differ in shape.
    fn dot_floats(&self, other: &Self) -> f64;

    /// Whether another value can be the adjoint of this one.
    fn check_shape(&self, adjoint: &Self) -> Result<(), Mismatch>;

    /// The number of floats.
    fn count_floats(&self) -> usize;

    /// Appends the floats, in the order of the fields and elements.
    fn append_floats(&self, flat: &mut Vec<f64>);

    /// Sets the floats to the next ones of `flat`, in the order of [`append_floats`](Self::append_floats).
    ///
    /// # Panics
    ///
    /// If they are too few.
    fn take_floats(&mut self, flat: &mut std::slice::Iter<'_, f64>);

    /// Pushes everything that makes up the value.
    fn save(&self, tape: &mut Tape);

    /// Pops what `save` pushed. The value comes back whatever it became in between; memory is
    /// reused where the shape is still the same.
    fn restore(&mut self, tape: &mut Tape);

    /// Pops what `save` pushed into a new value.
    fn load(tape: &mut Tape) -> Self
    where
        Self: Sized;

    /// Saves a sequence whose length is known, in one block where the type allows it.
    #[doc(hidden)]
    fn save_slice(values: &[Self], tape: &mut Tape)
    where
        Self: Sized,
    {
        for value in values {
            value.save(tape);
        }
    }

    /// Restores what `save_slice` saved.
    #[doc(hidden)]
    fn restore_slice(values: &mut [Self], tape: &mut Tape)
    where
        Self: Sized,
    {
        for value in values.iter_mut().rev() {
            value.restore(tape);
        }
    }

    /// Pops the last `n` values that `save_slice` saved into a new sequence.
    #[doc(hidden)]
    fn load_vec(n: usize, tape: &mut Tape) -> Vec<Self>
    where
        Self: Sized,
    {
        let mut values: Vec<Self> = (0..n).map(|_| Self::load(tape)).collect();
        values.reverse();
        values
    }
}
