//! What is known of a callee: `[TBR]` §4 and §5.2 across calls, bottom-up.

use std::collections::BTreeMap;

/// What the body of a function shows to its callers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// `Dep` of the function: the parameters (by [`crate::ir::demand::param_bit`]) on which each
    /// output depends in a differentiable way; first the result, then the parameters in order. A
    /// `&mut` parameter that does not depend on itself is overwritten in all of it.
    pub depends: Vec<u64>,
    /// The parameters whose values the adjoint reads: for `&mut` ones those that the call leaves, for
    /// others those that it gets.
    pub reads: u64,
}

/// The summaries of the functions whose bodies are seen, by the path that calls them.
pub type Summaries = BTreeMap<String, Summary>;
