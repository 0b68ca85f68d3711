//! Alignment: parts that add to neighbouring elements of one array share a loop.
//!
//! **Problem.** The adjoint of a stencil adds to `a[i - 1]`, `a[i]` and `a[i + 1]` in each iteration. A loop with all three is
//! not vectorised, since an iteration writes what the next one does. Three loops load and store the array three times.
//!
//! **Rule.** In the loop that the parts share, each runs another iteration, so that all add to one element: a gather. That is
//! loop alignment; the iterations at both ends that have no partner run on their own, in front of the loop.
//!
//! **Conditions.** Nothing in one part has to come before anything in another. Then by the conditions of distribution, it is of no
//! account in which order any of their iterations run. They add to one place each, have the same guards and the same seed, and give
//! no locals, as these would come from the iteration in front. What the parts read fits into the registers of addresses.

use super::body::Body;
use super::dependences::Order;
use super::partition::{Group, precedes, read_beside};
use super::scalar_expansion::Sliced;
use crate::ir::{Alignment, Demand, Place, Proj, Range};

/// The most iterations that parts may be apart.
const FARTHEST: i64 = 8;

/// How many times as many iterations as the parts are apart a loop has, if that is known.
const LONGEST_ENDS: i64 = 4;

/// How many places a loop accesses, at most.
const STREAMS: usize = 12;

/// How the element that a part adds to lies to those of the others in its loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Aligned {
    /// The number of the loop.
    pub of: usize,
    /// Its index, less that of the loop's first part.
    pub offset: i64,
}

/// Aligns parts, and moves those of one loop together.
pub fn align(body: &Body<'_>, parts: &mut [Group], order: &Order, range: &Range) {
    let longest = range.literal_distance().map(|n| n / LONGEST_ENDS);
    let farthest = longest.unwrap_or(FARTHEST).min(FARTHEST);
    let mut first = 0;
    while first < parts.len() {
        let mut end = first + 1;
        for n in first + 1..parts.len() {
            if let Some(offset) = offset(body, &parts[first..end], &parts[n], farthest)
                && (first..n).all(|m| !precedes(&parts[m], &parts[n], order))
                && (first..end).all(|m| !precedes(&parts[n], &parts[m], order))
            {
                parts[first..=n][end - first..].rotate_right(1);
                let aligned = |offset| Some(Aligned { of: first, offset });
                parts[first].aligned = aligned(0);
                parts[end].aligned = aligned(offset);
                parts[end].guards = parts[first].guards.clone();
                end += 1;
            }
        }
        first = end;
    }
}

/// The index of the element that the part adds to, less that of the first of these parts, if it may share their loop.
fn offset(body: &Body<'_>, with: &[Group], part: &Group, farthest: i64) -> Option<i64> {
    let (a, b) = (only_target(body, &with[0])?, only_target(body, part)?);
    let is_alike = for_same_callers(&with[0].guards, &part.guards) && a.root == b.root;
    let (m, n) = (
        body.subscripts.element(a)?.at,
        body.subscripts.element(b)?.at,
    );
    let is_beside = m == n && a.proj[..m] == b.proj[..n] && a.proj[m + 1..] == b.proj[n + 1..];
    let (Proj::Index(x), Proj::Index(y)) = (a.proj.get(m)?, b.proj.get(n)?) else {
        return None;
    };
    let offset = body.subscripts.distance(y, x)?;
    let known = with.iter().filter_map(|p| p.aligned.map(|a| a.offset));
    let (least, most) = known.chain([0, offset]).fold((0, 0), |(least, most), n| {
        (i64::min(least, n), i64::max(most, n))
    });
    let members = with.iter().chain([part]);
    let streams: usize = members.map(|p| read_beside(body, &[p], &[])).sum();
    let fits = most - least <= farthest && streams < STREAMS;
    (is_alike && is_beside && fits).then_some(offset)
}

/// Whether the guards hold for the same callers.
fn for_same_callers(a: &[Demand], b: &[Demand]) -> bool {
    let imply =
        |of: &[Demand], all: &[Demand]| all.iter().all(|d| of.iter().any(|g| g.implies(*d)));
    imply(a, b) && imply(b, a)
}

/// The place that the part adds to, if it does nothing else and reads nothing of that variable.
fn only_target<'b>(body: &Body<'b>, part: &Group) -> Option<&'b Place> {
    let target = body.target(part.effects[0])?;
    let is_only = |n: &usize| body.is_increment(*n) && body.target(*n) == Some(target);
    let is_read = |n: &usize| body.reads(*n).iter().any(|p| p.root == target.root);
    let ascends = body.subscripts.element(target)?.change == 1;
    let is_alone = part.effects.iter().all(is_only) && !part.slice.iter().any(is_read);
    (ascends && is_alone).then_some(target)
}

/// The alignments of the parts as they have become.
pub fn alignments(parts: &[Sliced]) -> Vec<Option<Alignment>> {
    let shared = |s: &Sliced| {
        let aligned = s.group.aligned.filter(|_| s.gives.is_empty())?;
        Some((aligned.of, s.seed))
    };
    let runs = parts.chunk_by(|a, b| shared(a).is_some() && shared(a) == shared(b));
    let mut alignments = Vec::new();
    for (of, run) in runs.enumerate() {
        let offsets = run.iter().map(|s| s.group.aligned.map_or(0, |a| a.offset));
        let most = offsets.clone().max().unwrap_or(0);
        let ahead = offsets.map(|offset| usize::try_from(most - offset).ok());
        let alignment = |ahead| Some(Alignment { of, ahead: ahead? });
        alignments.extend(ahead.map(|n| alignment(n).filter(|_| run.len() > 1)));
    }
    alignments
}
