//! The plan with two sweeps that does what a fused plan does.

use std::collections::BTreeMap;

use super::iterations::Iteration;
use crate::ir::{Block, Demand, LoopHead, RecordId, Stmt, StmtId, StmtKind, VarId};
use crate::passes::sets::set::VarSet;
use crate::plan::check::faults::{FaultKind, Faults};
use crate::plan::{Plan, Record, RecordKind, Storage};

/// The plan, and when the fused plan runs its statements.
pub struct Split {
    pub plan: Plan,
    /// The time of each statement of the forward sweep and then of the reverse sweep, records that were added aside.
    pub times: Vec<usize>,
    /// How many of these are of the forward sweep.
    pub forward: usize,
}

/// The head of a fused loop, and the statements of both sweeps in its body.
pub fn fused_parts(stmt: &Stmt) -> Option<(&LoopHead, &[Stmt], &[Stmt])> {
    let StmtKind::Loop(head, body) = &stmt.kind else {
        return None;
    };
    let (first, reversed) = body.stmts.split_first()?;
    match &first.kind {
        StmtKind::Replay(_, run) => Some((head, &run.stmts, reversed)),
        _ => None,
    }
}

/// Splits a fused plan.
pub fn split(fused: &Plan, faults: &mut Faults) -> Split {
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
        } else if let Some((head, run, reversed)) = fused_parts(stmt) {
            let (run, reversed) = in_two_loops(stmt.id, head, [run, reversed], &mut plan, faults);
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
    (plan.forward, plan.reverse) = with_records(None, [forward, reverse], &ret, &mut plan);
    Split {
        plan,
        times,
        forward: count,
    }
}

/// The loop of the forward sweep and that of the reverse sweep.
fn in_two_loops(
    id: StmtId,
    head: &LoopHead,
    [run, reversed]: [&[Stmt]; 2],
    plan: &mut Plan,
    faults: &mut Faults,
) -> (Stmt, Stmt) {
    let privates = head.index().map_or(Vec::new(), |index| {
        let iteration = Iteration::of(index, [run, reversed], plan.callees());
        iteration.privates(id).0
    });
    let parts = [run.to_vec(), reversed.to_vec()];
    let (run, reversed) = with_records(Some(id), parts, &privates, plan);
    let mirrored = match head {
        LoopHead::Counted(v, range) => LoopHead::Reversed(*v, range.clone()),
        head => {
            faults.add(id, FaultKind::Fusion, "a fused loop is not counted");
            head.clone()
        }
    };
    let run = StmtKind::Loop(head.clone(), run);
    let reversed = StmtKind::Loop(mirrored, reversed);
    (Stmt { id, kind: run }, Stmt { id, kind: reversed })
}

/// What the mirror finds in its scope, and what is declared around it but was left by the block, is recorded at the end of the
/// block, and restored where the mirror starts.
fn with_records(
    of_loop: Option<StmtId>,
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
    let own = declared.into_iter().map(|(v, of)| (v, of, true));
    // The mirror of a loop's body finds these where they were declared.
    let (id, is_loop) = (of_loop.unwrap_or(StmtId(0)), of_loop.is_some());
    let around = around.iter().map(|v| (*v, id, !is_loop));
    for (v, of, is_declared) in own.chain(around) {
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
        if is_declared {
            mirror.insert(0, stmt(StmtKind::Let(v, None)));
        }
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
