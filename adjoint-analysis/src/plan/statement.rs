//! The adjoint of one statement: `[TBR]` §1, Equation (3), by the rules of [`crate::rules`].
//!
//! For `v = e` the seed is the adjoint of `v`. It runs down the tree of `e`, multiplied by the
//! partial at each operation, and is added to the adjoint of each variable at the leaves; then the
//! adjoint of `v` is zeroed, because the value that it belonged to began here.
//!
//! Trees hold cheap operations only (an expensive one may stand at the root: its result is the value
//! of `v`), so what the partials read is evaluated again in place.

use std::collections::BTreeMap;

use super::Site;
use crate::ir::stmt::Rev;
use crate::ir::{
    AdjArg, Arg, BinOp, Block, Call, Demand, Expr, Func, IntTy, LoopHead, Mode, Origin, Place,
    Proj, Range, Stmt, StmtId, StmtKind, Ty, UnOp, VarId,
};
use crate::passes::activity::{Activity, dependencies, outputs};
use crate::passes::cells::Cells;
use crate::passes::tbr::Uses;
use crate::rules::{self, Partial, Use};

/// A subtree of more nodes than this is evaluated once, into a variable.
const SHARED_SIZE: usize = 6;

/// The adjoint code of a statement.
#[derive(Clone, Debug, Default)]
pub struct StmtAdjoint {
    /// Reads what the primal statement wrote; runs before the overwritten value is restored.
    pub before: Vec<Stmt>,
    /// The adjoint statements proper.
    pub code: Vec<Stmt>,
    /// Gives the adjoint of what was overwritten its earlier shape; runs after the restore.
    pub after: Vec<Stmt>,
    /// The place that the statement writes, where `code` reads what it wrote.
    pub result: Option<Place>,
    /// Whether `code` reads the overwritten value, so that it runs after the restore; else before.
    pub overlaps: bool,
    /// For whom `code` and `after` run.
    pub demand: Demand,
    /// What the callee of a call is told.
    pub site: Option<Site>,
}

/// Makes the adjoints of statements; adds variables to the function.
pub struct Adjoints<'a> {
    /// The function, with the adjoint variables.
    pub func: &'a mut Func,
    /// Activity of the primal.
    pub activity: &'a Activity,
    /// The adjoint variable of each active variable.
    pub adjoint: &'a BTreeMap<VarId, VarId>,
    /// The parameters whose adjoints the caller keeps.
    pub interface: &'a [VarId],
}

/// A seed on its way down a tree: `±base · factor`.
#[derive(Clone)]
struct Seed {
    base: Expr,
    factor: Option<Expr>,
    negative: bool,
}

/// The walk down one statement's tree.
struct Walk<'a, 'b> {
    adjoints: &'a mut Adjoints<'b>,
    id: StmtId,
    code: Vec<Stmt>,
    before: Vec<Stmt>,
    /// Where the result of the root operation stands.
    result: Option<Place>,
    uses_result: bool,
    overlaps: bool,
    /// The outputs that what the statement writes may influence.
    of: u64,
    demand: Demand,
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
                // What came from the other variable carries no derivative.
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

    /// Whether the write may change the shape of a value whose adjoint is read further back: the
    /// adjoint then takes the shape of the value that comes back, which is required for that.
    fn reshapes(&self, id: StmtId, place: &Place) -> bool {
        let shaped = !place.ty.is_fixed() && !matches!(place.ty, Ty::Slice(_));
        shaped && self.has_shape(id, place, false)
    }

    /// `place = e`. The seed is taken out first where `e` may read what it overwrites.
    fn assignment(&mut self, id: StmtId, place: &Place, e: &Expr, fresh: bool) -> StmtAdjoint {
        let Some(target) = self.adjoint_place(place) else {
            return StmtAdjoint::default();
        };
        // A length is read as a value is.
        let measured = e.needs(self.func).contains(&place.root);
        let overlaps = !fresh && (measured || reads_of(e).contains(&place.root));
        let aggregate = !place.ty.is_scalar();
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
        let mut walk = Walk {
            adjoints: self,
            id,
            code: Vec::new(),
            before: Vec::new(),
            result: Some(place.clone()),
            uses_result: false,
            overlaps,
            of,
            demand,
        };
        let mut seed = Expr::Read(target.clone());
        if overlaps || (!aggregate && !fresh) {
            let var = walk.temp("seed", seed, place.ty.clone());
            walk.push(end.clone());
            seed = Expr::Read(var);
        }
        walk.tree(
            e,
            Seed {
                base: seed,
                factor: None,
                negative: false,
            },
            true,
        );
        let mut after = Vec::new();
        if !fresh && !overlaps && aggregate {
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

    /// The seed in `base` goes down the tree of what was copied from elsewhere; `code` runs before.
    pub(super) fn passed_on(
        &mut self,
        first: Stmt,
        (of, demand): (u64, Demand),
        base: Expr,
        e: &Expr,
    ) -> StmtAdjoint {
        let mut walk = Walk {
            adjoints: self,
            id: first.id,
            code: vec![first],
            before: Vec::new(),
            result: None,
            uses_result: false,
            overlaps: false,
            of,
            demand,
        };
        let seed = Seed {
            base,
            factor: None,
            negative: false,
        };
        walk.tree(e, seed, false);
        walk.finish()
    }

    /// `place += e`: the adjoint of the place stays.
    fn increment(&mut self, id: StmtId, place: &Place, e: &Expr) -> StmtAdjoint {
        let Some(target) = self.adjoint_place(place) else {
            return StmtAdjoint::default();
        };
        let overlaps = reads_of(e).contains(&place.root);
        let of = self.activity.useful_after(id, place);
        let mut walk = Walk {
            adjoints: self,
            id,
            code: Vec::new(),
            before: Vec::new(),
            result: None,
            uses_result: false,
            overlaps,
            of,
            demand: Demand::NEVER,
        };
        let mut seed = Expr::Read(target);
        if overlaps {
            seed = Expr::Read(walk.temp("seed", seed, place.ty.clone()));
        }
        walk.tree(
            e,
            Seed {
                base: seed,
                factor: None,
                negative: false,
            },
            false,
        );
        walk.finish()
    }

    /// The reverse sweep of a call.
    fn call(&mut self, id: StmtId, call: &Call) -> StmtAdjoint {
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
            .map(|v| match self.adjoint.get(&v) {
                Some(a) => Expr::Read(self.func.place(*a)),
                None => {
                    let ty = self.func.var(v).ty.clone();
                    let zero = self
                        .func
                        .add_var("seed", ty, Mode::Owned, Origin::Adjoint(v));
                    before.push(Stmt {
                        id,
                        kind: StmtKind::Let(zero, None),
                    });
                    Expr::Read(self.func.place(zero))
                }
            });
        let reverse = StmtKind::Reverse {
            call: call.clone(),
            adjoints,
            seed,
        };
        before.push(Stmt { id, kind: reverse });
        before.extend(after);
        let site = self.site(id, call);
        let all = |masks: &[u64]| masks.iter().fold(0, |all, m| all | m);
        StmtAdjoint {
            demand: self.activity.demand(all(&site.varied), all(&site.useful)),
            site: Some(site),
            after: self.reshaped_arguments(id, call),
            ..StmtAdjoint::of(before, Demand::NEVER)
        }
    }

    /// What the callee is told of its arguments and outputs.
    fn site(&self, id: StmtId, call: &Call) -> Site {
        let varied = |arg: &Arg| match arg {
            Arg::Value(e) => self.varied(id, e),
            Arg::Shared(p) | Arg::Mut(p) if p.ty.carries_floats() => {
                self.activity.varied_before(id, p)
            }
            _ => 0,
        };
        let mut useful = vec![0; call.args.len() + 1];
        for (output, place) in outputs(call, self.func) {
            useful[output] = self.activity.useful_after(id, &place);
        }
        let mut site = Site {
            varied: call.args.iter().map(varied).collect(),
            useful,
            restore: Demand::NEVER,
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

    /// The adjoint of a by-value argument comes back as an increment.
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
        let demand = Demand::new(self.varied(id, e), u64::MAX);
        after.push(Stmt {
            id,
            kind: StmtKind::When(demand, Block::new(vec![add])),
        });
        AdjArg::Increment(var)
    }

    /// A reference argument's adjoint is the same view of the adjoint. Shared views of one variable may
    /// overlap: the second one gets an adjoint of its own, which is added afterwards.
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
            .any(|t| t.root == target.root && !disjoint(t, &target));
        taken.push(target.clone());
        match shared_before && !is_mut {
            true => AdjArg::Scratch(Some(target)),
            false => AdjArg::Place(target),
        }
    }
}

/// Whether two places of one variable are told apart by a field or a split.
pub fn disjoint(a: &Place, b: &Place) -> bool {
    for (x, y) in a.proj.iter().zip(&b.proj) {
        match (x, y) {
            _ if x == y => {}
            (Proj::Field(_), Proj::Field(_)) => return true,
            (Proj::Head(m), Proj::Tail(n)) | (Proj::Tail(m), Proj::Head(n)) => return m == n,
            _ => return false,
        }
    }
    false
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

impl Walk<'_, '_> {
    fn push(&mut self, kind: StmtKind) {
        self.code.push(Stmt { id: self.id, kind });
    }

    fn temp(&mut self, name: &str, value: Expr, ty: Ty) -> Place {
        let var = self
            .adjoints
            .func
            .add_var(name, ty.clone(), Mode::Owned, Origin::Temp);
        self.push(StmtKind::Let(var, Some(value)));
        Place::var(var, ty)
    }

    fn finish(self) -> StmtAdjoint {
        let result = self.result.filter(|_| self.uses_result && !self.overlaps);
        let after = Vec::new();
        StmtAdjoint {
            before: self.before,
            code: self.code,
            after,
            result,
            overlaps: self.overlaps,
            demand: self.demand,
            site: None,
        }
    }

    fn ty(&self, e: &Expr) -> Ty {
        e.ty(self.adjoints.func)
    }

    /// Whether anything in the tree leads to an adjoint.
    fn is_active(&self, e: &Expr) -> bool {
        let deps = dependencies(e, self.adjoints.func);
        deps.iter()
            .any(|(p, _)| self.adjoints.activity.reads_active(self.id, p))
    }

    /// Sends the seed down the tree.
    fn tree(&mut self, e: &Expr, seed: Seed, is_root: bool) {
        if !self.is_active(e) {
            return;
        }
        match e {
            Expr::Read(p) => self.leaf(p, seed),
            Expr::Unary(UnOp::Neg, a) => {
                let negative = !seed.negative;
                self.tree(a, Seed { negative, ..seed }, false);
            }
            Expr::Cast(a, _) => self.cast(a, seed),
            Expr::Binary(op, a, b) => {
                if let Some(partials) = rules::binary(*op) {
                    self.operation(&[a, b], partials, seed, e, is_root);
                }
            }
            Expr::Intrinsic(op, args) => {
                let args: Vec<&Expr> = args.iter().collect();
                self.operation(&args, rules::intrinsic(*op), seed, e, is_root);
            }
            Expr::Aggregate(parts, ty) => self.aggregate(parts, ty, &seed),
            Expr::Repeat(value, ..) => self.repeat(value, &seed),
            Expr::Variant(path, fields, _) => self.variant(path, fields, &seed),
            _ => {}
        }
    }

    fn leaf(&mut self, p: &Place, seed: Seed) {
        let Some(target) = self.adjoints.adjoint_place(p) else {
            return;
        };
        let value = seed.value();
        self.add(p, StmtKind::Incr(target, value));
    }

    /// Adds to the adjoint of a place, for callers to which the place is varied.
    fn add(&mut self, p: &Place, kind: StmtKind) {
        let demand = Demand::new(self.adjoints.activity.varied_before(self.id, p), self.of);
        self.demand = self.demand.union(demand);
        let stmt = Stmt { id: self.id, kind };
        self.push(StmtKind::When(demand, Block::new(vec![stmt])));
    }

    /// A conversion between float types: the derivative is 1, in the other type.
    fn cast(&mut self, a: &Expr, seed: Seed) {
        let ty = self.ty(a);
        let converted = Expr::Cast(Box::new(seed.value()), ty.clone());
        if let (Expr::Read(p), Ty::Unknown) = (a, &ty) {
            let target = self.adjoints.adjoint_place(p);
            let increment = target.map(|target| StmtKind::Incr(target, converted));
            increment.into_iter().for_each(|kind| self.add(p, kind));
            return;
        }
        let base = Expr::Read(self.temp("seed", converted, ty));
        self.tree(
            a,
            Seed {
                base,
                factor: None,
                negative: false,
            },
            false,
        );
    }

    fn operation(
        &mut self,
        args: &[&Expr],
        partials: &[Partial],
        seed: Seed,
        whole: &Expr,
        is_root: bool,
    ) {
        let active: Vec<bool> = args.iter().map(|a| self.is_active(a)).collect();
        let uses = |k: usize| {
            let used = partials.iter().enumerate().filter(|(i, _)| active[*i]);
            used.flat_map(|(_, p)| p.uses())
                .any(|u| u == Use::Operand(k))
        };
        // What several partials read is evaluated once.
        let values: Vec<Expr> = args
            .iter()
            .enumerate()
            .map(|(k, a)| match uses(k) && size(a) > SHARED_SIZE {
                true => {
                    let ty = self.ty(a);
                    Expr::Read(self.temp("operand", (*a).clone(), ty))
                }
                false => (*a).clone(),
            })
            .collect();
        let seed = self.shared_seed(seed, active.iter().filter(|a| **a).count(), partials);
        for (k, partial) in partials.iter().enumerate() {
            if !active[k] {
                continue;
            }
            let seed = match self.partial(*partial, &values, whole, is_root) {
                Factor::Zero => continue,
                Factor::Sign(negative) => Seed {
                    negative: seed.negative ^ negative,
                    ..seed.clone()
                },
                Factor::Value(value) => seed.clone().times(value),
            };
            self.tree(args[k], seed, false);
        }
    }

    /// A factor that several operands get is multiplied once.
    fn shared_seed(&mut self, seed: Seed, operands: usize, partials: &[Partial]) -> Seed {
        let heavy = seed.factor.as_ref().is_some_and(|f| size(f) > 1);
        let multiplied = partials
            .iter()
            .any(|p| !matches!(p, Partial::One | Partial::MinusOne));
        if operands < 2 || !heavy || !multiplied {
            return seed;
        }
        let ty = self.ty(&seed.base);
        let negative = seed.negative;
        let value = Seed {
            negative: false,
            ..seed
        }
        .value();
        let base = Expr::Read(self.temp("seed", value, ty));
        Seed {
            base,
            factor: None,
            negative,
        }
    }

    fn partial(
        &mut self,
        partial: Partial,
        values: &[Expr],
        whole: &Expr,
        is_root: bool,
    ) -> Factor {
        let mut value = |u: Use| match u {
            Use::Operand(k) => values[k].clone(),
            Use::Result => match &self.result {
                Some(place) if is_root => {
                    if self.overlaps && !self.uses_result {
                        // The result is gone once the old value is back.
                        let (ty, value) = (place.ty.clone(), Expr::Read(place.clone()));
                        let var = self.adjoints.func.add_var(
                            "result",
                            ty.clone(),
                            Mode::Owned,
                            Origin::Temp,
                        );
                        self.before.push(Stmt {
                            id: self.id,
                            kind: StmtKind::Let(var, Some(value)),
                        });
                        self.result = Some(Place::var(var, ty));
                    }
                    self.uses_result = true;
                    self.result
                        .clone()
                        .map_or_else(|| whole.clone(), Expr::Read)
                }
                _ => whole.clone(),
            },
        };
        match partial {
            Partial::Zero => Factor::Zero,
            Partial::One => Factor::Sign(false),
            Partial::MinusOne => Factor::Sign(true),
            Partial::Operand(k) => Factor::Value(value(Use::Operand(k))),
            Partial::Result => Factor::Value(value(Use::Result)),
            Partial::Function(name, uses) => Factor::Value(Expr::Partial(
                name,
                uses.iter().map(|u| value(*u)).collect(),
            )),
        }
    }

    fn aggregate(&mut self, parts: &[Expr], ty: &Ty, seed: &Seed) {
        let Expr::Read(target) = &seed.base else {
            return;
        };
        for (k, part) in parts.iter().enumerate() {
            let part_ty = self.ty(part);
            let component = match ty {
                Ty::Tuple(_) => target.project(Proj::Field(k.to_string()), part_ty),
                Ty::Boxed(_) => target.project(Proj::Deref, part_ty),
                _ => target.index(Expr::Lit(k.to_string(), Ty::USIZE), part_ty),
            };
            self.tree(
                part,
                Seed {
                    base: Expr::Read(component),
                    ..seed.clone()
                },
                false,
            );
        }
    }

    /// The adjoint is in the same variant: its fields are the seeds.
    fn variant(&mut self, path: &str, fields: &[(String, Expr)], seed: &Seed) {
        let Expr::Read(target) = &seed.base else {
            return;
        };
        for (field, value) in fields {
            let step = Proj::Variant(path.to_string(), field.clone());
            let part = target.project(step, self.ty(value));
            self.tree(
                value,
                Seed {
                    base: Expr::Read(part),
                    ..seed.clone()
                },
                false,
            );
        }
    }

    /// `[value; n]`: the adjoints of all elements are summed.
    fn repeat(&mut self, value: &Expr, seed: &Seed) {
        let Expr::Read(target) = &seed.base else {
            return;
        };
        let (target, ty) = (target.clone(), self.ty(value));
        let index = self
            .adjoints
            .func
            .add_var("k", Ty::USIZE, Mode::Owned, Origin::Index);
        let element = target.index(Expr::Read(Place::var(index, Ty::USIZE)), ty);
        let outer = std::mem::take(&mut self.code);
        self.tree(
            value,
            Seed {
                base: Expr::Read(element),
                ..seed.clone()
            },
            false,
        );
        let body = Block::new(std::mem::replace(&mut self.code, outer));
        let range = Range {
            lo: Expr::Lit("0".into(), Ty::Int(IntTy::Usize)),
            hi: Expr::Len(target),
            inclusive: false,
            step: None,
            rev: Rev::No,
            ty: Ty::USIZE,
        };
        self.push(StmtKind::Loop(LoopHead::Counted(index, range), body));
    }
}

/// The adjoint at `target` becomes zero, in the shape of what is at `place`.
fn reshape(target: Place, place: &Place) -> StmtKind {
    StmtKind::Assign(target, Expr::ZeroLike(place.clone()))
}

/// What a partial multiplies a seed by.
enum Factor {
    Zero,
    /// ±1; whether negative.
    Sign(bool),
    Value(Expr),
}

impl Seed {
    fn times(self, value: Expr) -> Seed {
        let factor = match self.factor {
            None => value,
            Some(f) => Expr::Binary(BinOp::Mul, Box::new(f), Box::new(value)),
        };
        Seed {
            factor: Some(factor),
            ..self
        }
    }

    /// The product; exactly 0 where the base is 0.
    fn value(self) -> Expr {
        let product = match self.factor {
            None => self.base,
            Some(f) => Expr::Scale(Box::new(self.base), Box::new(f)),
        };
        match self.negative {
            true => Expr::Unary(UnOp::Neg, Box::new(product)),
            false => product,
        }
    }
}

fn size(e: &Expr) -> usize {
    let mut n = 0;
    e.walk(&mut |_| n += 1);
    n
}

/// What adjoint code reads of the primal.
pub fn uses(func: &Func, cells: &Cells, stmt: &Stmt, adjoint: &StmtAdjoint) -> Uses {
    let any = !(adjoint.code.is_empty() && adjoint.after.is_empty());
    let mut uses = Uses {
        any,
        ..Uses::default()
    };
    for place in primal_reads(&Block::new(adjoint.after.clone()), func) {
        uses.operands.extend(cells.touched(&place));
    }
    let (before, code) = (
        Block::new(adjoint.before.clone()),
        Block::new(adjoint.code.clone()),
    );
    let made = [declared_in(&before), declared_in(&code)].concat();
    let is_call = matches!(stmt.kind, StmtKind::Call(_));
    for place in primal_reads(&before, func) {
        uses.results.extend(cells.touched(&place));
    }
    for place in primal_reads(&code, func) {
        let after = is_call || adjoint.result.as_ref() == Some(&place);
        if !made.contains(&place.root) {
            if after {
                &mut uses.results
            } else {
                &mut uses.operands
            }
            .extend(cells.touched(&place));
        }
    }
    uses
}

/// The places of variables other than adjoints that the statements read.
fn primal_reads(block: &Block, func: &Func) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    block.walk(&mut |s| {
        for e in s.operands() {
            e.walk(&mut |e| match e {
                Expr::Read(p) | Expr::Is(p, _) | Expr::ZeroLike(p) => places.push(p.clone()),
                Expr::Code(_, reads, _) => places.extend(reads.iter().cloned()),
                _ => {}
            });
            // A length is needed as a value is.
            let measured = e.needs(func).into_iter().filter(|v| !e.reads().contains(v));
            places.extend(measured.map(|v| func.place(v)));
        }
        if let StmtKind::Reverse { call, .. } = &s.kind {
            places.extend(call.args.iter().filter_map(Arg::place).cloned());
        }
    });
    places.retain(|p| !matches!(func.var(p.root).origin, Origin::Adjoint(_)));
    places
}

/// The variables that the statements declare: temporaries, increments, loop indices.
fn declared_in(block: &Block) -> Vec<VarId> {
    let mut made = Vec::new();
    block.walk(&mut |s| {
        made.extend(s.declared());
        match &s.kind {
            StmtKind::Loop(LoopHead::Counted(v, _), _) => made.push(*v),
            StmtKind::Reverse { adjoints, .. } => {
                made.extend(adjoints.iter().filter_map(|a| match a {
                    AdjArg::Increment(v) => Some(*v),
                    _ => None,
                }))
            }
            _ => {}
        }
    });
    made
}
