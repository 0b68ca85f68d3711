//! Values that carry floats, and what adjoint code does with them as a whole.

mod impls;
#[cfg(test)]
mod tests;

use crate::{Mismatch, Tape};

/// A value that carries floats; its adjoint is a value of the same type and shape.
///
/// The adjoint holds an adjoint in the place of each float. Its discrete parts (integers, lengths,
/// variants) are those of the value; they carry nothing. Derive it for structs and enums.
///
/// ```
/// use adjoint_runtime::Differentiable;
///
/// let x = (1.5, vec![2.0, 3.0], 7usize);
/// let mut x_adj = x.zero_like();
/// assert_eq!(x_adj, (0.0, vec![0.0, 0.0], 7));
/// x_adj.accumulate(&(1.0, vec![0.5, 0.25], 7));
/// x_adj.accumulate(&(1.0, vec![0.5, 0.25], 7));
/// assert_eq!(x_adj, (2.0, vec![1.0, 0.5], 7));
/// assert_eq!(x.scalars(), 3);
/// ```
///
/// # By hand
///
/// Each method treats the fields one by one. The tape is a stack: `restore` and `load` take the
/// fields in the reverse of the order in which `save` takes them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is copied and added up by adjoint code: derive `Differentiable`, also where it holds no floats, or leave the parameter out by `wrt`/`of`",
    label = "`Differentiable` is not implemented for `{Self}`",
    note = "help: a type of another crate's has no adjoint; copy its numbers into a type of your own that derives `Differentiable`"
)]
pub trait Differentiable {
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

    /// Adds the floats of another value to those of this one.
    ///
    /// # Panics
    ///
    /// If the two differ in shape.
    fn accumulate(&mut self, increment: &Self);

    /// Whether another value can be the adjoint of this one.
    fn check_shape(&self, adjoint: &Self) -> Result<(), Mismatch>;

    /// The number of floats.
    fn scalars(&self) -> usize;

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
