//! What comes of a source.

use std::collections::BTreeMap;
use std::fmt;

/// What came of one source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// rustc does not take what was drawn.
    RefusedByRustc(String),
    /// The attribute says what it does not take.
    RefusedByAdjoint(String),
    /// Every call of the kernel itself panics, or gives what is not finite.
    Nothing(String),
    /// All is well: so many derivatives were compared, of so many.
    Agrees(usize, usize),
    /// A fault of `adjoint`.
    Fault(Fault, String),
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// What the macro makes of a kernel that rustc takes is not taken by rustc, or the macro panics.
    DoesNotCompile,
    /// The adjoint panics, or ends the process.
    Panics,
    /// The adjoint does not end.
    Hangs,
    /// The adjoint does not compute what the kernel computes.
    Value,
    /// A derivative is wrong.
    Gradient,
}

impl Outcome {
    /// The fault, if it is one.
    pub fn fault(&self) -> Option<Fault> {
        match self {
            Outcome::Fault(fault, _) => Some(*fault),
            _ => None,
        }
    }

    /// What to count it as.
    fn heading(&self) -> String {
        match self {
            Outcome::RefusedByRustc(_) => "refused by rustc".to_string(),
            Outcome::RefusedByAdjoint(_) => "refused by adjoint".to_string(),
            Outcome::Nothing(_) => "nothing to compare".to_string(),
            Outcome::Agrees(0, _) => "not compared".to_string(),
            Outcome::Agrees(..) => "agrees".to_string(),
            Outcome::Fault(fault, _) => format!("FAULT: {fault:?}"),
        }
    }
}

/// How many sources there are of each outcome.
#[derive(Clone, Default, Debug)]
pub struct Counts {
    outcomes: BTreeMap<String, usize>,
    /// Derivatives that were compared.
    pub compared: usize,
    /// Those that could not be, because differences don't agree with each other there.
    pub passed_over: usize,
    /// Sources whose derivatives were compared.
    pub agreeing: usize,
    /// Faults.
    pub faults: usize,
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, outcome: &Outcome) {
        *self.outcomes.entry(outcome.heading()).or_default() += 1;
        self.faults += usize::from(outcome.fault().is_some());
        if let Outcome::Agrees(compared, of) = outcome {
            self.agreeing += usize::from(*compared > 0);
            self.compared += compared;
            self.passed_over += of - compared;
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (outcome, count) in &self.outcomes {
            writeln!(f, "{count:6}  {outcome}")?;
        }
        let (compared, over) = (self.compared, self.passed_over);
        write!(f, "{compared} derivatives compared, {over} passed over")
    }
}
