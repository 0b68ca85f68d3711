//! Which effects share a part.
//!
//! Each effect starts with a part of its own. Parts are united
//! 0. where they add to neighbouring elements, they only share a loop (`alignment`), and no part with others,
//! 1. where they write one place, or need one expensive result that none can take from the other (`scalar_expansion`),
//! 2. where the order of the dependences is a cycle of parts,
//! 3. where one follows the other and the loop of both is still vectorised: sums and writes of few places, which a loop
//!    with sums takes in lanes, or writes of few places, since a compiler compares the places that a loop writes with all
//!    others at run time,
//! 4. where one only copies and zeroes, and the other takes no sums.

use std::collections::BTreeSet;

use super::alignment::{self, Aligned};
use super::body::Body;
use super::dependences::Order;
use super::scalar_expansion::{self, Sliced};
use super::seeds;
use crate::ir::{Alignment, Block, Demand, Expr, Part, Place, Range, Stmt, StmtKind, VarId};

/// How many places a loop with sums reads and writes, at most.
const STREAMS: usize = 6;

/// How many pairs of places a compiler compares before a loop (the threshold of LLVM's vectoriser).
const COMPARISONS: usize = 8;

/// The effects of a part.
pub struct Group {
    /// Their numbers.
    pub effects: Vec<usize>,
    /// The numbers of the statements that they need.
    pub slice: BTreeSet<usize>,
    /// The callers for which all of them are run.
    pub guards: Vec<Demand>,
    /// Whether they may share a loop with other parts.
    pub aligned: Option<Aligned>,
}

/// The parts of the body of a loop with this index, in their order.
pub fn partition(body: &Body<'_>, order: &Order, (index, range): (VarId, &Range)) -> Vec<Part> {
    let mut united = Vec::new();
    loop {
        let groups = groups(body, order, &united, range).into_iter();
        let mut sliced: Vec<Sliced> = groups.map(|group| sliced(body, group, index)).collect();
        scalar_expansion::expand(body, order, &mut sliced);
        match with_one_expensive_result(body, &sliced) {
            Some(pair) => united.push(pair),
            None => {
                let alignments = alignment::alignments(&sliced);
                let parts = sliced.into_iter().zip(alignments);
                return parts.map(|(s, a)| part(body, s, a, index)).collect();
            }
        }
    }
}

fn sliced(body: &Body<'_>, group: Group, index: VarId) -> Sliced {
    let block = guarded(body, &group);
    Sliced {
        seed: seeds::seed(&block, index, &body.plan.func),
        takes: Vec::new(),
        gives: Vec::new(),
        block,
        group,
    }
}

fn part(body: &Body<'_>, sliced: Sliced, alignment: Option<Alignment>, index: VarId) -> Part {
    let is_whole = sliced.takes.is_empty() && sliced.gives.is_empty();
    let mut part = Part {
        alignment,
        seed: sliced.seed,
        block: match is_whole {
            true => sliced.block,
            false => guarded(body, &sliced.group),
        },
        takes: sliced.takes,
        gives: sliced.gives,
    };
    seeds::multiply_plainly(&mut part, index);
    part
}

/// Effects of two parts that both compute one expensive result.
fn with_one_expensive_result(body: &Body<'_>, parts: &[Sliced]) -> Option<[usize; 2]> {
    let of = |s: &Sliced| scalar_expansion::expensive(body, &s.group.slice);
    let all: Vec<Vec<&Expr>> = parts.iter().map(of).collect();
    let (a, b) = pair(&all, |a, b| b.iter().any(|e| a.contains(e)))?;
    Some([a, b].map(|n| parts[n].group.effects[0]))
}

/// The groups of effects, in the order of their parts; some are in one.
fn groups(body: &Body<'_>, order: &Order, united: &[[usize; 2]], range: &Range) -> Vec<Group> {
    let start = body.effects().into_iter().map(|effect| Group {
        effects: vec![effect],
        slice: body.slice(&[effect], &[]),
        guards: body.guards(effect),
        aligned: None,
    });
    let mut parts: Vec<Group> = start.collect();
    let must_share = |a: &Group, b: &Group| {
        let has = |group: &Group, effect: &usize| group.effects.contains(effect);
        let is_of_both = |[x, y]: &[usize; 2]| has(a, x) && has(b, y) || has(a, y) && has(b, x);
        targets(body, a).any(|p| targets(body, b).any(|q| p == q)) || united.iter().any(is_of_both)
    };
    while let Some((a, b)) = pair(&parts, must_share) {
        unite(&mut parts, a, b);
    }
    let mut sorted = sort(parts, order);
    alignment::align(body, &mut sorted, order, range);
    while let Some(a) = (1..sorted.len()).find(|n| may_share(body, &sorted[n - 1], &sorted[*n])) {
        unite(&mut sorted, a - 1, a);
    }
    while let Some((a, b)) = move_and_host(body, &sorted, order) {
        unite(&mut sorted, b, a);
    }
    sorted
}

/// The first pair for which the condition holds.
fn pair<T>(parts: &[T], holds: impl Fn(&T, &T) -> bool) -> Option<(usize, usize)> {
    let pairs = (0..parts.len()).flat_map(|a| (a + 1..parts.len()).map(move |b| (a, b)));
    let mut pairs = pairs.filter(|(a, b)| holds(&parts[*a], &parts[*b]));
    pairs.next()
}

/// Moves the effects of part `b` into part `a`, under the guards that both have.
fn unite(parts: &mut Vec<Group>, a: usize, b: usize) {
    let other = parts.remove(b);
    let part = &mut parts[if b < a { a - 1 } else { a }];
    part.effects.extend(other.effects);
    part.slice.extend(other.slice);
    let common = part.guards.iter().zip(&other.guards);
    let common = common.take_while(|(a, b)| a == b).count();
    part.guards.truncate(common);
}

fn targets<'p>(body: &'p Body<'_>, part: &'p Group) -> impl Iterator<Item = &'p Place> {
    part.effects.iter().filter_map(|n| body.target(*n))
}

/// The parts in an order that keeps the dependences; those on a cycle are united.
fn sort(mut parts: Vec<Group>, order: &Order) -> Vec<Group> {
    let mut sorted = Vec::new();
    while !parts.is_empty() {
        let is_first = |n: &usize| {
            let mut others = (0..parts.len()).filter(|m| m != n);
            others.all(|m| !precedes(&parts[m], &parts[*n], order))
        };
        match (0..parts.len()).find(is_first) {
            Some(first) => sorted.push(parts.remove(first)),
            // Among what is left, each part has one before it.
            None => unite(&mut parts, 0, 1),
        }
    }
    sorted
}

/// Whether something in `a` has to run before something in `b`.
pub fn precedes(a: &Group, b: &Group, order: &Order) -> bool {
    let has = |part: &Group, n: usize| part.slice.contains(&n);
    let mut order = order.iter();
    order.any(|(first, second)| has(a, *first) && has(b, *second))
}

/// Whether the loops of the two, one after the other, may be one.
fn may_share(body: &Body<'_>, a: &Group, b: &Group) -> bool {
    let effects = || a.effects.iter().chain(&b.effects);
    let is_sum = |n: &&usize| body.is_reduction(**n);
    let mut written: Vec<&Place> = Vec::new();
    for place in effects()
        .filter(|n| !is_sum(n))
        .filter_map(|n| body.target(*n))
    {
        if !written.contains(&place) {
            written.push(place);
        }
    }
    let mut roots: Vec<_> = written.iter().map(|p| p.root).collect();
    roots.sort_unstable();
    roots.dedup();
    let (r, w) = (read_beside(body, &[a, b], &written), written.len());
    let have_own_loops = a.aligned.is_none() && b.aligned.is_none();
    have_own_loops
        && roots.len() == w
        && match effects().any(|n| is_sum(&n)) {
            true => a.guards == b.guards && r + w <= STREAMS,
            false => w * w.saturating_sub(1) / 2 + w * r <= COMPARISONS,
        }
}

/// How many places the loop of the parts reads, beside those that it writes.
pub fn read_beside(body: &Body<'_>, parts: &[&Group], written: &[&Place]) -> usize {
    let mut read: Vec<&Place> = Vec::new();
    let slice: BTreeSet<&usize> = parts.iter().flat_map(|part| &part.slice).collect();
    for n in slice {
        for place in body.reads(*n) {
            let is_stream = body.subscripts.element(place).is_some();
            if is_stream && !written.contains(&place) && !read.contains(&place) {
                read.push(place);
            }
        }
        read.extend(restored(body.units[*n].stmt));
    }
    read.len()
}

/// The place that a statement restores stands for its slot, which the loop reads.
fn restored(stmt: &Stmt) -> Option<&Place> {
    match &stmt.kind {
        StmtKind::Restore(_, place) => Some(place),
        _ => None,
    }
}

/// A part that only copies and zeroes, and another that may do so as well: alone, a compiler makes it a call of `memcpy`
/// or `memset`, which costs more than a loop of few iterations.
fn move_and_host(body: &Body<'_>, parts: &[Group], order: &Order) -> Option<(usize, usize)> {
    let is_host = |p: &Group| {
        let mut effects = p.effects.iter();
        p.aligned.is_none() && effects.all(|n| !body.is_reduction(*n))
    };
    let is_adjacent = |a: usize, b: usize| {
        let between = &parts[a.min(b) + 1..a.max(b)];
        match a < b {
            true => !between.iter().any(|p| precedes(&parts[a], p, order)),
            false => !between.iter().any(|p| precedes(p, &parts[a], order)),
        }
    };
    let moves = (0..parts.len()).filter(|a| parts[*a].effects.iter().all(|n| body.is_move(*n)));
    let mut pairs = moves.flat_map(|a| (0..parts.len()).map(move |b| (a, b)));
    pairs.find(|(a, b)| a != b && is_host(&parts[*b]) && is_adjacent(*a, *b))
}

/// The statements of the part under its guards.
fn guarded(body: &Body<'_>, part: &Group) -> Block {
    let inside = body.part(&part.slice, &part.guards);
    let id = body.units[part.effects[0]].stmt.id;
    part.guards.iter().rfold(inside, |inner, demand| {
        let kind = StmtKind::When(*demand, inner);
        Block::new(vec![Stmt { id, kind }])
    })
}
