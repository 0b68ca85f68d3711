//! Values that carry floats as vectors: what users call.

use std::marker::PhantomData;

use crate::Carrier;

/// A value that carries floats; its adjoint is a value of the same type and shape.
///
/// The adjoint holds an adjoint in the place of each float. Its discrete parts (integers, lengths,
/// variants) are those of the value; they carry nothing. Derive it for structs and enums.
///
/// ```
/// use adjoint_runtime::Differentiable;
///
/// let x = (1.5, vec![2.0, 3.0], 7usize);
/// let mut x_adj = x.zero_like();
/// assert_eq!(x_adj, (0.0, vec![0.0, 0.0], 7));
/// x_adj.accumulate(&(1.0, vec![0.5, 0.25], 7));
/// x_adj.accumulate(&(1.0, vec![0.5, 0.25], 7));
/// assert_eq!(x_adj, (2.0, vec![1.0, 0.5], 7));
/// ```
///
/// Values of one shape are vectors of a vector space, with their floats as coordinates, in the order of the fields and
/// elements:
///
/// ```
/// use adjoint_runtime::Differentiable;
///
/// let (mut x, gradient) = ((1.5, [2.0f32, 3.0]), (2.0, [1.0, 0.0]));
/// x.axpy(-0.5, &gradient);
/// assert_eq!(x, (0.5, [1.5, 3.0]));
/// assert_eq!(x.dot(&gradient), 2.5);
/// assert_eq!((x.flat_len(), x.to_flat()), (3, vec![0.5, 1.5, 3.0]));
/// x.copy_from_flat(&[4.0, 5.0, 6.0]);
/// x.scale(2.0);
/// assert_eq!(x, (8.0, [10.0, 12.0]));
/// ```
///
/// A `Box` hasn't these methods itself, but those of what it holds. Where methods of other traits, or methods that take
/// `self` by value, have the same names, write `#[derive(adjoint::Differentiable)]` and don't import the trait, or call
/// these by path, as in `Differentiable::dot(&a, &b)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no adjoint: it is not `Differentiable`",
    label = "help: derive `Differentiable` for a type of your own, also where it holds no floats; leave one of another crate's out by `wrt`/`of`, or copy its numbers into one that derives it"
)]
pub trait Differentiable: Carrier {
    /// An adjoint of this value, zero.
    #[inline]
    fn zero_like(&self) -> Self
    where
        Self: Sized,
    {
        self.zeroed()
    }

    /// Sets the floats to zero.
    #[inline]
    fn set_zero(&mut self) {
        self.zero_floats();
    }

    /// Adds the floats of another value to those of this one.
    ///
    /// # Panics
    ///
    /// If the two differ in shape.
    #[inline]
    fn accumulate(&mut self, increment: &Self) {
        self.add_floats(1.0, increment);
    }

    /// Adds `a` times the floats of another value to those of this one: a step of an optimiser. Floats of type
    /// `f32` are multiplied by `a` rounded to `f32`.
    ///
    /// # Panics
    ///
    /// If the two differ in shape.
    #[inline]
    fn axpy(&mut self, a: f64, x: &Self) {
        self.add_floats(a, x);
    }

    /// Multiplies the floats by `a`, which is rounded to `f32` for those of this type.
    #[inline]
    fn scale(&mut self, a: f64) {
        self.scale_floats(a);
    }

    /// The sum of the products of the floats with those of another value, in `f64`.
    ///
    /// # Panics
    ///
    /// If the two differ in shape.
    #[inline]
    fn dot(&self, other: &Self) -> f64 {
        self.dot_floats(other)
    }

    /// The number of floats.
    #[inline]
    fn flat_len(&self) -> usize {
        self.count_floats()
    }

    /// The floats, in the order of the fields and elements: what a solver on vectors works on.
    fn to_flat(&self) -> Vec<f64> {
        let mut flat = Vec::with_capacity(self.count_floats());
        self.append_floats(&mut flat);
        flat
    }

    /// Sets the floats to those of `flat`, in the order of [`to_flat`](Self::to_flat); lengths, variants and what
    /// else is discrete stay. Floats of type `f32` are rounded.
    ///
    /// # Panics
    ///
    /// With both lengths, if `flat` has another length than [`flat_len`](Self::flat_len).
    #[track_caller]
    fn copy_from_flat(&mut self, flat: &[f64]) {
        let (n, m) = (self.count_floats(), flat.len());
        assert!(
            n == m,
            "the value has {n} floats, but the slice has length {m}"
        );
        self.take_floats(&mut flat.iter());
    }
}

macro_rules! differentiable {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(#[diagnostic::do_not_recommend]
        impl<$($generics)*> Differentiable for $ty {})*
    };
}

// Not `Box<T>`: a call on one is meant for what it holds, which may have a method of its own of the name.
differentiable! {
    [] f32; [] f64;
    [] i8; [] i16; [] i32; [] i64; [] i128; [] isize;
    [] u8; [] u16; [] u32; [] u64; [] u128; [] usize;
    [] bool; [] char; [] (); [] String; [] &'static str;
    [T: ?Sized] PhantomData<T>;
    [T: Carrier, const N: usize] [T; N];
    [T: Carrier] [T];
    [T: Carrier] Vec<T>;
    [T: Carrier] Box<[T]>;
    [T: Carrier] Option<T>;
    [T: Carrier, E: Carrier] Result<T, E>;
}

/// All tuples up to these components.
macro_rules! tuples {
    ([$($T:ident)*]) => {};
    ([$($T:ident)*] $next:ident $($rest:ident)*) => {
        differentiable! { [$($T: Carrier,)* $next: Carrier] ($($T,)* $next,); }
        tuples!([$($T)* $next] $($rest)*);
    };
}

tuples!([] A B C D E F G H I J K L);
