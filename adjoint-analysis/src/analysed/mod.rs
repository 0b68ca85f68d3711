//! An analysed function: the input of emission and of the report.

pub mod source;

use self::source::Source;
use crate::lower::Lowered;
use crate::passes::activity::Boundary;
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
