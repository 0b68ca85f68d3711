//! Lists that take the place of others, as the new values of a step do.

use super::writer::Writer;
use crate::gen_program::build::{mul, real, stmt, usize as natural};
use crate::ir::{Expr, Stmt, StmtKind, Ty};

impl Writer<'_> {
    /// `let next = [value; len]; next[i] = value; u = next`, where nothing names `next` behind, perhaps with a use of it before.
    pub(in crate::gen_program) fn move_list(&mut self) -> Option<Vec<Stmt>> {
        let list = Ty::Vec(Box::new(Ty::F64));
        let to = self.some_written(|k| k.ty == list)?;
        if self.is_spanned(to.var) {
            return None;
        }
        let whole = self.whole(to.var);
        let value = match self.rng.chance(30) {
            true => Expr::Read(whole.clone()),
            false => {
                let len = match self.rng.chance(70) {
                    true => Expr::Len(whole.clone()),
                    false => natural(to.min_len + self.rng.below(2)),
                };
                Expr::Repeat(Box::new(self.value()), Box::new(len), list.clone())
            }
        };
        let outer = self.scope.len();
        let (next, declared) = self.declare("next", list, Some(value));
        let known = self.know(next, true);
        known.min_len = to.min_len;
        let known = known.clone();
        let mut all = vec![declared];
        if to.min_len > 0 {
            for _ in 0..self.rng.between(1, 2) {
                let (place, value) = (self.real_in(&known), self.value());
                all.push(stmt(StmtKind::Assign(place, value)));
            }
            if self.rng.chance(40)
                && let Some(place) = self.real_place(true)
            {
                let by = mul(real(0.5), Expr::Read(self.real_in(&known)));
                all.push(stmt(StmtKind::Incr(place, by)));
            }
        }
        self.scope.truncate(outer);
        let moved = Expr::Read(self.whole(next));
        all.push(stmt(StmtKind::Assign(whole, moved)));
        Some(all)
    }
}
