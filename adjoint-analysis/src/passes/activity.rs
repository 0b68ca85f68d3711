//! Activity analysis: `[TBR]` §4, Figures 2–5.
//!
//! **Problem.** An adjoint statement is needed only where a value depends on an independent and
//! influences a dependent, both in a differentiable way.
//!
//! **Sets.** `varied` at a point: variables whose value may depend on an independent. `useful` at
//! a point: variables whose value may influence a dependent. `active` = varied ∩ useful. All are may-sets
//! over whole variables: ⊥ = ∅, join = ∪. `varied` flows forward from the independents, `useful` backward
//! from the dependents; a loop is iterated to the local fixpoint, which terminates as the sets grow.
//!
//! **Equations**, for `v = e` with `Dep(e)` the variables that `e` depends on differentiably:
//!
//! ```text
//! varied_out = varied_in \ {v if killed} ∪ {v if Dep(e) ∩ varied_in ≠ ∅}
//! useful_in  = useful_out \ {v if killed} ∪ (Dep(e) if v ∈ useful_out)
//! ```
//!
//! An assignment kills `v` if it writes all of it.
//!
//! DIVERGENCE `[TBR]`: `Dep` is not synthesised as a matrix per structure and composed; the two
//! flows run over the statements themselves, because one function at a time is small. A call makes
//! each output depend on each input.

use super::set::VarSet;
use crate::ir::{Arg, Block, Call, Expr, Func, LoopHead, Place, Stmt, StmtId, StmtKind, VarId};
use crate::rules::{self, Partial};

/// The result: the sets at each statement, by statement id.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// Varied just before the statement.
    pub varied_in: Vec<VarSet>,
    /// Varied just after the statement.
    pub varied_out: Vec<VarSet>,
    /// Useful just before the statement.
    pub useful_in: Vec<VarSet>,
    /// Useful just after the statement.
    pub useful_out: Vec<VarSet>,
    /// Active anywhere: these variables have adjoints.
    pub active: VarSet,
    /// Functions whose floats are taken as constants.
    pub inactive: Vec<String>,
}

/// What the analysis starts from.
#[derive(Clone, Debug, Default)]
pub struct Boundary {
    /// The independents.
    pub independents: VarSet,
    /// The dependents.
    pub dependents: VarSet,
    /// Functions whose floats are taken as constants, by the path that calls them.
    pub inactive: Vec<String>,
}

/// Runs the analysis; without `enabled`, every real is active from its first value on.
pub fn activity(func: &Func, boundary: &Boundary, statements: usize, enabled: bool) -> Activity {
    let sets = || vec![VarSet::default(); statements];
    let mut result = Activity {
        varied_in: sets(),
        varied_out: sets(),
        useful_in: sets(),
        useful_out: sets(),
        active: VarSet::default(),
        inactive: Vec::new(),
    };
    let reals = |v: &VarId| func.var(*v).ty.carries_floats();
    let mut varied: VarSet = match enabled {
        true => boundary.independents.clone(),
        false => func.params.iter().copied().filter(reals).collect(),
    };
    let inactive = &boundary.inactive;
    Varied { func, inactive, result: &mut result, all: !enabled }.block(&func.body, &mut varied);
    if enabled {
        let mut useful = boundary.dependents.clone();
        let outside = VarSet::default();
        Useful { func, inactive, result: &mut result }.block(&func.body, &mut useful, &outside);
    } else {
        let reals: VarSet = func.var_ids().filter(reals).collect();
        func.body.walk(&mut |s| {
            for sets in [&mut result.useful_in, &mut result.useful_out] {
                sets[s.id.index()] = reals.clone();
            }
        });
    }
    result.inactive = boundary.inactive.clone();
    result.active = active_anywhere(func, &result);
    result.active.union(&boundary.independents);
    result.active.union(&boundary.dependents);
    result
}

impl Activity {
    /// Whether what the statement writes at `v` is active.
    pub fn writes_active(&self, id: StmtId, v: VarId) -> bool {
        self.varied_out[id.index()].contains(v) && self.useful_out[id.index()].contains(v)
    }

    /// Whether the value of `v` that the statement reads can carry a derivative.
    pub fn reads_active(&self, id: StmtId, v: VarId) -> bool {
        self.varied_in[id.index()].contains(v) && self.active.contains(v)
    }

    /// Whether a call has an adjoint: something varied goes in and something useful comes out.
    pub fn call_is_active(&self, id: StmtId, call: &Call) -> bool {
        !self.inactive.contains(&call.callee.name)
            && outputs(call).iter().any(|v| self.writes_active(id, *v))
    }
}

fn active_anywhere(func: &Func, result: &Activity) -> VarSet {
    let mut active = VarSet::default();
    func.body.walk(&mut |s| {
        let i = s.id.index();
        for v in result.varied_out[i].iter().filter(|v| result.useful_out[i].contains(*v)) {
            active.insert(v);
        }
        for v in result.varied_in[i].iter().filter(|v| result.useful_in[i].contains(*v)) {
            active.insert(v);
        }
        // Swapped variables carry each other's values, so both or none have adjoints.
        if let StmtKind::Swap(a, b) = &s.kind {
            if active.contains(a.root) || active.contains(b.root) {
                active.extend([a.root, b.root]);
            }
        }
    });
    active.iter().filter(|v| func.var(*v).ty.carries_floats()).collect()
}

/// `Dep(e)`: the variables that the value depends on in a differentiable way.
pub fn dependencies(e: &Expr, func: &Func) -> VarSet {
    let mut set = VarSet::default();
    collect(e, func, &mut set);
    set
}

fn collect(e: &Expr, func: &Func, set: &mut VarSet) {
    match e {
        Expr::Read(p) if p.ty.carries_floats() => {
            set.insert(p.root);
        }
        Expr::Unary(_, a) if a.ty(func).carries_floats() => collect(a, func, set),
        Expr::Cast(a, ty) if ty.carries_floats() && a.ty(func).carries_floats() => {
            collect(a, func, set);
        }
        Expr::Binary(op, a, b) if rules::binary(*op).is_some() && a.ty(func).carries_floats() => {
            collect(a, func, set);
            collect(b, func, set);
        }
        Expr::Intrinsic(op, args) => {
            for (arg, partial) in args.iter().zip(rules::intrinsic(*op)) {
                if *partial != Partial::Zero {
                    collect(arg, func, set);
                }
            }
        }
        Expr::Aggregate(parts, _) => parts.iter().for_each(|p| collect(p, func, set)),
        Expr::Variant(_, fields, _) => fields.iter().for_each(|(_, e)| collect(e, func, set)),
        Expr::Repeat(value, ..) => collect(value, func, set),
        _ => {}
    }
}

/// The variables that a call can write: its result and its `&mut` arguments that carry floats.
pub fn outputs(call: &Call) -> Vec<VarId> {
    let written = call.written().filter(|p| p.ty.carries_floats()).map(|p| p.root);
    call.result.into_iter().chain(written).collect()
}

/// The variables whose reals a call can read.
pub fn inputs(call: &Call, func: &Func) -> VarSet {
    let mut set = VarSet::default();
    for arg in &call.args {
        match arg {
            Arg::Value(e) => {
                set.union(&dependencies(e, func));
            }
            Arg::Shared(p) | Arg::Mut(p) if p.ty.carries_floats() => {
                set.insert(p.root);
            }
            _ => {}
        }
    }
    set
}

fn intersects(a: &VarSet, b: &VarSet) -> bool {
    a.iter().any(|v| b.contains(v))
}

/// The forward flow.
struct Varied<'a> {
    func: &'a Func,
    inactive: &'a [String],
    result: &'a mut Activity,
    /// Whether every real that is written counts as varied.
    all: bool,
}

impl Varied<'_> {
    fn block(&mut self, block: &Block, state: &mut VarSet) {
        for stmt in &block.stmts {
            self.result.varied_in[stmt.id.index()].union(state);
            self.stmt(stmt, state);
            self.result.varied_out[stmt.id.index()].union(state);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, state: &mut VarSet) {
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => self.write(&self.func.place(*v), e, state),
            StmtKind::Let(v, None) => state.remove(*v),
            StmtKind::Assign(p, e) => self.write(p, e, state),
            StmtKind::Incr(p, e) => {
                if self.all || intersects(&dependencies(e, self.func), state) {
                    state.insert(p.root);
                }
            }
            StmtKind::Swap(a, b) => {
                let (was_a, was_b) = (state.contains(a.root), state.contains(b.root));
                transfer_varied(state, a, was_b);
                transfer_varied(state, b, was_a);
            }
            StmtKind::Call(call) if self.inactive.contains(&call.callee.name) => {
                for v in outputs(call) {
                    // What it fills is constant; what it may leave alone is not.
                    if call.result == Some(v) {
                        state.remove(v);
                    }
                }
            }
            StmtKind::Call(call) => {
                if self.all || intersects(&inputs(call, self.func), state) {
                    let reals = outputs(call);
                    state.extend(reals.into_iter().filter(|v| self.func.var(*v).ty.carries_floats()));
                }
            }
            StmtKind::If(_, then, els) => {
                let mut other = state.clone();
                self.block(then, state);
                self.block(els, &mut other);
                state.union(&other);
            }
            StmtKind::Loop(_, body) => loop {
                let mut after = state.clone();
                self.block(body, &mut after);
                if !state.union(&after) {
                    break;
                }
            },
            _ => {}
        }
    }

    fn write(&self, place: &Place, e: &Expr, state: &mut VarSet) {
        let all = self.all && place.ty.carries_floats();
        let varied = all || intersects(&dependencies(e, self.func), state);
        transfer_varied(state, place, varied);
    }
}

fn transfer_varied(state: &mut VarSet, place: &Place, varied: bool) {
    if varied {
        state.insert(place.root);
    } else if place.is_whole() {
        state.remove(place.root);
    }
}

/// The backward flow. `at_break` is the state behind the innermost loop.
struct Useful<'a> {
    func: &'a Func,
    inactive: &'a [String],
    result: &'a mut Activity,
}

impl Useful<'_> {
    fn block(&mut self, block: &Block, state: &mut VarSet, at_break: &VarSet) {
        for stmt in block.stmts.iter().rev() {
            self.result.useful_out[stmt.id.index()].union(state);
            self.stmt(stmt, state, at_break);
            self.result.useful_in[stmt.id.index()].union(state);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, state: &mut VarSet, at_break: &VarSet) {
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => self.write(&self.func.place(*v), e, state),
            StmtKind::Assign(p, e) => self.write(p, e, state),
            StmtKind::Incr(p, e) if state.contains(p.root) => {
                state.union(&dependencies(e, self.func));
            }
            StmtKind::Swap(a, b) => {
                let (use_a, use_b) = (state.contains(a.root), state.contains(b.root));
                transfer_useful(state, a, use_b);
                transfer_useful(state, b, use_a);
            }
            StmtKind::Call(call) if self.inactive.contains(&call.callee.name) => {}
            StmtKind::Call(call) => {
                if outputs(call).iter().any(|v| state.contains(*v)) {
                    if let Some(result) = call.result {
                        state.remove(result);
                    }
                    state.union(&inputs(call, self.func));
                }
            }
            StmtKind::If(_, then, els) => {
                let mut other = state.clone();
                self.block(then, state, at_break);
                self.block(els, &mut other, at_break);
                state.union(&other);
            }
            StmtKind::Loop(head, body) => self.loop_(head, body, state),
            StmtKind::Break => *state = at_break.clone(),
            _ => {}
        }
    }

    fn loop_(&mut self, head: &LoopHead, body: &Block, state: &mut VarSet) {
        let behind = state.clone();
        if matches!(head, LoopHead::Forever) {
            *state = VarSet::default();
        }
        loop {
            let mut before = state.clone();
            self.block(body, &mut before, &behind);
            if !state.union(&before) {
                break;
            }
        }
    }

    fn write(&self, place: &Place, e: &Expr, state: &mut VarSet) {
        if state.contains(place.root) {
            transfer_useful(state, place, false);
            state.union(&dependencies(e, self.func));
        }
    }
}

fn transfer_useful(state: &mut VarSet, place: &Place, useful: bool) {
    if useful {
        state.insert(place.root);
    } else if place.is_whole() {
        state.remove(place.root);
    }
}
