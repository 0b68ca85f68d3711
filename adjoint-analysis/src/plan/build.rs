//! From the facts to the plan: both sweeps are written out.
//!
//! The reverse sweep is written first, block by block, each the mirror of its primal block; it asks
//! for the records that it needs, and the forward sweep then makes just these. So records and
//! restores pair up by construction, and what the reverse sweep has no use for is not recorded.
//!
//! Control flow is reversed as in `[CFR]` Algorithms 3 (branches: a label pushed where the ways
//! merge) and 4 (loops: a trip counter), except where a condition or a trip count can be computed
//! again.

use std::collections::{BTreeMap, HashMap};

use super::facts::Facts;
use super::memory::opposite;
use super::statement::{Adjoints, StmtAdjoint, uses};
use super::{Plan, Record, RecordKind, Site, Storage};
use crate::ir::{
    BinOp, Block, Demand, Expr, Func, IntTy, LoopHead, Mode, Origin, RecordId, Stmt, StmtId,
    StmtKind, Ty, VarId,
};
use crate::passes::activity::{Activity, Boundary, activity};
use crate::passes::cells::Cells;
use crate::passes::control::Control;
use crate::passes::labels;
use crate::passes::set::VarSet;
use crate::passes::tbr::{self, AtEnd, Tbr, Uses};
use crate::passes::values::Values;

/// The optimisations, each of which can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Activity analysis.
    pub activity: bool,
    /// To-be-recorded analysis.
    pub tbr: bool,
    /// Recomputation of cheap values instead of records.
    pub recomputation: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            activity: true,
            tbr: true,
            recomputation: true,
        }
    }
}

/// Plans the reversal of a function with the temporaries of [`crate::passes::temporaries`];
/// `statements` is the number of its statement ids.
pub fn plan(func: &Func, boundary: &Boundary, statements: usize, config: Config) -> Plan {
    plan_with_facts(func, boundary, statements, config).0
}

/// The same, with what the analyses found on the way.
pub fn plan_with_facts(
    func: &Func,
    boundary: &Boundary,
    statements: usize,
    config: Config,
) -> (Plan, Facts) {
    let activity = activity(func, boundary, statements, config.activity);
    let mut func = func.clone();
    let adjoint = declare_adjoints(&mut func, &activity);
    let mut primal = func.body.clone();
    let interface = interface(&func, boundary);
    let kept = (&adjoint, &interface[..]);
    let local = adjoints_of(&mut func, &primal, &activity, kept, statements);
    let cells = Cells::of_whole_arrays(&func);
    let uses = all_uses(&func, &cells, &primal, &local, statements);
    let shaped: VarSet = adjoint
        .keys()
        .copied()
        .filter(|v| !func.var(*v).ty.is_fixed())
        .collect();
    let options = |in_out| tbr::Options {
        tbr: config.tbr,
        recomputation: config.recomputation,
        in_out,
    };
    let control = match config.recomputation {
        true => Control::of(&func),
        false => Control::default(),
    };
    let (mut own, mut for_caller) = (
        tbr::tbr(&func, &cells, &uses, &shaped, &control, options(false)),
        tbr::tbr(&func, &cells, &uses, &shaped, &control, options(true)),
    );
    let values = labels::settle(&mut func, &mut own, &mut for_caller);
    primal.clone_from(&func.body);
    let mut build = Build {
        records: Vec::new(),
        keys: HashMap::new(),
        local,
        uses,
        own,
        for_caller,
        values,
        trips: control.trips,
        adjoint: adjoint.clone(),
        interface,
        calls: BTreeMap::new(),
        func,
    };
    let reverse = build.reverse_function(&primal);
    let forward = build.forward_function(&primal);
    let restores = build.restored_parameters(&reverse);
    let mut plan = Plan {
        func: build.func,
        forward,
        reverse,
        records: build.records,
        adjoint,
        restores,
        interface: build.interface,
        calls: build.calls,
        made_for: BTreeMap::new(),
    };
    super::demand::settle(&mut plan, config.tbr);
    super::frames::assign(&mut plan);
    let (uses, own, for_caller) = (build.uses, build.own, build.for_caller);
    (
        plan,
        Facts {
            config,
            activity,
            cells,
            uses,
            own,
            for_caller,
        },
    )
}

/// The parameters whose adjoints the caller keeps.
fn interface(func: &Func, boundary: &Boundary) -> Vec<VarId> {
    let named = |v: &VarId| boundary.independents.contains(*v) || boundary.dependents.contains(*v);
    func.params.iter().copied().filter(named).collect()
}

/// An adjoint variable for each active one.
fn declare_adjoints(func: &mut Func, activity: &Activity) -> BTreeMap<VarId, VarId> {
    let mut adjoint = BTreeMap::new();
    for v in activity.active.iter().collect::<Vec<_>>() {
        let var = func.var(v).clone();
        let mode = if var.mode == Mode::Owned {
            Mode::Owned
        } else {
            Mode::Mut
        };
        let name = format!("{}_adj", var.name);
        adjoint.insert(v, func.add_var(&name, var.ty, mode, Origin::Adjoint(v)));
    }
    adjoint
}

fn adjoints_of(
    func: &mut Func,
    primal: &Block,
    activity: &Activity,
    (adjoint, interface): (&BTreeMap<VarId, VarId>, &[VarId]),
    statements: usize,
) -> Vec<StmtAdjoint> {
    let mut local = vec![StmtAdjoint::default(); statements];
    let mut adjoints = Adjoints {
        func,
        activity,
        adjoint,
        interface,
    };
    primal.walk(&mut |s| local[s.id.index()] = adjoints.statement(s));
    local
}

fn all_uses(
    func: &Func,
    cells: &Cells,
    primal: &Block,
    local: &[StmtAdjoint],
    statements: usize,
) -> Vec<Uses> {
    let mut all = vec![Uses::default(); statements];
    let here = |stmt: &Stmt| uses(func, cells, stmt, &local[stmt.id.index()]);
    let label = |v: VarId| func.var(v).origin == Origin::Label;
    note_uses(primal, &here, &label, &mut all);
    all
}

/// Whether anything in the block has to be done in the reverse sweep.
fn note_uses(
    block: &Block,
    uses: &dyn Fn(&Stmt) -> Uses,
    label: &dyn Fn(VarId) -> bool,
    all: &mut [Uses],
) -> bool {
    let mut any = false;
    for stmt in &block.stmts {
        let mut here = uses(stmt);
        for inner in stmt.blocks() {
            here.any |= note_uses(inner, uses, label, all);
        }
        // A write may have to be undone; labels go along with the branches that they tell.
        any |= here.any || stmt.written().iter().any(|p| !label(p.root));
        all[stmt.id.index()] = here;
    }
    any
}

/// What a record is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    /// The value that the n-th written place of a statement held.
    Overwritten(StmtId, usize),
    /// The last value of a local.
    Last(VarId),
    /// The way that a branch took.
    Way(StmtId),
    /// How often a loop ran.
    Count(StmtId),
}

struct Build {
    func: Func,
    records: Vec<Record>,
    keys: HashMap<Key, RecordId>,
    local: Vec<StmtAdjoint>,
    uses: Vec<Uses>,
    own: Tbr,
    for_caller: Tbr,
    values: Values,
    /// The trip count of a loop, where that can be computed again.
    trips: BTreeMap<StmtId, Expr>,
    adjoint: BTreeMap<VarId, VarId>,
    interface: Vec<VarId>,
    calls: BTreeMap<StmtId, Site>,
}

impl Build {
    fn record(&mut self, key: Key, kind: RecordKind, of: StmtId) -> RecordId {
        let id = RecordId(self.records.len() as u32);
        self.records.push(Record {
            kind,
            storage: Storage::Stack,
            of,
            demand: Demand::NEVER,
        });
        self.keys.insert(key, id);
        id
    }

    /// Whether the statement's n-th overwritten value is recorded, for whatever caller.
    fn recorded(&self, id: StmtId, n: usize) -> bool {
        [&self.own, &self.for_caller]
            .iter()
            .any(|tbr| tbr.recorded.get(&(id, n)).is_some_and(|r| *r))
    }

    fn at_end(&self, v: VarId) -> Option<AtEnd> {
        let by = |tbr: &Tbr| tbr.at_end.get(&v).copied().flatten();
        by(&self.own).or(by(&self.for_caller))
    }

    /// The literal that the statement overwrites and the reverse sweep requires.
    fn constant(&self, id: StmtId) -> Option<&Expr> {
        let required = self.own.constants.contains(&id) || self.for_caller.constants.contains(&id);
        self.values.overwritten.get(&id).filter(|_| required)
    }

    /// The kind of a record of a place of this variable.
    fn kind_of(&self, v: VarId, ty: &Ty) -> RecordKind {
        match self.func.var(v).origin {
            Origin::Label if *ty == Ty::Bool => RecordKind::Flag,
            Origin::Label if *ty == Ty::Int(IntTy::U8) => RecordKind::Label,
            _ => RecordKind::Value(ty.clone()),
        }
    }

    fn temp(&mut self, name: &str, ty: Ty) -> VarId {
        self.func.add_var(name, ty, Mode::Owned, Origin::Temp)
    }

    // The reverse sweep.

    fn reverse_function(&mut self, body: &Block) -> Block {
        let mut block = self.reverse_block(body);
        // What the result was, for adjoints that read it.
        if let Some(ret) = self.func.ret {
            let last = body.stmts.last().map_or(StmtId(0), |s| s.id);
            let mut head = Vec::new();
            if named(&block.stmts).contains(ret) {
                self.declare_local(ret, last, None, &mut head);
            }
            head.append(&mut block.stmts);
            block.stmts = head;
        }
        // A parameter used as work space has an adjoint of its own.
        let first = body.stmts.first().map_or(StmtId(0), |s| s.id);
        for p in self.func.params.clone() {
            if let Some(a) = self
                .adjoint
                .get(&p)
                .filter(|_| !self.interface.contains(&p))
            {
                block.stmts.insert(
                    0,
                    Stmt {
                        id: first,
                        kind: StmtKind::Let(*a, None),
                    },
                );
            }
        }
        block
    }

    /// The mirror of a block: its locals come back, then its statements are undone, last first.
    fn reverse_block(&mut self, block: &Block) -> Block {
        let mut undone = Vec::new();
        for stmt in block.stmts.iter().rev() {
            self.reverse_stmt(stmt, &mut undone);
        }
        let mut prologue = Vec::new();
        let mut recomputed = Vec::new();
        let in_undone = named(&undone);
        let mut needed = in_undone.clone();
        // What the recomputed definitions read is needed too, so the last declared come first.
        for stmt in block.stmts.iter().rev() {
            let Some(v) = stmt.declared() else { continue };
            if needed.contains(v) || self.shapes(&in_undone, v) {
                let init = match &stmt.kind {
                    StmtKind::Let(_, init) => init.clone(),
                    _ => None,
                };
                let mut local = Vec::new();
                match self.at_end(v) {
                    Some(AtEnd::Recompute) => {
                        let again = Stmt {
                            id: stmt.id,
                            kind: StmtKind::Let(v, init),
                        };
                        add_names(&again, &mut needed);
                        recomputed.push(again);
                    }
                    Some(AtEnd::Constant) => local.push(Stmt {
                        id: stmt.id,
                        kind: StmtKind::Let(v, self.values.last.get(&v).cloned()),
                    }),
                    _ => self.declare_local(v, stmt.id, init, &mut local),
                }
                prologue.extend(local);
            }
        }
        prologue.extend(recomputed.into_iter().rev());
        for stmt in &block.stmts {
            let adjoint = stmt.declared().and_then(|v| self.adjoint.get(&v).copied());
            if let Some(a) = adjoint.filter(|a| in_undone.contains(*a)) {
                prologue.push(Stmt {
                    id: stmt.id,
                    kind: StmtKind::Let(a, None),
                });
            }
        }
        prologue.extend(undone);
        Block::new(prologue)
    }

    /// A local of the primal in the mirrored scope, with its last value where that is needed.
    fn declare_local(&mut self, v: VarId, id: StmtId, init: Option<Expr>, out: &mut Vec<Stmt>) {
        match self.at_end(v) {
            Some(AtEnd::Record) => {
                let kind = self.kind_of(v, &self.func.var(v).ty);
                let record = self.record(Key::Last(v), kind, id);
                out.push(Stmt {
                    id,
                    kind: StmtKind::Let(v, None),
                });
                let place = self.func.place(v);
                out.push(Stmt {
                    id,
                    kind: StmtKind::Restore(record, place),
                });
            }
            // It is only written to, or its shape is what matters.
            _ => {
                let blank = init.filter(is_constant).or_else(|| self.blank(v));
                out.push(Stmt {
                    id,
                    kind: StmtKind::Let(v, blank),
                });
            }
        }
    }

    /// What a tuple starts from that comes back part by part.
    fn blank(&self, v: VarId) -> Option<Expr> {
        let ty = &self.func.var(v).ty;
        matches!(ty, Ty::Tuple(_)).then(|| zero(ty)).flatten()
    }

    /// Whether an adjoint that is made in the shape of the variable is among these.
    fn shapes(&self, names: &VarSet, v: VarId) -> bool {
        let adjoint = self
            .adjoint
            .get(&v)
            .filter(|_| !self.func.var(v).ty.is_fixed());
        adjoint.is_some_and(|a| names.contains(*a))
    }

    fn reverse_stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        match &stmt.kind {
            StmtKind::If(test, then, els) => self.reverse_if(stmt.id, test, then, els, out),
            StmtKind::Loop(head, body) => self.reverse_loop(stmt.id, head, body, out),
            StmtKind::Swap(..) => {
                if self.recorded(stmt.id, 0) {
                    out.push(stmt.clone());
                }
                let adjoint = self.local[stmt.id.index()].clone();
                when(stmt.id, adjoint.demand, adjoint.code, out);
            }
            StmtKind::Insert(..) | StmtKind::Remove(..) => self.reverse_resize(stmt, out),
            _ => self.reverse_simple(stmt, out),
        }
    }

    /// What was put in comes out before its adjoint reads what was there; what was taken out is put
    /// back.
    fn reverse_resize(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        if self.recorded(stmt.id, 0) {
            out.extend(opposite(stmt, |v| self.func.place(v)));
        }
        let adjoint = self.local[stmt.id.index()].clone();
        when(stmt.id, adjoint.demand, adjoint.code, out);
    }

    fn reverse_simple(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let id = stmt.id;
        let adjoint = self.local[id.index()].clone();
        let is_active_call = matches!(stmt.kind, StmtKind::Call(_))
            && self.uses[id.index()].any
            && has_reverse(&adjoint);
        if is_active_call {
            self.calls.extend(adjoint.site.map(|site| (id, site)));
        }
        let mut restores = Vec::new();
        let written = if is_active_call {
            Vec::new()
        } else {
            stmt.written()
        };
        for (n, place) in written.into_iter().enumerate().rev() {
            if let Some(old) = self.constant(id) {
                let kind = StmtKind::Assign(place.clone(), old.clone());
                restores.push(Stmt { id, kind });
                continue;
            }
            if !self.recorded(id, n) {
                continue;
            }
            let kind = self.kind_of(place.root, &place.ty);
            let record = self.record(Key::Overwritten(id, n), kind, id);
            restores.push(Stmt {
                id,
                kind: StmtKind::Restore(record, place.clone()),
            });
        }
        out.extend(adjoint.before);
        if adjoint.overlaps {
            out.extend(restores);
            when(id, adjoint.demand, adjoint.code, out);
        } else {
            when(id, adjoint.demand, adjoint.code, out);
            out.extend(restores);
        }
        when(id, adjoint.demand, adjoint.after, out);
    }

    /// `[CFR]` Algorithm 3. The way is recorded where the arms merge, unless the condition still
    /// holds.
    fn reverse_if(
        &mut self,
        id: StmtId,
        test: &Expr,
        then: &Block,
        els: &Block,
        out: &mut Vec<Stmt>,
    ) {
        let (then, els) = (self.reverse_block(then), self.reverse_block(els));
        if then.is_empty() && els.is_empty() {
            return;
        }
        let recomputed = self.own.recomputed_tests.get(&id).copied().unwrap_or(false);
        let teller = self.own.implied.get(&id);
        let implied = teller.and_then(|by| self.values.test(id, *by)).cloned();
        let test = match implied.or(recomputed.then(|| test.clone())) {
            Some(test) => test,
            None => {
                let record = self.record(Key::Way(id), RecordKind::Flag, id);
                let way = self.temp("way", Ty::Bool);
                out.push(Stmt {
                    id,
                    kind: StmtKind::RestoreWay(record, way),
                });
                Expr::Read(self.func.place(way))
            }
        };
        out.push(Stmt {
            id,
            kind: StmtKind::If(test, then, els),
        });
    }

    /// `[CFR]` Algorithm 4. A counted loop that ends by its bounds needs no counter.
    fn reverse_loop(&mut self, id: StmtId, head: &LoopHead, body: &Block, out: &mut Vec<Stmt>) {
        let leaves = has_break(body);
        let body = self.reverse_block(body);
        if body.is_empty() {
            return;
        }
        let head = match head {
            LoopHead::Counted(v, range) if !leaves => LoopHead::Reversed(*v, range.clone()),
            _ if self.own.recomputed_trips.contains(&id) => {
                let trips = self.temp("trips", Ty::USIZE);
                let count = self.trips.get(&id).cloned();
                let kind = StmtKind::Let(trips, count);
                out.push(Stmt { id, kind });
                LoopHead::Times(trips)
            }
            head => {
                let record = self.record(Key::Count(id), RecordKind::Count, id);
                let trips = self.temp("trips", Ty::USIZE);
                out.push(Stmt {
                    id,
                    kind: StmtKind::RestoreWay(record, trips),
                });
                match head {
                    LoopHead::Counted(v, range) => LoopHead::ReversedFrom(*v, range.clone(), trips),
                    _ => LoopHead::Times(trips),
                }
            }
        };
        out.push(Stmt {
            id,
            kind: StmtKind::Loop(head, body),
        });
    }

    // The forward sweep.

    fn forward_function(&mut self, body: &Block) -> Block {
        let mut block = self.forward_block(body, &[]);
        if let Some(record) = self
            .func
            .ret
            .and_then(|r| self.keys.get(&Key::Last(r)).copied())
        {
            let (id, ret) = (self.records[record.index()].of, self.func.ret);
            let place = ret.map(|r| self.func.place(r));
            block.stmts.extend(place.map(|p| Stmt {
                id,
                kind: StmtKind::Record(record, p),
            }));
        }
        block
    }

    /// The block with its records. `leaving` is what a `break` has to record besides: the ends of
    /// the blocks around this one.
    fn forward_block(&mut self, block: &Block, leaving: &[Stmt]) -> Block {
        let mut end = self.last_values(block);
        let mut beyond = end.clone();
        beyond.extend(leaving.iter().cloned());
        let mut out = Vec::new();
        for stmt in &block.stmts {
            if matches!(stmt.kind, StmtKind::Break) {
                out.append(&mut beyond);
                out.push(stmt.clone());
                return Block::new(out);
            }
            self.forward_stmt(stmt, &beyond, &mut out);
        }
        out.append(&mut end);
        Block::new(out)
    }

    /// The records of a block's locals, where their scope ends.
    fn last_values(&self, block: &Block) -> Vec<Stmt> {
        let declared = block
            .stmts
            .iter()
            .filter_map(|s| s.declared().map(|v| (s.id, v)));
        declared
            .filter_map(|(id, v)| {
                let record = *self.keys.get(&Key::Last(v))?;
                Some(Stmt {
                    id,
                    kind: StmtKind::Record(record, self.func.place(v)),
                })
            })
            .collect()
    }

    fn forward_stmt(&mut self, stmt: &Stmt, beyond: &[Stmt], out: &mut Vec<Stmt>) {
        let id = stmt.id;
        match &stmt.kind {
            StmtKind::If(test, then, els) => {
                let way = self.keys.get(&Key::Way(id)).copied();
                let mut arm = |b: &Block, taken: &str| {
                    let flag = Expr::Lit(taken.into(), Ty::Bool);
                    let end: Vec<Stmt> = way
                        .map(|r| Stmt {
                            id,
                            kind: StmtKind::RecordWay(r, flag),
                        })
                        .into_iter()
                        .collect();
                    let mut leaving = end.clone();
                    leaving.extend(beyond.iter().cloned());
                    let mut block = self.forward_block(b, &leaving);
                    if !ends_with_break(b) {
                        block.stmts.extend(end);
                    }
                    block
                };
                let (then, els) = (arm(then, "true"), arm(els, "false"));
                out.push(Stmt {
                    id,
                    kind: StmtKind::If(test.clone(), then, els),
                });
            }
            StmtKind::Loop(head, body) => self.forward_loop(id, head, body, out),
            StmtKind::Call(call) if has_reverse(&self.local[id.index()]) => {
                out.push(Stmt {
                    id,
                    kind: StmtKind::Forward(call.clone()),
                });
            }
            _ => {
                for (n, place) in stmt.written().into_iter().enumerate() {
                    if let Some(record) = self.keys.get(&Key::Overwritten(id, n)) {
                        out.push(Stmt {
                            id,
                            kind: StmtKind::Record(*record, place.clone()),
                        });
                    }
                }
                out.push(stmt.clone());
            }
        }
    }

    fn forward_loop(&mut self, id: StmtId, head: &LoopHead, body: &Block, out: &mut Vec<Stmt>) {
        let mut body = self.forward_block(body, &[]);
        let Some(record) = self.keys.get(&Key::Count(id)).copied() else {
            out.push(Stmt {
                id,
                kind: StmtKind::Loop(head.clone(), body),
            });
            return;
        };
        let trips = self.temp("trips", Ty::USIZE);
        let count = self.func.place(trips);
        let lit = |n: &str| Expr::Lit(n.into(), Ty::USIZE);
        out.push(Stmt {
            id,
            kind: StmtKind::Let(trips, Some(lit("0"))),
        });
        let next = Expr::Binary(
            BinOp::Add,
            Box::new(Expr::Read(count.clone())),
            Box::new(lit("1")),
        );
        body.stmts.insert(
            0,
            Stmt {
                id,
                kind: StmtKind::Assign(count.clone(), next),
            },
        );
        out.push(Stmt {
            id,
            kind: StmtKind::Loop(head.clone(), body),
        });
        out.push(Stmt {
            id,
            kind: StmtKind::RecordWay(record, Expr::Read(count)),
        });
    }

    /// The `&mut` parameters that the reverse sweep writes.
    fn restored_parameters(&self, reverse: &Block) -> Vec<VarId> {
        let mut written = Vec::new();
        reverse.walk(&mut |s| {
            written.extend(s.written().iter().map(|p| p.root));
            if let StmtKind::Reverse { call, .. } = &s.kind {
                written.extend(call.written().map(|p| p.root));
            }
        });
        let params = self.func.params.iter().copied();
        params
            .filter(|v| self.func.var(*v).mode == Mode::Mut && written.contains(v))
            .collect()
    }
}

/// The variables that the statements name, in any role.
fn named(stmts: &[Stmt]) -> VarSet {
    let mut names = VarSet::default();
    for stmt in stmts {
        add_names(stmt, &mut names);
        for inner in stmt.blocks() {
            inner.walk(&mut |s| add_names(s, &mut names));
        }
    }
    names
}

/// The same of one statement, the blocks in it aside.
fn add_names(stmt: &Stmt, names: &mut VarSet) {
    for place in stmt.own_places().into_iter().chain(stmt.adjoint_places()) {
        names.insert(place.root);
    }
    for e in stmt.operands() {
        e.walk(&mut |e| {
            for place in e.own_places() {
                names.insert(place.root);
            }
        });
    }
}

/// Code that runs for some callers.
fn when(id: StmtId, demand: Demand, code: Vec<Stmt>, out: &mut Vec<Stmt>) {
    if !code.is_empty() {
        out.push(Stmt {
            id,
            kind: StmtKind::When(demand, Block::new(code)),
        });
    }
}

/// Whether the adjoint of a call runs the callee's reverse sweep.
fn has_reverse(adjoint: &StmtAdjoint) -> bool {
    adjoint
        .code
        .iter()
        .any(|s| matches!(s.kind, StmtKind::Reverse { .. }))
}

/// Whether a loop body leaves its loop by a `break`.
fn has_break(body: &Block) -> bool {
    body.stmts.iter().any(|s| match &s.kind {
        StmtKind::Break => true,
        StmtKind::If(_, a, b) => has_break(a) || has_break(b),
        _ => false,
    })
}

/// Whether each way through the block ends with a `break`.
fn ends_with_break(block: &Block) -> bool {
    match block.stmts.last().map(|s| &s.kind) {
        Some(StmtKind::Break) => true,
        Some(StmtKind::If(_, a, b)) => ends_with_break(a) && ends_with_break(b),
        _ => false,
    }
}

/// Zeros of a type whose shape is known.
fn zero(ty: &Ty) -> Option<Expr> {
    match ty {
        Ty::Float(_) => Some(Expr::Lit("0.0".into(), ty.clone())),
        Ty::Int(_) => Some(Expr::Lit("0".into(), ty.clone())),
        Ty::Bool => Some(Expr::Lit("false".into(), ty.clone())),
        Ty::Array(t, extent) => {
            let extent = Expr::Lit(extent.clone(), Ty::USIZE);
            Some(Expr::Repeat(
                Box::new(zero(t)?),
                Box::new(extent),
                ty.clone(),
            ))
        }
        Ty::Tuple(ts) => {
            let parts: Option<Vec<Expr>> = ts.iter().map(zero).collect();
            Some(Expr::Aggregate(parts?, ty.clone()))
        }
        _ => None,
    }
}

fn is_constant(e: &Expr) -> bool {
    let mut constant = true;
    e.walk(&mut |e| constant &= e.own_places().is_empty());
    constant
}
