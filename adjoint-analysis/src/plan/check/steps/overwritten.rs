//! The parts of a value that a step has overwritten.
//!
//! The term of a location tells what was written since the step began: an update adds its part, a branch what both arms
//! have, a loop `for i in lo..hi` whose iterations each write the elements from `p(i)` to `p(i + 1)` those from `p(lo)` to
//! `p(hi)`.

use super::Step;
use super::regions::{Dim, Form, Interval, Region, add, at_most, with};
use crate::ir::{Call, LoopHead, Rev, StmtId, StmtKind};
use crate::passes::control::trips::leaves;
use crate::plan::check::terms::state::State;
use crate::plan::check::terms::term::{Cell, Key, Node, Op, Step as Path, Term};

/// The elements that the iterations of a loop write.
#[derive(Clone, Copy, PartialEq)]
enum Iterations {
    All,
    /// Those before the current one.
    Previous,
}

impl Step<'_, '_> {
    /// The parts of a location's value that have been overwritten. What it got from another location is new: that was
    /// read.
    pub(super) fn overwritten(&mut self, t: Term, cell: Cell) -> Vec<Region> {
        let key = (t, cell, self.iterations.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut found = match self.stale.get(&cell) == Some(&t) {
            true => Vec::new(),
            false => self.overwritten_of(self.values.terms.node(t).clone(), cell),
        };
        if !found.contains(&Region::ALL) && self.are_all(&found, cell, t) {
            found.push(Region::ALL);
        }
        self.known.insert(key, found.clone());
        found
    }

    fn overwritten_of(&mut self, node: Node, cell: Cell) -> Vec<Region> {
        match node {
            Node::Start(id, _) if self.iterations.contains(&id) => Vec::new(),
            Node::Start(id, c) if self.inside.contains(&id) => {
                self.around_loop(id, c, Iterations::Previous)
            }
            Node::Exit(id, c) if self.inside.contains(&id) => {
                self.around_loop(id, c, Iterations::All)
            }
            Node::Join(id, c) if self.inside.contains(&id) => {
                let ends = self.facts.arms[&id].each_ref().map(|end| end[c.index()]);
                self.in_both(ends, c)
            }
            Node::Choice(_, a, b) => self.in_both([Some(a), Some(b)], cell),
            Node::Op(Op::Select, args) if args.len() == 3 => {
                self.in_both([Some(args[1]), Some(args[2])], cell)
            }
            Node::Written(id, n) if self.is_argument(id, n) => self.by_call((id, n), &Vec::new()),
            Node::Part(whole, path, _) => match *self.values.terms.node(whole) {
                Node::Written(id, n) if self.is_argument(id, n) => self.by_call((id, n), &path),
                _ => {
                    let all = self.overwritten(whole, cell);
                    let terms = &self.values.terms;
                    all.iter().filter_map(|r| r.behind(&path, terms)).collect()
                }
            },
            Node::Update(whole, key, value) => self.updated((whole, cell), &key, value),
            Node::Swapped(whole, ..) => self.overwritten(whole, cell),
            Node::Inserted(whole, ..) | Node::Removed(whole, _) => {
                let mut found = self.overwritten(whole, cell);
                found.retain(|region| *region == Region::ALL);
                found
            }
            Node::Unknown(_) => Vec::new(),
            // Made in this step, or written by none.
            _ => vec![Region::ALL],
        }
    }

    fn is_argument(&self, id: StmtId, n: usize) -> bool {
        n != usize::MAX && self.inside.contains(&id)
    }

    fn in_both(&mut self, [a, b]: [Option<Term>; 2], cell: Cell) -> Vec<Region> {
        let mut of = |t: Option<Term>| t.map_or(Vec::new(), |t| self.overwritten(t, cell));
        let (a, b) = (of(a), of(b));
        let terms = &self.values.terms;
        let within = |region: &Region, all: &[Region]| all.iter().any(|r| r.covers(region, terms));
        let mut both: Vec<Region> = a.iter().filter(|r| within(r, &b)).cloned().collect();
        for region in b.into_iter().filter(|r| within(r, &a)) {
            add(&mut both, region, terms);
        }
        both
    }

    fn updated(&mut self, (whole, cell): (Term, Cell), key: &[Path], value: Term) -> Vec<Region> {
        let mut found = self.overwritten(whole, cell);
        if let Node::Written(id, n) = *self.values.terms.node(value)
            && self.is_argument(id, n)
        {
            let by_call = self.by_call((id, n), &Vec::new());
            for region in by_call {
                add(&mut found, region, &self.values.terms);
            }
            return found;
        }
        if let (region, true) = Region::of(&self.values.terms, key) {
            add(&mut found, region, &self.values.terms);
        }
        found
    }

    /// What is overwritten of the location at a path in the n-th argument of a call.
    fn by_call(&mut self, (id, n): (StmtId, usize), path: &Key) -> Vec<Region> {
        let facts = self.facts;
        let before = self.location((id, n), path);
        let before = before.and_then(|c| Some((facts.before.get(&id)?[c.index()]?, c)));
        let mut found = before.map_or(Vec::new(), |(t, c)| self.overwritten(t, c));
        for region in self.killed((id, n), path) {
            add(&mut found, region, &self.values.terms);
        }
        found
    }

    fn called(&self, id: StmtId) -> Option<&'_ Call> {
        match &self.primal.get(&id)?.kind {
            StmtKind::Call(call) => Some(call),
            _ => None,
        }
    }

    fn location(&self, (id, n): (StmtId, usize), path: &Key) -> Option<Cell> {
        let place = self.called(id)?.args.get(n)?.place()?;
        self.values.location(place, path)
    }

    /// What the callee overwrites of such a location, whatever way it takes.
    fn killed(&mut self, argument: (StmtId, usize), path: &Key) -> Vec<Region> {
        let facts = self.facts;
        let (Some(cell), Some(before)) =
            (self.location(argument, path), facts.before.get(&argument.0))
        else {
            return Vec::new();
        };
        let Some(StmtKind::Call(call)) = self.primal.get(&argument.0).map(|s| &s.kind) else {
            return Vec::new();
        };
        let Some(effect) = self.callees.effect(call) else {
            return Vec::new();
        };
        let accesses = effect.killed.iter();
        let killed = accesses.filter_map(|access| {
            let (region, is_exact) = self.at_call(access, (effect, call), cell, before)?;
            is_exact.then_some(region)
        });
        killed.collect()
    }

    /// What a loop overwrites of a location, beside what has been overwritten in front of it.
    fn around_loop(&mut self, id: StmtId, cell: Cell, which: Iterations) -> Vec<Region> {
        let facts = self.facts;
        let (Some(before), Some((_, end))) = (facts.before.get(&id), facts.iterations.get(&id))
        else {
            return Vec::new();
        };
        let mut found = before[cell.index()].map_or(Vec::new(), |t| self.overwritten(t, cell));
        let Some(end) = end[cell.index()] else {
            return found;
        };
        self.iterations.push(id);
        let each = self.overwritten(end, cell);
        self.iterations.pop();
        for region in each {
            let all = self.over_iterations(&region, id, which, before);
            for region in all.into_iter().flatten() {
                add(&mut found, region, &self.values.terms);
            }
        }
        found
    }

    /// What the iterations of a loop overwrite together, if each of them overwrites this, and none leaves a gap to the
    /// next: from the lower ends on, and up to the upper ends.
    fn over_iterations(
        &mut self,
        region: &Region,
        id: StmtId,
        which: Iterations,
        before: &State,
    ) -> Option<Vec<Region>> {
        let StmtKind::Loop(LoopHead::Counted(_, range), body) = &self.primal.get(&id)?.kind else {
            return None;
        };
        let is_plain = range.step.is_none() && !leaves(body);
        if !is_plain || which == Iterations::Previous && range.rev != Rev::No {
            return None;
        }
        let [lo, hi] = [&range.lo, &range.hi].map(|e| self.values.eval(before, e));
        let (first, hi) = (self.values.terms.form(lo)?, self.values.terms.form(hi)?);
        let hi = hi.plus(&Form::constant(i128::from(range.inclusive)), 1)?;
        let index = self.values.node(Node::Index(id));
        let current = Form::atom(index);
        let (end, moving) = match which {
            Iterations::All => (hi, None),
            Iterations::Previous => (current.clone(), Some(index)),
        };
        let moves = |dim: &Dim| match dim {
            Dim::Elements(Interval { lo, hi, .. }) => {
                lo.atoms().chain(hi.atoms()).any(|t| *t == index)
            }
            Dim::Part(_) => false,
        };
        let Some(at) = region.0.iter().position(moves) else {
            let runs = which == Iterations::All
                && at_most(
                    &first.plus(&Form::constant(1), 1)?,
                    &end,
                    &self.values.terms,
                );
            let is_one = !region.0.iter().any(|dim| self.varies(dim, id, None));
            return (runs && is_one).then(|| vec![region.clone()]);
        };
        let Dim::Elements(Interval { lo, hi, stride }) = &region.0[at] else {
            return None;
        };
        let next = with(lo, index, &current.plus(&Form::constant(1), 1)?)?;
        if !at_most(&next, hi, &self.values.terms) {
            return None;
        }
        let step = next.plus(lo, -1)?;
        let of = |from: &Form| {
            let [lo, hi] = [&first, &end].map(|at| with(from, index, at));
            let (lo, hi, stride) = (lo?, hi?, stride.clone());
            let mut all = region.clone();
            all.0[at] = Dim::Elements(Interval { lo, hi, stride });
            Some(all)
        };
        let all = vec![of(lo)?, of(&hi.plus(&step, -1)?)?];
        let mut dims = all.iter().flat_map(|region| &region.0);
        let varies = dims.any(|dim| self.varies(dim, id, moving));
        (!varies).then_some(all)
    }

    /// Whether a bound is another one in other iterations of a loop, but for the index itself.
    fn varies(&self, dim: &Dim, id: StmtId, index: Option<Term>) -> bool {
        let Dim::Elements(Interval { lo, hi, stride }) = dim else {
            return false;
        };
        let atoms = [Some(lo), Some(hi), stride.as_ref()].into_iter().flatten();
        let mut atoms = atoms.flat_map(Form::atoms);
        let inside = &self.inside_of[&id];
        let of_loop = |at: StmtId| at == id || inside.contains(&at);
        atoms.any(|t| Some(*t) != index && self.depends_on(*t, &of_loop))
    }

    /// Whether a value comes from one of these statements.
    pub(super) fn depends_on(&self, t: Term, of: &dyn Fn(StmtId) -> bool) -> bool {
        let in_key = |key: &[Path]| {
            key.iter().any(|step| match step {
                Path::Index(t) | Path::Head(t) | Path::Tail(t) => self.depends_on(*t, of),
                Path::Range(lo, hi) => lo.iter().chain(hi).any(|t| self.depends_on(*t, of)),
                _ => false,
            })
        };
        match self.values.terms.node(t) {
            Node::Entry(_) | Node::Unset(_) => false,
            Node::Unknown(_) => true,
            Node::Written(id, _)
            | Node::Index(id)
            | Node::Join(id, _)
            | Node::Start(id, _)
            | Node::Exit(id, _)
            | Node::Left(id, _) => of(*id),
            Node::Choice(a, b, c) => [a, b, c].into_iter().any(|t| self.depends_on(*t, of)),
            Node::Op(_, args) => args.iter().any(|t| self.depends_on(*t, of)),
            Node::Select(t, key) => self.depends_on(*t, of) || in_key(key),
            Node::Update(t, key, v) => {
                self.depends_on(*t, of) || self.depends_on(*v, of) || in_key(key)
            }
            Node::Swapped(t, a, b) => self.depends_on(*t, of) || in_key(a) || in_key(b),
            Node::Inserted(t, at, v) => {
                let at = std::slice::from_ref(at);
                self.depends_on(*t, of) || self.depends_on(*v, of) || in_key(at)
            }
            Node::Removed(t, at) => self.depends_on(*t, of) || in_key(std::slice::from_ref(at)),
            Node::Part(t, path, _) => self.depends_on(*t, of) || in_key(path),
            Node::Parts(parts) => parts.iter().any(|(_, t)| self.depends_on(*t, of)),
        }
    }
}
