//! Demands: the callers that a part of a plan is for.
//!
//! A function has one plan for all its callers. A [`Caller`] states which arguments are varied, which results are
//! useful, and whether it needs its `&mut` arguments restored; a [`Demand`] in the plan states which callers need a
//! statement or a record. It is a constant where the caller is known.

/// The callers that need a part of a plan: those that want a derivative of some output in `of` with respect to some
/// parameter in `wrt`, provided that one of `facts` holds, and, with `restore`, those that need their `&mut` arguments
/// restored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Demand {
    /// Parameters, by [`param_bit`].
    pub wrt: u64,
    /// Outputs, by [`RESULT_BIT`] and [`output_bit`].
    pub of: u64,
    /// The callee facts of which one must hold, by [`fact_bit`]; all bits if there is no condition.
    pub facts: u64,
    /// Whether callers that need their `&mut` arguments restored need it.
    pub restore: bool,
}

/// A caller.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Caller {
    /// The varied arguments, by [`param_bit`].
    pub varied: u64,
    /// The useful outputs, by [`RESULT_BIT`] and [`output_bit`].
    pub useful: u64,
    /// Whether the `&mut` arguments must be restored to their entry values.
    pub restore: bool,
    /// The facts about callees that hold for this caller, by [`fact_bit`], and [`CERTAIN`].
    pub facts: u64,
}

/// The bit of the parameter at a position; those beyond the 64th share the last one.
pub fn param_bit(position: usize) -> u64 {
    1 << position.min(63)
}

/// The bit of the returned value.
pub const RESULT_BIT: u64 = 1;

/// The bit of the `&mut` parameter at a position.
pub fn output_bit(position: usize) -> u64 {
    1 << (position + 1).min(63)
}

/// The bit of a query of a callee's handle ([`crate::plan::Plan::callee_facts`]); those beyond the 63rd count as facts
/// that hold ([`CERTAIN`]).
pub fn fact_bit(fact: usize) -> u64 {
    1 << fact.min(63)
}

/// The bit of the fact that always holds.
pub const CERTAIN: u64 = 1 << 63;

impl Demand {
    /// No caller.
    pub const NEVER: Demand = Demand {
        wrt: 0,
        of: 0,
        facts: 0,
        restore: false,
    };

    /// Callers that need their arguments restored.
    pub const RESTORE: Demand = Demand {
        restore: true,
        ..Demand::NEVER
    };

    /// All callers.
    pub const ALWAYS: Demand = Demand {
        wrt: u64::MAX,
        of: u64::MAX,
        facts: u64::MAX,
        restore: true,
    };

    /// Callers that want some of these outputs differentiated by some of these parameters.
    pub fn new(wrt: u64, of: u64) -> Demand {
        match wrt == 0 || of == 0 {
            true => Demand::NEVER,
            false => Demand {
                wrt,
                of,
                facts: u64::MAX,
                restore: false,
            },
        }
    }

    /// The demand on the condition that one of these callee facts holds.
    pub fn with_facts(self, facts: u64) -> Demand {
        Demand {
            facts: self.facts & facts,
            ..self
        }
    }

    /// The demand without the condition of a callee fact.
    pub fn unconditional(self) -> Demand {
        match self.facts {
            0 => self,
            _ => Demand {
                facts: u64::MAX,
                ..self
            },
        }
    }

    /// A demand that includes both, and perhaps more: the union of the parameters with the union of the outputs.
    pub fn union(self, other: Demand) -> Demand {
        Demand {
            wrt: self.wrt | other.wrt,
            of: self.of | other.of,
            facts: self.facts | other.facts,
            restore: self.restore || other.restore,
        }
    }

    /// Whether `other` includes every caller of `self`.
    pub fn implies(self, other: Demand) -> bool {
        self.union(other) == other
    }

    /// Whether it includes no caller.
    pub fn is_never(self) -> bool {
        self == Demand::NEVER
    }

    /// Whether it includes only callers that need their arguments restored.
    pub fn only_restores(self) -> bool {
        self == Demand::RESTORE
    }
}

impl Caller {
    /// The outermost call: wants all derivatives, needs no argument restored.
    pub const OUTERMOST: Caller = Caller {
        varied: u64::MAX,
        useful: u64::MAX,
        restore: false,
        facts: u64::MAX,
    };

    /// A caller that wants all derivatives and needs its arguments restored.
    pub const RESTORING: Caller = Caller {
        restore: true,
        ..Caller::OUTERMOST
    };

    /// Whether the demand includes this caller.
    pub fn wants(self, demand: Demand) -> bool {
        let derivative = self.varied & demand.wrt != 0 && self.useful & demand.of != 0;
        (derivative && self.facts & demand.facts != 0) || (self.restore && demand.restore)
    }
}
