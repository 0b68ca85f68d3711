//! Fallback types for cast operands of unknown type. The result of an external method (`let n = m.dim(); k / n as f64`)
//! and operands of arithmetic on external fields (`(a.n * b.n) as f64`) are integers; the result of a method that only
//! floats have is a float.

use super::unify::VarKind;
use crate::lower::std_lib::method::is_float_only;
use crate::lower::{Lower, Ty};
use proc_macro2::Span;

use crate::ir::Intrinsic::{self, Abs, Clamp, Max, Min, Signum};
use crate::ir::{Arg, Block, Expr, Place, Stmt, StmtKind};

/// The types of cast operands that were unknown at the cast.
#[derive(Default)]
pub struct CastOperands {
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
    pub fn apply_cast_fallback(&mut self, body: &mut Block) {
        let casts = std::mem::take(&mut self.casts);
        let open = CastOperands {
            all: self.retain_open(casts.all),
            to_reals: self.retain_open(casts.to_reals),
        };
        if open.all.is_empty() {
            return;
        }
        let mut told = Vec::new();
        self.check_cast_operands(body, &open, &mut told);
        for (ty, kind) in told {
            let number = self.infer.fresh(kind);
            self.unify(&ty, &number);
        }
    }

    /// Infers an integer for a value of unknown type that has a method or an operator of integers only. A check makes
    /// rustc reject a wrong guess.
    pub fn infer_integer(&mut self, value: &Expr, ty: &Ty, span: Span) {
        let ty = self.shallow(ty);
        if !matches!(ty, Ty::Infer(_)) || self.infer.is_number(&ty) {
            return;
        }
        if let Expr::Read(place) = value {
            self.check_place("integer_of", place, span);
        }
        let integer = self.infer.fresh(VarKind::Int);
        self.unify(&ty, &integer);
    }

    fn retain_open(&self, types: Vec<Ty>) -> Vec<Ty> {
        let shallow = types.iter().map(|ty| self.shallow(ty));
        shallow
            .filter(|ty| matches!(ty, Ty::Infer(_)) && !self.infer.is_number(ty))
            .collect()
    }

    /// Emits a check for each operand that becomes an integer or a float, and adds its type to `told`.
    fn check_cast_operands(
        &mut self,
        block: &mut Block,
        open: &CastOperands,
        told: &mut Vec<(Ty, VarKind)>,
    ) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.blocks_mut() {
                self.check_cast_operands(inner, open, told);
            }
            let result = self.method_result(&stmt);
            let result = result.filter(|(p, _)| open.all.contains(&self.shallow(&p.ty)));
            let operands = self.operands_of(&stmt, &open.to_reals);
            let span = self.draft.spans[stmt.id.0 as usize];
            let mut demand = |l: &mut Lower, place: Place, kind: VarKind| {
                let what = match kind {
                    VarKind::Float => "rounds",
                    _ => "counts",
                };
                let check = l.new_place_check(what, &place, span);
                told.push((place.ty, kind));
                check
            };
            stmts.extend(operands.into_iter().map(|p| demand(self, p, VarKind::Int)));
            stmts.push(stmt);
            stmts.extend(result.map(|(p, kind)| demand(self, p, kind)));
        }
        block.stmts = stmts;
    }

    /// The result of a method call, and its kind by the method's name and arguments.
    fn method_result(&self, stmt: &Stmt) -> Option<(Place, VarKind)> {
        let StmtKind::Call(call) = &stmt.kind else {
            return None;
        };
        let (name, result) = (call.callee.name.strip_prefix('.')?, call.result?);
        let is_real = |arg: &Arg| matches!(arg, Arg::Value(Expr::Lit(_, ty)) if !self.infer.is_int(ty) && self.infer.is_number(ty));
        let is_float = is_float_only(name)
            || Intrinsic::from_name(name).is_some() && call.args.iter().any(is_real);
        let kind = match is_float {
            true => VarKind::Float,
            false => VarKind::Int,
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
