//! Checkpointing of loops whose length shows only at their end.

use super::super::{Action, Slot};
use super::Schedule;
use super::require_snapshots;
use super::reversal::{Indices, Live, Reversal};

/// The online schedule, for loops of unknown length (`while`), with at most s snapshots alive at once.
///
/// In the first pass, each snapshot has a *level*: that of the entry state is infinite, others start at 0. A snapshot
/// is *dispensable* if a later one, or the current state, has a higher level. The current state is taken as long as a
/// slot is free; if none is, in the place of the last dispensable snapshot; if there is none either, it is not taken,
/// and the next state has the next higher level. Behind the first pass, the steps between snapshots are reversed in
/// binomial order with the slots that are free by then.
///
/// # Bound
///
/// No step is advanced more than r times, where r is the least with C(s + r, s) > l. That is the least possible: the
/// loop's end is found by its own condition, as if it were a step more, so that no schedule advances fewer plain steps
/// than t(l + 1, s) of [`optimal_advances`](super::optimal_advances). For l < C(s + 2, s), this one advances just as
/// many, and for any l at most r·l.
///
/// *Why:* let k slots be free or dispensable behind a snapshot. The first state of level λ behind it is at a distance
/// of L(k, λ) steps, with L(k, 0) = 1. That state makes those before it dispensable, so it is taken with k − 1 slots
/// behind it, and so on:
///
/// L(k, λ + 1) = L(k, λ) + L(k − 1, λ) + … + L(0, λ) + 1, which gives L(k, λ) = C(k + 1 + λ, k + 1).
///
/// Behind the j-th snapshot (from 0), k is s − 1 − j. The state behind its steps has a level μ, and s − j slots reverse
/// them in the end, so that they are advanced μ times at most there, and once in the first pass. A state of level r is
/// at least C(s + r, s) steps behind the entry state, which are more than l; so μ is less than r.
///
/// Sources: `[MRD]` for the levels and the least number of repetitions, `[ONL]` for what is optimal up to C(s + 2, s)
/// steps.
///
/// DIVERGENCE `[MRD]`: the paper places snapshots by levels in the reversal as well; here they are in binomial order,
/// because lengths are known there, and no order needs fewer steps.
///
/// ```
/// use adjoint_runtime::checkpoint::{Action, Online, Schedule};
///
/// let mut schedule = Online::new(2);
/// let (mut state, mut reversed) = (0, Vec::new());
/// loop {
///     if schedule.steps().is_none() && state == 4 {
///         schedule.end_at(4);
///     }
///     match schedule.next() {
///         Some(Action::Advance { to, .. }) => state = to,
///         Some(Action::Reverse { from, .. }) => reversed.push(from),
///         Some(_) => {}
///         None => break,
///     }
/// }
/// assert_eq!(reversed, [3, 2, 1, 0]);
/// ```
#[derive(Debug, Clone)]
pub struct Online {
    snapshots: usize,
    /// Slots from this index on are on disk.
    memory: usize,
    phase: Phase,
}

#[derive(Debug, Clone)]
enum Phase {
    First(FirstPass),
    Reversal { steps: usize, reversal: Reversal },
}

/// The first pass, whose end is not known.
#[derive(Debug, Clone)]
struct FirstPass {
    /// With their levels, in the order of their steps.
    live: Vec<(Live, usize)>,
    indices: Indices,
    /// The number of the current state, and its level.
    at: usize,
    level: usize,
    /// Whether the current state is taken.
    taken: bool,
}

impl Online {
    /// With at most so many snapshots alive at once, all in memory.
    ///
    /// # Panics
    ///
    /// If `snapshots` is 0.
    pub fn new(snapshots: usize) -> Online {
        Online::with_disk(snapshots, 0)
    }

    /// With at most `memory` snapshots alive at once in memory, and at most `disk` on disk. Slots on disk are taken
    /// only while none in memory is free.
    ///
    /// # Panics
    ///
    /// If both are 0.
    pub fn with_disk(memory: usize, disk: usize) -> Online {
        let snapshots = memory.saturating_add(disk);
        require_snapshots(snapshots);
        Online {
            snapshots,
            memory,
            phase: Phase::First(FirstPass {
                live: Vec::new(),
                indices: Indices::default(),
                at: 0,
                level: usize::MAX,
                taken: false,
            }),
        }
    }

    fn slot(memory: usize, index: usize) -> Slot {
        match index.checked_sub(memory) {
            None => Slot::memory(index),
            Some(index) => Slot::disk(index),
        }
    }
}

impl FirstPass {
    fn next(&mut self, snapshots: usize) -> Action {
        if self.taken {
            return self.advance(0);
        }
        if self.live.len() < snapshots {
            return self.take();
        }
        match self.last_dispensable() {
            Some(position) => self.drop_at(position),
            None => self.advance(self.level + 1),
        }
    }

    /// The last snapshot that a later state exceeds in level.
    fn last_dispensable(&self) -> Option<usize> {
        let mut highest = self.level;
        self.live.iter().rposition(|&(_, level)| {
            let exceeded = level < highest;
            highest = highest.max(level);
            exceeded
        })
    }

    fn take(&mut self) -> Action {
        self.taken = true;
        let (step, index) = (self.at, self.indices.reserve());
        self.live.push((Live { step, index }, self.level));
        let slot = Slot::memory(index);
        Action::Take { step, slot }
    }

    fn drop_at(&mut self, position: usize) -> Action {
        let (Live { step, index }, _) = self.live.remove(position);
        self.indices.release(index);
        let slot = Slot::memory(index);
        Action::Drop { step, slot }
    }

    fn advance(&mut self, level: usize) -> Action {
        let from = self.at;
        self.at += 1;
        self.level = level;
        self.taken = false;
        Action::Advance { from, to: self.at }
    }

    /// The reversal of all steps up to here.
    fn reversal(&mut self, snapshots: usize) -> Reversal {
        let live = self.live.iter().map(|&(live, _)| live).collect();
        let indices = std::mem::take(&mut self.indices);
        Reversal::from_snapshots(self.at, snapshots, live, indices)
    }
}

impl Iterator for Online {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let action = match &mut self.phase {
            Phase::First(pass) => pass.next(self.snapshots),
            Phase::Reversal { reversal, .. } => reversal.next()?,
        };
        Some(action.with_slot(|slot| Online::slot(self.memory, slot.index)))
    }
}

impl Schedule for Online {
    fn steps(&self) -> Option<usize> {
        match &self.phase {
            Phase::First(_) => None,
            Phase::Reversal { steps, .. } => Some(*steps),
        }
    }

    fn end_at(&mut self, steps: usize) {
        let Phase::First(pass) = &mut self.phase else {
            panic!("checkpointing: the end of a loop was given twice");
        };
        assert!(
            steps == pass.at && !pass.taken,
            "checkpointing: the loop's end was given as step {steps}, but the schedule is at step {} already",
            pass.at
        );
        let reversal = pass.reversal(self.snapshots);
        self.phase = Phase::Reversal { steps, reversal };
    }
}
