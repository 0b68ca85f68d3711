//! The shape of single values.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::num::TryFromIntError;
use std::slice::Iter;

use super::{Diff, Leaf, Plain, Shape};
use crate::{Carrier, Mismatch, Real, Tape};

/// A number of the user's as a value of the type.
#[inline]
fn rounded<T: Real>(value: f64) -> T {
    T::from(value).expect("a float type has a value for each `f64`")
}

/// A value of the type as a number for the user.
#[inline]
fn widened<T: Real>(value: T) -> f64 {
    value.to_f64().expect("a value of a float type is a number")
}

#[diagnostic::do_not_recommend]
impl<T: Real> Shape<Leaf> for T {
    #[inline]
    fn zero_like(&self) -> T {
        T::zero()
    }

    #[inline]
    fn set_zero(&mut self) {
        *self = T::zero();
    }

    #[inline]
    fn axpy(&mut self, a: f64, x: &T) {
        *self = *self + rounded::<T>(a) * *x;
    }

    #[inline]
    fn scale(&mut self, a: f64) {
        *self = *self * rounded(a);
    }

    #[inline]
    fn dot(&self, other: &T) -> f64 {
        widened(*self) * widened(*other)
    }

    #[inline]
    fn check_shape(&self, _adjoint: &T) -> Result<(), Mismatch> {
        Ok(())
    }

    #[inline]
    fn flat_len(&self) -> usize {
        1
    }

    #[inline]
    fn append_flat(&self, flat: &mut Vec<f64>) {
        flat.push(widened(*self));
    }

    #[inline]
    fn take_flat(&mut self, flat: &mut Iter<'_, f64>) {
        Self::take_flat_slice(std::slice::from_mut(self), flat);
    }

    #[inline]
    fn append_flat_slice(values: &[Self], flat: &mut Vec<f64>) {
        flat.extend(values.iter().map(|value| widened(*value)));
    }

    #[inline]
    fn take_flat_slice(values: &mut [Self], flat: &mut Iter<'_, f64>) {
        let (next, others) = flat
            .as_slice()
            .split_at_checked(values.len())
            .expect("there are as many floats as the value has");
        for (value, next) in values.iter_mut().zip(next) {
            *value = rounded(*next);
        }
        *flat = others.iter();
    }

    #[inline]
    fn save(&self, tape: &mut Tape) {
        tape.push_real(*self);
    }

    #[inline]
    fn restore(&mut self, tape: &mut Tape) {
        *self = tape.pop_real();
    }

    #[inline]
    fn load(tape: &mut Tape) -> T {
        tape.pop_real()
    }

    #[inline]
    fn save_slice(values: &[T], tape: &mut Tape) {
        tape.push_reals(values);
    }

    #[inline]
    fn restore_slice(values: &mut [T], tape: &mut Tape) {
        tape.pop_reals(values);
    }

    #[inline]
    fn load_vec(n: usize, tape: &mut Tape) -> Vec<T> {
        let mut values = vec![T::zero(); n];
        tape.pop_reals(&mut values);
        values
    }
}

/// A value without floats, which the tape can hold.
pub trait Discrete: Clone {
    /// Pushes the value.
    fn push(&self, tape: &mut Tape);
    /// Pops it.
    fn pop(tape: &mut Tape) -> Self;

    /// Pushes a sequence.
    #[inline]
    fn push_slice(values: &[Self], tape: &mut Tape) {
        for value in values {
            value.push(tape);
        }
    }

    /// Pops it.
    #[inline]
    fn pop_slice(values: &mut [Self], tape: &mut Tape) {
        for value in values.iter_mut().rev() {
            *value = Self::pop(tape);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Discrete> Shape<Plain> for T {
    #[inline]
    fn zero_like(&self) -> T {
        self.clone()
    }

    #[inline]
    fn set_zero(&mut self) {}

    #[inline]
    fn axpy(&mut self, _a: f64, _x: &T) {}

    #[inline]
    fn scale(&mut self, _a: f64) {}

    #[inline]
    fn dot(&self, _other: &T) -> f64 {
        0.0
    }

    #[inline]
    fn check_shape(&self, _adjoint: &T) -> Result<(), Mismatch> {
        Ok(())
    }

    #[inline]
    fn flat_len(&self) -> usize {
        0
    }

    #[inline]
    fn append_flat(&self, _flat: &mut Vec<f64>) {}

    #[inline]
    fn take_flat(&mut self, _flat: &mut Iter<'_, f64>) {}

    #[inline]
    fn save(&self, tape: &mut Tape) {
        self.push(tape);
    }

    #[inline]
    fn restore(&mut self, tape: &mut Tape) {
        *self = T::pop(tape);
    }

    #[inline]
    fn load(tape: &mut Tape) -> T {
        T::pop(tape)
    }

    #[inline]
    fn save_slice(values: &[T], tape: &mut Tape) {
        T::push_slice(values, tape);
    }

    #[inline]
    fn restore_slice(values: &mut [T], tape: &mut Tape) {
        T::pop_slice(values, tape);
    }
}

macro_rules! discrete_words {
    ($($ty:ty)*) => {
        $(impl Discrete for $ty {
            #[inline]
            fn push(&self, tape: &mut Tape) {
                tape.push_int(*self);
            }

            #[inline]
            fn pop(tape: &mut Tape) -> $ty {
                tape.pop_int()
            }

            #[inline]
            fn push_slice(values: &[$ty], tape: &mut Tape) {
                tape.push_ints(values);
            }

            #[inline]
            fn pop_slice(values: &mut [$ty], tape: &mut Tape) {
                tape.pop_ints(values);
            }
        })*
    };
}

discrete_words!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize char &'static str);

impl Discrete for bool {
    #[inline]
    fn push(&self, tape: &mut Tape) {
        tape.push_flag(*self);
    }

    #[inline]
    fn pop(tape: &mut Tape) -> bool {
        tape.pop_flag()
    }
}

impl Discrete for Ordering {
    #[inline]
    fn push(&self, tape: &mut Tape) {
        tape.push_int(*self as i8);
    }

    #[inline]
    fn pop(tape: &mut Tape) -> Ordering {
        tape.pop_int::<i8>().cmp(&0)
    }
}

impl Discrete for String {
    fn push(&self, tape: &mut Tape) {
        tape.push_moved(self.clone(), self.len());
    }

    fn pop(tape: &mut Tape) -> String {
        tape.pop_moved()
    }
}

impl Discrete for TryFromIntError {
    fn push(&self, tape: &mut Tape) {
        tape.push_moved(*self, 0);
    }

    fn pop(tape: &mut Tape) -> TryFromIntError {
        tape.pop_moved()
    }
}

impl Discrete for () {
    #[inline]
    fn push(&self, _tape: &mut Tape) {}

    #[inline]
    fn pop(_tape: &mut Tape) {}
}

impl<T: ?Sized> Discrete for PhantomData<T> {
    #[inline]
    fn push(&self, _tape: &mut Tape) {}

    #[inline]
    fn pop(_tape: &mut Tape) -> Self {
        PhantomData
    }
}

#[diagnostic::do_not_recommend]
impl<T: Carrier + ?Sized> Shape<Diff> for T {
    #[inline]
    fn zero_like(&self) -> T
    where
        T: Sized,
    {
        Carrier::zeroed(self)
    }

    #[inline]
    fn vacant(&self) -> T
    where
        T: Sized,
    {
        Carrier::vacant(self)
    }

    #[inline]
    fn set_zero(&mut self) {
        Carrier::zero_floats(self);
    }

    #[inline]
    fn axpy(&mut self, a: f64, x: &T) {
        Carrier::add_floats(self, a, x);
    }

    #[inline]
    fn scale(&mut self, a: f64) {
        Carrier::scale_floats(self, a);
    }

    #[inline]
    fn dot(&self, other: &T) -> f64 {
        Carrier::dot_floats(self, other)
    }

    #[inline]
    fn check_shape(&self, adjoint: &T) -> Result<(), Mismatch> {
        Carrier::check_shape(self, adjoint)
    }

    #[inline]
    fn flat_len(&self) -> usize {
        Carrier::count_floats(self)
    }

    #[inline]
    fn append_flat(&self, flat: &mut Vec<f64>) {
        Carrier::append_floats(self, flat);
    }

    #[inline]
    fn take_flat(&mut self, flat: &mut Iter<'_, f64>) {
        Carrier::take_floats(self, flat);
    }

    #[inline]
    fn save(&self, tape: &mut Tape) {
        Carrier::save(self, tape);
    }

    #[inline]
    fn restore(&mut self, tape: &mut Tape) {
        Carrier::restore(self, tape);
    }

    #[inline]
    fn load(tape: &mut Tape) -> T
    where
        T: Sized,
    {
        <T as Carrier>::load(tape)
    }

    #[inline]
    fn save_slice(values: &[T], tape: &mut Tape)
    where
        T: Sized,
    {
        <T as Carrier>::save_slice(values, tape);
    }

    #[inline]
    fn restore_slice(values: &mut [T], tape: &mut Tape)
    where
        T: Sized,
    {
        <T as Carrier>::restore_slice(values, tape);
    }

    #[inline]
    fn load_vec(n: usize, tape: &mut Tape) -> Vec<T>
    where
        T: Sized,
    {
        <T as Carrier>::load_vec(n, tape)
    }
}
