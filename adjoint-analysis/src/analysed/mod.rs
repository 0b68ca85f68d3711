//! A function as far as it is analysed: what emission and the report are made from.

pub mod source;

use self::source::Source;
use crate::lower::Lowered;
use crate::passes::activity::Boundary;
use crate::plan::Plan;
use crate::plan::facts::Facts;

/// A function with its reversal, and what was found on the way to it.
pub struct Analysed {
    /// The IR with the user's code and positions.
    pub lowered: Lowered,
    /// Its reversal.
    pub plan: Plan,
    /// Independents and dependents.
    pub boundary: Boundary,
    /// What the analyses found.
    pub facts: Facts,
    /// The text of the body, where there is one.
    pub source: Option<Source>,
}
