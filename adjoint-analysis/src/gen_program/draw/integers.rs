//! Integers, indices and conditions.

use super::writer::{Below, I64, Known, Writer, is_table};
use crate::gen_program::build::{add, binary, div, int, mul, rem, sub, usize};
use crate::ir::{BinOp, Expr, IntTy, Intrinsic, Place, Ty, UnOp};

impl Writer<'_> {
    /// A `usize`: nothing in it can over- or underflow as long as the variables stay moderate.
    pub(in crate::gen_program) fn natural(&mut self, depth: usize) -> Expr {
        // Without a variable, arithmetic would only hide a constant.
        let variable = self.scope.iter().any(|k| k.ty == Ty::USIZE || k.ty == I64);
        if depth == 0 || !variable || self.rng.chance(30) {
            return self.natural_leaf();
        }
        let a = self.natural(depth - 1);
        let c = usize(self.rng.between(2, 5));
        match self.rng.below(9) {
            0 | 1 => add(a, self.natural(depth - 1)),
            2 => mul(a, c),
            3 => rem(a, c),
            4 => div(a, c),
            5 => sub(a.clone(), rem(a, c)),
            6 => {
                let name = *self.rng.pick(&["min", "max", "abs_diff"]);
                Expr::Discrete(name.into(), vec![a, self.natural(depth - 1)], Ty::USIZE)
            }
            7 => binary(
                *self.rng.pick(&[BinOp::BitAnd, BinOp::BitXor, BinOp::BitOr]),
                a,
                c,
            ),
            _ => binary(BinOp::Shr, a, usize(1)),
        }
    }

    fn natural_leaf(&mut self) -> Expr {
        if self.rng.chance(20)
            && let Some(reduced) = self.reduced(7)
        {
            return reduced;
        }
        if self.rng.chance(12)
            && let Some(table) = self.some(|k| is_table(&k.ty) && k.min_len > 0)
        {
            let whole = self.whole(table.var);
            let index = usize(self.rng.below(table.min_len));
            return Expr::Read(whole.index(index, Ty::USIZE));
        }
        let from = self.rng.below(10);
        let known = match from {
            0..6 => self.some(|k| k.ty == Ty::USIZE),
            6 => self.some(|k| is_indexed(k) && k.min_len > 0),
            7 => self.some(|k| k.ty == I64),
            8 => self.some(|k| k.ty == Ty::Bool),
            _ => None,
        };
        match known {
            Some(k) if k.ty == Ty::USIZE => self.read(k.var),
            Some(k) if k.ty == I64 => {
                let reduced = self.read(k.var);
                let args = vec![reduced, int(self.rng.between(2, 6) as i64, IntTy::I64)];
                Expr::Cast(
                    Box::new(Expr::Discrete("rem_euclid".into(), args, I64)),
                    Ty::USIZE,
                )
            }
            Some(k) if k.ty == Ty::Bool => Expr::Cast(Box::new(self.read(k.var)), Ty::USIZE),
            Some(k) => Expr::Len(self.whole(k.var)),
            None if from == 9 => match self.real_place(false) {
                // An index that comes from a real.
                Some(place) => {
                    let scaled = mul(
                        Expr::Intrinsic(Intrinsic::Abs, vec![Expr::Read(place)]),
                        crate::gen_program::build::real(3.0),
                    );
                    rem(Expr::Cast(Box::new(scaled), Ty::USIZE), usize(7))
                }
                None => usize(2),
            },
            None => usize(self.rng.below(6)),
        }
    }

    /// An `i64` of moderate size.
    pub(in crate::gen_program) fn signed(&mut self) -> Expr {
        let a = match self.some(|k| k.ty == I64) {
            Some(k) if self.rng.chance(70) => self.read(k.var),
            _ => Expr::Cast(Box::new(self.natural(1)), I64),
        };
        let c = int(self.rng.between(1, 9) as i64 - 5, IntTy::I64);
        match self.rng.below(5) {
            0 => add(a, c),
            1 => sub(c, a),
            2 => rem(mul(a, c), int(17, IntTy::I64)),
            3 => Expr::Unary(UnOp::Neg, Box::new(rem(a, int(9, IntTy::I64)))),
            _ => rem(a, int(11, IntTy::I64)),
        }
    }

    /// An index into a list that has at least `min_len` elements, one at least.
    pub(in crate::gen_program) fn index_of(&mut self, list: &Place, min_len: usize) -> Expr {
        if list.is_whole() && self.rng.chance(60) {
            let fits = |k: &Known| match k.span.map(|s| s.below) {
                Some(Below::Length(of, _)) => of == list.root,
                Some(Below::Const(n)) => n <= min_len,
                _ => false,
            };
            if let Some(k) = self.some(|k| k.ty == Ty::USIZE && fits(k)) {
                return self.near_index(list, &k);
            }
        }
        if self.rng.chance(30)
            && let Some(reduced) = self.reduced(min_len)
        {
            return reduced;
        }
        match self.rng.below(4) {
            0 => usize(self.rng.below(min_len)),
            1 | 2 => self.natural_below(min_len),
            _ => rem(self.natural(2), Expr::Len(list.clone())),
        }
    }

    /// A computed `usize` less than `n`, which is not 0.
    pub(in crate::gen_program) fn natural_below(&mut self, n: usize) -> Expr {
        match self.rng.between(1, n) {
            1 => usize(self.rng.below(n)),
            modulus => match self.natural(2) {
                Expr::Lit(..) => usize(self.rng.below(n)),
                computed => rem(computed, usize(modulus)),
            },
        }
    }

    /// `i`, `i + c`, `i - c` or `len - 1 - i`, where the span of `i` allows it, or a neighbour that wraps around or stays at the end.
    fn near_index(&mut self, list: &Place, k: &Known) -> Expr {
        let i = self.read(k.var);
        let (lo, above) = match k.span {
            Some(span) => match span.below {
                Below::Length(_, above) => (span.lo, above),
                _ => (span.lo, 0),
            },
            None => (0, 0),
        };
        let len = || Expr::Len(list.clone());
        let method = |name: &str, args| Expr::Discrete(name.into(), args, Ty::USIZE);
        let by = usize(self.rng.between(1, 2));
        match self.rng.below(12) {
            0..3 if above > 0 => add(i, usize(self.rng.between(1, above))),
            3..6 if lo > 0 => sub(i, usize(self.rng.between(1, lo))),
            6 => sub(sub(len(), usize(1)), i),
            7 => rem(add(i, by), len()),
            8 => rem(sub(add(i, len()), usize(1)), len()),
            9 => method("min", vec![add(i, by), sub(len(), usize(1))]),
            10 => method("saturating_sub", vec![i, by]),
            _ => i,
        }
    }

    /// A condition.
    pub(in crate::gen_program) fn condition(&mut self, depth: usize) -> Expr {
        if self.rng.chance(6)
            && let Some(is_some) = self.is_some()
        {
            return is_some;
        }
        if self.rng.chance(12)
            && let Some(condition) = self.induction_condition()
        {
            return condition;
        }
        if self.rng.chance(12)
            && let Some(condition) = self.is_at_end()
        {
            return condition;
        }
        let comparison = *self.rng.pick(&[BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge]);
        match self.rng.below(10) {
            0..3 => binary(comparison, self.natural(1), self.natural(1)),
            3 => {
                let c = self.rng.between(2, 4);
                let op = *self.rng.pick(&[BinOp::Eq, BinOp::Ne]);
                binary(op, rem(self.natural(1), usize(c)), usize(self.rng.below(c)))
            }
            4..6 => binary(comparison, self.real(1).0, self.real(1).0),
            6 => match self.some(|k| k.ty == Ty::Bool) {
                Some(k) => self.read(k.var),
                None => binary(comparison, self.signed(), int(0, IntTy::I64)),
            },
            7 if depth > 0 => {
                let op = *self.rng.pick(&[BinOp::And, BinOp::Or]);
                binary(op, self.condition(depth - 1), self.condition(depth - 1))
            }
            8 if depth > 0 => Expr::Unary(UnOp::Not, Box::new(self.condition(depth - 1))),
            _ => binary(
                comparison,
                self.real(1).0,
                crate::gen_program::build::real(0.5),
            ),
        }
    }

    /// Whether an index is at an end of what a loop runs over, or near it.
    fn is_at_end(&mut self) -> Option<Expr> {
        let is_index =
            |k: &Known| matches!(k.span, Some(span) if matches!(span.below, Below::Length(..)));
        let known = self.some(|k| k.ty == Ty::USIZE && is_index(k))?;
        let span = known.span?;
        let i = self.read(known.var);
        let c = self.rng.below(3);
        let comparisons = BinOp::ALL.into_iter().filter(|op| op.is_comparison());
        let comparison = *self.rng.pick(&comparisons.collect::<Vec<_>>());
        Some(match span.below {
            Below::Length(list, above) if self.rng.chance(50) => {
                let len = Expr::Len(self.whole(list));
                binary(comparison, add(i, usize(above + c)), len)
            }
            _ => binary(comparison, i, usize(span.lo + c)),
        })
    }

    /// A new value for a `usize` variable: a recurrence, mostly.
    pub(in crate::gen_program) fn next_natural(&mut self, k: &Known) -> Expr {
        let now = self.read(k.var);
        let c = self.rng.between(1, 4);
        match self.rng.below(8) {
            0 | 1 => add(now, usize(c)),
            2 => rem(
                add(mul(now, usize(c)), self.natural(1)),
                usize(self.rng.between(2, 9)),
            ),
            3 => add(now, rem(self.natural(1), usize(3))),
            4 => sub(usize(c + 3), rem(now, usize(c + 1))),
            5 => binary(BinOp::BitXor, now, usize(c)),
            6 => div(now, usize(2)),
            _ => rem(self.natural(2), usize(self.rng.between(2, 9))),
        }
    }
}

fn is_indexed(k: &Known) -> bool {
    k.ty.element().is_some()
}
