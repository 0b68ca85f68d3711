//! What the analyses found on the way to a plan; the report tells it.

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
    /// The parts of variables that to-be-recorded analysis tells apart.
    pub cells: Cells,
    /// What the adjoint of each statement reads of the primal, by statement id.
    pub uses: Vec<Uses>,
    /// What is required at an outermost call.
    pub own: Tbr,
    /// What is required where the caller wants its `&mut` arguments back.
    pub for_caller: Tbr,
}
