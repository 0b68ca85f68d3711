//! Products of seeds with factors that are finite for all inputs.
//!
//! `scale` is there for factors that may be infinite or NaN, which a zero seed has to turn into zero. Literals, integers
//! and sums, products and reciprocals of these are neither.

use crate::ir::{BinOp, Block, Expr, Func, IntTy, Ty, UnOp};

/// A product of an `f32` with factors up to this size does not overflow.
const LARGEST: f64 = 1e37;

/// Replaces `scale` by a multiplication where the factor is finite.
pub fn multiply(block: &mut Block, func: &Func) {
    for stmt in &mut block.stmts {
        for e in stmt.operands_mut() {
            in_expr(e, func);
        }
    }
}

fn in_expr(e: &mut Expr, func: &Func) {
    for child in e.children_mut() {
        in_expr(child, func);
    }
    if let Expr::Scale(seed, factor) = e
        && seed.ty(func).is_machine_float()
        && bound(factor, func).is_some()
    {
        *e = Expr::Binary(BinOp::Mul, seed.clone(), factor.clone());
    }
}

/// The most that the absolute value of the factor may be, if no part of it is more than [`LARGEST`].
fn bound(e: &Expr, func: &Func) -> Option<f64> {
    let size = match e {
        Expr::Lit(text, ty) if ty.is_machine_float() => text.parse().ok().map(f64::abs),
        Expr::Unary(UnOp::Neg, a) => bound(a, func),
        Expr::Cast(a, ty) if ty.is_machine_float() => match a.ty(func) {
            Ty::Int(IntTy::I128 | IntTy::U128 | IntTy::Infer) => None,
            Ty::Int(_) => Some(u64::MAX as f64),
            _ => None,
        },
        Expr::Partial("div_x", args) => match &args[..] {
            [Expr::Lit(text, _)] => text.parse().ok().map(|v: f64| v.abs().recip()),
            _ => None,
        },
        Expr::Binary(BinOp::Mul, a, b) => Some(bound(a, func)? * bound(b, func)?),
        Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => Some(bound(a, func)? + bound(b, func)?),
        _ => None,
    };
    size.filter(|size| *size < LARGEST)
}
