//! Arrays of integers whose elements change by themselves and by each other.

use crate::gen_program::build::{stmt, usize};
use crate::gen_program::draw::writer::{Tally, Writer};
use crate::ir::{BinOp, Expr, IntTy, Place, Stmt, StmtKind, Ty};

impl Writer<'_> {
    /// `let t = [0, 3, 1];`
    pub(super) fn let_tally(&mut self, ty: IntTy) -> Stmt {
        let len = self.rng.between(2, 3);
        let parts = (0..len).map(|_| self.start(ty)).collect();
        let array = Ty::Array(Box::new(Ty::Int(ty)), len.to_string());
        let value = Expr::Aggregate(parts, array.clone());
        let (var, declared) = self.declare("t", array, Some(value));
        self.tallies.push(Tally { var, ty, len });
        declared
    }

    /// An element of an array of integers, at a literal position or at any.
    fn element_of(&mut self, tally: &Tally) -> Place {
        let index = match self.rng.below(4) {
            0 | 1 => usize(self.rng.below(tally.len)),
            2 => self.natural_below(tally.len),
            _ => match self.reduced(tally.len) {
                Some(index) => index,
                None => usize(0),
            },
        };
        self.whole(tally.var).index(index, Ty::Int(tally.ty))
    }

    /// `t[k] = t[k] + e`, where `e` may be another element, or the same.
    pub(in crate::gen_program) fn step_tally(&mut self) -> Option<Vec<Stmt>> {
        if self.tallies.is_empty() {
            return None;
        }
        let tally = self.rng.pick(&self.tallies).clone();
        let (place, ty) = (self.element_of(&tally), tally.ty);
        let now = Expr::Read(place.clone());
        let by = match self.rng.below(4) {
            0 => Expr::Read(self.element_of(&tally)),
            1 => self.leaf(ty),
            _ => self.few(ty),
        };
        let next = match self.rng.below(6) {
            0 => self.integer_sum(BinOp::Sub, by, now, ty),
            1 => self.bijection(now, ty),
            2 => self.lossy(now, ty),
            3 => self.integer_sum(BinOp::Sub, now, by, ty),
            _ => self.integer_sum(BinOp::Add, now, by, ty),
        };
        let mut all = vec![stmt(StmtKind::Assign(place, next))];
        if let Some(v) = self.induction(Some(ty), true)
            && self.rng.chance(50)
        {
            let element = Expr::Read(self.element_of(&tally));
            let value = match self.rng.chance(50) {
                true => element,
                false => {
                    let now = self.read(v.var);
                    self.integer_sum(BinOp::Add, now, element, ty)
                }
            };
            all.push(stmt(StmtKind::Assign(self.whole(v.var), value)));
            all.extend(self.use_of(&v));
        }
        Some(all)
    }
}
