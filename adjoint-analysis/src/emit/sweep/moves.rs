//! Moves in the forward sweep: where a local is read for the last time, its value needs no copy.

use super::Emit;
use super::expr::is_copy;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Block, Expr, Mode, Origin, Stmt, StmtKind, Ty, VarId};

impl Emit<'_> {
    /// The locals of the block that the statement of this number reads, and that nothing names behind it.
    pub(super) fn moved_at(&self, block: &Block, at: usize) -> Vec<VarId> {
        let mut read = Vec::new();
        if let StmtKind::Let(_, Some(e)) | StmtKind::Assign(_, e) = &block.stmts[at].kind
            && !self.in_reverse
        {
            whole_parts(e, &mut read);
        }
        read.retain(|v| {
            let is_last = is_last_use(block, at, *v) && !self.named_later.contains(*v);
            is_last && self.is_movable(*v)
        });
        read
    }

    /// The value of a list's adjoint that is declared with that of another one, which it takes.
    pub(super) fn taken(&self, v: VarId, value: &Expr) -> Option<TokenBuf> {
        let Expr::Read(from) = value else {
            return None;
        };
        let of_adjoint = |v: VarId| matches!(self.plan.func.var(v).origin, Origin::Adjoint(_));
        let is_list = matches!(self.plan.func.var(v).ty, Ty::Vec(_));
        (is_list && of_adjoint(v) && of_adjoint(from.root)).then(|| {
            let from = self.borrow(from, true);
            code!(::core::mem::take(#from))
        })
    }

    fn is_movable(&self, v: VarId) -> bool {
        let var = self.plan.func.var(v);
        let is_own = matches!(var.origin, Origin::Local | Origin::Temp) && var.mode == Mode::Owned;
        is_own && var.ty.is_known() && !is_copy(&var.ty)
    }
}

/// The variables that the value, or a part that it is made of, is as a whole.
fn whole_parts(e: &Expr, found: &mut Vec<VarId>) {
    match e {
        Expr::Read(p) if p.is_whole() => found.push(p.root),
        Expr::Aggregate(parts, _) => parts.iter().for_each(|e| whole_parts(e, found)),
        Expr::Variant(_, fields, _) => fields.iter().for_each(|(_, e)| whole_parts(e, found)),
        _ => {}
    }
}

/// Whether the variable is declared before the statement in the block, named by it once, and by nothing behind it.
fn is_last_use(block: &Block, at: usize, v: VarId) -> bool {
    let mut before = block.stmts[..at].iter();
    before.any(|s| s.declared() == Some(v))
        && Stmt::mentions(&block.stmts[at..=at], v) == 1
        && Stmt::mentions(&block.stmts[at + 1..], v) == 0
}
