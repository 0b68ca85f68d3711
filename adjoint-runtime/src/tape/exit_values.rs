//! The exit values of in-out parameters, while the reverse sweep restores the entry values.

use super::Tape;
use super::account::Account;
use super::typed::{Integers, Reals};
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
    #[cold]
    #[inline(never)]
    fn boxed(account: &Option<Account>) -> Box<ExitValues> {
        Box::new(ExitValues {
            reals: Reals::on(account),
            integers: Integers::on(account),
            bytes: 0,
        })
    }

    pub(super) fn clear(&mut self) {
        self.reals.clear();
        self.integers.clear();
        self.bytes = 0;
    }
}

#[doc(hidden)]
impl Tape {
    pub fn keep_reals<T: Real>(&mut self, block: &[T]) {
        self.kept(size_of_val(block)).reals.of().push_block(block);
    }

    pub fn give_back_reals<T: Real>(&mut self, block: &mut [T]) {
        self.given_back(size_of_val(block))
            .reals
            .of()
            .pop_block(block);
    }

    pub fn keep_ints<T: Copy + Send + 'static>(&mut self, block: &[T]) {
        self.kept(size_of_val(block))
            .integers
            .of()
            .push_block(block);
    }

    pub fn give_back_ints<T: Copy + Send + 'static>(&mut self, block: &mut [T]) {
        self.given_back(size_of_val(block))
            .integers
            .of()
            .pop_block(block);
    }

    /// Keeps what a `Vec` holds, and its length.
    pub fn keep_vec<T: Real>(&mut self, values: &[T]) {
        self.keep_reals(values);
        self.keep_ints(&[values.len()]);
    }

    pub fn give_back_vec<T: Real>(&mut self, values: &mut Vec<T>) {
        let n = self.given_back(size_of::<usize>()).integers.of().pop();
        let stack = self.given_back(n * size_of::<T>()).reals.of();
        values.clear();
        values.extend_from_slice(stack.top_frame(n));
        stack.close_frame(n);
    }

    /// The exit values, of which there are as many bytes more.
    fn kept(&mut self, bytes: usize) -> &mut ExitValues {
        let account = &self.account;
        let kept = self
            .exit_values
            .get_or_insert_with(|| ExitValues::boxed(account));
        kept.bytes += bytes;
        self.most_kept = self.most_kept.max(kept.bytes);
        kept
    }

    /// The exit values, of which there are as many bytes less.
    fn given_back(&mut self, bytes: usize) -> &mut ExitValues {
        let kept = self.exit_values.as_mut();
        let kept = kept.expect("what is given back was kept");
        kept.bytes -= bytes;
        kept
    }
}
