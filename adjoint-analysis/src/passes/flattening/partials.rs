//! Partials as expressions.

use crate::ir::construct::{binary, unit_lit};
use crate::ir::{BinOp, Expr, Ty};
use crate::rules::{Partial, Use};

/// The value of a partial of an operation on reals of this type.
pub fn partial(partial: Partial, operands: &[Expr], result: &Expr, ty: &Ty) -> Expr {
    let used = |u: &Use| match u {
        Use::Operand(k) => operands[*k].clone(),
        Use::Result => result.clone(),
    };
    match partial {
        Partial::Zero => Expr::Lit("0.0".into(), ty.clone()),
        Partial::One => unit_lit(false, ty),
        Partial::MinusOne => unit_lit(true, ty),
        Partial::Operand(k) => operands[k].clone(),
        Partial::Result => result.clone(),
        Partial::Function(name, uses) => Expr::Partial(name, uses.iter().map(used).collect()),
        Partial::Product(factors) => {
            let factors = factors
                .iter()
                .map(|f| self::partial(*f, operands, result, ty));
            factors
                .reduce(|a, b| binary(BinOp::Mul, a, b))
                .unwrap_or_else(|| unit_lit(false, ty))
        }
    }
}
