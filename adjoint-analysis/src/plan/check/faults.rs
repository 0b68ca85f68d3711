//! The faults that a plan can have.

use crate::ir::StmtId;

/// A fault in a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The statement at which it shows.
    pub stmt: StmtId,
    /// A description.
    pub message: String,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    /// The forward sweep holds a statement that the primal has not, or in another place or form.
    NotPrimal,
    /// The forward sweep leaves out a primal statement whose effect is needed.
    MissingPrimal,
    /// The records before a `break` are not those that an iteration makes that runs to its end.
    BreakPath,
    /// A record without its restore in the mirrored block, or the other way round.
    Unbalanced,
    /// Restores do not come in the reverse order of their records.
    NotLifo,
    /// A record in a frame that the frame's loop cannot hold.
    Frame,
    /// A statement of the reverse sweep is not in the mirror of the primal statement's block.
    Mirror,
    /// The reversed branch may take another way than the primal's did.
    WrongWay,
    /// The reversed loop may run other iterations, or in another order, than the reverse of the primal's.
    WrongTrips,
    /// A restore puts the value elsewhere than where it was.
    WrongPlace,
    /// A primal value is read that is not the one that the primal statement saw.
    StaleRead,
    /// The same in an index or a bound.
    StaleIndex,
    /// The same of a variable whose value in the reverse sweep was computed there.
    StaleRecompute,
    /// A variable is named that is not in scope.
    Undeclared,
    /// A `&mut` parameter does not hold its entry value at the end.
    NotRestored,
    /// Adjoints of two statements of one block do not come in reverse order.
    AdjointOrder,
    /// The adjoint of an overwritten value is used again for the value before it.
    CountedTwice,
    /// An adjoint is set to zero or replaced before it has been passed on.
    SeedLost,
    /// A step of a checkpointed loop, run again, may not do what it did.
    Snapshot,
    /// The parts of a distributed loop may not do what its body does.
    Distribution,
    /// The statements of fused sweeps may not do what the two sweeps do.
    Fusion,
    /// A preaccumulated gradient may not be that of its value.
    Gradient,
    /// An adjoint variable is not declared in the mirror of the scope of its primal variable.
    AdjointScope,
}

/// The faults found so far.
#[derive(Default)]
pub struct Faults {
    list: Vec<Fault>,
}

impl Faults {
    /// Reports a fault.
    pub fn add(&mut self, stmt: StmtId, kind: FaultKind, message: impl Into<String>) {
        let fault = Fault {
            stmt,
            message: message.into(),
            kind,
        };
        if !self.list.contains(&fault) {
            self.list.push(fault);
        }
    }

    /// The number of faults.
    pub fn mark(&self) -> usize {
        self.list.len()
    }

    /// Drops the faults since the mark, which came from a wrong assumption.
    pub fn rewind(&mut self, mark: usize) {
        self.list.truncate(mark);
    }

    /// All of them.
    pub fn into_vec(self) -> Vec<Fault> {
        self.list
    }
}
