//! Binomial checkpointing with some of the snapshots in files.

use super::super::{Action, Slot};
use super::{Binomial, Schedule};

/// The binomial schedule with snapshots in memory and on disk.
///
/// It is [`Binomial`] with as many snapshots as there are in both, hence with the optimal number of steps. Snapshots
/// are a stack, and how often one is written and read depends on its depth. The depths with the fewest accesses are on
/// disk; so no other choice of depths has fewer accesses to disk. Where memory suffices, nothing is on disk.
///
/// Source: `[MSC]`.
///
/// DIVERGENCE `[MSC]`: the paper weighs reads and writes by their times; here they weigh the same, because a schedule
/// then does not depend on the machine.
///
/// ```
/// use adjoint_runtime::checkpoint::{Action, Tier, TwoLevel};
///
/// let taken = |tier| {
///     let takes = move |action: &Action| matches!(action, Action::Take { slot, .. } if slot.tier == tier);
///     TwoLevel::new(100, 5, 5).filter(takes).count()
/// };
/// assert_eq!((taken(Tier::Memory), taken(Tier::Disk)), (40, 15));
/// ```
#[derive(Debug, Clone)]
pub struct TwoLevel {
    binomial: Binomial,
    /// The slot of each depth.
    slots: Vec<Slot>,
}

impl TwoLevel {
    /// For a loop of so many steps, with at most `memory` snapshots alive at once in memory, and at most `disk` on
    /// disk.
    ///
    /// It looks through the whole stream first, which takes time proportional to
    /// [`optimal_advances`](super::optimal_advances) at most.
    ///
    /// # Panics
    ///
    /// If both are 0.
    pub fn new(steps: usize, memory: usize, disk: usize) -> TwoLevel {
        let snapshots = memory.saturating_add(disk);
        TwoLevel::of(Binomial::new(steps, snapshots), memory)
    }

    /// The same by way of the loop's exit state, as in [`Binomial::reaching_exit`].
    ///
    /// # Panics
    ///
    /// If both are 0.
    pub fn reaching_exit(steps: usize, memory: usize, disk: usize) -> TwoLevel {
        let snapshots = memory.saturating_add(disk);
        TwoLevel::of(Binomial::reaching_exit(steps, snapshots), memory)
    }

    fn of(binomial: Binomial, memory: usize) -> TwoLevel {
        let accesses = accesses(binomial.clone());
        let on_disk = accesses.len().saturating_sub(memory);
        TwoLevel {
            binomial,
            slots: slots(&accesses, on_disk),
        }
    }
}

/// How often the snapshot of each depth is written or read.
fn accesses(binomial: Binomial) -> Vec<usize> {
    let mut accesses = Vec::new();
    for action in binomial {
        if let Action::Take { slot, .. } | Action::Restore { slot, .. } = action {
            if slot.index == accesses.len() {
                accesses.push(0);
            }
            accesses[slot.index] += 1;
        }
    }
    accesses
}

/// Slots by depth; so many of the least accessed depths are on disk.
fn slots(accesses: &[usize], on_disk: usize) -> Vec<Slot> {
    let mut depths: Vec<usize> = (0..accesses.len()).collect();
    depths.sort_by_key(|&depth| accesses[depth]);
    let mut slots = vec![Slot::memory(0); accesses.len()];
    let (disk, memory) = depths.split_at(on_disk);
    for (index, &depth) in disk.iter().enumerate() {
        slots[depth] = Slot::disk(index);
    }
    for (index, &depth) in memory.iter().enumerate() {
        slots[depth] = Slot::memory(index);
    }
    slots
}

impl Iterator for TwoLevel {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let action = self.binomial.next()?;
        Some(action.with_slot(|slot| self.slots[slot.index]))
    }
}

impl Schedule for TwoLevel {
    fn steps(&self) -> Option<usize> {
        self.binomial.steps()
    }
}
