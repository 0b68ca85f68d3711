//! Binomial checkpointing of loops whose length is known.

use super::super::Action;
use super::Schedule;
use super::require_snapshots;
use super::reversal::Reversal;

/// The binomial schedule (*revolve*): of all schedules with at most s snapshots alive at once, the entry state's
/// included, it advances the fewest plain steps, [`optimal_advances`](super::optimal_advances), and of those it takes
/// the fewest snapshots.
///
/// Each step is recorded and reversed by itself, so that the tape holds one step. `l` steps are split after `k`: a
/// snapshot there serves the last `l - k` steps with `s - 1` snapshots; then the first `k` are reversed with all `s`:
///
/// t(l, s) = min over k of k + t(l − k, s − 1) + t(k, s) = r·l − C(s + r, r − 1), with the least r for which
/// C(s + r, s) ≥ l.
///
/// Source: `[REV]`.
///
/// ```
/// use adjoint_runtime::checkpoint::Action::{Advance, Drop, Restore, Reverse, Take};
/// use adjoint_runtime::checkpoint::{Binomial, Slot};
///
/// let slot = Slot::memory(0);
/// let actions: Vec<_> = Binomial::new(3, 1).collect();
/// assert_eq!(
///     actions,
///     [
///         Take { step: 0, slot },
///         Advance { from: 0, to: 2 },
///         Reverse { from: 2, to: 3 },
///         Restore { step: 0, slot },
///         Advance { from: 0, to: 1 },
///         Reverse { from: 1, to: 2 },
///         Restore { step: 0, slot },
///         Drop { step: 0, slot },
///         Reverse { from: 0, to: 1 },
///     ]
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Binomial {
    steps: usize,
    reversal: Reversal,
}

impl Binomial {
    /// For a loop of so many steps, with at most so many snapshots alive at once, all in memory.
    ///
    /// # Panics
    ///
    /// If `snapshots` is 0.
    pub fn new(steps: usize, snapshots: usize) -> Binomial {
        require_snapshots(snapshots);
        Binomial {
            steps,
            reversal: Reversal::from_entry(steps, snapshots),
        }
    }

    /// The same by way of the loop's exit state, for [`LoopSweeps`](super::super::LoopSweeps): other code goes on
    /// there, and is reversed, before the loop is. It is as if that code were a step more:
    /// t(l + 1, s) plain steps.
    ///
    /// # Panics
    ///
    /// If `snapshots` is 0.
    pub fn reaching_exit(steps: usize, snapshots: usize) -> Binomial {
        require_snapshots(snapshots);
        Binomial {
            steps,
            reversal: Reversal::by_way_of_exit(steps, snapshots),
        }
    }
}

impl Iterator for Binomial {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        self.reversal.next()
    }
}

impl Schedule for Binomial {
    fn steps(&self) -> Option<usize> {
        Some(self.steps)
    }
}
