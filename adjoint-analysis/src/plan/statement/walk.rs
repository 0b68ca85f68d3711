//! The walk down the tree of one statement: the seed, multiplied by the partial at each operation.

use std::borrow::Cow;

use super::seed::Seed;
use super::{Adjoints, StmtAdjoint};
use crate::ir::construct::unit;
use crate::ir::stmt::Rev;
use crate::ir::{
    Block, Demand, Expr, IntTy, LoopHead, Mode, Origin, Place, Proj, Range, Stmt, StmtId, StmtKind,
    Ty, UnOp,
};
use crate::passes::activity::dependencies;
use crate::rules::{self, Partial, Use};

/// A subtree of more nodes than this is evaluated once, into a variable.
const SHARED_SIZE: usize = 6;

/// The walk down one statement's tree.
pub(super) struct Walk<'a, 'b> {
    adjoints: &'a mut Adjoints<'b>,
    id: StmtId,
    pub(super) code: Vec<Stmt>,
    before: Vec<Stmt>,
    /// The place of the root operation's result.
    pub(super) result: Option<Place>,
    uses_result: bool,
    pub(super) overlaps: bool,
    /// The outputs that the written value may influence.
    of: u64,
    demand: Demand,
}

impl<'a, 'b> Walk<'a, 'b> {
    /// A walk for a statement whose written value may influence the outputs in `of`, and whose adjoint runs at least
    /// for `demand`.
    pub(super) fn new(
        adjoints: &'a mut Adjoints<'b>,
        id: StmtId,
        (of, demand): (u64, Demand),
    ) -> Self {
        Walk {
            adjoints,
            id,
            code: Vec::new(),
            before: Vec::new(),
            result: None,
            uses_result: false,
            overlaps: false,
            of,
            demand,
        }
    }

    pub(super) fn push(&mut self, kind: StmtKind) {
        self.code.push(Stmt { id: self.id, kind });
    }

    pub(super) fn temp(&mut self, name: &str, value: Expr, ty: Ty) -> Place {
        let var = self
            .adjoints
            .func
            .add_var(name, ty.clone(), Mode::Owned, Origin::Temp);
        self.push(StmtKind::Let(var, Some(value)));
        Place::var(var, ty)
    }

    pub(super) fn finish(self) -> StmtAdjoint {
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

    /// Whether the tree has a leaf with an adjoint.
    fn is_active(&self, e: &Expr) -> bool {
        let deps = dependencies(e, self.adjoints.func);
        deps.iter()
            .any(|(p, _)| self.adjoints.activity.reads_active(self.id, p))
    }

    /// Propagates the seed down the tree if it has a leaf with an adjoint.
    pub(super) fn tree(&mut self, e: &Expr, seed: Seed, is_root: bool) {
        if self.is_active(e) {
            self.active_tree(e, seed, is_root);
        }
    }

    /// Propagates the seed down a tree that has a leaf with an adjoint.
    fn active_tree(&mut self, e: &Expr, seed: Seed, is_root: bool) {
        match e {
            Expr::Read(p) => self.leaf(p, seed),
            Expr::Unary(UnOp::Neg, a) => {
                let negative = !seed.negative;
                self.active_tree(a, Seed { negative, ..seed }, false);
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
            Expr::Preaccumulated(_, gradient) => self.gradient(gradient, &seed),
            Expr::Aggregate(parts, ty) => self.aggregate(parts, ty, &seed),
            Expr::Repeat(value, ..) => self.repeat(value, &seed),
            Expr::Variant(path, fields, _) => self.variant(path, fields, &seed),
            _ => {}
        }
    }

    /// The seed, multiplied by the partial by each place.
    fn gradient(&mut self, gradient: &[[Expr; 2]], seed: &Seed) {
        for [input, partial] in gradient {
            let seed = match unit(partial) {
                Some(negative) => Seed {
                    negative: seed.negative != negative,
                    ..seed.clone()
                },
                None => seed.clone().times(partial.clone()),
            };
            self.tree(input, seed, false);
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
        self.tree(a, Seed::of(base), false);
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
        // A value that several partials read is evaluated once.
        let values: Vec<Cow<'_, Expr>> = args
            .iter()
            .enumerate()
            .map(|(k, a)| match uses(k) && size(a) > SHARED_SIZE {
                true => {
                    let ty = self.ty(a);
                    Cow::Owned(Expr::Read(self.temp("operand", (*a).clone(), ty)))
                }
                false => Cow::Borrowed(*a),
            })
            .collect();
        let seed = self.shared_seed(seed, active.iter().filter(|a| **a).count(), partials);
        for (k, partial) in partials.iter().enumerate() {
            if !active[k] {
                continue;
            }
            let mut value = |walk: &mut Self, u| walk.used(u, &values, whole, is_root);
            if let Some(seed) = self.multiplied(seed.clone(), *partial, &mut value) {
                self.active_tree(args[k], seed, false);
            }
        }
    }

    /// Multiplies a factor that several operands share only once.
    fn shared_seed(&mut self, seed: Seed, operands: usize, partials: &[Partial]) -> Seed {
        let heavy = |f: &Option<Expr>| f.as_ref().is_some_and(|f| size(f) > 1);
        let heavy =
            heavy(&seed.factor) || heavy(&seed.choice) || size(&seed.base) > 1 || seed.saturates;
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
            negative,
            ..Seed::of(base)
        }
    }

    /// The seed, multiplied by a partial; `None` if that is 0.
    fn multiplied(
        &mut self,
        seed: Seed,
        partial: Partial,
        value: &mut dyn FnMut(&mut Self, Use) -> Expr,
    ) -> Option<Seed> {
        Some(match partial {
            Partial::Zero => return None,
            Partial::One => seed,
            Partial::MinusOne => Seed {
                negative: !seed.negative,
                ..seed
            },
            Partial::Operand(k) => seed.times(value(self, Use::Operand(k))),
            Partial::Result => Seed {
                saturates: true,
                ..seed.times(value(self, Use::Result))
            },
            Partial::Function(name, uses) => {
                let args = uses.iter().map(|u| value(self, *u)).collect();
                let seed = seed.times(Expr::Partial(name, args));
                let saturates = rules::saturates(name);
                Seed { saturates, ..seed }
            }
            Partial::Product(factors) => {
                let (first, rest) = factors.split_first()?;
                let first = self.multiplied(seed, *first, value)?;
                rest.iter().try_fold(first, |seed, factor| {
                    self.multiplied(seed.apply_factors(), *factor, value)
                })?
            }
        })
    }

    /// A value that a partial uses.
    fn used(&mut self, u: Use, values: &[Cow<'_, Expr>], whole: &Expr, is_root: bool) -> Expr {
        match (u, &self.result) {
            (Use::Operand(k), _) => values[k].as_ref().clone(),
            (Use::Result, Some(place)) if is_root => {
                let mut place = place.clone();
                if self.overlaps && !self.uses_result {
                    // After the restore, the result is overwritten.
                    let (ty, value) = (place.ty.clone(), Expr::Read(place));
                    let func = &mut self.adjoints.func;
                    let var = func.add_var("result", ty.clone(), Mode::Owned, Origin::Temp);
                    self.before.push(Stmt {
                        id: self.id,
                        kind: StmtKind::Let(var, Some(value)),
                    });
                    place = Place::var(var, ty);
                    self.result = Some(place.clone());
                }
                self.uses_result = true;
                Expr::Read(place)
            }
            (Use::Result, _) => whole.clone(),
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

fn size(e: &Expr) -> usize {
    let mut n = 0;
    e.walk(&mut |_| n += 1);
    n
}
