//! Fallback types for cast operands of unknown type. The result of an external method (`let n = m.dim(); k / n as f64`)
//! and operands of arithmetic on external fields (`(a.n * b.n) as f64`) are integers; the result of a method that only
//! floats have is a float.

use super::unify::Kind;
use crate::lower::std_lib::method::only_of_floats;
use crate::lower::{Lower, Ty};
use proc_macro2::Span;

use crate::ir::Intrinsic::{self, Abs, Clamp, Max, Min, Signum};
use crate::ir::{Arg, Block, Expr, Place, Stmt, StmtKind};

/// The types of cast operands that were unknown at the cast.
#[derive(Default)]
pub struct Casts {
    /// Operands of casts to any number type.
    all: Vec<Ty>,
    /// Operands of casts to a float type. If one is an operand of arithmetic, it is an integer: a float needs no such
    /// cast.
    to_reals: Vec<Ty>,
}

impl Lower {
    /// Lowers `value as ty` and equivalent conversions.
    pub fn cast_to(&mut self, value: Expr, from: &Ty, ty: Ty) -> Expr {
        if let Ty::Infer(_) = self.shallow(from) {
            self.casts.all.push(from.clone());
            if ty.is_float() {
                self.casts.to_reals.push(from.clone());
            }
        }
        Expr::Cast(Box::new(value), ty)
    }

    /// Applies the fallback to the cast operands that are still unknown: results of external methods, and operands of
    /// arithmetic. A check makes rustc reject a wrong guess.
    pub fn count_what_is_cast(&mut self, body: &mut Block) {
        let casts = std::mem::take(&mut self.casts);
        let open = Casts {
            all: self.still_open(casts.all),
            to_reals: self.still_open(casts.to_reals),
        };
        if open.all.is_empty() {
            return;
        }
        let mut told = Vec::new();
        self.demand_counts(body, &open, &mut told);
        for (ty, kind) in told {
            let number = self.infer.fresh(kind);
            self.unify(&ty, &number);
        }
    }

    /// Infers an integer for a value of unknown type that has a method or an operator of integers only. A check makes
    /// rustc reject a wrong guess.
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

    /// Emits a check for each operand that becomes an integer or a float, and adds its type to `told`.
    fn demand_counts(&mut self, block: &mut Block, open: &Casts, told: &mut Vec<(Ty, Kind)>) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.blocks_mut() {
                self.demand_counts(inner, open, told);
            }
            let result = self.result_of_method(&stmt);
            let result = result.filter(|(p, _)| open.all.contains(&self.shallow(&p.ty)));
            let operands = self.operands_of(&stmt, &open.to_reals);
            let span = self.draft.spans[stmt.id.0 as usize];
            let mut demand = |l: &mut Lower, place: Place, kind: Kind| {
                let what = match kind {
                    Kind::Float => "rounds",
                    _ => "counts",
                };
                let check = l.check_of_place(what, &place, span);
                told.push((place.ty, kind));
                check
            };
            stmts.extend(operands.into_iter().map(|p| demand(self, p, Kind::Int)));
            stmts.push(stmt);
            stmts.extend(result.map(|(p, kind)| demand(self, p, kind)));
        }
        block.stmts = stmts;
    }

    /// The result of a method call, and its kind by the method's name and arguments.
    fn result_of_method(&self, stmt: &Stmt) -> Option<(Place, Kind)> {
        let StmtKind::Call(call) = &stmt.kind else {
            return None;
        };
        let (name, result) = (call.callee.name.strip_prefix('.')?, call.result?);
        let is_real = |arg: &Arg| matches!(arg, Arg::Value(Expr::Lit(_, ty)) if !self.infer.is_int(ty) && self.infer.is_number(ty));
        let is_float = only_of_floats(name)
            || Intrinsic::from_name(name).is_some() && call.args.iter().any(is_real);
        let kind = match is_float {
            true => Kind::Float,
            false => Kind::Int,
        };
        let place = Place::var(result, self.draft.func.var(result).ty.clone());
        Some((place, kind))
    }

    /// The places of the types `open` to which the statement applies arithmetic operators or number methods.
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
