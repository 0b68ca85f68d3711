//! Blocks for the same callers in the adjoint of one statement.
//!
//! Each increment has a block for the callers that need it. One that has nothing to do with the blocks in between goes to the next
//! one for the same callers, so that the increments in them can be joined.

use super::each_written;
use crate::ir::{Stmt, StmtKind, VarId};

/// Moves the statements of blocks into later ones for the same callers.
pub fn join(stmts: &mut Vec<Stmt>) {
    let mut at = 0;
    while at < stmts.len() {
        match same_guard(&stmts[at..]) {
            Some(n) => {
                let guarded = stmts.remove(at);
                move_into(&mut stmts[at + n - 1], guarded);
            }
            None => at += 1,
        }
    }
}

/// How far behind the first statement, a block, another one is that it can be moved to.
fn same_guard(stmts: &[Stmt]) -> Option<usize> {
    let (first, rest) = stmts.split_first()?;
    let StmtKind::When(demand, _) = &first.kind else {
        return None;
    };
    let mut same = rest.iter().take_while(|s| s.id == first.id);
    let is_one = |s: &Stmt| matches!(&s.kind, StmtKind::When(other, _) if other == demand);
    let n = same.position(is_one)?;
    let moved = Access::of(first)?;
    let commutes = |s: &Stmt| Access::of(s).is_some_and(|between| moved.commutes(&between));
    rest[..n].iter().all(commutes).then_some(n + 1)
}

fn move_into(later: &mut Stmt, guarded: Stmt) {
    if let (StmtKind::When(_, behind), StmtKind::When(_, block)) = (&mut later.kind, guarded.kind) {
        behind.stmts.splice(..0, block.stmts);
    }
}

/// What a statement names and writes.
struct Access {
    named: Vec<VarId>,
    written: Vec<VarId>,
}

impl Access {
    /// The variables; none, if the statement changes more than these, or contains the adjoint of another one.
    fn of(stmt: &Stmt) -> Option<Access> {
        let mut written = Vec::new();
        if !each_written(stmt, &mut |v| written.push(v)) {
            return None;
        }
        let (mut named, mut is_of_one) = (Vec::new(), true);
        Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
            s.each_named_var(&mut |v| named.push(v));
            is_of_one &= s.id == stmt.id;
        });
        is_of_one.then_some(Access { named, written })
    }

    /// Whether neither writes what the other one names.
    fn commutes(&self, other: &Access) -> bool {
        let meets = |written: &[VarId], of: &Access| {
            let mut written = written.iter();
            written.any(|v| of.named.contains(v) || of.written.contains(v))
        };
        !meets(&self.written, other) && !meets(&other.written, self)
    }
}
