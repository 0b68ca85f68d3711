//! What is taken for a sequence.

use std::borrow::Cow;
use std::rc::Rc;
use std::slice::SliceIndex;
use std::sync::Arc;

use crate::items::Items;

/// A sequence whose elements are had by an index of the type `I`.
#[diagnostic::on_unimplemented(
    message = "indexing a `{Self}` by a `{I}` can't be differentiated",
    label = "only arrays, slices and `Vec`s are indexed by a rule that the reverse sweep knows",
    note = "help: put `#[adjoint]` on its `impl`s of `Index` and `IndexMut` (it takes both: the adjoint is written), or index the field that holds the elements"
)]
pub trait Sequence<I> {}

impl<T, I: SliceIndex<[T]>, const N: usize> Sequence<I> for [T; N] {}
impl<T, I: SliceIndex<[T]>> Sequence<I> for [T] {}
impl<T, I: SliceIndex<[T]>> Sequence<I> for Vec<T> {}
impl<T: Sequence<I> + ?Sized, I> Sequence<I> for Box<T> {}
impl<T: Sequence<I> + ?Sized, I> Sequence<I> for &T {}
impl<T: Sequence<I> + ?Sized, I> Sequence<I> for &mut T {}

/// Compiles if the type is a sequence.
#[inline(always)]
pub fn sequence<T: Sequence<I> + ?Sized, I>() {}

/// The same for the type of a place.
#[inline(always)]
pub fn sequence_of<'a, T: Sequence<I> + ?Sized + 'a, I>(_: impl FnOnce() -> &'a T) {}

/// The same for what is indexed by a value.
#[inline(always)]
pub fn sequence_by<'a, T: Sequence<I> + ?Sized, I: 'a>(_: impl FnOnce() -> &'a I) {}

/// Checks that there are items at positions.
#[inline]
pub fn items<T: Items + ?Sized>(_: &T) {}

/// What lends its elements by `get`, `first` and `last`.
#[diagnostic::on_unimplemented(
    message = "what a `{Self}` lends can't be seen",
    label = "taken for an element of a slice, array or `Vec`, because the type is not visible here",
    note = "help: bind what the method gives to a name with its type first, as in `let v: Option<f64> = self.s.get(i);`"
)]
pub trait Lends {}

/// What has the methods of slices.
#[diagnostic::on_unimplemented(
    message = "what this method does with a `{Self}` can't be seen",
    label = "taken for that of a slice, because the type is not visible here",
    note = "help: put `#[adjoint] mod` around the type and this function, or bind the value to a name with its type first, as in `let g: &mut Grid = &mut self.g;`"
)]
pub trait List {}

/// Implements a trait for arrays, slices and `Vec`s, and for what leads to them.
macro_rules! of_lists {
    ($($name:ident),*) => { $(
        impl<T, const N: usize> $name for [T; N] {}
        impl<T> $name for [T] {}
        impl<T> $name for Vec<T> {}
        impl<T: $name + ?Sized> $name for Box<T> {}
        impl<T: $name + ?Sized> $name for &T {}
        impl<T: $name + ?Sized> $name for &mut T {}
        impl<T: $name + ?Sized> $name for Rc<T> {}
        impl<T: $name + ?Sized> $name for Arc<T> {}
        impl<T: $name + ToOwned + ?Sized> $name for Cow<'_, T> {}
    )* };
}

of_lists!(Lends, List);

/// Compiles if the place is a sequence. The closure is never called: the place need not be there yet.
#[inline(always)]
pub fn lends<'a, T: Lends + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// Compiles if the type is a list.
#[inline(always)]
pub fn list<T: List + ?Sized>() {}

/// Compiles if the place is a list. The closure is never called: the place need not be there yet.
#[inline(always)]
pub fn list_of<'a, T: List + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// What grows and shrinks by methods that `Vec` has, too.
#[diagnostic::on_unimplemented(
    message = "what this method does with a `{Self}` can't be seen",
    label = "taken for that of a `Vec`, because the type is not visible here",
    note = "help: put `#[adjoint] mod` around the type and this function, or bind the value to a name with its type first, as in `let s: &mut Stack = &mut self.s;`"
)]
pub trait Vector {}

impl<T> Vector for Vec<T> {}
impl<T: Vector + ?Sized> Vector for Box<T> {}
impl<T: Vector + ?Sized> Vector for &mut T {}

/// Compiles if the place is a `Vec`. The closure is never called: the place need not be there yet.
#[inline(always)]
pub fn vector_of<'a, T: Vector + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// What `len` gives.
#[diagnostic::on_unimplemented(
    message = "what `len` gives here is a `{Self}`, which can't be seen",
    label = "taken for a number of elements, because the type is not visible here",
    note = "help: put `#[adjoint] mod` around the type and this function"
)]
pub trait Length {}

impl Length for usize {}

/// Compiles if what the closure gives is a length. It is never called.
#[inline(always)]
pub fn length<T: Length>(_: impl FnOnce() -> T) {}

/// What `as_ref` and `as_mut` leave as it is, but for the reference.
#[diagnostic::on_unimplemented(
    message = "what a reference to a `{Self}` becomes can't be seen",
    label = "taken for one to a list, an `Option`, a `Result` or a text, because the type is not visible here",
    note = "help: put `#[adjoint] mod` around the type and this function, or use the field that is meant"
)]
pub trait LendsItself {}

impl<T, const N: usize> LendsItself for [T; N] {}
impl<T> LendsItself for [T] {}
impl<T> LendsItself for Vec<T> {}
impl<T> LendsItself for Option<T> {}
impl<T, E> LendsItself for Result<T, E> {}
impl LendsItself for str {}
impl LendsItself for String {}
impl<T: ?Sized> LendsItself for Box<T> {}
impl<T: LendsItself + ?Sized> LendsItself for &T {}
impl<T: LendsItself + ?Sized> LendsItself for &mut T {}

/// Compiles if the place lends what it is. The closure is never called.
#[inline(always)]
pub fn lends_itself<'a, T: LendsItself + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// The children of nodes of the type `N`, into which a reference walks.
#[diagnostic::on_unimplemented(
    message = "a walk into a `{Self}` can't be followed back, as its type is not visible here",
    label = "taken for a `Vec<{N}>`",
    note = "help: put `#[adjoint] mod` around the type and this function, or write the walk as a recursion"
)]
pub trait Children<N> {}

impl<N> Children<N> for Vec<N> {}

/// Compiles if the place holds children in a `Vec`. The closure is never called.
#[inline(always)]
pub fn children_of<'a, T: Children<N> + ?Sized + 'a, N>(_: impl FnOnce() -> &'a T) {}
