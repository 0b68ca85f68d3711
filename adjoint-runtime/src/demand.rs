//! What generated code takes a type of the user's for, where only rustc can see what it is.

use std::marker::PhantomData;
use std::slice::SliceIndex;

use crate::items::Items;
use crate::shape::Discrete;

/// A sequence whose elements are had by an index of the type `I`.
#[diagnostic::on_unimplemented(
    message = "indexing a `{Self}` by a `{I}` can't be differentiated",
    label = "only arrays, slices and `Vec`s are indexed by a rule that the reverse sweep knows",
    note = "help: put `#[adjoint]` on its `impl`s of `Index` and `IndexMut`, or index the field that holds the elements"
)]
pub trait Sequence<I> {}

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

impl<T, const N: usize> Lends for [T; N] {}
impl<T> Lends for [T] {}
impl<T> Lends for Vec<T> {}
impl<T: Lends + ?Sized> Lends for Box<T> {}
impl<T: Lends + ?Sized> Lends for &T {}
impl<T: Lends + ?Sized> Lends for &mut T {}

/// Compiles if the place is a sequence. The closure is never called: the place need not be there yet.
#[inline(always)]
pub fn lends<'a, T: Lends + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

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

/// What has the methods of slices.
#[diagnostic::on_unimplemented(
    message = "what this method does with a `{Self}` can't be seen",
    label = "taken for that of a slice, because the type is not visible here",
    note = "help: put `#[adjoint] mod` around the type and this function, or bind the value to a name with its type first, as in `let g: &mut Grid = &mut self.g;`"
)]
pub trait List {}

impl<T, const N: usize> List for [T; N] {}
impl<T> List for [T] {}
impl<T> List for Vec<T> {}
impl<T: List + ?Sized> List for Box<T> {}
impl<T: List + ?Sized> List for &mut T {}

/// Compiles if the type is a list.
#[inline(always)]
pub fn list<T: List + ?Sized>() {}

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

/// Compiles if the place is a list. The closure is never called: the place need not be there yet.
#[inline(always)]
pub fn list_of<'a, T: List + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

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

/// What has the methods and operators of integers.
#[diagnostic::on_unimplemented(
    message = "what this does with a `{Self}` can't be seen",
    label = "taken for an integer, because the type is not visible here",
    note = "help: put `#[adjoint] mod` around the type and this function"
)]
pub trait Integer {}

macro_rules! integers {
    ($($ty:ty),*) => { $(impl Integer for $ty {})* };
}

integers!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);

/// Compiles if the place holds an integer. The closure is never called: the place need not be there yet.
#[inline(always)]
pub fn integer_of<'a, T: Integer + 'a>(_: impl FnOnce() -> &'a T) {}

/// What a method gives, or an operator makes, and a cast takes.
#[diagnostic::on_unimplemented(
    message = "what is cast here is a `{Self}`, which can't be seen",
    label = "taken for an integer, because its type is not visible here",
    note = "help: bind it to a name with its type first, as in `let v: f32 = m.norm();`"
)]
pub trait Counted {}

impl<T: Discrete> Counted for T {}

/// Compiles if the value has no derivative. The closure is never called.
#[inline(always)]
pub fn counts<'a, T: Counted + 'a>(_: impl FnOnce() -> &'a T) {}

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

/// A type whose `Sum` adds up the items.
#[diagnostic::on_unimplemented(
    message = "what `sum` does with items `{Item}` can't be seen, so it has no derivative",
    label = "only sums of numbers have a derivative rule",
    note = "help: put `#[adjoint]` on the `impl`s of `Sum` and `Add`, or write `.fold(start, |a, b| a + b)`"
)]
pub trait Summed<Item> {}

impl<T, I: SliceIndex<[T]>, const N: usize> Sequence<I> for [T; N] {}
impl<T, I: SliceIndex<[T]>> Sequence<I> for [T] {}
impl<T, I: SliceIndex<[T]>> Sequence<I> for Vec<T> {}
impl<T: Sequence<I> + ?Sized, I> Sequence<I> for Box<T> {}
impl<T: Sequence<I> + ?Sized, I> Sequence<I> for &T {}
impl<T: Sequence<I> + ?Sized, I> Sequence<I> for &mut T {}

/// A number with the methods of floats.
#[diagnostic::on_unimplemented(
    message = "there is no derivative rule for this method of `{Self}`",
    label = "only floats have methods with derivative rules",
    note = "help: write the method under `#[adjoint]` in an `impl` of the type, or use operators of its fields"
)]
pub trait Number {}

impl<T: num_traits::Float> Number for T {}

/// A float whose method integers have, too.
#[diagnostic::on_unimplemented(
    message = "this method of a `{Self}` is taken for that of a float, because the type is not visible here",
    label = "called on a `{Self}` whose type is not visible here",
    note = "help: bind an integer to a name with its type first, as in `let n: {Self} = s.n;`, or put `#[adjoint] mod` around the type and this function"
)]
pub trait Chosen {}

impl<T: num_traits::Float> Chosen for T {}

/// Compiles if the place holds a float.
#[inline(always)]
pub fn chosen_of<'a, T: Chosen + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// A type that is `N`.
#[diagnostic::on_unimplemented(
    message = "what this operator does with a `{Self}` can't be seen, so it has no derivative",
    label = "taken for a `{N}` by the other operand, because the type is not visible here",
    note = "help: put `#[adjoint] mod` around the type and this function, or write it with the operators of its fields"
)]
pub trait Holds<N> {}

impl Holds<f32> for f32 {}
impl Holds<f64> for f64 {}
impl<N, T: Holds<N> + ?Sized> Holds<N> for &T {}
impl<N, T: Holds<N> + ?Sized> Holds<N> for &mut T {}

/// Compiles if the place holds a number of the type. The closure is never called.
#[inline(always)]
pub fn holds<'a, N, T: Holds<N> + ?Sized + 'a>(_: impl FnOnce() -> &'a T) {}

/// Compiles if the place is of the type. The closure is never called.
#[inline(always)]
pub fn is<'a, T: 'a>(_: impl FnOnce() -> &'a T) {}

/// What the operators of Rust's own numbers are applied to.
#[diagnostic::on_unimplemented(
    message = "what this operator does with a `{Self}` can't be seen, so it has no derivative",
    label = "the operators of numbers have derivative rules, those of other types do not",
    note = "help: put `#[adjoint]` on the `impl` of the operator and annotate the value, as in `let v: Vec3 = ..`, or write it with the operators of its fields"
)]
pub trait Operand<M> {}

/// Tells numbers that carry a derivative from all others.
pub enum Reals {}

/// Numbers and the like without a derivative.
pub enum Others {}

impl<T: num_traits::Float> Operand<Reals> for T {}

macro_rules! discrete {
    ($($ty:ty),*) => { $(impl Operand<Others> for $ty {})* };
}

macro_rules! numbers {
    ($($ty:ty),*) => { $(impl Summed<$ty> for $ty {} impl Summed<&$ty> for $ty {})* };
}

numbers!(
    f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);

discrete!(
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    bool,
    String,
    std::time::Duration,
    std::time::Instant
);

impl<M, T: Operand<M> + ?Sized> Operand<(M,)> for &T {}

impl<T> Operand<Others> for std::num::Wrapping<T> {}

/// Compiles if the operators on the type are those of numbers.
#[inline(always)]
pub fn operand<T: Operand<M> + ?Sized, M>() {}

/// The same for the type of a place.
#[inline(always)]
pub fn operand_of<'a, T: Operand<M> + ?Sized + 'a, M>(_: impl FnOnce() -> &'a T) {}

/// Compiles if the type is a sequence.
#[inline(always)]
pub fn sequence<T: Sequence<I> + ?Sized, I>() {}

/// The same for the type of a place.
#[inline(always)]
pub fn sequence_of<'a, T: Sequence<I> + ?Sized + 'a, I>(_: impl FnOnce() -> &'a T) {}

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

/// Compiles if the sum of values is that of an addition.
#[inline(always)]
pub fn summed<T: Summed<T>>() {}

/// The same for what is lent.
#[inline(always)]
pub fn summed_shared<T: for<'a> Summed<&'a T>>() {}

/// Compiles if both are the same function: one of the standard library, and what its name means here.
#[inline(always)]
pub fn function_of_std<F>(_: F, _: F) {}

/// Compiles if the type is a float.
#[inline(always)]
pub fn float<T: Number>() {}
