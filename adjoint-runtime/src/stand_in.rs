//! What a call is given for the adjoint of an argument that no independent reaches.

use std::marker::PhantomData;

use crate::context::Context;
use crate::context::closing::tells_varied;
use crate::shape::{Seq, Shape, zeros_like};

/// What stands in for the adjoint of a sequence: zeros, where it is needed and the callee is told that one of these
/// arguments is varied, else an empty list.
#[inline]
pub fn zeros_if_told<M, T: Shape<M>, C: Context>(
    needed: bool,
    arguments: u64,
    value: &[T],
) -> Vec<T> {
    match needed && tells_varied::<C>(arguments) {
        true => zeros_like(value),
        false => Vec::new(),
    }
}

/// An argument that no independent reaches, of what `M` marks.
#[derive(Debug)]
pub struct Constant<'a, M, T: ?Sized>(&'a T, PhantomData<M>);

/// Wraps a constant argument.
#[inline]
pub fn constant_argument<M, T: ?Sized>(value: &T) -> Constant<'_, M, T> {
    Constant(value, PhantomData)
}

impl<M, T: Shape<M>> Constant<'_, M, T> {
    /// A value of the type, which nobody reads.
    #[inline]
    pub fn stand_in(&self) -> T {
        self.0.vacant()
    }

    /// Zeros in its shape, for a callee that works with the adjoint of what it changes.
    #[inline]
    pub fn work_space(&self) -> T {
        self.0.zero_like()
    }
}

impl<M, T: Shape<M>> Constant<'_, Seq<M>, [T]> {
    /// A list that is empty.
    #[inline]
    pub fn stand_in(&self) -> Vec<T> {
        Vec::new()
    }

    /// Zeros in its shape.
    #[inline]
    pub fn work_space(&self) -> Vec<T> {
        zeros_like(self.0)
    }
}

/// A type without adjoints has methods of the same names, which are found where the type's own are not: a
/// callee that leaves such a parameter out takes anything for its adjoint.
pub trait LeftOut {
    /// Nothing.
    #[inline]
    fn stand_in(&self) {}

    /// Nothing.
    #[inline]
    fn work_space(&self) {}
}

impl<M, T: ?Sized> LeftOut for Constant<'_, M, T> {}
