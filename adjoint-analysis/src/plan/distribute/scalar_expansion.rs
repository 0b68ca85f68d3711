//! Scalar expansion: locals of the body that one part computes and later ones take.
//!
//! **Problem.** Each part has the slice that its effects need, so that a value which several need is computed by each.
//!
//! **Rule.** Where that costs more than an access, the first part that needs the value *gives* it, and later ones *take* it. So
//! does a part in front of these that computes an expensive result which the value needs. The local has an element for each iteration,
//! and the loop runs in blocks of as many iterations as there are elements, part after part in each.
//!
//! **Conditions.** The parts keep the order of the dependences, as the part that gives has more statements than its effects need. A
//! taken value is that at the end of the iteration, so whatever reads it comes behind all that writes it. The part that gives
//! is run whenever one that takes is: for all of its callers, and where the same seed is not zero. Blocks need no condition, since
//! the iterations of a distributed loop may run in any order.

use std::collections::BTreeSet;

use super::body::Body;
use super::dependences::Order;
use super::partition::Group;
use crate::ir::{Block, Demand, Expr, StmtKind, VarId};
use crate::rules::is_choice;

/// The work of a test of a seed and a product, relative to that of an addition or an access.
const SCALE: usize = 3;

/// That of a choice, a branch, or a restored value.
const CHOICE: usize = 4;

/// That of a function.
const FUNCTION: usize = 16;

/// How much work has to be saved beside the accesses: a loop in blocks has more of these.
const LEAST: usize = 2;

/// A part, with the locals that have elements.
pub struct Sliced {
    /// Its effects and their slice, which computes neither what it takes nor what that alone needs.
    pub group: Group,
    /// Its statements, if it takes and gives nothing.
    pub block: Block,
    /// The seed where it adds nothing if that is zero: what has another seed is not run where it is.
    pub seed: Option<VarId>,
    /// See [`Part::takes`](crate::ir::Part::takes).
    pub takes: Vec<VarId>,
    /// See [`Part::gives`](crate::ir::Part::gives).
    pub gives: Vec<VarId>,
}

impl Sliced {
    /// The slice, if this local is taken as well.
    fn without(&self, body: &Body<'_>, local: VarId) -> BTreeSet<usize> {
        let mut taken = self.takes.clone();
        taken.push(local);
        let mut wanted = self.group.effects.clone();
        wanted.extend(self.gives.iter().flat_map(|v| body.definitions(*v)));
        body.slice(&wanted, &taken)
    }
}

/// Lets parts take locals from others where that saves work.
pub fn expand(body: &Body<'_>, order: &Order, parts: &mut [Sliced]) {
    if parts.len() < 2 {
        return;
    }
    // What is computed last needs most of what others compute.
    for local in body.locals().rev() {
        let definitions = body.definitions(local);
        if body.plan.func.var(local).ty.is_machine_float()
            && let Some(found) = expansion(body, parts, local, definitions)
            && keeps_order(order, parts, &found)
        {
            found.apply(parts, local);
        }
    }
}

/// How parts change if a local is expanded: the part that gives it, those that take it, and their slices.
struct Expansion {
    home: (usize, BTreeSet<usize>),
    takers: Vec<(usize, BTreeSet<usize>)>,
}

impl Expansion {
    /// The slice of a part with this.
    fn slice<'s>(&'s self, parts: &'s [Sliced], n: usize) -> &'s BTreeSet<usize> {
        let mut changed = std::iter::once(&self.home).chain(&self.takers);
        let changed = changed.find(|(part, _)| *part == n);
        changed.map_or(&parts[n].group.slice, |(_, slice)| slice)
    }

    fn apply(self, parts: &mut [Sliced], local: VarId) {
        let (home, slice) = self.home;
        parts[home].gives.push(local);
        parts[home].group.slice = slice;
        for (n, slice) in self.takers {
            parts[n].takes.push(local);
            parts[n].group.slice = slice;
        }
    }
}

/// How the parts that compute the local take it from the first one that does, or from one in front of that which computes an
/// expensive result that it needs, if that saves work.
fn expansion(
    body: &Body<'_>,
    parts: &[Sliced],
    local: VarId,
    definitions: &[usize],
) -> Option<Expansion> {
    let computes = |s: &Sliced| definitions.iter().all(|n| s.group.slice.contains(n));
    let first = parts.iter().position(computes)?;
    let (guards, seed) = (&parts[first].group.guards, parts[first].seed);
    let of_local = expensive(body, definitions);
    let has_expensive = |s: &Sliced| {
        let of_part = expensive(body, &s.group.slice);
        let is_alike = s.group.guards == *guards && s.seed == seed;
        is_alike && !s.takes.contains(&local) && of_local.iter().any(|e| of_part.contains(e))
    };
    // Whenever it is run, so is the part that gives.
    let may_take = |s: &Sliced| guards.iter().all(|g| s.group.guards.contains(g)) && s.seed == seed;
    let home = parts
        .iter()
        .position(has_expensive)
        .unwrap_or(first)
        .min(first);
    if !is_always_defined(body, definitions, guards) {
        return None;
    }
    let (mut takers, mut saved) = (Vec::new(), 0);
    for (n, part) in parts.iter().enumerate().skip(home + 1) {
        if computes(part) && may_take(part) {
            let slice = part.without(body, local);
            let reads = |n: &usize| body.named(*n).contains(&local);
            let is_behind = |n: &usize| definitions.iter().all(|d| d < n);
            if slice.iter().all(|n| !reads(n) || is_behind(n)) {
                let left_out = part.group.slice.difference(&slice);
                saved += left_out.map(|n| work(body, *n)).sum::<usize>();
                takers.push((n, slice));
            }
        }
    }
    let mut slice = parts[home].group.slice.clone();
    let added = body.slice(definitions, &parts[home].takes);
    let cost: usize = added.difference(&slice).map(|n| work(body, *n)).sum();
    slice.extend(added);
    let pays = !takers.is_empty() && saved > cost + 1 + takers.len() + LEAST;
    pays.then_some(Expansion {
        home: (home, slice),
        takers,
    })
}

/// The expensive results that the statements compute.
pub fn expensive<'b, 'n>(
    body: &Body<'b>,
    numbers: impl IntoIterator<Item = &'n usize>,
) -> Vec<&'b Expr> {
    let numbers = numbers.into_iter();
    numbers.flat_map(|n| body.expensive(*n)).collect()
}

/// Whether the parts with these slices keep the order of the dependences.
fn keeps_order(order: &Order, parts: &[Sliced], expansion: &Expansion) -> bool {
    order.iter().all(|(first, second)| {
        let has = |n: usize, unit: &usize| expansion.slice(parts, n).contains(unit);
        (0..parts.len()).all(|b| {
            let mut later = b + 1..parts.len();
            !has(b, second) || !later.any(|a| has(a, first))
        })
    })
}

/// Whether the local is declared in each iteration, for the callers that have these guards.
fn is_always_defined(body: &Body<'_>, definitions: &[usize], guards: &[Demand]) -> bool {
    let mut around = body.units[definitions[0]].around.iter();
    around.all(|n| match &body.units[*n].stmt.kind {
        StmtKind::When(demand, _) => guards.contains(demand),
        _ => false,
    })
}

/// The work of a statement itself, relative to an addition.
fn work(body: &Body<'_>, n: usize) -> usize {
    let stmt = body.units[n].stmt;
    let mut work = match &stmt.kind {
        StmtKind::If(..) => CHOICE,
        StmtKind::Restore(..) | StmtKind::RestoreControl(..) => 1,
        _ => 0,
    };
    stmt.walk_exprs(&mut |e| {
        work += match e {
            // Whether the factor is finite is tested in front of the loop.
            Expr::Scale(_, factor) if body.subscripts.is_fixed_value(factor) => 1,
            Expr::Scale(..) => SCALE,
            e if is_choice(e) => CHOICE,
            Expr::Partial(..) | Expr::Intrinsic(..) => FUNCTION,
            Expr::Binary(_, a, _) => usize::from(a.ty(&body.plan.func).is_float()),
            Expr::Read(p) => usize::from(!p.is_whole()),
            _ => 0,
        };
    });
    work
}
