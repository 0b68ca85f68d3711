//! `Carrier` for the types of the language, by the one implementation in `shape`.

use std::marker::PhantomData;
use std::slice::Iter;

use super::Carrier;
use crate::shape::{Diff, Leaf, Plain, Seq, Shape};
use crate::{Mismatch, Tape};

/// Forwards the methods that any type has.
macro_rules! forward {
    ($marker:ty) => {
        #[inline]
        fn zero_floats(&mut self) {
            Shape::<$marker>::set_zero(self);
        }

        #[inline]
        fn add_floats(&mut self, a: f64, x: &Self) {
            Shape::<$marker>::axpy(self, a, x);
        }

        #[inline]
        fn scale_floats(&mut self, a: f64) {
            Shape::<$marker>::scale(self, a);
        }

        #[inline]
        fn dot_floats(&self, other: &Self) -> f64 {
            Shape::<$marker>::dot(self, other)
        }

        #[inline]
        fn check_shape(&self, adjoint: &Self) -> Result<(), Mismatch> {
            Shape::<$marker>::check_shape(self, adjoint)
        }

        #[inline]
        fn count_floats(&self) -> usize {
            Shape::<$marker>::flat_len(self)
        }

        #[inline]
        fn append_floats(&self, flat: &mut Vec<f64>) {
            Shape::<$marker>::append_flat(self, flat);
        }

        #[inline]
        fn take_floats(&mut self, flat: &mut Iter<'_, f64>) {
            Shape::<$marker>::take_flat(self, flat);
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

macro_rules! carrier {
    ($([$($generics:tt)*] $ty:ty as $marker:ty;)*) => {
        $(#[diagnostic::do_not_recommend]
        impl<$($generics)*> Carrier for $ty {
            forward!($marker);

            #[inline]
            fn zeroed(&self) -> Self {
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

carrier! {
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

    [T: Carrier, const N: usize] [T; N] as Seq<Diff>;
    [T: Carrier] Vec<T> as Seq<Diff>;
    [T: Carrier] Box<T> as Seq<Diff>;
    [T: Carrier] Box<[T]> as Seq<Diff>;
    [T: Carrier] Option<T> as Seq<Diff>;
    [T: Carrier, E: Carrier] Result<T, E> as (Diff, Diff);
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
        carrier! {
            [$($T: Carrier,)* $next: Carrier]
                ($($T,)* $next,) as ($(diff!($T),)* diff!($next),);
        }
        tuples!([$($T)* $next] $($rest)*);
    };
}

tuples!([] A B C D E F G H I J K L);

#[diagnostic::do_not_recommend]
impl<T: Carrier> Carrier for [T] {
    forward!(Seq<Diff>);
}
