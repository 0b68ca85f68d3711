//! Early exits of reversed loops: `if seed == 0.0 { break; }` at the end of the body.
//!
//! With a zero seed, the body must add nothing and leave the seed zero (`distribution::seeds`), and take nothing from the tape but
//! slots of the loop. What it restores is unknown behind the loop.

use super::super::Reverse;
use super::super::distribution::seeds::add_nothing;
use crate::ir::{BinOp, Block, Expr, LoopHead, Stmt, StmtId, StmtKind, VarId};
use crate::passes::sets::set::VarSet;
use crate::plan::Storage;
use crate::plan::check::faults::FaultKind;

/// A loop that may end early.
pub struct EarlyExit {
    /// The body without the exit.
    pub body: Block,
    /// The variables around the loop that iterations restore.
    pub restored: Vec<VarId>,
}

impl Reverse<'_, '_> {
    /// The early exit at the end of the loop's body, which is proved.
    pub fn early_exit(&mut self, id: StmtId, head: &LoopHead, body: &Block) -> Option<EarlyExit> {
        let (exit, others) = body.stmts.split_last()?;
        let seed = exit_seed(exit)?;
        let body = Block::new(others.to_vec());
        let (mut stmts, mut inner, mut restored) = (Vec::new(), VarSet::default(), Vec::new());
        own_stmts(&body, &mut stmts);
        inner.extend(stmts.iter().filter_map(|s| s.declared()));
        let mut own_slots = matches!(head, LoopHead::Reversed(..));
        for stmt in &stmts {
            own_slots &= self.takes_own_slots(id, stmt);
            if let StmtKind::Restore(_, p) = &stmt.kind
                && !inner.contains(p.root)
            {
                restored.push(p.root);
            }
        }
        let mut own = inner;
        own.insert(seed);
        own.extend(restored.iter().copied());
        if !own_slots || !add_nothing(&stmts, seed, &own, &self.plan.func) {
            let message = "a loop ends early that may add something";
            self.faults.add(id, FaultKind::SeedLost, message);
        }
        Some(EarlyExit { body, restored })
    }

    /// Whether the statement takes from the tape only slots of the loop.
    fn takes_own_slots(&self, id: StmtId, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Restore(record, _) | StmtKind::RestoreControl(record, _) => {
                let storage = &self.plan.record(*record).storage;
                matches!(storage, Storage::Frame { of, .. } if *of == id)
            }
            StmtKind::Loop(head, _) => {
                matches!(head, LoopHead::Reversed(..) | LoopHead::Distributed(..))
            }
            // A loop inside may end early as well.
            StmtKind::Break
            | StmtKind::Let(..)
            | StmtKind::Assign(..)
            | StmtKind::Incr(..)
            | StmtKind::Zero(_)
            | StmtKind::If(..) => true,
            _ => false,
        }
    }
}

/// The variable that the loop ends for where it is zero.
fn exit_seed(stmt: &Stmt) -> Option<VarId> {
    let StmtKind::If(Expr::Binary(BinOp::Eq, seed, zero), leave, stay) = &stmt.kind else {
        return None;
    };
    let (Expr::Read(seed), Expr::Lit(zero, _)) = (&**seed, &**zero) else {
        return None;
    };
    let leaves = matches!(
        &leave.stmts[..],
        [Stmt {
            kind: StmtKind::Break,
            ..
        }]
    );
    (leaves && stay.is_empty() && seed.is_whole() && zero.parse() == Ok(0.0)).then_some(seed.root)
}

/// The statements of the block and of those inside; parts of distributed loops do what the body does.
fn own_stmts<'b>(block: &'b Block, into: &mut Vec<&'b Stmt>) {
    for stmt in &block.stmts {
        into.push(stmt);
        match &stmt.kind {
            StmtKind::Loop(_, body) => own_stmts(body, into),
            _ => stmt.each_block(&mut |inner| own_stmts(inner, into)),
        }
    }
}
