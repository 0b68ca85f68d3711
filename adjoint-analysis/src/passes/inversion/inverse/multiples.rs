//! Multiples of integers by literals.
//!
//! An odd literal has an inverse modulo a power of 2, so that its multiples are undone whether they wrapped or not. An
//! even one loses bits, unless the operand comes from a narrower type all of whose multiples fit.

use super::method;
use crate::ir::integers::{self, inverse_of_odd};
use crate::ir::{BinOp, Expr, Func, IntTy, Ty, UnOp};

/// `a` from the value of `a * factor`.
pub fn undo(func: &Func, a: &Expr, factor: &Expr, value: Expr, ty: IntTy) -> Option<Expr> {
    let by = literal(factor)?;
    if by % 2 == 0 {
        let fits = narrower(func, a)?.multiples_fit(by, ty);
        return fits.then(|| binary(BinOp::Div, value, factor.clone()));
    }
    odd_multiple(factor, value, ty)
}

/// `a` from the value of `a * factor`, if the factor is an odd literal.
pub fn odd_multiple(factor: &Expr, value: Expr, ty: IntTy) -> Option<Expr> {
    let odd = literal(factor).filter(|by| by % 2 != 0)?;
    let args = vec![value, inverse_literal(odd, ty)?];
    Some(method("wrapping_mul", args, ty))
}

/// `a` from the value of `a << by`.
pub fn undo_shift(func: &Func, a: &Expr, by: &Expr, value: Expr, ty: IntTy) -> Option<Expr> {
    let bits = u32::try_from(literal(by)?).ok()?;
    let factor = 1i128.checked_shl(bits).filter(|factor| *factor > 0)?;
    let fits = narrower(func, a)?.multiples_fit(factor, ty);
    fits.then(|| binary(BinOp::Shr, value, by.clone()))
}

/// The type that the operand is cast from.
fn narrower(func: &Func, a: &Expr) -> Option<IntTy> {
    match a {
        Expr::Cast(of, _) => match of.ty(func) {
            Ty::Int(ty) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// A literal or its negation.
fn literal(e: &Expr) -> Option<i128> {
    match e {
        Expr::Lit(text, Ty::Int(_)) => integers::literal(text),
        Expr::Unary(UnOp::Neg, e) => literal(e).map(|n| -n),
        _ => None,
    }
}

/// The inverse of an odd number in the type. That of a pointer's width is the one for 64 bits, cut off where the type has
/// 32.
fn inverse_literal(odd: i128, ty: IntTy) -> Option<Expr> {
    let literal = |n: u64, ty| Expr::Lit(n.to_string(), Ty::Int(ty));
    let (_, bits) = ty.bit_range().filter(|(_, bits)| *bits <= 64)?;
    let inverse = inverse_of_odd(odd, bits);
    if ty.fixed_bits().is_none() {
        let wide = literal(inverse, IntTy::U64);
        return Some(Expr::Cast(Box::new(wide), Ty::Int(ty)));
    }
    let is_negative = ty.is_signed() && inverse >> (bits - 1) == 1;
    if is_negative {
        let magnitude = (1i128 << bits) - i128::from(inverse);
        return Some(Expr::Unary(
            UnOp::Neg,
            Box::new(literal(magnitude as u64, ty)),
        ));
    }
    Some(literal(inverse, ty))
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}
