//! Builds the plan from the facts: writes both sweeps.
//!
//! The reverse sweep is written first, block by block, each the mirror of its primal block. It requests the records
//! that it needs, and the forward sweep then makes exactly these. So records and restores pair up by construction, and
//! unneeded values are not recorded.
//!
//! Control flow is reversed as in `[CFR]` Algorithms 3 (branches: a label pushed where the ways
//! merge) and 4 (loops: a trip counter), except where a condition or a trip count can be computed
//! again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::facts::Facts;
use super::first_assignment::{assigned_before_loops, first_assignments};
use super::preaccumulation::Preaccumulation;
use super::statement::{Adjoints, StmtAdjoint, uses};
use super::{CallSite, Plan, Record, RecordKind, Storage, flattening, fusion, moved};
use crate::ir::{
    Block, Demand, Expr, Func, IntTy, Mode, Origin, RecordId, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::passes::activity::excluded::depends_except_work_space;
use crate::passes::activity::{Activity, Boundary, activity};
use crate::passes::checkpoint::{Callees, LoopStates, effects_of, loop_states};
use crate::passes::control::Control;
use crate::passes::control::literals::LiteralValues;
use crate::passes::rewrite::{self, labels};
use crate::passes::sets::cells::Cells;
use crate::passes::sets::set::{Set, VarSet};
use crate::passes::tbr::{self, LocalRestore, Tbr, Uses};

mod checkpointed;
mod forward;
mod reverse;
mod saved;

/// The optimisations, each of which can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Activity analysis and diff-liveness.
    pub activity: bool,
    /// To-be-recorded analysis.
    pub tbr: bool,
    /// Recomputation of cheap values instead of records.
    pub recomputation: bool,
    /// Inversion of integers instead of records.
    pub inversion: bool,
    /// Simplification of adjoint code.
    pub simplification: bool,
    /// Loop-invariant code motion, before the plan.
    pub motion: bool,
    /// Distribution of reversed loops.
    pub distribution: bool,
    /// Inlined calls, unrolled loops, and scalars in the place of small arrays.
    pub flattening: bool,
    /// Preaccumulated gradients, and local Jacobians in `f_jacobian`.
    pub preaccumulation: Preaccumulation,
    /// Fusion of the sweeps for users' calls, and how many iterations of a fused loop run at most before they are reversed
    /// ([`super::fusion`]).
    pub fusion: Option<usize>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            activity: true,
            tbr: true,
            recomputation: true,
            inversion: true,
            simplification: true,
            motion: true,
            distribution: true,
            flattening: true,
            preaccumulation: Preaccumulation::WherePaying,
            fusion: Some(fusion::LONGEST_STRIP),
        }
    }
}

impl Config {
    /// The passes that rewrite the function first.
    pub fn rewriting(self) -> rewrite::Options {
        rewrite::Options {
            motion: self.motion,
            inversion: self.inversion,
        }
    }
}

/// Plans the reversal of a function with the temporaries of [`crate::passes::rewrite::temporaries`];
/// `statements` is the number of its statement ids.
pub fn plan(func: &Func, boundary: &Boundary, statements: usize, config: Config) -> Plan {
    plan_with_facts(func, boundary, statements, config).0
}

/// The same, with the results of the analyses.
pub fn plan_with_facts(
    func: &Func,
    boundary: &Boundary,
    statements: usize,
    config: Config,
) -> (Plan, Facts) {
    flattening::plan_with_facts(func, boundary, statements, config)
}

/// The same without flattening and preaccumulation.
pub(super) fn plan_as_it_is(
    func: &Func,
    boundary: &Boundary,
    statements: usize,
    config: Config,
) -> (Plan, Facts) {
    // The loops that contain nothing to be reversed.
    let mut idle: BTreeSet<StmtId> = BTreeSet::new();
    loop {
        let (mut plan, facts) = plan_once((func, boundary), statements, config, &idle);
        let found = idle_loops(&plan, &facts);
        if found.is_empty() {
            if let Some(longest_strip) = config.fusion {
                plan.fused = fusion::fuse(&plan, longest_strip).map(Rc::new);
            }
            return (plan, facts);
        }
        idle.extend(found);
    }
}

/// The loops that record the iteration that left them, though they contain nothing to be reversed.
fn idle_loops(plan: &Plan, facts: &Facts) -> Vec<StmtId> {
    let mut recorded = VarSet::default();
    plan.forward.walk(&mut |s| {
        if let StmtKind::Record(_, place) = &s.kind {
            recorded.insert(place.root);
        }
    });
    let mut idle = facts.own.exit_iteration.clone();
    idle.retain(|_, left| recorded.contains(*left));
    plan.reverse.walk(&mut |s| {
        if matches!(s.kind, StmtKind::Loop(..)) {
            idle.remove(&s.id);
        }
    });
    idle.into_keys().collect()
}

fn plan_once(
    (func, boundary): (&Func, &Boundary),
    statements: usize,
    config: Config,
    idle: &BTreeSet<StmtId>,
) -> (Plan, Facts) {
    let activity = activity(func, boundary, statements, config.activity);
    let original = func.clone();
    let primal = &original.body;
    let mut func = original.clone();
    let adjoint = declare_adjoints(&mut func, &activity);
    let interface = interface(&func, boundary);
    let kept = (&adjoint, &interface[..]);
    let moved = match config.simplification {
        true => moved::moved(&func),
        false => BTreeMap::new(),
    };
    let first = (&first_assignments(&func), &moved);
    let local = adjoints_of(
        &mut func,
        primal,
        (&activity, boundary),
        kept,
        first,
        statements,
    );
    let effects = effects_of(&boundary.summaries);
    let mut cells = Cells::of_whole_arrays(&func);
    primal.walk(&mut |s| {
        let places = Callees::new(&func, &effects).places_of_callee(s);
        places.iter().for_each(|p| cells.name(p));
    });
    let mut control = match config.recomputation {
        true => Control::of(&func),
        false => Control::default(),
    };
    control.idle_loops.clone_from(idle);
    control.loop_states = loop_states(Callees::new(&func, &effects));
    let tells = |v: VarId| func.var(v).origin == Origin::Label || control.values.cheap.contains(v);
    let uses = all_uses(
        (&func, boundary),
        &cells,
        (primal, &local),
        &tells,
        statements,
    );
    let shaped = shaped(&func, &adjoint, &moved_back(&func, &local));
    let options = tbr::TbrOptions {
        tbr: config.tbr,
        recomputation: config.recomputation,
        inversion: config.inversion,
    };
    let (mut own, mut for_caller) = tbr::tbr(&func, &cells, &uses, &shaped, &control, options);
    let values = labels::finalize_labels(&mut func, &mut own, &mut for_caller);
    let primal = func.body.clone();
    let mut build = Build {
        records: Vec::new(),
        keys: HashMap::new(),
        local,
        uses,
        own,
        for_caller,
        values,
        trips: control.trips,
        loop_states: loop_states(Callees::new(&func, &effects)),
        assigned: assigned_before_loops(&func),
        adjoint: adjoint.clone(),
        interface,
        calls: BTreeMap::new(),
        reversed_calls: BTreeSet::new(),
        func,
    };
    let reverse = build.reverse_function(&primal);
    let forward = build.forward_function(&primal);
    let restores = build.restored_parameters(&reverse);
    let overwriting = build.overwriting_calls();
    let depends = match boundary.is_whole(&build.func) {
        true => activity.depends.clone(),
        false => depends_except_work_space(&build.func, boundary),
    };
    let mut plan = Plan {
        func: build.func,
        forward,
        reverse,
        records: build.records,
        adjoint,
        restores,
        interface: build.interface,
        calls: build.calls,
        var_demands: BTreeMap::new(),
        callee_facts: Vec::new(),
        reads: Vec::new(),
        depends,
        effects,
        states_effect: boundary.states_effect,
        links: activity.links.clone(),
        fused: None,
    };
    super::demand::compute_demands(&mut plan, boundary, overwriting, config.tbr);
    if config.activity {
        super::liveness::prune(&mut plan);
    }
    super::frames::assign(&mut plan);
    if config.simplification {
        super::simplify::simplify(&mut plan);
    }
    if config.distribution {
        super::distribute::distribute(&mut plan);
    }
    if config.simplification {
        super::early_exit::exit_early(&mut plan);
    }
    let (uses, own, for_caller) = (build.uses, build.own, build.for_caller);
    (
        plan,
        Facts {
            config,
            func: original,
            statements,
            origins: (0..statements as u32).map(StmtId).collect(),
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

/// The locals whose adjoints are declared with those of other variables.
fn moved_back(func: &Func, local: &[StmtAdjoint]) -> VarSet {
    let declared = local.iter().flat_map(|adjoint| &adjoint.before);
    let origins = declared.filter_map(|s| Some(func.var(s.declared()?).origin));
    let moved = origins.filter_map(|origin| match origin {
        Origin::Adjoint(of) => Some(of),
        _ => None,
    });
    moved.collect()
}

/// The variables whose shapes adjoints take, including results without an adjoint of their own: a seed of unknown type
/// is created with the shape of the result.
fn shaped(func: &Func, adjoint: &BTreeMap<VarId, VarId>, moved_back: &VarSet) -> VarSet {
    let seeded = func.var_ids().filter_map(|v| match func.var(v).origin {
        Origin::Adjoint(of) if !func.var(v).ty.has_initial_value() => Some(of),
        _ => None,
    });
    let all = adjoint.keys().copied().chain(seeded);
    all.filter(|v| !func.var(*v).ty.has_static_shape() && !moved_back.contains(*v))
        .collect()
}

fn adjoints_of(
    func: &mut Func,
    primal: &Block,
    (activity, boundary): (&Activity, &Boundary),
    (adjoint, interface): (&BTreeMap<VarId, VarId>, &[VarId]),
    (first, moved): (&Set<StmtId>, &BTreeMap<StmtId, VarId>),
    statements: usize,
) -> Vec<StmtAdjoint> {
    let mut local: Vec<StmtAdjoint> = Vec::new();
    local.resize_with(statements, StmtAdjoint::default);
    let mut adjoints = Adjoints {
        func,
        activity,
        boundary,
        adjoint,
        interface,
        first,
        moved,
    };
    primal.walk(&mut |s| local[s.id.index()] = adjoints.statement(s));
    local
}

fn all_uses(
    (func, boundary): (&Func, &Boundary),
    cells: &Cells,
    (primal, local): (&Block, &[StmtAdjoint]),
    tells: &dyn Fn(VarId) -> bool,
    statements: usize,
) -> Vec<Uses> {
    let mut all = vec![Uses::default(); statements];
    let here = |stmt: &Stmt| uses((func, boundary), cells, stmt, &local[stmt.id.index()]);
    note_uses(primal, &here, tells, &mut all);
    all
}

/// Whether anything in the block has to be reversed.
fn note_uses(
    block: &Block,
    uses: &dyn Fn(&Stmt) -> Uses,
    tells: &dyn Fn(VarId) -> bool,
    all: &mut [Uses],
) -> bool {
    let mut any = false;
    for stmt in &block.stmts {
        let mut here = uses(stmt);
        for inner in stmt.blocks() {
            here.any |= note_uses(inner, uses, tells, all);
        }
        // A write may have to be undone; labels and flags are handled with the branches that they imply.
        any |= here.any || stmt.written().iter().any(|p| !tells(p.root));
        all[stmt.id.index()] = here;
    }
    any
}

/// The purpose of a record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum RecordPurpose {
    /// The value that the n-th written place of a statement held.
    Overwritten(StmtId, usize),
    /// The last value of a local.
    Last(VarId),
    /// The length of a local.
    Length(VarId),
    /// The way that a branch took.
    Way(StmtId),
    /// How often a loop ran.
    Count(StmtId),
    /// The n-th place in the snapshots of a checkpointed loop.
    Snapshot(StmtId, usize),
    /// The n-th place in front of a checkpointed loop.
    Saved(StmtId, usize),
}

struct Build {
    func: Func,
    records: Vec<Record>,
    keys: HashMap<RecordPurpose, RecordId>,
    local: Vec<StmtAdjoint>,
    uses: Vec<Uses>,
    own: Tbr,
    for_caller: Tbr,
    values: LiteralValues,
    /// The trip count of a loop, where that can be computed again.
    trips: BTreeMap<StmtId, Expr>,
    /// The states of the checkpointed loops.
    loop_states: LoopStates,
    /// What may have a value where each loop starts.
    assigned: BTreeMap<StmtId, VarSet>,
    adjoint: BTreeMap<VarId, VarId>,
    interface: Vec<VarId>,
    calls: BTreeMap<StmtId, CallSite>,
    /// The calls whose callees have a reverse sweep.
    reversed_calls: BTreeSet<StmtId>,
}

impl Build {
    fn record(&mut self, key: RecordPurpose, kind: RecordKind, of: StmtId) -> RecordId {
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

    /// Whether the statement's n-th overwritten value is recorded for any caller.
    fn recorded(&self, id: StmtId, n: usize) -> bool {
        [&self.own, &self.for_caller]
            .iter()
            .any(|tbr| tbr.recorded.get(&(id, n)).is_some_and(|r| *r))
    }

    /// The calls that overwrite values which are required for any caller.
    fn overwriting_calls(&self) -> BTreeSet<StmtId> {
        let recorded = [&self.own, &self.for_caller].into_iter();
        let recorded = recorded.flat_map(|tbr| tbr.recorded.iter().filter(|(_, r)| **r));
        let stmts = recorded.map(|((id, _), _)| *id);
        stmts
            .filter(|id| self.reversed_calls.contains(id))
            .collect()
    }

    fn at_end(&self, v: VarId) -> Option<LocalRestore> {
        tbr::at_end([&self.own, &self.for_caller], v)
    }

    /// The literal that the statement overwrites and the reverse sweep requires.
    fn constant(&self, id: StmtId) -> Option<&Expr> {
        let required = self.own.constants.contains(&id) || self.for_caller.constants.contains(&id);
        self.values.overwritten.get(&id).filter(|_| required)
    }

    /// What the integer that the statement overwrites was, where that follows from what is held behind it.
    fn inverse(&self, id: StmtId) -> Option<&Expr> {
        self.own
            .inverted
            .get(&id)
            .or(self.for_caller.inverted.get(&id))
    }

    /// The kind of a record of a place of this variable.
    fn kind_of(&self, v: VarId, ty: &Ty) -> RecordKind {
        match self.func.var(v).origin {
            Origin::Label if *ty == Ty::Bool => RecordKind::Flag,
            Origin::Label if *ty == Ty::USIZE => RecordKind::Count,
            _ => match self.values.greatest.get(&v) {
                Some(greatest) if *ty == Ty::Int(IntTy::U8) => {
                    RecordKind::Label(u8::BITS - greatest.max(&1).leading_zeros())
                }
                _ => RecordKind::Value(ty.clone()),
            },
        }
    }

    fn temp(&mut self, name: &str, ty: Ty) -> VarId {
        self.func.add_var(name, ty, Mode::Owned, Origin::Temp)
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
            .filter(|v| !self.func.var(*v).ty.is_state())
            .collect()
    }
}

/// Whether the adjoint of a call runs the callee's reverse sweep.
fn has_reverse(adjoint: &StmtAdjoint) -> bool {
    adjoint
        .code
        .iter()
        .any(|s| matches!(s.kind, StmtKind::Reverse { .. }))
}

/// Zeros of a type whose shape is known.
pub(super) fn zero(ty: &Ty) -> Option<Expr> {
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
