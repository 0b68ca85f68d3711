//! How loops and branches are reversed, and why what is recorded could not be computed again.

use std::collections::BTreeMap;

use super::view::{View, code};
use crate::ir::{Block, Expr, Intrinsic, LoopHead, Stmt, StmtId, StmtKind, VarId};
use crate::passes::cost::{is_cheap, is_expensive};
use crate::passes::tbr::AtEnd;
use crate::plan::RecordKind;

/// How a loop or branch is reversed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Way {
    /// Nothing in it has to be reversed.
    Skipped,
    /// By its bounds, or by its condition, evaluated again.
    Recomputed,
    /// By a counter or flag that was recorded.
    Recorded,
}

/// The ways of all loops and branches.
pub fn ways(view: &View<'_>) -> BTreeMap<StmtId, Way> {
    let mut ways = BTreeMap::new();
    for (id, stmt) in &view.stmts {
        if matches!(stmt.kind, StmtKind::Loop(..) | StmtKind::If(..)) {
            ways.insert(*id, Way::Skipped);
        }
    }
    view.plan().reverse.walk(&mut |s| {
        let of_primal = ways.contains_key(&s.id);
        if of_primal && matches!(s.kind, StmtKind::Loop(..) | StmtKind::If(..)) {
            ways.insert(s.id, Way::Recomputed);
        }
    });
    let is_way = |kind: &RecordKind| matches!(kind, RecordKind::Flag | RecordKind::Count);
    for record in view.plan().records.iter().filter(|r| is_way(&r.kind)) {
        ways.insert(record.of, Way::Recorded);
    }
    ways
}

/// What the report says of a loop or branch.
pub fn sentence(view: &View<'_>, stmt: &Stmt, way: &Way) -> Option<String> {
    let leaves = |body: &Block| view.leaves(body);
    let how = match (&stmt.kind, way) {
        (StmtKind::Loop(..) | StmtKind::If(..), Way::Skipped) => return None,
        (StmtKind::Loop(LoopHead::Counted(v, _), _), Way::Recomputed) => {
            format!(
                "runs backwards over its bounds, which give {}",
                view.name(*v)
            )
        }
        (StmtKind::Loop(LoopHead::Counted(v, _), body), _) if leaves(body) => {
            let index = view.name(*v);
            format!("trips counted, as it may `break`; {index} runs backwards from there")
        }
        (StmtKind::Loop(..), _) => String::from("trips counted: nothing tells their number before"),
        (StmtKind::If(..), Way::Recomputed) => String::from("condition computed again"),
        (StmtKind::If(test, ..), _) => {
            let why = obstacle(view, test)
                .map(|why| format!(": {why}"))
                .unwrap_or_default();
            format!("flag recorded{why}")
        }
        _ => return None,
    };
    Some(how)
}

/// Why the last value of a local is not computed again; `None` for one that could be.
pub fn obstacle_to_local(view: &View<'_>, v: VarId) -> Option<String> {
    let stmt = view.declared.get(&v).and_then(|id| view.stmts.get(id))?;
    if view.is_overwritten(v) {
        return Some(String::from("assigned more than once"));
    }
    match &stmt.kind {
        StmtKind::Let(_, Some(e)) => obstacle(view, e),
        StmtKind::Call(call) => Some(format!(
            "{} is not called again",
            code(&call.callee.name.replace(' ', ""))
        )),
        _ => None,
    }
}

/// Why an expression is not evaluated again in the reverse sweep.
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
    let recorded = facts.own.at_end.get(&missing).copied().flatten() == Some(AtEnd::Record);
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
                Expr::Intrinsic(op, _) => code(Intrinsic::name(*op)),
                _ => String::from("a division"),
            });
        }
    });
    found
}

impl View<'_> {
    /// Whether anything but its declaration writes the variable.
    pub fn is_overwritten(&self, v: VarId) -> bool {
        self.stmts
            .values()
            .any(|s| s.written().iter().any(|p| p.root == v))
    }

    /// Whether a loop with this body may `break`.
    pub fn leaves(&self, body: &Block) -> bool {
        body.stmts.iter().any(|s| match &s.kind {
            StmtKind::Break => true,
            StmtKind::If(_, a, b) => self.leaves(a) || self.leaves(b),
            _ => false,
        })
    }
}
