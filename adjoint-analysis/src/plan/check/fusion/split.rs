//! The plan with two sweeps that does what a fused plan does.

use std::collections::BTreeMap;

use crate::ir::{
    Block, Demand, Expr, Func, LoopHead, Range, RecordId, Stmt, StmtId, StmtKind, VarId,
};
use crate::passes::sets::set::VarSet;
use crate::plan::fusion::strips::{Strips, strips};
use crate::plan::{Plan, Record, RecordKind, Storage};

/// The plan, and when the fused plan runs its statements.
pub struct Split {
    pub plan: Plan,
    /// The time of each statement of the forward sweep and then of the reverse sweep, records that were added aside.
    pub times: Vec<usize>,
    /// How many of these are of the forward sweep.
    pub forward: usize,
}

/// A fused loop, as the two loops that it does strip by strip.
pub struct Fused<'p> {
    pub index: VarId,
    range: Range,
    pub run: &'p Block,
    reversed_head: &'p LoopHead,
    pub reversed: &'p Block,
}

/// The parts of a fused loop; none, if the statement is none, or its strips are not the iterations of a range, in their order.
pub fn fused_parts<'p>(stmt: &'p Stmt, func: &Func) -> Option<Fused<'p>> {
    let StmtKind::Loop(LoopHead::Counted(start, starts), body) = &stmt.kind else {
        return None;
    };
    let [first, reversed] = &body.stmts[..] else {
        return None;
    };
    let (StmtKind::Replay(_, run), StmtKind::Loop(reversed_head, reversed)) =
        (&first.kind, &reversed.kind)
    else {
        return None;
    };
    let [first, run] = &run.stmts[..] else {
        return None;
    };
    let (
        StmtKind::Let(end, Some(bound)),
        StmtKind::Loop(LoopHead::Counted(index, iterations), run),
    ) = (&first.kind, &run.kind)
    else {
        return None;
    };
    let range = Range {
        step: None,
        ..starts.clone()
    };
    let length = match &starts.step {
        Some(Expr::Lit(length, _)) => length.parse().ok()?,
        _ => return None,
    };
    let expected = strips(
        &range,
        length,
        [*start, *end].map(|v| func.place(v)).each_ref(),
    )?;
    let found = Strips {
        starts: starts.clone(),
        end: bound.clone(),
        iterations: iterations.clone(),
    };
    let is_mirrored = match reversed_head {
        LoopHead::Reversed(v, range) | LoopHead::Distributed(v, range, _) => {
            v == index && range == iterations
        }
        _ => false,
    };
    (found == expected && is_mirrored && is_fixed(&range, [run, reversed])).then_some(Fused {
        index: *index,
        range,
        run,
        reversed_head,
        reversed,
    })
}

/// Whether neither sweep of an iteration writes what the bounds are made of.
fn is_fixed(range: &Range, sweeps: [&Block; 2]) -> bool {
    let mut read = VarSet::default();
    for bound in [&range.lo, &range.hi] {
        bound.walk(&mut |e| read.extend(e.own_places().iter().map(|p| p.root)));
    }
    let mut is_fixed = true;
    for sweep in sweeps {
        sweep.walk(&mut |s| is_fixed &= s.written().iter().all(|p| !read.contains(p.root)));
    }
    is_fixed
}

/// Splits a fused plan.
pub fn split(fused: &Plan) -> Split {
    let mut plan = fused.clone();
    (plan.forward, plan.reverse) = Default::default();
    let (mut early, mut moved, mut reverse) = (Vec::new(), Vec::new(), Vec::new());
    let mut time = 0;
    let mut next = || {
        time += 1;
        time
    };
    for stmt in &fused.forward.stmts {
        early.push((next(), stmt.clone()));
    }
    for stmt in &fused.reverse.stmts {
        let now = next();
        if let StmtKind::Replay(_, late) = &stmt.kind {
            moved.extend(late.stmts.iter().map(|s| (next(), s.clone())));
        } else if let Some(parts) = fused_parts(stmt, &plan.func) {
            let (run, reversed) = in_two_loops(stmt.id, &parts);
            moved.push((now, run));
            reverse.push((now, reversed));
        } else {
            reverse.push((now, stmt.clone()));
        }
    }
    let forward = in_primal_order(early, moved, &plan);
    let times = forward.iter().chain(&reverse).map(|(time, _)| *time);
    let (times, count) = (times.collect(), forward.len());
    let [forward, reverse] =
        [forward, reverse].map(|all| all.into_iter().map(|(_, s)| s).collect());
    let ret: Vec<VarId> = plan.func.ret.into_iter().collect();
    (plan.forward, plan.reverse) = with_records([forward, reverse], &ret, &mut plan);
    Split {
        plan,
        times,
        forward: count,
    }
}

/// The loop of the forward sweep and that of the reverse sweep.
fn in_two_loops(id: StmtId, fused: &Fused<'_>) -> (Stmt, Stmt) {
    let run = LoopHead::Counted(fused.index, fused.range.clone());
    let mut reversed = fused.reversed_head.clone();
    if let Some(range) = reversed.range_mut() {
        *range = fused.range.clone();
    }
    let [run, reversed] = [(run, fused.run), (reversed, fused.reversed)].map(|(head, body)| Stmt {
        id,
        kind: StmtKind::Loop(head, body.clone()),
    });
    (run, reversed)
}

/// What the reverse sweep finds in its scope, and what is declared around both, is recorded at the end of the forward sweep, and
/// restored where the reverse sweep starts.
fn with_records(
    [mut forward, reverse]: [Vec<Stmt>; 2],
    around: &[VarId],
    plan: &mut Plan,
) -> (Block, Block) {
    let mut named = VarSet::default();
    Stmt::walk_all(&reverse, &mut |s| {
        s.each_named_var(&mut |v| {
            named.insert(v);
        });
        named.extend(plan.func.shape_taken(s));
    });
    let again: VarSet = reverse.iter().flat_map(Stmt::all_declared).collect();
    let declared = forward
        .iter()
        .flat_map(|s| s.all_declared().into_iter().map(|v| (s.id, v)));
    let declared: BTreeMap<VarId, StmtId> = declared.map(|(id, v)| (v, id)).collect();
    let mut mirror = Vec::new();
    let own = declared.into_iter();
    let around = around.iter().map(|v| (*v, StmtId(0)));
    for (v, of) in own.chain(around) {
        if !named.contains(v) || again.contains(v) {
            continue;
        }
        let record = RecordId(plan.records.len() as u32);
        let place = plan.func.place(v);
        plan.records.push(Record {
            kind: RecordKind::Value(place.ty.clone()),
            storage: Storage::Stack,
            of,
            demand: Demand::ALWAYS,
        });
        let stmt = |kind: StmtKind| Stmt { id: of, kind };
        forward.push(stmt(StmtKind::Record(record, place.clone())));
        mirror.insert(0, stmt(StmtKind::Restore(record, place)));
        mirror.insert(0, stmt(StmtKind::Let(v, None)));
    }
    mirror.extend(reverse);
    (Block::new(forward), Block::new(mirror))
}

/// The statements of the forward sweep in the order of the primal.
fn in_primal_order(
    early: Vec<(usize, Stmt)>,
    mut moved: Vec<(usize, Stmt)>,
    plan: &Plan,
) -> Vec<(usize, Stmt)> {
    let primal = &plan.func.body.stmts;
    let position = |stmt: &Stmt| primal.iter().position(|s| s.id == stmt.id);
    moved.sort_by_key(|(_, stmt)| position(stmt));
    let moved_ids: Vec<StmtId> = moved.iter().map(|(_, stmt)| stmt.id).collect();
    let mut moved = moved.into_iter().peekable();
    let mut all: Vec<(usize, Stmt)> = Vec::new();
    let of_next: Vec<Option<StmtId>> = early.iter().skip(1).map(|(_, s)| Some(s.id)).collect();
    let of_next = of_next.into_iter().chain([None]);
    for ((time, stmt), next) in early.into_iter().zip(of_next) {
        // A record at the end of the block has the id of a declaration before, not that of what follows it.
        let is_in_front = next == Some(stmt.id) || moved_ids.contains(&stmt.id);
        let is_last = is_record(&stmt) && !is_in_front;
        while moved
            .peek()
            .is_some_and(|(_, m)| is_last || position(m) < position(&stmt))
        {
            all.extend(moved.next());
        }
        all.push((time, stmt));
    }
    all.extend(moved);
    all
}

fn is_record(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Record(..) | StmtKind::RecordControl(..)
    )
}
