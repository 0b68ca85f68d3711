//! To-be-recorded analysis: `[TBR]` §5, Figures 6–9.
//!
//! **Problem.** The adjoint of a statement reads primal values. A value that is overwritten later
//! has to be recorded, once, where it is overwritten; the end of a variable's scope overwrites it too.
//!
//! **Sets.** `InReq`/`OutReq` of a statement: the cells ([`super::sets::cells`]) whose value just
//! before/after it may be required by the adjoints of the statements executed so far. May-sets,
//! flowing forward: ⊥ = ∅ on entry, join = ∪.
//!
//! **Equations.** For a statement `I` whose adjoint reads `Req(I)`, operands before it and results
//! after it ([`Uses`], made from the adjoint code itself, so that nothing is stated twice):
//!
//! ```text
//! OutReq(I) = ((InReq(I) ∪ operands) \ Kill(I)) ∪ results
//! I is recorded if it overwrites v with v ∈ InReq(I) ∪ operands
//! loop over B: InReq(B) = InReq(loop) ∪ Req(B)            (§5.2: no fixpoint)
//! ```
//!
//! A loop that overwrites a whole array ([`self::regions`]) kills the array's value from before it. One that sets the
//! elements before a bound kills these: statements that write no others, in the same block, overwrite nothing required.
//!
//! An array that only a caller requires may be recorded as a whole, and a number that only statements in front of a loop
//! require is recorded there (`saves`).
//!
//! A swap overwrites nothing: it is its own inverse, and carries requiredness across. A callee
//! restores what it overwrites.
//!
//! A step of a **checkpointed loop** runs again from a snapshot, for a reversal of its own: nothing is required at its start,
//! and nothing of it behind the loop except what it reads and no step writes. What is required before the loop, and
//! overwritten by it, is recorded in front of it as a whole ([`Tbr::saved`]).
//!
//! **Recomputation.** At the end of its scope a required variable is recomputed instead if it was defined once, by a
//! cheap expression ([`self::cost`]) whose operands still have their values then, and are required anyway or available
//! without a record. Such operands become required in its place. A variable that was assigned to another one as a whole
//! (`s = next;`), which outlives it and still has that value, is copied back from there; the other one becomes required
//! in its place, so it is recorded where it is overwritten next, at most as often.
//!
//! DIVERGENCE `[TBR]` §5.2: recomputation makes the transfer depend on what is required already, so
//! the loop equation is verified after the body has been analysed, and repeated where it failed.

pub mod cost;
mod ends;
mod inverses;
mod nest;
mod prefixes;
pub mod regions;
mod saves;
mod static_facts;
mod steps;
mod storage;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::cost::is_cheap;
use self::nest::Nest;
use self::static_facts::StaticFacts;
use super::control::Control;
use super::inversion::heuristic;
use super::sets::cells::{Cell, Cells};

use super::sets::set::{CellSet, VarSet};
use crate::ir::{Block, Expr, Func, LoopHead, Mode, Origin, Place, Stmt, StmtId, StmtKind, VarId};

/// What the adjoint of a statement reads of the primal.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Cells, with the values they have before the statement.
    pub operands: CellSet,
    /// Cells, with the values they have after it.
    pub results: CellSet,
    /// Cells that a callee reads only where it restores its `&mut` arguments.
    pub restoring: CellSet,
    /// Whether the reverse sweep has anything to do for it at all.
    pub any: bool,
}

/// How a required local is restored at the start of its mirrored scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalRestore {
    /// Its last value is recorded.
    Record,
    /// Its definition is evaluated again.
    Recompute,
    /// It is copied from a variable that holds the same ([`Tbr::copies`]).
    Copy,
    /// It is a literal, wherever the scope ends.
    Constant,
    /// It follows from values that the reverse sweep holds ([`Tbr::inverted_ends`]).
    Invert,
    /// Zeros, as many as it has elements: of these, none is required there.
    Zeros,
}

/// How a local comes back for both kinds of caller: by its value, if one of them needs that.
pub fn at_end(of: [&Tbr; 2], v: VarId) -> Option<LocalRestore> {
    let [own, for_caller] = of.map(|tbr| tbr.at_end.get(&v).copied().flatten());
    match (own, for_caller) {
        (Some(LocalRestore::Zeros), Some(value)) => Some(value),
        (own, for_caller) => own.or(for_caller),
    }
}

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Tbr {
    /// Whether the n-th place that a statement overwrites is recorded; whether a swap is undone.
    pub recorded: BTreeMap<(StmtId, usize), bool>,
    /// What happens to locals at the end of their scope; absent: nothing.
    pub at_end: BTreeMap<VarId, Option<LocalRestore>>,
    /// The variables from which locals are copied back.
    pub copies: BTreeMap<VarId, VarId>,
    /// What an overwritten integer is in terms of what is held behind the statement, instead of a record.
    pub inverted: BTreeMap<StmtId, Expr>,
    /// What an integer is in terms of what is held where its scope ends, instead of a record.
    pub inverted_ends: BTreeMap<VarId, Expr>,
    /// The lengths of locals that need no record, for [`LocalRestore::Zeros`].
    pub lengths: BTreeMap<VarId, Expr>,
    /// Branches whose condition is evaluated again instead of recorded.
    pub recomputed_tests: BTreeMap<StmtId, bool>,
    /// Branches whose arm a variable implies afterwards.
    pub implied: BTreeMap<StmtId, VarId>,
    /// Assignments that overwrite a required literal, which is not recorded.
    pub constants: BTreeSet<StmtId>,
    /// Loops whose trip count is computed again.
    pub recomputed_trips: BTreeSet<StmtId>,
    /// Loops whose trip count follows from what a variable holds behind them.
    pub trips_from_counters: BTreeMap<StmtId, Expr>,
    /// Counted loops with a variable for the iteration that left them.
    pub exit_iteration: BTreeMap<StmtId, VarId>,
    /// What is recorded as a whole in front of statements that overwrite it: checkpointed loops, and others for callers
    /// (`saves`).
    pub saved: BTreeMap<StmtId, Vec<Place>>,
    /// What the adjoints of a step of a checkpointed loop require behind it, of what it writes.
    pub required_behind_steps: BTreeMap<StmtId, Vec<Place>>,
    /// `InReq` of each statement.
    pub in_req: BTreeMap<StmtId, CellSet>,
    /// `OutReq` of each statement.
    pub out_req: BTreeMap<StmtId, CellSet>,
    /// Variables that the reverse sweep has without any record.
    pub free: VarSet,
}

/// The optional parts of the analysis.
#[derive(Clone, Copy, Debug)]
pub struct TbrOptions {
    /// To-be-recorded analysis; off: everything that is overwritten is recorded.
    pub tbr: bool,
    /// Recomputation of cheap values.
    pub recomputation: bool,
    /// Inversion of integers.
    pub inversion: bool,
}

/// Runs the analysis: once for the function alone, and once for a caller that needs its `&mut` arguments restored,
/// which are then the function's `InReq`. `uses` is indexed by statement; the adjoints of the variables in `shaped` are
/// created with the shapes of their primals, which are required for that when their scopes end. `control` has the
/// branches and trip counts that need no record.
pub fn tbr(
    func: &Func,
    cells: &Cells,
    uses: &[Uses],
    shaped: &VarSet,
    control: &Control,
    options: TbrOptions,
) -> (Tbr, Tbr) {
    let known = StaticFacts::of(func);
    let free = known.free(func, options.recomputation);
    let left = control.values.exit_iteration.iter();
    let busy = |id: &StmtId| uses[id.index()].any && !control.idle_loops.contains(id);
    let (busy, idle): (Vec<_>, Vec<_>) = left.partition(|(id, _)| busy(id));
    let pass = |held: &BTreeSet<VarId>| Pass {
        func,
        held: held.clone(),
        cells,
        uses,
        shaped,
        control,
        options,
        known: &known,
        free: free.clone(),
        numbers: busy.iter().map(|(_, v)| **v).collect(),
        idle_numbers: idle.iter().map(|(_, v)| **v).collect(),
        summaries: HashMap::new(),
        array_setters: BTreeSet::new(),
        result: Tbr::default(),
        records_decisions: true,
        lent: VarSet::default(),
        so_far: &[],
        rest: &[],
        nest: Nest::default(),
    };
    let lent = |v: &VarId| func.var(*v).mode == Mode::Mut && !func.var(*v).ty.is_state();
    let in_out: Vec<VarId> = func.params.iter().copied().filter(lent).collect();
    if !options.tbr {
        let own = pass(&BTreeSet::new()).function(&func.params);
        return (own.clone(), own);
    }
    let stored = |tbr: &Tbr| storage::stored(func, uses, control, tbr);
    let mut own = pass(&BTreeSet::new()).function(&[]);
    let mut held = BTreeSet::new();
    if options.inversion {
        let storage = |held: &BTreeSet<VarId>| stored(&pass(held).function(&[])).storage;
        held = heuristic::held(func, &stored(&own).vars, &storage);
    }
    if !held.is_empty() {
        own = pass(&held).function(&[]);
    }
    let for_caller = match in_out.is_empty() {
        true => own.clone(),
        false => pass(&held).function(&in_out),
    };
    (own, for_caller)
}

struct Pass<'a> {
    func: &'a Func,
    cells: &'a Cells,
    uses: &'a [Uses],
    shaped: &'a VarSet,
    control: &'a Control,
    options: TbrOptions,
    known: &'a StaticFacts,
    free: VarSet,
    /// Integers that may be held at the price of their storage.
    held: BTreeSet<VarId>,
    /// The iteration-number variables of loops that have to be reversed.
    numbers: VarSet,
    /// Those of the other loops; a label is a smaller way to imply a branch.
    idle_numbers: VarSet,
    /// `Req` of loop bodies.
    summaries: HashMap<StmtId, CellSet>,
    /// Statements that set each element of an array once while their loop runs.
    array_setters: BTreeSet<StmtId>,
    result: Tbr,
    /// Whether decisions are recorded; not while a summary is computed.
    records_decisions: bool,
    /// Arrays that the caller requires.
    lent: VarSet,
    /// The statements of the current block up to the current one.
    so_far: &'a [Stmt],
    /// Those after it.
    rest: &'a [Stmt],
    /// The loops around it.
    nest: Nest,
}

impl<'a> Pass<'a> {
    /// Analyses the function; `required` are the variables whose entry values are required.
    fn function(mut self, required: &[VarId]) -> Tbr {
        let (func, cells) = (self.func, self.cells);
        let start = required.iter().flat_map(|v| cells.of_var(*v)).copied();
        if self.options.tbr {
            let lent = required.iter().copied();
            self.lent = lent.filter(|v| self.is_lent_array(*v)).collect();
        }
        let end = self.block(&func.body, start.collect());
        if let Some(ret) = func.ret.filter(|r| self.requires(&end, *r)) {
            self.result.at_end.insert(ret, Some(LocalRestore::Record));
        }
        self.result.free = self.free;
        self.result
    }

    /// Whether any cell of the variable is required.
    fn requires(&self, state: &CellSet, v: VarId) -> bool {
        self.cells.of_var(v).iter().any(|c| state.contains(*c))
    }

    /// Whether the expression can be evaluated again without a record: each operand is free, or required anyway, and
    /// still intact.
    fn is_available(&self, e: &Expr, state: &CellSet, intact: &dyn Fn(VarId) -> bool) -> bool {
        let mut needs = self.cells.needs(e, self.func).into_iter();
        needs.all(|c| self.is_at_hand(c, state) && intact(self.cells.var(c)))
    }

    /// Whether the operand is free, or required anyway.
    fn is_at_hand(&self, c: Cell, state: &CellSet) -> bool {
        let v = self.cells.var(c);
        self.free.contains(v) || self.held.contains(&v) || state.contains(c)
    }

    /// Whether a branch's condition is evaluated again, which must cost no record.
    fn recomputes_test(&self, test: &Expr, arms: [&Block; 2], state: &CellSet) -> bool {
        let intact = |v: VarId| !arms.iter().any(|b| self.known.writes.within(&b.stmts, v));
        self.options.recomputation
            && is_cheap(test, self.func)
            && self.is_available(test, state, &intact)
    }

    /// Chooses a variable that implies the branch: one that is required anyway, or whose restoring costs a single
    /// record.
    fn choose_implying_var(&mut self, id: StmtId, any: bool, state: &mut CellSet) {
        let tests = self.control.values.tests.get(&id);
        let silent = |v: &VarId| self.control.unread_labels.contains(*v);
        let tellers = || tests.into_iter().flatten().map(|(v, _)| *v);
        let number = |v: &VarId| self.numbers.contains(*v);
        // A branch that only sets labels is not worth making a label larger.
        let worth = |v: &VarId| any || !silent(v) || number(v);
        let at_hand = |v: &VarId| self.requires(state, *v) && worth(v);
        let cheap = |v: &VarId| any && self.control.values.cheap.contains(*v);
        let teller = tellers()
            .find(at_hand)
            .or_else(|| tellers().find(|v| cheap(v) && number(v)))
            .or_else(|| tellers().find(|v| cheap(v) && !silent(v)))
            .or_else(|| tellers().find(|v| cheap(v) && !self.idle_numbers.contains(*v)));
        state.extend(teller.iter().flat_map(|v| self.cells.of_var(*v)).copied());
        if self.records_decisions {
            self.result.implied.extend(teller.map(|v| (id, v)));
        }
    }

    fn block(&mut self, block: &'a Block, required: CellSet) -> CellSet {
        let mut state = required;
        let mut prefixes = Vec::new();
        for (at, stmt) in block.stmts.iter().enumerate() {
            self.so_far = &block.stmts[..=at];
            self.rest = &block.stmts[at + 1..];
            if std::ptr::eq(block, &self.func.body) {
                self.save_in_front(stmt, &mut state);
            }
            state = self.stmt_behind_prefixes(stmt, state, &mut prefixes);
        }
        self.end_of_scope(block, &mut state);
        state
    }

    fn stmt(&mut self, stmt: &'a Stmt, mut state: CellSet) -> CellSet {
        if self.records_decisions {
            self.result.in_req.insert(stmt.id, state.clone());
        }
        let uses = &self.uses[stmt.id.index()];
        state.union(&uses.operands);
        match &stmt.kind {
            StmtKind::Let(v, _) => self.forget(*v, &mut state),
            StmtKind::Assign(place, _) => self.overwrite(stmt.id, place, &mut state),
            StmtKind::Incr(place, _) => self.overwrite(stmt.id, place, &mut state),
            StmtKind::Swap(a, b) => self.swap(stmt.id, a, b, &mut state),
            StmtKind::Insert(place, at, _) | StmtKind::Remove(_, place, at) => {
                self.resize(stmt, place, at.as_ref(), &mut state);
            }
            StmtKind::Call(call) => {
                for (n, place) in call.written().enumerate() {
                    let required = self.touches(&state, place);
                    self.note(stmt.id, n, required);
                    if required {
                        self.require_indices(place, &mut state);
                        state.union(&uses.restoring);
                    }
                }
            }
            StmtKind::If(test, then, els) => {
                let any = uses.any;
                let mut recomputed = any && self.recomputes_test(test, [then, els], &state);
                if recomputed {
                    state.extend(self.cells.needs(test, self.func));
                }
                let after = self.block(then, state.clone());
                state = self.block(els, state);
                state.union(&after);
                // The variables that the arms require are available to the condition as well.
                recomputed |= any && self.recomputes_test(test, [then, els], &state);
                if self.records_decisions {
                    self.result.recomputed_tests.insert(stmt.id, recomputed);
                    self.result.implied.remove(&stmt.id);
                }
                match recomputed {
                    true => state.extend(self.cells.needs(test, self.func)),
                    false => self.choose_implying_var(stmt.id, any, &mut state),
                }
            }
            StmtKind::Loop(head, body) => state = self.loop_(stmt.id, head, body, state),
            _ => {}
        }
        state.union(&self.uses[stmt.id.index()].results);
        if !self.options.tbr {
            // Without the analysis, every variable with a value is required.
            let written = stmt.written().into_iter().map(|p| p.root);
            let declared = stmt
                .declared()
                .filter(|_| !matches!(stmt.kind, StmtKind::Let(_, None)));
            let cells = written.chain(declared).flat_map(|v| self.cells.of_var(v));
            state.extend(cells.copied());
        }
        if self.records_decisions {
            self.result.out_req.insert(stmt.id, state.clone());
        }
        state
    }

    fn touches(&self, state: &CellSet, place: &Place) -> bool {
        self.cells.touched(place).iter().any(|c| state.contains(*c))
    }

    /// Restoring a place needs its indices.
    fn require_indices(&self, place: &Place, state: &mut CellSet) {
        for e in place.operands() {
            state.extend(self.cells.needs(e, self.func));
        }
    }

    fn forget(&self, v: VarId, state: &mut CellSet) {
        self.cells.of_var(v).iter().for_each(|c| state.remove(*c));
    }

    fn overwrite(&mut self, id: StmtId, place: &Place, state: &mut CellSet) {
        let required = self.touches(state, place);
        let constant = required && self.control.values.overwritten.contains_key(&id);
        let inverse = match required && !constant {
            true => self.inverse(id, place, state),
            false => None,
        };
        self.note(id, 0, required && !constant && inverse.is_none());
        if self.records_decisions && constant {
            self.result.constants.insert(id);
        }
        if required {
            self.require_indices(place, state);
        }
        if let Some(e) = &inverse {
            if self.is_ended_by(place) {
                let touched = self.cells.touched(place);
                touched.iter().for_each(|c| state.remove(*c));
            }
            state.extend(self.cells.needs(e, self.func));
        }
        if self.records_decisions {
            self.result.inverted.remove(&id);
            self.result
                .inverted
                .extend(inverse.clone().map(|e| (id, e)));
        }
        if inverse.is_some() {
            return;
        }
        if (self.is_ended_by(place) || self.array_setters.contains(&id)) && self.options.tbr {
            let touched = self.cells.touched(place);
            touched.iter().for_each(|c| state.remove(*c));
        }
    }

    /// Whether what the place held is of no interest behind a write. A part of a local can only be restored into an
    /// existing value.
    fn is_ended_by(&self, place: &Place) -> bool {
        let var = self.func.var(place.root);
        let alone = place.is_whole()
            || var.origin == Origin::Param
            || var.ty.has_static_shape()
            || self.cells.fixed_lengths().contains(place.root);
        self.cells.is_exact(place) && alone
    }

    /// A swap is repeated in the reverse sweep if one of the two values is required; then both are needed.
    fn swap(&mut self, id: StmtId, a: &Place, b: &Place, state: &mut CellSet) {
        let required = self.touches(state, a) || self.touches(state, b);
        if required {
            for place in [a, b] {
                state.extend(self.cells.touched(place).iter().copied());
                self.require_indices(place, state);
            }
        }
        self.note(id, 0, required);
    }

    /// A `Vec` that grows or shrinks overwrites nothing: if it is required, the reverse sweep does the opposite, for
    /// which it needs the removed element.
    fn resize(&mut self, stmt: &Stmt, place: &Place, at: Option<&Expr>, state: &mut CellSet) {
        let taken = stmt.declared();
        taken.iter().for_each(|v| self.forget(*v, state));
        let required = self.touches(state, place);
        self.note(stmt.id, 0, required);
        if required {
            self.require_indices(place, state);
            let indices = at.into_iter().flat_map(|e| self.cells.needs(e, self.func));
            state.extend(indices);
            state.extend(taken.iter().flat_map(|v| self.cells.of_var(*v)).copied());
        }
    }

    fn note(&mut self, id: StmtId, n: usize, recorded: bool) {
        if self.records_decisions {
            self.result.recorded.insert((id, n), recorded);
        }
    }

    fn loop_(
        &mut self,
        id: StmtId,
        head: &'a LoopHead,
        body: &'a Block,
        mut state: CellSet,
    ) -> CellSet {
        let position = (self.so_far, self.rest);
        self.save_numbers(id, head, body, &mut state);
        (self.so_far, self.rest) = position;
        self.transfer_loop(id, head, body, state)
    }

    fn transfer_loop(
        &mut self,
        id: StmtId,
        head: &'a LoopHead,
        body: &'a Block,
        mut state: CellSet,
    ) -> CellSet {
        let before = self.so_far;
        if self.uses[id.index()].any && counted(head) {
            for e in head.operands() {
                state.extend(self.cells.needs(e, self.func));
            }
        }
        if let Some(of_loop) = self.control.loop_states.get(&id) {
            return self.checkpointed((id, head), of_loop, body, state);
        }
        if self.uses[id.index()].any {
            self.recompute_trips(id, &mut state);
        }
        let regions = regions::overwritten(head, body, self.func, &self.known.lengths);
        self.array_setters.extend(regions.iter().map(|r| r.setter));
        let arrays = regions.iter().flat_map(|r| self.cells.of_var(r.array));
        let arrays: CellSet = arrays.copied().collect();
        // An element that an iteration has set and requires is not overwritten by the loop.
        let beyond = |mut set: CellSet| {
            set.subtract(&arrays);
            set
        };
        let around = self.nest;
        self.nest = around.inside(head);
        state.union(&beyond(self.summary(id, body)));
        loop {
            let after = self.block(body, state.clone());
            if !state.union(&beyond(after.clone())) {
                self.nest = around;
                let mut out = beyond(state);
                out.union(&after);
                self.require_left(id, &mut out);
                if !counted(head) {
                    self.trips_from_counter(id, body, before, &mut out);
                }
                return out;
            }
        }
    }

    /// Recomputes the trip count of a loop if that costs no record.
    fn recompute_trips(&mut self, id: StmtId, state: &mut CellSet) {
        let Some(count) = self.control.trips.get(&id) else {
            return;
        };
        // Neither the loop nor the code before it writes the operands.
        if self.is_available(count, state, &|_| true) {
            state.extend(self.cells.needs(count, self.func));
            if self.records_decisions {
                self.result.recomputed_trips.insert(id);
            }
        }
    }

    /// The trip count of a counted loop with a `break` follows from the number of the iteration that left it.
    fn require_left(&mut self, id: StmtId, state: &mut CellSet) {
        let left = self.control.values.exit_iteration.get(&id);
        let Some(v) = left.filter(|v| self.numbers.contains(**v)) else {
            return;
        };
        state.extend(self.cells.of_var(*v).iter().copied());
        if self.records_decisions {
            self.result.exit_iteration.insert(id, *v);
        }
    }

    /// `Req` of a loop body.
    fn summary(&mut self, id: StmtId, body: &'a Block) -> CellSet {
        if let Some(known) = self.summaries.get(&id) {
            return known.clone();
        }
        let marking = std::mem::replace(&mut self.records_decisions, false);
        let req = self.block(body, CellSet::default());
        self.records_decisions = marking;
        self.summaries.insert(id, req.clone());
        req
    }
}

fn counted(head: &LoopHead) -> bool {
    matches!(head, LoopHead::Counted(..))
}
