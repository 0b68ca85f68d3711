//! A loop whose state is the number of its step, driven by hand.

use adjoint_runtime::checkpoint::{Action, Schedule, Slot, Tier};

/// One entry for each slot of a tier, by index.
type Slots<T> = [Vec<T>; 2];

/// The entry of a slot.
fn entry<T: Clone + Default>(slots: &mut Slots<T>, slot: Slot) -> &mut T {
    let tier = &mut slots[usize::from(slot.tier == Tier::Disk)];
    if slot.index >= tier.len() {
        tier.resize(slot.index + 1, T::default());
    }
    &mut tier[slot.index]
}

/// What a stream did to a loop.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How often each step was run plainly.
    pub advances: Vec<usize>,
    /// How often each slot was written.
    writes: Slots<usize>,
    /// How often each slot was read.
    reads: Slots<usize>,
    pub peak: usize,
    pub peak_memory: usize,
    pub peak_disk: usize,
    pub longest_record: usize,
    /// Whether the exit state was reached before the first reversal.
    pub reached_exit: bool,
}

impl Outcome {
    pub fn advanced(&self) -> usize {
        self.advances.iter().sum()
    }

    pub fn taken(&self) -> usize {
        self.writes.iter().flatten().sum()
    }

    /// Writes and reads in memory, by index of the slot.
    pub fn memory_accesses(&self) -> Vec<usize> {
        let ([writes, _], [reads, _]) = (&self.writes, &self.reads);
        writes.iter().zip(reads).map(|(w, r)| w + r).collect()
    }

    /// Writes and reads on disk.
    pub fn disk_accesses(&self) -> usize {
        let ([_, writes], [_, reads]) = (&self.writes, &self.reads);
        writes.iter().chain(reads).sum()
    }
}

/// A loop whose state is the number of its step.
struct Loop {
    steps: usize,
    /// The number of the current state, if there is one.
    state: Option<usize>,
    reversed_from: usize,
    /// The numbers of the states in the slots.
    slots: Slots<Option<usize>>,
    /// How many of them there are, by tier.
    live: [usize; 2],
    outcome: Outcome,
}

impl Loop {
    fn perform(&mut self, action: Action) {
        match action {
            Action::Advance { from, to } => {
                assert_eq!(self.state, Some(from));
                assert!(from < to);
                let advances = &mut self.outcome.advances[from..to];
                advances.iter_mut().for_each(|n| *n += 1);
                self.state = Some(to);
            }
            Action::Reverse { from, to } => {
                assert_eq!(self.state, Some(from));
                assert_eq!(to, self.reversed_from);
                assert!(from < to);
                let longest = &mut self.outcome.longest_record;
                *longest = (*longest).max(to - from);
                self.reversed_from = from;
                self.state = None;
            }
            Action::Take { step, slot } => self.take(step, slot),
            Action::Restore { step, slot } => {
                assert_eq!(*entry(&mut self.slots, slot), Some(step));
                *entry(&mut self.outcome.reads, slot) += 1;
                self.state = Some(step);
            }
            Action::Drop { step, slot } => {
                assert_eq!(entry(&mut self.slots, slot).take(), Some(step));
                self.live[usize::from(slot.tier == Tier::Disk)] -= 1;
            }
        }
        let unreversed = self.reversed_from == self.steps;
        self.outcome.reached_exit |= unreversed && self.state == Some(self.steps);
    }

    fn take(&mut self, step: usize, slot: Slot) {
        assert_eq!(self.state, Some(step));
        assert_eq!(entry(&mut self.slots, slot).replace(step), None);
        *entry(&mut self.outcome.writes, slot) += 1;
        self.live[usize::from(slot.tier == Tier::Disk)] += 1;
        let [memory, disk] = self.live;
        let outcome = &mut self.outcome;
        outcome.peak = outcome.peak.max(memory + disk);
        outcome.peak_memory = outcome.peak_memory.max(memory);
        outcome.peak_disk = outcome.peak_disk.max(disk);
    }
}

/// Runs a loop of so many steps. Asserts that each step is reversed once, the last one first, from the state that it
/// had, and that all slots are free in the end.
pub fn simulate(mut schedule: impl Schedule, steps: usize) -> Outcome {
    let mut run = Loop {
        steps,
        state: Some(0),
        reversed_from: steps,
        slots: Slots::default(),
        live: [0, 0],
        outcome: Outcome {
            advances: vec![0; steps],
            ..Outcome::default()
        },
    };
    loop {
        if schedule.steps().is_none() && run.state == Some(steps) {
            schedule.end_at(steps);
        }
        let Some(action) = schedule.next() else { break };
        run.perform(action);
    }
    assert_eq!(run.reversed_from, 0);
    assert_eq!(run.live, [0, 0]);
    assert_eq!(schedule.steps(), Some(steps));
    assert_eq!(schedule.next(), None);
    run.outcome
}

/// C(n, k).
pub fn choose(n: usize, k: usize) -> usize {
    if k > n {
        return 0;
    }
    (0..k.min(n - k)).fold(1, |c, i| c * (n - i) / (i + 1))
}

/// The least `r` with C(s + r, s) ≥ l.
pub fn least_repetitions(l: usize, s: usize) -> usize {
    (0..)
        .find(|r| choose(s + r, *r) >= l)
        .expect("C(s + r, r) grows with r")
}

/// r·l − C(s + r, r − 1).
pub fn optimum(l: usize, s: usize) -> usize {
    match least_repetitions(l, s) {
        0 => 0,
        r => r * l - choose(s + r, r - 1),
    }
}
