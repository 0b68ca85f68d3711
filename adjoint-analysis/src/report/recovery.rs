//! How the values of the primal come back in the reverse sweep.

use super::view::{RecordPoint, View};
use crate::ir::{Expr, Origin, Place, Stmt, StmtId, StmtKind, Ty};
use crate::passes::tbr::LocalRestore;

/// How a value comes back.
#[derive(Clone, PartialEq, Debug)]
pub enum How {
    /// From the tape.
    Recorded,
    /// By this expression, from values that followed.
    Inverted(Expr),
    /// By its definition, evaluated again.
    Evaluated(Expr),
    /// From the variable that holds the same.
    Copied(Expr),
    /// As the literal that it is each time.
    Constant(Expr),
}

/// A value that comes back.
pub struct Recovery {
    /// Where it comes back to.
    pub place: Place,
    /// The statement that overwrites it, or that declares the variable whose scope ends.
    pub of: StmtId,
    /// Which of the two it is.
    pub when: RecordPoint,
    /// How it comes back.
    pub how: How,
}

impl Recovery {
    /// Whether it is an index or a control value.
    pub fn is_discrete(&self) -> bool {
        matches!(self.place.ty, Ty::Int(_) | Ty::Bool)
    }

    /// Whether it is of a variable of the user's.
    pub fn is_users(&self, view: &View<'_>) -> bool {
        let origin = view.func().var(self.place.root).origin;
        !matches!(origin, Origin::Label | Origin::Temp)
    }
}

/// The values that come back, in the order of the reverse sweep.
pub fn recoveries(view: &View<'_>) -> Vec<Recovery> {
    let mut found: Vec<Recovery> = Vec::new();
    view.plan().reverse.walk(&mut |s| {
        let is_known = |r: &Recovery| {
            let is_known = |k: &Recovery| k.of == r.of && k.when == r.when && k.place == r.place;
            found.iter().any(is_known)
        };
        let new = recovery(view, s).filter(|r| !is_known(r));
        found.extend(new);
    });
    found
}

/// The value that a statement of the reverse sweep brings back.
fn recovery(view: &View<'_>, stmt: &Stmt) -> Option<Recovery> {
    let facts = &view.analysed.facts;
    let (place, of, when, how) = match &stmt.kind {
        StmtKind::Let(v, Some(e)) if view.is_primal(*v) && view.declared.contains_key(v) => {
            let how = match facts.at_end(*v)? {
                LocalRestore::Invert => How::Inverted(e.clone()),
                LocalRestore::Copy => How::Copied(e.clone()),
                LocalRestore::Constant => How::Constant(e.clone()),
                LocalRestore::Recompute if matches!(e, Expr::Lit(..)) => How::Constant(e.clone()),
                LocalRestore::Recompute => How::Evaluated(e.clone()),
                LocalRestore::Record | LocalRestore::Zeros => return None,
            };
            let place = view.func().place(*v);
            (place, stmt.id, RecordPoint::EndOfScope, how)
        }
        StmtKind::Assign(place, e) => {
            let how = match facts.inverse(stmt.id) {
                _ if facts.overwrites_constant(stmt.id) => How::Constant(e.clone()),
                Some(_) => How::Inverted(e.clone()),
                None => return None,
            };
            (place.clone(), stmt.id, RecordPoint::Overwritten, how)
        }
        StmtKind::Restore(id, _) => {
            let recorded = view.recorded.iter().find(|r| r.id == *id)?;
            let of = view.record(*id).of;
            (recorded.place.clone(), of, recorded.when, How::Recorded)
        }
        _ => return None,
    };
    Some(Recovery {
        place,
        of,
        when,
        how,
    })
}
