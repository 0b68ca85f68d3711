//! For which callers something is done.
//!
//! A function has one plan for all its callers. A caller says which arguments are varied, which
//! results are useful, and whether it wants its `&mut` arguments back; a [`Demand`] in the plan says
//! for whom a statement or a record is there. It folds away where the caller is known.

/// The callers that something is done for: those that want a derivative of some output in `of` with
/// respect to some parameter in `wrt`, provided that one of `facts` holds, and, with `restore`, those
/// that want `&mut` arguments back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Demand {
    /// Parameters, by [`param_bit`].
    pub wrt: u64,
    /// Outputs, by [`RESULT_BIT`] and [`output_bit`].
    pub of: u64,
    /// What callees need of it, by [`fact_bit`]; all of them where nobody has to be asked.
    pub facts: u64,
    /// Whether it serves to give `&mut` arguments back.
    pub restore: bool,
}

/// What a caller wants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Caller {
    /// The varied arguments, by [`param_bit`].
    pub varied: u64,
    /// The useful outputs, by [`RESULT_BIT`] and [`output_bit`].
    pub useful: u64,
    /// Whether the `&mut` arguments have to hold their entry values afterwards.
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

/// The bit of what a callee's handle has to be asked ([`crate::plan::Plan::callee_facts`]); those beyond the
/// 63rd are taken to hold.
pub fn fact_bit(fact: usize) -> u64 {
    1 << fact.min(63)
}

/// The bit of the fact that always holds.
pub const CERTAIN: u64 = 1 << 63;

impl Demand {
    /// Nobody.
    pub const NEVER: Demand = Demand {
        wrt: 0,
        of: 0,
        facts: 0,
        restore: false,
    };

    /// Callers that want their arguments back.
    pub const RESTORE: Demand = Demand {
        restore: true,
        ..Demand::NEVER
    };

    /// Everybody.
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

    /// The same where a callee has to be asked.
    pub fn provided(self, facts: u64) -> Demand {
        Demand {
            facts: self.facts & facts,
            ..self
        }
    }

    /// The same, asking no callee.
    pub fn certain(self) -> Demand {
        match self.facts {
            0 => self,
            _ => Demand {
                facts: u64::MAX,
                ..self
            },
        }
    }

    /// All that either demands, and perhaps more: the union of the parameters with the union of the
    /// outputs.
    pub fn union(self, other: Demand) -> Demand {
        Demand {
            wrt: self.wrt | other.wrt,
            of: self.of | other.of,
            facts: self.facts | other.facts,
            restore: self.restore || other.restore,
        }
    }

    /// Whether everybody in `self` is in `other`.
    pub fn implies(self, other: Demand) -> bool {
        self.union(other) == other
    }

    /// Whether nobody demands it.
    pub fn is_never(self) -> bool {
        self == Demand::NEVER
    }

    /// Whether it is only for callers that want their arguments back.
    pub fn only_restores(self) -> bool {
        self == Demand::RESTORE
    }
}

impl Caller {
    /// The outermost call: all derivatives, and no argument back.
    pub const OUTERMOST: Caller = Caller {
        varied: u64::MAX,
        useful: u64::MAX,
        restore: false,
        facts: u64::MAX,
    };

    /// A caller that wants all derivatives, and its arguments back.
    pub const RESTORING: Caller = Caller {
        restore: true,
        ..Caller::OUTERMOST
    };

    /// Whether the caller is among those that something is done for.
    pub fn wants(self, demand: Demand) -> bool {
        let derivative = self.varied & demand.wrt != 0 && self.useful & demand.of != 0;
        (derivative && self.facts & demand.facts != 0) || (self.restore && demand.restore)
    }
}
