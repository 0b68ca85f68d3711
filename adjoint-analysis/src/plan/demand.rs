//! The callers that need each part of a plan: `[TBR]` §5.2, contexts top-down.
//!
//! The adjoint code of a statement is needed by callers for which its operands are varied and its results useful, as
//! activity says. [`compute_demands`] computes the callers that need everything else: it goes through the reverse sweep from its
//! end, with the callers that need the value of each variable. What a statement reads is needed by the callers of the
//! statement; what is restored is recorded for the callers that need it; a branch or loop runs for the callers that
//! need anything in it. At the end of the sweep, callers that want their `&mut` arguments restored need these. The
//! values needed at its start are those that the sweep reads of the arguments.
//!
//! The value of an argument of a call is needed only if the callee's reverse sweep reads it: its summary says so, or
//! its handle is queried. The shape is needed in any case.

mod guards;

use std::collections::{BTreeMap, BTreeSet};

use self::guards::{drop_unused, guard};
use super::{CalleeFact, Plan};
use crate::ir::demand::fact_bit;
use crate::ir::{
    AdjArg, Arg, Block, Call, Demand, Expr, Func, LoopHead, Mode, Origin, Place, RecordId, Stmt,
    StmtId, StmtKind, Ty, VarId,
};
use crate::passes::activity::Boundary;
use crate::passes::sets::set::VarSet;

/// Determines the callers for which records are made, calls restore their arguments, swaps, insertions and removals are
/// undone, and branches and loops run; removes everything that no caller needs. Of the calls, only those restore
/// anything that `overwriting` contains. Without to-be-recorded analysis, everything is for all callers.
pub fn compute_demands(
    plan: &mut Plan,
    boundary: &Boundary,
    overwriting: BTreeSet<StmtId>,
    tbr: bool,
) {
    let mut reverse = std::mem::take(&mut plan.reverse);
    let mut primal = primal_variables(&plan.func);
    primal.extend(plan.func.params.iter().copied());
    let mut pass = DemandPass {
        needed: vec![Demand::NEVER; plan.func.vars.len()],
        shaped: vec![Demand::NEVER; plan.func.vars.len()],
        boundary,
        literal: float_literals(&plan.func),
        tbr,
        primal,
        undone: BTreeMap::new(),
        overwriting,
        lengths: recorded_lengths([&plan.forward, &reverse]),
        plan,
    };
    for p in pass.plan.func.params.clone() {
        let var = pass.plan.func.var(p);
        if var.mode == Mode::Mut && !var.ty.is_state() {
            pass.needed[p.index()] = Demand::RESTORE;
        }
    }
    pass.block(&mut reverse, Demand::ALWAYS);
    // A caller that queries this function doesn't know its callees.
    let reads = pass.read_at_start().into_iter();
    pass.plan.reads = reads
        .map(|d| pass.plan.links.certain(d).unconditional())
        .collect();
    let undone = pass.undone;
    guard(&mut reverse, plan, &undone, Demand::NEVER);
    plan.reverse = reverse;
    drop_unused(plan);
}

struct DemandPass<'a> {
    plan: &'a mut Plan,
    /// The callers that need the value of each variable at the current point.
    needed: Vec<Demand>,
    /// The callers that need its shape.
    shaped: Vec<Demand>,
    boundary: &'a Boundary,
    /// Variables that start as literals of a float type.
    literal: VarSet,
    /// Whether unneeded code is removed.
    tbr: bool,
    /// The variables of the primal.
    primal: VarSet,
    /// The callers for which swaps are undone and overwritten literals restored.
    undone: BTreeMap<StmtId, Demand>,
    /// The calls that overwrite required values.
    overwriting: BTreeSet<StmtId>,
    /// The records of lengths. Declarations that are the same for all callers read these.
    lengths: BTreeSet<RecordId>,
}

impl DemandPass<'_> {
    /// The callers for which the value of each parameter is read: those that need it at the start.
    fn read_at_start(&self) -> Vec<Demand> {
        let params = self.plan.func.params.iter();
        let read = params.map(|p| self.who_needs_at(&self.plan.func.place(*p)));
        read.map(Demand::unconditional).collect()
    }

    /// Goes backwards through a block; `around` are the callers of the adjoint code in it. Returns the callers for
    /// which the block does anything.
    fn block(&mut self, block: &mut Block, around: Demand) -> Demand {
        let mut all = Demand::NEVER;
        for stmt in block.stmts.iter_mut().rev() {
            match &mut stmt.kind {
                StmtKind::Replay(restores, forward) => {
                    let demand = if self.tbr { all } else { Demand::ALWAYS };
                    self.forward_code(forward, demand);
                    self.snapshot(restores, demand);
                }
                _ => all = all.union(self.stmt(stmt, around)),
            }
        }
        all
    }

    /// Snapshots are for the callers for which steps are run again, whoever else needs a field that is in them.
    fn snapshot(&mut self, restores: &Block, demand: Demand) {
        for stmt in &restores.stmts {
            if let StmtKind::Restore(r, p) = &stmt.kind {
                let record = &mut self.plan.records[r.index()];
                record.demand = record.demand.union(demand);
                if p.is_whole() {
                    self.forget(p.root);
                }
            }
        }
    }

    /// Code of the forward sweep, for these callers, reads all that it names.
    fn forward_code(&mut self, block: &Block, demand: Demand) {
        let mut inner = VarSet::default();
        block.walk(&mut |s| inner.extend(s.declared()));
        block.walk(&mut |s| {
            s.each_named_var(&mut |v| {
                if !inner.contains(v) {
                    self.need(v, demand);
                }
            });
        });
    }

    fn stmt(&mut self, stmt: &mut Stmt, around: Demand) -> Demand {
        let id = stmt.id;
        match &mut stmt.kind {
            StmtKind::When(demand, body) => {
                let back = self.restored(body);
                *demand = demand.union(back);
                self.block(body, *demand);
                *demand
            }
            StmtKind::Let(v, init) => {
                let need = match self.plan.func.var(*v).ty.keeps_shape() {
                    true => self.needed[v.index()],
                    false => self.needs_shape(*v),
                };
                self.forget(*v);
                let known = self.plan.var_demands.entry(*v).or_default();
                *known = known.union(need);
                let demand = *known;
                match (init, self.plan.func.var(*v).origin) {
                    (Some(e), _) => self.read(e, demand),
                    // A zero adjoint is created with the shape of its primal.
                    (None, Origin::Adjoint(of))
                        if !self.plan.func.var(of).ty.has_static_shape() =>
                    {
                        self.need(of, demand);
                    }
                    (None, _) => {}
                }
                Demand::NEVER
            }
            // An overwritten literal or inverted integer is put back.
            StmtKind::Assign(p, e) if self.primal.contains(p.root) => {
                let need = self.who_needs(p.root);
                if p.is_whole() {
                    self.needed[p.root.index()] = Demand::NEVER;
                }
                let demand = self.undone.entry(id).or_default();
                *demand = demand.union(need);
                let demand = *demand;
                self.read(e, demand);
                self.indices(p, demand);
                demand
            }
            StmtKind::Restore(r, p) => {
                let mut need = self.who_needs_at(p);
                if p.is_whole() {
                    // A value of an unknown type can't be replaced by another one.
                    let local = self.plan.func.var(p.root).origin != Origin::Param;
                    if !need.is_never() && !p.ty.has_initial_value() && local {
                        need = Demand::ALWAYS;
                    }
                    self.forget(p.root);
                }
                let record = &mut self.plan.records[r.index()];
                record.demand = record.demand.union(need);
                let demand = record.demand;
                self.indices(p, demand);
                demand
            }
            StmtKind::RestoreControl(r, v) => {
                let need = match self.lengths.contains(r) {
                    true => Demand::ALWAYS,
                    false => self.who_needs(*v),
                };
                self.needed[v.index()] = Demand::NEVER;
                let record = &mut self.plan.records[r.index()];
                record.demand = record.demand.union(need);
                record.demand
            }
            StmtKind::If(test, then, els) => {
                let behind = (self.needed.clone(), self.shaped.clone());
                let demand = self.block(then, around);
                let one = (
                    std::mem::replace(&mut self.needed, behind.0),
                    std::mem::replace(&mut self.shaped, behind.1),
                );
                let demand = demand.union(self.block(els, around));
                self.join(&one);
                self.read(test, demand);
                demand
            }
            StmtKind::Loop(head, body) => self.loop_(head, body, around),
            StmtKind::Swap(a, b) if !self.is_adjoint(a.root) => {
                let need = self.who_needs_at(a).union(self.who_needs_at(b));
                let demand = self.undone.entry(id).or_default();
                *demand = demand.union(need);
                let demand = *demand;
                for p in [&*a, &*b] {
                    self.need(p.root, demand);
                    self.indices(p, demand);
                }
                demand
            }
            StmtKind::Insert(p, ..) | StmtKind::Remove(_, p, _) if !self.is_adjoint(p.root) => {
                let need = self.who_needs_shape(p.root);
                let demand = self.undone.entry(id).or_default();
                *demand = demand.union(need);
                let (demand, root) = (*demand, p.root);
                self.need(root, demand);
                for e in stmt.operands() {
                    self.read(e, demand);
                }
                demand
            }
            _ => {
                self.adjoint_code(stmt, around);
                around
            }
        }
    }

    /// The callee of a reversed call restores its `&mut` arguments for the callers that need them further back.
    fn restored(&mut self, body: &Block) -> Demand {
        let mut all = Demand::NEVER;
        for stmt in &body.stmts {
            if let StmtKind::Reverse { call, .. } = &stmt.kind {
                if self.overwriting.contains(&stmt.id) {
                    for place in call.written() {
                        all = all.union(self.who_needs_at(place));
                    }
                }
                if let Some(site) = self.plan.calls.get_mut(&stmt.id) {
                    site.restore = site.restore.union(all);
                    all = site.restore;
                }
            }
        }
        all
    }

    fn loop_(&mut self, head: &LoopHead, body: &mut Block, around: Demand) -> Demand {
        loop {
            let behind = (self.needed.clone(), self.shaped.clone());
            let mut demand = self.block(body, around);
            if body.replays() && !self.tbr {
                demand = Demand::ALWAYS;
            }
            self.join(&behind);
            if (&self.needed, &self.shaped) == (&behind.0, &behind.1) {
                for e in head.operands() {
                    self.read(e, demand);
                }
                if let LoopHead::Times(n) | LoopHead::ReversedFrom(_, _, n) = head {
                    self.need(*n, demand);
                }
                return demand;
            }
        }
    }

    /// A statement of adjoint code reads its operands.
    fn adjoint_code(&mut self, stmt: &Stmt, around: Demand) {
        if let StmtKind::Reverse {
            call,
            adjoints,
            seed,
        } = &stmt.kind
        {
            self.read_all(seed.iter(), around);
            stmt.each_adjoint_place(&mut |p| self.lend(p, around));
            self.arguments(stmt.id, call, around);
            for adjoint in adjoints {
                if let AdjArg::Increment(v) = adjoint {
                    self.forget(*v);
                }
            }
            return;
        }
        self.read_all(stmt.operands(), around);
        stmt.each_own_place(&mut |p| self.lend(p, around));
        if let StmtKind::Remove(Some(seed), ..) = &stmt.kind {
            self.forget(*seed);
        }
    }

    fn read_all<'e>(&mut self, operands: impl IntoIterator<Item = &'e Expr>, demand: Demand) {
        for e in operands {
            self.read(e, demand);
        }
    }

    fn lend(&mut self, place: &Place, demand: Demand) {
        self.need(place.root, demand);
        self.indices(place, demand);
    }

    /// The arguments that the reverse sweep of a callee reads. The shapes and places of all of them are needed to pass
    /// them.
    fn arguments(&mut self, id: StmtId, call: &Call, around: Demand) {
        let all = 0..call.args.len();
        let reads: Vec<Demand> = all.map(|k| self.read_by(id, call, k, around)).collect();
        for (arg, read) in call.args.iter().zip(&reads) {
            match arg {
                Arg::Value(Expr::Read(p)) | Arg::Shared(p) | Arg::Mut(p) => {
                    self.need(p.root, *read);
                    self.need_shape(p.root, around);
                    self.indices(p, around);
                }
                Arg::Value(e) => self.read(e, around),
            }
        }
        if let Some(site) = self.plan.calls.get_mut(&id) {
            site.reads = reads;
        }
    }

    /// The callers for which the reverse sweep of the callee reads the value of an argument.
    fn read_by(&mut self, id: StmtId, call: &Call, k: usize, around: Demand) -> Demand {
        if call.args[k].place().is_some_and(|p| self.ty(p).is_state()) {
            return Demand::NEVER;
        }
        let simple = match &call.args[k] {
            Arg::Value(Expr::Read(p)) => p.ty.has_static_shape() && self.ty(p).holds_only_reals(),
            Arg::Value(_) => false,
            Arg::Shared(p) | Arg::Mut(p) => self.ty(p).holds_only_reals(),
        };
        let Some(site) = self.plan.calls.get(&id).filter(|_| simple && self.tbr) else {
            return around;
        };
        if let Some(summary) = self.boundary.summary(call, &self.plan.func) {
            return site.of_callee(summary.reads[k]);
        }
        if !call.callee.has_handle() {
            return around;
        }
        let restore = site.restore;
        let reads = around.with_facts(self.query_bit(id, call, k, false));
        match &call.args[k] {
            // To restore it, the callee needs its exit value.
            Arg::Mut(_) => reads.union(restore),
            _ if restore.is_never() => reads,
            _ => reads.union(Demand {
                facts: self.query_bit(id, call, k, true),
                ..restore
            }),
        }
    }

    /// The type of a place; a float type that is not inferred yet counts as a float for literals.
    fn ty(&self, place: &Place) -> Ty {
        match self.literal.contains(place.root) {
            true => place.ty.with_leaf(&Ty::F64),
            false => place.ty.clone(),
        }
    }

    /// The bit for the query of the callee's handle about an argument.
    fn query_bit(&mut self, id: StmtId, call: &Call, argument: usize, restore: bool) -> u64 {
        let fact = CalleeFact {
            call: id,
            callee: call.callee.clone(),
            argument,
            restore,
        };
        let known = self.plan.callee_facts.iter().position(|f| *f == fact);
        fact_bit(known.unwrap_or_else(|| {
            self.plan.callee_facts.push(fact);
            self.plan.callee_facts.len() - 1
        }))
    }

    fn who_needs(&self, v: VarId) -> Demand {
        match self.tbr {
            true => self.needed[v.index()],
            false => Demand::ALWAYS,
        }
    }

    /// The callers that need a variable's value, if a part of it may change its shape.
    fn who_needs_at(&self, place: &Place) -> Demand {
        match self.ty(place).keeps_shape() {
            true => self.who_needs(place.root),
            false => self.who_needs_shape(place.root),
        }
    }

    fn who_needs_shape(&self, v: VarId) -> Demand {
        match self.tbr {
            true => self.needs_shape(v),
            false => Demand::ALWAYS,
        }
    }

    /// The callers that need the shape of a variable, or more. Shapes don't depend on the answers of callees.
    fn needs_shape(&self, v: VarId) -> Demand {
        self.needed[v.index()]
            .unconditional()
            .union(self.shaped[v.index()])
    }

    fn forget(&mut self, v: VarId) {
        self.needed[v.index()] = Demand::NEVER;
        self.shaped[v.index()] = Demand::NEVER;
    }

    fn is_adjoint(&self, v: VarId) -> bool {
        matches!(self.plan.func.var(v).origin, Origin::Adjoint(_))
    }

    fn need(&mut self, v: VarId, demand: Demand) {
        let known = &mut self.needed[v.index()];
        *known = known.union(demand);
    }

    fn read(&mut self, e: &Expr, demand: Demand) {
        e.walk(&mut |e| {
            for place in e.own_places() {
                // The length of a parameter that keeps its shape doesn't need its value.
                if !(matches!(e, Expr::Len(_)) && self.has_length(place.root)) {
                    self.need(place.root, demand);
                }
            }
        });
    }

    fn has_length(&self, v: VarId) -> bool {
        let var = self.plan.func.var(v);
        var.origin == Origin::Param && var.ty.keeps_shape()
    }

    fn need_shape(&mut self, v: VarId, demand: Demand) {
        let known = &mut self.shaped[v.index()];
        *known = known.union(demand);
    }

    fn indices(&mut self, place: &Place, demand: Demand) {
        for e in place.operands() {
            self.read(e, demand);
        }
    }

    fn join(&mut self, (needed, shaped): &(Vec<Demand>, Vec<Demand>)) {
        let here = self.needed.iter_mut().chain(&mut self.shaped);
        for (a, b) in here.zip(needed.iter().chain(shaped)) {
            *a = a.union(*b);
        }
    }
}

/// The records of the lengths of `Vec`s.
fn recorded_lengths(sweeps: [&Block; 2]) -> BTreeSet<RecordId> {
    let mut found = BTreeSet::new();
    for sweep in sweeps {
        sweep.walk(&mut |s| {
            if let StmtKind::RecordControl(r, Expr::Len(_)) = &s.kind {
                found.insert(*r);
            }
        });
    }
    found
}

/// The primal's variables that it declares.
fn primal_variables(func: &Func) -> VarSet {
    let mut vars = VarSet::default();
    func.body.walk(&mut |s| vars.extend(s.declared()));
    vars
}

/// The variables that are declared with float literals in every part.
fn float_literals(func: &Func) -> VarSet {
    fn is_literal(e: &Expr) -> bool {
        match e {
            Expr::Lit(text, _) => text.contains('.'),
            Expr::Repeat(value, ..) => is_literal(value),
            Expr::Aggregate(parts, Ty::Array(..) | Ty::Vec(_)) => {
                !parts.is_empty() && parts.iter().all(is_literal)
            }
            _ => false,
        }
    }
    let mut vars = VarSet::default();
    func.body.walk(&mut |s| {
        if let StmtKind::Let(v, Some(e)) = &s.kind
            && is_literal(e)
        {
            vars.insert(*v);
        }
    });
    vars
}
