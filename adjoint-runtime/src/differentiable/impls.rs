//! `Differentiable` for the types of the language, by the one implementation in `shape`.

use std::marker::PhantomData;

use super::Differentiable;
use crate::shape::{Diff, Leaf, Plain, Seq, Shape};
use crate::{Mismatch, Tape};

/// Forwards the methods that any type has.
macro_rules! forward {
    ($marker:ty) => {
        #[inline]
        fn set_zero(&mut self) {
            Shape::<$marker>::set_zero(self);
        }

        #[inline]
        fn accumulate(&mut self, increment: &Self) {
            Shape::<$marker>::accumulate(self, increment);
        }

        #[inline]
        fn check_shape(&self, adjoint: &Self) -> Result<(), Mismatch> {
            Shape::<$marker>::check_shape(self, adjoint)
        }

        #[inline]
        fn scalars(&self) -> usize {
            Shape::<$marker>::scalars(self)
        }

        #[inline]
        fn save(&self, tape: &mut Tape) {
            Shape::<$marker>::save(self, tape);
        }

        #[inline]
        fn restore(&mut self, tape: &mut Tape) {
            Shape::<$marker>::restore(self, tape);
        }
    };
}

macro_rules! differentiable {
    ($([$($generics:tt)*] $ty:ty as $marker:ty;)*) => {
        $(impl<$($generics)*> Differentiable for $ty {
            forward!($marker);

            #[inline]
            fn zero_like(&self) -> Self {
                Shape::<$marker>::zero_like(self)
            }

            #[inline]
            fn vacant(&self) -> Self {
                Shape::<$marker>::vacant(self)
            }

            #[inline]
            fn load(tape: &mut Tape) -> Self {
                <Self as Shape<$marker>>::load(tape)
            }

            #[inline]
            fn save_slice(values: &[Self], tape: &mut Tape) {
                <Self as Shape<$marker>>::save_slice(values, tape);
            }

            #[inline]
            fn restore_slice(values: &mut [Self], tape: &mut Tape) {
                <Self as Shape<$marker>>::restore_slice(values, tape);
            }

            #[inline]
            fn load_vec(n: usize, tape: &mut Tape) -> Vec<Self> {
                <Self as Shape<$marker>>::load_vec(n, tape)
            }
        })*
    };
}

differentiable! {
    [] f32 as Leaf;
    [] f64 as Leaf;

    [] i8 as Plain;
    [] i16 as Plain;
    [] i32 as Plain;
    [] i64 as Plain;
    [] i128 as Plain;
    [] isize as Plain;
    [] u8 as Plain;
    [] u16 as Plain;
    [] u32 as Plain;
    [] u64 as Plain;
    [] u128 as Plain;
    [] usize as Plain;
    [] bool as Plain;
    [] char as Plain;
    [] () as Plain;
    [] String as Plain;
    [] &'static str as Plain;
    [T: ?Sized] PhantomData<T> as Plain;

    [T: Differentiable, const N: usize] [T; N] as Seq<Diff>;
    [T: Differentiable] Vec<T> as Seq<Diff>;
    [T: Differentiable] Box<T> as Seq<Diff>;
    [T: Differentiable] Box<[T]> as Seq<Diff>;
    [T: Differentiable] Option<T> as Seq<Diff>;
    [T: Differentiable, E: Differentiable] Result<T, E> as (Diff, Diff);
}

macro_rules! diff {
    ($name:ident) => {
        Diff
    };
}

/// All tuples up to these components.
macro_rules! tuples {
    ([$($T:ident)*]) => {};
    ([$($T:ident)*] $next:ident $($rest:ident)*) => {
        differentiable! {
            [$($T: Differentiable,)* $next: Differentiable]
                ($($T,)* $next,) as ($(diff!($T),)* diff!($next),);
        }
        tuples!([$($T)* $next] $($rest)*);
    };
}

tuples!([] A B C D E F G H I J K L);

impl<T: Differentiable> Differentiable for [T] {
    forward!(Seq<Diff>);
}
