//! Typed stacks, found by type, and what is done on one.

use std::any::Any;
use std::io::{self, Read, Write};

use num_traits::Zero;

use super::growth::make_room;
use super::stats::Pushed;
use crate::checkpoint::Encode;

/// The reverse sweep asked for more than the forward sweep pushed.
#[cold]
#[inline(never)]
pub(super) fn empty() -> ! {
    panic!("adjoint tape: nothing left to pop, the sweeps are out of step (a bug in `adjoint`)")
}

/// Pushes a value.
#[inline]
pub(super) fn push_onto<T>(stack: &mut Vec<T>, value: T) {
    make_room(stack, 1);
    stack.push(value);
}

/// Pops a value off a stack that is held as a local.
#[inline]
pub fn pop_from<T>(stack: &mut Vec<T>) -> T {
    match stack.pop() {
        Some(value) => value,
        None => empty(),
    }
}

/// Pushes a block of values.
#[inline]
pub fn push_block<T: Copy>(stack: &mut Vec<T>, block: &[T]) {
    make_room(stack, block.len());
    stack.extend_from_slice(block);
}

/// Pops a block of values, in the order in which [`push_block`] got them.
#[inline]
pub fn pop_block<T: Copy>(stack: &mut Vec<T>, block: &mut [T]) {
    block.copy_from_slice(top_frame(stack, block.len()));
    close_frame(stack, block.len());
}

/// Opens a frame of `n` zeros on top of the stack.
#[inline]
pub fn open_frame<T: Copy + Zero>(stack: &mut Vec<T>, n: usize) -> &mut [T] {
    open_frame_of(stack, n, T::zero())
}

/// Opens a frame of `n` equal values, for types without a zero.
#[inline]
pub fn open_frame_of<T: Copy>(stack: &mut Vec<T>, n: usize, value: T) -> &mut [T] {
    let start = stack.len();
    make_room(stack, n);
    // In fewer instructions than `resize`, which moves the last value.
    stack.extend(std::iter::repeat_n(value, n));
    &mut stack[start..]
}

/// The frame of `n` values on top of the stack.
#[inline]
pub fn top_frame<T>(stack: &[T], n: usize) -> &[T] {
    match stack.len().checked_sub(n) {
        Some(start) => &stack[start..],
        None => empty(),
    }
}

/// Releases the frame of `n` values on top of the stack.
#[inline]
pub fn close_frame<T>(stack: &mut Vec<T>, n: usize) {
    match stack.len().checked_sub(n) {
        Some(start) => stack.truncate(start),
        None => empty(),
    }
}

/// Opens a frame with a slot of this length for each record that is wanted.
#[inline(always)]
pub fn open_slots<T: Copy + Zero, const N: usize>(
    stack: &mut Vec<T>,
    length: usize,
    wanted: [bool; N],
) -> [&mut [T]; N] {
    let mut rest = open_frame(stack, total(length, wanted));
    wanted.map(|wanted| {
        let (slot, others) = std::mem::take(&mut rest).split_at_mut(kept(length, wanted));
        rest = others;
        slot
    })
}

/// The slots of the frame on top of the stack.
#[inline(always)]
pub fn top_slots<T, const N: usize>(stack: &[T], length: usize, wanted: [bool; N]) -> [&[T]; N] {
    let mut rest = top_frame(stack, total(length, wanted));
    wanted.map(|wanted| {
        let (slot, others) = rest.split_at(kept(length, wanted));
        rest = others;
        slot
    })
}

/// Releases the frame with these slots.
#[inline(always)]
pub fn close_slots<T, const N: usize>(stack: &mut Vec<T>, length: usize, wanted: [bool; N]) {
    close_frame(stack, total(length, wanted));
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

/// A stack of a type that has no field of its own.
trait AnyStack: Any {
    fn pushed(&self) -> Pushed;
    fn clear(&mut self);
}

impl<T: Send + 'static> AnyStack for Vec<T> {
    fn pushed(&self) -> Pushed {
        Pushed::of::<T>(self.len())
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// Owned values with the bytes that each is counted with.
struct OwnedStack<T>(Vec<(T, usize)>);

impl<T> Default for OwnedStack<T> {
    fn default() -> Self {
        OwnedStack(Vec::new())
    }
}

impl<T: Send + 'static> AnyStack for OwnedStack<T> {
    fn pushed(&self) -> Pushed {
        Pushed {
            entries: self.0.len(),
            bytes: self.0.iter().map(|(_, bytes)| bytes).sum(),
        }
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Stacks that are found by a search. A function uses few types, so a list is as good as a map.
#[derive(Default)]
pub(super) struct FoundStacks(Vec<Box<dyn AnyStack + Send>>);

impl FoundStacks {
    fn of<S: AnyStack + Send + Default>(&mut self) -> &mut S {
        let mut stacks = self.0.iter();
        let at = stacks.position(|stack| (&**stack as &dyn Any).is::<S>());
        let at = at.unwrap_or_else(|| {
            self.0.push(Box::new(S::default()));
            self.0.len() - 1
        });
        let found: &mut dyn Any = &mut *self.0[at];
        found
            .downcast_mut()
            .expect("the stack at this position has the type looked for")
    }

    /// Whether there are any.
    #[inline]
    pub(super) fn exist(&self) -> bool {
        !self.0.is_empty()
    }

    pub(super) fn pushed(&self) -> Pushed {
        let sizes = self.0.iter().map(|stack| stack.pushed());
        sizes.fold(Pushed::default(), |sum, one| sum + one)
    }

    fn clear(&mut self) {
        self.0.iter_mut().for_each(|stack| stack.clear());
    }
}

/// The stack if it has this type. Folds away when compiled.
#[inline(always)]
fn if_of<T: 'static>(stack: &mut dyn Any) -> Option<&mut Vec<T>> {
    stack.downcast_mut()
}

/// The stacks of floating-point types.
#[derive(Default)]
pub struct Reals {
    pub(super) f64: Vec<f64>,
    pub(super) f32: Vec<f32>,
    pub(super) others: FoundStacks,
}

impl Reals {
    /// The stack of this type.
    #[inline]
    pub fn of<T: Send + 'static>(&mut self) -> &mut Vec<T> {
        if let Some(stack) = if_of(&mut self.f64) {
            return stack;
        }
        if let Some(stack) = if_of(&mut self.f32) {
            return stack;
        }
        self.others.of()
    }

    pub(super) fn clear(&mut self) {
        self.f64.clear();
        self.f32.clear();
        self.others.clear();
    }
}

/// The stacks of discrete types.
#[derive(Default)]
pub struct Integers {
    pub(super) usize: Vec<usize>,
    /// Made on first use: an adjoint that makes and drops a tape then pays for few stacks.
    pub(super) others: Option<Box<OtherIntegers>>,
}

impl Integers {
    /// The stack of this type.
    #[inline]
    pub fn of<T: Send + 'static>(&mut self) -> &mut Vec<T> {
        if let Some(stack) = if_of(&mut self.usize) {
            return stack;
        }
        self.others.get_or_insert_with(first_use).of()
    }

    pub(super) fn clear(&mut self) {
        self.usize.clear();
        if let Some(others) = &mut self.others {
            others.clear();
        }
    }
}

macro_rules! other_integers {
    ($($ty:ident)*) => {
        /// The stacks of the discrete types that are recorded less often.
        #[derive(Default)]
        pub(super) struct OtherIntegers {
            $($ty: Vec<$ty>,)*
            others: FoundStacks,
        }

        impl OtherIntegers {
            /// The stack of this type.
            #[inline]
            fn of<T: Send + 'static>(&mut self) -> &mut Vec<T> {
                $(
                    if let Some(stack) = if_of(&mut self.$ty) {
                        return stack;
                    }
                )*
                self.others.of()
            }

            /// Writes the stacks of the types above.
            pub(super) fn encode(&self, to: &mut impl Write) -> io::Result<()> {
                $(self.$ty.encode(to)?;)*
                Ok(())
            }

            pub(super) fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
                $(self.$ty.decode(from)?;)*
                Ok(())
            }

            /// The values of other types.
            pub(super) fn others(&self) -> Pushed {
                self.others.pushed()
            }

            pub(super) fn pushed(&self) -> Pushed {
                let mut sum = self.others.pushed();
                $(sum += Pushed::of::<$ty>(self.$ty.len());)*
                sum
            }

            fn clear(&mut self) {
                $(self.$ty.clear();)*
                self.others.clear();
            }
        }
    };
}

other_integers! { isize i32 u32 i64 u64 u8 i8 u16 i16 u128 i128 bool char }

/// Memory for what few sweeps use.
#[cold]
#[inline(never)]
pub(super) fn first_use<T: Default>() -> Box<T> {
    Box::default()
}

/// The stacks of owned values, which move onto the tape and back.
#[derive(Default)]
pub(super) struct Owned(FoundStacks);

impl Owned {
    pub(super) fn push<T: Send + 'static>(&mut self, value: T, bytes: usize) {
        push_onto(&mut self.0.of::<OwnedStack<T>>().0, (value, bytes));
    }

    pub(super) fn pop<T: Send + 'static>(&mut self) -> T {
        pop_from(&mut self.0.of::<OwnedStack<T>>().0).0
    }

    /// Whether there is a stack.
    #[inline]
    pub(super) fn exist(&self) -> bool {
        self.0.exist()
    }

    pub(super) fn pushed(&self) -> Pushed {
        self.0.pushed()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
