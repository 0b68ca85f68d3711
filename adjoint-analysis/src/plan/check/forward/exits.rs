//! The values that a loop leaves after a `break` and after its last iteration, and those that each continuing iteration
//! keeps.

use super::Walk;
use super::shape::{Item, breaks};
use crate::ir::{Block, LoopHead, Stmt, StmtKind, Ty, VarId};
use crate::passes::control::loop_exits;
use crate::plan::check::terms::state::State;
use crate::plan::check::terms::term::{Cell, Node, Op, Term};

/// An end of an iteration.
pub(in crate::plan::check) struct End {
    /// Whether it leaves the loop.
    breaks: bool,
    /// The conditions on the way there, and whether they held.
    path: Vec<(Term, bool)>,
    state: State,
}

impl<'a> Walk<'_, 'a> {
    /// The ends of an iteration that is over in this state.
    pub(in crate::plan::check) fn ends(&mut self, item: &Item<'a>, state: &State) -> Vec<End> {
        let mut ends = Vec::new();
        if let StmtKind::Loop(_, body) = &item.stmt.kind {
            let mut path = self.path.clone();
            self.ends_of(body, state, &mut path, &mut ends);
        }
        ends
    }

    fn ends_of(
        &mut self,
        block: &Block,
        end: &State,
        path: &mut Vec<(Term, bool)>,
        ends: &mut Vec<End>,
    ) {
        let parts =
            |s: &&Stmt| matches!(s.kind, StmtKind::If(..)) && s.blocks().into_iter().any(breaks);
        let stmt = block.stmts.iter().find(parts);
        let known = stmt.and_then(|s| {
            let arms = self.facts.arms.get(&s.id)?.clone();
            Some((s, arms, *self.facts.conditions.get(&s.id)?))
        });
        let Some((stmt, arms, condition)) = known else {
            ends.push(End {
                breaks: block.always_breaks(),
                path: path.clone(),
                state: end.clone(),
            });
            return;
        };
        let blocks = stmt.blocks().into_iter().zip(&arms);
        for ((block, end), held) in blocks.zip([true, false]) {
            path.push((condition, held));
            self.ends_of(block, end, path, ends);
            path.pop();
        }
    }

    /// What the location holds at an end.
    fn at(&mut self, end: &End, n: usize) -> Option<Term> {
        let terms = &mut self.values.terms;
        end.state[n].map(|t| terms.under_all(t, &end.path))
    }

    /// The locations that may have, at the start of each iteration, the literal from before the loop, like flags that
    /// are set only before a `break`. Counters don't. Nor does what a step of a checkpointed loop sets and then goes on: the
    /// new value would pass for the old one, which the step may not read.
    pub(in crate::plan::check) fn perhaps_kept(
        &self,
        item: &Item<'a>,
        entry: &State,
        written: impl Iterator<Item = Cell>,
    ) -> Vec<Cell> {
        let has_steps = self.values.func.checkpoints.contains_key(&item.stmt.id);
        let goes_on = |v: VarId| {
            let mut inside = item.stmt.blocks().into_iter();
            has_steps && inside.any(|b| goes_on_with(b, v))
        };
        let is_flag = |v: VarId| {
            let sets = |s: &Stmt| match &s.kind {
                StmtKind::Assign(p, e) => p.is_whole() && !e.reads().contains(&v),
                StmtKind::Swap(a, b) => a.is_whole() && b.is_whole(),
                _ => false,
            };
            let mut flag = true;
            let mut look = |s: &Stmt| {
                flag &= sets(s) || s.written().iter().all(|p| p.root != v);
            };
            let inside = item.stmt.blocks();
            inside.into_iter().for_each(|b| b.walk(&mut look));
            flag && !goes_on(v)
        };
        let known = |cell: &Cell| {
            let before = entry[cell.index()];
            let discrete = matches!(self.values.ty(*cell), Some(Ty::Int(_) | Ty::Bool));
            discrete && before.is_some_and(|t| self.values.terms.is_any_lit(t))
        };
        let flag = |cell: &Cell| self.values.whole(*cell).is_some_and(is_flag);
        written.filter(|c| known(c) && flag(c)).collect()
    }

    /// Whether each continuing iteration leaves these locations as before the loop; others are removed from the list.
    pub(in crate::plan::check) fn are_kept(
        &mut self,
        kept: &mut Vec<Cell>,
        entry: &State,
        ends: &[End],
    ) -> bool {
        let count = kept.len();
        let mut same = |cell: &Cell| {
            let n = cell.index();
            let mut on = ends.iter().filter(|end| !end.breaks);
            on.all(|end| self.at(end, n) == entry[n])
        };
        kept.retain(&mut same);
        kept.len() == count
    }

    /// Sets the values that the loop leaves in locations with a literal at the start of each iteration, and at a
    /// `break` the same or another literal, or the iteration's number. The states are those before the loop and at the
    /// start of an iteration.
    pub(in crate::plan::check) fn leave(
        &mut self,
        item: &Item<'a>,
        head: &LoopHead,
        [entry, start]: [&State; 2],
        (ends, number): (&[End], Option<Term>),
        after: &mut State,
    ) {
        let breaks: Vec<&End> = ends.iter().filter(|end| end.breaks).collect();
        if breaks.is_empty() && matches!(head, LoopHead::Forever) {
            return;
        }
        for n in 0..after.len() {
            let cell = Cell(n as u32);
            let exit = self.values.node(Node::Exit(item.stmt.id, cell));
            match self.values.ty(cell).filter(|_| after[n] == Some(exit)) {
                Some(Ty::Bool) => {}
                Some(Ty::Int(_)) => drop(self.values.terms.integers.insert(exit)),
                _ => continue,
            }
            let as_before = |t: &Term| start[n] == Some(*t) && self.values.terms.is_any_lit(*t);
            let over = match head {
                LoopHead::Forever => None,
                _ => match entry[n].filter(as_before) {
                    None => continue,
                    over => over,
                },
            };
            let out: Option<Vec<Term>> = breaks.iter().map(|end| self.at(end, n)).collect();
            let Some(out) = out else { continue };
            let left = self.left(item, out.clone(), over, exit);
            after.set(n, Some(left));
            self.ran(item, head, entry, (over, &out, left), number);
        }
    }

    /// The value after a loop that leaves one of these values at a `break`, and otherwise the one from its start.
    fn left(
        &mut self,
        item: &Item<'a>,
        mut out: Vec<Term>,
        over: Option<Term>,
        exit: Term,
    ) -> Term {
        let terms = &mut self.values.terms;
        let opaque: Vec<Term> = out
            .iter()
            .copied()
            .filter(|t| !terms.is_any_lit(*t))
            .collect();
        if !opaque.is_empty() && opaque.iter().all(|t| terms.positive.contains(t)) {
            terms.positive.insert(exit);
        }
        for t in out.iter_mut().filter(|t| !terms.is_any_lit(**t)) {
            *t = exit;
        }
        // A `loop` that none of the other `break`s has left was left by its last one.
        let last = over.or_else(|| out.pop()).unwrap_or(exit);
        let ways = out.into_iter().enumerate().rev();
        ways.fold(last, |other, (way, value)| {
            let taken = terms.make(Node::Left(item.stmt.id, way));
            terms.choice(taken, value, other)
        })
    }

    /// The number of an iteration of a counted loop, which is not 0.
    pub(in crate::plan::check) fn number(
        &mut self,
        item: &Item<'a>,
        head: &LoopHead,
        states: [&State; 2],
    ) -> Option<Term> {
        let LoopHead::Counted(v, range) = head else {
            return None;
        };
        let [entry, start] = states;
        for e in range.operands() {
            if self.values.eval(entry, e) != self.values.eval(start, e) {
                return None;
            }
        }
        let mut state = start.clone();
        let index = self.values.node(Node::Index(item.stmt.id));
        self.values.set(&mut state, *v, index);
        let number = self.values.eval(&state, &loop_exits::number(range, *v));
        self.values.terms.integers.insert(number);
        self.values.terms.positive.insert(number);
        Some(number)
    }

    /// Notes the number of iterations of a counted loop, if each `break` assigns the iteration's number to a location
    /// that was 0 before the loop.
    fn ran(
        &mut self,
        item: &Item<'a>,
        head: &LoopHead,
        entry: &State,
        (over, out, left): (Option<Term>, &[Term], Term),
        number: Option<Term>,
    ) {
        let LoopHead::Counted(_, range) = head else {
            return;
        };
        let zero = over.is_some_and(|t| self.values.terms.is_lit(t, "0"));
        if zero && out.iter().all(|t| Some(*t) == number) {
            let all = self.values.eval(entry, &loop_exits::trips(range));
            let ran = Op::Discrete(loop_exits::RAN.into(), Ty::USIZE);
            let ran = self.values.terms.op(ran, vec![left, all]);
            self.facts.trips.entry(item.stmt.id).or_default().push(ran);
        }
    }
}

/// Whether the variable is set in the block, or in one inside, and no `break` follows there.
fn goes_on_with(block: &Block, v: VarId) -> bool {
    let is_set = block.stmts.iter().any(|s| {
        let mut written = s.written().into_iter();
        written.any(|p| p.root == v)
    });
    let breaks = matches!(block.stmts.last().map(|s| &s.kind), Some(StmtKind::Break));
    let mut inside = block.stmts.iter().flat_map(Stmt::blocks);
    is_set && !breaks || inside.any(|b| goes_on_with(b, v))
}
