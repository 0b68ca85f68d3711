//! The states of the forward sweep: what each location holds before and after each statement.

pub(super) mod closed_forms;
pub(super) mod exits;
pub(super) mod primal;
pub(super) mod shape;
pub(super) mod trips;

use std::collections::HashMap;

use self::primal::Rewritten;
use self::shape::{ArmRecord, Item, Section, Shape};
use super::faults::{FaultKind, Faults};
use super::terms::cells::{Evaluator, has_fixed_shape};
use super::terms::state::State;
use super::terms::term::{Cell, Node, Term};
use crate::ir::{
    Arg, Block, Call, Expr, LoopHead, Place, Proj, RecordId, Stmt, StmtId, StmtKind, Ty,
};
use crate::passes::checkpoint::Callees;
use crate::passes::fixed_lengths::FixedLengths;
use crate::plan::Plan;

/// The results of the walk of the forward sweep.
#[derive(Default)]
pub struct ForwardFacts {
    /// The state before each primal statement.
    pub before: HashMap<StmtId, State>,
    /// The state after it.
    pub after: HashMap<StmtId, State>,
    /// The states at the ends of the arms of a branch.
    pub arms: HashMap<StmtId, [State; 2]>,
    /// The states at the start and at the end of an iteration.
    pub iterations: HashMap<StmtId, (State, State)>,
    /// The value of a branch's condition.
    pub conditions: HashMap<StmtId, Term>,
    /// Values that are equal to the number of iterations of a loop.
    pub trips: HashMap<StmtId, Vec<Term>>,
    /// The position and value of each record.
    pub sites: HashMap<RecordId, RecordSite>,
    /// The state at the start.
    pub entry: State,
    /// The state at the end.
    pub end: State,
}

/// Where a record is made.
#[derive(Clone)]
pub struct RecordSite {
    /// The section.
    pub section: usize,
    /// The value.
    pub value: Term,
    /// The place that it is read from, and the state in which.
    pub place: Option<(Place, State)>,
}

/// Walks the forward sweep.
pub fn walk<'a>(
    plan: &'a Plan,
    shape: &Shape<'a>,
    rewritten: &Rewritten<'a>,
    values: &mut Evaluator<'a>,
    faults: &mut Faults,
) -> ForwardFacts {
    let mut state = values.empty();
    for v in plan.func.params.iter().chain(&plan.func.ret) {
        for c in values.of(*v) {
            let is_param = plan.func.params.contains(v);
            let node = if is_param {
                Node::Entry(c)
            } else {
                Node::Unset(*v)
            };
            state.set(c.index(), Some(values.node(node)));
        }
    }
    let facts = ForwardFacts {
        entry: state.clone(),
        ..ForwardFacts::default()
    };
    let mut walk = Walk {
        shape,
        callees: plan.callees(),
        rewritten,
        values,
        faults,
        facts,
        path: Vec::new(),
        fixed_lengths: FixedLengths::of(&plan.func),
    };
    walk.section(&shape.root, &mut state);
    walk.facts.end = state;
    walk.facts
}

/// A position to which the walk's results can be reset.
struct Mark {
    trips: HashMap<StmtId, Vec<Term>>,
    sites: HashMap<RecordId, RecordSite>,
    faults: usize,
}

pub(super) struct Walk<'w, 'a> {
    shape: &'w Shape<'a>,
    callees: Callees<'a>,
    rewritten: &'w Rewritten<'a>,
    pub(super) values: &'w mut Evaluator<'a>,
    faults: &'w mut Faults,
    pub(super) facts: ForwardFacts,
    /// The conditions of the branches around, and whether they held.
    pub(super) path: Vec<(Term, bool)>,
    /// The `Vec`s that never change their lengths.
    fixed_lengths: FixedLengths,
}

impl<'a> Walk<'_, 'a> {
    fn section(&mut self, section: &Section<'a>, state: &mut State) {
        for item in &section.items {
            let primal = self.shape.is_primal(item.stmt);
            if primal {
                self.facts.before.insert(item.stmt.id, state.clone());
            }
            self.item(item, section.id, state);
            if primal {
                self.facts.after.insert(item.stmt.id, state.clone());
            }
            for way in &item.arm_records {
                self.arm_record(way, item.stmt.id, section.id);
            }
        }
        for item in &section.items {
            if let Some(v) = item.stmt.declared() {
                self.values.forget(state, v);
            }
        }
    }

    fn item(&mut self, item: &Item<'a>, section: usize, state: &mut State) {
        let id = item.stmt.id;
        match &item.stmt.kind {
            StmtKind::Let(v, init) => {
                let value = match init {
                    Some(e) => self.values.eval(state, e),
                    None => self.values.node(Node::Unset(*v)),
                };
                self.values.set(state, *v, value);
            }
            StmtKind::Assign(p, e) => {
                let value = self.values.eval(state, e);
                let before = p.is_whole().then(|| self.values.len(state, p));
                self.values.write(state, p, value);
                self.keeps_length(id, p, before, state);
            }
            StmtKind::Incr(p, e) => increment(self.values, state, p, e),
            StmtKind::Swap(a, b) => {
                let (a, b) = (self.values.spot(state, a), self.values.spot(state, b));
                self.values.swap(state, &a, &b);
            }
            StmtKind::Insert(p, at, e) => {
                let value = self.values.eval(state, e);
                self.values.insert(state, p, at.as_ref(), value);
            }
            StmtKind::Remove(v, p, at) => {
                let value = self.values.remove(state, p, at.as_ref());
                v.iter().for_each(|v| self.values.set(state, *v, value));
            }
            StmtKind::Call(call) | StmtKind::Forward(call) => self.call(item.stmt, call, state),
            StmtKind::If(condition, ..) => self.branch(item, condition, state),
            StmtKind::Loop(head, _) => self.repeat(item, head, state),
            StmtKind::Record(record, p) => {
                let value = self.values.read(state, p);
                let value = value.filter(|t| !self.values.terms.is_unset(*t));
                let value = value.unwrap_or_else(|| self.undeclared(id, p));
                let place = Some((p.clone(), state.clone()));
                let site = RecordSite {
                    section,
                    value,
                    place,
                };
                self.site(id, *record, site);
            }
            StmtKind::RecordControl(record, e) => {
                let value = self.values.eval(state, e);
                self.site(
                    id,
                    *record,
                    RecordSite {
                        section,
                        value,
                        place: None,
                    },
                );
            }
            StmtKind::Passive(..) | StmtKind::Break => {}
            StmtKind::Zero(_)
            | StmtKind::Restore(..)
            | StmtKind::RestoreControl(..)
            | StmtKind::When(..)
            | StmtKind::Take(_)
            | StmtKind::Replay(..)
            | StmtKind::Reverse { .. } => {
                let message = "a statement of the reverse sweep stands in the forward sweep";
                self.faults.add(id, FaultKind::NotPrimal, message);
            }
        }
    }

    /// A `Vec` that never changes its length gets a value of the length that it had.
    fn keeps_length(&mut self, id: StmtId, p: &Place, before: Option<Term>, state: &State) {
        let is_kept = before.is_none_or(|before| self.values.len(state, p) == before);
        if self.fixed_lengths.contains(p.root) && !is_kept {
            let name = &self.values.func.var(p.root).name;
            let message = format!("`{name}` may change its length");
            self.faults.add(id, FaultKind::StaleRead, message);
        }
    }

    fn undeclared(&mut self, id: StmtId, p: &Place) -> Term {
        let name = &self.values.func.var(p.root).name;
        let message = format!("`{name}` is recorded where it has no value");
        self.faults.add(id, FaultKind::Undeclared, message);
        self.values.terms.unknown()
    }

    fn site(&mut self, id: StmtId, record: RecordId, site: RecordSite) {
        if self.facts.sites.insert(record, site).is_some() {
            let message = format!("record {} is made in two places", record.0);
            self.faults.add(id, FaultKind::Unbalanced, message);
        }
    }

    /// A record of the arm taken has the value of the condition if each arm saves a value that distinguishes it.
    fn arm_record(&mut self, way: &ArmRecord<'a>, id: StmtId, section: usize) {
        let condition = self.facts.conditions.get(&id).copied();
        let arms = self.facts.arms.get(&id).cloned();
        let (Some(condition), Some(arms)) = (condition, arms) else {
            return;
        };
        let mut proven = true;
        for (k, text) in ["true", "false"].into_iter().enumerate() {
            let saved = self.values.eval(&arms[k], way.values[k]);
            proven &= saved == condition || self.values.terms.is_lit(saved, text);
        }
        let value = if proven {
            condition
        } else {
            self.values.terms.unknown()
        };
        self.site(
            id,
            way.record,
            RecordSite {
                section,
                value,
                place: None,
            },
        );
    }

    fn call(&mut self, stmt: &Stmt, call: &Call, state: &mut State) {
        let id = stmt.id;
        let mut spots = Vec::new();
        for (n, arg) in call.args.iter().enumerate() {
            if let Arg::Mut(p) = arg {
                spots.push((n, self.values.spot(state, p)));
            }
        }
        self.values.assume_disjoint(state, call);
        let before = state.clone();
        for (n, spot) in spots {
            let value = self.values.node(Node::Written(id, n));
            self.values.put(state, &spot, value);
        }
        self.values.drop_disjointness();
        for c in self.values.left_by_callee(call, self.callees) {
            state.set(c.index(), before[c.index()]);
        }
        self.keep_lengths(stmt, [&before, state]);
        if let Some(v) = call.result {
            let value = self.values.node(Node::Written(id, usize::MAX));
            self.values.set(state, v, value);
        }
    }

    /// Notes the lengths of what a visible callee writes and does not reshape.
    fn keep_lengths(&mut self, stmt: &Stmt, [before, after]: [&State; 2]) {
        for place in self.callees.places_written_in_shape(stmt) {
            for c in self.values.under(&place) {
                if let (Some(old), Some(new)) = (before[c.index()], after[c.index()]) {
                    self.values.terms.same_length(new, old, true);
                }
            }
        }
    }

    fn branch(&mut self, item: &Item<'a>, condition: &Expr, state: &mut State) {
        let id = item.stmt.id;
        let value = self.values.eval(state, condition);
        if let Some(original) = self.rewritten.get(&id)
            && self.values.eval(state, original) != value
        {
            let message = "the condition does not have the value of the primal's";
            self.faults.add(id, FaultKind::NotPrimal, message);
        }
        self.facts.conditions.insert(id, value);
        let mut ends = [state.clone(), state.clone()];
        let arms = item.sections.iter().zip(&mut ends);
        for ((section, end), held) in arms.zip([true, false]) {
            self.path.push((value, held));
            self.section(section, end);
            self.path.pop();
        }
        let [then, els] = &ends;
        match self.values.terms.truth(value) {
            Some(true) => *state = then.clone(),
            Some(false) => *state = els.clone(),
            None => self.join(id, value, &ends, state),
        }
        self.facts.arms.insert(id, ends);
    }

    fn join(&mut self, id: StmtId, condition: Term, [then, els]: &[State; 2], state: &mut State) {
        for n in 0..state.len() {
            let met = match (then[n], els[n]) {
                (Some(a), Some(b)) if a != b => {
                    Some(self.joined(id, Cell(n as u32), condition, [a, b]))
                }
                (a, b) => a.and(b),
            };
            state.set(n, met);
        }
    }

    fn joined(&mut self, id: StmtId, cell: Cell, condition: Term, [a, b]: [Term; 2]) -> Term {
        let ty = self.values.ty(cell);
        if let Some(selected) = ty.and_then(|ty| self.values.terms.merged(condition, a, b, ty)) {
            return selected;
        }
        let join = self.values.node(Node::Join(id, cell));
        if self.values.terms.len(a, &[]) == self.values.terms.len(b, &[]) {
            self.values.terms.same_length(join, a, false);
        }
        join
    }

    fn repeat(&mut self, item: &Item<'a>, head: &LoopHead, state: &mut State) {
        let id = item.stmt.id;
        let entry = state.clone();
        let written = written(self.values, self.callees, item.stmt);
        let fixed_lengths = &self.fixed_lengths.clone();
        let merge = |values: &mut Evaluator<'a>,
                     state: &mut State,
                     changes: &dyn Fn(Cell, &LoopWrite) -> bool,
                     make: &dyn Fn(StmtId, Cell) -> Node| {
            for (cell, change) in written.iter().filter(|(cell, c)| changes(*cell, c)) {
                let change = &change.change;
                if let Some(old) = entry[cell.index()] {
                    let new = values.node(make(id, *cell));
                    let of = values.whole(*cell);
                    // Each assignment is checked.
                    let is_fixed = of.is_some_and(|v| fixed_lengths.contains(v));
                    if *change != Change::Length || is_fixed {
                        let inside = *change == Change::Values;
                        values.terms.same_length(new, old, inside);
                    }
                    state.set(cell.index(), Some(new));
                }
            }
        };
        let mut after = entry.clone();
        merge(self.values, &mut after, &|_, _| true, &|id, c| {
            Node::Exit(id, c)
        });
        let goes_on = written.iter().filter(|(_, c)| c.goes_on);
        let mut kept = self.perhaps_kept(item, &entry, goes_on.map(|(cell, _)| *cell));
        let (start, ends, number) = loop {
            let before = self.mark();
            *state = entry.clone();
            let changes = |cell: Cell, c: &LoopWrite| c.goes_on && !kept.contains(&cell);
            merge(self.values, state, &changes, &|id, c| Node::Start(id, c));
            let start = state.clone();
            let number = self.number(item, head, [&entry, &start]);
            self.bound_index(id, head, &entry);
            self.iteration(item, head, state);
            let ends = self.ends(item, state);
            if self.are_kept(&mut kept, &entry, &ends) {
                break (start, ends, number);
            }
            self.rewind(before);
        };
        self.leave(item, head, [&entry, &start], (&ends, number), &mut after);
        if let (LoopHead::Forever, StmtKind::Loop(_, body)) = (head, &item.stmt.kind) {
            self.counted_until(item, body, [&entry, &start]);
        }
        if let LoopHead::While(test) | LoopHead::CountedWhile(_, test) = head {
            self.counted(item, test, [&entry, &start, state]);
        }
        self.close(item, head, [&entry, &start, state], &mut after);
        self.count(id, [&entry, &start, state, &after]);
        self.facts
            .iterations
            .insert(id, (start, std::mem::replace(state, after)));
    }

    /// One iteration, from its start on.
    fn iteration(&mut self, item: &Item<'a>, head: &LoopHead, state: &mut State) {
        let id = item.stmt.id;
        match head {
            LoopHead::Counted(v, _) | LoopHead::CountedWhile(v, _) => {
                let index = self.values.node(Node::Index(id));
                self.values.set(state, *v, index);
            }
            LoopHead::While(_) | LoopHead::Forever => {}
            _ => self
                .faults
                .add(id, FaultKind::NotPrimal, "a loop of the reverse sweep"),
        }
        if let [body] = &item.sections[..] {
            self.section(body, state);
        }
        if let Some(v) = head.index() {
            self.values.forget(state, v);
        }
    }

    /// A mark to which the results can be reset.
    fn mark(&self) -> Mark {
        Mark {
            trips: self.facts.trips.clone(),
            sites: self.facts.sites.clone(),
            faults: self.faults.mark(),
        }
    }

    fn rewind(&mut self, mark: Mark) {
        self.facts.trips = mark.trips;
        self.facts.sites = mark.sites;
        self.faults.rewind(mark.faults);
    }

    fn next(&mut self, at: Term, one: Term) -> Term {
        let terms = &mut self.values.terms;
        terms.arithmetic("wrapping_add", &Ty::USIZE, vec![at, one])
    }
}

/// `place += value` in a state.
pub fn increment(values: &mut Evaluator<'_>, state: &mut State, place: &Place, e: &Expr) {
    let old = values.read(state, place);
    let old = old.unwrap_or_else(|| values.terms.unknown());
    let value = values.eval(state, e);
    let new = values.sum(old, value);
    values.write(state, place, new);
}

/// The kinds of changes to a location by a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// Values, and no lengths.
    Values,
    /// Lengths of aggregates inside it.
    Inside,
    /// Its length.
    Length,
}

/// The effect of a loop on a location.
struct LoopWrite {
    change: Change,
    /// Whether an iteration that writes it may go on with the next.
    goes_on: bool,
}

/// The locations that statements inside a loop write.
fn written(values: &Evaluator<'_>, callees: Callees<'_>, stmt: &Stmt) -> Vec<(Cell, LoopWrite)> {
    let mut found: HashMap<Cell, LoopWrite> = HashMap::new();
    for block in stmt.blocks() {
        writes(
            (values, callees),
            block,
            (block.always_breaks(), true),
            &mut found,
        );
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable_by_key(|(cell, _)| *cell);
    found
}

/// The writes of a block; `last` says that a `break` of the loop follows on any path, `own` that a `break` in the block
/// would be of this loop.
fn writes(
    (values, callees): (&Evaluator<'_>, Callees<'_>),
    block: &Block,
    (last, own): (bool, bool),
    found: &mut HashMap<Cell, LoopWrite>,
) {
    for stmt in &block.stmts {
        for p in &callees.written_by(stmt) {
            let fixed = has_fixed_shape(&p.known_ty(values.func));
            let change = match () {
                _ if fixed || matches!(stmt.kind, StmtKind::Incr(..)) => Change::Values,
                _ if callees.keeps_shape_of(stmt, p) => Change::Values,
                _ if is_inside(p) => Change::Inside,
                _ => Change::Length,
            };
            for c in values.under(p) {
                let known = found.entry(c).or_insert(LoopWrite {
                    change,
                    goes_on: false,
                });
                known.change = change.max(known.change);
                known.goes_on |= !last;
            }
        }
        for inner in stmt.blocks() {
            let own = own && !matches!(stmt.kind, StmtKind::Loop(..));
            writes(
                (values, callees),
                inner,
                (last || own && inner.always_breaks(), own),
                found,
            );
        }
    }
}

/// Whether the place lies behind an index.
fn is_inside(place: &Place) -> bool {
    place
        .proj
        .iter()
        .any(|p| !matches!(p, Proj::Field(_) | Proj::Deref | Proj::Variant(..)))
}
