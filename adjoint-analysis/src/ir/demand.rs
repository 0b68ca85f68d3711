//! For which callers something is done.
//!
//! A function has one plan for all its callers. A caller says which arguments are varied, which
//! results are useful, and whether it wants its `&mut` arguments back; a [`Demand`] in the plan says
//! for whom a statement or a record is there. It folds away where the caller is known.

/// The callers that something is done for: those that want a derivative of some output in `of` with
/// respect to some parameter in `wrt`, and, with `restore`, those that want `&mut` arguments back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Demand {
    /// Parameters, by [`param_bit`].
    pub wrt: u64,
    /// Outputs, by [`RESULT_BIT`] and [`output_bit`].
    pub of: u64,
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

impl Demand {
    /// Nobody.
    pub const NEVER: Demand = Demand {
        wrt: 0,
        of: 0,
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
        restore: true,
    };

    /// Callers that want some of these outputs differentiated by some of these parameters.
    pub fn new(wrt: u64, of: u64) -> Demand {
        match wrt == 0 || of == 0 {
            true => Demand::NEVER,
            false => Demand {
                wrt,
                of,
                restore: false,
            },
        }
    }

    /// All that either demands, and perhaps more: the union of the parameters with the union of the
    /// outputs.
    pub fn union(self, other: Demand) -> Demand {
        Demand {
            wrt: self.wrt | other.wrt,
            of: self.of | other.of,
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
    };

    /// A caller that wants all derivatives, and its arguments back.
    pub const RESTORING: Caller = Caller {
        restore: true,
        ..Caller::OUTERMOST
    };

    /// Whether the caller is among those that something is done for.
    pub fn wants(self, demand: Demand) -> bool {
        (self.varied & demand.wrt != 0 && self.useful & demand.of != 0)
            || (self.restore && demand.restore)
    }
}
