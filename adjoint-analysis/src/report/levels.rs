//! The loops of a function, each with the values that come back in its iterations.

use super::recovery::Recovery;
use super::view::{Enclosing, View};
use crate::ir::{Block, Stmt, StmtId, StmtKind};

/// The body of a loop, or of the function.
pub struct Level<'a> {
    /// The loop; none for the function.
    pub of: Option<StmtId>,
    /// Its body.
    pub block: &'a Block,
}

impl Level<'_> {
    /// Whether this is the innermost loop around the statement.
    pub fn contains(&self, view: &View<'_>, id: StmtId) -> bool {
        let around = view.enclosing.get(&id).into_iter().flatten().rev();
        let mut loops = around.filter_map(|e| match e {
            Enclosing::Loop(id) => Some(*id),
            Enclosing::Arm => None,
        });
        loops.next() == self.of
    }

    /// Where the statement that the value dies at stands in the block; none in an inner block.
    pub fn position(&self, r: &Recovery) -> Option<usize> {
        self.block.stmts.iter().position(|s| s.id == r.of)
    }

    /// What it is called.
    pub fn title(&self, view: &View<'_>) -> String {
        match self.of {
            Some(id) => view.quoted_line(id).replace('`', ""),
            None => format!("{}, outside of loops", view.func().name),
        }
    }
}

/// The function and its loops, in textual order. Tables and drawings number them from 0.
pub fn levels<'a>(view: &View<'a>) -> Vec<Level<'a>> {
    let body = &view.func().body;
    let mut found = vec![Level {
        of: None,
        block: body,
    }];
    let body_of = |s: &'a Stmt| match &s.kind {
        StmtKind::Loop(_, block) => Some(Level {
            of: Some(s.id),
            block,
        }),
        _ => None,
    };
    body.walk(&mut |s| found.extend(body_of(s)));
    found
}
