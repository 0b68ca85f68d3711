//! Control flow: branches, loops and the ways out of them.

mod branch;
mod condition;
mod jump;
mod loops;
mod matching;

use super::Ty;
use super::value::Value;
use crate::ir::Expr;
use crate::mir::labeled::LabeledStmt;

/// An arm of a branch: what it wrote and its value.
type Arm = (Vec<LabeledStmt>, Value);

/// `true`
fn truth() -> Expr {
    Expr::Lit("true".into(), Ty::Bool)
}
