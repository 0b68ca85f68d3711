//! Types whose elements an annotated `Index` finds, of which a part is set.

use std::marker::PhantomData;

use crate::shape::Discrete;

/// A type of the user's whose `Index<I>` leads to the same element each time.
#[diagnostic::on_unimplemented(
    message = "what `Index` refers to in a `{Self}` can't be seen",
    label = "without it, an adjoint of what `IndexMut` refers to can't be found",
    note = "help: put `#[adjoint]` on the `impl` of `Index` as well"
)]
pub trait Elements<I> {}

/// Implemented by no type whose own `Index` is differentiated.
#[diagnostic::on_unimplemented(
    message = "a number of a `{Self}` changes, which may say where its elements are",
    label = "the adjoint has the numbers that the whole value had",
    note = "help: set the whole value: `m = {Self} {{ data: take(&mut m.data), cols }}`"
)]
pub trait Rebuilt {}

/// What an `Index` can count with.
pub trait Counting {}

impl<T: Discrete> Counting for T {}
impl<T: Discrete> Counting for [T] {}
impl<T: Discrete> Counting for Vec<T> {}
impl<T: Discrete, const N: usize> Counting for [T; N] {}

/// A value of the type `T` of which a part of the type `V` is set; `I` is an index of `T`, if it has one.
#[derive(Debug)]
pub struct Setting<T, V, I>(PhantomData<(T, V, I)>);

/// What is set, and of what.
#[inline(always)]
pub fn setting<'a, T: 'a, V: 'a, I>(_: impl FnOnce() -> (&'a T, &'a V)) -> Setting<T, V, I> {
    Setting(PhantomData)
}

impl<T: Elements<I>, V: Counting, I> Setting<T, V, I> {
    /// Compiles if the elements of the adjoint stay where they are.
    #[inline(always)]
    pub fn moves_nothing(&self)
    where
        T: Rebuilt,
    {
    }
}

/// [`Setting::moves_nothing`] for all others, which compiles.
pub trait MovesNothing {
    /// Compiles.
    #[inline(always)]
    fn moves_nothing(&self) {}
}

impl<T, V> MovesNothing for &Setting<T, V, ()> {}
