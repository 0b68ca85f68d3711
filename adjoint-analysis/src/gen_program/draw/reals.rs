//! Places and expressions of reals.
//!
//! Each expression comes with a bound on its value, on the assumption that every variable is within
//! [`LIMIT`]; what is assigned is squashed into the limit. Functions get arguments within their
//! domains whatever the operands are.

use super::options::{contents, is_option};
use super::writer::{Known, Writer, is_grid, is_list, is_pair, row_len};
use crate::gen_program::build::{add, div, intrinsic, mul, neg, real, rem, sub, usize};
use crate::ir::{Expr, IntTy, Intrinsic, Place, Proj, Ty};

/// What variables of reals are kept within.
pub(in crate::gen_program) const LIMIT: f64 = 4.0;

/// A number of elements that is at least `min`, of which a view leaves some.
type View = (Place, usize);

impl Writer<'_> {
    /// The place of a real, to read or to write.
    pub(in crate::gen_program) fn real_place(&mut self, write: bool) -> Option<Place> {
        let known = if write {
            self.some_written(holds_reals)
        } else {
            self.some(holds_reals)
        }?;
        Some(self.real_in(&known))
    }

    /// A real somewhere in a variable.
    pub(in crate::gen_program) fn real_in(&mut self, known: &Known) -> Place {
        let whole = self.whole(known.var);
        match &known.ty {
            Ty::Option(t) => contents(whole, t),
            ty if is_pair(ty) => {
                let field = self.rng.below(2).to_string();
                whole.project(Proj::Field(field), Ty::F64)
            }
            ty if is_grid(ty) => {
                let (row, n) = self.row_of(known);
                let index = self.natural_below(n);
                row.index(index, Ty::F64)
            }
            ty if is_list(ty) => {
                let (list, n) = if self.rng.chance(12) {
                    self.view_of(known, 1)
                } else {
                    (whole, known.min_len)
                };
                let index = self.index_of(&list, n);
                list.index(index, Ty::F64)
            }
            _ => whole,
        }
    }

    /// A row of a grid and its length.
    pub(in crate::gen_program) fn row_of(&mut self, known: &Known) -> View {
        let row = known.ty.element().cloned().unwrap_or(Ty::Unknown);
        let whole = self.whole(known.var);
        let index = self.index_of(&whole, known.min_len);
        (whole.index(index, row), row_len(&known.ty))
    }

    /// A part of a list that has at least `need` elements; how many it has for certain.
    pub(in crate::gen_program) fn view_of(&mut self, known: &Known, need: usize) -> View {
        let (whole, n) = (self.whole(known.var), known.min_len);
        let spare = n.saturating_sub(need);
        let slice = Ty::Slice(Box::new(known.ty.element().cloned().unwrap_or(Ty::F64)));
        let cut = self.rng.below(spare + 1);
        let at = Box::new(usize(cut));
        let moving = |w: &mut Self, most: usize| Box::new(w.natural_below(most + 1));
        match self.rng.below(6) {
            0 => (whole.project(Proj::Tail(at), slice), n - cut),
            1 => (
                whole.project(Proj::Head(Box::new(usize(need + cut))), slice),
                need + cut,
            ),
            2 => (whole.project(Proj::Range(Some(at), None), slice), n - cut),
            3 => (whole.project(Proj::Tail(moving(self, spare)), slice), need),
            4 => {
                let hi = Box::new(usize(cut + need));
                (whole.project(Proj::Range(Some(at), Some(hi)), slice), need)
            }
            _ => (whole.project(Proj::Range(None, None), slice), n),
        }
    }

    /// A real expression and its bound.
    pub(in crate::gen_program) fn real(&mut self, depth: usize) -> (Expr, f64) {
        if depth == 0 || self.rng.chance(25) {
            return self.real_leaf();
        }
        match self.rng.below(10) {
            0..3 => self.sum(depth),
            3..5 => self.product(depth),
            5 => {
                let ((a, bound), (b, _)) = (self.real(depth - 1), self.real(depth - 1));
                let least = *self.rng.pick(&[0.5, 1.0, 1.5]);
                let positive = add(mul(b.clone(), b), real(least));
                (div(a, positive), bound / least)
            }
            6 => {
                let (a, bound) = self.real(depth - 1);
                (neg(a), bound)
            }
            7 | 8 => self.function(depth),
            _ => self.function_of_more(depth),
        }
    }

    /// A real expression within the limit.
    pub(in crate::gen_program) fn value(&mut self) -> Expr {
        let depth = self.rng.between(1, self.bounds.depth);
        let drawn = self.real(depth);
        self.squash(drawn, LIMIT)
    }

    /// A real expression within the limit that reads several variables in scope.
    pub(in crate::gen_program) fn summary(&mut self) -> Expr {
        let mut total = self.value();
        for known in self.all(holds_reals) {
            if self.rng.chance(60) {
                let place = self.real_in(&known);
                let factor = *self.rng.pick(&[0.25, -0.5, 0.75]);
                total = add(total, mul(real(factor), Expr::Read(place)));
            }
        }
        total
    }

    /// A small real expression, which may be added again and again.
    pub(in crate::gen_program) fn increment(&mut self) -> Expr {
        let drawn = self.real(2);
        let within = self.squash(drawn, LIMIT);
        if self.rng.chance(25) {
            within
        } else {
            mul(real(0.125), within)
        }
    }

    /// Brings an expression into a limit.
    fn squash(&mut self, (e, bound): (Expr, f64), limit: f64) -> Expr {
        if bound <= limit {
            return e;
        }
        match self.rng.below(8) {
            0 | 1 => intrinsic(Intrinsic::Sin, [e]),
            2 => intrinsic(Intrinsic::Tanh, [e]),
            3 => intrinsic(Intrinsic::Atan, [e]),
            4 if bound.is_finite() && bound < 1e3 => {
                mul(e, real((100.0 * limit / bound).floor().max(1.0) / 100.0))
            }
            5 => intrinsic(Intrinsic::Clamp, [e, real(-1.5), real(2.5)]),
            6 => rem(e, real(2.5)),
            _ => intrinsic(Intrinsic::Cos, [e]),
        }
    }

    fn real_leaf(&mut self) -> (Expr, f64) {
        match self.rng.below(20) {
            0..14 => match self.real_place(false) {
                Some(place) => (Expr::Read(place), LIMIT),
                None => (real(0.75), 1.0),
            },
            14..17 => {
                let integer = self.natural_below(4);
                (Expr::Cast(Box::new(integer), Ty::F64), 3.0)
            }
            _ => {
                let value = *self.rng.pick(&[0.0, 0.5, 1.0, 1.5, 2.0, -0.25, -1.0, 0.1]);
                (real(value), value.abs())
            }
        }
    }

    fn sum(&mut self, depth: usize) -> (Expr, f64) {
        let mut total = self.real(depth - 1);
        for _ in 1..self.rng.between(2, self.bounds.operands) {
            let (next, bound) = self.real(depth - 1);
            let both = total.1 + bound;
            total = match self.rng.below(4) {
                0 => (sub(total.0, next), both),
                1 => (sub(next, total.0), both),
                2 => (add(next, total.0), both),
                _ => (add(total.0, next), both),
            };
        }
        total
    }

    fn product(&mut self, depth: usize) -> (Expr, f64) {
        let mut total = self.real(depth - 1);
        for _ in 1..self.rng.between(2, self.bounds.operands.min(3)) {
            let (next, bound) = self.real(depth - 1);
            total = (mul(total.0, next), total.1 * bound);
        }
        total
    }

    /// `c + e·e`, which is at least `c`.
    fn positive(&mut self, c: f64, depth: usize) -> (Expr, f64) {
        let (e, bound) = self.real(depth.min(1));
        (add(mul(e.clone(), e), real(c)), bound * bound + c)
    }

    /// `c·sin(e)`, which is within `c`.
    fn within(&mut self, c: f64, depth: usize) -> Expr {
        let e = self.real(depth).0;
        let wave = *self
            .rng
            .pick(&[Intrinsic::Sin, Intrinsic::Tanh, Intrinsic::Cos]);
        mul(real(c), intrinsic(wave, [e]))
    }

    /// A function of one real.
    fn function(&mut self, depth: usize) -> (Expr, f64) {
        use Intrinsic::*;
        let d = depth - 1;
        let op = *self.rng.pick(&[
            Sqrt,
            Cbrt,
            Recip,
            Exp,
            Exp2,
            ExpM1,
            Ln,
            Ln1p,
            Log10,
            Log2,
            Sin,
            Cos,
            Tan,
            Asin,
            Acos,
            Atan,
            Sinh,
            Cosh,
            Tanh,
            Asinh,
            Acosh,
            Atanh,
            Abs,
            ToDegrees,
            ToRadians,
            Floor,
            Ceil,
            Round,
            RoundTiesEven,
            Trunc,
            Fract,
            Signum,
            Sin,
            Cos,
            Exp,
            Sqrt,
            Powi,
        ]);
        let (x, bound) = match op {
            Sqrt | Cbrt | Ln | Log10 | Log2 | Recip => {
                let (x, bound) = self.positive(0.5, d);
                (x, if op == Recip { 2.0 } else { bound })
            }
            Ln1p => self.positive(0.0, d),
            Acosh => self.positive(1.5, d),
            Exp | Exp2 | ExpM1 | Sinh | Cosh => (self.within(1.0, d), 3.0),
            Tan | Asin | Atanh => (self.within(0.875, d), 1.5),
            Acos => (self.within(0.875, d), 3.0),
            Powi => {
                let n = self.rng.below(8) as i64 - 3;
                let base = add(real(2.0), self.within(1.0, d));
                let power = vec![base, crate::gen_program::build::int(n, IntTy::I32)];
                return (Expr::Intrinsic(Powi, power), 81.0);
            }
            Sin | Cos | Tanh | Fract | Signum => (self.real(d).0, 1.0),
            Atan => (self.real(d).0, 1.6),
            ToDegrees => {
                let (x, bound) = self.real(d);
                (x, 58.0 * bound)
            }
            Floor | Ceil | Round | RoundTiesEven | Trunc => {
                let (x, bound) = self.real(d);
                (x, bound + 1.0)
            }
            _ => self.real(d),
        };
        (intrinsic(op, [x]), bound)
    }

    /// A function of two or three reals.
    fn function_of_more(&mut self, depth: usize) -> (Expr, f64) {
        use Intrinsic::*;
        let d = depth - 1;
        let ((a, a_bound), (b, b_bound)) = (self.real(d), self.real(d));
        let both = a_bound + b_bound;
        match *self.rng.pick(&[
            Log, Powf, Hypot, Atan2, Max, Min, Clamp, Copysign, AbsSub, MulAdd, RemEuclid,
            DivEuclid, Midpoint, Floor,
        ]) {
            Log => {
                let (x, bound) = self.positive(0.5, d);
                (
                    intrinsic(Log, [x, add(mul(b.clone(), b), real(1.5))]),
                    3.0 * bound,
                )
            }
            Powf => {
                let base = add(real(1.5), self.within(1.0, d));
                let exponent = self.within(1.5, d);
                (intrinsic(Powf, [base, exponent]), 4.0)
            }
            Atan2 => (
                intrinsic(Atan2, [a, add(mul(b.clone(), b), real(0.5))]),
                1.6,
            ),
            Clamp => {
                let (lo, hi) = self.positive(0.25, d);
                (intrinsic(Clamp, [a, neg(lo.clone()), lo]), hi)
            }
            MulAdd => {
                let (c, c_bound) = self.real(d);
                (intrinsic(MulAdd, [a, b, c]), a_bound * b_bound + c_bound)
            }
            op @ (RemEuclid | DivEuclid) => {
                let (modulus, bound) = self.positive(0.5, d);
                (intrinsic(op, [a, modulus]), bound.max(2.0 * a_bound + 1.0))
            }
            // Floor stands for the remainder operator.
            Floor => {
                let (modulus, _) = self.positive(0.5, d);
                (rem(a, modulus), a_bound)
            }
            op => (intrinsic(op, [a, b]), both),
        }
    }
}

/// Whether there is a real in the variable.
pub(in crate::gen_program) fn holds_reals(k: &Known) -> bool {
    let is_always = k.ty.element().is_none() && !is_option(&k.ty);
    k.ty.carries_floats() && (is_always || k.min_len > 0)
}
