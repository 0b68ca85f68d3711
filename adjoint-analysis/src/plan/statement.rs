//! The adjoint of one statement: `[TBR]` §1, Equation (3), by the rules of [`crate::rules`].
//!
//! For `v = e` the seed is the adjoint of `v`. It runs down the tree of `e`, multiplied by the
//! partial at each operation, and is added to the adjoint of each variable at the leaves; then the
//! adjoint of `v` is zeroed, because the value that it belonged to began here.
//!
//! Trees contain cheap operations only (the root may be expensive: its result is the value of `v`), so the operands of
//! partials are evaluated again in place.

use std::collections::BTreeMap;

use super::CallSite;
use crate::ir::{Demand, Expr, Func, Place, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::passes::activity::{Activity, Boundary};
use crate::passes::sets::set::Set;

mod call;
mod seed;
mod uses;
mod walk;

pub use uses::uses;

use seed::Seed;
use walk::Walk;

/// The adjoint code of a statement.
#[derive(Clone, Debug, Default)]
pub struct StmtAdjoint {
    /// Reads the places that the primal statement wrote; runs before the overwritten value is restored.
    pub before: Vec<Stmt>,
    /// The adjoint statements proper.
    pub code: Vec<Stmt>,
    /// Gives the adjoint the shape of the value before the overwrite; runs after the restore.
    pub after: Vec<Stmt>,
    /// The place that the statement writes, if `code` reads its new value.
    pub result: Option<Place>,
    /// Whether `code` reads the overwritten value, so that it runs after the restore; else before.
    pub overlaps: bool,
    /// The callers for which `code` and `after` run.
    pub demand: Demand,
    /// The activity passed to the callee of a call.
    pub site: Option<CallSite>,
}

/// Makes the adjoints of statements; adds variables to the function.
pub struct Adjoints<'a> {
    /// The function, with the adjoint variables.
    pub func: &'a mut Func,
    /// Activity of the primal.
    pub activity: &'a Activity,
    /// The boundary, with the summaries of callees.
    pub boundary: &'a Boundary,
    /// The adjoint variable of each active variable.
    pub adjoint: &'a BTreeMap<VarId, VarId>,
    /// The parameters whose adjoints the caller owns.
    pub interface: &'a [VarId],
    /// The assignments to variables that hold nothing yet.
    pub first: &'a Set<StmtId>,
    /// The statements that move lists to other variables, and the lists.
    pub moved: &'a BTreeMap<StmtId, VarId>,
}

impl Adjoints<'_> {
    /// The adjoint of a statement without blocks.
    pub fn statement(&mut self, stmt: &Stmt) -> StmtAdjoint {
        let id = stmt.id;
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) if self.adjoint.contains_key(v) => {
                let place = self.func.place(*v);
                match self.activity.writes_active(id, &self.func.place(*v)) {
                    true => self.assignment(id, &place, e, true),
                    false => StmtAdjoint::default(),
                }
            }
            StmtKind::Assign(p, e) if self.adjoint.contains_key(&p.root) => {
                match self.activity.writes_active(id, p) {
                    true => self.assignment(id, p, e, false),
                    false => self.zeroed(id, p),
                }
            }
            StmtKind::Incr(p, e) if self.activity.writes_active(id, p) => self.increment(id, p, e),
            StmtKind::Insert(p, at, e) => self.inserted(id, p, at.as_ref(), e),
            StmtKind::Remove(v, p, at) => self.removed(id, *v, p, at.as_ref()),
            StmtKind::Swap(a, b)
                if !self.has_shape(id, a, true) && !self.has_shape(id, b, true) =>
            {
                StmtAdjoint::default()
            }
            StmtKind::Swap(a, b) => match (self.adjoint_place(a), self.adjoint_place(b)) {
                (Some(x), Some(y)) => {
                    let demand = self.activity.demand_of_write(id, a);
                    let demand = demand.union(self.activity.demand_of_write(id, b));
                    let demand = demand.union(self.following_exchange(id, a, b));
                    let exchange = vec![Stmt {
                        id,
                        kind: StmtKind::Swap(x, y),
                    }];
                    StmtAdjoint::of(exchange, demand)
                }
                // A value from a variable without an adjoint carries no derivative.
                (Some(_), None) => self.zeroed(id, a),
                (None, Some(_)) => self.zeroed(id, b),
                (None, None) => StmtAdjoint::default(),
            },
            StmtKind::Call(call) if self.activity.call_is_active(self.func, id, call) => {
                self.call(id, call)
            }
            StmtKind::Call(call) => {
                let written: Vec<Place> = call.written().cloned().collect();
                let mut all = StmtAdjoint::default();
                for zeroed in written.iter().map(|p| self.zeroed(id, p)) {
                    all.demand = all.demand.union(zeroed.demand);
                    all.code.extend(zeroed.code);
                    all.after.extend(zeroed.after);
                }
                all
            }
            _ => StmtAdjoint::default(),
        }
    }

    /// The same place of the adjoint variable.
    pub fn adjoint_place(&self, place: &Place) -> Option<Place> {
        self.adjoint.get(&place.root).map(|a| place.with_root(*a))
    }

    fn zeroed(&self, id: StmtId, place: &Place) -> StmtAdjoint {
        let target = self.adjoint_place(place);
        let has_shape = self.has_shape(id, place, false) || self.has_shape(id, place, true);
        let Some(target) = target.filter(|_| has_shape) else {
            return StmtAdjoint::default();
        };
        let demand = self.activity.demand_of_write(id, place);
        let stmt = |kind| vec![Stmt { id, kind }];
        match self.reshapes(id, place) {
            true => StmtAdjoint {
                after: stmt(reshape(target, place)),
                demand: demand.union(self.reshaping(place)),
                ..StmtAdjoint::default()
            },
            false => StmtAdjoint::of(stmt(StmtKind::Zero(target)), demand),
        }
    }

    /// Whether the write may change the shape of a value whose adjoint is read further back: the adjoint then takes the
    /// shape of the restored value, which is required for that.
    fn reshapes(&self, id: StmtId, place: &Place) -> bool {
        let shaped = !place.ty.has_static_shape() && !matches!(place.ty, Ty::Slice(_));
        shaped && !self.first.contains(id) && self.has_shape(id, place, false)
    }

    /// `place = e`. The seed is moved out first if `e` may read the place, or if it is an element, so that its index is
    /// evaluated only once.
    fn assignment(&mut self, id: StmtId, place: &Place, e: &Expr, fresh: bool) -> StmtAdjoint {
        let Some(target) = self.adjoint_place(place) else {
            return StmtAdjoint::default();
        };
        if let Some(moved) = self.moved_back(id, place, &target) {
            return moved;
        }
        // A length is read like a value.
        let measured = e.needs(self.func).contains(&place.root);
        let overlaps = !fresh && (measured || reads_of(e).contains(&place.root));
        let in_place = !overlaps && (!place.ty.is_scalar() || place.is_whole());
        let end = match !fresh && self.reshapes(id, place) {
            true => reshape(target.clone(), place),
            false => StmtKind::Zero(target.clone()),
        };
        let of = self.activity.useful_after(id, place);
        let demand = match fresh {
            true => Demand::NEVER,
            false if self.reshapes(id, place) => self.reshaping(place),
            false => self.activity.demand_of_write(id, place),
        };
        let mut walk = Walk::new(self, id, (of, demand));
        walk.result = Some(place.clone());
        walk.overlaps = overlaps;
        let mut seed = Expr::Read(target.clone());
        if !in_place && (overlaps || !fresh) {
            let var = walk.temp("seed", seed, place.ty.clone());
            walk.push(end.clone());
            seed = Expr::Read(var);
        }
        walk.tree(e, Seed::of(seed), true);
        let mut after = Vec::new();
        if !fresh && in_place {
            match end {
                StmtKind::Zero(_) => walk.push(end),
                end => after.push(Stmt { id, kind: end }),
            }
        }
        StmtAdjoint {
            after,
            ..walk.finish()
        }
    }

    /// The adjoint of a statement that moves a list to the place: that of the list is declared with the adjoint of the place,
    /// which is created anew if the place had a value before.
    fn moved_back(&self, id: StmtId, place: &Place, target: &Place) -> Option<StmtAdjoint> {
        let adjoint = *self.adjoint.get(self.moved.get(&id)?)?;
        let stmt = |kind| vec![Stmt { id, kind }];
        let taken = StmtKind::Let(adjoint, Some(Expr::Read(target.clone())));
        let end = match self.reshapes(id, place) {
            true => StmtAdjoint {
                after: stmt(reshape(target.clone(), place)),
                demand: self.reshaping(place),
                ..StmtAdjoint::default()
            },
            false => {
                let demand = self.activity.demand_of_write(id, place);
                StmtAdjoint::of(stmt(StmtKind::Zero(target.clone())), demand)
            }
        };
        Some(StmtAdjoint {
            before: stmt(taken),
            ..end
        })
    }

    /// Propagates the seed in `base` through an expression that was copied from elsewhere; `code` runs before.
    pub(super) fn propagate(
        &mut self,
        first: Stmt,
        through: (u64, Demand),
        base: Expr,
        e: &Expr,
    ) -> StmtAdjoint {
        let mut walk = Walk::new(self, first.id, through);
        walk.code.push(first);
        walk.tree(e, Seed::of(base), false);
        walk.finish()
    }

    /// `place += e`: the adjoint of the place stays.
    fn increment(&mut self, id: StmtId, place: &Place, e: &Expr) -> StmtAdjoint {
        let Some(target) = self.adjoint_place(place) else {
            return StmtAdjoint::default();
        };
        let overlaps = reads_of(e).contains(&place.root);
        let of = self.activity.useful_after(id, place);
        let mut walk = Walk::new(self, id, (of, Demand::NEVER));
        walk.overlaps = overlaps;
        let mut seed = Expr::Read(target);
        if overlaps {
            seed = Expr::Read(walk.temp("seed", seed, place.ty.clone()));
        }
        walk.tree(e, Seed::of(seed), false);
        walk.finish()
    }
}

/// The variables whose reals the expression reads.
fn reads_of(e: &Expr) -> Vec<VarId> {
    let mut roots = Vec::new();
    e.walk(&mut |e| {
        if let Expr::Read(p) = e {
            roots.push(p.root);
        }
    });
    roots
}

impl StmtAdjoint {
    fn of(code: Vec<Stmt>, demand: Demand) -> StmtAdjoint {
        StmtAdjoint {
            code,
            demand,
            ..StmtAdjoint::default()
        }
    }
}

/// Sets the adjoint at `target` to zero, with the shape of the value at `place`.
fn reshape(target: Place, place: &Place) -> StmtKind {
    StmtKind::Assign(target, Expr::ZeroLike(place.clone()))
}
