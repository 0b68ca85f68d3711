//! Statements that can be undone by themselves: what they overwrite follows from what they write and from their other
//! operands, as `i` does behind `i = i + e`, and `walk.at` behind `walk.at = walk.at + walk.step`.
//!
//! Fields and elements come back in this way alone: they have no versions in G_A. An element may stand at any position
//! that the reverse sweep knows, as in `count[k] = count[k] + 1`. Of floats, a change of the sign is exact: `x = -x` undoes itself.

use super::inverse::inverse;
use crate::ir::{Expr, Func, IntTy, Mode, Origin, Place, Proj, Stmt, StmtKind, Ty, UnOp};

/// What the number was that the statement overwrites, in terms of what is held behind it.
pub fn undone(func: &Func, stmt: &Stmt) -> Option<Expr> {
    let StmtKind::Assign(p, e) = &stmt.kind else {
        return None;
    };
    let is_own = |e: &Expr| matches!(e, Expr::Read(read) if read == p);
    let others = |e: &Expr| Some(e.clone()).filter(|e| is_apart(e, p));
    let result = Expr::Read(p.clone());
    if !is_reached_as_before(func, p) {
        return None;
    }
    match e {
        Expr::Unary(UnOp::Neg, a) if p.ty.is_float() => {
            is_own(a).then(|| Expr::Unary(UnOp::Neg, Box::new(result)))
        }
        _ => inverse(func, e, result, &is_own, &others),
    }
}

/// Whether no part of the expression may overlap the place.
fn is_apart(e: &Expr, place: &Place) -> bool {
    let mut is_apart = true;
    e.walk(&mut |e| {
        let mut read = e.own_places().iter().filter(|p| p.root == place.root);
        is_apart &= !read.any(|p| p.may_overlap(place));
    });
    is_apart
}

/// Whether the place is the same one behind a statement that writes it: its positions don't depend on its variable.
fn is_reached_as_before(func: &Func, place: &Place) -> bool {
    place.proj.iter().all(|step| match step {
        Proj::Field(_) => true,
        Proj::Index(at) => !at.needs(func).contains(&place.root),
        _ => false,
    })
}

/// Whether values of the place may come back by the statement alone that overwrites them: it is a float, or a field or element that
/// is an integer of a known type, in a local or in what the caller lends.
pub fn is_invertible_part(func: &Func, place: &Place) -> bool {
    let var = func.var(place.root);
    let is_known = match &place.ty {
        Ty::Float(_) => true,
        Ty::Int(ty) => *ty != IntTy::Infer && !place.is_whole(),
        _ => false,
    };
    let is_held = match var.mode {
        Mode::Owned => matches!(var.origin, Origin::Local | Origin::Temp),
        Mode::Mut => var.origin == Origin::Param && !var.ty.is_state(),
        Mode::Shared => false,
    };
    is_known && is_held
}
