//! Values that only some callers want back, of types that need not be [`Differentiable`](crate::Differentiable).
//!
//! A generator of random numbers that `wrt` and `of` leave out has no adjoint, and is saved only for callers that need
//! its earlier state. Whether its type can be saved is not known where code is generated.
//! The methods of [`Kept`] itself come before those of the trait [`Unkept`], where their bounds hold; the trait's refuse
//! the callers that want the value back.

use std::marker::PhantomData;

use crate::__private::{Context, Shape, Tape, demanded};

/// A reference to the value, of which `M` says what it is made of.
#[derive(Debug)]
pub struct Kept<M, R>(R, PhantomData<M>);

/// The value behind a reference.
#[inline]
pub fn kept<M, R>(reference: R) -> Kept<M, R> {
    Kept(reference, PhantomData)
}

impl<M, T: Shape<M> + ?Sized> Kept<M, &T> {
    /// Saves the value for callers that want it back.
    #[inline]
    pub fn save<C: Context>(self, _: PhantomData<C>, tape: &mut Tape) {
        self.0.save(tape);
    }
}

impl<M, T: Shape<M> + ?Sized> Kept<M, &mut T> {
    /// Puts back what `save` pushed.
    #[inline]
    pub fn restore<C: Context>(self, _: PhantomData<C>, tape: &mut Tape) {
        self.0.restore(tape);
    }
}

/// The same for types that can't be saved: only callers that don't want the value back compile.
pub trait Unkept: Sized {
    /// Saves nothing.
    #[inline]
    fn save<C: Context>(self, _: PhantomData<C>, _: &mut Tape) {
        const { refuse_to_restore::<C>() }
    }

    /// Puts nothing back.
    #[inline]
    fn restore<C: Context>(self, _: PhantomData<C>, _: &mut Tape) {
        const { refuse_to_restore::<C>() }
    }
}

impl<M, R> Unkept for Kept<M, R> {}

const fn refuse_to_restore<C: Context>() {
    assert!(
        !demanded::<C>(0, 0, true),
        "a value behind `&mut` is computed again from here, and its type is not `Differentiable`: derive it, also where \
         the type holds no floats"
    );
}
