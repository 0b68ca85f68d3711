//! Loops of which a strip is reversed as soon as it has run.

use super::effects::{Access, Effects, each_access};
use super::order::{Fused, Order};
use super::privates::Privates;
use super::scope::Scope;
use super::strips::strips;
use crate::ir::{
    Block, Expr, Func, LoopHead, Mode, Origin, Place, Proj, Range, Stmt, StmtId, StmtKind, VarId,
};
use crate::passes::checkpoint::Callees;
use crate::passes::sets::names::declared_in;
use crate::passes::sets::set::VarSet;
use crate::plan::Plan;
use crate::plan::cost::reals_recorded;

/// The reals that a first-level cache holds.
const CACHED: f64 = 4096.0;

/// The iterations of a strip whose records are in no first-level cache, since those of a few iterations are not.
const SHORTEST_STRIP: usize = 8;

/// Fuses the loops of a function that may and should be, from the last one on. Returns whether there are any.
pub fn fuse(scope: &mut Scope, plan: &mut Plan, longest_strip: usize) -> bool {
    let mut order = Order::of(scope, plan.callees());
    let privates = Privates::of(plan);
    for at in (0..scope.forward.len()).rev() {
        let Some(mirror) = mirror(&scope.reverse, scope.forward[at].id) else {
            continue;
        };
        let parts = [&scope.forward[at], &scope.reverse[mirror]];
        if let Some(stmt) = fused(parts, &privates, plan, longest_strip) {
            order.try_to_fuse(Fused { at, mirror, stmt });
        }
    }
    order.arrange(scope)
}

/// The position of the reversed loop of a counted loop.
fn mirror(reverse: &[Stmt], of: StmtId) -> Option<usize> {
    reverse.iter().position(|s| match &s.kind {
        StmtKind::Loop(LoopHead::Reversed(..) | LoopHead::Distributed(..), _) => s.id == of,
        _ => false,
    })
}

/// The fused loop, if each iteration may be reversed before others run.
fn fused(
    [forward, reverse]: [&Stmt; 2],
    privates: &Privates,
    plan: &mut Plan,
    longest_strip: usize,
) -> Option<Stmt> {
    let (
        StmtKind::Loop(LoopHead::Counted(index, range), run),
        StmtKind::Loop(reversed_head, reversed),
    ) = (&forward.kind, &reverse.kind)
    else {
        return None;
    };
    let parts = [&run.stmts[..], &reversed.stmts];
    let private = privates.of_loop(forward.id);
    let is_possible = is_worth_it(run, plan.callees())
        && is_fixed(range, parts)
        && are_independent(parts, *index, &private, &plan.func);
    if !is_possible {
        return None;
    }
    let [start, end] = ["strip", "strip_end"].map(|name| {
        plan.func
            .add_var(name, range.ty.clone(), Mode::Owned, Origin::Temp)
    });
    let length = strip_length(run, plan).min(longest_strip);
    let bounds = [start, end].map(|v| plan.func.place(v));
    let strips = strips(range, length, bounds.each_ref())?;
    let mut reversed_head = reversed_head.clone();
    *reversed_head.range_mut()? = strips.iterations.clone();
    let stmt = |kind: StmtKind| Stmt {
        id: forward.id,
        kind,
    };
    let in_strip = |head: LoopHead, body: &Block| stmt(StmtKind::Loop(head, body.clone()));
    let run = Block::new(vec![
        stmt(StmtKind::Let(end, Some(strips.end))),
        in_strip(LoopHead::Counted(*index, strips.iterations), run),
    ]);
    let body = vec![
        stmt(StmtKind::Replay(Block::default(), run)),
        in_strip(reversed_head, reversed),
    ];
    let head = LoopHead::Counted(start, strips.starts);
    Some(stmt(StmtKind::Loop(head, Block::new(body))))
}

/// How many iterations run before they are reversed: as many as overlap in a processor, where their records, as far as they
/// can be estimated, stay in its first cache.
fn strip_length(run: &Block, plan: &Plan) -> usize {
    let fit = CACHED / reals_recorded(run, plan).max(1.0);
    (fit as usize).max(SHORTEST_STRIP)
}

/// Whether neither sweep of an iteration changes what the bounds are made of.
fn is_fixed(range: &Range, parts: [&[Stmt]; 2]) -> bool {
    let mut written = VarSet::default();
    for part in parts {
        Stmt::walk_all(part, &mut |s| {
            written.extend(s.written().iter().map(|p| p.root))
        });
    }
    let mut is_fixed = true;
    for bound in [&range.lo, &range.hi] {
        bound.walk(&mut |e| is_fixed &= e.own_places().iter().all(|p| !written.contains(p.root)));
    }
    is_fixed
}

/// Whether the loop records anything, or has sums, whose additions wait for one another. Other loops are as fast alone.
fn is_worth_it(run: &Block, callees: Callees<'_>) -> bool {
    let effects = Effects::of(&run.stmts, callees);
    let mut outer = effects.incremented.clone();
    outer.subtract(&declared_in(&run.stmts));
    effects.use_tape || !outer.is_empty()
}

/// Whether each iteration may be reversed before the next one runs, and before those behind it are reversed.
fn are_independent(
    [run, reversed]: [&[Stmt]; 2],
    index: VarId,
    private: &VarSet,
    func: &Func,
) -> bool {
    let mut inner = declared_in(run);
    inner.union(&declared_in(reversed));
    inner.insert(index);
    let [run, reversed] = [run, reversed].map(|sweep| {
        let mut accesses = Vec::new();
        each_access(sweep, func, &mut |place, access| {
            if !inner.contains(place.root) {
                accesses.push((place.clone(), access));
            }
        });
        accesses
    });
    let roots: VarSet = reversed.iter().map(|(place, _)| place.root).collect();
    roots.iter().all(|root| {
        let of_root = |all: &[(Place, Access)]| -> Vec<(Place, Access)> {
            let named = all.iter().filter(|(place, _)| place.root == root);
            named.cloned().collect()
        };
        let (run, reversed) = (of_root(&run), of_root(&reversed));
        let only = |all: &[(Place, Access)], wanted: Access| {
            all.iter().all(|(_, access)| *access == wanted)
        };
        let is_read = is_only_read(&run) && is_only_read(&reversed);
        let is_sum = run.is_empty() && only(&reversed, Access::Increment);
        is_read
            || is_sum
            || private.contains(root)
            || is_own_element(run.iter().chain(&reversed), index)
    })
}

fn is_only_read(accesses: &[(Place, Access)]) -> bool {
    let is_read = |access: &Access| matches!(access, Access::Read | Access::Shape);
    accesses.iter().all(|(_, access)| is_read(access))
}

/// Whether all of these are elements, or parts of them, at the loop's index, which are other ones in each iteration.
fn is_own_element<'a>(accesses: impl Iterator<Item = &'a (Place, Access)>, index: VarId) -> bool {
    let mut prefix: Option<&[Proj]> = None;
    let mut elements = accesses.filter(|(_, access)| *access != Access::Shape);
    elements.all(|(place, _)| {
        let at = place.proj.iter().position(|p| !matches!(p, Proj::Field(_)));
        at.is_some_and(|at| {
            let is_at_index = match &place.proj[at] {
                Proj::Index(e) => matches!(&**e, Expr::Read(i) if i.is_whole() && i.root == index),
                _ => false,
            };
            let of_one = *prefix.get_or_insert(&place.proj[..at]) == &place.proj[..at];
            is_at_index && of_one
        })
    })
}
