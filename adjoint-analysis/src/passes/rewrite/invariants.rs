//! Loop-invariant code motion: an expensive result that is the same in all iterations is computed before the loop.
//!
//! Compilers do that in the function, but its adjoint would record the result in each iteration, and take its adjoint
//! apart there. Moved, it has one record, its adjoint is summed in the loop, and is passed on once behind it.
//!
//! What moves is `let v = e` in a loop's body where `e` has an expensive operation and reads only what the loop does not
//! write. It moves also if the loop runs no iteration, so `e` must not panic.

use crate::ir::total::Totality;
use crate::ir::{Block, Expr, Func, LoopHead, Place, Stmt, StmtKind, VarId};
use crate::passes::sets::set::VarSet;
use crate::passes::tbr::cost::is_expensive;

/// The function with its invariants before the loops.
pub fn hoist(func: Func) -> Func {
    let mut body = func.body.clone();
    Motion { func: &func }.block(&mut body);
    Func { body, ..func }
}

struct Motion<'f> {
    func: &'f Func,
}

impl Motion<'_> {
    /// Moves what is invariant in the loops of the block before them, inner loops first.
    fn block(&self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.blocks_mut() {
                self.block(inner);
            }
            if let StmtKind::Loop(head, body) = &mut stmt.kind {
                block.stmts.append(&mut self.invariants(head, body));
            }
            block.stmts.push(stmt);
        }
    }

    /// Takes the invariant declarations out of the body.
    fn invariants(&self, head: &LoopHead, body: &mut Block) -> Vec<Stmt> {
        let (mut varying, written) = varying(head, body);
        let total = Totality::of(self.func);
        let mut moved = Vec::new();
        for stmt in std::mem::take(&mut body.stmts) {
            let may_move = |v, e| !written.contains(v) && self.may_move(v, e, &total);
            match invariant(&stmt, &varying).filter(|(v, e)| may_move(*v, e)) {
                Some((v, _)) => {
                    varying.remove(v);
                    moved.push(stmt);
                }
                None => body.stmts.push(stmt),
            }
        }
        moved
    }

    /// Whether evaluating the expression elsewhere pays, and can't panic.
    fn may_move(&self, v: VarId, e: &Expr, total: &Totality<'_>) -> bool {
        let (mut expensive, mut real) = (false, true);
        e.walk(&mut |e| {
            expensive |= is_expensive(e, self.func);
            // An integer may overflow, and user code may have effects.
            real &= match e {
                Expr::Binary(..) | Expr::Unary(..) => e.ty(self.func).is_float(),
                Expr::Code(..) | Expr::Discrete(..) => false,
                _ => true,
            };
        });
        self.func.var(v).ty.is_float() && expensive && real && total.is_total(e)
    }
}

/// What the loop writes or declares, and what it writes.
fn varying(head: &LoopHead, body: &Block) -> (VarSet, VarSet) {
    let (mut varying, mut written) = (VarSet::default(), VarSet::default());
    varying.extend(head.index());
    body.walk(&mut |s| {
        varying.extend(s.declared());
        written.extend(s.written().iter().map(|p| p.root));
        if let StmtKind::Loop(head, _) = &s.kind {
            varying.extend(head.index());
        }
    });
    varying.union(&written);
    (varying, written)
}

/// The variable and its value, if the statement declares one whose operands don't vary.
fn invariant<'s>(stmt: &'s Stmt, varying: &VarSet) -> Option<(VarId, &'s Expr)> {
    let StmtKind::Let(v, Some(e)) = &stmt.kind else {
        return None;
    };
    let mut fixed = true;
    e.walk(&mut |e| {
        let mut places = e.own_places().iter();
        fixed &= !places.any(|p: &Place| varying.contains(p.root));
    });
    fixed.then_some((*v, e))
}
