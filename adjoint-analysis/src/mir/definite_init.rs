//! Variables that rustc could not see to be assigned where they are used.
//!
//! Early exits became flags ([`super::exits`]), which rustc does not follow. A variable whose type has
//! a default starts with that; for the others, this looks for a use that may come too early, as
//! rustc would. Such variables are held in `Option`s ([`super::moves`]).

use std::collections::BTreeSet;

use crate::ir::{Block, LoopHead, Stmt, StmtKind, VarId};
use crate::mir::draft::Draft;

/// The variables that may be without a value; `None` where control does not come.
type Unassigned = Option<BTreeSet<VarId>>;

struct Walk<'a> {
    draft: &'a Draft,
    /// What may be without a value at each `break` of the loops around, innermost last.
    breaks: Vec<Vec<BTreeSet<VarId>>>,
    found: BTreeSet<VarId>,
    ending: BTreeSet<VarId>,
}

/// What may be without a value.
pub struct TooEarly {
    /// The variables that are used before they surely have one.
    pub used: BTreeSet<VarId>,
    /// The variables that may be without one at the end of their scope.
    pub at_end: BTreeSet<VarId>,
    /// Whether the returned value is one.
    pub ret: bool,
}

impl Draft {
    /// Finds such uses.
    pub fn unassigned(&self, body: &Block) -> TooEarly {
        let ret = self
            .func
            .ret
            .filter(|r| crate::ir::default_value::default_value(&self.func.var(*r).ty).is_none());
        let mut walk = Walk {
            draft: self,
            breaks: Vec::new(),
            found: BTreeSet::new(),
            ending: BTreeSet::new(),
        };
        let end = walk.block(body, Some(ret.into_iter().collect()));
        TooEarly {
            used: walk.found,
            at_end: walk.ending,
            ret: ret.is_some_and(|r| end.is_some_and(|end| end.contains(&r))),
        }
    }
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, mut state: Unassigned) -> Unassigned {
        for stmt in &block.stmts {
            state = self.stmt(stmt, state?);
        }
        // What a scope ends with may have to be recorded.
        for stmt in &block.stmts {
            let ending = stmt
                .declared()
                .filter(|v| state.as_ref().is_some_and(|s| s.contains(v)));
            self.ending.extend(ending);
        }
        state
    }

    fn stmt(&mut self, stmt: &Stmt, mut state: BTreeSet<VarId>) -> Unassigned {
        self.uses(stmt, &state);
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
                // A loop with a head may end before its body is run at all.
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

    fn uses(&mut self, stmt: &Stmt, state: &BTreeSet<VarId>) {
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
        self.found.extend(used.intersection(state));
    }
}

fn join(a: Unassigned, b: Unassigned) -> Unassigned {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.union(&b).copied().collect()),
        (a, b) => a.or(b),
    }
}
