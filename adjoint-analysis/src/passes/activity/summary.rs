//! Summaries of callees: `[TBR]` §4 and §5.2 across calls, bottom-up.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::ir::{Demand, Func};
use crate::passes::checkpoint::Effect;

/// What one run of both sweeps costs, estimated.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cost {
    /// The reals on the tape.
    pub tape: f64,
    /// The operations on reals, with the records.
    pub work: f64,
}

/// The properties of a function that its callers use.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Summary {
    /// `Dep` of the function: the parameters (by [`crate::ir::demand::param_bit`]) on which each
    /// output depends in a differentiable way; first the result, then the parameters in order. A
    /// `&mut` parameter that does not depend on itself is overwritten in all of it. Where there is no
    /// mask, the output depends on everything.
    pub depends: Vec<u64>,
    /// The callers for which the reverse sweep reads the value of each parameter: of a `&mut` one its exit value, of
    /// others the entry value.
    pub reads: Vec<Demand>,
    /// Its effect on what its parameters lead to, where there are snapshots.
    pub effect: Option<Effect>,
    /// The function, if its calls can be replaced by it ([`crate::passes::flattening::inline`]).
    pub body: Option<Rc<Func>>,
    /// What a call costs.
    pub cost: Cost,
    /// The visible functions that it may call, directly or indirectly.
    pub reaches: BTreeSet<String>,
}

/// How the number of a callee's contexts is bounded.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ContextPolicy {
    /// Not visible, so that its own calls are unknown: its contexts are exact to a depth of a few calls.
    #[default]
    Limited,
    /// It can't call this function back: its contexts are exact.
    Exact,
    /// It may call this function back: its contexts are all or nothing.
    Recursive,
}

impl Summary {
    /// Merges the results of another run of the analysis.
    pub fn extend(&mut self, found: &Summary) {
        for (mask, more) in self.depends.iter_mut().zip(&found.depends) {
            *mask |= more;
        }
        for (read, more) in self.reads.iter_mut().zip(&found.reads) {
            *read = read.union(*more);
        }
        self.effect.clone_from(&found.effect);
        self.body.clone_from(&found.body);
        self.cost = found.cost;
        self.reaches.extend(found.reaches.iter().cloned());
    }
}

/// The summaries of the visible functions, by the path in their calls; that of a method of the own type also by
/// `.name`.
pub type Summaries = BTreeMap<String, Summary>;

/// Whether any of the functions is known to the others by its effect.
pub fn states_effects(summaries: &Summaries) -> bool {
    summaries.values().any(|summary| summary.effect.is_some())
}
