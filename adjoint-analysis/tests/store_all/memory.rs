//! `Vec`s that grow and shrink: the whole is recorded, the adjoint follows.

use adjoint_analysis::gen_program::build::{read, stmt};
use adjoint_analysis::ir::{Expr, Place, Stmt, StmtKind, Ty, VarId};

use super::{Planner, Sweeps};

impl Planner {
    pub(super) fn insert(
        &mut self,
        s: &Stmt,
        place: &Place,
        at: &Option<Expr>,
        e: &Expr,
    ) -> Sweeps {
        let (mut forward, mut reverse) = self.save(place, s.id);
        forward.push(s.clone());
        if let (Some(adjoint), Some(ty)) = (self.adjoint.get(&place.root), place.ty.element()) {
            let (adjoint, ty) = (place.with_root(*adjoint), ty.clone());
            let seed = self.temp("seed", ty);
            reverse.push(stmt(StmtKind::Remove(Some(seed), adjoint, at.clone())));
            let seed = read(self.func.place(seed));
            reverse.extend(self.backward(e, seed));
        }
        (forward, reverse)
    }

    pub(super) fn remove(
        &mut self,
        s: &Stmt,
        var: VarId,
        place: &Place,
        at: &Option<Expr>,
    ) -> Sweeps {
        let (mut forward, mut reverse) = self.save(place, s.id);
        forward.push(s.clone());
        if let (Some(adjoint), Some(of)) = (self.adjoint.get(&place.root), self.adjoint.get(&var)) {
            let (adjoint, taken) = (place.with_root(*adjoint), read(self.func.place(*of)));
            reverse.push(stmt(StmtKind::Insert(adjoint, at.clone(), taken)));
        }
        (forward, reverse)
    }
}

/// What makes an adjoint zero, in the shape of the value that has come back.
pub(super) fn zeroed(adjoint: Place, place: &Place) -> Stmt {
    stmt(match place.ty {
        Ty::Vec(_) | Ty::Option(_) => StmtKind::Assign(adjoint, Expr::ZeroLike(place.clone())),
        _ => StmtKind::Zero(adjoint),
    })
}
