//! The results of the analyses behind a plan, for the report.

use super::build::Config;
use crate::ir::{Expr, Func, StmtId, VarId};
use crate::passes::activity::Activity;
use crate::passes::sets::cells::Cells;
use crate::passes::tbr::{self, LocalRestore, Tbr, Uses};

/// The results of the passes over one function.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The optimisations that were on.
    pub config: Config,
    /// The function as it is planned, without its gradients: flattened, where that pays.
    pub func: Func,
    /// The number of its statement ids.
    pub statements: usize,
    /// For each statement of the plan, the user's statement that it comes from.
    pub origins: Vec<StmtId>,
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

impl Facts {
    /// How a local comes back at the end of its scope.
    pub fn at_end(&self, v: VarId) -> Option<LocalRestore> {
        tbr::at_end([&self.own, &self.for_caller], v)
    }

    /// What the integer that the statement overwrites was, where it is inverted.
    pub fn inverse(&self, id: StmtId) -> Option<&Expr> {
        let inverted = [&self.own.inverted, &self.for_caller.inverted];
        inverted.into_iter().find_map(|inverted| inverted.get(&id))
    }

    /// What a local is where its scope ends, if it is inverted.
    pub fn inverse_at_end(&self, v: VarId) -> Option<&Expr> {
        let ends = [&self.own.inverted_ends, &self.for_caller.inverted_ends];
        ends.into_iter().find_map(|ends| ends.get(&v))
    }

    /// The variable from which a local is copied back.
    pub fn holder(&self, v: VarId) -> Option<VarId> {
        let copies = [&self.own.copies, &self.for_caller.copies];
        copies
            .into_iter()
            .find_map(|copies| copies.get(&v))
            .copied()
    }

    /// Whether the statement overwrites a literal that the reverse sweep requires.
    pub fn overwrites_constant(&self, id: StmtId) -> bool {
        self.own.constants.contains(&id) || self.for_caller.constants.contains(&id)
    }
}
