//! `Vec`s that grow and shrink: `[PTR]` §2.1, category C3, where the name survives and the memory does
//! not.
//!
//! The adjoint of a `Vec` follows its shape backwards: an inserted element is removed from the adjoint, and is the seed
//! of the inserted value; a removed element is inserted, with the adjoint of the variable that received it. So lengths
//! are never recorded, and no memory is mapped.
//!
//! An adjoint variable follows only while its variable is varied. Before that nothing reads it; if a variable stops
//! being varied, it was overwritten, and its adjoint is created anew with the shape of the restored value. This holds
//! for each caller separately, so the masks of activity determine the callers of an adjoint statement; whether the
//! variable is useful doesn't matter. The adjoints that the caller owns, and those with several cells, follow
//! throughout.

use super::CallSite;
use super::statement::{Adjoints, StmtAdjoint};
use crate::ir::demand::param_bit;
use crate::ir::{Arg, Call, Demand, Expr, Mode, Origin, Place, Stmt, StmtId, StmtKind, Ty, VarId};

impl Adjoints<'_> {
    /// Whether the adjoint has the shape of the variable just before, or just after, the statement.
    pub(super) fn has_shape(&self, id: StmtId, place: &Place, after: bool) -> bool {
        let varied = match after {
            true => &self.activity.varied_out,
            false => &self.activity.varied_in,
        };
        self.func.var(place.root).ty.keeps_shape()
            || varied[id.index()].contains(place.root)
            || self.follows_throughout(place.root)
    }

    fn follows_throughout(&self, v: VarId) -> bool {
        self.has_parts(v) || self.caller_bit(v) != 0
    }

    /// Whether the variable has several cells.
    fn has_parts(&self, v: VarId) -> bool {
        self.activity.cells.of_var(v).len() > 1
    }

    /// The bit of a parameter whose adjoint the caller owns: its adjoint follows throughout for callers to which it is
    /// varied.
    fn caller_bit(&self, v: VarId) -> u64 {
        let kept = self.interface.contains(&v);
        let position = self.func.params.iter().position(|p| *p == v && kept);
        position.map_or(0, param_bit)
    }

    /// The callers for which the adjoint has the shape of the variable: those to which it is varied there.
    fn following(&self, id: StmtId, place: &Place, after: bool) -> Demand {
        let varied = match after {
            _ if self.has_parts(place.root) => return self.reshaping(place),
            true => self.activity.varied_after(id, place),
            false => self.activity.varied_before(id, place),
        };
        self.activity
            .demand(varied | self.caller_bit(place.root), 0)
    }

    /// The callers for which an adjoint is created anew with another shape: all that have it.
    pub(super) fn reshaping(&self, place: &Place) -> Demand {
        let own = self.caller_bit(place.root);
        match self.has_parts(place.root) && own == 0 {
            true => self.activity.demand(0, 0),
            false => {
                let varied = self.activity.demand_of_variable(place.root);
                varied.union(Demand::new(own, varied.of))
            }
        }
    }

    /// The callers for which adjoints are exchanged to keep their shapes.
    pub(super) fn following_exchange(&self, id: StmtId, a: &Place, b: &Place) -> Demand {
        let both = [a, b].into_iter();
        let shaped = both.filter(|p| !self.func.var(p.root).ty.keeps_shape());
        let demands = shaped.map(|p| self.following(id, p, true));
        demands.fold(Demand::NEVER, Demand::union)
    }

    /// A callee follows the shapes of its `&mut` arguments for all callers to which they are varied, useful or not.
    pub(super) fn follow(&self, call: &Call, site: &mut CallSite) {
        let Demand { wrt, of, .. } = self.activity.demand(0, 0);
        for (k, arg) in call.args.iter().enumerate() {
            if let Arg::Mut(p) = arg
                && p.ty.carries_floats()
                && !p.ty.keeps_shape()
                && self.adjoint.contains_key(&p.root)
            {
                site.useful[k + 1] = of;
                site.varied[k] |= match self.caller_bit(p.root) {
                    0 if self.has_parts(p.root) => wrt,
                    own => own,
                };
            }
        }
    }

    /// The adjoints of arguments that a call has filled with constants: they take the shapes of the restored values.
    pub(super) fn reshaped_arguments(&self, id: StmtId, call: &Call) -> Vec<Stmt> {
        let filled = call
            .written()
            .filter(|p| !self.has_shape(id, p, true) && self.has_shape(id, p, false));
        let reshape = |p: &Place| {
            let zero = Expr::ZeroLike(p.clone());
            let kind = StmtKind::Assign(self.adjoint_place(p)?, zero);
            Some(Stmt { id, kind })
        };
        filled.filter_map(reshape).collect()
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
        let of = self.activity.useful_after(id, place);
        let demand = self.following(id, place, true);
        self.propagate(Stmt { id, kind }, (of, demand), base, e)
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
            result: Some(self.func.place(v)),
            demand: self.following(id, place, false),
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

/// Zero, if the type alone determines its shape.
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
