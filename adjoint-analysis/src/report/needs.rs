//! The uses that require each recorded value: the data flow of `[TBR]` §5.2 again, but with the set of requiring
//! statements for each variable.

use std::collections::BTreeMap;

use super::view::View;
use crate::ir::{Block, Expr, LoopHead, Mode, Stmt, StmtId, StmtKind, VarId};
use crate::passes::sets::set::{Member, Set};
use crate::passes::tbr::LocalRestore;

/// A use of a primal value in the reverse sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// The adjoint of the statement reads it.
    Adjoint(StmtId),
    /// The reversed loop or branch reads it.
    Control(StmtId),
    /// The restore of the statement's write needs it to find the place.
    Place(StmtId),
    /// The caller needs it restored.
    Caller,
}

impl Member for Need {
    fn number(self) -> usize {
        match self {
            Need::Caller => 0,
            Need::Adjoint(id) => 3 * id.index() + 1,
            Need::Control(id) => 3 * id.index() + 2,
            Need::Place(id) => 3 * id.index() + 3,
        }
    }

    fn of_number(number: u32) -> Need {
        match number.checked_sub(1).map(|n| (n % 3, StmtId(n / 3))) {
            None => Need::Caller,
            Some((0, id)) => Need::Adjoint(id),
            Some((1, id)) => Need::Control(id),
            Some((_, id)) => Need::Place(id),
        }
    }
}

/// The uses that require a value.
pub type NeedSet = Set<Need>;
/// The uses of each variable's current value.
type State = Vec<NeedSet>;

/// The result: the uses that require each value.
pub struct Needs {
    /// The uses of the value that a statement overwrites, by statement and variable.
    pub overwritten: BTreeMap<(StmtId, VarId), NeedSet>,
    last: State,
}

impl Needs {
    /// The uses of a variable's last value.
    pub fn last(&self, v: VarId) -> &NeedSet {
        &self.last[v.index()]
    }
}

/// Runs the data flow over the function.
pub fn needs(view: &View<'_>) -> Needs {
    let func = view.func();
    let mut state = vec![NeedSet::default(); func.vars.len()];
    let needs = Needs {
        overwritten: BTreeMap::new(),
        last: state.clone(),
    };
    let mut flow = Flow { view, needs };
    for v in func
        .params
        .iter()
        .filter(|v| func.var(**v).mode == Mode::Mut)
    {
        state[v.index()].insert(Need::Caller);
    }
    flow.block(&func.body, &mut state);
    if let Some(ret) = func.ret {
        flow.needs.last[ret.index()].union(&state[ret.index()]);
    }
    flow.needs
}

struct Flow<'a, 'b> {
    view: &'a View<'b>,
    needs: Needs,
}

impl Flow<'_, '_> {
    fn block(&mut self, block: &Block, state: &mut State) {
        for stmt in &block.stmts {
            self.stmt(stmt, state);
        }
        for v in block.stmts.iter().rev().filter_map(Stmt::declared) {
            let uses = std::mem::take(&mut state[v.index()]);
            let facts = &self.view.analysed.facts;
            match facts.at_end(v) {
                Some(LocalRestore::Copy) => {
                    let holder = facts.holder(v);
                    holder.iter().for_each(|h| add(state, *h, &uses));
                }
                Some(LocalRestore::Invert) => {
                    let inverse = facts.inverse_at_end(v);
                    inverse.iter().for_each(|e| self.require(e, &uses, state));
                }
                Some(LocalRestore::Recompute) => {
                    let definition = self.view.declared.get(&v);
                    let definition = definition.and_then(|s| self.view.stmts.get(s));
                    for e in definition.iter().flat_map(|s| s.operands()) {
                        self.require(e, &uses, state);
                    }
                }
                Some(LocalRestore::Record | LocalRestore::Constant | LocalRestore::Zeros)
                | None => {}
            }
            self.needs.last[v.index()].union(&uses);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, state: &mut State) {
        let facts = &self.view.analysed.facts;
        let uses = &facts.uses[stmt.id.index()];
        let own = singleton(Need::Adjoint(stmt.id));
        let control = singleton(Need::Control(stmt.id));
        let cells = &facts.cells;
        cells
            .vars(&uses.operands)
            .iter()
            .for_each(|v| add(state, v, &own));
        match &stmt.kind {
            StmtKind::Let(v, _) => {
                state[v.index()] = NeedSet::default();
            }
            StmtKind::Swap(a, b) if self.is_recorded(stmt.id) => {
                let mut both = state[a.root.index()].clone();
                both.union(&state[b.root.index()]);
                [a, b].iter().for_each(|p| add(state, p.root, &both));
            }
            StmtKind::Insert(place, at, _) | StmtKind::Remove(_, place, at)
                if self.is_recorded(stmt.id) =>
            {
                let index = singleton(Need::Place(stmt.id));
                let indices = place.operands().into_iter().chain(at);
                indices.for_each(|e| self.require(e, &index, state));
                let whole = state[place.root.index()].clone();
                stmt.declared().iter().for_each(|v| add(state, *v, &whole));
            }
            StmtKind::Insert(..) | StmtKind::Remove(..) => {}
            StmtKind::If(test, then, els) => {
                if uses.any && self.is_recomputed(stmt.id) {
                    self.require(test, &control, state);
                }
                let mut other = state.clone();
                self.block(then, state);
                self.block(els, &mut other);
                merge_states(state, &other);
                if let Some(by) = facts.own.implied.get(&stmt.id) {
                    add(state, *by, &control);
                }
            }
            StmtKind::Loop(head, body) => {
                if let (LoopHead::Counted(_, range), true) = (head, uses.any) {
                    range
                        .operands()
                        .into_iter()
                        .for_each(|e| self.require(e, &control, state));
                }
                loop {
                    let mut after = state.clone();
                    self.block(body, &mut after);
                    if !merge_states(state, &after) {
                        break;
                    }
                }
            }
            _ => self.overwrite(stmt, state),
        }
        cells
            .vars(&uses.results)
            .iter()
            .for_each(|v| add(state, v, &own));
    }

    fn overwrite(&mut self, stmt: &Stmt, state: &mut State) {
        let recorded = self.is_recorded(stmt.id);
        for place in stmt.written() {
            let uses = &state[place.root.index()];
            let overwritten = &mut self.needs.overwritten;
            let of_place = overwritten.entry((stmt.id, place.root)).or_default();
            of_place.union(uses);
            if recorded {
                let index = singleton(Need::Place(stmt.id));
                place
                    .operands()
                    .into_iter()
                    .for_each(|e| self.require(e, &index, state));
            }
            let is_call = matches!(stmt.kind, StmtKind::Call(_));
            if place.is_whole() && !is_call {
                let uses = std::mem::take(&mut state[place.root.index()]);
                let inverse = self.view.analysed.facts.inverse(stmt.id);
                inverse.iter().for_each(|e| self.require(e, &uses, state));
            }
        }
    }

    fn require(&self, e: &Expr, uses: &NeedSet, state: &mut State) {
        e.needs(self.view.func())
            .into_iter()
            .for_each(|v| add(state, v, uses));
    }

    fn is_recorded(&self, id: StmtId) -> bool {
        let facts = &self.view.analysed.facts;
        let by = |tbr: &crate::passes::tbr::Tbr| {
            let mut of_stmt = tbr.recorded.range((id, 0)..=(id, usize::MAX));
            of_stmt.any(|(_, recorded)| *recorded)
        };
        by(&facts.own) || by(&facts.for_caller)
    }

    /// Whether a branch is decided by re-evaluating its condition: no flag is recorded for it.
    fn is_recomputed(&self, id: StmtId) -> bool {
        !self.view.plan().records.iter().any(|r| r.of == id)
    }
}

fn add(state: &mut State, v: VarId, uses: &NeedSet) {
    state[v.index()].union(uses);
}

fn singleton(need: Need) -> NeedSet {
    NeedSet::from_iter([need])
}

/// Whether `into` grew.
fn merge_states(into: &mut State, from: &State) -> bool {
    let mut changed = false;
    for (into, from) in into.iter_mut().zip(from) {
        changed |= into.union(from);
    }
    changed
}
