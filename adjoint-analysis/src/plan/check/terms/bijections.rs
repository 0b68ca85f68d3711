//! Operations on integers and their inverses, which cancel: equal summands, rotations, exact products and quotients, casts
//! to wider types and back. Each fold states when it holds for all values of the operand's type.

use super::term::{Node, Op, Term, Terms};
use crate::ir::integers;
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

    /// What an operation undoes, if it is the inverse of the one that made one of its operands.
    pub(in crate::plan::check) fn fold_inverse(&self, op: &Op, args: &[Term]) -> Option<Term> {
        match (op, args) {
            (Op::Discrete(name, _), &[x, y]) if name == "wrapping_add" => {
                self.cancelled(x, y).or_else(|| self.cancelled(y, x))
            }
            (Op::Discrete(name, _), &[x, y]) if name == "wrapping_sub" => self.subtracted(x, y),
            _ => self.undone(op, args),
        }
    }

    /// The same for all operations but sums: what was done to the first operand.
    fn undone(&self, op: &Op, args: &[Term]) -> Option<Term> {
        let Node::Op(inner, operands) = self.node(*args.first()?) else {
            return None;
        };
        match (op, args, inner, &operands[..]) {
            (Op::Cast(Ty::Int(to)), _, Op::Cast(Ty::Int(through)), [a]) => {
                let is_back = self.cast_from(*a) == Some(*to) && to.fits_bits_of(*through);
                is_back.then_some(*a)
            }
            (Op::Discrete(name, _), [_], Op::Unary(UnOp::Neg), [a]) if name == "wrapping_neg" => {
                Some(*a)
            }
            (Op::Discrete(name, ty), [_], Op::Discrete(of, of_ty), [a]) => {
                let undoes = matches!(
                    name.as_str(),
                    "swap_bytes" | "reverse_bits" | "wrapping_neg"
                );
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
            (Op::Discrete(name, Ty::Int(ty)), [product, inverse], ..) if name == "wrapping_mul" => {
                let inverse = self.number_in(*inverse, *ty)?;
                let is_undone = |factor| is_unit(factor, inverse, *ty);
                let factor = self.factor(*product, |_, factor| {
                    self.number_in(factor, *ty).is_some_and(is_undone)
                });
                factor.or_else(|| self.trips(*product, is_undone))
            }
            (Op::Binary(BinOp::Div), [product, by], ..) => self.factor(*product, |a, factor| {
                factor == *by && self.number_in_any(factor).is_some_and(|n| self.fit(a, n))
            }),
            (Op::Binary(BinOp::Shr), [_, by], Op::Binary(BinOp::Shl), [a, of_by])
                if by == of_by =>
            {
                let bits = u32::try_from(self.number_in_any(*by)?).ok()?;
                let factor = 1i128.checked_shl(bits).filter(|n| *n > 0)?;
                self.fit(*a, factor).then_some(*a)
            }
            _ => None,
        }
    }

    /// `a` where `difference` is `a - b`.
    fn cancelled(&self, difference: Term, b: Term) -> Option<Term> {
        let (is_sum, first, second) = self.sum(difference)?;
        (!is_sum && second == b).then_some(first)
    }

    /// `a` where `x` is `a + y` or `y + a`, or where `y` is `x - a`.
    fn subtracted(&self, x: Term, y: Term) -> Option<Term> {
        match (self.sum(x), self.sum(y)) {
            (Some((true, a, b)), _) if b == y => Some(a),
            (Some((true, b, a)), _) if b == y => Some(a),
            (_, Some((false, first, a))) if first == x => Some(a),
            _ => None,
        }
    }

    /// Whether the term is a sum or a difference, and of what.
    fn sum(&self, t: Term) -> Option<(bool, Term, Term)> {
        match self.node(t) {
            Node::Op(Op::Binary(BinOp::Add), args) => Some((true, args[0], args[1])),
            Node::Op(Op::Binary(BinOp::Sub), args) => Some((false, args[0], args[1])),
            Node::Op(Op::Discrete(name, _), args) => match name.as_str() {
                "wrapping_add" => Some((true, args[0], args[1])),
                "wrapping_sub" => Some((false, args[0], args[1])),
                _ => None,
            },
            _ => None,
        }
    }

    /// Where a sum or difference was found to be another term, notes what its inverses give: the very operands, which
    /// may be any of the terms for their values.
    pub(in crate::plan::check) fn note_inverses(&mut self, op: &Op, args: &[Term], found: Term) {
        let (Op::Discrete(name, ty), &[a, b]) = (op, args) else {
            return;
        };
        let [add, sub] = ["wrapping_add", "wrapping_sub"];
        let inverses = match name.as_str() {
            "wrapping_add" => [(sub, [found, b], a), (sub, [found, a], b)],
            "wrapping_sub" => [(add, [found, b], a), (sub, [a, found], b)],
            _ => return,
        };
        for (inverse, args, operand) in inverses {
            let inverse = Op::Discrete(inverse.into(), ty.clone());
            let undoes = self.fold_inverse(&inverse, &args).is_some();
            let node = Node::Op(inverse, args.to_vec());
            if !undoes && self.known(&node).is_none() {
                self.alias(node, operand);
            }
        }
    }

    fn cast_from(&self, operand: Term) -> Option<IntTy> {
        *self.cast_from.get(&operand)?
    }

    /// The operand of a product for which the condition on it and the other one holds.
    fn factor(&self, product: Term, holds: impl Fn(Term, Term) -> bool) -> Option<Term> {
        let (a, b) = match self.node(product) {
            Node::Op(Op::Binary(BinOp::Mul), args) => (args[0], args[1]),
            Node::Op(Op::Discrete(name, _), args) if name == "wrapping_mul" => (args[0], args[1]),
            _ => return None,
        };
        let pairs = [(a, b), (b, a)];
        pairs
            .into_iter()
            .find(|(a, b)| holds(*a, *b))
            .map(|(a, _)| a)
    }

    /// The trip count of a loop, where the term is the difference of what a location held behind the loop and before, and
    /// the condition on the step holds.
    fn trips(&self, difference: Term, holds: impl Fn(i128) -> bool) -> Option<Term> {
        let (_, x, y) = self.sum(difference).filter(|(is_sum, ..)| !is_sum)?;
        let change = [(x, y, 1), (y, x, -1)];
        change.into_iter().find_map(|(exit, before, sign)| {
            let counted = self.counted.get(&exit)?;
            let is_change = counted.before == before && holds(sign * counted.step);
            is_change.then_some(counted.trips)
        })
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

    /// The number that a literal or its negation is.
    fn number_in_any(&self, t: Term) -> Option<i128> {
        match self.node(t) {
            Node::Op(Op::Lit(text, Ty::Int(_)), _) => integers::literal(text),
            Node::Op(Op::Unary(UnOp::Neg), args) => self.number_in_any(args[0]).map(|n| -n),
            _ => None,
        }
    }

    /// The same, also of a literal that is cast to the type, where it counts modulo the type's size.
    fn number_in(&self, t: Term, ty: IntTy) -> Option<i128> {
        match self.node(t) {
            Node::Op(Op::Cast(Ty::Int(to)), args) if *to == ty => self.number_in_any(args[0]),
            _ => self.number_in_any(t),
        }
    }
}

/// Whether the product of the numbers is 1 modulo the size of the type, which is that of a pointer at most.
fn is_unit(a: i128, b: i128, ty: IntTy) -> bool {
    let bits = ty
        .bit_range()
        .map(|(_, bits)| bits)
        .filter(|bits| *bits <= 64);
    bits.is_some_and(|bits| {
        let product = (a as u64).wrapping_mul(b as u64);
        product & (u64::MAX >> (64 - bits)) == 1
    })
}
