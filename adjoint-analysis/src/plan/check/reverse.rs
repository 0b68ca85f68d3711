//! The walk through the reverse sweep, one mirrored block after another.

pub(super) mod adjoint;
pub(super) mod call;
pub(super) mod distribution;
pub(super) mod read;
pub(super) mod structure;

use std::collections::{BTreeSet, HashMap, HashSet};

use self::adjoint::{AdjointStates, Cursor};
use self::read::{Role, Roles};
use super::faults::{FaultKind, Faults};
use super::forward::shape::{Class, Item, Section, Shape};
use super::forward::{self, ForwardFacts};
use super::snapshots::States;
use super::terms::cells::Evaluator;
use super::terms::state::State;
use super::terms::term::{Cell, Node, Term};
use crate::ir::{
    AdjArg, Block, Expr, LoopHead, Mode, Place, RecordId, Stmt, StmtId, StmtKind, VarId,
};
use crate::passes::checkpoint::is_part_of;
use crate::passes::fixed_lengths::FixedLengths;
use crate::passes::tbr::regions::Definitions;
use crate::plan::Plan;

/// The state of the reverse sweep.
#[derive(Clone)]
pub struct ReverseState {
    /// What each location holds.
    pub values: State,
    /// The state of each adjoint location.
    pub adjoints: AdjointStates,
    /// Variables that are copies of a primal place.
    pub copies: HashMap<VarId, Place>,
    /// The locations whose value the reverse sweep has computed.
    pub computed: HashSet<Cell>,
}

/// The walk.
pub struct Reverse<'w, 'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The forward sweep.
    pub shape: &'w Shape<'a>,
    /// The results of the walk of the forward sweep.
    pub facts: &'w ForwardFacts,
    /// Terms.
    pub values: &'w mut Evaluator<'a>,
    /// The faults found.
    pub faults: &'w mut Faults,
    /// The cursor of each enclosing block.
    pub cursors: Vec<Cursor<'w, 'a>>,
    /// The primal statements.
    pub primal: HashMap<StmtId, &'a Stmt>,
    /// The roles of the arguments of partials.
    pub roles: Roles,
    /// The definitions of lengths.
    pub lengths: Definitions,
    /// The `Vec`s that never change their lengths.
    pub fixed_lengths: FixedLengths,
    /// The states of the checkpointed loops.
    pub states: &'w States,
    /// The variables that hold numbers of iterations.
    pub counts: HashSet<VarId>,
    /// The adjoints in front of each reversed loop around.
    pub loop_entries: Vec<AdjointStates>,
    /// The conditions of the branches around, and whether they held.
    pub path: Vec<(Term, bool)>,
}

/// Walks the reverse sweep.
pub fn walk<'w, 'a>(
    plan: &'a Plan,
    shape: &'w Shape<'a>,
    facts: &'w ForwardFacts,
    (states, values): (&'w States, &'w mut Evaluator<'a>),
    faults: &'w mut Faults,
) {
    let mut primal = HashMap::new();
    collect(&shape.root, shape, &mut primal);
    let adjoints = self::adjoint::entry(plan, values);
    let cursors = Vec::new();
    let mut walk = Reverse {
        plan,
        lengths: Definitions::of(&plan.func),
        fixed_lengths: FixedLengths::of(&plan.func),
        states,
        shape,
        facts,
        values,
        faults,
        cursors,
        primal,
        roles: Roles::new(),
        counts: HashSet::new(),
        loop_entries: Vec::new(),
        path: Vec::new(),
    };
    let mut now = ReverseState {
        values: walk.entry(),
        adjoints,
        copies: HashMap::new(),
        computed: HashSet::new(),
    };
    walk.section(&shape.root, &plan.reverse, &mut now);
    walk.finish(&now);
}

fn collect<'a>(section: &Section<'a>, shape: &Shape<'a>, into: &mut HashMap<StmtId, &'a Stmt>) {
    for item in &section.items {
        if shape.is_primal(item.stmt) {
            into.insert(item.stmt.id, item.stmt);
        }
        item.sections.iter().for_each(|s| collect(s, shape, into));
    }
}

impl<'w, 'a> Reverse<'w, 'a> {
    /// The parameters: `&mut` ones as the forward sweep left them, the others as it got them.
    fn entry(&self) -> State {
        let mut state = self.values.empty();
        for v in &self.plan.func.params {
            let is_mut = self.plan.func.var(*v).mode == Mode::Mut;
            let from = if is_mut {
                &self.facts.end
            } else {
                &self.facts.entry
            };
            for c in self.values.of(*v) {
                state.set(c.index(), from[c.index()]);
            }
        }
        state
    }

    /// The conditions at the end.
    fn finish(&mut self, now: &ReverseState) {
        let last = self.plan.reverse.stmts.last().map_or(StmtId(0), |s| s.id);
        for &v in &self.plan.restores {
            let mut cells = self.values.of(v).into_iter();
            if cells.any(|c| !self.values.same(&now.values, &self.facts.entry, c)) {
                let name = self.name(v);
                let message = format!("`{name}` does not hold its entry value at the end");
                self.faults.add(last, FaultKind::NotRestored, message);
            }
        }
        self.finish_adjoints(now);
    }

    /// The name of a variable.
    pub fn name(&self, v: VarId) -> String {
        self.plan.func.var(v).name.clone()
    }

    /// The role of the variable.
    pub fn class(&self, v: VarId) -> Class {
        self.shape.class(self.plan, v)
    }

    /// The mirror of a section of the forward sweep.
    pub fn section(&mut self, section: &'w Section<'a>, mirror: &Block, now: &mut ReverseState) {
        self.cursors.push(Cursor::new(section));
        self.block(mirror, now);
        self.cross_rest(now);
        self.cursors.pop();
        self.leave(mirror, now);
    }

    /// The statements of a block. Its variables stay in scope.
    pub fn block(&mut self, block: &Block, now: &mut ReverseState) {
        for stmt in &block.stmts {
            self.stmt(stmt, now);
        }
    }

    /// Ends the scope of the block's variables.
    pub fn leave(&mut self, block: &Block, now: &mut ReverseState) {
        for stmt in &block.stmts {
            let mut ended: Vec<VarId> = stmt.declared().into_iter().collect();
            if let StmtKind::Reverse { adjoints, .. } = &stmt.kind {
                ended.extend(adjoints.iter().filter_map(|a| match a {
                    AdjArg::Increment(v) => Some(*v),
                    _ => None,
                }));
            }
            for v in ended {
                self.values.forget(&mut now.values, v);
                now.copies.remove(&v);
                for c in self.values.of(v) {
                    now.adjoints[c.index()] = self::adjoint::AdjointState::default();
                    now.computed.remove(&c);
                }
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt, now: &mut ReverseState) {
        let id = stmt.id;
        match &stmt.kind {
            StmtKind::Let(v, init) => self.declare(id, *v, init.as_ref(), now),
            StmtKind::Restore(record, p) => self.restore(id, *record, p, now),
            StmtKind::RestoreControl(record, v) => self.restore_way(id, *record, *v, now),
            StmtKind::Assign(p, e) => self.assign(id, p, e, now),
            StmtKind::Incr(p, e) => self.increment(id, p, e, now),
            StmtKind::Swap(a, b) => self.swap(id, a, b, now),
            StmtKind::Insert(p, at, e) => self.insert(id, p, at.as_ref(), e, now),
            StmtKind::Remove(v, p, at) => self.remove(id, *v, p, at.as_ref(), now),
            StmtKind::Zero(p) if self.class(p.root) == Class::Adjoint => self.zero(id, p, now),
            StmtKind::If(condition, then, els) => self.branch(id, condition, [then, els], now),
            StmtKind::Loop(head, body) => self.repeat(id, head, body, now),
            StmtKind::Replay(..) => self.replay(id, now),
            StmtKind::Reverse {
                call,
                adjoints,
                seed,
            } => {
                self.reverse_call(id, call, adjoints, seed.as_ref(), now);
            }
            _ => {
                let message = "such a statement does not belong in a reverse sweep";
                self.faults.add(id, FaultKind::Mirror, message);
            }
        }
    }

    /// A step of a checkpointed loop that is run again, from the values that its snapshot has and those that no step
    /// writes.
    fn replay(&mut self, id: StmtId, now: &mut ReverseState) {
        let (states, facts) = (self.states, self.facts);
        let (Some(state), Some((start, end))) = (states.get(&id), facts.iterations.get(&id)) else {
            let message = "no step of a checkpointed loop can be run again here";
            return self.faults.add(id, FaultKind::Snapshot, message);
        };
        let written = self.cells(&state.sets.written);
        for place in &state.sets.read {
            let mut cells = self.values.under(place).into_iter();
            let is_wrong = |c: Cell| now.values[c.index()] != start[c.index()];
            if cells.any(|c| !written.contains(&c) && is_wrong(c)) {
                let message = format!("`{}` is not what the step read", self.name(place.root));
                self.faults.add(id, FaultKind::Snapshot, message);
            }
        }
        for place in &state.sets.written {
            self.place_in_scope(id, place, now);
        }
        let coming_back = self.cells(state.coming_back());
        for c in written {
            let value = match (coming_back.contains(&c), now.values[c.index()]) {
                (true, _) => end[c.index()],
                (false, before) => Some(self.of_same_length(before)),
            };
            now.values.set(c.index(), value);
            now.computed.remove(&c);
        }
    }

    /// Any value with the lengths of that before: what a step may give other ones is in its snapshot.
    fn of_same_length(&mut self, before: Option<Term>) -> Term {
        let any = self.values.terms.unknown();
        if let Some(before) = before {
            self.values.terms.same_length(any, before, true);
        }
        any
    }

    /// At the entry of a reversed loop: the elements that steps read and none writes.
    pub fn has_constant_elements(&mut self, id: StmtId, now: &ReverseState, after: &State) {
        let states = self.states;
        let Some(state) = states.get(&id) else { return };
        let partly_constant = state.sets.partly_constant.iter();
        for place in partly_constant.filter(|p| !is_part_of(p, &state.restored)) {
            let mut cells = self.values.under(place).into_iter();
            if cells.any(|c| now.values[c.index()] != after[c.index()]) {
                let name = self.name(place.root);
                let message = format!("the elements of `{name}` that no step writes are not there");
                self.faults.add(id, FaultKind::Snapshot, message);
            }
        }
    }

    fn cells<'p>(&self, places: impl IntoIterator<Item = &'p Place>) -> BTreeSet<Cell> {
        let cells = places.into_iter().flat_map(|p| self.values.under(p));
        cells.collect()
    }

    fn declare(&mut self, id: StmtId, v: VarId, init: Option<&Expr>, now: &mut ReverseState) {
        match self.class(v) {
            Class::Adjoint => return self.declare_adjoint(id, v, init, now),
            Class::Primal => {
                if let Some(e) = init {
                    self.in_scope(id, e, now);
                }
                now.computed
                    .extend(self.values.of(v).into_iter().filter(|_| init.is_some()));
            }
            Class::Own => self.own_value(id, v, init, now),
        }
        let value = match init {
            Some(e) => self.values.eval(&now.values, e),
            None => self.values.node(Node::Unset(v)),
        };
        self.values.set(&mut now.values, v, value);
        if init.is_some() {
            self.has_length(id, v, now);
        }
    }

    /// A variable of the planner; a copy is judged where it is used.
    fn own_value(&mut self, id: StmtId, v: VarId, init: Option<&Expr>, now: &mut ReverseState) {
        now.copies.remove(&v);
        let of_loop = !self.plan.func.var(v).ty.is_float()
            && self
                .item(id)
                .is_some_and(|i| matches!(i.stmt.kind, StmtKind::Loop(..)));
        match init {
            // The number of iterations is checked at the loop's head.
            Some(e) if of_loop => {
                self.in_scope(id, e, now);
                self.counts.insert(v);
            }
            Some(Expr::Read(p)) if self.class(p.root) != Class::Adjoint => {
                for e in p.operands() {
                    self.check(id, e, Role::Index, now);
                }
                self.in_scope(id, &Expr::Read(p.clone()), now);
                let origin = match now.copies.get(&p.root) {
                    Some(origin) => {
                        let mut origin = origin.clone();
                        origin.proj.extend(p.proj.iter().cloned());
                        Some(Place {
                            ty: p.ty.clone(),
                            ..origin
                        })
                    }
                    None if self.class(p.root) == Class::Primal => Some(p.clone()),
                    None => None,
                };
                now.copies.extend(origin.map(|o| (v, o)));
            }
            Some(e) => self.adjoint_reads(id, e, now),
            None => {}
        }
    }

    /// Restores the recorded value; the record must have been made in the block that this one mirrors.
    fn recorded(&mut self, id: StmtId, record: RecordId) -> Option<forward::RecordSite> {
        let section = self.cursors.last().map(|c| c.section);
        let site = self.facts.sites.get(&record).cloned();
        match site {
            Some(site) if Some(site.section) == section => Some(site),
            _ => {
                let message = format!("record {} is not made in the block mirrored here", record.0);
                self.faults.add(id, FaultKind::Unbalanced, message);
                None
            }
        }
    }

    fn restore(&mut self, id: StmtId, record: RecordId, p: &Place, now: &mut ReverseState) {
        let site = self.recorded(id, record);
        self.can_write(id, p, now);
        let spot = self.values.spot(&now.values, p);
        let value = match &site {
            Some(site) => site.value,
            None => self.values.terms.unknown(),
        };
        if let Some((from, state)) = site.and_then(|s| s.place) {
            let key = self.values.spot(&state, &from);
            let own = self.class(p.root) == Class::Own && p.is_whole();
            if !own && key != spot {
                let (kind, message) = match from.root == p.root && from.proj == p.proj {
                    true => (
                        FaultKind::StaleIndex,
                        "the index of a restore has another value",
                    ),
                    false => (FaultKind::WrongPlace, "the value comes from another place"),
                };
                self.faults
                    .add(id, kind, format!("{message} than in the record"));
            }
        }
        for c in self.values.under(p) {
            now.computed.remove(&c);
        }
        self.values.put(&mut now.values, &spot, value);
    }

    fn restore_way(&mut self, id: StmtId, record: RecordId, v: VarId, now: &mut ReverseState) {
        let value = match self.recorded(id, record) {
            Some(site) => site.value,
            None => self.values.terms.unknown(),
        };
        self.values.set(&mut now.values, v, value);
    }

    fn assign(&mut self, id: StmtId, p: &Place, e: &Expr, now: &mut ReverseState) {
        match self.class(p.root) {
            Class::Adjoint => return self.replace_adjoint(id, p, e, now),
            Class::Primal => {
                self.in_scope(id, e, now);
                now.computed.extend(self.values.under(p));
            }
            Class::Own => self.own_value(id, p.root, Some(e), now),
        }
        self.can_write(id, p, now);
        let value = self.values.eval(&now.values, e);
        self.values.write(&mut now.values, p, value);
    }

    fn increment(&mut self, id: StmtId, p: &Place, e: &Expr, now: &mut ReverseState) {
        if self.class(p.root) == Class::Adjoint {
            return self.increment_adjoint(id, p, e, now);
        }
        self.has_value(id, p, now);
        if self.class(p.root) == Class::Own {
            self.adjoint_reads(id, e, now);
        }
        forward::increment(self.values, &mut now.values, p, e);
        now.computed.extend(self.values.under(p));
        now.copies.remove(&p.root);
    }

    fn swap(&mut self, id: StmtId, a: &Place, b: &Place, now: &mut ReverseState) {
        if self.class(a.root) == Class::Adjoint {
            return self.swap_adjoints(id, a, b, now);
        }
        for p in [a, b] {
            self.has_value(id, p, now);
        }
        let (a, b) = (
            self.values.spot(&now.values, a),
            self.values.spot(&now.values, b),
        );
        self.values.swap(&mut now.values, &a, &b);
    }

    /// Checks that there is a value, for writing a part of it or exchanging it.
    pub fn has_value(&mut self, id: StmtId, p: &Place, now: &ReverseState) {
        self.place_in_scope(id, p, now);
        let mut cells = self
            .values
            .of(p.root)
            .into_iter()
            .filter_map(|c| now.values[c.index()]);
        if cells.any(|t| self.values.terms.is_unset(t)) {
            let name = self.name(p.root);
            self.faults.add(
                id,
                FaultKind::Undeclared,
                format!("`{name}` has no value yet"),
            );
        }
    }

    /// Checks that the written place is in scope, and has a value if it is a part.
    fn can_write(&mut self, id: StmtId, p: &Place, now: &ReverseState) {
        match p.is_whole() {
            true => self.place_in_scope(id, p, now),
            false => self.has_value(id, p, now),
        }
    }

    /// Checks that the expression's variables are in scope, and have a length if that is read: those of arrays are in
    /// their types.
    pub fn in_scope(&mut self, id: StmtId, e: &Expr, now: &ReverseState) {
        let mut nodes = Vec::new();
        e.walk(&mut |e| nodes.push(e));
        for e in nodes {
            for p in e.own_places() {
                let is_static = self.values.func.var(p.root).ty.has_static_shape();
                match e {
                    Expr::Len(_) if !is_static && self.class(p.root) != Class::Adjoint => {
                        self.has_value(id, p, now);
                    }
                    _ => self.place_in_scope(id, p, now),
                }
            }
        }
    }

    /// Checks that the place's variables are in scope.
    fn place_in_scope(&mut self, id: StmtId, p: &Place, now: &ReverseState) {
        for e in p.operands() {
            self.in_scope(id, e, now);
        }
        let adjoint = self.class(p.root) == Class::Adjoint;
        let known = |c: &Cell| match adjoint {
            true => now.adjoints[c.index()].declared,
            false => now.values[c.index()].is_some(),
        };
        if !self.values.under(p).iter().all(known) {
            let name = self.name(p.root);
            let kind = if adjoint {
                FaultKind::AdjointScope
            } else {
                FaultKind::Undeclared
            };
            self.faults
                .add(id, kind, format!("`{name}` is not in scope"));
        }
    }

    /// The item of the current section for this primal statement.
    pub fn item(&self, id: StmtId) -> Option<&'w Item<'a>> {
        let cursor = self.cursors.last()?;
        let (section, n) = *self.shape.stmts.get(&id)?;
        (section == cursor.section).then(|| &cursor.items[n])
    }

    /// Whether the loop is part of one statement's adjoint, and not the mirror of a loop.
    pub fn is_local_loop(&self, id: StmtId, head: &LoopHead) -> bool {
        let simple = self.item(id).is_some_and(|i| i.sections.is_empty());
        simple && matches!(head, LoopHead::Counted(..))
    }
}
