//! Distributed loops: the parts, one after another, must do what the body does in each iteration, last one first.
//!
//! The statements of the parts are found in the body again. Each statement that writes what outlives the iteration is in
//! one part; each part has all statements that write the locals that it reads, or takes these from an earlier part that has
//! them, and reads them behind all that write them. (That the earlier one is run whenever the other is needs no proof: what is for
//! some callers only has been resolved for the caller that is looked at.) Two statements of which one writes what
//! the other reads or writes are both increments of it, or they are at the same element in one iteration and at
//! different ones in two, and come in the body's order. Whether an index changes with the iterations is tried with
//! random values (`probes`), not derived. What is tested in front of the loop may keep places apart (`separate`).
//! Where ends are peeled, all this is of the body as it is in the other iterations (`interior`).
//! Parts that share a loop have no order, whatever their alignment, and one seed.

mod interior;
pub(in crate::plan::check) mod probes;
pub(in crate::plan::check::reverse) mod seeds;
mod separate;

use std::collections::{BTreeSet, HashSet};

use self::interior::Interior;
use self::probes::Probes;
use self::separate::Separate;
use super::Reverse;
use crate::ir::place::are_disjoint;
use crate::ir::{
    Block, Distribution, Expr, LoopHead, Part, Place, Proj, Stmt, StmtId, StmtKind, VarId,
};
use crate::passes::sets::set::VarSet;
use crate::plan::Storage;
use crate::plan::check::faults::FaultKind;

impl Reverse<'_, '_> {
    /// The parts of a distributed loop must have the effect of its body.
    pub fn distribution(&mut self, id: StmtId, head: &LoopHead, body: &Block) {
        let LoopHead::Distributed(index, range, distribution) = head else {
            return;
        };
        let parts = &distribution.parts;
        let peeled = &distribution.peeled;
        let of_interior = match peeled.is_none() {
            true => Ok(()),
            false => Interior::of(self.plan, (*index, range), peeled, body).holds(),
        };
        let interior = (!peeled.is_none()).then(|| peeled.interior(body));
        let body = Statements::of(interior.as_ref().unwrap_or(body));
        let probes = Probes::new(*index, &body.list, &body.written);
        let start = distribution.peeled.start(range);
        let separate = Separate {
            separations: &distribution.separations,
            lo: &start,
            probes: &probes,
        };
        let judged = self.restores_in_any_order(&body).and_then(|()| {
            of_interior?;
            let whole = body.parts_are_whole(parts)?;
            let numbers: Vec<_> = whole.iter().map(|part| part.numbers.clone()).collect();
            aligned_with_one_seed(distribution)?;
            let order = PartOrder::new(distribution, numbers);
            (0..body.list.len()).try_for_each(|n| body.is_in_order(n, &order, &separate))?;
            let mut parts = parts.iter().zip(&whole);
            parts.try_for_each(|(part, whole)| self.may_skip(&body, part, &whole.with_taken))
        });
        if let Err(message) = judged {
            self.faults.add(id, FaultKind::Distribution, message);
        }
    }

    /// What is restored must be in frames, where each part finds it.
    fn restores_in_any_order(&self, body: &Statements<'_>) -> Result<(), &'static str> {
        let pops = |stmt: &&Stmt| match &stmt.kind {
            StmtKind::Restore(record, _) | StmtKind::RestoreControl(record, _) => {
                self.plan.record(*record).storage == Storage::Stack
            }
            _ => false,
        };
        match body.list.iter().any(pops) {
            true => Err("what is restored is on a stack"),
            false => Ok(()),
        }
    }

    /// A part with a seed must add nothing where the seed is zero.
    fn may_skip(
        &self,
        body: &Statements<'_>,
        part: &Part,
        numbers: &BTreeSet<usize>,
    ) -> Result<(), &'static str> {
        let Some(seed) = part.seed else {
            return Ok(());
        };
        let changes = body.written.contains(seed) || body.locals.contains(seed);
        let func = &self.plan.func;
        let stmts: Vec<&Stmt> = numbers.iter().map(|n| body.list[*n]).collect();
        match !changes && seeds::add_nothing(&stmts, seed, &body.locals, func) {
            true => Ok(()),
            false => Err("a part is skipped that may add something"),
        }
    }
}

/// The statements of a body, inner ones included, in textual order.
struct Statements<'b> {
    block: &'b Block,
    list: Vec<&'b Stmt>,
    locals: VarSet,
    written: VarSet,
}

/// The numbers of a part's statements.
struct Whole {
    numbers: BTreeSet<usize>,
    /// With those of the parts that it takes locals from.
    with_taken: BTreeSet<usize>,
}

/// How a statement accesses a place.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    Read,
    Add,
    Write,
}

impl<'b> Statements<'b> {
    fn of(block: &'b Block) -> Statements<'b> {
        let (mut list, mut locals, mut written) =
            (Vec::new(), VarSet::default(), VarSet::default());
        block.walk(&mut |s| {
            list.push(s);
            locals.extend(s.declared());
            written.extend(s.written().iter().map(|p| p.root));
        });
        Statements {
            block,
            list,
            locals,
            written,
        }
    }

    /// The numbers of the statements in each part.
    fn parts_are_whole(&self, parts: &[Part]) -> Result<Vec<Whole>, &'static str> {
        let mut run: BTreeSet<usize> = BTreeSet::new();
        let mut all: Vec<Whole> = Vec::new();
        for part in parts {
            let mut numbers = BTreeSet::new();
            let seeds = seeds::seeds(part, &self.list, &self.written);
            let is_same =
                |n: usize, stmt: &Stmt| !run.contains(&n) && is_same(self.list[n], stmt, &seeds);
            find(self.block, &part.block, &mut 0, &is_same, &mut numbers)
                .ok_or("a part has a statement that the body has not, or in another order")?;
            let takes = &part.takes;
            if !numbers
                .iter()
                .all(|n| self.has_definitions(*n, &numbers, takes))
            {
                return Err("a part reads a local without all that gives it a value");
            }
            let mut with_taken = numbers.clone();
            for taken in takes {
                let gives = |n: &usize| parts[*n].gives.contains(taken);
                let home = (0..all.len()).find(gives);
                let home = home.filter(|n| parts[*n].seed == part.seed);
                match home.filter(|_| self.takes_at_end(*taken, &numbers)) {
                    Some(home) => with_taken.extend(&all[home].with_taken),
                    None => return Err("a part takes a local that no earlier one gives as it is"),
                }
            }
            if !part.gives.iter().all(|v| self.gives(*v, part, &numbers)) {
                return Err("a part gives a local that it doesn't have in each iteration");
            }
            run.extend(numbers.iter().filter(|n| self.is_lasting(self.list[**n])));
            all.push(Whole {
                numbers,
                with_taken,
            });
        }
        let mut lasting = (0..self.list.len()).filter(|n| self.is_lasting(self.list[*n]));
        match lasting.all(|n| run.contains(&n)) {
            true => Ok(all),
            false => Err("no part has a statement of the body"),
        }
    }

    /// Whether the statement itself writes what outlives the iteration.
    fn is_lasting(&self, stmt: &Stmt) -> bool {
        let is_simple = matches!(
            stmt.kind,
            StmtKind::Let(..)
                | StmtKind::Assign(..)
                | StmtKind::Incr(..)
                | StmtKind::Zero(_)
                | StmtKind::Restore(..)
                | StmtKind::RestoreControl(..)
                | StmtKind::If(..)
        );
        let mut written = stmt.written().into_iter();
        !is_simple || written.any(|p| !self.locals.contains(p.root))
    }

    fn has_definitions(&self, n: usize, numbers: &BTreeSet<usize>, taken: &[VarId]) -> bool {
        let named = self.named(n).into_iter();
        let mut own = named.filter(|v| self.locals.contains(*v) && !taken.contains(v));
        own.all(|v| self.definitions(v).all(|m| numbers.contains(&m)))
    }

    fn named(&self, n: usize) -> Vec<VarId> {
        let mut named = Vec::new();
        self.list[n].each_named_var(&mut |v| named.push(v));
        named
    }

    /// The numbers of the statements that declare or write the variable.
    fn definitions(&self, v: VarId) -> impl Iterator<Item = usize> {
        let defines = move |n: &usize| {
            let written = self.list[*n].written().into_iter().map(|p| p.root);
            written.chain(self.list[*n].declared()).any(|w| w == v)
        };
        (0..self.list.len()).filter(defines)
    }

    /// Whether what reads the local in a part that takes it has its value at the end of the iteration, and nothing there
    /// gives it another.
    fn takes_at_end(&self, local: VarId, numbers: &BTreeSet<usize>) -> bool {
        let last = self.definitions(local).last();
        let mut readers = numbers.iter().filter(|n| self.named(**n).contains(&local));
        let is_its_own = self.definitions(local).any(|n| numbers.contains(&n));
        !is_its_own && readers.all(|n| last.is_some_and(|last| last < *n))
    }

    /// Whether the part has all that gives the local its value, and the local itself at the end of each iteration.
    fn gives(&self, local: VarId, part: &Part, numbers: &BTreeSet<usize>) -> bool {
        let mut declared = part.block.stmts.iter().filter_map(|s| s.declared());
        declared.any(|v| v == local) && self.definitions(local).all(|n| numbers.contains(&n))
    }

    /// The places that the statement accesses and that outlive the iteration.
    fn accesses(&self, n: usize) -> Vec<(Access, &'b Place)> {
        let stmt = self.list[n];
        let mut all = Vec::new();
        stmt.walk_exprs(&mut |e: &'b Expr| {
            all.extend(e.own_places().iter().map(|p| (Access::Read, p)));
        });
        let how = match stmt.kind {
            StmtKind::Incr(..) => Access::Add,
            _ => Access::Write,
        };
        all.extend(stmt.written().into_iter().map(|p| (how, p)));
        all.retain(|(_, p)| !self.locals.contains(p.root));
        all
    }

    /// Compares the accesses of a statement with those of itself and of all behind it.
    fn is_in_order(
        &self,
        n: usize,
        order: &PartOrder,
        separate: &Separate<'_>,
    ) -> Result<(), &'static str> {
        let probes = separate.probes;
        for (access, place) in self.accesses(n) {
            if access == Access::Write && !probes.is_another_element(place) {
                return Err("iterations write one place, and their order is another");
            }
            for m in n..self.list.len() {
                for (other, q) in self.accesses(m) {
                    let is_harmless = access == other && access != Access::Write;
                    if is_harmless || !meet(place, q, probes) || separate.are_disjoint(place, q) {
                        continue;
                    }
                    if place != q || !probes.is_another_element(place) {
                        return Err("iterations depend on one another");
                    }
                    if !order.precedes(n, m) {
                        return Err("a part runs before what it depends on");
                    }
                }
            }
        }
        Ok(())
    }
}

/// Finds the statements of the part in the block, each behind the one before, and collects their numbers.
fn find(
    block: &Block,
    part: &Block,
    next: &mut usize,
    is_same: &dyn Fn(usize, &Stmt) -> bool,
    numbers: &mut BTreeSet<usize>,
) -> Option<()> {
    let mut wanted = part.stmts.iter().peekable();
    for stmt in &block.stmts {
        let number = *next;
        *next += 1;
        let found = wanted.next_if(|w| is_same(number, w));
        if found.is_some() {
            numbers.insert(number);
        }
        let empty = Block::default();
        for (k, inner) in stmt.blocks().into_iter().enumerate() {
            let of_part = found.and_then(|w| w.blocks().get(k).copied());
            find(inner, of_part.unwrap_or(&empty), next, is_same, numbers)?;
        }
    }
    wanted.peek().is_none().then_some(())
}

/// Whether the places may overlap, in whatever iterations.
fn meet(a: &Place, b: &Place, probes: &Probes<'_>) -> bool {
    let steps = a.proj.iter().zip(&b.proj);
    let common = steps.take_while(|(x, y)| x == y).count();
    let up_to_there = a.proj.iter().take(common + 1);
    let mut operands = up_to_there.flat_map(Proj::operands);
    let by_field = matches!(a.proj.get(common), Some(Proj::Field(_)));
    let is_fixed = by_field || operands.all(|e| probes.change(e) == Some(0));
    a.root == b.root && !(is_fixed && are_disjoint(a, b))
}

/// When the parts are run.
struct PartOrder {
    /// The numbers of the statements of each part.
    parts: Vec<BTreeSet<usize>>,
    /// The number of each part's loop.
    loops: Vec<usize>,
}

impl PartOrder {
    fn new(distribution: &Distribution, parts: Vec<BTreeSet<usize>>) -> PartOrder {
        let numbered = distribution.loops().enumerate();
        let loops = numbered.flat_map(|(n, parts)| parts.iter().map(move |_| n));
        let loops = loops.collect();
        PartOrder { parts, loops }
    }

    /// Whether the first statement comes before the second, wherever they are in different parts: parts that share a loop
    /// have no order.
    fn precedes(&self, first: usize, second: usize) -> bool {
        let with = |n: usize| (0..self.parts.len()).filter(move |p| self.parts[*p].contains(&n));
        with(first).all(|a| with(second).all(|b| a == b || self.loops[a] < self.loops[b]))
    }
}

/// Parts that share a loop are run where one seed is not zero, and take nothing from one another.
fn aligned_with_one_seed(distribution: &Distribution) -> Result<(), &'static str> {
    let are_alike = |parts: &[Part]| {
        let mut pairs = parts.windows(2);
        let gives_nothing = parts.iter().all(|part| part.gives.is_empty());
        parts.len() == 1 || gives_nothing && pairs.all(|p| p[0].seed == p[1].seed)
    };
    match distribution.loops().all(are_alike) {
        true => Ok(()),
        false => Err("parts that share a loop give locals, or have different seeds"),
    }
}

/// Whether the statements are the same where the seeds are not zero, blocks inside aside.
fn is_same(a: &Stmt, b: &Stmt, seeds: &HashSet<VarId>) -> bool {
    let [a, b] = [a, b].map(|s| seeds::plain(s, seeds));
    match (&a.kind, &b.kind) {
        (StmtKind::If(p, ..), StmtKind::If(q, ..)) => p == q,
        (p, q) => p == q,
    }
}
