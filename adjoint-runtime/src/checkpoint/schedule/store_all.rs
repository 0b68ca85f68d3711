//! No checkpointing: everything on the tape.

use super::super::Action;
use super::Schedule;

/// All steps are recorded at once: no snapshot, no step advanced twice, and a tape of all steps.
///
/// It is what an adjoint does without checkpointing, and what the other schedules are compared with.
///
/// ```
/// use adjoint_runtime::checkpoint::{Action, StoreAll};
/// let actions: Vec<_> = StoreAll::new(7).collect();
/// assert_eq!(actions, [Action::Reverse { from: 0, to: 7 }]);
/// ```
#[derive(Debug, Clone)]
pub struct StoreAll {
    steps: usize,
    done: bool,
}

impl StoreAll {
    /// For a loop of so many steps.
    pub fn new(steps: usize) -> StoreAll {
        StoreAll {
            steps,
            done: steps == 0,
        }
    }
}

impl Iterator for StoreAll {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        if std::mem::replace(&mut self.done, true) {
            return None;
        }
        let to = self.steps;
        Some(Action::Reverse { from: 0, to })
    }
}

impl Schedule for StoreAll {
    fn steps(&self) -> Option<usize> {
        Some(self.steps)
    }
}
