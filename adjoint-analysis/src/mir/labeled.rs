//! Statements as lowering writes them: exits may stand anywhere.

use crate::ir::{Expr, LoopHead, Stmt, StmtId, VarId};

/// The end of a labelled piece of code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LabelId(pub u32);

/// A statement before exits are brought into tail position.
#[derive(Clone, Debug)]
pub enum Raw {
    /// A statement without blocks.
    Stmt(Stmt),
    /// Two ways.
    If(StmtId, Expr, Vec<Raw>, Vec<Raw>),
    /// A loop, and the label of its end.
    Loop(StmtId, LoopHead, LabelId, Vec<Raw>),
    /// Code whose end is a label.
    Labeled(LabelId, Vec<Raw>),
    /// Goes on behind the code with this label.
    Exit(LabelId),
    /// Leaves the innermost loop; only the exit pass makes it.
    Break(StmtId),
}

impl Raw {
    /// Whether it writes the variable, or a part of it.
    pub fn writes(&self, v: VarId) -> bool {
        let mut writes = false;
        self.each(&mut |stmt| writes |= stmt.written().iter().any(|p| p.root == v));
        writes
    }

    /// Calls `f` with each statement without blocks.
    pub fn each(&self, f: &mut dyn FnMut(&Stmt)) {
        match self {
            Raw::Stmt(stmt) => f(stmt),
            Raw::If(_, _, then, els) => then.iter().chain(els).for_each(|raw| raw.each(f)),
            Raw::Loop(_, _, _, body) | Raw::Labeled(_, body) => {
                body.iter().for_each(|raw| raw.each(f));
            }
            Raw::Exit(_) | Raw::Break(_) => {}
        }
    }

    /// The same, to change them.
    pub fn each_mut(&mut self, f: &mut dyn FnMut(&mut Stmt)) {
        match self {
            Raw::Stmt(stmt) => f(stmt),
            Raw::If(_, _, then, els) => then.iter_mut().chain(els).for_each(|raw| raw.each_mut(f)),
            Raw::Loop(_, _, _, body) | Raw::Labeled(_, body) => {
                body.iter_mut().for_each(|raw| raw.each_mut(f));
            }
            Raw::Exit(_) | Raw::Break(_) => {}
        }
    }
}
