//! The cost model: which expressions are cheap enough to be evaluated twice.
//!
//! Recomputing a value instead of recording it pays for trees of `+ − *`, negation, conversions,
//! lengths and indexing; never for a division, a root or a transcendental function. An array or a tuple is cheap if it
//! is small: copied from another one, or made of cheap parts.

use crate::ir::{BinOp, Expr, Func, Intrinsic, Ty};

/// Whether the whole expression is cheap.
pub fn is_cheap(e: &Expr, func: &Func) -> bool {
    let mut cheap = true;
    e.walk(&mut |node| cheap &= !is_expensive(node, func) && !is_large(node));
    cheap
}

/// Whether the expression is the same each time and allocates nothing: literals, constants, and operations on these.
pub fn is_constant(e: &Expr) -> bool {
    match e {
        Expr::Lit(..) => true,
        Expr::Code(_, reads, _) => reads.is_empty(),
        Expr::Variant(_, fields, _) => fields.iter().all(|(_, e)| is_constant(e)),
        Expr::Aggregate(parts, Ty::Array(..) | Ty::Tuple(_)) => parts.iter().all(is_constant),
        Expr::Unary(_, e) => is_constant(e),
        _ => false,
    }
}

/// Whether this operation, its operands aside, is expensive.
pub fn is_expensive(e: &Expr, func: &Func) -> bool {
    match e {
        // A divisor without real variables is constant, and such a division is not worth a record.
        Expr::Binary(BinOp::Div, a, b) if a.ty(func).is_float() => {
            b.reads().iter().any(|v| func.var(*v).ty.carries_floats())
        }
        Expr::Binary(BinOp::Rem, a, _) => a.ty(func).is_float(),
        Expr::Intrinsic(op, _) => !is_cheap_intrinsic(*op),
        // User code that computes a real, e.g. from a table or text, may do any amount of work and have effects.
        Expr::Code(_, reads, ty) => {
            let effects = reads.iter().any(|p| p.ty == Ty::Unit);
            effects || ty.is_float() && reads.iter().any(|p| !p.ty.is_scalar())
        }
        _ => false,
    }
}

/// The scalars that an array or a tuple may have to be copied or built again instead of recorded.
const SMALL: usize = 16;

/// Whether a value of the type is copied without a call, in a few instructions.
pub fn is_small(ty: &Ty) -> bool {
    scalars(ty).is_some_and(|n| n <= SMALL)
}

/// The number of scalars that a value of the type is made of, if nothing else is in it.
pub fn scalars(ty: &Ty) -> Option<usize> {
    match ty {
        Ty::Array(of, extent) => Some(scalars(of)? * extent.parse::<usize>().ok()?),
        Ty::Tuple(parts) => parts.iter().map(scalars).sum(),
        ty => ty.is_scalar().then_some(1),
    }
}

/// Whether the operation makes a value that is not small.
fn is_large(e: &Expr) -> bool {
    match e {
        Expr::Aggregate(_, ty) | Expr::Repeat(_, _, ty) | Expr::Variant(_, _, ty) => !is_small(ty),
        Expr::Read(p) => !is_small(&p.ty),
        _ => false,
    }
}

fn is_cheap_intrinsic(op: Intrinsic) -> bool {
    matches!(
        op,
        Intrinsic::Abs
            | Intrinsic::Max
            | Intrinsic::Min
            | Intrinsic::Clamp
            | Intrinsic::Copysign
            | Intrinsic::AbsSub
            | Intrinsic::MulAdd
            | Intrinsic::ToDegrees
            | Intrinsic::ToRadians
            | Intrinsic::Floor
            | Intrinsic::Ceil
            | Intrinsic::Round
            | Intrinsic::RoundTiesEven
            | Intrinsic::Trunc
            | Intrinsic::Fract
            | Intrinsic::Signum
            | Intrinsic::Midpoint
    )
}
