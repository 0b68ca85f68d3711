//! Short constructors of expressions.

use super::{BinOp, Expr, IntTy, Ty};

/// A binary operation on two expressions.
pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// `a.saturating_sub(b)`
pub fn saturating_sub(a: Expr, b: Expr) -> Expr {
    Expr::Discrete("saturating_sub".into(), vec![a, b], Ty::USIZE)
}

/// A `usize` literal.
pub fn usize_lit(n: usize) -> Expr {
    Expr::Lit(n.to_string(), Ty::Int(IntTy::Usize))
}
