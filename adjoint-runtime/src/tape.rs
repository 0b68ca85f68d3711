//! The tape: what the forward sweep leaves for the reverse sweep.
//!
//! One stack per machine type, so that entries carry no tags and a push is a store. Flags
//! take a bit each. A counted loop reserves a *frame*, a block of values on top of a stack, which
//! both sweeps index by the iteration, beside the flags that its branches push ([`Tape::parts`]); where
//! it has frames of several types of one kind, generated code takes the stacks out of the tape for as
//! long ([`Tape::reals_stack`]).
//!
//! Memory is kept from one adjoint to the next; [`growth`] says how it grows. Where the sweep turns, when the stacks are
//! fullest, their lengths are noted; the statistics are computed from them when they are asked for. So pushes count nothing,
//! and a sweep that records nothing costs a few tests of lengths; where the plan shows that there is no record, not even
//! these ([`Tape::record_nothing`]). A tape with a limit has an [`account`].

use std::fmt;
use std::panic::Location;

mod account;
mod attempt;
mod bits;
mod encode;
mod exit_values;
mod growth;
mod repeats;
mod stack;
mod stats;
#[cfg(test)]
mod tests;
mod typed;

use num_traits::{NumCast, ToPrimitive};

use crate::Real;
use crate::checkpoint::steps::Loops;
use bits::Bits;
use exit_values::ExitValues;
use repeats::Repeats;
use stack::{Stack, total};
use stats::Recorded;
use typed::{Integers, Owned, Reals};

pub(crate) use account::Account;
pub use stack::{close_slots, in_slot, open_slots, put_if, top_slots};
pub use stats::{Pushed, TapeStats};

/// The memory of an adjoint between its forward and its reverse sweep.
///
/// Keep one and pass it to `f_adjoint_with` wherever an adjoint is called often: it allocates in the
/// first call and reuses the memory in the later ones. Where that is more than a megabyte, it is at most a quarter more than
/// the longest sweep recorded. Any adjoint may use any tape; a call that panicked leaves no record for later ones. A tape may
/// go to another thread; threads that run at once have one each.
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
    counts: Stack<usize>,
    /// The length of the frame that is read, on top of the reals.
    frame: usize,
    exit_values: Option<Box<ExitValues>>,
    /// The loops that are reversed from snapshots.
    pub(crate) loops: Option<Box<Loops>>,
    /// The most bytes of them that this adjoint kept at once.
    most_kept: usize,
    /// What was on the stacks where the sweep turned.
    recorded: Recorded,
    /// Whether an adjoint has begun and not ended: while one runs, and after a panic.
    is_running: bool,
    /// What serves several reverse sweeps.
    repeats: Option<Box<Repeats>>,
    /// That of a tape with a limit.
    pub(crate) account: Option<Account>,
    /// Whether a caller takes errors of this adjoint.
    pub(crate) is_tried: bool,
}

impl Tape {
    /// An empty tape.
    pub fn new() -> Tape {
        Tape::default()
    }

    /// An empty tape that does not grow beyond so many bytes, snapshots in memory included.
    ///
    /// A sweep that needs more panics. The message names the outermost loop that holds most, and what to write there. The
    /// adjoint's `f_adjoint_try` returns it as an error instead.
    ///
    /// What counts is the capacity of the tape's stacks, and what has been moved onto it. Whether a sweep fits depends on that
    /// sweep alone: the memory of an earlier one is given back when another one begins. The variables of the sweeps themselves,
    /// such as adjoints of local arrays, are not on the tape.
    ///
    /// ```
    /// use adjoint_runtime::Tape;
    /// let tape = Tape::with_limit(1 << 20);
    /// assert_eq!(tape.stats().peak_bytes, 0);
    /// ```
    pub fn with_limit(bytes: usize) -> Tape {
        Tape::on(Some(Account::new(bytes)))
    }

    /// An empty tape, on this account.
    pub(crate) fn on(account: Option<Account>) -> Tape {
        Tape {
            reals: Reals::on(&account),
            integers: Integers::on(&account),
            owned: Owned::on(&account),
            flags: Bits::on(&account),
            counts: Stack::on(account.clone()),
            account,
            ..Tape::default()
        }
    }

    /// What the last adjoint on this tape recorded.
    pub fn stats(&self) -> TapeStats {
        let mut stats = self.recorded.stats(self.most_kept);
        if let Some(loops) = &self.loops {
            let (taken, most) = loops.stats();
            stats.snapshots = taken;
            stats.peak_bytes += most;
        }
        stats
    }
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tape")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// The course of an adjoint. What each function has to do is inlined, and the rest is not.
#[doc(hidden)]
impl Tape {
    /// Starts an adjoint. What an earlier one left when it panicked goes away.
    #[inline]
    pub fn begin(&mut self) {
        if std::mem::replace(&mut self.is_running, true) {
            self.clear();
        }
        if self.account.is_some() {
            self.renew();
        }
        self.most_kept = 0;
        if let Some(loops) = &mut self.loops {
            loops.begin();
        }
    }

    /// Gives the memory back, where there is a limit.
    #[cold]
    #[inline(never)]
    fn renew(&mut self) {
        let is_tried = self.is_tried;
        *self = Tape::on(self.account.as_ref().map(Account::renewed));
        self.set_tried(is_tried);
        self.is_running = true;
    }

    /// In the forward sweep, at the start of a loop that is in no other one: it is named where the tape meets its limit. A loop
    /// whose records are all in frames is named by these.
    #[inline]
    #[track_caller]
    pub fn enter_loop(&mut self) {
        if let Some(account) = &self.account {
            account.enter_loop(Location::caller());
        }
    }

    /// Behind this loop.
    #[inline]
    pub fn leave_loop(&mut self) {
        if let Some(account) = &self.account {
            account.leave_loop();
        }
    }

    /// In the place of all others, for an adjoint that puts nothing on the tape.
    #[inline]
    pub fn record_nothing(&mut self) {
        self.recorded = Recorded::default();
        self.most_kept = 0;
    }

    /// Between the sweeps: notes what the statistics need.
    #[inline]
    pub fn turn(&mut self) {
        self.recorded = Recorded {
            f64s: self.reals.f64.len(),
            f32s: self.reals.f32.len(),
            usizes: self.integers.usize.len(),
            flags: self.flags.len(),
            counts: self.counts.len(),
            ..Recorded::default()
        };
        if self.has_others() {
            self.note_others();
        }
    }

    /// In the reverse sweep, behind the records of a step of a checkpointed loop or a strip of a fused one: the most that was recorded at once
    /// counts.
    #[inline]
    pub fn note_step(&mut self) {
        let most = &self.recorded;
        // Without jumps.
        let is_more = (self.reals.f64.len() > most.f64s)
            | (self.reals.f32.len() > most.f32s)
            | (self.integers.usize.len() > most.usizes)
            | (self.flags.len() > most.flags)
            | (self.counts.len() > most.counts);
        if is_more | self.has_others() {
            self.note_most();
        }
    }

    #[cold]
    #[inline(never)]
    fn note_most(&mut self) {
        let turned = self.recorded;
        self.turn();
        self.recorded = turned.most(self.recorded);
    }

    /// The size of what is on the stacks.
    pub(crate) fn bytes(&mut self) -> usize {
        self.turn();
        self.recorded.stats(0).peak_bytes
    }

    /// Ends an adjoint without a reverse sweep.
    pub fn abandon(&mut self) {
        self.turn();
        self.clear();
        self.is_running = false;
    }

    /// Ends an adjoint.
    #[inline]
    pub fn end(&mut self) {
        let left = self.reals.f64.len()
            | self.reals.f32.len()
            | self.integers.usize.len()
            | self.flags.len()
            | self.counts.len();
        if (left != 0) | self.has_others() {
            self.end_others();
        }
        self.is_running = false;
    }

    /// Whether there are stacks of other types.
    #[inline]
    fn has_others(&self) -> bool {
        // Without jumps.
        self.reals.others.exist() | self.integers.others.is_some() | self.owned.exist()
    }

    #[cold]
    #[inline(never)]
    fn note_others(&mut self) {
        self.recorded.other_reals = self.reals.others.pushed() + self.owned.pushed();
        let integers = self.integers.others.as_ref();
        self.recorded.other_integers = integers.map_or(Pushed::default(), |all| all.pushed());
    }

    #[cold]
    #[inline(never)]
    fn end_others(&mut self) {
        if cfg!(debug_assertions) {
            let noted = self.recorded;
            self.turn();
            let left = std::mem::replace(&mut self.recorded, noted).stats(0);
            assert!(
                left == TapeStats::default(),
                "adjoint tape: the reverse sweep left {left:?} (a bug in `adjoint`)"
            );
        }
        self.clear();
    }

    #[cold]
    #[inline(never)]
    fn clear(&mut self) {
        self.reals.clear();
        self.integers.clear();
        self.owned.clear();
        self.flags.clear();
        self.counts.clear();
        self.frame = 0;
        if let Some(exit_values) = &mut self.exit_values {
            exit_values.clear();
        }
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

    /// Several of them, the first one first.
    #[inline(always)]
    pub fn push_each<T: Real, const N: usize>(&mut self, values: [T; N]) {
        self.reals.of().push_each(values);
    }

    #[inline]
    pub fn pop_real<T: Real>(&mut self) -> T {
        self.reals.of().pop()
    }

    /// The same where it is wanted, else zero.
    #[inline(always)]
    pub fn pop_real_if<T: Real>(&mut self, wanted: bool) -> T {
        if wanted { self.pop_real() } else { T::zero() }
    }

    /// Several of them, the last pushed first.
    #[inline(always)]
    pub fn pop_each_if<T: Real, const N: usize>(&mut self, wanted: bool) -> [T; N] {
        if !wanted {
            return [T::zero(); N];
        }
        let stack = self.reals.of();
        let top = stack.top_frame(N);
        let popped = std::array::from_fn(|i| top[N - 1 - i]);
        stack.close_frame(N);
        popped
    }

    #[inline]
    pub fn push_int<T: Copy + Send + 'static>(&mut self, value: T) {
        self.integers.of().push(value);
    }

    #[inline]
    pub fn pop_int<T: Copy + Send + 'static>(&mut self) -> T {
        self.integers.of().pop()
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
        self.flags.push_flag(flag);
    }

    #[inline]
    pub fn pop_flag(&mut self) -> bool {
        self.flags.pop_flag()
    }

    #[inline]
    pub fn push_label(&mut self, label: u8, bits: u32) {
        self.flags.push_label(label, bits);
    }

    #[inline]
    pub fn pop_label(&mut self, bits: u32) -> u8 {
        self.flags.pop_label(bits)
    }

    #[inline]
    pub fn push_count(&mut self, count: usize) {
        self.counts.push(count);
    }

    #[inline]
    pub fn pop_count(&mut self) -> usize {
        self.counts.pop()
    }

    #[inline]
    pub fn push_reals<T: Real>(&mut self, block: &[T]) {
        self.reals.of().push_block(block);
    }

    #[inline]
    pub fn pop_reals<T: Real>(&mut self, block: &mut [T]) {
        self.reals.of().pop_block(block);
    }

    #[inline]
    pub fn push_ints<T: Copy + Send + 'static>(&mut self, block: &[T]) {
        self.integers.of().push_block(block);
    }

    #[inline]
    pub fn pop_ints<T: Copy + Send + 'static>(&mut self, block: &mut [T]) {
        self.integers.of().pop_block(block);
    }

    /// Moves a value onto the tape, counted with these bytes.
    pub fn push_moved<T: Clone + Send + 'static>(&mut self, value: T, bytes: usize) {
        self.owned.push(value, bytes);
    }

    /// Moves the last one of this type back.
    pub fn pop_moved<T: Clone + Send + 'static>(&mut self) -> T {
        self.owned.pop()
    }
}

/// Room for what a loop pushes: in so many trips, so many values in each where they are wanted.
#[doc(hidden)]
impl Tape {
    #[inline(always)]
    pub fn reserve_reals<T: Real>(&mut self, trips: usize, numbers: &[(bool, usize)]) {
        self.reals.of::<T>().expect(trips, numbers);
    }

    #[inline(always)]
    pub fn reserve_ints<T: Copy + Send + 'static>(
        &mut self,
        trips: usize,
        numbers: &[(bool, usize)],
    ) {
        self.integers.of::<T>().expect(trips, numbers);
    }
}

/// Frames on the tape's own stacks, for loops that use nothing else of it.
#[doc(hidden)]
impl Tape {
    /// See [`open_slots`].
    #[inline(always)]
    #[track_caller]
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
        self.reals.of::<T>().close_frame(self.frame);
    }
}

/// The stacks that a loop with frames uses at once.
#[doc(hidden)]
pub struct Parts<'a> {
    pub reals: &'a mut Reals,
    pub integers: &'a mut Integers,
}

#[doc(hidden)]
impl Tape {
    #[inline(always)]
    pub fn parts(&mut self) -> Parts<'_> {
        Parts {
            reals: &mut self.reals,
            integers: &mut self.integers,
        }
    }
}

/// Stacks held as locals. While one is out, the tape has no stack of this type to offer: it goes
/// back before anything else may use it.
#[doc(hidden)]
impl Tape {
    #[inline]
    pub fn reals_stack<T: Real>(&mut self) -> Stack<T> {
        std::mem::take(self.reals.of())
    }

    #[inline]
    pub fn put_reals<T: Real>(&mut self, stack: Stack<T>) {
        put_back(self.reals.of(), stack);
    }

    #[inline]
    pub fn ints_stack<T: Copy + Send + 'static>(&mut self) -> Stack<T> {
        std::mem::take(self.integers.of())
    }

    #[inline]
    pub fn put_ints<T: Copy + Send + 'static>(&mut self, stack: Stack<T>) {
        put_back(self.integers.of(), stack);
    }
}

#[inline]
fn put_back<T>(home: &mut Stack<T>, stack: Stack<T>) {
    debug_assert!(
        home.is_empty(),
        "adjoint tape: a stack was used while it was out (a bug in `adjoint`)"
    );
    *home = stack;
}
