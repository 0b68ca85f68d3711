//! Constants that are handed to functions.

use std::marker::PhantomData;

/// A constant that is handed to a function.
#[derive(Debug)]
pub struct HandedOn<V>(PhantomData<V>);

/// The type of the constant.
#[inline(always)]
pub fn handed_on<V>(_: impl FnOnce() -> V) -> HandedOn<V> {
    HandedOn(PhantomData)
}

/// Implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "a constant that is a reference is handed on here, which can't be seen",
    label = "taken for a value, because its type is not visible here",
    note = "help: bind it to a name with its type first, as in `let c: &[f64] = C;`, or put `#[adjoint] mod` around the constant and this function"
)]
pub trait SeenAsReference {}

impl<T: ?Sized> HandedOn<&T> {
    /// Compiles for no reference.
    #[inline(always)]
    pub fn by_value(&self)
    where
        T: SeenAsReference,
    {
    }
}

/// [`HandedOn::by_value`] for all others, which compiles.
pub trait ByValue {
    /// Compiles.
    #[inline(always)]
    fn by_value(&self) {}
}

impl<V> ByValue for &HandedOn<V> {}
