//! The simplest planner that is right: it records whatever is overwritten and whatever ends its
//! life, each flag and each trip count, and recomputes nothing but expressions.

mod backward;
mod memory;

use std::collections::{BTreeMap, BTreeSet};

use adjoint_analysis::gen_program::build::{add, local, number, read, stmt, usize};
use adjoint_analysis::interp::Module;
use adjoint_analysis::ir::{
    AdjArg, Arg, Block, Call, Demand, Expr, Func, LoopHead, Mode, Origin, Place, RecordId, Stmt,
    StmtId, StmtKind, Ty, VarId,
};
use adjoint_analysis::plan::{Plan, Record, RecordKind, Storage};

/// The plans of all functions of a module.
pub fn plan_all(module: &Module) -> BTreeMap<String, Plan> {
    module
        .funcs
        .iter()
        .map(|(name, func)| (name.clone(), plan(func)))
        .collect()
}

fn plan(func: &Func) -> Plan {
    let mut func = func.clone();
    let mut body = std::mem::take(&mut func.body);
    hoist_arguments(&mut func, &mut body);
    number(&mut body);
    func.body = body.clone();
    let mut planner = Planner {
        adjoint: BTreeMap::new(),
        records: Vec::new(),
        unassigned: func.ret.into_iter().collect(),
        func,
    };
    planner.adjoints();
    let (forward, reverse) = planner.body(&body);
    let restores = planner.func.params.iter().copied();
    let restores = restores
        .filter(|p| planner.func.var(*p).mode == Mode::Mut)
        .collect();
    let Planner {
        func,
        records,
        adjoint,
        ..
    } = planner;
    Plan {
        func,
        forward,
        reverse,
        records,
        adjoint,
        restores,
        interface: Vec::new(),
        calls: Default::default(),
        var_demands: Default::default(),
        callee_facts: Vec::new(),
        depends: Vec::new(),
        effects: Default::default(),
        states_effect: false,
        links: Default::default(),
        fused: None,
        reads: Vec::new(),
    }
}

/// Gives each value argument and each index in a reference argument a variable of its own, so that
/// the reverse sweep of the call can read what the call may have changed.
fn hoist_arguments(func: &mut Func, block: &mut Block) {
    let mut all = Vec::new();
    for mut s in std::mem::take(&mut block.stmts) {
        match &mut s.kind {
            StmtKind::If(_, yes, no) => {
                hoist_arguments(func, yes);
                hoist_arguments(func, no);
            }
            StmtKind::Loop(_, body) => hoist_arguments(func, body),
            StmtKind::Call(call) => {
                for arg in &mut call.args {
                    match arg {
                        Arg::Value(e) => {
                            let ty = type_of(e);
                            all.push(hoist(func, e, ty));
                        }
                        Arg::Shared(place) | Arg::Mut(place) => {
                            let indices = place.operands_mut();
                            all.extend(indices.into_iter().map(|e| hoist(func, e, Ty::USIZE)));
                        }
                    }
                }
            }
            _ => {}
        }
        all.push(s);
    }
    block.stmts = all;
}

fn hoist(func: &mut Func, e: &mut Expr, ty: Ty) -> Stmt {
    let var = local(func, "arg", ty);
    let value = std::mem::replace(e, read(func.place(var)));
    stmt(StmtKind::Let(var, Some(value)))
}

/// The type of an argument.
fn type_of(e: &Expr) -> Ty {
    match e {
        Expr::Lit(_, ty)
        | Expr::Cast(_, ty)
        | Expr::Discrete(_, _, ty)
        | Expr::Aggregate(_, ty)
        | Expr::Repeat(_, _, ty)
        | Expr::Variant(_, _, ty) => ty.clone(),
        Expr::Read(place) => place.ty.clone(),
        Expr::Unary(_, a) | Expr::Binary(_, a, _) => type_of(a),
        Expr::Len(_) => Ty::USIZE,
        _ => Ty::F64,
    }
}

struct Planner {
    func: Func,
    adjoint: BTreeMap<VarId, VarId>,
    records: Vec<Record>,
    /// Declared, and without a value so far.
    unassigned: BTreeSet<VarId>,
}

/// The two sweeps of something.
type Sweeps = (Vec<Stmt>, Vec<Stmt>);

impl Planner {
    fn adjoints(&mut self) {
        for var in self.func.var_ids() {
            let ty = self.func.var(var).ty.clone();
            if ty.carries_floats() {
                let name = format!("{}_adj", self.func.var(var).name);
                let adjoint = self
                    .func
                    .add_var(&name, ty, Mode::Owned, Origin::Adjoint(var));
                self.adjoint.insert(var, adjoint);
            }
        }
    }

    fn temp(&mut self, name: &str, ty: Ty) -> VarId {
        self.func.add_var(name, ty, Mode::Owned, Origin::Temp)
    }

    fn record(&mut self, kind: RecordKind, storage: Storage, of: StmtId) -> RecordId {
        self.records.push(Record {
            kind,
            storage,
            of,
            demand: Demand::ALWAYS,
        });
        RecordId(self.records.len() as u32 - 1)
    }

    /// A record of all of a variable.
    fn record_var(&mut self, var: VarId, storage: Storage, of: StmtId) -> RecordId {
        let ty = self.func.var(var).ty.clone();
        self.record(RecordKind::Value(ty), storage, of)
    }

    fn body(&mut self, body: &Block) -> (Block, Block) {
        let (mut tail, mut head) = (Vec::new(), Vec::new());
        if let Some(ret) = self.func.ret {
            let place = self.func.place(ret);
            let id = self.record_var(ret, Storage::Stack, StmtId(0));
            tail.push(stmt(StmtKind::Record(id, place.clone())));
            head.push(stmt(StmtKind::Let(ret, None)));
            head.push(stmt(StmtKind::Restore(id, place)));
        }
        let (forward, reverse) = self.block(body, &[], tail);
        head.extend(reverse);
        (Block::new(forward), Block::new(head))
    }

    /// Sweeps of a block: at the end of the forward one, the variables that it declares (and
    /// `also`, with the storage that it has) are recorded, and `tail` follows.
    fn block(&mut self, b: &Block, also: &[(VarId, Storage)], tail: Vec<Stmt>) -> Sweeps {
        let declared = b
            .stmts
            .iter()
            .filter_map(|s| Some((s.declared()?, Storage::Stack)));
        let (mut records, mut opening) = (Vec::new(), Vec::new());
        for (var, storage) in declared.chain(also.iter().cloned()).collect::<Vec<_>>() {
            let of = b.stmts.first().map_or(StmtId(0), |s| s.id);
            let (id, place) = (self.record_var(var, storage, of), self.func.place(var));
            records.push(stmt(StmtKind::Record(id, place.clone())));
            let mut back = vec![
                StmtKind::Let(var, None),
                StmtKind::Restore(id, place.clone()),
            ];
            if let Some(adjoint) = self.adjoint.get(&var) {
                back.push(StmtKind::Let(*adjoint, Some(read(place))));
                back.push(StmtKind::Zero(self.func.place(*adjoint)));
            }
            opening.splice(0..0, back.into_iter().map(stmt));
        }
        records.extend(tail);
        let mut end = Some(records);
        let (mut forward, mut reverse) = (Vec::new(), Vec::new());
        for (i, s) in b.stmts.iter().enumerate() {
            let last = i + 1 == b.stmts.len();
            let after = if last && breaks(s) {
                end.take().unwrap_or_default()
            } else {
                Vec::new()
            };
            let (there, back) = self.stmt(s, after);
            forward.extend(there);
            reverse.splice(0..0, back);
        }
        forward.extend(end.unwrap_or_default());
        opening.extend(reverse);
        (forward, opening)
    }

    /// Sweeps of a statement; `after` ends the arms of one that may break.
    fn stmt(&mut self, s: &Stmt, mut after: Vec<Stmt>) -> Sweeps {
        match &s.kind {
            StmtKind::Let(var, None) => {
                self.unassigned.insert(*var);
                (vec![s.clone()], Vec::new())
            }
            StmtKind::Let(var, Some(e)) => {
                let seed = self
                    .adjoint
                    .get(var)
                    .map(|adjoint| self.func.place(*adjoint));
                let back = seed.map_or(Vec::new(), |seed| self.backward(e, read(seed)));
                (vec![s.clone()], back)
            }
            StmtKind::Assign(place, e) => self.write(s, place, e, true),
            StmtKind::Incr(place, e) => self.write(s, place, e, false),
            StmtKind::Swap(a, b) => self.swap(s, a, b),
            StmtKind::Insert(place, at, e) => self.insert(s, place, at, e),
            StmtKind::Remove(Some(var), place, at) => self.remove(s, *var, place, at),
            StmtKind::Call(call) => self.call(call),
            StmtKind::If(condition, yes, no) => self.branch(s, condition, [yes, no], after),
            StmtKind::Loop(head, body) => self.run_loop(s, head, body),
            StmtKind::Break => {
                after.push(s.clone());
                (after, Vec::new())
            }
            other => panic!("{other:?} in a primal"),
        }
    }

    /// A record of the root of a place, unless it has no value yet.
    fn save(&mut self, place: &Place, of: StmtId) -> Sweeps {
        if self.unassigned.remove(&place.root) {
            return (Vec::new(), Vec::new());
        }
        let id = self.record_var(place.root, Storage::Stack, of);
        let root = self.func.place(place.root);
        let record = stmt(StmtKind::Record(id, root.clone()));
        (vec![record], vec![stmt(StmtKind::Restore(id, root))])
    }

    fn write(&mut self, s: &Stmt, place: &Place, e: &Expr, overwrites: bool) -> Sweeps {
        let (mut forward, mut reverse) = self.save(place, s.id);
        forward.push(s.clone());
        let adjoint = self.adjoint.get(&place.root).copied();
        if let (Some(adjoint), true) = (adjoint, place.ty.carries_floats()) {
            let adjoint = place.with_root(adjoint);
            let seed = self.temp("seed", place.ty.clone());
            reverse.push(stmt(StmtKind::Let(seed, Some(read(adjoint.clone())))));
            if overwrites {
                reverse.push(memory::zeroed(adjoint, place));
            }
            let seed = read(self.func.place(seed));
            reverse.extend(self.backward(e, seed));
        }
        (forward, reverse)
    }

    fn swap(&mut self, s: &Stmt, a: &Place, b: &Place) -> Sweeps {
        let (mut forward, mut reverse) = self.save(a, s.id);
        if a.root != b.root {
            let (there, back) = self.save(b, s.id);
            forward.extend(there);
            reverse.splice(0..0, back);
        }
        forward.push(s.clone());
        let adjoints = (self.adjoint.get(&a.root), self.adjoint.get(&b.root));
        if let (Some(a_adj), Some(b_adj)) = adjoints {
            let (a, b) = (a.with_root(*a_adj), b.with_root(*b_adj));
            reverse.push(stmt(StmtKind::Swap(a, b)));
        }
        (forward, reverse)
    }

    fn call(&mut self, call: &Call) -> Sweeps {
        let mut adjoints = Vec::new();
        let mut increments = Vec::new();
        for arg in &call.args {
            adjoints.push(match arg {
                Arg::Value(Expr::Read(place)) if place.ty.carries_floats() => {
                    let increment = self.temp("increment", place.ty.clone());
                    let by = read(self.func.place(increment));
                    let adjoint = place.with_root(self.adjoint[&place.root]);
                    increments.push(stmt(StmtKind::Incr(adjoint, by)));
                    AdjArg::Increment(increment)
                }
                Arg::Shared(place) | Arg::Mut(place) if place.ty.carries_floats() => {
                    let adjoint = place.with_root(self.adjoint[&place.root]);
                    let roots = call.args.iter().filter_map(Arg::place).map(|p| p.root);
                    let sharing = roots.filter(|root| *root == place.root).count() > 1;
                    match arg {
                        Arg::Shared(_) if sharing => AdjArg::Scratch(Some(adjoint)),
                        _ => AdjArg::Place(adjoint),
                    }
                }
                _ => AdjArg::None,
            });
        }
        let adjoint = call.result.and_then(|result| self.adjoint.get(&result));
        let seed = adjoint.map(|adjoint| read(self.func.place(*adjoint)));
        let primal = Call {
            result: None,
            ..call.clone()
        };
        let mut reverse = vec![stmt(StmtKind::Reverse {
            call: primal,
            adjoints,
            seed,
        })];
        reverse.extend(increments);
        (vec![stmt(StmtKind::Forward(call.clone()))], reverse)
    }

    fn branch(
        &mut self,
        s: &Stmt,
        condition: &Expr,
        arms: [&Block; 2],
        after: Vec<Stmt>,
    ) -> Sweeps {
        let flag = self.record(RecordKind::Flag, Storage::Stack, s.id);
        let before = self.unassigned.clone();
        let mut left = BTreeSet::new();
        let mut sweeps = Vec::new();
        for (arm, taken) in arms.into_iter().zip([true, false]) {
            self.unassigned = before.clone();
            let way = Expr::Lit(taken.to_string(), Ty::Bool);
            let mut tail = vec![stmt(StmtKind::RecordControl(flag, way))];
            tail.extend(after.clone());
            let (there, back) = self.block(arm, &[], tail);
            sweeps.push((Block::new(there), Block::new(back)));
            left.extend(self.unassigned.iter().copied());
        }
        self.unassigned = left;
        let way = self.temp("way", Ty::Bool);
        let taken = read(self.func.place(way));
        let (no, yes) = (sweeps.remove(1), sweeps.remove(0));
        let forward = vec![stmt(StmtKind::If(condition.clone(), yes.0, no.0))];
        let restore = stmt(StmtKind::RestoreControl(flag, way));
        (
            forward,
            vec![restore, stmt(StmtKind::If(taken, yes.1, no.1))],
        )
    }

    fn run_loop(&mut self, s: &Stmt, head: &LoopHead, body: &Block) -> Sweeps {
        // Only to try both storages: without a break, the index goes into a frame.
        let storage = match body.stmts.last().is_some_and(breaks) {
            true => Storage::Stack,
            false => Storage::Frame { of: s.id, slot: 0 },
        };
        let index = match head {
            LoopHead::Counted(index, _) => vec![(*index, storage)],
            _ => Vec::new(),
        };
        let id = self.record(RecordKind::Count, Storage::Stack, s.id);
        let count = self.temp("count", Ty::USIZE);
        let place = self.func.place(count);
        let (mut there, back) = self.block(body, &index, Vec::new());
        let next = add(read(place.clone()), usize(1));
        there.insert(0, stmt(StmtKind::Assign(place.clone(), next)));
        let run = |head, body| Stmt {
            id: s.id,
            kind: StmtKind::Loop(head, Block::new(body)),
        };
        let forward = vec![
            stmt(StmtKind::Let(count, Some(usize(0)))),
            run(head.clone(), there),
            stmt(StmtKind::RecordControl(id, read(place))),
        ];
        let restore = stmt(StmtKind::RestoreControl(id, count));
        (forward, vec![restore, run(LoopHead::Times(count), back)])
    }
}

/// Whether a statement is a break or an `if` with one that leaves the same loop.
fn breaks(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Break => true,
        StmtKind::If(_, yes, no) => [yes, no].iter().any(|b| b.stmts.last().is_some_and(breaks)),
        _ => false,
    }
}
