//! Increments of one place in the adjoint of one statement.
//!
//! An increment joins a later one of the same place if nothing in between writes what it reads, or names the adjoint other than
//! to add to a place in it. Of terms with one seed, the factors are added, so that the seed is multiplied and tested once:
//! `scale(s, a)`, `-scale(s, b)` and `s` are `scale(s, a - b + 1.0)`, the entry of the statement's Jacobian.

use super::each_written;
use super::factored::Factored;
use crate::ir::{Block, Place, Stmt, StmtKind, VarId};

/// Joins the increments.
pub fn join(block: &mut Block) {
    let mut at = 0;
    while at < block.stmts.len() {
        match later_increment(&block.stmts[at..]) {
            Some(n) => {
                let first = block.stmts.remove(at);
                add_to(&mut block.stmts[at + n - 1], first);
            }
            None => at += 1,
        }
    }
}

/// How far behind the first statement, an increment, another one is that may do its work, too.
fn later_increment(stmts: &[Stmt]) -> Option<usize> {
    let (first, rest) = stmts.split_first()?;
    let StmtKind::Incr(place, value) = &first.kind else {
        return None;
    };
    if !place.ty.is_machine_float() {
        return None;
    }
    let mut read: Vec<VarId> = Vec::new();
    for e in place.operands().into_iter().chain([value]) {
        e.walk(&mut |e| read.extend(e.own_places().iter().map(|p| p.root)));
    }
    for (n, stmt) in rest.iter().enumerate() {
        match &stmt.kind {
            _ if stmt.id != first.id => return None,
            StmtKind::Incr(p, _) if p == place => return Some(n + 1),
            _ if interferes(stmt, place, &read) => return None,
            _ => {}
        }
    }
    None
}

/// Whether the statement names the adjoint, other than to add to it, or may write what the increment reads.
fn interferes(stmt: &Stmt, place: &Place, read: &[VarId]) -> bool {
    let stmts = std::slice::from_ref(stmt);
    let (mut adds, mut writes) = (0, false);
    Stmt::walk_all(stmts, &mut |s| {
        adds += usize::from(matches!(&s.kind, StmtKind::Incr(p, _) if p.root == place.root));
    });
    let is_all = each_written(stmt, &mut |v| writes |= read.contains(&v));
    !is_all || writes || Stmt::mentions(stmts, place.root) > adds
}

fn add_to(later: &mut Stmt, first: Stmt) {
    if let (StmtKind::Incr(place, value), StmtKind::Incr(_, before)) = (&mut later.kind, first.kind)
    {
        let mut sum = Factored::new(place.ty.clone());
        sum.add(before, false);
        sum.add(value.clone(), false);
        *value = sum.value();
    }
}
