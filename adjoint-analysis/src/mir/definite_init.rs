//! Definite assignment, as rustc determines it.
//!
//! Early exits became flags ([`super::exits`]), which rustc does not follow. A variable whose type has a default starts
//! with that. For the others, this pass finds the uses that rustc would reject as possibly unassigned; such variables
//! are held in `Option`s ([`super::moves`]).

use std::collections::BTreeSet;

use crate::ir::{Block, LoopHead, Stmt, StmtKind, VarId};
use crate::mir::draft::Draft;

/// The variables that may be unassigned; `None` in unreachable code.
type Unassigned = Option<BTreeSet<VarId>>;

struct Walk<'a> {
    draft: &'a Draft,
    /// The possibly unassigned variables at each `break` of the enclosing loops, innermost last.
    breaks: Vec<Vec<BTreeSet<VarId>>>,
    used: BTreeSet<VarId>,
    at_end: BTreeSet<VarId>,
}

/// The variables that may be unassigned.
pub struct MaybeUnassigned {
    /// The variables that are used before they are definitely assigned.
    pub used: BTreeSet<VarId>,
    /// The variables that may be unassigned at the end of their scope.
    pub at_end: BTreeSet<VarId>,
    /// Whether the returned value may be unassigned.
    pub ret: bool,
}

impl Draft {
    /// Finds the variables that may be unassigned where they are used.
    pub fn maybe_unassigned(&self, body: &Block) -> MaybeUnassigned {
        let ret = self
            .func
            .ret
            .filter(|r| crate::ir::default_value::default_value(&self.func.var(*r).ty).is_none());
        let mut walk = Walk {
            draft: self,
            breaks: Vec::new(),
            used: BTreeSet::new(),
            at_end: BTreeSet::new(),
        };
        let end = walk.block(body, Some(ret.into_iter().collect()));
        MaybeUnassigned {
            used: walk.used,
            at_end: walk.at_end,
            ret: ret.is_some_and(|r| end.is_some_and(|end| end.contains(&r))),
        }
    }
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, mut state: Unassigned) -> Unassigned {
        for stmt in &block.stmts {
            state = self.stmt(stmt, state?);
        }
        // The last value in a scope may have to be recorded.
        for stmt in &block.stmts {
            let ending = stmt
                .declared()
                .filter(|v| state.as_ref().is_some_and(|s| s.contains(v)));
            self.at_end.extend(ending);
        }
        state
    }

    fn stmt(&mut self, stmt: &Stmt, mut state: BTreeSet<VarId>) -> Unassigned {
        self.check_uses(stmt, &state);
        match &stmt.kind {
            StmtKind::Let(var, None) => {
                state.insert(*var);
            }
            StmtKind::Assign(place, _) if place.is_whole() => {
                state.remove(&place.root);
            }
            StmtKind::If(_, then, els) => {
                let (then, els) = (
                    self.block(then, Some(state.clone())),
                    self.block(els, Some(state)),
                );
                return join(then, els);
            }
            StmtKind::Loop(head, body) => {
                self.breaks.push(Vec::new());
                self.block(body, Some(state.clone()));
                let breaks = self.breaks.pop().unwrap_or_default();
                // A loop with a head may end before its body has run.
                return match head {
                    LoopHead::Forever => breaks.into_iter().map(Some).fold(None, join),
                    _ => Some(state),
                };
            }
            StmtKind::Break => {
                if let Some(breaks) = self.breaks.last_mut() {
                    breaks.push(state);
                }
                return None;
            }
            StmtKind::Passive(code, _) if self.draft.code[code.index()].diverges() => return None,
            _ => {}
        }
        Some(state)
    }

    fn check_uses(&mut self, stmt: &Stmt, state: &BTreeSet<VarId>) {
        if state.is_empty() {
            return;
        }
        let mut used = BTreeSet::new();
        stmt.walk_exprs(&mut |e| used.extend(e.own_places().iter().map(|p| p.root)));
        let assigned = match &stmt.kind {
            StmtKind::Assign(place, _) if place.is_whole() => Some(place.root),
            _ => None,
        };
        used.extend(
            stmt.own_places()
                .iter()
                .map(|p| p.root)
                .filter(|v| Some(*v) != assigned),
        );
        self.used.extend(used.intersection(state));
    }
}

fn join(a: Unassigned, b: Unassigned) -> Unassigned {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.union(&b).copied().collect()),
        (a, b) => a.or(b),
    }
}
