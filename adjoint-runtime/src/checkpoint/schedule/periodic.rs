//! Snapshots at regular distances.

use super::super::{Action, Slot, Tier};
use super::Schedule;

/// A snapshot each `period` steps: each step is advanced at most once, and the tape holds `period` steps.
///
/// `l` steps are ⌈l/p⌉ segments. The states in front of all segments but the last one are taken, ⌈l/p⌉ − 1 snapshots,
/// and as many segments of p steps are advanced. A period near √l makes snapshots and recorded steps balance. For loops
/// whose steps leave small records and whose states are large.
///
/// Source: `[EVD]` chapter 12, schedules that advance each step once.
///
/// ```
/// use adjoint_runtime::checkpoint::Action::{Advance, Drop, Restore, Reverse, Take};
/// use adjoint_runtime::checkpoint::{Periodic, Slot};
///
/// let slot = Slot::memory(0);
/// let actions: Vec<_> = Periodic::new(5, 3).collect();
/// assert_eq!(
///     actions,
///     [
///         Take { step: 0, slot },
///         Advance { from: 0, to: 3 },
///         Reverse { from: 3, to: 5 },
///         Restore { step: 0, slot },
///         Drop { step: 0, slot },
///         Reverse { from: 0, to: 3 },
///     ]
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Periodic {
    steps: usize,
    period: usize,
    tier: Tier,
    /// Whether the last segment is advanced, too.
    reaches_exit: bool,
    /// The segment of the next action.
    segment: usize,
    phase: Phase,
}

/// The next action on a segment.
#[derive(Debug, Clone, Copy)]
enum Phase {
    Take,
    Advance,
    Restore,
    Drop,
    Reverse,
    Done,
}

impl Periodic {
    /// For a loop of so many steps, with snapshots in memory.
    ///
    /// # Panics
    ///
    /// If `period` is 0.
    pub fn new(steps: usize, period: usize) -> Periodic {
        Periodic::started(steps, period, false)
    }

    /// The same by way of the loop's exit state, for [`LoopSweeps`](super::super::LoopSweeps): all segments are
    /// advanced, ⌈l/p⌉ snapshots are taken.
    ///
    /// # Panics
    ///
    /// If `period` is 0.
    pub fn reaching_exit(steps: usize, period: usize) -> Periodic {
        Periodic::started(steps, period, true)
    }

    fn started(steps: usize, period: usize, reaches_exit: bool) -> Periodic {
        assert!(period > 0, "checkpointing: a period of 0 steps has no end");
        let mut periodic = Periodic {
            steps,
            period,
            tier: Tier::Memory,
            reaches_exit,
            segment: 0,
            phase: Phase::Done,
        };
        if steps > 0 {
            periodic.phase = periodic.first_visit();
        }
        periodic
    }

    /// The same with all snapshots on disk.
    pub fn on_disk(self) -> Periodic {
        Periodic {
            tier: Tier::Disk,
            ..self
        }
    }

    fn start(&self) -> usize {
        self.segment * self.period
    }

    fn end(&self) -> usize {
        self.start().saturating_add(self.period).min(self.steps)
    }

    fn slot(&self) -> Slot {
        Slot {
            tier: self.tier,
            index: self.segment,
        }
    }

    /// The last segment is reversed at once, unless the exit state is to be reached.
    fn first_visit(&self) -> Phase {
        if self.end() < self.steps || self.reaches_exit {
            Phase::Take
        } else {
            Phase::Reverse
        }
    }

    /// Goes on to the next action.
    fn proceed(&mut self) {
        self.phase = match self.phase {
            Phase::Take => Phase::Advance,
            Phase::Advance if self.end() == self.steps => Phase::Restore,
            Phase::Advance => {
                self.segment += 1;
                self.first_visit()
            }
            Phase::Restore => Phase::Drop,
            Phase::Drop => Phase::Reverse,
            Phase::Reverse if self.segment > 0 => {
                self.segment -= 1;
                Phase::Restore
            }
            Phase::Reverse | Phase::Done => Phase::Done,
        };
    }
}

impl Iterator for Periodic {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let (step, to, slot) = (self.start(), self.end(), self.slot());
        let action = match self.phase {
            Phase::Take => Action::Take { step, slot },
            Phase::Advance => Action::Advance { from: step, to },
            Phase::Restore => Action::Restore { step, slot },
            Phase::Drop => Action::Drop { step, slot },
            Phase::Reverse => Action::Reverse { from: step, to },
            Phase::Done => return None,
        };
        self.proceed();
        Some(action)
    }
}

impl Schedule for Periodic {
    fn steps(&self) -> Option<usize> {
        Some(self.steps)
    }
}
