//! The shape of sequences, boxes and choices.

use std::slice::Iter;

use super::{Seq, Shape, unequal};
use crate::{Mismatch, Tape};

/// The length of a slice is not saved: it can't change.
#[diagnostic::do_not_recommend]
impl<M, T: Shape<M>> Shape<Seq<M>> for [T] {
    #[inline]
    fn set_zero(&mut self) {
        for value in self {
            value.set_zero();
        }
    }

    #[inline]
    fn axpy(&mut self, a: f64, x: &[T]) {
        if self.len() != x.len() {
            unequal();
        }
        for (value, x) in self.iter_mut().zip(x) {
            value.axpy(a, x);
        }
    }

    #[inline]
    fn scale(&mut self, a: f64) {
        for value in self {
            value.scale(a);
        }
    }

    #[inline]
    fn dot(&self, other: &[T]) -> f64 {
        if self.len() != other.len() {
            unequal();
        }
        self.iter()
            .zip(other)
            .map(|(value, other)| value.dot(other))
            .sum()
    }

    #[inline]
    fn check_shape(&self, adjoint: &[T]) -> Result<(), Mismatch> {
        if self.len() != adjoint.len() {
            return Err(Mismatch::length(self.len(), adjoint.len()));
        }
        for (i, (value, adjoint)) in self.iter().zip(adjoint).enumerate() {
            value
                .check_shape(adjoint)
                .map_err(|mismatch| mismatch.in_element(i))?;
        }
        Ok(())
    }

    #[inline]
    fn flat_len(&self) -> usize {
        self.iter().map(|value| value.flat_len()).sum()
    }

    #[inline]
    fn append_flat(&self, flat: &mut Vec<f64>) {
        T::append_flat_slice(self, flat);
    }

    #[inline]
    fn take_flat(&mut self, flat: &mut Iter<'_, f64>) {
        T::take_flat_slice(self, flat);
    }

    #[inline]
    fn save(&self, tape: &mut Tape) {
        T::save_slice(self, tape);
    }

    #[inline]
    fn restore(&mut self, tape: &mut Tape) {
        T::restore_slice(self, tape);
    }
}

/// Forwards to a part those methods in which the whole is no more than that part.
macro_rules! forward_to {
    ($part:ty, $marker:ty, $borrow:expr, $borrow_mut:expr) => {
        #[inline]
        fn set_zero(&mut self) {
            <$part as Shape<$marker>>::set_zero($borrow_mut(self));
        }

        #[inline]
        fn axpy(&mut self, a: f64, x: &Self) {
            <$part as Shape<$marker>>::axpy($borrow_mut(self), a, $borrow(x));
        }

        #[inline]
        fn scale(&mut self, a: f64) {
            <$part as Shape<$marker>>::scale($borrow_mut(self), a);
        }

        #[inline]
        fn dot(&self, other: &Self) -> f64 {
            <$part as Shape<$marker>>::dot($borrow(self), $borrow(other))
        }

        #[inline]
        fn check_shape(&self, adjoint: &Self) -> Result<(), Mismatch> {
            <$part as Shape<$marker>>::check_shape($borrow(self), $borrow(adjoint))
        }

        #[inline]
        fn flat_len(&self) -> usize {
            <$part as Shape<$marker>>::flat_len($borrow(self))
        }

        #[inline]
        fn append_flat(&self, flat: &mut Vec<f64>) {
            <$part as Shape<$marker>>::append_flat($borrow(self), flat);
        }

        #[inline]
        fn take_flat(&mut self, flat: &mut Iter<'_, f64>) {
            <$part as Shape<$marker>>::take_flat($borrow_mut(self), flat);
        }
    };
}

#[diagnostic::do_not_recommend]
impl<M, T: Shape<M>, const N: usize> Shape<Seq<M>> for [T; N] {
    forward_to!([T], Seq<M>, <[T; N]>::as_slice, <[T; N]>::as_mut_slice);

    #[inline]
    fn zero_like(&self) -> [T; N] {
        self.each_ref().map(T::zero_like)
    }

    #[inline]
    fn vacant(&self) -> [T; N] {
        self.each_ref().map(T::vacant)
    }

    #[inline]
    fn save(&self, tape: &mut Tape) {
        T::save_slice(self, tape);
    }

    #[inline]
    fn restore(&mut self, tape: &mut Tape) {
        T::restore_slice(self, tape);
    }

    #[inline]
    fn load(tape: &mut Tape) -> [T; N] {
        let mut values = [const { None }; N];
        for value in values.iter_mut().rev() {
            *value = Some(T::load(tape));
        }
        values.map(|value| value.expect("the loop has filled each element"))
    }

    #[inline]
    fn append_flat_slice(values: &[[T; N]], flat: &mut Vec<f64>) {
        T::append_flat_slice(values.as_flattened(), flat);
    }

    #[inline]
    fn take_flat_slice(values: &mut [[T; N]], flat: &mut Iter<'_, f64>) {
        T::take_flat_slice(values.as_flattened_mut(), flat);
    }

    #[inline]
    fn save_slice(values: &[[T; N]], tape: &mut Tape) {
        T::save_slice(values.as_flattened(), tape);
    }

    #[inline]
    fn restore_slice(values: &mut [[T; N]], tape: &mut Tape) {
        T::restore_slice(values.as_flattened_mut(), tape);
    }

    #[inline]
    fn load_vec(n: usize, tape: &mut Tape) -> Vec<[T; N]> {
        let mut parts = T::load_vec(n * N, tape).into_iter();
        let mut element = || std::array::from_fn(|_| parts.next().expect("as many as are loaded"));
        (0..n).map(|_| element()).collect()
    }
}

/// Saves the values and their number. A slice is an argument in two registers: a list whose address a call gets is in memory, and
/// its length is read again in each iteration of the loops around the call.
fn save_counted<M, T: Shape<M>>(values: &[T], tape: &mut Tape) {
    T::save_slice(values, tape);
    tape.push_count(values.len());
}

/// A list with the values that were saved, in place of the given one.
fn restored<M, T: Shape<M>>(mut list: Vec<T>, tape: &mut Tape) -> Vec<T> {
    let n = tape.pop_count();
    list.truncate(n);
    // What is missing at the end was pushed last.
    let missing = T::load_vec(n - list.len(), tape);
    T::restore_slice(&mut list, tape);
    list.extend(missing);
    list
}

#[diagnostic::do_not_recommend]
impl<M, T: Shape<M>> Shape<Seq<M>> for Vec<T> {
    forward_to!([T], Seq<M>, Vec::as_slice, Vec::as_mut_slice);

    #[inline]
    fn zero_like(&self) -> Vec<T> {
        self.iter().map(T::zero_like).collect()
    }

    #[inline]
    fn vacant(&self) -> Vec<T> {
        Vec::new()
    }

    #[inline]
    fn save(&self, tape: &mut Tape) {
        save_counted::<M, T>(self, tape);
    }

    #[inline]
    fn restore(&mut self, tape: &mut Tape) {
        *self = restored::<M, T>(std::mem::take(self), tape);
    }

    fn load(tape: &mut Tape) -> Vec<T> {
        let n = tape.pop_count();
        T::load_vec(n, tape)
    }
}

#[diagnostic::do_not_recommend]
impl<M, T: Shape<M>> Shape<Seq<M>> for Box<[T]> {
    forward_to!([T], Seq<M>, Box::as_ref, Box::as_mut);

    #[inline]
    fn zero_like(&self) -> Box<[T]> {
        self.iter().map(T::zero_like).collect()
    }

    #[inline]
    fn vacant(&self) -> Box<[T]> {
        Box::default()
    }

    #[inline]
    fn save(&self, tape: &mut Tape) {
        save_counted::<M, T>(self, tape);
    }

    fn restore(&mut self, tape: &mut Tape) {
        let n = tape.pop_count();
        if n == self.len() {
            T::restore_slice(self, tape);
        } else {
            *self = T::load_vec(n, tape).into_boxed_slice();
        }
    }

    fn load(tape: &mut Tape) -> Box<[T]> {
        let n = tape.pop_count();
        T::load_vec(n, tape).into_boxed_slice()
    }
}

#[diagnostic::do_not_recommend]
impl<M, T: Shape<M>> Shape<Seq<M>> for Box<T> {
    forward_to!(T, M, Box::as_ref, Box::as_mut);

    #[inline]
    fn zero_like(&self) -> Box<T> {
        Box::new(T::zero_like(self))
    }

    #[inline]
    fn vacant(&self) -> Box<T> {
        Box::new(T::vacant(self))
    }

    #[inline]
    fn save(&self, tape: &mut Tape) {
        T::save(self, tape);
    }

    #[inline]
    fn restore(&mut self, tape: &mut Tape) {
        T::restore(self, tape);
    }

    #[inline]
    fn load(tape: &mut Tape) -> Box<T> {
        Box::new(T::load(tape))
    }
}

#[diagnostic::do_not_recommend]
impl<M, T: Shape<M>> Shape<Seq<M>> for Option<T> {
    #[inline]
    fn zero_like(&self) -> Option<T> {
        self.as_ref().map(T::zero_like)
    }

    #[inline]
    fn set_zero(&mut self) {
        if let Some(value) = self {
            value.set_zero();
        }
    }

    #[inline]
    fn axpy(&mut self, a: f64, x: &Option<T>) {
        match (self, x) {
            (Some(value), Some(x)) => value.axpy(a, x),
            (None, None) => {}
            _ => unequal(),
        }
    }

    #[inline]
    fn scale(&mut self, a: f64) {
        if let Some(value) = self {
            value.scale(a);
        }
    }

    #[inline]
    fn dot(&self, other: &Option<T>) -> f64 {
        match (self, other) {
            (Some(value), Some(other)) => value.dot(other),
            (None, None) => 0.0,
            _ => unequal(),
        }
    }

    #[inline]
    fn check_shape(&self, adjoint: &Option<T>) -> Result<(), Mismatch> {
        match (self, adjoint) {
            (Some(value), Some(adjoint)) => value.check_shape(adjoint),
            (None, None) => Ok(()),
            (Some(_), None) => Err(Mismatch::variant("Some", "None")),
            (None, Some(_)) => Err(Mismatch::variant("None", "Some")),
        }
    }

    #[inline]
    fn flat_len(&self) -> usize {
        self.as_ref().map_or(0, T::flat_len)
    }

    #[inline]
    fn append_flat(&self, flat: &mut Vec<f64>) {
        if let Some(value) = self {
            value.append_flat(flat);
        }
    }

    #[inline]
    fn take_flat(&mut self, flat: &mut Iter<'_, f64>) {
        if let Some(value) = self {
            value.take_flat(flat);
        }
    }

    #[inline]
    fn save(&self, tape: &mut Tape) {
        if let Some(value) = self {
            value.save(tape);
        }
        tape.push_flag(self.is_some());
    }

    #[inline]
    fn restore(&mut self, tape: &mut Tape) {
        match (tape.pop_flag(), &mut *self) {
            (true, Some(value)) => value.restore(tape),
            (true, None) => *self = Some(T::load(tape)),
            (false, _) => *self = None,
        }
    }

    #[inline]
    fn load(tape: &mut Tape) -> Option<T> {
        tape.pop_flag().then(|| T::load(tape))
    }
}

#[diagnostic::do_not_recommend]
impl<M, N, T: Shape<M>, E: Shape<N>> Shape<(M, N)> for Result<T, E> {
    #[inline]
    fn zero_like(&self) -> Result<T, E> {
        self.as_ref().map(T::zero_like).map_err(E::zero_like)
    }

    #[inline]
    fn set_zero(&mut self) {
        match self {
            Ok(value) => value.set_zero(),
            Err(error) => error.set_zero(),
        }
    }

    #[inline]
    fn axpy(&mut self, a: f64, x: &Result<T, E>) {
        match (self, x) {
            (Ok(value), Ok(x)) => value.axpy(a, x),
            (Err(error), Err(x)) => error.axpy(a, x),
            _ => unequal(),
        }
    }

    #[inline]
    fn scale(&mut self, a: f64) {
        match self {
            Ok(value) => value.scale(a),
            Err(error) => error.scale(a),
        }
    }

    #[inline]
    fn dot(&self, other: &Result<T, E>) -> f64 {
        match (self, other) {
            (Ok(value), Ok(other)) => value.dot(other),
            (Err(error), Err(other)) => error.dot(other),
            _ => unequal(),
        }
    }

    #[inline]
    fn check_shape(&self, adjoint: &Result<T, E>) -> Result<(), Mismatch> {
        match (self, adjoint) {
            (Ok(value), Ok(adjoint)) => value.check_shape(adjoint),
            (Err(error), Err(adjoint)) => error.check_shape(adjoint),
            (Ok(_), Err(_)) => Err(Mismatch::variant("Ok", "Err")),
            (Err(_), Ok(_)) => Err(Mismatch::variant("Err", "Ok")),
        }
    }

    #[inline]
    fn flat_len(&self) -> usize {
        self.as_ref().map_or_else(E::flat_len, T::flat_len)
    }

    #[inline]
    fn append_flat(&self, flat: &mut Vec<f64>) {
        match self {
            Ok(value) => value.append_flat(flat),
            Err(error) => error.append_flat(flat),
        }
    }

    #[inline]
    fn take_flat(&mut self, flat: &mut Iter<'_, f64>) {
        match self {
            Ok(value) => value.take_flat(flat),
            Err(error) => error.take_flat(flat),
        }
    }

    #[inline]
    fn save(&self, tape: &mut Tape) {
        match self {
            Ok(value) => value.save(tape),
            Err(error) => error.save(tape),
        }
        tape.push_flag(self.is_ok());
    }

    #[inline]
    fn restore(&mut self, tape: &mut Tape) {
        match (tape.pop_flag(), &mut *self) {
            (true, Ok(value)) => value.restore(tape),
            (true, Err(_)) => *self = Ok(T::load(tape)),
            (false, Err(error)) => error.restore(tape),
            (false, Ok(_)) => *self = Err(E::load(tape)),
        }
    }

    #[inline]
    fn load(tape: &mut Tape) -> Result<T, E> {
        if tape.pop_flag() {
            Ok(T::load(tape))
        } else {
            Err(E::load(tape))
        }
    }
}
