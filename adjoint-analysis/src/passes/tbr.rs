//! To-be-recorded analysis: `[TBR]` §5, Figures 6–9.
//!
//! **Problem.** The adjoint of a statement reads primal values. A value that is overwritten later
//! has to be recorded, once, where it is overwritten; the end of a variable's scope overwrites it too.
//!
//! **Sets.** `InReq`/`OutReq` of a statement: the variables whose value just before/after it may be
//! required by the adjoints of the statements executed so far. May-sets over whole variables, flowing
//! forward: ⊥ = ∅ on entry, join = ∪.
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
//! A swap overwrites nothing: it is its own inverse, and carries requiredness across. A callee
//! restores what it overwrites.
//!
//! **Recomputation.** At the end of its scope a required variable is recomputed instead if it was
//! defined once, by a cheap expression ([`super::cost`]) whose operands still hold their values then, and
//! are required anyway or come for free. Such operands become required in its place.
//!
//! DIVERGENCE `[TBR]` §5.2: recomputation makes the transfer depend on what is required already, so
//! the loop equation is verified after the body has been analysed, and repeated where it failed.

use std::collections::{BTreeMap, HashMap};

use super::cost::is_cheap;
use super::set::VarSet;
use crate::ir::{Block, Expr, Func, LoopHead, Mode, Origin, Place, Stmt, StmtId, StmtKind, VarId};

/// What the adjoint of a statement reads of the primal.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Variables, with the values they have before the statement.
    pub operands: VarSet,
    /// Variables, with the values they have after it.
    pub results: VarSet,
    /// Whether the reverse sweep has anything to do for it at all.
    pub any: bool,
}

/// How a required local comes back at the start of its mirrored scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtEnd {
    /// Its last value is recorded.
    Record,
    /// Its definition is evaluated again.
    Recompute,
}

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Tbr {
    /// Whether the n-th place that a statement overwrites is recorded; whether a swap is undone.
    pub recorded: BTreeMap<(StmtId, usize), bool>,
    /// What happens to locals at the end of their scope; absent: nothing.
    pub at_end: BTreeMap<VarId, Option<AtEnd>>,
    /// Branches whose condition is evaluated again instead of recorded.
    pub recomputed_tests: BTreeMap<StmtId, bool>,
    /// `InReq` of each statement.
    pub in_req: BTreeMap<StmtId, VarSet>,
    /// `OutReq` of each statement.
    pub out_req: BTreeMap<StmtId, VarSet>,
    /// Variables that the reverse sweep has without any record.
    pub free: VarSet,
}

/// Which parts are switched on.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// To-be-recorded analysis; off: everything that is overwritten is recorded.
    pub tbr: bool,
    /// Recomputation of cheap values.
    pub recomputation: bool,
    /// Whether the caller wants its `&mut` arguments back as they were: `InReq` of the function.
    pub in_out: bool,
}

/// Runs the analysis. `uses` is indexed by statement; the zero adjoints of the variables in `shaped`
/// are made in the shape of their primals, which are required for that when their scope ends.
pub fn tbr(func: &Func, uses: &[Uses], shaped: &VarSet, options: Options) -> Tbr {
    let definitions = Definitions::of(func);
    let mut pass = Pass {
        func,
        uses,
        shaped,
        options,
        free: definitions.free(func, options.recomputation),
        definitions,
        summaries: HashMap::new(),
        result: Tbr::default(),
        marking: true,
    };
    let in_out = func
        .params
        .iter()
        .copied()
        .filter(|v| options.in_out && func.var(*v).mode == Mode::Mut);
    let start = if options.tbr {
        in_out.collect()
    } else {
        func.params.iter().copied().collect()
    };
    let end = pass.block(&func.body, start);
    if let Some(ret) = func.ret.filter(|r| end.contains(*r)) {
        pass.result.at_end.insert(ret, Some(AtEnd::Record));
    }
    pass.result.free = pass.free;
    pass.result
}

/// Where each variable gets its values.
struct Definitions {
    /// The only definition, for a variable that has one.
    single: BTreeMap<VarId, Expr>,
    written: VarSet,
}

impl Definitions {
    fn of(func: &Func) -> Definitions {
        let mut written = VarSet::default();
        func.body
            .walk(&mut |s| written.extend(s.written().iter().map(|p| p.root)));
        let mut single = BTreeMap::new();
        func.body.walk(&mut |s| {
            if let StmtKind::Let(v, Some(e)) = &s.kind
                && !written.contains(*v)
            {
                single.insert(*v, e.clone());
            }
        });
        Definitions { single, written }
    }

    /// Variables that the reverse sweep has without any record: loop indices, parameters that nothing
    /// writes, and what is cheaply computed from these.
    fn free(&self, func: &Func, recomputation: bool) -> VarSet {
        let given = |v: &VarId| {
            let var = func.var(*v);
            matches!(var.origin, Origin::Param | Origin::Index) && !self.written.contains(*v)
        };
        let mut free: VarSet = func.var_ids().filter(given).collect();
        if recomputation {
            func.body.walk(&mut |s| {
                if let StmtKind::Let(v, Some(e)) = &s.kind {
                    let known = self.single.contains_key(v) && recomputable(e, func.var(*v), func);
                    if known && e.needs(func).iter().all(|r| free.contains(*r)) {
                        free.insert(*v);
                    }
                }
            });
        }
        free
    }
}

fn recomputable(e: &Expr, var: &crate::ir::Var, func: &Func) -> bool {
    var.ty.is_scalar() && is_cheap(e, func)
}

struct Pass<'a> {
    func: &'a Func,
    uses: &'a [Uses],
    shaped: &'a VarSet,
    options: Options,
    definitions: Definitions,
    free: VarSet,
    /// `Req` of loop bodies.
    summaries: HashMap<StmtId, VarSet>,
    result: Tbr,
    /// Whether decisions are noted; not while a summary is made.
    marking: bool,
}

impl Pass<'_> {
    /// A branch is decided again from its condition where that costs no record: each operand is free,
    /// or required anyway, and no arm writes it.
    fn recomputes_test(&self, test: &Expr, arms: [&Block; 2], state: &VarSet) -> bool {
        let at_hand = |v: &VarId| self.free.contains(*v) || state.contains(*v);
        let intact = |v: &VarId| !arms.iter().any(|b| writes(&b.stmts, *v));
        let needs = test.needs(self.func);
        self.options.recomputation
            && is_cheap(test, self.func)
            && needs.iter().all(|v| at_hand(v) && intact(v))
    }

    fn block(&mut self, block: &Block, required: VarSet) -> VarSet {
        let mut state = required;
        for stmt in &block.stmts {
            state = self.stmt(stmt, state);
        }
        self.end_of_scope(block, &mut state);
        state
    }

    fn stmt(&mut self, stmt: &Stmt, mut state: VarSet) -> VarSet {
        if self.marking {
            self.result.in_req.insert(stmt.id, state.clone());
        }
        let uses = &self.uses[stmt.id.index()];
        state.union(&uses.operands);
        match &stmt.kind {
            StmtKind::Let(v, _) => state.remove(*v),
            StmtKind::Assign(place, _) => self.overwrite(stmt.id, place, &mut state),
            StmtKind::Incr(place, _) => self.overwrite(stmt.id, place, &mut state),
            StmtKind::Swap(a, b) => {
                let undone = swap(&mut state, a, b, self.func);
                self.note(stmt.id, 0, undone);
            }
            StmtKind::Call(call) => {
                for (n, place) in call.written().enumerate() {
                    let required = state.contains(place.root);
                    self.note(stmt.id, n, required);
                    if required {
                        let func = self.func;
                        state.extend(place.operands().iter().flat_map(|e| e.needs(func)));
                    }
                }
            }
            StmtKind::If(test, then, els) => {
                let recomputed = uses.any && self.recomputes_test(test, [then, els], &state);
                if recomputed {
                    state.extend(test.needs(self.func));
                }
                if self.marking {
                    self.result.recomputed_tests.insert(stmt.id, recomputed);
                }
                let after = self.block(then, state.clone());
                state = self.block(els, state);
                state.union(&after);
            }
            StmtKind::Loop(head, body) => state = self.loop_(stmt.id, head, body, state),
            _ => {}
        }
        state.union(&self.uses[stmt.id.index()].results);
        if !self.options.tbr {
            // Without the analysis, what has a value is required.
            state.extend(stmt.written().iter().map(|p| p.root));
            state.extend(
                stmt.declared()
                    .filter(|_| !matches!(stmt.kind, StmtKind::Let(_, None))),
            );
        }
        if self.marking {
            self.result.out_req.insert(stmt.id, state.clone());
        }
        state
    }

    fn overwrite(&mut self, id: StmtId, place: &Place, state: &mut VarSet) {
        let required = state.contains(place.root);
        self.note(id, 0, required);
        if required {
            // The index is needed to put the value back.
            state.extend(place.operands().iter().flat_map(|e| e.needs(self.func)));
        }
        if place.is_whole() && self.options.tbr {
            state.remove(place.root);
        }
    }

    fn note(&mut self, id: StmtId, n: usize, recorded: bool) {
        if self.marking {
            self.result.recorded.insert((id, n), recorded);
        }
    }

    fn loop_(&mut self, id: StmtId, head: &LoopHead, body: &Block, state: VarSet) -> VarSet {
        let mut state = state;
        if self.uses[id.index()].any {
            state.extend(
                head.operands()
                    .iter()
                    .filter(|_| counted(head))
                    .flat_map(|e| e.needs(self.func)),
            );
        }
        state.union(&self.summary(id, body));
        loop {
            let after = self.block(body, state.clone());
            if !state.union(&after) {
                return state;
            }
        }
    }

    /// `Req` of a loop body.
    fn summary(&mut self, id: StmtId, body: &Block) -> VarSet {
        if let Some(known) = self.summaries.get(&id) {
            return known.clone();
        }
        let marking = std::mem::replace(&mut self.marking, false);
        let req = self.block(body, VarSet::default());
        self.marking = marking;
        self.summaries.insert(id, req.clone());
        req
    }

    /// The variables declared in the block end.
    fn end_of_scope(&mut self, block: &Block, state: &mut VarSet) {
        for (at, stmt) in block.stmts.iter().enumerate().rev() {
            let Some(v) = stmt.declared() else { continue };
            let mut decision = None;
            if state.contains(v) || self.shaped.contains(v) {
                decision = Some(AtEnd::Record);
                if let Some(e) = self.recomputed_from(v, &block.stmts[at + 1..], state) {
                    state.extend(e.needs(self.func));
                    decision = Some(AtEnd::Recompute);
                }
            }
            state.remove(v);
            if self.marking {
                self.result.at_end.insert(v, decision);
            }
        }
    }

    /// The definition of the variable, if evaluating it again at the end of the block gives its value
    /// and costs no record.
    fn recomputed_from(&self, v: VarId, rest: &[Stmt], state: &VarSet) -> Option<Expr> {
        let e = self.definitions.single.get(&v)?;
        let var = self.func.var(v);
        if !self.options.recomputation || !recomputable(e, var, self.func) {
            return None;
        }
        let reads = e.needs(self.func);
        let at_hand =
            |r: &VarId| self.free.contains(*r) || (self.options.tbr && state.contains(*r));
        let intact = |r: &VarId| !writes(rest, *r);
        reads
            .iter()
            .all(|r| at_hand(r) && intact(r))
            .then(|| e.clone())
    }
}

fn counted(head: &LoopHead) -> bool {
    matches!(head, LoopHead::Counted(..))
}

/// Whether any of the statements, inner blocks included, may write the variable.
fn writes(stmts: &[Stmt], v: VarId) -> bool {
    stmts.iter().any(|s| {
        s.written().iter().any(|p| p.root == v) || s.blocks().iter().any(|b| writes(&b.stmts, v))
    })
}

/// The swap is done again in the reverse sweep if one of the two values is required; then both have
/// to be there.
fn swap(state: &mut VarSet, a: &Place, b: &Place, func: &Func) -> bool {
    let required = state.contains(a.root) || state.contains(b.root);
    if required {
        state.extend([a.root, b.root]);
        state.extend(
            [a, b]
                .iter()
                .flat_map(|p| p.operands())
                .flat_map(|e| e.needs(func)),
        );
    }
    required
}
