//! Lowering of control flow: branches, loops and jumps.

mod branch;
pub mod checkpoint;
mod condition;
mod jump;
mod loops;
mod matching;

use super::Ty;
use super::value::Value;
use crate::ir::Expr;
use crate::mir::labeled::LabeledStmt;

/// An arm of a branch: its statements and its value.
type Arm = (Vec<LabeledStmt>, Value);

/// The literal `true`.
fn true_lit() -> Expr {
    Expr::Lit("true".into(), Ty::Bool)
}
