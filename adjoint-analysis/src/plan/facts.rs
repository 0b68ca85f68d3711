//! The results of the analyses behind a plan, for the report.

use super::build::Config;
use crate::passes::activity::Activity;
use crate::passes::sets::cells::Cells;
use crate::passes::tbr::{Tbr, Uses};

/// The results of the passes over one function.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The optimisations that were on.
    pub config: Config,
    /// `varied`, `useful` and `active`.
    pub activity: Activity,
    /// The cells that to-be-recorded analysis distinguishes.
    pub cells: Cells,
    /// What the adjoint of each statement reads of the primal, by statement id.
    pub uses: Vec<Uses>,
    /// The values required at an outermost call.
    pub own: Tbr,
    /// The values required if the caller needs its `&mut` arguments restored.
    pub for_caller: Tbr,
}
