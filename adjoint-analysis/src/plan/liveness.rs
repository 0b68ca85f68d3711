//! Diff-liveness: the parts of the primal that the forward sweep needs.
//!
//! A primal statement is removed if no record, output, control flow or effect depends on it. A panic is an effect. A
//! variable is needed as a whole, and everywhere if it is needed anywhere or named by the reverse sweep.

use super::Plan;
use crate::ir::total::Totality;
use crate::ir::{Block, Func, LoopHead, Mode, Stmt, StmtKind};
use crate::passes::sets::set::VarSet;

/// Removes unneeded statements from the forward sweep.
pub fn prune(plan: &mut Plan) {
    let mut forward = std::mem::take(&mut plan.forward);
    let mut live = Live {
        total: Totality::of(&plan.func),
        needed: outputs(&plan.func),
    };
    plan.reverse.walk(&mut |s| live.need_names(s));
    loop {
        let before = live.needed.clone();
        live.block(&forward);
        if live.needed == before {
            break;
        }
    }
    live.drop_dead(&mut forward);
    plan.forward = forward;
}

fn outputs(func: &Func) -> VarSet {
    let params = func.params.iter().copied();
    let through = params.filter(|p| func.var(*p).mode == Mode::Mut);
    through.chain(func.ret).collect()
}

struct Live<'f> {
    total: Totality<'f>,
    needed: VarSet,
}

impl Live<'_> {
    /// Collects the needs of the statements that stay, from the last one. Returns whether any stays.
    fn block(&mut self, block: &Block) -> bool {
        let mut any = false;
        for stmt in block.stmts.iter().rev() {
            let mut inner = false;
            for block in stmt.blocks() {
                inner |= self.block(block);
            }
            if inner || self.stays(stmt) {
                self.need_names(stmt);
                any = true;
            }
        }
        any
    }

    /// Whether the statement itself has to stay, apart from those inside it.
    fn stays(&self, stmt: &Stmt) -> bool {
        let own = match &stmt.kind {
            StmtKind::Let(v, _) => self.needed.contains(*v),
            StmtKind::Assign(p, _) | StmtKind::Incr(p, _) => {
                self.needed.contains(p.root) || !self.total.is_total_place(p)
            }
            StmtKind::If(..) | StmtKind::Loop(LoopHead::Counted(..), _) => false,
            // Other loops may not terminate.
            _ => true,
        };
        own || stmt.operands().iter().any(|e| !self.total.is_total(e))
    }

    /// Adds the variables that the statement itself names.
    fn need_names(&mut self, stmt: &Stmt) {
        self.needed.extend(stmt.declared());
        stmt.each_named_var(&mut |v| {
            self.needed.insert(v);
        });
    }

    fn drop_dead(&self, block: &mut Block) {
        for stmt in &mut block.stmts {
            stmt.blocks_mut()
                .into_iter()
                .for_each(|b| self.drop_dead(b));
        }
        let any_inside = |s: &Stmt| s.blocks().iter().any(|b| !b.is_empty());
        block.stmts.retain(|s| any_inside(s) || self.stays(s));
    }
}
