//! Why a run stopped before its end.

use std::fmt;

use crate::ir::StmtId;

/// A run that did not end normally, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// The innermost function and statement, where one was being executed.
    pub at: Option<(String, StmtId)>,
}

/// What stops a run.
#[derive(Clone, PartialEq, Debug)]
pub enum TrapKind {
    /// An index or a bound that is not within the aggregate.
    OutOfBounds(i128, usize),
    /// Integer arithmetic that panics on overflow.
    Overflow,
    /// An integer divided by zero, or a step of zero.
    DivisionByZero,
    /// A variable used where it is not declared.
    Dead(String),
    /// A variable read before it has a value.
    Unassigned(String),
    /// A `let` of a variable that is alive already.
    Redeclared(String),
    /// A value of the wrong type or shape.
    Type(String),
    /// A callee that is not there.
    UnknownCallee(String),
    /// Two arguments of which one is written share a location.
    Aliased(String),
    /// More statements than the limit.
    StepLimit,
    /// More nested calls than the limit.
    DepthLimit,
    /// A construct that the interpreter does not know: the user's code, say.
    Unsupported(String),
    /// A record and a restore that do not fit, or a tape that is not empty in the end.
    Tape(String),
}

impl TrapKind {
    /// The error that this makes, its place still open.
    pub(super) fn err<T>(self) -> Result<T, Trap> {
        Err(Trap {
            kind: self,
            at: None,
        })
    }
}

impl Trap {
    /// A value of the wrong type.
    pub(super) fn ty<T>(what: impl Into<String>) -> Result<T, Trap> {
        TrapKind::Type(what.into()).err()
    }

    /// The trap with its place, unless a statement further in has given one.
    pub(super) fn at(mut self, func: &str, stmt: StmtId) -> Trap {
        self.at.get_or_insert_with(|| (func.to_string(), stmt));
        self
    }
}

impl From<TrapKind> for Trap {
    fn from(kind: TrapKind) -> Trap {
        Trap { kind, at: None }
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind)?;
        match &self.at {
            Some((func, stmt)) => write!(f, " in `{func}` at statement {}", stmt.0),
            None => Ok(()),
        }
    }
}
