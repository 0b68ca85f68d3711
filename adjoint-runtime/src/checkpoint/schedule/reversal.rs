//! The reversal of steps between the snapshots that are alive, with those that are free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::{Action, Slot};
use super::optimum::first_advance;

/// A snapshot that is alive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Live {
    /// The number of its state.
    pub(super) step: usize,
    /// The index of its slot.
    pub(super) index: usize,
}

/// Indices of slots. The lowest free one goes first, so that in a stack of snapshots the index is the depth.
#[derive(Debug, Clone, Default)]
pub(super) struct Indices {
    used: usize,
    free: BinaryHeap<Reverse<usize>>,
}

impl Indices {
    pub(super) fn reserve(&mut self) -> usize {
        match self.free.pop() {
            Some(Reverse(index)) => index,
            None => {
                self.used += 1;
                self.used - 1
            }
        }
    }

    pub(super) fn release(&mut self, index: usize) {
        self.free.push(Reverse(index));
    }
}

/// Reverses all steps in front of `end`.
///
/// The steps behind the last live snapshot go first, with that snapshot and the free ones in the binomial schedule;
/// then the steps behind the one before, and so on.
#[derive(Debug, Clone)]
pub(super) struct Reversal {
    /// How many may be alive at once.
    snapshots: usize,
    /// In the order of their steps.
    live: Vec<Live>,
    indices: Indices,
    /// The number of the current state, if there is one.
    at: Option<usize>,
    /// The steps from here on are reversed.
    end: usize,
    /// The number of the exit state, as long as the stream is still to go there.
    exit: Option<usize>,
}

impl Reversal {
    /// From the entry state, of which there is no snapshot yet.
    pub(super) fn from_entry(steps: usize, snapshots: usize) -> Reversal {
        Reversal {
            snapshots,
            live: Vec::new(),
            indices: Indices::default(),
            at: (steps > 0).then_some(0),
            end: steps,
            exit: None,
        }
    }

    /// The same by way of the exit state, as if one step more were recorded and reversed there.
    pub(super) fn by_way_of_exit(steps: usize, snapshots: usize) -> Reversal {
        Reversal {
            at: Some(0),
            end: steps.saturating_add(1),
            exit: Some(steps),
            ..Reversal::from_entry(steps, snapshots)
        }
    }

    /// From the snapshots that a first pass over all steps has left. One of them is that of the entry state.
    pub(super) fn from_snapshots(
        steps: usize,
        snapshots: usize,
        live: Vec<Live>,
        indices: Indices,
    ) -> Reversal {
        Reversal {
            snapshots,
            live,
            indices,
            at: None,
            end: steps,
            exit: None,
        }
    }

    fn take(&mut self, step: usize) -> Action {
        let index = self.indices.reserve();
        self.live.push(Live { step, index });
        let slot = Slot::memory(index);
        Action::Take { step, slot }
    }

    fn restore(&mut self, Live { step, index }: Live) -> Action {
        self.at = Some(step);
        let slot = Slot::memory(index);
        Action::Restore { step, slot }
    }

    fn drop_last(&mut self, Live { step, index }: Live) -> Action {
        self.live.pop();
        self.indices.release(index);
        let slot = Slot::memory(index);
        Action::Drop { step, slot }
    }

    fn reverse_step(&mut self, step: usize) -> Action {
        self.at = None;
        self.end = step;
        let to = step + 1;
        Action::Reverse { from: step, to }
    }

    fn advance(&mut self, from: usize) -> Action {
        // The last snapshot serves these steps, too.
        let usable = self.snapshots - self.live.len() + 1;
        let to = from + first_advance(self.end - from, usable);
        self.at = Some(to);
        Action::Advance { from, to }
    }
}

impl Iterator for Reversal {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        if let Some(exit) = self.exit.take_if(|exit| self.at == Some(*exit)) {
            self.end = exit;
            self.at = None;
        }
        let last = self.live.last().copied();
        let Some(at) = self.at else {
            return last.map(|snapshot| self.restore(snapshot));
        };
        let of_current = last.filter(|snapshot| snapshot.step == at);
        let one_left = self.end - at == 1;
        Some(match of_current {
            Some(snapshot) if one_left => self.drop_last(snapshot),
            Some(_) => self.advance(at),
            None if one_left => self.reverse_step(at),
            None => self.take(at),
        })
    }
}
