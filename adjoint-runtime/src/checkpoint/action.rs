//! The instructions that a schedule consists of.

/// One instruction of a [`Schedule`](super::Schedule).
///
/// *State* `i` is the state in front of step `i`: step `i` makes state `i + 1` of state `i`, and the loop's entry state
/// is state 0. The *current* state is the one that the solver holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Run the steps `from..to` plainly, without a record. The current state is state `from` before, and state `to`
    /// behind.
    Advance {
        /// The first step.
        from: usize,
        /// The step behind the last one.
        to: usize,
    },
    /// Copy the current state into a slot, which is free.
    Take {
        /// The number of the current state.
        step: usize,
        /// Where to.
        slot: Slot,
    },
    /// Make the snapshot in a slot the current state. The snapshot stays.
    Restore {
        /// The number of the state in the slot.
        step: usize,
        /// Where from.
        slot: Slot,
    },
    /// Run the steps `from..to` and record them; then propagate adjoints through them, the last step first. The current
    /// state is state `from` before. Behind, it is none: `Restore` comes next, or the end, or `Drop` and then one of
    /// them.
    Reverse {
        /// The first step that is recorded, and the last one that is reversed.
        from: usize,
        /// The step behind the last one that is recorded.
        to: usize,
    },
    /// Free a slot, whose snapshot is used no more.
    Drop {
        /// The number of the state in the slot.
        step: usize,
        /// Which slot.
        slot: Slot,
    },
}

/// What a snapshot is held in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Memory of the process.
    Memory,
    /// Files.
    Disk,
}

/// A place for one snapshot.
///
/// A schedule reuses slots that it has freed, so that the indices of a tier are as small as its number of live
/// snapshots allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// Memory or disk.
    pub tier: Tier,
    /// The number of the slot in its tier, from 0.
    pub index: usize,
}

impl Slot {
    /// A slot in memory.
    pub const fn memory(index: usize) -> Slot {
        Slot {
            tier: Tier::Memory,
            index,
        }
    }

    /// A slot on disk.
    pub const fn disk(index: usize) -> Slot {
        Slot {
            tier: Tier::Disk,
            index,
        }
    }
}

impl Action {
    /// The same with another slot, where it has one.
    pub(super) fn with_slot(mut self, other: impl FnOnce(Slot) -> Slot) -> Action {
        match &mut self {
            Action::Take { slot, .. }
            | Action::Restore { slot, .. }
            | Action::Drop { slot, .. } => {
                *slot = other(*slot);
            }
            Action::Advance { .. } | Action::Reverse { .. } => {}
        }
        self
    }
}
