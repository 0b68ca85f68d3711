//! A stack of values of one type, and the frames on top of it.

use std::io::{self, Read, Write};
use std::ops::{Deref, DerefMut};

use num_traits::Zero;

use super::account::Account;
use crate::checkpoint::Encode;

/// Values of one type, the last pushed on top. [`super::growth`] says how it grows.
pub struct Stack<T> {
    pub(super) values: Vec<T>,
    /// That of a tape with a limit.
    pub(super) account: Option<Account>,
}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Stack::on(None)
    }
}

impl<T> Deref for Stack<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T> DerefMut for Stack<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

/// The reverse sweep asked for more than the forward sweep pushed.
#[cold]
#[inline(never)]
pub(super) fn empty() -> ! {
    panic!("adjoint tape: nothing left to pop, the sweeps are out of step (a bug in `adjoint`)")
}

impl<T> Stack<T> {
    /// An empty stack, on this account.
    pub(super) fn on(account: Option<Account>) -> Stack<T> {
        Stack {
            values: Vec::new(),
            account,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, value: T) {
        self.make_room(1);
        self.values.push(value);
    }

    #[inline]
    pub(super) fn pop(&mut self) -> T {
        match self.values.pop() {
            Some(value) => value,
            None => empty(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.values.clear();
    }

    /// The frame of `n` values on top.
    #[inline]
    pub(super) fn top_frame(&self, n: usize) -> &[T] {
        top_frame(&self.values, n)
    }

    /// Releases the frame of `n` values on top.
    #[inline]
    pub(super) fn close_frame(&mut self, n: usize) {
        match self.values.len().checked_sub(n) {
            Some(start) => self.values.truncate(start),
            None => empty(),
        }
    }
}

impl<T: Clone> Stack<T> {
    /// Replaces the values by those of another stack.
    pub(super) fn copy_from(&mut self, other: &Stack<T>) {
        self.values.clear();
        if !other.is_empty() {
            self.make_room(other.len());
            self.values.extend_from_slice(other);
        }
    }
}

impl<T: Copy> Stack<T> {
    #[inline]
    pub(super) fn push_block(&mut self, block: &[T]) {
        self.make_room(block.len());
        self.values.extend_from_slice(block);
    }

    /// Pops a block of values, in the order in which [`Stack::push_block`] got them.
    #[inline]
    pub(super) fn pop_block(&mut self, block: &mut [T]) {
        block.copy_from_slice(self.top_frame(block.len()));
        self.close_frame(block.len());
    }
}

impl<T: Copy + Zero> Stack<T> {
    /// Opens a frame of `n` zeros on top.
    #[inline]
    #[track_caller]
    pub(super) fn open_frame(&mut self, n: usize) -> &mut [T] {
        let start = self.values.len();
        self.make_room_for_frame(n);
        // In fewer instructions than `resize`, which moves the last value.
        self.values.extend(std::iter::repeat_n(T::zero(), n));
        &mut self.values[start..]
    }
}

#[inline]
fn top_frame<T>(stack: &[T], n: usize) -> &[T] {
    match stack.len().checked_sub(n) {
        Some(start) => &stack[start..],
        None => empty(),
    }
}

impl<T: Encode + Default> Encode for Stack<T> {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        self.values.encode(to)
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        let held = self.values.capacity();
        self.values.decode(from)?;
        if let Some(account) = &self.account {
            let more = self.values.capacity().saturating_sub(held);
            account.charge(account.holder(None), size_of::<T>(), more, more);
        }
        Ok(())
    }
}

/// Opens a frame with a slot of this length for each record that is wanted.
#[inline(always)]
#[track_caller]
pub fn open_slots<T: Copy + Zero, const N: usize>(
    stack: &mut Stack<T>,
    length: usize,
    wanted: [bool; N],
) -> [&mut [T]; N] {
    let mut rest = stack.open_frame(total(length, wanted));
    // `array::map` with a capturing closure is not inlined for many slots.
    let mut slots = [const { None }; N];
    for (slot, wanted) in slots.iter_mut().zip(wanted) {
        let (first, others) = std::mem::take(&mut rest).split_at_mut(kept(length, wanted));
        *slot = Some(first);
        rest = others;
    }
    slots.map(|slot: Option<&mut [T]>| slot.unwrap_or_default())
}

/// The slots of the frame on top of the stack.
#[inline(always)]
pub fn top_slots<T, const N: usize>(stack: &[T], length: usize, wanted: [bool; N]) -> [&[T]; N] {
    let mut rest = top_frame(stack, total(length, wanted));
    let mut slots = [&rest[..0]; N];
    for (slot, wanted) in slots.iter_mut().zip(wanted) {
        (*slot, rest) = rest.split_at(kept(length, wanted));
    }
    slots
}

/// Releases the frame with these slots.
#[inline(always)]
pub fn close_slots<T, const N: usize>(stack: &mut Stack<T>, length: usize, wanted: [bool; N]) {
    stack.close_frame(total(length, wanted));
}

#[inline(always)]
fn kept(length: usize, wanted: bool) -> usize {
    if wanted { length } else { 0 }
}

/// The length of the frame with these slots.
#[inline(always)]
pub(super) fn total<const N: usize>(length: usize, wanted: [bool; N]) -> usize {
    length * wanted.into_iter().filter(|wanted| *wanted).count()
}

/// Puts a value into a slot where it is wanted.
#[inline(always)]
pub fn put_if<T>(wanted: bool, slot: &mut [T], trip: usize, value: T) {
    if wanted {
        slot[trip] = value;
    }
}

/// A value of a slot, or zero where it is not wanted.
#[inline(always)]
pub fn in_slot<T: Copy + Zero>(wanted: bool, slot: &[T], trip: usize) -> T {
    if wanted { slot[trip] } else { T::zero() }
}
