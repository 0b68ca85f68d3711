//! The exit values of in-out parameters, while the reverse sweep restores the entry values.

use super::Tape;
use super::stack::{
    Integers, Reals, close_frame, first_use, pop_block, pop_from, push_block, top_frame,
};
use crate::Real;

/// The exit values: last kept, first given back. They are independent of the sweeps' stacks and count in
/// [`TapeStats::peak_bytes`](super::TapeStats::peak_bytes) only.
#[derive(Default)]
pub(super) struct ExitValues {
    reals: Reals,
    integers: Integers,
    bytes: usize,
}

impl ExitValues {
    pub(super) fn clear(&mut self) {
        self.reals.clear();
        self.integers.clear();
        self.bytes = 0;
    }
}

#[doc(hidden)]
impl Tape {
    pub fn keep_reals<T: Real>(&mut self, block: &[T]) {
        push_block(self.kept(size_of_val(block)).reals.of(), block);
    }

    pub fn give_back_reals<T: Real>(&mut self, block: &mut [T]) {
        pop_block(self.given_back(size_of_val(block)).reals.of(), block);
    }

    pub fn keep_ints<T: Copy + Send + 'static>(&mut self, block: &[T]) {
        push_block(self.kept(size_of_val(block)).integers.of(), block);
    }

    pub fn give_back_ints<T: Copy + Send + 'static>(&mut self, block: &mut [T]) {
        pop_block(self.given_back(size_of_val(block)).integers.of(), block);
    }

    /// Keeps what a `Vec` holds, and its length.
    pub fn keep_vec<T: Real>(&mut self, values: &[T]) {
        self.keep_reals(values);
        self.keep_ints(&[values.len()]);
    }

    pub fn give_back_vec<T: Real>(&mut self, values: &mut Vec<T>) {
        let n = pop_from(self.given_back(size_of::<usize>()).integers.of());
        let stack = self.given_back(n * size_of::<T>()).reals.of();
        values.clear();
        values.extend_from_slice(top_frame(stack, n));
        close_frame(stack, n);
    }

    /// The exit values, of which there are as many bytes more.
    fn kept(&mut self, bytes: usize) -> &mut ExitValues {
        let kept = self.exit_values.get_or_insert_with(first_use);
        kept.bytes += bytes;
        self.most_kept = self.most_kept.max(kept.bytes);
        kept
    }

    /// The exit values, of which there are as many bytes less.
    fn given_back(&mut self, bytes: usize) -> &mut ExitValues {
        let kept = self.exit_values.get_or_insert_with(first_use);
        kept.bytes -= bytes;
        kept
    }
}
