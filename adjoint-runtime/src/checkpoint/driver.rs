//! Runs the stream of a schedule on a solver.

use std::ops::Range;

use super::stream_checker::StreamChecker;
use super::{Action, LoopStats, Schedule, Store, StoreError};

/// A loop that can be advanced, saved, restored and reversed: what a solver implements to be driven by
/// [`reverse_loop`]. [`Closures`](super::Closures) makes one of closures.
///
/// The *state* is what step `i` needs and steps change. State `i` is the one in front of step `i`. Steps are
/// deterministic: from the same state, step `i` makes the same state each time.
pub trait CheckpointedLoop {
    /// A copy of the state.
    type Snapshot;

    /// Whether there is a step behind the current state, which is that of number `step`. Asked once for each state of
    /// the first pass, of schedules for loops of unknown length only.
    fn more(&mut self, step: usize) -> bool {
        let _ = step;
        true
    }

    /// Runs a step plainly: state `step` becomes state `step + 1`.
    fn advance(&mut self, step: usize);

    /// From state `steps.start`, runs these steps and records them, the first one first; then propagates adjoints
    /// through them, the last one first. It may leave any state behind.
    ///
    /// The first call has the loop's last step; between recording and reversing, the solver has its exit state, and can
    /// set adjoints that depend on it.
    fn reverse(&mut self, steps: Range<usize>);

    /// Copies the state, and overwrites all of `snapshot`: an earlier snapshot, or a default value.
    fn save(&self, snapshot: &mut Self::Snapshot);

    /// Makes the state that of the snapshot.
    fn restore(&mut self, snapshot: &Self::Snapshot);
}

/// Reverses a loop: drives a solver, in its entry state, by a schedule, with snapshots in a store.
///
/// Behind it, each step has been reversed once, the last one first, from the state that it had in the first pass. All
/// slots are free, and which state the solver has is not defined.
///
/// ```
/// use adjoint_runtime::checkpoint::{Binomial, Closures, Memory, reverse_loop};
///
/// // x ← x², ten times from 1.01. The adjoint of a step is multiplied by 2x.
/// let mut solver = Closures::new(
///     (1.01_f64, 1.0),
///     |(x, _), _| *x *= *x,
///     |(x, x_adj), _| *x_adj *= 2.0 * *x,
///     |(x, _), snapshot: &mut f64| *snapshot = *x,
///     |(x, _), snapshot| *x = *snapshot,
/// );
/// let stats = reverse_loop(&mut solver, Binomial::new(10, 3), &mut Memory::new())?;
/// let (_, x_adj) = solver.state;
///
/// let exact = 1024.0 * 1.01_f64.powi(1023);
/// assert!((x_adj / exact - 1.0).abs() < 1e-12);
/// assert_eq!(stats.advanced, 15);
/// assert_eq!(stats.peak_snapshots, 3);
/// # Ok::<(), adjoint_runtime::checkpoint::StoreError>(())
/// ```
///
/// # Errors
///
/// If the store has one. Adjoints are then those of some steps only.
///
/// # Panics
///
/// If the schedule breaks the rules of [`Schedule`], or has snapshots where the store has no slots. Panics of the
/// solver are passed on; the store can be used again.
pub fn reverse_loop<L: CheckpointedLoop>(
    solver: &mut L,
    schedule: impl Schedule,
    store: &mut impl Store<L::Snapshot>,
) -> Result<LoopStats, StoreError> {
    LoopSweeps::new(schedule).reverse(solver, store)
}

/// Both sweeps of a loop, where other code comes in between: what follows the loop, and its adjoint.
///
/// [`forward`](LoopSweeps::forward) runs the loop to its exit state and leaves snapshots in the store;
/// [`reverse`](LoopSweeps::reverse) reverses it. The schedule goes by way of the exit state: [`Online`](super::Online)
/// does, and what `reaching_exit` of the others makes.
///
/// ```
/// use adjoint_runtime::checkpoint::{Binomial, Closures, LoopSweeps, Memory};
///
/// // Five times x ← sin x; then y = x².
/// let (mut sweeps, mut store) = (LoopSweeps::new(Binomial::reaching_exit(5, 2)), Memory::new());
/// let solver = |x: f64, x_adj: f64| {
///     Closures::new(
///         (x, x_adj),
///         |(x, _), _| *x = x.sin(),
///         |(x, x_adj), _| *x_adj *= x.cos(),
///         |(x, _), snapshot: &mut f64| *snapshot = *x,
///         |(x, _), snapshot| *x = *snapshot,
///     )
/// };
///
/// let mut first = solver(1.0, 0.0);
/// sweeps.forward(&mut first, &mut store)?;
/// let (x, _) = first.state;
/// let y = x * x;
///
/// let mut second = solver(x, 2.0 * x);
/// sweeps.reverse(&mut second, &mut store)?;
/// let (_, x_adj) = second.state;
///
/// let states: Vec<f64> = std::iter::successors(Some(1.0_f64), |x| Some(x.sin())).take(6).collect();
/// assert_eq!(y, states[5] * states[5]);
/// assert_eq!(x_adj, states[..5].iter().rev().fold(2.0 * states[5], |adj, x| adj * x.cos()));
/// # Ok::<(), adjoint_runtime::checkpoint::StoreError>(())
/// ```
#[derive(Debug)]
pub struct LoopSweeps<H> {
    schedule: H,
    /// None before the first action.
    checker: Option<StreamChecker>,
}

impl<H: Schedule> LoopSweeps<H> {
    /// For one pass forwards and one backwards.
    pub fn new(schedule: H) -> LoopSweeps<H> {
        LoopSweeps {
            schedule,
            checker: None,
        }
    }

    /// Runs the loop from its entry state to its exit state.
    ///
    /// # Errors
    ///
    /// If the store has one.
    ///
    /// # Panics
    ///
    /// As [`reverse_loop`]; and if the schedule does not go by way of the exit state.
    pub fn forward<L: CheckpointedLoop>(
        &mut self,
        solver: &mut L,
        store: &mut impl Store<L::Snapshot>,
    ) -> Result<(), StoreError> {
        let checker = started(&mut self.checker, store)?;
        loop {
            ask(solver, &mut self.schedule, checker);
            if checker.at() == self.schedule.steps() {
                return Ok(());
            }
            let action = self.schedule.next();
            let Some(action) = action.filter(|action| !matches!(action, Action::Reverse { .. }))
            else {
                panic!(
                    "checkpointing: this schedule does not reach the loop's exit state: use `reaching_exit`"
                );
            };
            perform(action, solver, store, &self.schedule, checker)?;
        }
    }

    /// Reverses the loop, from any state of the solver behind [`forward`](LoopSweeps::forward), or else from its entry
    /// state.
    ///
    /// # Errors
    ///
    /// If the store has one. Adjoints are then those of some steps only.
    ///
    /// # Panics
    ///
    /// As [`reverse_loop`].
    pub fn reverse<L: CheckpointedLoop>(
        mut self,
        solver: &mut L,
        store: &mut impl Store<L::Snapshot>,
    ) -> Result<LoopStats, StoreError> {
        let checker = started(&mut self.checker, store)?;
        loop {
            ask(solver, &mut self.schedule, checker);
            match self.schedule.next() {
                Some(action) => perform(action, solver, store, &self.schedule, checker)?,
                None => return Ok(checker.finish(self.schedule.steps())),
            }
        }
    }
}

/// The checker; at the start, the store is cleared.
fn started<'a, T>(
    checker: &'a mut Option<StreamChecker>,
    store: &mut impl Store<T>,
) -> Result<&'a mut StreamChecker, StoreError> {
    if checker.is_none() {
        store.clear()?;
    }
    Ok(checker.get_or_insert_with(StreamChecker::new))
}

/// While the length is not known, asks once at each state whether the loop goes on.
fn ask<L: CheckpointedLoop>(
    solver: &mut L,
    schedule: &mut impl Schedule,
    checker: &mut StreamChecker,
) {
    if schedule.steps().is_none()
        && let Some(step) = checker.next_unasked()
        && !solver.more(step)
    {
        schedule.end_at(step);
    }
}

fn perform<L: CheckpointedLoop>(
    action: Action,
    solver: &mut L,
    store: &mut impl Store<L::Snapshot>,
    schedule: &impl Schedule,
    checker: &mut StreamChecker,
) -> Result<(), StoreError> {
    checker.note(action, schedule.steps());
    match action {
        Action::Advance { from, to } => (from..to).for_each(|step| solver.advance(step)),
        Action::Reverse { from, to } => solver.reverse(from..to),
        Action::Take { slot, .. } => store.save(slot, &mut |snapshot| solver.save(snapshot))?,
        Action::Restore { slot, .. } => {
            store.restore(slot, &mut |snapshot| solver.restore(snapshot))?;
        }
        Action::Drop { slot, .. } => store.release(slot)?,
    }
    Ok(())
}
