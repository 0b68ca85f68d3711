//! The adjoint of a result whose type may have no default.

use std::ops::{Deref, DerefMut};

/// What the caller wants of a result, or nothing where it wants nothing: then no code reads it.
#[derive(Debug)]
pub struct Seed<R>(Option<R>);

impl<R> Default for Seed<R> {
    #[inline]
    fn default() -> Seed<R> {
        Seed(None)
    }
}

impl<R> From<R> for Seed<R> {
    #[inline]
    fn from(seed: R) -> Seed<R> {
        Seed(Some(seed))
    }
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
