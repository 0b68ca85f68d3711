//! What loops without `break` leave in the locations that their iterations change by sums.

use std::collections::HashSet;

use super::Walk;
use super::shape::Item;
use crate::ir::{LoopHead, Rev, Stmt, StmtId, Ty};
use crate::passes::control::loop_exits;
use crate::passes::inversion::polynomial::Polynomial;
use crate::passes::inversion::sums::{self, Bounds, Iterations, PAIRS, Progression};
use crate::plan::check::terms::state::State;
use crate::plan::check::terms::term::{Cell, Key, Node, Op, Step, Term, Terms};

type Form = Polynomial<Term>;

impl<'a> Walk<'_, 'a> {
    /// Notes the smallest and the largest value of the index.
    pub(super) fn bound_index(&mut self, id: StmtId, head: &LoopHead, entry: &State) {
        let LoopHead::Counted(_, range) = head else {
            return;
        };
        if range.step.is_some() || range.ty != Ty::USIZE {
            return;
        }
        let [lo, hi] = [&range.lo, &range.hi].map(|e| self.values.eval(entry, e));
        let terms = &mut self.values.terms;
        let open = Polynomial::constant(i128::from(!range.inclusive));
        let last = terms.bound(hi).and_then(|hi| hi.plus(&open, -1));
        if let (Some(first), Some(last)) = (terms.bound(lo), last) {
            let index = terms.make(Node::Index(id));
            terms.bounds.insert(index, Bounds { first, last });
        }
    }

    /// Gives closed forms to the locations behind the loop. The states are those before the loop, at the start and the
    /// end of an iteration, and behind the loop.
    pub(super) fn close(
        &mut self,
        item: &Item<'a>,
        head: &LoopHead,
        [entry, start, end]: [&State; 3],
        after: &mut State,
    ) {
        let trips = match head {
            LoopHead::Counted(_, range) => Some(self.values.eval(entry, &loop_exits::trips(range))),
            _ => {
                // A location that counts is no news about itself.
                let counts = |t: &&Term| matches!(self.values.terms.node(**t), Node::Exit(..));
                let mut found = self.facts.trips.get(&item.stmt.id).into_iter().flatten();
                found.find(|t| !counts(t)).copied()
            }
        };
        let Some(trips) = trips.filter(|_| !item.leaves) else {
            return;
        };
        let index = self.index(item.stmt.id, head, entry);
        let terms = &mut self.values.terms;
        let pairs = terms.op(Op::Discrete(PAIRS.into(), Ty::USIZE), vec![trips]);
        let [count, pairs] = [trips, pairs].map(|t| terms.form(t));
        let (Some(count), Some(pairs)) = (count, pairs) else {
            return;
        };
        let mut inside = HashSet::new();
        Stmt::walk_all(std::slice::from_ref(item.stmt), &mut |s| {
            inside.insert(s.id);
        });
        let changes = |n: &usize| start[*n] != entry[*n] && after[*n].is_some();
        let changing: Vec<usize> = (0..entry.len()).filter(changes).collect();
        let run = Run {
            terms: &self.values.terms,
            states: [entry, start, end],
            changing: &changing,
            index,
            iterations: Iterations {
                trips: count,
                pairs,
            },
            inside,
        };
        let is_index = |n: usize| self.values.ty(Cell(n as u32)) == Some(&Ty::USIZE);
        let sum = |n: &usize| is_index(*n).then(|| run.sum(*n)).flatten();
        let sums: Vec<Option<Form>> = changing.iter().map(sum).collect();
        for (n, sum) in changing.into_iter().zip(sums) {
            let left = match sum {
                Some(sum) => self.grown(entry[n], &sum),
                None => self.counted_location(trips, [entry[n], start[n], end[n]]),
            };
            if left.is_some() {
                after.set(n, left);
            }
        }
    }

    fn index(
        &mut self,
        id: StmtId,
        head: &LoopHead,
        entry: &State,
    ) -> Option<(Term, Progression<Term>)> {
        let LoopHead::Counted(_, range) = head else {
            return None;
        };
        if range.step.is_some() || range.ty != Ty::USIZE {
            return None;
        }
        let [lo, hi] = [&range.lo, &range.hi].map(|e| self.values.eval(entry, e));
        let [lo, hi] = [lo, hi].map(|t| self.values.terms.form(t));
        let open = Polynomial::constant(i128::from(!range.inclusive));
        let (first, step) = match range.rev {
            Rev::No => (lo?, 1),
            _ => (hi?.plus(&open, -1)?, -1),
        };
        let step = Polynomial::constant(step);
        let index = self.values.terms.make(Node::Index(id));
        Some((index, Progression { first, step }))
    }

    /// The value before the loop and the sum of its changes.
    fn grown(&mut self, before: Option<Term>, sum: &Form) -> Option<Term> {
        let terms = &mut self.values.terms;
        let mut all = before?;
        for (atoms, n) in sum.terms() {
            let mut product = terms.integer(n.abs(), &Ty::USIZE);
            for atom in atoms {
                product = terms.arithmetic("wrapping_mul", &Ty::USIZE, vec![product, *atom]);
            }
            let way = if n > 0 {
                "wrapping_add"
            } else {
                "wrapping_sub"
            };
            all = terms.arithmetic(way, &Ty::USIZE, vec![all, product]);
        }
        Some(all)
    }

    /// What a location of any type holds that an iteration changes by a literal; it holds these values before the loop,
    /// and at the start and the end of an iteration.
    fn counted_location(
        &mut self,
        trips: Term,
        [before, now, next]: [Option<Term>; 3],
    ) -> Option<Term> {
        let (up, _, by) = self.step(now?, next?)?;
        let terms = &mut self.values.terms;
        let ty = match terms.node(by) {
            Node::Op(Op::Lit(_, ty), _) => ty.clone(),
            _ => return None,
        };
        let trips = match ty == Ty::USIZE {
            true => trips,
            false => {
                terms.note_cast(trips, &Ty::USIZE);
                terms.op(Op::Cast(ty.clone()), vec![trips])
            }
        };
        let all = terms.arithmetic("wrapping_mul", &ty, vec![trips, by]);
        let way = if up { "wrapping_add" } else { "wrapping_sub" };
        Some(terms.arithmetic(way, &ty, vec![before?, all]))
    }
}

/// All iterations of a loop.
struct Run<'r> {
    terms: &'r Terms,
    /// Before the loop, and at the start and the end of an iteration.
    states: [&'r State; 3],
    /// The locations that iterations change.
    changing: &'r [usize],
    index: Option<(Term, Progression<Term>)>,
    iterations: Iterations<Term>,
    /// The statements of the loop.
    inside: HashSet<StmtId>,
}

impl Run<'_> {
    /// The sum of the changes of a location.
    fn sum(&self, n: usize) -> Option<Form> {
        let progression = |atom: &Term| self.progression(*atom);
        sums::sum(&self.change(n)?, &self.iterations, &progression)
    }

    /// By how much an iteration changes the location.
    fn change(&self, n: usize) -> Option<Form> {
        let [_, start, end] = self.states;
        self.terms
            .form(end[n]?)?
            .plus(&self.terms.form(start[n]?)?, -1)
    }

    fn progression(&self, atom: Term) -> Option<Progression<Term>> {
        if let Some((index, progression)) = &self.index
            && *index == atom
        {
            return Some(progression.clone());
        }
        if self.is_unchanged(atom) {
            let first = Polynomial::atom(atom);
            let step = Polynomial::constant(0);
            return Some(Progression { first, step });
        }
        let [entry, start, _] = self.states;
        let n = *self.changing.iter().find(|n| start[**n] == Some(atom))?;
        let step = self.change(n)?;
        let first = self.terms.form(entry[n]?)?;
        let is_constant = step.atoms().all(|a| self.is_unchanged(*a));
        is_constant.then_some(Progression { first, step })
    }

    /// Whether the term says the same in each iteration: it is made of what statements outside of the loop gave.
    fn is_unchanged(&self, t: Term) -> bool {
        let is_outside = |id: &StmtId| !self.inside.contains(id);
        match self.terms.node(t) {
            Node::Entry(_) => true,
            Node::Written(id, _) | Node::Index(id) | Node::Left(id, _) => is_outside(id),
            Node::Join(id, _) | Node::Start(id, _) | Node::Exit(id, _) => is_outside(id),
            Node::Op(_, args) => args.iter().all(|t| self.is_unchanged(*t)),
            Node::Choice(a, b, c) => [a, b, c].iter().all(|t| self.is_unchanged(**t)),
            Node::Select(t, key) | Node::Part(t, key, _) => {
                self.is_unchanged(*t) && self.is_same_way(key)
            }
            Node::Update(t, key, part) => {
                [t, part].iter().all(|t| self.is_unchanged(**t)) && self.is_same_way(key)
            }
            Node::Swapped(t, a, b) => {
                self.is_unchanged(*t) && [a, b].iter().all(|key| self.is_same_way(key))
            }
            Node::Parts(parts) => parts
                .iter()
                .all(|(key, t)| self.is_unchanged(*t) && self.is_same_way(key)),
            _ => false,
        }
    }

    fn is_same_way(&self, key: &Key) -> bool {
        let unchanged = |t: &Option<Term>| t.is_none_or(|t| self.is_unchanged(t));
        key.iter().all(|step| match step {
            Step::Index(t) | Step::Head(t) | Step::Tail(t) => self.is_unchanged(*t),
            Step::Range(lo, hi) => unchanged(lo) && unchanged(hi),
            Step::Field(_) | Step::Last | Step::Deref | Step::Variant(..) => true,
        })
    }
}
