//! `Option`s: set, exchanged, and looked into where they are known to hold something.
//!
//! [`Known::min_len`] is 1 for one that is known to.

use super::writer::{Known, Writer};
use crate::gen_program::build::{read, real, stmt};
use crate::ir::{Expr, Place, Proj, Stmt, StmtKind, Ty, UnOp, VarId};

/// `Some(e)`
pub(in crate::gen_program) fn some(e: Expr, ty: Ty) -> Expr {
    Expr::Variant("Some".into(), vec![("0".into(), e)], ty)
}

/// The contents of an option that holds something.
pub(in crate::gen_program) fn contents(option: Place, ty: &Ty) -> Place {
    option.project(Proj::Variant("Some".into(), "0".into()), ty.clone())
}

/// Whether values of the type are options.
pub(in crate::gen_program) fn is_option(ty: &Ty) -> bool {
    matches!(ty, Ty::Option(_))
}

impl Writer<'_> {
    pub(in crate::gen_program) fn let_option(&mut self) -> Vec<Stmt> {
        let ty = Ty::Option(Box::new(Ty::F64));
        let value = self.something_or_nothing(&ty);
        let (var, declared) = self.declare("o", ty, Some(value));
        self.know(var, true);
        vec![declared]
    }

    /// A statement about an option.
    pub(in crate::gen_program) fn option(&mut self) -> Option<Vec<Stmt>> {
        let known = self.some_written(|k| is_option(&k.ty));
        match (self.rng.below(5), known) {
            (0 | 1, Some(known)) => Some(self.assign_option(&known)),
            (2, Some(known)) => self.exchange_option(&known),
            _ => {
                let known = self.some(|k| is_option(&k.ty) && k.min_len == 0)?;
                Some(self.look_into(&known))
            }
        }
    }

    /// `is(o, Some)`
    pub(in crate::gen_program) fn is_some(&mut self) -> Option<Expr> {
        let known = self.some(|k| is_option(&k.ty))?;
        Some(Expr::Is(self.whole(known.var), "Some".into()))
    }

    pub(in crate::gen_program) fn something_or_nothing(&mut self, ty: &Ty) -> Expr {
        let same = self.some(|k| k.ty == *ty);
        match (self.rng.below(5), same) {
            (0, Some(k)) => self.read(k.var),
            (1 | 2, _) => Expr::Variant("None".into(), Vec::new(), ty.clone()),
            _ => self.new_value(ty, 0),
        }
    }

    fn assign_option(&mut self, known: &Known) -> Vec<Stmt> {
        let value = match known.min_len {
            0 => self.something_or_nothing(&known.ty),
            _ => self.new_value(&known.ty, 0),
        };
        vec![stmt(StmtKind::Assign(self.whole(known.var), value))]
    }

    fn exchange_option(&mut self, a: &Known) -> Option<Vec<Stmt>> {
        let fits = |k: &Known| k.ty == a.ty && k.min_len == a.min_len;
        let b = self.some(|k| k.writable && k.var != a.var && fits(k))?;
        let swap = StmtKind::Swap(self.whole(a.var), self.whole(b.var));
        Some(vec![stmt(swap)])
    }

    /// `if is(o, Some) { .. } else { .. }`; what is in it may be used in the first arm.
    fn look_into(&mut self, known: &Known) -> Vec<Stmt> {
        let (place, writable) = (self.whole(known.var), known.writable);
        let is_some = Expr::Is(place.clone(), "Some".into());
        self.set_known(known.var, 1);
        let inner = contents(place.clone(), &Ty::F64);
        let yes = self.block(self.bounds.statements.min(3), |w| {
            let target = w.real_place(true).filter(|_| w.rng.chance(60));
            let by = crate::gen_program::build::mul(real(0.25), read(inner));
            target
                .map(|p| stmt(StmtKind::Incr(p, by)))
                .into_iter()
                .collect()
        });
        self.set_known(known.var, 0);
        let no = self.block(1, |w| match writable && w.rng.chance(40) {
            true => {
                let value = w.new_value(&place.ty, 0);
                vec![stmt(StmtKind::Assign(place, value))]
            }
            false => Vec::new(),
        });
        vec![stmt(match self.rng.chance(75) {
            true => StmtKind::If(is_some, yes, no),
            false => StmtKind::If(Expr::Unary(UnOp::Not, Box::new(is_some)), no, yes),
        })]
    }

    fn set_known(&mut self, var: VarId, held: usize) {
        for known in self.scope.iter_mut().filter(|k| k.var == var) {
            known.min_len = held;
        }
    }
}
