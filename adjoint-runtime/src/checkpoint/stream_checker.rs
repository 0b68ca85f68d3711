//! Checks each action of a stream before it is done, and counts.

use super::{Action, LoopStats, Slot, Tier};

/// Follows a stream, and panics where it breaks the rules of [`Schedule`](super::Schedule): a wrong schedule ends in a
/// panic, not in wrong adjoints.
#[derive(Debug)]
pub(super) struct StreamChecker {
    /// The number of the current state, if there is one.
    at: Option<usize>,
    /// The first of the steps that are reversed already.
    reversed_from: Option<usize>,
    /// The slots in use, with the numbers of their states.
    live: Vec<(Slot, usize)>,
    /// The state about whose step the solver is asked next.
    unasked: usize,
    stats: LoopStats,
}

impl StreamChecker {
    /// At the entry state.
    pub(super) fn new() -> StreamChecker {
        StreamChecker {
            at: Some(0),
            reversed_from: None,
            live: Vec::new(),
            unasked: 0,
            stats: LoopStats::default(),
        }
    }

    /// The number of the current state, if there is one.
    pub(super) fn at(&self) -> Option<usize> {
        self.at
    }

    /// The number of the current state, once.
    pub(super) fn next_unasked(&mut self) -> Option<usize> {
        let new = self.at.filter(|&step| step == self.unasked)?;
        self.unasked += 1;
        Some(new)
    }

    /// Follows an action, in a loop of so many steps, if their number is known.
    pub(super) fn note(&mut self, action: Action, steps: Option<usize>) {
        match action {
            Action::Advance { from, to } => {
                require(steps.is_none_or(|steps| to <= steps), action);
                self.advance(action, from, to);
            }
            Action::Reverse { from, to } => {
                require(self.reversed_from.or(steps) == Some(to), action);
                self.reverse(action, from, to);
            }
            Action::Take { step, slot } => self.take(action, step, slot),
            Action::Restore { step, slot } => self.restore(action, step, slot),
            Action::Drop { step, slot } => self.drop(action, step, slot),
        }
    }

    /// Behind the last action, for a loop of so many steps.
    pub(super) fn finish(&self, steps: Option<usize>) -> LoopStats {
        let steps = steps.expect("checkpointing: a schedule ended before its loop");
        assert_eq!(
            self.reversed_from.unwrap_or(steps),
            0,
            "checkpointing: a schedule ended before all steps were reversed"
        );
        assert!(
            self.live.is_empty(),
            "checkpointing: a schedule ended with live snapshots: {:?}",
            self.live
        );
        LoopStats {
            steps,
            ..self.stats
        }
    }

    fn advance(&mut self, action: Action, from: usize, to: usize) {
        require(self.at == Some(from) && from < to, action);
        self.at = Some(to);
        self.stats.advanced += to - from;
    }

    fn reverse(&mut self, action: Action, from: usize, to: usize) {
        require(self.at == Some(from) && from < to, action);
        self.at = None;
        self.reversed_from = Some(from);
        self.stats.longest_record = self.stats.longest_record.max(to - from);
    }

    fn take(&mut self, action: Action, step: usize, slot: Slot) {
        let free = self.live.iter().all(|&(other, _)| other != slot);
        require(self.at == Some(step) && free, action);
        self.live.push((slot, step));
        let on_disk = self.live.iter().map(|(slot, _)| slot.tier == Tier::Disk);
        let disk = on_disk.map(usize::from).sum();
        let stats = &mut self.stats;
        stats.taken += 1;
        stats.peak_snapshots = stats.peak_snapshots.max(self.live.len());
        stats.peak_memory = stats.peak_memory.max(self.live.len() - disk);
        stats.peak_disk = stats.peak_disk.max(disk);
    }

    fn restore(&mut self, action: Action, step: usize, slot: Slot) {
        require(self.live.contains(&(slot, step)), action);
        self.at = Some(step);
        self.stats.restored += 1;
    }

    fn drop(&mut self, action: Action, step: usize, slot: Slot) {
        require(self.live.contains(&(slot, step)), action);
        self.live.retain(|&(other, _)| other != slot);
    }
}

#[track_caller]
fn require(allowed: bool, action: Action) {
    assert!(
        allowed,
        "checkpointing: a schedule is out of step at {action:?}"
    );
}
