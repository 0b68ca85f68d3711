//! Rewriting passes on the IR before the analyses.

pub mod invariants;
pub mod labels;
pub mod temporaries;

use crate::ir::{Func, StmtId};

/// The function, rewritten, and for each statement id the one that it comes from; `statements` is the number of ids
/// before. Invariants of loops move on demand.
pub fn rewrite(func: &Func, statements: usize, motion: bool) -> (Func, Vec<StmtId>) {
    let (func, mut origins) = temporaries::introduce(func, statements);
    let func = match motion {
        true => invariants::hoist(func),
        false => func,
    };
    let func = labels::introduce(func, &mut origins);
    (func, origins)
}
