//! Positions of a cursor's references, as far as they are certain: which are at the end of the spine, and which may
//! have lost their node.

use std::collections::BTreeMap;

use super::steps::{Taken, leads};
use super::{Cursor, places, tags};
use crate::ir::{Arg, Block, Expr, LoopHead, Place, Stmt, StmtKind, VarId};

/// The position of a reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stand {
    /// At the end of the spine: nothing is taken out of its referent.
    End,
    /// Somewhere on the spine.
    On,
    /// Its node may no longer be on the spine.
    Lost,
}

/// Positions by reference; a reference without an entry points nowhere.
pub(super) type State = BTreeMap<VarId, Stand>;

/// An action to take before a statement.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Act {
    /// Put the whole structure back together.
    Attach,
    /// Put the referent of this reference back together.
    Lift(VarId),
    /// The same, if the spine continues from the reference by this way.
    LiftFrom(VarId, usize),
    /// Refuse: the position of the reference is not certain.
    Refuse,
}

/// How a statement moves a reference.
pub(super) enum Moved<'s> {
    /// To the position of another.
    Copy(VarId, VarId),
    /// A step from the position of another.
    Step(VarId, VarId, Taken),
    /// To a start.
    Start(VarId, &'s Place),
    /// A declaration without a value.
    Nowhere(VarId),
}

impl Cursor<'_> {
    /// How the statement moves one of the cursor's references.
    pub(super) fn moved<'s>(&self, stmt: &'s Stmt) -> Option<Moved<'s>> {
        let (itself, to) = match &stmt.kind {
            StmtKind::Let(v, Some(Expr::Read(to))) if self.is_own(*v) => (*v, to),
            StmtKind::Let(v, _) if self.is_own(*v) => return Some(Moved::Nowhere(*v)),
            StmtKind::Assign(p, Expr::Read(to)) if self.is_own(p.root) => (p.root, to),
            _ => return None,
        };
        Some(match self.behind(to) {
            None => Moved::Start(itself, to),
            Some(from) if to.is_whole() => Moved::Copy(itself, from),
            Some(from) => Moved::Step(itself, from, self.steps.to(to)?),
        })
    }

    /// The actions before the statement itself, without its inner blocks; `state` becomes the state after it.
    pub(super) fn transfer(&self, stmt: &Stmt, state: &mut State) -> Vec<Act> {
        match self.moved(stmt) {
            Some(moved) => self.transfer_move(moved, state),
            None => self.transfer_uses(stmt, state),
        }
    }

    fn transfer_move(&self, moved: Moved<'_>, state: &mut State) -> Vec<Act> {
        match moved {
            Moved::Nowhere(v) => {
                state.remove(&v);
                Vec::new()
            }
            Moved::Copy(v, from) => {
                let stand = state.get(&from).copied().unwrap_or(Stand::On);
                state.insert(v, stand);
                refused(stand)
            }
            Moved::Start(v, _) => {
                Self::attached(state);
                state.insert(v, Stand::End);
                Vec::new()
            }
            Moved::Step(v, from, _) => self.transfer_step(v, from, state),
        }
    }

    /// Nodes that are already taken out stay out if there is only one way.
    fn transfer_step(&self, v: VarId, from: VarId, state: &mut State) -> Vec<Act> {
        let stand = state.get(&from).copied().unwrap_or(Stand::On);
        match stand {
            Stand::Lost => {
                state.insert(v, stand);
                return refused(stand);
            }
            Stand::On if !self.steps.several() => {
                state.insert(v, stand);
                return Vec::new();
            }
            Stand::On => {
                let others = state.iter_mut().filter(|(other, _)| **other != from);
                others.for_each(|(_, stand)| *stand = Stand::Lost);
            }
            Stand::End => {
                let ends = state.values_mut().filter(|stand| **stand == Stand::End);
                ends.for_each(|stand| *stand = Stand::On);
            }
        }
        state.insert(v, Stand::End);
        match stand {
            Stand::On => vec![Act::Lift(from)],
            _ => Vec::new(),
        }
    }

    fn transfer_uses(&self, stmt: &Stmt, state: &mut State) -> Vec<Act> {
        let mut acts = Vec::new();
        if places(stmt).iter().any(|p| self.is_start(p)) {
            Self::attached(state);
            acts.push(Act::Attach);
        }
        if self.lends_two(stmt) {
            acts.push(Act::Refuse);
        }
        let tags = tags(stmt);
        for place in places(stmt) {
            let Some(itself) = self.behind(place) else {
                continue;
            };
            let is_tag = tags.iter().any(|t| std::ptr::eq(*t, place));
            match state.get(&itself).copied().unwrap_or(Stand::On) {
                Stand::End => {}
                Stand::Lost => acts.push(Act::Refuse),
                Stand::On => acts.extend(self.lifted(itself, place, is_tag, state)),
            }
        }
        acts.dedup();
        acts
    }

    /// Whether a call borrows parts of two nodes, one of them mutably: both nodes are on one spine.
    fn lends_two(&self, stmt: &Stmt) -> bool {
        let StmtKind::Call(call) = &stmt.kind else {
            return false;
        };
        let lent: Vec<_> = call.args.iter().filter_map(Arg::place).collect();
        let mut nodes: Vec<_> = lent.iter().filter_map(|p| self.behind(p)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let writes = |a: &Arg| matches!(a, Arg::Mut(p) if self.behind(p).is_some());
        nodes.len() > 1 && call.args.iter().any(writes)
    }

    /// The action before a use of a node on the spine: the part that is taken out is put back, unless the use is of
    /// another part.
    fn lifted(&self, itself: VarId, place: &Place, is_tag: bool, state: &mut State) -> Option<Act> {
        let mut through = None;
        let mut whole = false;
        for (k, way) in self.steps.ways.iter().enumerate() {
            if leads(way, &place.proj) {
                through = Some(k);
            } else if place.proj.len() < way.len() && leads(&way[..place.proj.len()], &place.proj) {
                whole |= !is_tag;
            }
        }
        if through.is_none() && !whole {
            return None;
        }
        if let (Some(way), true, true) = (through, self.steps.several(), self.mutable) {
            for stand in state.values_mut().filter(|s| **s == Stand::End) {
                *stand = Stand::On;
            }
            return Some(Act::LiftFrom(itself, way));
        }
        if !self.derived.is_empty() {
            return Some(Act::Refuse);
        }
        for (other, stand) in state.iter_mut() {
            *stand = match *other == itself {
                true => Stand::End,
                false => Stand::Lost,
            };
        }
        Some(Act::Lift(itself))
    }

    /// Nothing is on the spine any more.
    fn attached(state: &mut State) {
        state.values_mut().for_each(|s| *s = Stand::Lost);
    }

    /// The state after a block; `None` if only `break`s leave it. The states at these are joined into `breaks`.
    pub(super) fn flow(
        &self,
        block: &Block,
        mut state: Option<State>,
        breaks: &mut Option<State>,
    ) -> Option<State> {
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
    pub(super) fn entry(&self, stmt: &Stmt, body: &Block, before: State) -> State {
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
        mut entry: State,
    ) -> Option<State> {
        self.transfer(stmt, &mut entry);
        let mut breaks = None;
        self.flow(body, Some(entry.clone()), &mut breaks);
        match head {
            LoopHead::Forever => breaks,
            _ => join(Some(entry), breaks),
        }
    }
}

fn refused(stand: Stand) -> Vec<Act> {
    match stand {
        Stand::Lost => vec![Act::Refuse],
        _ => Vec::new(),
    }
}

/// Joins two states: the less certain position holds.
pub(super) fn join(a: Option<State>, b: Option<State>) -> Option<State> {
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
pub(super) fn leaves(block: &Block) -> bool {
    match block.stmts.last().map(|s| &s.kind) {
        Some(StmtKind::Break) => true,
        Some(StmtKind::If(_, a, b)) => leaves(a) || leaves(b),
        _ => false,
    }
}
