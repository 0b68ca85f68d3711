//! What can go wrong with the memory of a sweep.

use std::error::Error;
use std::fmt;
use std::panic::{Location, resume_unwind};

use crate::checkpoint::StoreError;

/// Why an adjoint could not be computed, from `f_adjoint_try`.
#[derive(Debug)]
#[non_exhaustive]
pub enum SweepError {
    /// The sweep needs more memory than its tape may hold: see [`Tape::with_limit`](crate::Tape::with_limit).
    Limit(LimitExceeded),
    /// A snapshot's file could not be made, written or read.
    Snapshot(StoreError),
}

/// A sweep needs more memory than its tape may hold. The message names the loop that holds most, and what to write there.
#[derive(Debug, Clone, Copy)]
pub struct LimitExceeded {
    pub(crate) limit: usize,
    pub(crate) holder: Holder,
    pub(crate) bytes: usize,
}

/// Who holds memory of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holder {
    /// The outermost loop that ran, if one did.
    pub(crate) outermost: Option<&'static Location<'static>>,
    /// Whether its snapshots do.
    pub(crate) is_snapshots: bool,
}

impl LimitExceeded {
    /// The limit in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The position of the outermost loop that holds most, or `None` if what is recorded outside of loops is more.
    pub fn location(&self) -> Option<&'static Location<'static>> {
        self.holder.outermost
    }

    /// How many bytes that loop held when the limit was met, with those that were refused.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, bytes) = (self.limit, self.bytes);
        write!(
            f,
            "adjoint tape: the sweep needs more than the limit of {limit} bytes. "
        )?;
        match (self.holder.outermost, self.holder.is_snapshots) {
            (Some(at), false) => write!(
                f,
                "The loop at {at} takes most, {bytes} bytes: reverse it from snapshots by `#[checkpoint(snapshots = 10)]` in front of it"
            ),
            (Some(at), true) => write!(
                f,
                "The snapshots of the loop at {at} take most, {bytes} bytes: give it fewer, or more of them in files by `disk = ..`"
            ),
            (None, _) => write!(
                f,
                "What is recorded outside of loops takes most, {bytes} bytes: put `#[checkpoint]` in front of the call that records it"
            ),
        }
    }
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SweepError::Limit(error) => error.fmt(f),
            SweepError::Snapshot(error) => error.fmt(f),
        }
    }
}

impl Error for LimitExceeded {}

impl Error for SweepError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SweepError::Limit(_) => None,
            SweepError::Snapshot(error) => error.source(),
        }
    }
}

impl SweepError {
    /// Ends the adjoint: by a panic with the message, or, where a caller takes the error, by unwinding to there.
    #[cold]
    pub(crate) fn raise(self, is_tried: bool) -> ! {
        match is_tried {
            true => resume_unwind(Box::new(self)),
            false => panic!("{self}"),
        }
    }
}
