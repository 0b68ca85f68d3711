//! The state of drawing one function: what is in scope, and what may be done with it.

use super::reals::holds_reals;
use crate::gen_program::build;
use crate::gen_program::random::Random;
use crate::gen_program::{Bounds, Signature};
use crate::ir::{Block, Expr, Func, IntTy, Mode, Origin, Place, Stmt, StmtKind, Ty, VarId};

/// Draws the body of a function.
pub(in crate::gen_program) struct Writer<'a> {
    pub(in crate::gen_program) rng: &'a mut Random,
    pub(in crate::gen_program) bounds: &'a Bounds,
    /// The functions that can be called.
    pub(in crate::gen_program) callees: &'a [Signature],
    pub(in crate::gen_program) func: Func,
    pub(in crate::gen_program) scope: Vec<Known>,
    /// Integers in scope that may have any value of their types.
    pub(in crate::gen_program) inductions: Vec<Induction>,
    /// Arrays of such integers in scope.
    pub(in crate::gen_program) tallies: Vec<Tally>,
    /// How many blocks enclose the one being drawn.
    pub(in crate::gen_program) nesting: usize,
    /// How many statements may still be drawn.
    pub(in crate::gen_program) budget: usize,
}

/// A variable in scope that has a value.
#[derive(Clone)]
pub(in crate::gen_program) struct Known {
    pub(in crate::gen_program) var: VarId,
    pub(in crate::gen_program) ty: Ty,
    pub(in crate::gen_program) writable: bool,
    /// The least number of elements of a list, or of values in an option.
    pub(in crate::gen_program) min_len: usize,
    /// What is known of the values of an index.
    pub(in crate::gen_program) span: Option<Span>,
}

/// An induction variable in scope.
#[derive(Clone)]
pub(in crate::gen_program) struct Induction {
    pub(in crate::gen_program) var: VarId,
    pub(in crate::gen_program) ty: IntTy,
    pub(in crate::gen_program) writable: bool,
}

/// An array of integers of one type.
#[derive(Clone)]
pub(in crate::gen_program) struct Tally {
    pub(in crate::gen_program) var: VarId,
    pub(in crate::gen_program) ty: IntTy,
    pub(in crate::gen_program) len: usize,
}

/// What is known of a `usize` that nothing assigns to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::gen_program) struct Span {
    /// It is at least this.
    pub(in crate::gen_program) lo: usize,
    pub(in crate::gen_program) below: Below,
}

/// An upper bound, exclusive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::gen_program) enum Below {
    /// The value, this much increased, is less than the length of the list.
    Length(VarId, usize),
    /// Less than a constant.
    Const(usize),
    Unknown,
}

/// The type of signed integer variables.
pub(in crate::gen_program) const I64: Ty = Ty::Int(IntTy::I64);

impl<'a> Writer<'a> {
    /// A place holding all of a known variable.
    pub(in crate::gen_program) fn whole(&self, var: VarId) -> Place {
        self.func.place(var)
    }

    /// The value of a whole variable.
    pub(in crate::gen_program) fn read(&self, var: VarId) -> Expr {
        Expr::Read(self.whole(var))
    }

    /// Declares a variable and brings it into scope, writable.
    pub(in crate::gen_program) fn declare(
        &mut self,
        name: &str,
        ty: Ty,
        init: Option<Expr>,
    ) -> (VarId, Stmt) {
        let var = build::local(&mut self.func, name, ty);
        (var, build::stmt(StmtKind::Let(var, init)))
    }

    /// Brings a variable into scope.
    pub(in crate::gen_program) fn know(&mut self, var: VarId, writable: bool) -> &mut Known {
        let ty = self.func.var(var).ty.clone();
        let min_len = fixed_len(&ty).unwrap_or(0);
        self.scope.push(Known {
            var,
            ty,
            writable,
            min_len,
            span: None,
        });
        let last = self.scope.len() - 1;
        &mut self.scope[last]
    }

    /// A parameter of a signature.
    pub(in crate::gen_program) fn know_param(
        &mut self,
        name: &str,
        ty: Ty,
        mode: Mode,
        min_len: usize,
    ) -> VarId {
        let var = build::param(&mut self.func, name, ty, mode);
        let known = self.know(var, mode == Mode::Mut);
        known.min_len = known.min_len.max(min_len);
        var
    }

    /// A variable for the index of a counted loop.
    pub(in crate::gen_program) fn index_var(&mut self, ty: Ty) -> VarId {
        self.func.add_var("i", ty, Mode::Owned, Origin::Index)
    }

    /// All known variables for which the condition holds.
    pub(in crate::gen_program) fn all(&self, holds: impl Fn(&Known) -> bool) -> Vec<Known> {
        self.scope.iter().filter(|k| holds(k)).cloned().collect()
    }

    /// One of the known variables for which the condition holds; the younger the more likely.
    pub(in crate::gen_program) fn some(&mut self, holds: impl Fn(&Known) -> bool) -> Option<Known> {
        let all = self.all(holds);
        if all.is_empty() {
            return None;
        }
        let (a, b) = (self.rng.below(all.len()), self.rng.below(all.len()));
        Some(all[if self.rng.chance(50) { a.max(b) } else { a }].clone())
    }

    /// The same for a variable to write: one that outlives the block, more often than not, since
    /// what is written to a short-lived variable is seldom read.
    pub(in crate::gen_program) fn some_written(
        &mut self,
        holds: impl Fn(&Known) -> bool,
    ) -> Option<Known> {
        let all = self.all(|k| k.writable && holds(k));
        if all.is_empty() {
            return None;
        }
        let (a, b) = (self.rng.below(all.len()), self.rng.below(all.len()));
        Some(all[if self.rng.chance(65) { a.min(b) } else { a }].clone())
    }

    /// Forbids writes to a variable, or allows them again.
    pub(in crate::gen_program) fn set_writable(&mut self, var: VarId, writable: bool) {
        for known in self.scope.iter_mut().filter(|k| k.var == var) {
            known.writable = writable;
        }
    }

    /// Draws a block in a scope of its own: up to `most` statements, then those of `tail`.
    pub(in crate::gen_program) fn block(
        &mut self,
        most: usize,
        tail: impl FnOnce(&mut Self) -> Vec<Stmt>,
    ) -> Block {
        let (outer, inductions) = (self.scope.len(), self.inductions.len());
        let tallies = self.tallies.len();
        self.nesting += 1;
        let mut stmts = Vec::new();
        for _ in 0..self
            .rng
            .between(usize::from(most > 0), most.max(1))
            .min(most)
        {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            stmts.extend(self.statement());
        }
        stmts.extend(self.outliving(outer));
        stmts.extend(tail(self));
        self.nesting -= 1;
        self.scope.truncate(outer);
        self.inductions.truncate(inductions);
        self.tallies.truncate(tallies);
        Block::new(stmts)
    }

    /// Adds something that the block has declared to what outlives it, so that it matters.
    fn outliving(&mut self, outer: usize) -> Option<Stmt> {
        let inner = self.scope.split_off(outer);
        let place = if self.rng.chance(60) {
            self.real_place(true)
        } else {
            None
        };
        self.scope.extend(inner);
        let own: Vec<Known> = self.scope[outer..]
            .iter()
            .filter(|k| holds_reals(k))
            .cloned()
            .collect();
        if own.is_empty() {
            return None;
        }
        let at = self.rng.below(own.len());
        let value = Expr::Read(self.real_in(&own[at]));
        let by = build::mul(build::real(0.25), value);
        Some(build::stmt(StmtKind::Incr(place?, by)))
    }

    /// A block with nothing particular at its end.
    pub(in crate::gen_program) fn plain_block(&mut self) -> Block {
        self.block(self.bounds.statements, |_| Vec::new())
    }
}

/// The number of elements that a type fixes.
pub(in crate::gen_program) fn fixed_len(ty: &Ty) -> Option<usize> {
    match ty {
        Ty::Array(_, n) => n.parse().ok(),
        _ => None,
    }
}

/// How many elements each row of a grid has at least.
pub(in crate::gen_program) fn row_len(ty: &Ty) -> usize {
    ty.element().and_then(fixed_len).unwrap_or(1)
}

/// Whether values of the type are lists of integers.
pub(in crate::gen_program) fn is_table(ty: &Ty) -> bool {
    ty.element() == Some(&Ty::USIZE)
}

/// Whether values of the type are lists of reals.
pub(in crate::gen_program) fn is_list(ty: &Ty) -> bool {
    ty.element().is_some_and(Ty::is_float)
}

/// Whether values of the type are lists of lists of reals.
pub(in crate::gen_program) fn is_grid(ty: &Ty) -> bool {
    ty.element().is_some_and(is_list)
}

/// Whether values of the type are tuples of reals.
pub(in crate::gen_program) fn is_pair(ty: &Ty) -> bool {
    matches!(ty, Ty::Tuple(_))
}
