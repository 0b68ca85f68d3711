//! What is known of a callee: `[TBR]` §4 and §5.2 across calls, bottom-up.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::Demand;

/// What the body of a function shows to its callers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// `Dep` of the function: the parameters (by [`crate::ir::demand::param_bit`]) on which each
    /// output depends in a differentiable way; first the result, then the parameters in order. A
    /// `&mut` parameter that does not depend on itself is overwritten in all of it. Where there is no
    /// mask, the output depends on everything.
    pub depends: Vec<u64>,
    /// For whom the reverse sweep reads the value of each parameter: for `&mut` ones the value that the
    /// call leaves, for others the one that it gets.
    pub reads: Vec<Demand>,
    /// The functions that it may call, also by way of others, of those whose bodies are seen.
    pub reaches: BTreeSet<String>,
}

/// How the contexts of a callee are kept few.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Closing {
    /// Its body is not seen, nor whom it calls: it gets exact contexts a few calls deep.
    #[default]
    Limited,
    /// It can't lead back to this function: it is told exactly.
    Exact,
    /// It may lead back to this function: it is told all or nothing.
    Recursive,
}

impl Summary {
    /// Takes in what another run of the analysis has found.
    pub fn extend(&mut self, found: &Summary) {
        for (mask, more) in self.depends.iter_mut().zip(&found.depends) {
            *mask |= more;
        }
        for (read, more) in self.reads.iter_mut().zip(&found.reads) {
            *read = read.union(*more);
        }
        self.reaches.extend(found.reaches.iter().cloned());
    }
}

/// The summaries of the functions whose bodies are seen, by the path that calls them; that of a method
/// of the own type also by its name after a dot.
pub type Summaries = BTreeMap<String, Summary>;
