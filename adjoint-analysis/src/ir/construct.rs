//! Short constructors of expressions and statements.

use super::{BinOp, Expr, IntTy, Stmt, StmtId, StmtKind, Ty, UnOp};

/// A binary operation on two expressions.
pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// `a.saturating_sub(b)`
pub fn saturating_sub(a: Expr, b: Expr) -> Expr {
    Expr::Discrete("saturating_sub".into(), vec![a, b], Ty::USIZE)
}

/// 1 of a type of reals, or −1 if it is negative.
pub fn unit_lit(is_negative: bool, ty: &Ty) -> Expr {
    let one = Expr::Lit("1.0".into(), ty.clone());
    match is_negative {
        true => Expr::Unary(UnOp::Neg, Box::new(one)),
        false => one,
    }
}

/// 0 of a type of reals.
pub fn zero_lit(ty: &Ty) -> Expr {
    Expr::Lit("0.0".into(), ty.clone())
}

/// Whether the literal, which is 1 or −1, is negative; none, if it is another expression.
pub fn unit(e: &Expr) -> Option<bool> {
    let is_one = |e: &Expr| matches!(e, Expr::Lit(text, Ty::Float(_)) if text == "1.0");
    match e {
        Expr::Unary(UnOp::Neg, one) if is_one(one) => Some(true),
        one => is_one(one).then_some(false),
    }
}

/// A `usize` literal.
pub fn usize_lit(n: usize) -> Expr {
    Expr::Lit(n.to_string(), Ty::Int(IntTy::Usize))
}

/// A new statement that stands for another one; `origins` maps each statement id to the user's statement.
pub fn derived(origins: &mut Vec<StmtId>, of: StmtId, kind: StmtKind) -> Stmt {
    let id = StmtId(origins.len() as u32);
    origins.push(origins[of.index()]);
    Stmt { id, kind }
}
