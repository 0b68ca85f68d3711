//! Schedules: streams of actions that know nothing of the solver.

mod binomial;
mod online;
mod optimum;
mod periodic;
mod reversal;
mod store_all;
mod two_level;

use super::Action;

pub use binomial::Binomial;
pub use online::Online;
pub use optimum::{optimal_advances, repetitions};
pub use periodic::Periodic;
pub use store_all::StoreAll;
pub use two_level::TwoLevel;

/// The order in which a loop's steps are advanced, saved, restored and reversed.
///
/// A schedule is an iterator over [`Action`]s: whoever drives it does what each one says. In the whole stream, each
/// step is reversed once, the last one first, from the state that it had in the first pass; each slot that is taken is
/// dropped. [`reverse_loop`](super::reverse_loop) drives any schedule, and panics where a stream breaks these rules.
///
/// # Loops of unknown length
///
/// As long as [`steps`](Schedule::steps) is `None`, whoever drives the schedule looks at each new state, before the
/// next action: if the loop ends there, [`end_at`](Schedule::end_at) says so. Such schedules advance one step at a
/// time.
pub trait Schedule: Iterator<Item = Action> {
    /// The number of steps, as soon as it is known.
    fn steps(&self) -> Option<usize>;

    /// Says that the loop has ended: the current state, of number `steps`, is its exit state.
    ///
    /// # Panics
    ///
    /// If the number of steps is known already, or `steps` is not the number of the current state.
    fn end_at(&mut self, steps: usize) {
        panic!(
            "checkpointing: the loop ended at step {steps}, in a schedule whose length is fixed"
        );
    }
}

/// Panics if there is no snapshot.
fn require_snapshots(snapshots: usize) {
    assert!(
        snapshots > 0,
        "checkpointing needs at least one snapshot: that of the loop's entry state"
    );
}
