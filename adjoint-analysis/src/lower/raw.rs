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
        match self {
            Raw::Stmt(stmt) => stmt.written().iter().any(|p| p.root == v),
            Raw::If(_, _, then, els) => then.iter().chain(els).any(|raw| raw.writes(v)),
            Raw::Loop(_, _, _, body) | Raw::Labeled(_, body) => {
                body.iter().any(|raw| raw.writes(v))
            }
            Raw::Exit(_) | Raw::Break(_) => false,
        }
    }
}
