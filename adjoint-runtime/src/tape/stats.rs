//! What the tape held, in numbers.

use std::ops::{Add, AddAssign};

/// How much of one kind was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pushed {
    /// The number of values.
    pub entries: usize,
    /// Their size.
    pub bytes: usize,
}

/// What the last adjoint put on its [`Tape`](crate::Tape), from [`Tape::stats`](crate::Tape::stats).
///
/// A frame of a counted loop counts in full, with the type that it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TapeStats {
    /// Values of floating-point type, and owned values (a `Vec` moved onto the tape is one entry).
    pub reals: Pushed,
    /// Integers, characters and other discrete values, and the flags and labels in frames.
    pub integers: Pushed,
    /// Flags (branches taken) and labels outside of frames, trip counts, and lengths of `Vec`s.
    pub control: Pushed,
    /// What `#[checkpoint]` took.
    pub snapshots: Pushed,
    /// The most that was held at once, all kinds together.
    pub peak_bytes: usize,
}

/// The numbers of values on the stacks where the sweep turned.
#[derive(Clone, Copy, Default)]
pub(super) struct Recorded {
    pub(super) f64s: usize,
    pub(super) f32s: usize,
    pub(super) usizes: usize,
    pub(super) flags: usize,
    pub(super) counts: usize,
    /// Floats of other types, and owned values.
    pub(super) other_reals: Pushed,
    pub(super) other_integers: Pushed,
}

impl Recorded {
    /// The larger of the two in bytes.
    pub(super) fn most(self, other: Recorded) -> Recorded {
        match self.stats(0).peak_bytes < other.stats(0).peak_bytes {
            true => other,
            false => self,
        }
    }

    /// The statistics, with as many bytes of exit values.
    pub(super) fn stats(&self, kept: usize) -> TapeStats {
        let reals = Pushed::of::<f64>(self.f64s) + Pushed::of::<f32>(self.f32s) + self.other_reals;
        let integers = Pushed::of::<usize>(self.usizes) + self.other_integers;
        let flags = Pushed {
            entries: self.flags,
            bytes: self.flags.div_ceil(8),
        };
        let control = flags + Pushed::of::<usize>(self.counts);
        TapeStats {
            reals,
            integers,
            control,
            peak_bytes: reals.bytes + integers.bytes + control.bytes + kept,
            ..TapeStats::default()
        }
    }
}

impl Pushed {
    /// As many values of type `T`.
    pub(crate) fn of<T>(entries: usize) -> Pushed {
        Pushed {
            entries,
            bytes: entries * size_of::<T>(),
        }
    }
}

impl Add for Pushed {
    type Output = Pushed;

    fn add(self, other: Pushed) -> Pushed {
        Pushed {
            entries: self.entries + other.entries,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl AddAssign for Pushed {
    fn add_assign(&mut self, other: Pushed) {
        *self = *self + other;
    }
}
