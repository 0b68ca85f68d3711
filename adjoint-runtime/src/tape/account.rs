//! The account of a tape with a limit: who holds how many bytes of it.
//!
//! Stacks are charged where they grow, so that pushes stay as they are. What is charged is attributed to the outermost loop
//! that runs, which holds at least what its inner loops hold.

use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sweep_error::{Holder, LimitExceeded, SweepError};

/// The values for which there is always room ahead, so that few pushes allocate.
const AHEAD: usize = 64;

/// The position of a loop.
pub(crate) type Site = &'static Location<'static>;

/// A share in the account of a tape and of its snapshots.
#[derive(Clone)]
pub(crate) struct Account {
    shared: Arc<Shared>,
    holds_snapshots: bool,
}

struct Shared {
    limit: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    used: usize,
    /// Whether an excess is an error that a caller takes, and not a panic.
    is_tried: bool,
    /// The loops that run, and the outermost one.
    depth: usize,
    outermost: Option<Site>,
    held: Vec<(Holder, usize)>,
}

impl Account {
    pub(crate) fn new(limit: usize) -> Account {
        Account {
            shared: Arc::new(Shared {
                limit,
                state: Mutex::default(),
            }),
            holds_snapshots: false,
        }
    }

    /// The share of the snapshots.
    pub(crate) fn of_snapshots(&self) -> Account {
        Account {
            holds_snapshots: true,
            ..self.clone()
        }
    }

    /// Another one with this limit, for the next adjoint.
    pub(super) fn renewed(&self) -> Account {
        Account::new(self.shared.limit)
    }

    pub(super) fn set_tried(&self, is_tried: bool) {
        self.state().is_tried = is_tried;
    }

    #[cold]
    #[inline(never)]
    pub(super) fn enter_loop(&self, site: Site) {
        let mut state = self.state();
        if state.depth == 0 {
            state.outermost = Some(site);
        }
        state.depth += 1;
    }

    #[cold]
    #[inline(never)]
    pub(super) fn leave_loop(&self) {
        let mut state = self.state();
        state.depth -= 1;
        if state.depth == 0 {
            state.outermost = None;
        }
    }

    /// Charges `needed` values of this size, and more of them up to `wanted`, but near the limit only half of what is free, for
    /// other stacks. Returns how many.
    ///
    /// An excess ends the adjoint.
    pub(super) fn charge(
        &self,
        holder: Holder,
        size: usize,
        wanted: usize,
        needed: usize,
    ) -> usize {
        let mut state = self.state();
        let free = self.shared.limit.saturating_sub(state.used) / size;
        if needed > free {
            state.attribute(holder, needed.saturating_mul(size));
            let (is_tried, error) = (state.is_tried, state.excess(self.shared.limit));
            drop(state);
            error.raise(is_tried);
        }
        let ahead = (free / 2).max(AHEAD).min(free);
        let charged = wanted.min(ahead).max(needed);
        state.used += charged * size;
        state.attribute(holder, charged * size);
        charged
    }

    /// Charges these values if they are within the limit.
    pub(super) fn charge_if_free(&self, size: usize, values: usize) -> bool {
        let holder = self.holder(None);
        let mut state = self.state();
        let is_free = values <= self.shared.limit.saturating_sub(state.used) / size;
        if is_free {
            state.used += values * size;
            state.attribute(holder, values * size);
        }
        is_free
    }

    /// Takes back what was charged to this holder.
    pub(super) fn release(&self, holder: Holder, bytes: usize) {
        let mut state = self.state();
        state.used -= bytes;
        if let Some(held) = state.held_by(holder) {
            *held -= bytes;
        }
    }

    /// To whom bytes are charged: the outermost loop that runs, or else this one.
    pub(super) fn holder(&self, site: Option<Site>) -> Holder {
        Holder {
            outermost: self.state().outermost.or(site),
            is_snapshots: self.holds_snapshots,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.shared.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn held_by(&mut self, holder: Holder) -> Option<&mut usize> {
        let mut held = self.held.iter_mut();
        held.find(|(other, _)| *other == holder)
            .map(|(_, bytes)| bytes)
    }

    fn attribute(&mut self, holder: Holder, bytes: usize) {
        match self.held_by(holder) {
            Some(held) => *held = held.saturating_add(bytes),
            None => self.held.push((holder, bytes)),
        }
    }

    /// The error, which names who holds most.
    fn excess(&self, limit: usize) -> SweepError {
        let most = self.held.iter().max_by_key(|(_, bytes)| *bytes);
        let (holder, bytes) = *most.expect("what was needed is attributed");
        SweepError::Limit(LimitExceeded {
            limit,
            holder,
            bytes,
        })
    }
}
