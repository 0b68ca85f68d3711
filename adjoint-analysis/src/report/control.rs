//! The reversal of loops and branches, and the reasons why control values are recorded instead of recomputed.

use std::collections::{BTreeMap, BTreeSet};

use super::formula::formula;
use super::view::{View, markdown_code};
use crate::ir::{Block, Expr, Intrinsic, LoopHead, Origin, Stmt, StmtId, StmtKind, VarId};
use crate::passes::tbr::LocalRestore;
use crate::passes::tbr::cost::{is_cheap, is_expensive};
use crate::plan::RecordKind;

/// The reversal of a loop or branch.
#[derive(Clone, PartialEq, Debug)]
pub enum ControlReversal {
    /// It contains nothing to reverse.
    Skipped,
    /// Its bounds or its condition are evaluated again.
    Recomputed,
    /// A counter or flag is recorded.
    Recorded,
    /// This variable implies which arm was taken, or in which iteration the loop was left.
    Implied(VarId),
    /// This is the trip count, by what a variable holds.
    Counted(Expr),
}

/// The reversal of each loop and branch.
pub fn control_reversals(view: &View<'_>) -> BTreeMap<StmtId, ControlReversal> {
    let mut ways = BTreeMap::new();
    for (id, stmt) in &view.stmts {
        if matches!(stmt.kind, StmtKind::Loop(..) | StmtKind::If(..)) {
            ways.insert(*id, ControlReversal::Skipped);
        }
    }
    view.plan().reverse.walk(&mut |s| {
        let of_primal = ways.contains_key(&s.id);
        if of_primal && matches!(s.kind, StmtKind::Loop(..) | StmtKind::If(..)) {
            ways.insert(s.id, ControlReversal::Recomputed);
        }
    });
    let is_way = |kind: &RecordKind| matches!(kind, RecordKind::Flag | RecordKind::Count);
    let made = view.plan().records.iter().filter(|r| !r.demand.is_never());
    for record in made.filter(|r| is_way(&r.kind)) {
        if let Some(way) = ways.get_mut(&record.of) {
            *way = ControlReversal::Recorded;
        }
    }
    let own = &view.analysed.facts.own;
    for (id, by) in own.implied.iter().chain(&own.exit_iteration) {
        if let Some(way @ ControlReversal::Recomputed) = ways.get_mut(id) {
            *way = ControlReversal::Implied(*by);
        }
    }
    for (id, trips) in &own.trips_from_counters {
        let is_counted = |s: &&Stmt| matches!(s.kind, StmtKind::Loop(LoopHead::Counted(..), _));
        let has_bounds = view.stmts.get(id).is_some_and(is_counted);
        if let Some(way @ ControlReversal::Recomputed) = ways.get_mut(id)
            && !has_bounds
            && !own.recomputed_trips.contains(id)
        {
            *way = ControlReversal::Counted(trips.clone());
        }
    }
    ways
}

/// The sentence of the report about a loop or branch.
pub fn sentence(view: &View<'_>, stmt: &Stmt, way: &ControlReversal) -> Option<String> {
    let leaves = |body: &Block| view.may_break(body);
    let how = match (&stmt.kind, way) {
        (StmtKind::Loop(..) | StmtKind::If(..), ControlReversal::Skipped) => return None,
        (StmtKind::Loop(head, _), _) if view.func().checkpoints.contains_key(&stmt.id) => {
            let how = "reversed from snapshots, one step at a time";
            let is_named = |v: &VarId| view.func().var(*v).origin == Origin::Index;
            match head.index().into_iter().find(is_named) {
                Some(v) => format!("{how}; {} is that of the step", view.name(v)),
                None => how.into(),
            }
        }
        (StmtKind::Loop(LoopHead::Counted(v, _), _), ControlReversal::Recomputed) => {
            format!(
                "runs backwards over its bounds, which give {}",
                view.name(*v)
            )
        }
        (StmtKind::Loop(LoopHead::Counted(v, _), _), ControlReversal::Implied(by)) => {
            let (index, left) = (view.name(*v), view.name(*by));
            format!("{left} says in which iteration it was left; {index} runs backwards from there")
        }
        (StmtKind::Loop(LoopHead::Counted(v, _), body), _) if leaves(body) => {
            let index = view.name(*v);
            format!("trips counted, as it may `break`; {index} runs backwards from there")
        }
        (StmtKind::Loop(..), ControlReversal::Counted(trips)) => {
            let trips = formula(view, trips).code;
            format!("{} is its trip count", markdown_code(&trips))
        }
        (StmtKind::Loop(..), ControlReversal::Recomputed) => {
            String::from("trips computed again from where its counter starts and ends")
        }
        (StmtKind::Loop(head, body), _) => {
            format!("trips counted: {}", trips_reason(view, head, body))
        }
        (StmtKind::If(..), ControlReversal::Recomputed) => String::from("condition computed again"),
        (StmtKind::If(..), ControlReversal::Implied(by)) => match is_constant(view, *by) {
            true => {
                String::from("told by the trips: the last one leaves the loop here, no other does")
            }
            false => format!("told by {}", view.name(*by)),
        },
        (StmtKind::If(test, ..), _) => format!("flag recorded: {}", arm_reason(view, test)),
        _ => return None,
    };
    Some(how)
}

/// The control entries on the tape: the loop or branch, the kind of value, and the reason why it can't be recomputed.
pub fn entries(view: &View<'_>) -> Vec<(StmtId, &'static str, String)> {
    let mut entries = Vec::new();
    for (k, record) in view.plan().records.iter().enumerate() {
        // Omits records for no caller, or only for callers that need their arguments restored.
        if record.demand.is_never() || record.demand.only_restores() {
            continue;
        }
        let labels = implied_branches(view, k);
        let of = exited_loop(view, k).unwrap_or(record.of);
        let entry = match (&record.kind, view.stmts.get(&of).map(|s| &s.kind)) {
            (RecordKind::Count, Some(StmtKind::Loop(head, body))) => {
                (of, "trip count", trips_reason(view, head, body))
            }
            (RecordKind::Flag, Some(StmtKind::If(test, ..))) => {
                (record.of, "flag", arm_reason(view, test))
            }
            (RecordKind::Flag | RecordKind::Label(_), _) => {
                let of = labels.first().copied().unwrap_or(record.of);
                let why: BTreeSet<String> = labels
                    .iter()
                    .filter_map(|id| match view.stmts.get(id).map(|s| &s.kind) {
                        Some(StmtKind::If(test, ..)) => Some(arm_reason(view, test)),
                        _ => None,
                    })
                    .collect();
                let why = why.into_iter().collect::<Vec<_>>().join("; ");
                let ways = if record.kind == RecordKind::Flag {
                    "two"
                } else {
                    "several"
                };
                let reason = match why.is_empty() {
                    true => String::from("conditions read it"),
                    false => format!("tells {ways} ways: {why}"),
                };
                (of, "label", reason)
            }
            _ => continue,
        };
        entries.push(entry);
    }
    entries
}

/// The loop whose iteration number the record holds.
fn exited_loop(view: &View<'_>, record: usize) -> Option<StmtId> {
    let by = recorded_var(view, record)?;
    let mut left = view.analysed.facts.own.exit_iteration.iter();
    left.find(|(_, v)| **v == by).map(|(id, _)| *id)
}

/// The recorded variable.
fn recorded_var(view: &View<'_>, record: usize) -> Option<VarId> {
    let recorded = &view.recorded;
    let of = recorded.iter().find(|r| r.id.index() == record);
    of.map(|r| r.place.root)
}

/// The branches that the record of a label decides.
fn implied_branches(view: &View<'_>, record: usize) -> Vec<StmtId> {
    let by = recorded_var(view, record);
    let implied = &view.analysed.facts.own.implied;
    let mut told: Vec<StmtId> = implied
        .iter()
        .filter(|(_, v)| Some(**v) == by)
        .map(|(id, _)| *id)
        .collect();
    told.sort_by_key(|id| view.order.get(id).copied());
    told
}

/// Whether the variable's value at the end of its scope is a known literal.
fn is_constant(view: &View<'_>, v: VarId) -> bool {
    let end = view.analysed.facts.own.at_end.get(&v).copied().flatten();
    end == Some(LocalRestore::Constant)
}

/// The reason why the trip count of a loop is recorded.
fn trips_reason(view: &View<'_>, head: &LoopHead, body: &Block) -> String {
    let facts = &view.analysed.facts;
    let why = match head {
        _ if !facts.config.recomputation => "recomputation is switched off",
        LoopHead::Forever => "only a `break` ends it",
        _ if view.may_break(body) => "a `break` may end it",
        LoopHead::While(test) | LoopHead::CountedWhile(_, test)
            if !compares_integers(view, test) =>
        {
            "its condition is no comparison of a counter"
        }
        _ => "its counter has no start, step or bound that is at hand",
    };
    why.to_string()
}

fn compares_integers(view: &View<'_>, test: &Expr) -> bool {
    match test {
        Expr::Binary(op, a, _) if op.is_comparison() => {
            matches!(a.ty(view.func()), crate::ir::Ty::Int(_))
        }
        _ => false,
    }
}

/// The reason why the arm that a branch took is recorded.
fn arm_reason(view: &View<'_>, test: &Expr) -> String {
    obstacle(view, test).unwrap_or_else(|| String::from("its operands are not at hand any more"))
}

/// The reason why the last value of a local is not recomputed; `None` if it could be.
pub fn obstacle_to_local(view: &View<'_>, v: VarId) -> Option<String> {
    let stmt = view.declared.get(&v).and_then(|id| view.stmts.get(id))?;
    if view.is_overwritten(v) {
        return Some(String::from("assigned more than once"));
    }
    match &stmt.kind {
        StmtKind::Let(_, Some(e)) => obstacle(view, e),
        StmtKind::Call(call) => Some(format!(
            "{} is not called again",
            markdown_code(&call.callee.name.replace(' ', ""))
        )),
        _ => None,
    }
}

/// The reason why an expression is not recomputed in the reverse sweep.
pub fn obstacle(view: &View<'_>, e: &Expr) -> Option<String> {
    let facts = &view.analysed.facts;
    if !facts.config.recomputation {
        return Some(String::from("recomputation is switched off"));
    }
    if let Some(operation) = expensive_operation(view, e) {
        return Some(format!("{operation} is not worth computing twice"));
    }
    if !is_cheap(e, view.func()) {
        return Some(String::from("no scalar"));
    }
    let needs = e.needs(view.func());
    let missing = needs.into_iter().find(|v| !facts.own.free.contains(*v))?;
    let recorded = facts.own.at_end.get(&missing).copied().flatten() == Some(LocalRestore::Record);
    let name = view.name(missing);
    Some(match view.is_overwritten(missing) {
        true => format!("{name} is overwritten"),
        false if recorded => format!("{name} would have to be recorded instead"),
        false => format!("{name} is not at hand"),
    })
}

fn expensive_operation(view: &View<'_>, e: &Expr) -> Option<String> {
    let mut found = None;
    e.walk(&mut |e| {
        if found.is_none() && is_expensive(e, view.func()) {
            found = Some(match e {
                Expr::Intrinsic(op, _) => markdown_code(Intrinsic::name(*op)),
                _ => String::from("a division"),
            });
        }
    });
    found
}

impl View<'_> {
    /// Whether a loop with this body may `break`.
    pub fn may_break(&self, body: &Block) -> bool {
        body.stmts.iter().any(|s| match &s.kind {
            StmtKind::Break => true,
            StmtKind::If(_, a, b) => self.may_break(a) || self.may_break(b),
            _ => false,
        })
    }
}
