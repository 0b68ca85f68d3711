//! Operations on literals whose inverses are evaluated: `2 * 3` is a literal, so `2 * 3 / 2` has to be one.

use super::term::{Node, Op, Term, Terms};
use crate::ir::{BinOp, IntTy, Ty, UnOp};

impl Terms {
    /// The quotient or shift of two integer literals, where no bit is lost on any target.
    pub(in crate::plan::check) fn fold_constants(
        &mut self,
        op: BinOp,
        a: Term,
        b: Term,
    ) -> Option<Term> {
        let (ty, x, y) = (self.literal_ty(a)?, self.constant(a)?, self.constant(b)?);
        let bits = u32::try_from(y).ok().filter(|n| *n < 64);
        let n = match op {
            BinOp::Div => x.checked_div(y)?,
            BinOp::Shl => x.checked_mul(1 << bits?)?,
            BinOp::Shr => x >> bits?,
            _ => return None,
        };
        is_of(n, ty).then(|| self.integer(n, &Ty::Int(ty)))
    }

    /// The type of an integer literal, or of a negated one.
    fn literal_ty(&self, t: Term) -> Option<IntTy> {
        match self.node(t) {
            Node::Op(Op::Lit(_, Ty::Int(ty)), _) => Some(*ty),
            Node::Op(Op::Unary(UnOp::Neg), args) => self.literal_ty(args[0]),
            _ => None,
        }
    }
}

/// Whether the number is a value of the type on each target.
fn is_of(n: i128, ty: IntTy) -> bool {
    let bits = ty.bit_range().map(|(least, _)| least.min(64));
    bits.is_some_and(|bits| match ty.is_signed() {
        true => (-1 << (bits - 1)..1 << (bits - 1)).contains(&n),
        false => (0..1 << bits).contains(&n),
    })
}
