//! A checkpointed loop in generated code, between its sweeps.
//!
//! A snapshot is a tape of its own, onto which generated code records the loop's state as it records any values.

use super::snapshots::Snapshots;
use super::{Action, Binomial, Online, Schedule, TwoLevel};
use crate::Tape;
use crate::tape::{Account, Pushed};

/// The schedule of a loop and its snapshots.
#[derive(Default)]
pub struct Steps {
    schedule: Option<Box<dyn Schedule + Send>>,
    snapshots: Snapshots,
    /// The number of the step that the forward sweep comes to next.
    position: usize,
    /// The step up to which the forward sweep takes no snapshots.
    target: usize,
    /// The action behind the one that is done.
    next: Option<Action>,
    /// The bytes of the snapshots behind the forward sweep.
    held: usize,
}

/// What the reverse sweep has to do next.
pub enum Step<'a> {
    /// To restore the state from this snapshot, and to record it there again if it is used once more.
    Restore(&'a mut Tape, bool),
    /// To record the state onto this snapshot.
    Take(&'a mut Tape),
    /// To run the steps from the first number up to the second one, without records.
    Advance(usize, usize),
    /// To run a step with its records, and to reverse it.
    Reverse(usize),
}

impl Steps {
    /// At the start of a step of the forward sweep: the snapshot that the state goes to, if one is taken.
    pub fn arrive(&mut self) -> Option<&mut Tape> {
        let schedule = self.schedule.as_mut()?;
        let step = self.position;
        self.position += 1;
        if step < self.target {
            return None;
        }
        let mut taken = None;
        loop {
            match schedule.next() {
                Some(Action::Take { slot, .. }) => taken = Some(slot),
                Some(Action::Drop { slot, .. }) => self.snapshots.release(slot),
                Some(Action::Advance { to, .. }) => {
                    self.target = to;
                    break;
                }
                other => unexpected(other),
            }
        }
        Some(self.snapshots.save(taken?))
    }

    /// Behind the loop, in the forward sweep.
    fn leave(&mut self) {
        self.snapshots.settle();
        if let Some(schedule) = &mut self.schedule {
            if schedule.steps().is_none() {
                schedule.end_at(self.position);
            }
            self.next = schedule.next();
        }
    }

    /// The next thing to do in the reverse sweep.
    pub fn next_step(&mut self) -> Option<Step<'_>> {
        loop {
            let schedule = self.schedule.as_mut()?;
            let action = std::mem::replace(&mut self.next, schedule.next());
            match action? {
                Action::Advance { from, to } => return Some(Step::Advance(from, to)),
                Action::Reverse { from, .. } => return Some(Step::Reverse(from)),
                Action::Take { slot, .. } => return Some(Step::Take(self.snapshots.save(slot))),
                Action::Restore { slot, .. } => {
                    let is_last =
                        matches!(self.next, Some(Action::Drop { slot: next, .. }) if next == slot);
                    let (snapshot, is_copy) = self.snapshots.restore(slot);
                    return Some(Step::Restore(snapshot, !is_last && !is_copy));
                }
                Action::Drop { slot, .. } => self.snapshots.release(slot),
            }
        }
    }
}

/// The loops of an adjoint that are not reversed yet, and memory for others.
#[derive(Default)]
pub(crate) struct Loops {
    open: Vec<Steps>,
    spare: Vec<Snapshots>,
    /// What the adjoint took.
    taken: Pushed,
    /// The bytes in memory of the snapshots of open loops, and the most of all that there were at once.
    bytes: usize,
    most_bytes: usize,
}

impl Loops {
    /// Starts another adjoint.
    pub(crate) fn begin(&mut self) {
        self.clear();
        (self.taken, self.bytes, self.most_bytes) = Default::default();
    }

    /// Ends the loops that a panic has left open.
    fn clear(&mut self) {
        for mut steps in self.open.drain(..) {
            steps.snapshots.clear();
            self.spare.push(steps.snapshots);
        }
    }

    /// Whether loops are to be reversed.
    pub(crate) fn are_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// What was taken, and the most bytes in memory at once.
    pub(crate) fn stats(&self) -> (Pushed, usize) {
        (self.taken, self.most_bytes)
    }

    fn close(&mut self, mut steps: Steps) {
        steps.leave();
        self.bytes += steps.snapshots.bytes();
        self.most_bytes = self.most_bytes.max(self.bytes);
        steps.held = steps.snapshots.bytes();
        self.open.push(steps);
    }

    fn end(&mut self, mut steps: Steps) {
        let (taken, most) = steps.snapshots.clear();
        self.bytes -= steps.held;
        self.most_bytes = self.most_bytes.max(self.bytes + most);
        self.taken += taken;
        self.spare.push(steps.snapshots);
    }
}

#[doc(hidden)]
impl Tape {
    /// Starts a checkpointed loop in the forward sweep, of a known number of steps or not. Where the loop isn't reversed, no
    /// snapshot is taken.
    pub fn open_steps(
        &mut self,
        is_reversed: bool,
        snapshots: usize,
        disk: usize,
        steps: Option<usize>,
    ) -> Steps {
        if !is_reversed {
            return Steps::default();
        }
        let account = self.account.as_ref().map(Account::of_snapshots);
        let spare = self.loops.get_or_insert_default().spare.pop();
        let snapshots_of = spare.unwrap_or_default().on(account, self.is_tried);
        let schedule: Box<dyn Schedule + Send> = match steps {
            Some(steps) if disk == 0 => Box::new(Binomial::reaching_exit(steps, snapshots)),
            Some(steps) => Box::new(TwoLevel::reaching_exit(steps, snapshots, disk)),
            None => Box::new(Online::with_disk(snapshots, disk)),
        };
        Steps {
            schedule: Some(schedule),
            snapshots: snapshots_of,
            ..Steps::default()
        }
    }

    /// Ends the loop in the forward sweep.
    pub fn close_steps(&mut self, steps: Steps) {
        if steps.schedule.is_some() {
            self.loops.get_or_insert_default().close(steps);
        }
    }

    /// Starts the loop in the reverse sweep.
    pub fn reopen_steps(&mut self) -> Steps {
        let open = self.loops.as_mut().and_then(|loops| loops.open.pop());
        open.expect("adjoint tape: there is no loop to reverse, the sweeps are out of step (a bug in `adjoint`)")
    }

    /// Ends the loop in the reverse sweep.
    pub fn end_steps(&mut self, steps: Steps) {
        self.loops.get_or_insert_default().end(steps);
    }
}

fn unexpected(action: Option<Action>) -> ! {
    panic!(
        "adjoint tape: {action:?} in the forward sweep of a checkpointed loop (a bug in `adjoint`)"
    )
}
