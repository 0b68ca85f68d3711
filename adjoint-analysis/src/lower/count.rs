//! Integers that only casts tell: what methods give that are not visible (`let n = m.dim(); k / n as f64`), and sums
//! and products of fields that are not (`(a.n * b.n) as f64`).

use super::infer::Kind;
use super::{Lower, Ty};
use proc_macro2::Span;

use crate::ir::Intrinsic::{Abs, Clamp, Max, Min, Signum};
use crate::ir::{Block, Expr, Place, Stmt, StmtKind};

/// What casts take whose types nothing has told yet.
#[derive(Default)]
pub struct Casts {
    /// To any number.
    all: Vec<Ty>,
    /// To reals: what is an operator's, there, is an integer, as reals need no such cast.
    to_reals: Vec<Ty>,
}

impl Lower {
    /// `value as ty`, and what means the same.
    pub fn cast_to(&mut self, value: Expr, from: &Ty, ty: Ty) -> Expr {
        if let Ty::Infer(_) = self.shallow(from) {
            self.casts.all.push(from.clone());
            if ty.is_float() {
                self.casts.to_reals.push(from.clone());
            }
        }
        Expr::Cast(Box::new(value), ty)
    }

    /// What a cast takes is an integer where a method that is not visible gives it, or where it has operators, unless
    /// anything else tells its type. Rustc says so if it is none.
    pub fn count_what_is_cast(&mut self, body: &mut Block) {
        let casts = std::mem::take(&mut self.casts);
        let open = Casts {
            all: self.still_open(casts.all),
            to_reals: self.still_open(casts.to_reals),
        };
        if open.all.is_empty() {
            return;
        }
        let mut counts = Vec::new();
        self.demand_counts(body, &open, &mut counts);
        for ty in counts {
            let integer = self.infer.fresh(Kind::Int);
            self.unify(&ty, &integer);
        }
    }

    /// What has a method or an operator of integers alone is one, unless its type is known. Rustc says so if it is
    /// none.
    pub fn take_for_integer(&mut self, value: &Expr, ty: &Ty, span: Span) {
        let ty = self.shallow(ty);
        if !matches!(ty, Ty::Infer(_)) || self.infer.is_number(&ty) {
            return;
        }
        if let Expr::Read(place) = value {
            self.demand_of_place("integer_of", place, span);
        }
        let integer = self.infer.fresh(Kind::Int);
        self.unify(&ty, &integer);
    }

    fn still_open(&self, types: Vec<Ty>) -> Vec<Ty> {
        let shallow = types.iter().map(|ty| self.shallow(ty));
        shallow
            .filter(|ty| matches!(ty, Ty::Infer(_)) && !self.infer.is_number(ty))
            .collect()
    }

    /// Has rustc check what is taken for an integer; the types are added to `counts`.
    fn demand_counts(&mut self, block: &mut Block, open: &Casts, counts: &mut Vec<Ty>) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.blocks_mut() {
                self.demand_counts(inner, open, counts);
            }
            let result = self.result_of_method(&stmt);
            let result = result.filter(|p| open.all.contains(&self.shallow(&p.ty)));
            let operands = self.operands_of(&stmt, &open.to_reals);
            let span = self.spans[stmt.id.0 as usize];
            let mut demand = |l: &mut Lower, place: Place| {
                let check = l.check_of_place("counts", &place, span);
                counts.push(place.ty);
                check
            };
            stmts.extend(operands.into_iter().map(|place| demand(self, place)));
            stmts.push(stmt);
            stmts.extend(result.map(|place| demand(self, place)));
        }
        block.stmts = stmts;
    }

    /// The result of a call of a method.
    fn result_of_method(&self, stmt: &Stmt) -> Option<Place> {
        match &stmt.kind {
            StmtKind::Call(call) if call.callee.is_method() => {
                let result = call.result?;
                Some(Place::var(result, self.func.var(result).ty.clone()))
            }
            _ => None,
        }
    }

    /// The places of these types that the statement's operators, and methods of numbers, are applied to.
    fn operands_of(&self, stmt: &Stmt, open: &[Ty]) -> Vec<Place> {
        let mut operands = Vec::new();
        let mut note = |e: &Expr| {
            if let Expr::Read(place) = e
                && open.contains(&self.shallow(&place.ty))
                && !operands.contains(place)
            {
                operands.push(place.clone());
            }
        };
        stmt.each_arithmetic_operand(&mut note);
        stmt.walk_exprs(&mut |e| {
            if let Expr::Intrinsic(Max | Min | Abs | Clamp | Signum, args) = e {
                args.iter().for_each(&mut note);
            }
        });
        operands
    }
}
