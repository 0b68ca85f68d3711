//! A solver made of closures.

use std::marker::PhantomData;
use std::ops::Range;

use super::CheckpointedLoop;

/// A [`CheckpointedLoop`] of a value and closures on it.
///
/// The value holds all that the closures work on, as a tuple for example: the solver's variables, parameters, adjoints,
/// references to them. [`reverse_loop`](super::reverse_loop) has an example.
pub struct Closures<S, T, A, R, V, U, M = fn(&mut S, usize) -> bool> {
    /// What the closures work on.
    pub state: S,
    advance: A,
    reverse: R,
    save: V,
    restore: U,
    more: M,
    snapshot: PhantomData<fn(T)>,
}

impl<S, T, A, R, V, U> Closures<S, T, A, R, V, U>
where
    A: FnMut(&mut S, usize),
    R: FnMut(&mut S, Range<usize>),
    V: Fn(&S, &mut T),
    U: FnMut(&mut S, &T),
{
    /// A loop of known length; the closures are the methods of [`CheckpointedLoop`] of the same names.
    pub fn new(state: S, advance: A, reverse: R, save: V, restore: U) -> Self {
        Closures {
            state,
            advance,
            reverse,
            save,
            restore,
            more: |_, _| true,
            snapshot: PhantomData,
        }
    }
}

impl<S, T, A, R, V, U, M> Closures<S, T, A, R, V, U, M> {
    /// The same as long as `more` holds, which is [`CheckpointedLoop::more`]: for schedules of unknown length.
    pub fn runs_while<N>(self, more: N) -> Closures<S, T, A, R, V, U, N>
    where
        N: FnMut(&mut S, usize) -> bool,
    {
        Closures {
            state: self.state,
            advance: self.advance,
            reverse: self.reverse,
            save: self.save,
            restore: self.restore,
            more,
            snapshot: PhantomData,
        }
    }
}

impl<S, T, A, R, V, U, M> CheckpointedLoop for Closures<S, T, A, R, V, U, M>
where
    A: FnMut(&mut S, usize),
    R: FnMut(&mut S, Range<usize>),
    V: Fn(&S, &mut T),
    U: FnMut(&mut S, &T),
    M: FnMut(&mut S, usize) -> bool,
{
    type Snapshot = T;

    fn more(&mut self, step: usize) -> bool {
        (self.more)(&mut self.state, step)
    }

    fn advance(&mut self, step: usize) {
        (self.advance)(&mut self.state, step);
    }

    fn reverse(&mut self, steps: Range<usize>) {
        (self.reverse)(&mut self.state, steps);
    }

    fn save(&self, snapshot: &mut T) {
        (self.save)(&self.state, snapshot);
    }

    fn restore(&mut self, snapshot: &T) {
        (self.restore)(&mut self.state, snapshot);
    }
}
