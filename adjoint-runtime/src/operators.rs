//! The adjoints of operators of users' types, found through the types of the operands.
//!
//! `#[adjoint] impl Add<V> for U` implements one of these traits beside `Add`. Which one says how the
//! operands are passed, so that the adjoint of an operand that is lent is lent, and that of one by value
//! is returned. Numbers have them as well: a type that is only a name to the macro may be an alias of
//! one.

mod scalars;

use std::marker::PhantomData;
use std::ops::Index;

use crate::__private::Context;
use crate::Tape;
use crate::items::Items;

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident)*) => { $($(#[$doc])* #[derive(Debug)] pub enum $name {})* };
}

names! {
    /// `+`
    Add
    /// `-`
    Sub
    /// `*`
    Mul
    /// `/`
    Div
    /// `%`
    Rem
    /// `-`, of one operand
    Neg
    /// `+=`
    AddAssign
    /// `-=`
    SubAssign
    /// `*=`
    MulAssign
    /// `/=`
    DivAssign
    /// `%=`
    RemAssign
}

macro_rules! operator {
    ($(#[$doc:meta])* $name:ident<$($rhs:ident)?>
        ($($primal:ident: $primal_ty:ty),*) ($($operand:ident: $ty:ty),*)) => {
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "what this operator does with a `{Self}` can't be seen, so it has no derivative",
            label = "the operators of numbers have derivative rules, those of other types do not",
            note = "help: put `#[adjoint]` on the `impl` of the operator, or write it with the operators of the fields; where an operand is what a call gives, name its type: `let v: T = f(x);`"
        )]
        pub trait $name<Op $(, $rhs)?>: Sized {
            /// What the operator makes.
            type Output;
            /// The increments of the operands that are passed by value.
            type Increments;
            /// The forward sweep.
            fn forward<C: Context>(context: C, tape: &mut Tape, $($primal: $primal_ty),*) -> Self::Output;
            /// The reverse sweep.
            fn reverse<C: Context>(
                context: C,
                tape: &mut Tape,
                $($operand: $ty,)*
                seed: Self::Output,
            ) -> Self::Increments;
            /// The type of the output, for operands of these types.
            #[inline]
            fn output(_: PhantomData<Self> $(, _: PhantomData<$rhs>)?) -> PhantomData<Self::Output> {
                PhantomData
            }
        }
    };
}

operator! {
    /// `-a`
    Value<> (left: Self) (left: Self)
}
operator! {
    /// `-&a`
    Shared<> (left: &Self) (left: &Self, left_adj: &mut Self)
}
operator! {
    /// `a + b`
    ValueValue<Rhs> (left: Self, right: Rhs) (left: Self, right: Rhs)
}
operator! {
    /// `a + &b`
    ValueShared<Rhs> (left: Self, right: &Rhs) (left: Self, right: &Rhs, right_adj: &mut Rhs)
}
operator! {
    /// `&a + b`
    SharedValue<Rhs> (left: &Self, right: Rhs) (left: &Self, left_adj: &mut Self, right: Rhs)
}
operator! {
    /// `&a + &b`
    SharedShared<Rhs> (left: &Self, right: &Rhs)
        (left: &Self, left_adj: &mut Self, right: &Rhs, right_adj: &mut Rhs)
}
operator! {
    /// `a += b`
    MutValue<Rhs> (left: &mut Self, right: Rhs) (left: &mut Self, left_adj: &mut Self, right: Rhs)
}
operator! {
    /// `a += &b`
    MutShared<Rhs> (left: &mut Self, right: &Rhs)
        (left: &mut Self, left_adj: &mut Self, right: &Rhs, right_adj: &mut Rhs)
}

/// The type that a function loads.
#[inline]
pub fn of_load<T>(_: impl FnOnce(&mut Tape) -> T) -> PhantomData<T> {
    PhantomData
}

/// The type of a value.
#[inline]
pub fn of_value<T>(_: impl FnOnce() -> T) -> PhantomData<T> {
    PhantomData
}

/// A value of this type, where only the type of what is made of it is asked for.
pub fn no_value<T>(_: PhantomData<T>) -> T {
    unreachable!("only the type is asked for")
}

/// A list of such elements, of the type that its place has.
pub fn no_list<T, L: FromIterator<T>>(_: PhantomData<T>) -> L {
    unreachable!("only the type is asked for")
}

/// A place of this type, which takes its type from nowhere else.
pub fn no_place<'a, T>(_: PhantomData<T>) -> &'a mut T {
    unreachable!("only the type is asked for")
}

/// The type of a `Vec` of such elements.
#[inline]
pub fn of_vec<T>(_: PhantomData<T>) -> PhantomData<Vec<T>> {
    PhantomData
}

/// The type of an array of such elements.
#[inline]
pub fn of_array<T, const N: usize>(_: PhantomData<T>) -> PhantomData<[T; N]> {
    PhantomData
}

/// The type of the elements of a list.
#[inline]
pub fn of_element<L: Index<I, Output: Sized>, I>(
    _: PhantomData<L>,
    _: impl FnOnce() -> I,
) -> PhantomData<L::Output> {
    PhantomData
}

/// The type of what a value lends that is run over.
#[inline]
pub fn of_item<L: Items>(_: PhantomData<L>) -> PhantomData<L::Item> {
    PhantomData
}

/// The type of what a method makes of a value of this type.
#[inline]
pub fn of_method<T, R>(_: PhantomData<T>, _: impl FnOnce(T) -> R) -> PhantomData<R> {
    PhantomData
}

/// A value of this type.
#[inline]
pub fn typed<T>(_: PhantomData<T>, value: T) -> T {
    value
}
