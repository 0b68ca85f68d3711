//! The reverse sweep of a call, and the activity that is passed to its callee.

use super::{Adjoints, StmtAdjoint};
use crate::ir::place::are_disjoint;
use crate::ir::{
    AdjArg, Arg, Block, Call, Demand, Expr, Mode, Origin, Place, Stmt, StmtId, StmtKind, VarId,
};
use crate::passes::activity::{dependencies, outputs};
use crate::plan::{CallSite, union};

impl Adjoints<'_> {
    /// The reverse sweep of a call.
    pub(super) fn call(&mut self, id: StmtId, call: &Call) -> StmtAdjoint {
        let mut before = Vec::new();
        let mut after = Vec::new();
        let mut adjoints = Vec::new();
        let mut taken: Vec<Place> = Vec::new();
        for arg in &call.args {
            adjoints.push(match arg {
                Arg::Value(e) => self.value_argument(id, e, &mut after),
                Arg::Shared(p) | Arg::Mut(p) => {
                    self.reference_argument(id, p, matches!(arg, Arg::Mut(_)), &mut taken)
                }
            });
        }
        let real = |v: &VarId| self.func.var(*v).ty.carries_floats();
        let seed = call
            .result
            .filter(real)
            .map(|v| self.seed(id, v, &mut before));
        let mut site = self.site(id, call);
        for ((varied, arg), adjoint) in site.varied.iter_mut().zip(&call.args).zip(&adjoints) {
            // An argument without an adjoint has no useful dependents: the callee must not propagate to it.
            if matches!((arg, adjoint), (Arg::Shared(_), AdjArg::Scratch(None))) {
                *varied = 0;
            }
        }
        let reverse = StmtKind::Reverse {
            call: call.clone(),
            adjoints,
            seed,
        };
        before.push(Stmt { id, kind: reverse });
        before.extend(after);
        StmtAdjoint {
            demand: self
                .activity
                .demand(union(&site.varied), union(&site.useful)),
            site: Some(site),
            after: self.reshaped_arguments(id, call),
            ..StmtAdjoint::of(before, Demand::NEVER)
        }
    }

    /// The adjoint of the result. For a result that is not varied it is meaningless and may have another shape, so
    /// zeros are used.
    fn seed(&mut self, id: StmtId, result: VarId, before: &mut Vec<Stmt>) -> Expr {
        let place = self.func.place(result);
        let varied = self.activity.varied_after(id, &place) != 0;
        let seed = match self.adjoint.get(&result).filter(|_| varied) {
            Some(adjoint) => *adjoint,
            None => {
                let of = Origin::Adjoint(result);
                let zero = self.func.add_var("seed", place.ty, Mode::Owned, of);
                let kind = StmtKind::Let(zero, None);
                before.push(Stmt { id, kind });
                zero
            }
        };
        Expr::Read(self.func.place(seed))
    }

    /// The activity of the call's arguments and outputs.
    fn site(&self, id: StmtId, call: &Call) -> CallSite {
        let varied = |(k, arg): (usize, &Arg)| match arg {
            Arg::Value(e) => self.varied(id, e),
            Arg::Shared(p) | Arg::Mut(p) if p.ty.carries_floats() => {
                self.activity.varied_argument(id, k, p)
            }
            _ => 0,
        };
        let [mut gives, mut useful] = [(); 2].map(|()| vec![0; call.args.len() + 1]);
        for (output, place) in outputs(call, self.func) {
            gives[output] = self.activity.varied_after(id, &place);
            useful[output] = self.activity.useful_after(id, &place);
        }
        let mut site = CallSite {
            closing: self.boundary.context_policy(call, self.func),
            varied: call.args.iter().enumerate().map(varied).collect(),
            gives,
            useful,
            restore: Demand::NEVER,
            reads: Vec::new(),
        };
        self.follow(call, &mut site);
        site
    }

    /// The parameters that a value depends on.
    fn varied(&self, id: StmtId, e: &Expr) -> u64 {
        let reads = dependencies(e, self.func);
        let masks = reads
            .iter()
            .map(|(p, _)| self.activity.varied_before(id, p));
        masks.fold(0, |all, m| all | m)
    }

    /// The adjoint of a by-value argument is returned as an increment.
    fn value_argument(&mut self, id: StmtId, e: &Expr, after: &mut Vec<Stmt>) -> AdjArg {
        let ty = e.ty(self.func);
        if !ty.carries_floats() {
            return AdjArg::None;
        }
        let target = match e {
            Expr::Read(p) if self.activity.reads_active(id, p) => self.adjoint_place(p),
            _ => None,
        };
        let Some(target) = target else {
            return AdjArg::Ignored;
        };
        let var = self
            .func
            .add_var("increment", ty, Mode::Owned, Origin::Temp);
        let increment = Expr::Read(self.func.place(var));
        let add = Stmt {
            id,
            kind: StmtKind::Incr(target, increment),
        };
        let demand = self.activity.demand_of_increment(self.varied(id, e));
        after.push(Stmt {
            id,
            kind: StmtKind::When(demand, Block::new(vec![add])),
        });
        AdjArg::Increment(var)
    }

    /// The adjoint of a reference argument is the same view of the adjoint variable. Shared views of one variable may
    /// overlap: the second one gets a scratch adjoint, which is added afterwards.
    fn reference_argument(
        &mut self,
        id: StmtId,
        p: &Place,
        is_mut: bool,
        taken: &mut Vec<Place>,
    ) -> AdjArg {
        if !p.ty.carries_floats() {
            return AdjArg::None;
        }
        let target = self.adjoint_place(p);
        let Some(target) = target.filter(|_| self.has_shape(id, p, is_mut)) else {
            return AdjArg::Scratch(None);
        };
        let shared_before = taken
            .iter()
            .any(|t| t.root == target.root && !are_disjoint(t, &target));
        taken.push(target.clone());
        match shared_before && !is_mut {
            true => AdjArg::Scratch(Some(target)),
            false => AdjArg::Place(target),
        }
    }
}
