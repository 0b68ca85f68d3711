//! Indices that have to be separate: accesses of one array that depend on one another or not, as the indices are.
//!
//! In `m[row][k] -= f * m[col][k]`, the rows are one or two. What is distributed on the assumption that they are two, or that
//! two runs of one row don't overlap, is tested in front of the loop, which is else run as it is.

use super::subscripts::Subscripts;
use crate::ir::{BinOp, Expr, Place, Proj, Separation};

/// What has to hold so that the elements at the places never meet, in whatever iterations; `lo` is the least index of the
/// loop.
pub fn separation(
    a: &Place,
    b: &Place,
    subscripts: &Subscripts<'_>,
    lo: &Expr,
) -> Option<Separation> {
    let mut steps = a.proj.iter().zip(&b.proj).enumerate();
    let (at, (Proj::Index(x), Proj::Index(y))) = steps.find(|(_, (x, y))| x != y)? else {
        return None;
    };
    let ascending = |p: &Place| subscripts.element(p).filter(|e| e.change == 1);
    let are_runs = match (ascending(a)?.at, ascending(b)?.at) {
        (m, n) if m == at && n == at => true,
        (m, n) if m > at && n > at => false,
        _ => return None,
    };
    let [x, y] = [x, y].map(|e| subscripts.in_front(e, lo));
    let (x, y) = (x?, y?);
    // Neighbours overlap.
    (base(&x) != base(&y)).then_some(Separation {
        indices: [x, y],
        are_runs,
    })
}

/// The index without literals that it adds or takes away.
fn base(e: &Expr) -> &Expr {
    match e {
        Expr::Binary(BinOp::Add | BinOp::Sub, a, by) if matches!(**by, Expr::Lit(..)) => base(a),
        Expr::Binary(BinOp::Add, by, a) if matches!(**by, Expr::Lit(..)) => base(a),
        e => e,
    }
}
