//! Positions of a cursor's references, as far as they are certain: which are at the end of the spine, and which may
//! have lost their node.

use std::collections::BTreeMap;

use super::steps::{Step, is_prefix};
use super::{Cursor, places, tag_reads};
use crate::ir::{Arg, Block, Expr, LoopHead, Place, Stmt, StmtKind, VarId};

/// The position of a reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Position {
    /// At the end of the spine: nothing is taken out of its referent.
    End,
    /// Somewhere on the spine.
    OnSpine,
    /// Its node may no longer be on the spine.
    Lost,
}

/// Positions by reference; a reference without an entry points nowhere.
pub(super) type Positions = BTreeMap<VarId, Position>;

/// An action to take before a statement.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Action {
    /// Put the whole structure back together.
    RestoreAll,
    /// Put the referent of this reference back together.
    Restore(VarId),
    /// The same, if the spine continues from the reference by this way.
    RestoreWay(VarId, usize),
    /// Refuse: the position of the reference is not certain.
    Refuse,
}

/// How a statement moves a reference.
pub(super) enum Movement<'s> {
    /// To the position of another.
    Copy(VarId, VarId),
    /// A step from the position of another.
    Step(VarId, VarId, Step),
    /// To a start.
    Start(VarId, &'s Place),
    /// A declaration without a value.
    Declare(VarId),
}

impl Cursor<'_> {
    /// How the statement moves one of the cursor's references.
    pub(super) fn movement<'s>(&self, stmt: &'s Stmt) -> Option<Movement<'s>> {
        let (itself, to) = match &stmt.kind {
            StmtKind::Let(v, Some(Expr::Read(to))) if self.is_own(*v) => (*v, to),
            StmtKind::Let(v, _) if self.is_own(*v) => return Some(Movement::Declare(*v)),
            StmtKind::Assign(p, Expr::Read(to)) if self.is_own(p.root) => (p.root, to),
            _ => return None,
        };
        Some(match self.reference_to(to) {
            None => Movement::Start(itself, to),
            Some(from) if to.is_whole() => Movement::Copy(itself, from),
            Some(from) => Movement::Step(itself, from, self.steps.step_to(to)?),
        })
    }

    /// The actions before the statement itself, without its inner blocks; `state` becomes the state after it.
    pub(super) fn transfer(&self, stmt: &Stmt, state: &mut Positions) -> Vec<Action> {
        match self.movement(stmt) {
            Some(moved) => self.transfer_move(moved, state),
            None => self.transfer_uses(stmt, state),
        }
    }

    fn transfer_move(&self, moved: Movement<'_>, state: &mut Positions) -> Vec<Action> {
        match moved {
            Movement::Declare(v) => {
                state.remove(&v);
                Vec::new()
            }
            Movement::Copy(v, from) => {
                let stand = state.get(&from).copied().unwrap_or(Position::OnSpine);
                state.insert(v, stand);
                refuse_if_lost(stand)
            }
            Movement::Start(v, _) => {
                Self::mark_lost(state);
                state.insert(v, Position::End);
                Vec::new()
            }
            Movement::Step(v, from, _) => self.transfer_step(v, from, state),
        }
    }

    /// Nodes that are already taken out stay out if there is only one way.
    fn transfer_step(&self, v: VarId, from: VarId, state: &mut Positions) -> Vec<Action> {
        let stand = state.get(&from).copied().unwrap_or(Position::OnSpine);
        match stand {
            Position::Lost => {
                state.insert(v, stand);
                return refuse_if_lost(stand);
            }
            Position::OnSpine if !self.steps.has_alternatives() => {
                state.insert(v, stand);
                return Vec::new();
            }
            Position::OnSpine => {
                let others = state.iter_mut().filter(|(other, _)| **other != from);
                others.for_each(|(_, stand)| *stand = Position::Lost);
            }
            Position::End => {
                let ends = state.values_mut().filter(|stand| **stand == Position::End);
                ends.for_each(|stand| *stand = Position::OnSpine);
            }
        }
        state.insert(v, Position::End);
        match stand {
            Position::OnSpine => vec![Action::Restore(from)],
            _ => Vec::new(),
        }
    }

    fn transfer_uses(&self, stmt: &Stmt, state: &mut Positions) -> Vec<Action> {
        let mut acts = Vec::new();
        if places(stmt).iter().any(|p| self.may_be_start(p)) {
            Self::mark_lost(state);
            acts.push(Action::RestoreAll);
        }
        if self.borrows_two_nodes(stmt) {
            acts.push(Action::Refuse);
        }
        let tags = tag_reads(stmt);
        for place in places(stmt) {
            let Some(itself) = self.reference_to(place) else {
                continue;
            };
            let is_tag = tags.iter().any(|t| std::ptr::eq(*t, place));
            match state.get(&itself).copied().unwrap_or(Position::OnSpine) {
                Position::End => {}
                Position::Lost => acts.push(Action::Refuse),
                Position::OnSpine => {
                    acts.extend(self.restore_for_use(itself, place, is_tag, state))
                }
            }
        }
        acts.dedup();
        acts
    }

    /// Whether a call borrows parts of two nodes, one of them mutably: both nodes are on one spine.
    fn borrows_two_nodes(&self, stmt: &Stmt) -> bool {
        let StmtKind::Call(call) = &stmt.kind else {
            return false;
        };
        let lent: Vec<_> = call.args.iter().filter_map(Arg::place).collect();
        let mut nodes: Vec<_> = lent.iter().filter_map(|p| self.reference_to(p)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let writes = |a: &Arg| matches!(a, Arg::Mut(p) if self.reference_to(p).is_some());
        nodes.len() > 1 && call.args.iter().any(writes)
    }

    /// The action before a use of a node on the spine: the part that is taken out is put back, unless the use is of
    /// another part.
    fn restore_for_use(
        &self,
        itself: VarId,
        place: &Place,
        is_tag: bool,
        state: &mut Positions,
    ) -> Option<Action> {
        let mut through = None;
        let mut whole = false;
        for (k, way) in self.steps.ways.iter().enumerate() {
            if is_prefix(way, &place.proj) {
                through = Some(k);
            } else if place.proj.len() < way.len()
                && is_prefix(&way[..place.proj.len()], &place.proj)
            {
                whole |= !is_tag;
            }
        }
        if through.is_none() && !whole {
            return None;
        }
        if let (Some(way), true, true) = (through, self.steps.has_alternatives(), self.mutable) {
            for stand in state.values_mut().filter(|s| **s == Position::End) {
                *stand = Position::OnSpine;
            }
            return Some(Action::RestoreWay(itself, way));
        }
        if !self.derived.is_empty() {
            return Some(Action::Refuse);
        }
        for (other, stand) in state.iter_mut() {
            *stand = match *other == itself {
                true => Position::End,
                false => Position::Lost,
            };
        }
        Some(Action::Restore(itself))
    }

    /// Nothing is on the spine any more.
    fn mark_lost(state: &mut Positions) {
        state.values_mut().for_each(|s| *s = Position::Lost);
    }

    /// The state after a block; `None` if only `break`s leave it. The states at these are joined into `breaks`.
    pub(super) fn flow(
        &self,
        block: &Block,
        mut state: Option<Positions>,
        breaks: &mut Option<Positions>,
    ) -> Option<Positions> {
        for stmt in &block.stmts {
            let mut here = state?;
            self.transfer(stmt, &mut here);
            state = match &stmt.kind {
                StmtKind::Break => {
                    *breaks = join(breaks.take(), Some(here));
                    None
                }
                StmtKind::If(_, then, els) => {
                    let then = self.flow(then, Some(here.clone()), breaks);
                    join(then, self.flow(els, Some(here), breaks))
                }
                StmtKind::Loop(head, body) => {
                    let entry = self.entry(stmt, body, here);
                    self.behind_loop(head, stmt, body, entry)
                }
                _ => Some(here),
            };
        }
        state
    }

    /// The state at the start of each iteration of a loop, before its head is evaluated: a fixed point.
    pub(super) fn entry(&self, stmt: &Stmt, body: &Block, before: Positions) -> Positions {
        let mut entry = before;
        loop {
            let mut here = entry.clone();
            self.transfer(stmt, &mut here);
            let end = self.flow(body, Some(here), &mut None);
            let next = join(Some(entry.clone()), end).unwrap_or_default();
            if next == entry {
                return entry;
            }
            entry = next;
        }
    }

    /// The state after a loop.
    pub(super) fn behind_loop(
        &self,
        head: &LoopHead,
        stmt: &Stmt,
        body: &Block,
        mut entry: Positions,
    ) -> Option<Positions> {
        self.transfer(stmt, &mut entry);
        let mut breaks = None;
        self.flow(body, Some(entry.clone()), &mut breaks);
        match head {
            LoopHead::Forever => breaks,
            _ => join(Some(entry), breaks),
        }
    }
}

fn refuse_if_lost(stand: Position) -> Vec<Action> {
    match stand {
        Position::Lost => vec![Action::Refuse],
        _ => Vec::new(),
    }
}

/// Joins two states: the less certain position holds.
pub(super) fn join(a: Option<Positions>, b: Option<Positions>) -> Option<Positions> {
    let (Some(mut a), Some(b)) = (a.clone(), b.clone()) else {
        return a.or(b);
    };
    for (v, stand) in b {
        let held = a.entry(v).or_insert(stand);
        *held = stand.max(*held);
    }
    Some(a)
}

/// Whether a path through the block ends with a `break`.
pub(super) fn may_break(block: &Block) -> bool {
    match block.stmts.last().map(|s| &s.kind) {
        Some(StmtKind::Break) => true,
        Some(StmtKind::If(_, a, b)) => may_break(a) || may_break(b),
        _ => false,
    }
}
