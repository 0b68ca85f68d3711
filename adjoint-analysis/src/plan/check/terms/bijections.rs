//! Operations on numbers and their inverses, which cancel: changes of the sign, rotations, exact products and quotients, casts to wider types
//! and back. Each fold states when it holds for all values of the operand's type.

use super::term::{Node, Op, Term, Terms};
use crate::ir::{BinOp, IntTy, Ty, UnOp};

impl Terms {
    /// Notes of which type a value is that is cast. A term that stands for values of two types has none.
    pub(in crate::plan::check) fn note_cast(&mut self, operand: Term, ty: &Ty) {
        let ty = match ty {
            Ty::Int(ty) => Some(*ty),
            _ => None,
        };
        let known = self.cast_from.entry(operand).or_insert(ty);
        if *known != ty {
            *known = None;
        }
    }

    /// What an operation undoes, if it is the inverse of the one that made its first operand.
    pub(in crate::plan::check) fn fold_inverse(&self, op: &Op, args: &[Term]) -> Option<Term> {
        let Node::Op(inner, operands) = self.node(*args.first()?) else {
            return None;
        };
        match (op, args, inner, &operands[..]) {
            (Op::Cast(Ty::Int(to)), _, Op::Cast(Ty::Int(through)), [a]) => {
                let is_back = self.cast_from(*a) == Some(*to) && to.fits_bits_of(*through);
                is_back.then_some(*a)
            }
            // Of integers, `-` may overflow; its inverse is `wrapping_neg`.
            (Op::Unary(UnOp::Neg), [_], Op::Unary(UnOp::Neg), [a]) => Some(*a),
            (Op::Discrete(name, ty), [_], Op::Discrete(of, of_ty), [a]) => {
                let undoes = matches!(name.as_str(), "swap_bytes" | "reverse_bits");
                (undoes && name == of && ty == of_ty).then_some(*a)
            }
            (Op::Discrete(name, ty), [_, by], Op::Discrete(of, of_ty), [a, of_by])
                if name.starts_with("rotate") =>
            {
                let names = [name.as_str(), of.as_str()];
                let opposite = matches!(
                    names,
                    ["rotate_left", "rotate_right"] | ["rotate_right", "rotate_left"]
                );
                (opposite && by == of_by && ty == of_ty).then_some(*a)
            }
            (Op::Binary(BinOp::Div), &[product, by], ..) => {
                let (a, factor) = self.multiple(product)?;
                let is_undone = self.constant(by) == Some(factor) && self.fit(a, factor);
                is_undone.then_some(a)
            }
            (Op::Binary(BinOp::Shr), [_, by], Op::Binary(BinOp::Shl), [a, of_by])
                if by == of_by =>
            {
                let bits = u32::try_from(self.constant(*by)?).ok()?;
                let factor = 1i128.checked_shl(bits).filter(|n| *n > 0)?;
                self.fit(*a, factor).then_some(*a)
            }
            _ => None,
        }
    }

    fn cast_from(&self, operand: Term) -> Option<IntTy> {
        *self.cast_from.get(&operand)?
    }

    /// The value and the number of which the term is the product.
    fn multiple(&self, t: Term) -> Option<(Term, i128)> {
        let form = self.form(t)?;
        let mut terms = form.terms();
        match (terms.next(), terms.next()) {
            (Some(([a], factor)), None) => Some((*a, factor)),
            _ => None,
        }
    }

    /// Whether the term is a cast of a value all of whose multiples are values of the cast's type.
    fn fit(&self, a: Term, factor: i128) -> bool {
        match self.node(a) {
            Node::Op(Op::Cast(Ty::Int(to)), args) => self
                .cast_from(args[0])
                .is_some_and(|from| from.multiples_fit(factor, *to)),
            _ => false,
        }
    }

    /// The number that the term is.
    pub(super) fn constant(&self, t: Term) -> Option<i128> {
        self.form(t)?.as_constant()
    }
}
