//! Statements as lowering emits them: exits may occur anywhere.

use crate::ir::{Expr, LoopHead, Stmt, StmtId, VarId};

/// The end of a labelled piece of code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LabelId(pub u32);

/// A statement before exits are moved into tail position.
#[derive(Clone, Debug)]
pub enum LabeledStmt {
    /// A statement without blocks.
    Stmt(Stmt),
    /// A conditional.
    If(StmtId, Expr, Vec<LabeledStmt>, Vec<LabeledStmt>),
    /// A loop, and the label of its end.
    Loop(StmtId, LoopHead, LabelId, Vec<LabeledStmt>),
    /// Code whose end is a label.
    Labeled(LabelId, Vec<LabeledStmt>),
    /// A jump to the end of the code with this label.
    Exit(LabelId),
    /// A jump out of the innermost loop; only [`super::exits`] creates it.
    Break(StmtId),
}

impl LabeledStmt {
    /// Whether it writes the variable, or a part of it.
    pub fn writes(&self, v: VarId) -> bool {
        let mut writes = false;
        self.each(&mut |stmt| writes |= stmt.written().iter().any(|p| p.root == v));
        writes
    }

    /// Calls `f` with each statement without blocks.
    pub fn each(&self, f: &mut dyn FnMut(&Stmt)) {
        match self {
            LabeledStmt::Stmt(stmt) => f(stmt),
            LabeledStmt::If(_, _, then, els) => then.iter().chain(els).for_each(|raw| raw.each(f)),
            LabeledStmt::Loop(_, _, _, body) | LabeledStmt::Labeled(_, body) => {
                body.iter().for_each(|raw| raw.each(f));
            }
            LabeledStmt::Exit(_) | LabeledStmt::Break(_) => {}
        }
    }

    /// Like [`Self::each`], with mutable statements.
    pub fn each_mut(&mut self, f: &mut dyn FnMut(&mut Stmt)) {
        match self {
            LabeledStmt::Stmt(stmt) => f(stmt),
            LabeledStmt::If(_, _, then, els) => {
                then.iter_mut().chain(els).for_each(|raw| raw.each_mut(f))
            }
            LabeledStmt::Loop(_, _, _, body) | LabeledStmt::Labeled(_, body) => {
                body.iter_mut().for_each(|raw| raw.each_mut(f));
            }
            LabeledStmt::Exit(_) | LabeledStmt::Break(_) => {}
        }
    }
}
