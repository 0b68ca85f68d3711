//! The statements of a loop's body: effects, and the slices that these need.

use std::collections::{BTreeSet, HashMap};

use super::subscripts::Subscripts;
use crate::ir::{Block, Demand, Expr, Place, Stmt, StmtKind, VarId};
use crate::passes::sets::set::VarSet;
use crate::passes::tbr::cost::is_expensive;
use crate::plan::{Plan, Storage};
use crate::rules::is_choice;

/// The body of a loop that may be distributed, as far as its statements go.
pub struct Body<'b> {
    /// The block.
    pub block: &'b Block,
    /// The statements, those of inner blocks included, in textual order.
    pub units: Vec<Unit<'b>>,
    /// The changes of indices.
    pub subscripts: Subscripts<'b>,
    /// The plan.
    pub plan: &'b Plan,
    locals: VarSet,
    /// The numbers of the statements that declare or write each local.
    definitions: HashMap<VarId, Vec<usize>>,
}

/// A statement of the body.
pub struct Unit<'b> {
    /// The statement.
    pub stmt: &'b Stmt,
    /// The statements around it in the body, from the outermost, by number.
    pub around: Vec<usize>,
}

impl<'b> Body<'b> {
    /// The body of a loop with this index, unless it has a statement that can't be moved.
    pub fn of(block: &'b Block, index: VarId, plan: &'b Plan) -> Option<Body<'b>> {
        let mut units = Vec::new();
        flatten(block, &mut Vec::new(), &mut units);
        let mut locals = VarSet::default();
        locals.extend(units.iter().filter_map(|u| u.stmt.declared()));
        let body = Body {
            block,
            subscripts: Subscripts::of(block, index),
            plan,
            definitions: definitions(&units, &locals),
            units,
            locals,
        };
        let is_movable = body.units.iter().all(|u| body.is_movable(u.stmt));
        (is_movable && !body.effects().is_empty()).then_some(body)
    }

    fn is_movable(&self, stmt: &Stmt) -> bool {
        let mut movable = match &stmt.kind {
            StmtKind::Let(v, _) => self.plan.func.var(*v).ty.is_scalar(),
            StmtKind::Assign(p, _)
            | StmtKind::Incr(p, _)
            | StmtKind::Zero(p)
            | StmtKind::Restore(_, p) => p.ty.is_float() || self.is_local(p) && p.ty.is_scalar(),
            StmtKind::When(..) | StmtKind::If(..) | StmtKind::RestoreControl(..) => true,
            _ => false,
        };
        if let StmtKind::Restore(record, _) | StmtKind::RestoreControl(record, _) = &stmt.kind {
            movable &= self.plan.record(*record).storage != Storage::Stack;
        }
        stmt.walk_exprs(&mut |e| movable &= !matches!(e, Expr::Code(..)));
        movable
    }

    fn is_local(&self, place: &Place) -> bool {
        place.is_whole() && self.locals.contains(place.root)
    }

    /// The numbers of the effects.
    pub fn effects(&self) -> Vec<usize> {
        let is_effect = |n: &usize| self.target(*n).is_some();
        (0..self.units.len()).filter(is_effect).collect()
    }

    /// The place that an effect writes.
    pub fn target(&self, n: usize) -> Option<&'b Place> {
        let target = self.units[n].stmt.written().into_iter().next();
        target.filter(|p| !self.locals.contains(p.root))
    }

    /// Whether the statement is an increment.
    pub fn is_increment(&self, n: usize) -> bool {
        matches!(self.units[n].stmt.kind, StmtKind::Incr(..))
    }

    /// Whether the effect adds to a variable.
    pub fn is_reduction(&self, n: usize) -> bool {
        self.is_increment(n) && self.target(n).is_some_and(|p| p.is_whole())
    }

    /// Whether the effect computes nothing.
    pub fn is_move(&self, n: usize) -> bool {
        match &self.units[n].stmt.kind {
            StmtKind::Restore(..) | StmtKind::Zero(_) => true,
            StmtKind::Assign(_, e) => matches!(e, Expr::Lit(..)),
            _ => false,
        }
    }

    /// The places that the statement reads, other than the target of an increment.
    pub fn reads(&self, n: usize) -> Vec<&'b Place> {
        let mut all = Vec::new();
        self.units[n]
            .stmt
            .walk_exprs(&mut |e| all.extend(e.own_places()));
        all
    }

    /// The numbers of the statements that the effects need, themselves and those around included, if these locals have
    /// values.
    pub fn slice(&self, effects: &[usize], taken: &[VarId]) -> BTreeSet<usize> {
        let mut slice = BTreeSet::new();
        let mut open = effects.to_vec();
        while let Some(n) = open.pop() {
            if !slice.insert(n) {
                continue;
            }
            open.extend(&self.units[n].around);
            let named = self.named(n).into_iter();
            let needed = named.filter(|v| self.locals.contains(*v) && !taken.contains(v));
            open.extend(needed.flat_map(|v| self.definitions(v)));
        }
        slice
    }

    /// The variables that the statement names, other than to declare them.
    pub fn named(&self, n: usize) -> Vec<VarId> {
        let mut named = Vec::new();
        self.units[n].stmt.each_named_var(&mut |v| named.push(v));
        named
    }

    /// The numbers of the statements that declare or write a local.
    pub fn definitions(&self, local: VarId) -> &[usize] {
        &self.definitions[&local]
    }

    /// The locals, in the order of their declarations.
    pub fn locals(&self) -> impl DoubleEndedIterator<Item = VarId> {
        self.units.iter().filter_map(|u| u.stmt.declared())
    }

    /// The expensive results that the statement computes.
    pub fn expensive(&self, n: usize) -> Vec<&'b Expr> {
        let mut found = Vec::new();
        self.units[n].stmt.walk_exprs(&mut |e| {
            let is_partial = matches!(e, Expr::Partial(..)) && !is_choice(e);
            if is_partial || is_expensive(e, &self.plan.func) {
                found.push(e);
            }
        });
        found
    }

    /// Whether the statement is run in each iteration, for callers that want it.
    pub fn is_always_run(&self, n: usize) -> bool {
        let mut around = self.units[n].around.iter();
        around.all(|n| matches!(self.units[*n].stmt.kind, StmtKind::When(..)))
    }

    /// The callers for which the effect is run: the guards around it, from the outermost.
    pub fn guards(&self, effect: usize) -> Vec<Demand> {
        let around = self.units[effect].around.iter();
        let guard = |n: &usize| match &self.units[*n].stmt.kind {
            StmtKind::When(demand, _) => Some(*demand),
            _ => None,
        };
        let mut guards: Vec<Demand> = around.filter_map(guard).collect();
        if let StmtKind::Restore(record, _) = &self.units[effect].stmt.kind {
            guards.push(self.plan.record(*record).demand);
        }
        guards
    }

    /// The statements of these numbers; code under these guards stands without them, since they are around it all.
    pub fn part(&self, numbers: &BTreeSet<usize>, guards: &[Demand]) -> Block {
        part(self.block, numbers, guards, &mut 0)
    }
}

fn definitions(units: &[Unit<'_>], locals: &VarSet) -> HashMap<VarId, Vec<usize>> {
    let mut found: HashMap<VarId, Vec<usize>> = HashMap::new();
    for (n, unit) in units.iter().enumerate() {
        let written = unit.stmt.written().into_iter().map(|p| p.root);
        let defined = written.chain(unit.stmt.declared());
        for local in defined.filter(|v| locals.contains(*v)) {
            found.entry(local).or_default().push(n);
        }
    }
    found
}

fn flatten<'b>(block: &'b Block, around: &mut Vec<usize>, units: &mut Vec<Unit<'b>>) {
    for stmt in &block.stmts {
        let number = units.len();
        units.push(Unit {
            stmt,
            around: around.clone(),
        });
        around.push(number);
        stmt.each_block(&mut |inner| flatten(inner, around, units));
        around.pop();
    }
}

fn part(block: &Block, numbers: &BTreeSet<usize>, guards: &[Demand], next: &mut usize) -> Block {
    let mut stmts = Vec::new();
    for stmt in &block.stmts {
        let number = *next;
        *next += 1;
        let mut inside = stmt.clone();
        for (inner, from) in inside.blocks_mut().into_iter().zip(stmt.blocks()) {
            *inner = part(from, numbers, guards, next);
        }
        match inside.kind {
            _ if !numbers.contains(&number) => {}
            StmtKind::When(demand, inner) if guards.contains(&demand) => stmts.extend(inner.stmts),
            _ => stmts.push(inside),
        }
    }
    Block::new(stmts)
}
