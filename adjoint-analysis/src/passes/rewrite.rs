//! Rewriting passes on the IR before the analyses.

mod copies;
mod identities;
mod inductions;
pub mod invariants;
pub mod labels;
pub mod temporaries;

use crate::ir::{Block, Func, StmtId};

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
    let func = copies::coalesce(simplified(func));
    let (func, mut origins) = temporaries::introduce(&func, statements);
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

/// The function with simple expressions.
fn simplified(func: &Func) -> Func {
    let mut body = func.body.clone();
    simplify(&mut body, func);
    Func {
        body,
        ..func.clone()
    }
}

fn simplify(block: &mut Block, func: &Func) {
    for stmt in &mut block.stmts {
        for e in stmt.operands_mut() {
            identities::simplify(e, func);
        }
        for inner in stmt.blocks_mut() {
            simplify(inner, func);
        }
    }
}
