//! Increments of one place in the adjoint of one statement.
//!
//! An increment joins a later one of the same place if nothing in between writes what it reads, or names the adjoint other than
//! to add to a place in it. Two products of the same factors are written alike, so that a compiler computes one: `b * 100.0 * b`
//! has two.

use crate::ir::{BinOp, Block, Expr, Place, Stmt, StmtKind, UnOp, VarId};

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
        if stmt.id != first.id {
            return None;
        }
        match &stmt.kind {
            StmtKind::Incr(p, _) if p == place => return Some(n + 1),
            StmtKind::Let(..) | StmtKind::Incr(..) if !interferes(stmt, place, &read) => {}
            _ => return None,
        }
    }
    None
}

/// Whether the statement names the adjoint, other than to add to it, or writes what the increment reads.
fn interferes(stmt: &Stmt, place: &Place, read: &[VarId]) -> bool {
    let adds = matches!(&stmt.kind, StmtKind::Incr(p, _) if p.root == place.root);
    let named = Stmt::mentions(std::slice::from_ref(stmt), place.root) > usize::from(adds);
    let writes = stmt.written().iter().any(|p| read.contains(&p.root));
    named || writes
}

fn add_to(later: &mut Stmt, first: Stmt) {
    if let (StmtKind::Incr(_, value), StmtKind::Incr(_, before)) = (&mut later.kind, first.kind) {
        *value = match is_same_product(&before, value) {
            true => sum(before.clone(), before),
            false => sum(before, value.clone()),
        };
    }
}

/// Whether the values are the same to the last bit: products of two factors commute.
fn is_same_product(a: &Expr, b: &Expr) -> bool {
    let same = is_same_product;
    match (a, b) {
        (Expr::Binary(BinOp::Mul, a, b), Expr::Binary(BinOp::Mul, c, d)) => {
            same(a, c) && same(b, d) || same(a, d) && same(b, c)
        }
        (Expr::Scale(seed, a), Expr::Scale(other, b)) => seed == other && same(a, b),
        (Expr::Unary(op, a), Expr::Unary(other, b)) => op == other && same(a, b),
        (a, b) => a == b,
    }
}

/// `a + b`, with the signs of the two taken out.
fn sum(a: Expr, b: Expr) -> Expr {
    let binary = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b));
    match (a, b) {
        (Expr::Unary(UnOp::Neg, a), Expr::Unary(UnOp::Neg, b)) => {
            Expr::Unary(UnOp::Neg, Box::new(binary(BinOp::Add, *a, *b)))
        }
        (Expr::Unary(UnOp::Neg, a), b) => binary(BinOp::Sub, b, *a),
        (a, Expr::Unary(UnOp::Neg, b)) => binary(BinOp::Sub, a, *b),
        (a, b) => binary(BinOp::Add, a, b),
    }
}
