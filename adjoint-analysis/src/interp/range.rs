//! The values that the index of a counted loop takes.

use super::{Trap, TrapKind};
use crate::ir::Rev;

/// An arithmetic sequence: the iterations of a counted loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Trips {
    first: i128,
    stride: i128,
    pub(super) count: usize,
}

/// A range with its bounds evaluated.
pub(super) struct Bounds {
    pub(super) lo: i128,
    pub(super) hi: i128,
    pub(super) inclusive: bool,
    pub(super) step: i128,
    pub(super) rev: Rev,
}

impl Bounds {
    /// The iterations in their order.
    pub(super) fn trips(&self) -> Result<Trips, Trap> {
        if self.step == 0 {
            return TrapKind::DivisionByZero.err();
        }
        let values = (self.hi - self.lo + i128::from(self.inclusive)).max(0);
        let count = (values + self.step - 1) / self.step;
        let last = self.lo + values - 1;
        let (first, stride) = match self.rev {
            Rev::No => (self.lo, self.step),
            Rev::BeforeStep => (last, -self.step),
            Rev::AfterStep => (self.lo + (count - 1) * self.step, -self.step),
        };
        // A loop longer than this runs into the step limit anyway.
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        Ok(Trips {
            first,
            stride,
            count,
        })
    }
}

impl Trips {
    /// The index in iteration `k`.
    pub(super) fn value(&self, k: usize) -> i128 {
        self.first + k as i128 * self.stride
    }
}
