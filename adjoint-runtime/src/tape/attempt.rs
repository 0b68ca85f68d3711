//! An adjoint whose lack of memory is an error.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::Tape;
use crate::SweepError;

#[doc(hidden)]
impl Tape {
    /// Runs an adjoint on this tape. Where it runs out of memory, nothing of it stays on the tape, in memory or in files.
    ///
    /// The error unwinds from where it occurs to here, so that the sweeps themselves have no errors to hand on. It is no
    /// panic: no hook runs.
    pub fn attempt<R>(&mut self, adjoint: impl FnOnce(&mut Tape) -> R) -> Result<R, SweepError> {
        self.set_tried(true);
        let result = catch_unwind(AssertUnwindSafe(|| adjoint(self)));
        self.set_tried(false);
        result.map_err(|payload| match payload.downcast::<SweepError>() {
            Ok(error) => {
                self.begin();
                self.abandon();
                *error
            }
            Err(panic) => resume_unwind(panic),
        })
    }

    pub(super) fn set_tried(&mut self, is_tried: bool) {
        self.is_tried = is_tried;
        if let Some(account) = &self.account {
            account.set_tried(is_tried);
        }
    }
}
