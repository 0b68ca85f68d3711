//! Rewriting passes on the IR before the analyses.

mod copies;
mod identities;
mod inductions;
pub mod invariants;
pub mod labels;
pub mod temporaries;

use crate::ir::{Func, StmtId};

/// The optional passes.
#[derive(Clone, Copy)]
pub struct Options {
    /// Invariants of loops move.
    pub motion: bool,
    /// Inversion of integers, in checkpointed loops too.
    pub inversion: bool,
}

/// The function, rewritten, and for each statement id the one that it comes from; `statements` is the number of ids
/// before.
pub fn rewrite(func: &Func, statements: usize, options: Options) -> (Func, Vec<StmtId>) {
    let func = copies::coalesce(identities::simplify(func.clone()));
    let (func, mut origins) = temporaries::introduce(func, statements);
    let func = match options.motion {
        true => invariants::hoist(func),
        false => func,
    };
    let func = match options.inversion {
        true => inductions::number(func, &mut origins),
        false => func,
    };
    let func = labels::introduce(func, &mut origins);
    (func, origins)
}
