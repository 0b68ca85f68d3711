//! `Vec`s that grow and shrink: `[PTR]` §2.1, category C3, where the name survives and the memory does
//! not.
//!
//! The adjoint of a `Vec` follows its shape backwards: what was put in is taken out of the adjoint, and
//! is the seed of what was put in; what was taken out is put in, with the adjoint of the variable that
//! took it. So a length is never recorded, and no memory is mapped.
//!
//! An adjoint variable follows only while its variable is varied. Before, nothing reads it; and where a
//! variable stops being varied, it is overwritten, and its adjoint made anew in the shape of what comes
//! back. The adjoints that the caller keeps, and those whose parts are told apart, follow throughout.

use super::statement::{Adjoints, StmtAdjoint};
use crate::ir::{Expr, Mode, Origin, Place, Stmt, StmtId, StmtKind, Ty, VarId};

impl Adjoints<'_> {
    /// Whether the adjoint has the shape of the variable just before, or just after the statement.
    pub(super) fn has_shape(&self, id: StmtId, place: &Place, after: bool) -> bool {
        let varied = match after {
            true => &self.activity.varied_out,
            false => &self.activity.varied_in,
        };
        self.func.var(place.root).ty.keeps_shape()
            || varied[id.index()].contains(place.root)
            || self.activity.cells.of_var(place.root).len() > 1
            || self.interface.contains(&place.root)
    }

    /// `place.insert(at, e)`
    pub(super) fn inserted(
        &mut self,
        id: StmtId,
        place: &Place,
        at: Option<&Expr>,
        e: &Expr,
    ) -> StmtAdjoint {
        let target = self.adjoint_place(place);
        let Some(target) = target.filter(|_| self.has_shape(id, place, true)) else {
            return StmtAdjoint::default();
        };
        let ty = match place.known_ty(self.func).element() {
            Some(ty) => ty.clone(),
            None => e.ty(self.func),
        };
        let seed = self
            .func
            .add_var("seed", ty.clone(), Mode::Owned, Origin::Temp);
        let kind = StmtKind::Remove(Some(seed), target, at.cloned());
        let base = Expr::Read(Place::var(seed, ty));
        self.passed_on(id, vec![Stmt { id, kind }], base, e)
    }

    /// `let v = place.remove(at)`
    pub(super) fn removed(
        &mut self,
        id: StmtId,
        v: Option<VarId>,
        place: &Place,
        at: Option<&Expr>,
    ) -> StmtAdjoint {
        let target = self.adjoint_place(place);
        let Some((target, v)) = target.filter(|_| self.has_shape(id, place, false)).zip(v) else {
            return StmtAdjoint::default();
        };
        let adjoint = match self.adjoint.get(&v) {
            Some(a) => Expr::Read(self.func.place(*a)),
            None => {
                zero(&self.func.var(v).ty).unwrap_or_else(|| Expr::ZeroLike(self.func.place(v)))
            }
        };
        let kind = StmtKind::Insert(target, at.cloned(), adjoint);
        StmtAdjoint {
            code: vec![Stmt { id, kind }],
            ..StmtAdjoint::default()
        }
    }
}

/// The statement that undoes an insertion or a removal.
pub(super) fn opposite(stmt: &Stmt, place_of: impl Fn(VarId) -> Place) -> Option<Stmt> {
    let kind = match &stmt.kind {
        StmtKind::Insert(place, at, _) => StmtKind::Remove(None, place.clone(), at.clone()),
        StmtKind::Remove(Some(v), place, at) => {
            StmtKind::Insert(place.clone(), at.clone(), Expr::Read(place_of(*v)))
        }
        _ => return None,
    };
    Some(Stmt { id: stmt.id, kind })
}

/// Zero, where the type alone tells its shape.
fn zero(ty: &Ty) -> Option<Expr> {
    match ty {
        Ty::Float(_) => Some(Expr::Lit("0.0".into(), ty.clone())),
        Ty::Array(t, n) => {
            let count = Expr::Lit(n.clone(), Ty::USIZE);
            Some(Expr::Repeat(
                Box::new(zero(t)?),
                Box::new(count),
                ty.clone(),
            ))
        }
        Ty::Tuple(ts) => {
            let parts = ts.iter().map(zero).collect::<Option<_>>()?;
            Some(Expr::Aggregate(parts, ty.clone()))
        }
        _ => None,
    }
}
