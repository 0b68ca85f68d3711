//! The adjoint of a result whose type may have no default.

use std::ops::{Deref, DerefMut};

use crate::{Carrier, Real};

/// What the caller wants of a result, or nothing where it wants nothing: then no code reads it.
#[derive(Debug)]
pub struct Seed<R>(Option<R>);

impl<R> Default for Seed<R> {
    #[inline]
    fn default() -> Seed<R> {
        Seed(None)
    }
}

/// What stands for the adjoint of a result where it is handed on. No bound of the user's on the result's type says
/// what a method of this trait gives, as one on `Into` would.
pub trait Seeded<R> {
    /// The adjoint of the result.
    fn seeded(seed: R) -> Self;
}

impl<R> Seeded<R> for R {
    #[inline]
    fn seeded(seed: R) -> R {
        seed
    }
}

impl<R> Seeded<R> for Seed<R> {
    #[inline]
    fn seeded(seed: R) -> Seed<R> {
        Seed(Some(seed))
    }
}

/// What stands for the adjoint of a result of which nothing is wanted.
#[inline]
pub fn unseeded<S: Default>() -> S {
    S::default()
}

/// The adjoint of a result, as what takes it has it.
#[inline]
pub fn seeded<R, S: Seeded<R>>(seed: R) -> S {
    S::seeded(seed)
}

impl<R> Deref for Seed<R> {
    type Target = R;

    #[inline]
    fn deref(&self) -> &R {
        self.0.as_ref().expect("a result that somebody wants")
    }
}

impl<R> DerefMut for Seed<R> {
    #[inline]
    fn deref_mut(&mut self) -> &mut R {
        self.0.as_mut().expect("a result that somebody wants")
    }
}

/// The adjoint of a float, of whatever type, that nobody reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unread;

/// The adjoint of a value that a callee without an adjoint has given, which nobody reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ignored;

impl<R: Carrier> Seeded<R> for Ignored {
    #[inline]
    fn seeded(_: R) -> Ignored {
        Ignored
    }
}

impl<R: Real> Seeded<R> for Unread {
    #[inline]
    fn seeded(_: R) -> Unread {
        Unread
    }
}
