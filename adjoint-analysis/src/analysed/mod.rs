//! An analysed function: the input of emission and of the report.

pub mod source;

use self::source::Source;
use crate::lower::Lowered;
use crate::passes::activity::{Activity, Boundary, activity};
use crate::passes::flattening::jacobian::{DirectJacobian, direct};
use crate::plan::Plan;
use crate::plan::facts::Facts;

/// A function with its reversal and the results of the analyses.
pub struct Analysed {
    /// The IR with the user's code and positions.
    pub lowered: Lowered,
    /// Its reversal.
    pub plan: Plan,
    /// Independents and dependents.
    pub boundary: Boundary,
    /// The results of the analyses.
    pub facts: Facts,
    /// The text of the body, if it is available.
    pub source: Option<Source>,
}

impl Analysed {
    /// The activity of the function before preaccumulation, which its graphs are made with.
    pub fn activity(&self) -> Activity {
        let Facts {
            func,
            statements,
            config,
            ..
        } = &self.facts;
        activity(func, &self.boundary, *statements, config.activity)
    }

    /// Its Jacobian without sweeps, if it can be computed in this way.
    pub fn direct_jacobian(&self) -> Option<DirectJacobian> {
        direct(&self.facts.func, self.facts.statements, &self.boundary)
    }
}
