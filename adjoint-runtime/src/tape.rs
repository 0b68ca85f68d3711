//! The tape: what the forward sweep leaves for the reverse sweep.
//!
//! One stack per machine type, so that entries carry no tags and a push is that of a `Vec`. Flags
//! take a bit each. A counted loop reserves a *frame*, a block of values on top of a stack, which
//! both sweeps index by the iteration; where the loop uses more of the tape, generated code takes the
//! stack out of it for as long ([`Tape::reals_stack`]).
//!
//! Memory is kept from one adjoint to the next. Statistics are read off the stacks where the sweep
//! turns, when they are fullest, so that pushes count nothing.

use std::fmt;

mod bits;
mod stack;
mod stats;
#[cfg(test)]
mod tests;

use num_traits::{NumCast, ToPrimitive};

use crate::Real;
use bits::Bits;
use stack::{Integers, Owned, Reals, total};

pub use stack::{
    close_frame, close_slots, in_slot, open_frame, open_frame_of, open_slots, pop_block, pop_from,
    push_block, put_if, top_frame, top_slots,
};
pub use stats::{Pushed, TapeStats};

/// The memory of an adjoint between its forward and its reverse sweep.
///
/// Keep one and pass it to `f_adjoint_with` wherever an adjoint is called often: it allocates in the
/// first call and reuses the memory in the later ones. Any adjoint may use any tape; a call that
/// panicked leaves nothing behind. A tape may go to another thread; threads that run at once have one each.
///
/// ```
/// use adjoint_runtime::Tape;
/// let tape = Tape::new();
/// assert_eq!(tape.stats().reals.entries, 0);
/// ```
#[derive(Default)]
pub struct Tape {
    reals: Reals,
    integers: Integers,
    owned: Owned,
    flags: Bits,
    /// Flags in frames: addressed singly, hence a byte each.
    frame_flags: Vec<bool>,
    counts: Vec<usize>,
    /// The length of the frame that is read, on top of the reals.
    frame: usize,
    kept: Kept,
    /// Bytes on the stacks where the sweep turned.
    turned: usize,
    stats: TapeStats,
}

/// Exit values of in-out parameters, while the reverse sweep restores the entry values.
#[derive(Default)]
struct Kept {
    reals: Reals,
    integers: Integers,
}

impl Kept {
    fn bytes(&self) -> usize {
        (self.reals.pushed() + self.integers.pushed()).bytes
    }

    fn clear(&mut self) {
        self.reals.clear();
        self.integers.clear();
    }
}

impl Tape {
    /// An empty tape.
    pub fn new() -> Tape {
        Tape::default()
    }

    /// What the last adjoint on this tape recorded.
    pub fn stats(&self) -> TapeStats {
        self.stats
    }
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tape")
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

/// The course of an adjoint.
#[doc(hidden)]
impl Tape {
    /// Starts an adjoint. What an earlier one left when it panicked goes away.
    pub fn begin(&mut self) {
        self.clear();
    }

    /// Between the sweeps: takes the statistics.
    pub fn turn(&mut self) {
        let stats = self.pushed();
        self.turned = stats.reals.bytes + stats.integers.bytes + stats.control.bytes;
        self.stats = stats;
        self.note_kept();
    }

    /// Ends an adjoint without a reverse sweep.
    pub fn abandon(&mut self) {
        self.turn();
        self.clear();
    }

    /// Ends an adjoint.
    pub fn end(&mut self) {
        let left = self.pushed();
        debug_assert!(
            left == TapeStats::default(),
            "adjoint tape: the reverse sweep left {left:?} (a bug in `adjoint`)"
        );
        self.clear();
    }

    fn pushed(&self) -> TapeStats {
        TapeStats {
            reals: self.reals.pushed() + self.owned.pushed(),
            integers: self.integers.pushed(),
            control: Pushed {
                entries: self.flags.len(),
                bytes: self.flags.len().div_ceil(8),
            } + Pushed::of::<bool>(self.frame_flags.len())
                + Pushed::of::<usize>(self.counts.len()),
            ..TapeStats::default()
        }
    }

    fn clear(&mut self) {
        self.reals.clear();
        self.integers.clear();
        self.owned.clear();
        self.flags.clear();
        self.frame_flags.clear();
        self.counts.clear();
        self.frame = 0;
        self.kept.clear();
        self.turned = 0;
    }

    fn note_kept(&mut self) {
        let held = self.turned + self.kept.bytes();
        self.stats.peak_bytes = self.stats.peak_bytes.max(held);
    }
}

/// Pushes and pops.
#[doc(hidden)]
impl Tape {
    #[inline]
    pub fn push_real<T: Real>(&mut self, value: T) {
        self.reals.of().push(value);
    }

    /// The same where it is wanted.
    #[inline(always)]
    pub fn push_real_if<T: Real>(&mut self, wanted: bool, value: T) {
        if wanted {
            self.push_real(value);
        }
    }

    #[inline]
    pub fn pop_real<T: Real>(&mut self) -> T {
        pop_from(self.reals.of())
    }

    /// The same where it is wanted, else zero.
    #[inline(always)]
    pub fn pop_real_if<T: Real>(&mut self, wanted: bool) -> T {
        if wanted { self.pop_real() } else { T::zero() }
    }

    /// Several of them, the last pushed first.
    #[inline(always)]
    pub fn pop_each_if<T: Real, const N: usize>(&mut self, wanted: bool) -> [T; N] {
        std::array::from_fn(|_| self.pop_real_if(wanted))
    }

    #[inline]
    pub fn push_int<T: Copy + Send + 'static>(&mut self, value: T) {
        self.integers.of().push(value);
    }

    #[inline]
    pub fn pop_int<T: Copy + Send + 'static>(&mut self) -> T {
        pop_from(self.integers.of())
    }

    /// Pushes an integer whose type only the forward sweep knows.
    #[inline]
    pub fn push_number<T: ToPrimitive>(&mut self, value: T) {
        let value = value.to_i128();
        self.push_int(value.expect("adjoint tape: an integer beyond `i128`"));
    }

    /// Pops what [`Tape::push_number`] pushed, as any integer type that holds it.
    #[inline]
    pub fn pop_number<T: NumCast>(&mut self) -> T {
        let value = T::from(self.pop_int::<i128>());
        value.expect("adjoint tape: an integer beyond the type that the reverse sweep takes it for; annotate it")
    }

    #[inline]
    pub fn push_flag(&mut self, flag: bool) {
        self.flags.push(flag);
    }

    #[inline]
    pub fn pop_flag(&mut self) -> bool {
        self.flags.pop()
    }

    /// Which of a few ways was taken, in as many bits as tell them apart.
    #[inline]
    pub fn push_label(&mut self, label: u8, bits: u32) {
        for k in 0..bits {
            self.flags.push(label >> k & 1 == 1);
        }
    }

    #[inline]
    pub fn pop_label(&mut self, bits: u32) -> u8 {
        (0..bits).fold(0, |label, _| label << 1 | self.flags.pop() as u8)
    }

    #[inline]
    pub fn push_count(&mut self, count: usize) {
        self.counts.push(count);
    }

    #[inline]
    pub fn pop_count(&mut self) -> usize {
        pop_from(&mut self.counts)
    }

    #[inline]
    pub fn push_reals<T: Real>(&mut self, block: &[T]) {
        push_block(self.reals.of(), block);
    }

    #[inline]
    pub fn pop_reals<T: Real>(&mut self, block: &mut [T]) {
        pop_block(self.reals.of(), block);
    }

    #[inline]
    pub fn push_ints<T: Copy + Send + 'static>(&mut self, block: &[T]) {
        push_block(self.integers.of(), block);
    }

    #[inline]
    pub fn pop_ints<T: Copy + Send + 'static>(&mut self, block: &mut [T]) {
        pop_block(self.integers.of(), block);
    }

    /// Moves a value onto the tape, counted with these bytes.
    pub fn push_moved<T: Send + 'static>(&mut self, value: T, bytes: usize) {
        self.owned.push(value, bytes);
    }

    /// Moves the last one of this type back.
    pub fn pop_moved<T: Send + 'static>(&mut self) -> T {
        self.owned.pop()
    }
}

/// Frames on the tape's own stacks, for loops that use nothing else of it.
#[doc(hidden)]
impl Tape {
    /// See [`open_slots`].
    #[inline(always)]
    pub fn open_reals<T: Real, const N: usize>(
        &mut self,
        length: usize,
        wanted: [bool; N],
    ) -> [&mut [T]; N] {
        open_slots(self.reals.of(), length, wanted)
    }

    /// See [`top_slots`].
    #[inline(always)]
    pub fn top_reals<T: Real, const N: usize>(
        &mut self,
        length: usize,
        wanted: [bool; N],
    ) -> [&[T]; N] {
        self.frame = total(length, wanted);
        top_slots(self.reals.of(), length, wanted)
    }

    /// Releases the frame that [`Tape::top_reals`] found.
    #[inline(always)]
    pub fn close_reals<T: Real>(&mut self) {
        close_frame(self.reals.of::<T>(), self.frame);
    }
}

/// Stacks held as locals. While one is out, the tape has no stack of this type to offer: it goes
/// back before anything else may use it.
#[doc(hidden)]
impl Tape {
    #[inline]
    pub fn reals_stack<T: Real>(&mut self) -> Vec<T> {
        std::mem::take(self.reals.of())
    }

    #[inline]
    pub fn put_reals<T: Real>(&mut self, stack: Vec<T>) {
        put_back(self.reals.of(), stack);
    }

    #[inline]
    pub fn ints_stack<T: Copy + Send + 'static>(&mut self) -> Vec<T> {
        std::mem::take(self.integers.of())
    }

    #[inline]
    pub fn put_ints<T: Copy + Send + 'static>(&mut self, stack: Vec<T>) {
        put_back(self.integers.of(), stack);
    }

    /// The flags of frames, apart from those of [`Tape::push_flag`].
    #[inline]
    pub fn flags_stack(&mut self) -> Vec<bool> {
        std::mem::take(&mut self.frame_flags)
    }

    #[inline]
    pub fn put_flags(&mut self, stack: Vec<bool>) {
        put_back(&mut self.frame_flags, stack);
    }

    #[inline]
    pub fn counts_stack(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.counts)
    }

    #[inline]
    pub fn put_counts(&mut self, stack: Vec<usize>) {
        put_back(&mut self.counts, stack);
    }
}

#[inline]
fn put_back<T>(home: &mut Vec<T>, stack: Vec<T>) {
    debug_assert!(
        home.is_empty(),
        "adjoint tape: a stack was used while it was out (a bug in `adjoint`)"
    );
    *home = stack;
}

/// The exit values of in-out parameters: last kept, first given back. They are independent of the
/// sweeps' stacks and count in [`TapeStats::peak_bytes`] only.
#[doc(hidden)]
impl Tape {
    pub fn keep_reals<T: Real>(&mut self, block: &[T]) {
        push_block(self.kept.reals.of(), block);
        self.note_kept();
    }

    pub fn give_back_reals<T: Real>(&mut self, block: &mut [T]) {
        pop_block(self.kept.reals.of(), block);
    }

    pub fn keep_ints<T: Copy + Send + 'static>(&mut self, block: &[T]) {
        push_block(self.kept.integers.of(), block);
        self.note_kept();
    }

    pub fn give_back_ints<T: Copy + Send + 'static>(&mut self, block: &mut [T]) {
        pop_block(self.kept.integers.of(), block);
    }

    /// Keeps what a `Vec` holds, and its length.
    pub fn keep_vec<T: Real>(&mut self, values: &[T]) {
        self.keep_reals(values);
        self.keep_ints(&[values.len()]);
    }

    pub fn give_back_vec<T: Real>(&mut self, values: &mut Vec<T>) {
        let n = pop_from(self.kept.integers.of());
        let stack = self.kept.reals.of();
        values.clear();
        values.extend_from_slice(top_frame(stack, n));
        close_frame(stack, n);
    }
}
