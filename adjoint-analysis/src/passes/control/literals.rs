//! Literals in discrete variables that imply which arm of a branch was taken.
//!
//! **Problem.** `[CFR]` §4.3 pushes a label for each branch. Often a variable has the same information: the number of
//! the exit by which a loop was left, a flag that one arm sets. If the values that a variable may have at the end of
//! one arm are disjoint from those at the end of the other, it implies the arm, and a label would be stored twice.
//!
//! **Sets.** For each integer or bool that is only ever assigned literals, the literals that it may have, and for those
//! that conditions read, their combinations (`State`). Flowing forward; join = ∪; an arm keeps the combinations that
//! agree with its condition, and literals in none of them are dropped at its end and at that of an iteration. A `break`
//! ends its path: its state joins the one behind the loop, not that of the next iteration. The number of an iteration
//! ([`super::loop_exits`]) counts as a literal other than 0.

use std::collections::{BTreeMap, BTreeSet};

use super::joint_values::{LiteralState, NOT_ZERO, canonical};
use super::loop_exits;
use crate::ir::{
    BinOp, Block, Expr, Func, IntTy, LoopHead, Mode, Origin, Stmt, StmtId, StmtKind, Ty, UnOp,
    VarId,
};
use crate::passes::sets::set::VarSet;

/// The result.
#[derive(Clone, Debug, Default)]
pub struct LiteralValues {
    /// The literal that an assignment overwrites, where there is only one.
    pub overwritten: BTreeMap<StmtId, Expr>,
    /// The literal that a variable has wherever its scope ends, if there is only one.
    pub last: BTreeMap<VarId, Expr>,
    /// The variables that only overwrite known literals: to restore one costs a single record, where its scope ends.
    pub cheap: VarSet,
    /// The variables that imply the arm of a branch after it, each with the condition in terms of the variable.
    pub tests: BTreeMap<StmtId, Vec<(VarId, Expr)>>,
    /// The variable with the number, from 1, of the iteration that left a counted loop; 0 if none did.
    pub exit_iteration: BTreeMap<StmtId, VarId>,
    /// The variables that have their first literal wherever control reaches the end of their block.
    pub constant_at_end: VarSet,
    /// The greatest literal of each variable, among those that fit a byte.
    pub greatest: BTreeMap<VarId, u8>,
}

impl LiteralValues {
    /// The condition of a branch in terms of the variable.
    pub fn test(&self, id: StmtId, by: VarId) -> Option<&Expr> {
        let tests = self.tests.get(&id)?;
        tests.iter().find(|(v, _)| *v == by).map(|(_, e)| e)
    }
}

/// Analyses the literals of the function.
pub fn values(func: &Func) -> LiteralValues {
    let numbers = loop_exits::numbers(func);
    let (followed, related) = tracked_vars(func, &numbers);
    if followed.is_empty() {
        return LiteralValues::default();
    }
    let mut flow = Flow {
        func,
        numbers,
        followed,
        related,
        breaks: Vec::new(),
        result: LiteralValues::default(),
    };
    flow.block(&func.body, Some(LiteralState::new()));
    let mut cheap = flow.followed;
    func.body.walk(&mut |s| match &s.kind {
        StmtKind::Assign(p, _) if !flow.result.overwritten.contains_key(&s.id) => {
            cheap.remove(p.root);
        }
        _ => {}
    });
    flow.result.greatest = greatest(func, &cheap);
    flow.result.cheap = cheap;
    flow.result
}

/// The greatest literal that is assigned to each of the variables, or to one that it is swapped with.
fn greatest(func: &Func, among: &VarSet) -> BTreeMap<VarId, u8> {
    let mut greatest = BTreeMap::new();
    func.body.walk(&mut |s| {
        let (v, e) = match &s.kind {
            StmtKind::Let(v, Some(e)) => (*v, e),
            StmtKind::Assign(p, e) => (p.root, e),
            _ => return,
        };
        if let (true, Expr::Lit(text, Ty::Int(IntTy::U8))) = (among.contains(v), e) {
            let literal = canonical(text).and_then(|text| text.parse().ok());
            let known = greatest.entry(v).or_insert(0u8);
            *known = literal.unwrap_or(u8::MAX).max(*known);
        }
    });
    let swaps = swaps(func);
    for _ in 0..swaps.len() {
        for (a, b) in &swaps {
            let both = greatest.get(a).max(greatest.get(b)).copied();
            greatest.extend(both.into_iter().flat_map(|n| [(*a, n), (*b, n)]));
        }
    }
    greatest
}

/// The variables that are exchanged with one another.
fn swaps(func: &Func) -> Vec<(VarId, VarId)> {
    let mut swaps = Vec::new();
    func.body.walk(&mut |s| {
        if let StmtKind::Swap(a, b) = &s.kind
            && a.is_whole()
            && b.is_whole()
        {
            swaps.push((a.root, b.root));
        }
    });
    swaps
}

/// The discrete locals that are only assigned literals and iteration numbers, and among them those that conditions read
/// or that are assigned iteration numbers.
fn tracked_vars(func: &Func, numbers: &BTreeMap<StmtId, Expr>) -> (VarSet, VarSet) {
    let discrete = |v: &VarId| {
        let var = func.var(*v);
        let local = matches!(var.origin, Origin::Local | Origin::Temp | Origin::Label);
        local && var.mode == Mode::Owned && matches!(var.ty, Ty::Int(_) | Ty::Bool)
    };
    let mut all: VarSet = func.var_ids().filter(discrete).collect();
    let mut related = VarSet::default();
    func.body.walk(&mut |s| match &s.kind {
        StmtKind::Let(_, None) => {}
        StmtKind::Let(_, Some(Expr::Lit(text, _))) if canonical(text).is_some() => {}
        StmtKind::Assign(p, Expr::Lit(text, _)) if p.is_whole() && canonical(text).is_some() => {}
        StmtKind::Assign(p, e) if p.is_whole() && numbers.values().any(|n| n == e) => {
            related.insert(p.root);
        }
        StmtKind::Swap(a, b) if a.is_whole() && b.is_whole() => {}
        _ => {
            if let StmtKind::If(test, ..) = &s.kind {
                related.extend(test.reads());
            }
            s.declared().into_iter().for_each(|v| all.remove(v));
            s.written().iter().for_each(|p| all.remove(p.root));
        }
    });
    let swaps = swaps(func);
    for _ in 0..swaps.len() {
        for (a, b) in &swaps {
            if !(all.contains(*a) && all.contains(*b)) {
                all.remove(*a);
                all.remove(*b);
            }
        }
    }
    (all, related)
}

struct Flow<'a> {
    func: &'a Func,
    /// The number of an iteration of each loop that has one.
    numbers: BTreeMap<StmtId, Expr>,
    followed: VarSet,
    /// The variables whose combinations matter.
    related: VarSet,
    /// The states where the innermost loop is left by a `break`.
    breaks: Vec<LiteralState>,
    result: LiteralValues,
}

impl Flow<'_> {
    /// The state at the end of the block; [`None`] where it is not reached.
    fn block(&mut self, block: &Block, start: Option<LiteralState>) -> Option<LiteralState> {
        let mark = self.breaks.len();
        let mut state = start;
        for stmt in &block.stmts {
            state = self.stmt(stmt, state?);
            if state.is_none() {
                break;
            }
        }
        for stmt in &block.stmts {
            self.end_of_scope(stmt, mark, &mut state);
        }
        state
    }

    /// The scope ends of what the statement declares, here and at the `break`s since the mark.
    fn end_of_scope(&mut self, stmt: &Stmt, mark: usize, state: &mut Option<LiteralState>) {
        let Some(v) = stmt.declared() else { return };
        let keeps = match (&stmt.kind, state.clone()) {
            (StmtKind::Let(_, Some(first)), Some(state)) => {
                let first = self.literal(first);
                first.is_some_and(|first| state.narrowed().is_only(v, &first))
            }
            _ => false,
        };
        match keeps {
            true => {
                self.result.constant_at_end.insert(v);
            }
            false => self.result.constant_at_end.remove(v),
        }
        let mut all = Some(BTreeSet::new());
        for end in self.breaks[mark..].iter_mut().chain(state) {
            let here = end.forget(v);
            all = all.zip(here).map(|(all, here)| &all | &here);
        }
        let last = all.and_then(|all| self.single_literal(v, &all));
        set_or_remove(&mut self.result.last, v, last);
    }

    fn stmt(&mut self, stmt: &Stmt, mut state: LiteralState) -> Option<LiteralState> {
        match &stmt.kind {
            StmtKind::Let(v, init) => {
                self.assign(*v, init.as_ref(), &mut state);
            }
            StmtKind::Assign(p, e) if self.followed.contains(p.root) => {
                let old = state.sets.get(&p.root);
                let old = old.and_then(|set| self.single_literal(p.root, set));
                set_or_remove(&mut self.result.overwritten, stmt.id, old);
                self.assign(p.root, Some(e), &mut state);
            }
            StmtKind::Swap(a, b) if self.followed.contains(a.root) => state.swap(a.root, b.root),
            StmtKind::If(test, then, els) => {
                return self.branch(stmt.id, test, [then, els], &state);
            }
            StmtKind::Loop(head, body) => return self.repeat(stmt.id, head, body, state),
            StmtKind::Break => {
                self.breaks.push(state);
                return None;
            }
            _ => {}
        }
        Some(state)
    }

    fn assign(&self, v: VarId, e: Option<&Expr>, state: &mut LiteralState) {
        if !self.followed.contains(v) {
            return;
        }
        match e.and_then(|e| self.literal(e)) {
            Some(literal) => state.assign(v, &literal, self.related.contains(v)),
            None => {
                state.forget(v);
            }
        }
    }

    /// The literal that the expression's value is represented by.
    fn literal(&self, e: &Expr) -> Option<String> {
        match e {
            Expr::Lit(text, _) => canonical(text),
            _ if self.numbers.values().any(|n| n == e) => Some(NOT_ZERO.to_string()),
            _ => None,
        }
    }

    fn branch(
        &mut self,
        id: StmtId,
        test: &Expr,
        arms: [&Block; 2],
        state: &LiteralState,
    ) -> Option<LiteralState> {
        let mut ends = Vec::new();
        let mut falls = Vec::new();
        for (arm, holds) in arms.into_iter().zip([true, false]) {
            let mark = self.breaks.len();
            let end = self.block(arm, Some(state.assuming(test, holds)));
            let breaks = self.breaks[mark..].iter().cloned().map(Some);
            ends.push(breaks.fold(end.clone(), join).map(LiteralState::narrowed));
            falls.push(end);
        }
        let own = self.single_var_test(test, arms);
        if let [Some(then), Some(els)] = &ends[..] {
            let tests = then.sets.iter().filter_map(|(v, then)| {
                let els = els.sets.get(v).filter(|els| els.is_disjoint(then))?;
                Some((*v, self.condition(*v, then, els)))
            });
            let own_first = own.into_iter().chain(tests);
            self.result.tests.insert(id, own_first.collect());
        }
        falls.into_iter().fold(None, join)
    }

    /// The variable in the condition, if it is the only one and the branch doesn't change it.
    fn single_var_test(&self, test: &Expr, arms: [&Block; 2]) -> Option<(VarId, Expr)> {
        let v = *test.reads().first()?;
        let mut known = self.followed.contains(v);
        test.walk(&mut |e| {
            known &= !matches!(e, Expr::Len(_) | Expr::Code(..));
            known &= e.own_places().iter().all(|p| p.root == v);
        });
        for arm in arms {
            arm.walk(&mut |s| known &= s.written().iter().all(|p| p.root != v));
        }
        known.then(|| (v, test.clone()))
    }

    fn repeat(
        &mut self,
        id: StmtId,
        head: &LoopHead,
        body: &Block,
        state: LiteralState,
    ) -> Option<LiteralState> {
        let mut assigned = VarSet::default();
        body.walk(&mut |s| assigned.extend(s.written().iter().map(|p| p.root)));
        let across = |now: LiteralState| now.at_loop(&state, &assigned);
        let outer = std::mem::take(&mut self.breaks);
        let mut start = across(state.clone());
        loop {
            self.breaks.clear();
            let end = self.block(body, Some(start.clone()));
            let met = end.map(|end| across(start.join(&across(end))));
            match met {
                Some(met) if met != start => start = met,
                _ => break,
            }
        }
        let breaks = std::mem::replace(&mut self.breaks, outer);
        let left = self.exit_iteration_var(id, body, &start, &breaks);
        set_or_remove(&mut self.result.exit_iteration, id, left);
        // The checker takes what stands behind a `loop` without `break` as reached.
        let runs_out =
            Some(start).filter(|_| !matches!(head, LoopHead::Forever) || breaks.is_empty());
        let breaks = breaks.into_iter().map(|end| Some(across(end)));
        breaks.fold(runs_out, join)
    }

    /// The variable to which each `break` of the loop assigns the iteration's number, and which is 0 if there is no
    /// `break`.
    fn exit_iteration_var(
        &self,
        id: StmtId,
        body: &Block,
        start: &LiteralState,
        breaks: &[LiteralState],
    ) -> Option<VarId> {
        let number = self.numbers.get(&id)?;
        let told = |v: &VarId| {
            let leaves = |end: &LiteralState| end.is_only(*v, NOT_ZERO);
            self.followed.contains(*v) && start.is_only(*v, "0") && breaks.iter().all(leaves)
        };
        loop_exits::vars_set_to(body, number).into_iter().find(told)
    }

    /// The literal, if it is the only one.
    fn single_literal(&self, v: VarId, lits: &BTreeSet<String>) -> Option<Expr> {
        let first = lits.first().filter(|_| lits.len() == 1)?;
        (first != NOT_ZERO).then_some(())?;
        Some(Expr::Lit(first.clone(), self.func.var(v).ty.clone()))
    }

    /// Whether the variable holds one of the first literals, and so none of the second.
    fn condition(&self, v: VarId, then: &BTreeSet<String>, els: &BTreeSet<String>) -> Expr {
        let var = Expr::Read(self.func.place(v));
        if self.func.var(v).ty == Ty::Bool {
            return match then.contains("true") {
                true => var,
                false => Expr::Unary(UnOp::Not, Box::new(var)),
            };
        }
        let by_then =
            !then.contains(NOT_ZERO) && (then.len() <= els.len() || els.contains(NOT_ZERO));
        let (lits, op, link) = match by_then {
            true => (then, BinOp::Eq, BinOp::Or),
            false => (els, BinOp::Ne, BinOp::And),
        };
        let lit = |text: &String| Expr::Lit(text.clone(), self.func.var(v).ty.clone());
        let tests = lits
            .iter()
            .map(|text| Expr::Binary(op, Box::new(var.clone()), Box::new(lit(text))));
        tests
            .reduce(|a, b| Expr::Binary(link, Box::new(a), Box::new(b)))
            .unwrap_or(var)
    }
}

/// Sets an entry, or removes it.
fn set_or_remove<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: Option<V>) {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    };
}

/// The join of two paths; [`None`] is an unreachable one.
fn join(a: Option<LiteralState>, b: Option<LiteralState>) -> Option<LiteralState> {
    match (&a, &b) {
        (Some(x), Some(y)) => Some(x.join(y)),
        _ => a.or(b),
    }
}
