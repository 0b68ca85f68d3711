//! A stack of values of one type, and the frames on top of it.

use std::io::{self, Read, Write};
use std::ops::{Deref, DerefMut};

use num_traits::Zero;

use super::account::Account;
use super::growth::FIRST;
use crate::checkpoint::Encode;

/// Values of one type, the last pushed on top. [`super::growth`] says how it grows.
///
/// What is popped leaves its memory as it is, for what comes next: a frame opens without a pass over its values.
pub struct Stack<T> {
    /// Those on the stack, and behind them what once was on it.
    values: Vec<T>,
    /// How many are on the stack.
    top: usize,
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
        &self.values[..self.top]
    }
}

impl<T> DerefMut for Stack<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[..self.top]
    }
}

/// The bytes of frames that are filled with zeros first, which takes them into a second-level cache without reading what is in
/// memory there. Smaller ones are there, or soon are, and of larger ones nothing is left by the time it is written.
const CACHED: std::ops::Range<usize> = 1 << 15..1 << 19;

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
            top: 0,
            account,
        }
    }

    /// For how many values there is memory.
    #[inline(always)]
    pub(super) fn capacity(&self) -> usize {
        self.values.capacity()
    }

    /// How many more values there is memory for.
    #[inline(always)]
    pub(super) fn free(&self) -> usize {
        self.values.capacity() - self.top
    }

    /// The memory, for as many values more than are on the stack.
    pub(super) fn reserve(&mut self, more: usize) {
        let unused = self.values.len() - self.top;
        self.values.reserve_exact(more.saturating_sub(unused));
    }

    /// The same, if it is to be had.
    pub(super) fn try_reserve(&mut self, more: usize) -> bool {
        let unused = self.values.len() - self.top;
        let reserved = self.values.try_reserve_exact(more.saturating_sub(unused));
        reserved.is_ok()
    }

    /// Pushes a value that a later pop moves out.
    pub(super) fn push_owned(&mut self, value: T) {
        self.make_room(1);
        self.values.push(value);
        self.top = self.values.len();
    }

    /// Moves the value on top out.
    pub(super) fn pop_owned(&mut self) -> T {
        let value = self.values.pop();
        self.top = self.values.len();
        value.unwrap_or_else(|| empty())
    }

    /// The frame of `n` values on top.
    #[inline]
    pub(super) fn top_frame(&self, n: usize) -> &[T] {
        top_frame(self, n)
    }

    /// Releases the frame of `n` values on top.
    #[inline]
    pub(super) fn close_frame(&mut self, n: usize) {
        match self.top.checked_sub(n) {
            Some(start) => self.top = start,
            None => empty(),
        }
    }
}

impl<T: Copy> Stack<T> {
    /// Pushes a value. Where there is none behind the top, the function that makes room takes the value, which so is in no
    /// register across a call: compilers would spill it where it is computed, in each iteration of a loop.
    #[inline(always)]
    pub(super) fn push(&mut self, value: T) {
        match self.values.get_mut(self.top) {
            Some(place) => {
                *place = value;
                self.top += 1;
            }
            None => self.push_beyond(value),
        }
    }

    #[cold]
    #[inline(never)]
    fn push_beyond(&mut self, value: T) {
        self.make_room(1);
        // Twice as many values, so that most pushes find one.
        let ahead = self.values.len().max(FIRST / size_of::<T>().max(1)).max(1);
        let len = (self.values.len() + ahead).min(self.values.capacity());
        self.values.resize(len, value);
        self.top += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self) -> T {
        let below = self.top.wrapping_sub(1);
        match self.values.get(below) {
            Some(value) => {
                self.top = below;
                *value
            }
            None => empty(),
        }
    }

    /// Takes all values off.
    pub(super) fn clear(&mut self) {
        self.top = 0;
    }

    /// Pushes several values, the first one first. One by one: an array would be stored and loaded again in wider parts,
    /// for which processors wait.
    #[inline(always)]
    pub(super) fn push_each<const N: usize>(&mut self, values: [T; N]) {
        let mut k = 0;
        while k < N {
            self.push(values[k]);
            k += 1;
        }
    }

    /// The memory of the next values, if they are there.
    #[inline(always)]
    fn next_values(&mut self, n: usize) -> Option<&mut [T]> {
        self.values.get_mut(self.top..)?.get_mut(..n)
    }

    #[inline]
    pub(super) fn push_block(&mut self, block: &[T]) {
        match self.next_values(block.len()) {
            Some(place) => place.copy_from_slice(block),
            None => {
                self.make_room(block.len());
                self.values.truncate(self.top);
                self.values.extend_from_slice(block);
            }
        }
        self.top += block.len();
    }

    /// Replaces the values by those of another stack.
    pub(super) fn copy_from(&mut self, other: &Stack<T>) {
        self.clear();
        if !other.is_empty() {
            self.push_block(other);
        }
    }

    /// Pops a block of values, in the order in which [`Stack::push_block`] got them.
    #[inline]
    pub(super) fn pop_block(&mut self, block: &mut [T]) {
        block.copy_from_slice(self.top_frame(block.len()));
        self.close_frame(block.len());
    }
}

impl<T: Copy + Zero> Stack<T> {
    /// Opens a frame of `n` values on top, whatever they are.
    #[inline]
    #[track_caller]
    pub(super) fn open_frame(&mut self, n: usize) -> &mut [T] {
        let start = self.top;
        if self.values.len() - start < n {
            self.make_room_for_frame(n);
            self.values.resize(start + n, T::zero());
        }
        self.top = start + n;
        let frame = &mut self.values[start..][..n];
        if CACHED.contains(&size_of_val(frame)) {
            frame.fill(T::zero());
        }
        frame
    }
}

#[inline]
fn top_frame<T>(stack: &[T], n: usize) -> &[T] {
    match stack.len().checked_sub(n) {
        Some(start) => &stack[start..],
        None => empty(),
    }
}

impl<T: Encode + Default + Copy> Encode for Stack<T> {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        self.len().encode(to)?;
        self.iter().try_for_each(|value| value.encode(to))
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        let held = self.values.capacity();
        self.clear();
        self.values.decode(from)?;
        self.top = self.values.len();
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
