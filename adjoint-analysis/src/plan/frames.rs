//! Frames: records of a counted loop, addressed by the iteration.
//!
//! A counted loop that runs to its end, has no calls inside, and no inner loops that record anything, keeps its scalar records in
//! one frame per type, reserved on entry and indexed by the iteration. Each slot is written and read in place, in any order, so
//! that the reversed loop may be distributed. Flags and labels have a byte each there. All other records are pushed and popped.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Plan, RecordKind, Storage};
use crate::ir::{Block, FloatTy, LoopHead, RecordId, Stmt, StmtId, StmtKind, Ty};

/// Moves records into frames where the loop allows it.
pub fn assign(plan: &mut Plan) {
    let mut found: Vec<(StmtId, Vec<RecordId>)> = Vec::new();
    plan.each_forward_stmt(&mut |stmt| {
        if let StmtKind::Loop(LoopHead::Counted(..), body) = &stmt.kind
            && let Some(records) = framed(body, plan)
        {
            found.push((stmt.id, records));
        }
    });
    for (of, records) in found {
        let mut slots: HashMap<Ty, usize> = HashMap::new();
        let mut placed: BTreeMap<RecordId, usize> = BTreeMap::new();
        for id in records {
            let Some(ty) = plan.record(id).kind.slot_type() else {
                continue;
            };
            let next = slots.entry(ty).or_default();
            placed.entry(id).or_insert_with(|| {
                *next += 1;
                *next - 1
            });
        }
        for (id, slot) in placed {
            plan.records[id.index()].storage = Storage::Frame { of, slot };
        }
    }
}

/// The records for the frame of a loop with this body; `None` if it can't have one.
fn framed(body: &Block, plan: &Plan) -> Option<Vec<RecordId>> {
    let mut records = Vec::new();
    if !add_records(&body.stmts, false, plan, &mut records) {
        return None;
    }
    let floats = records.iter().filter_map(|id| match plan.record(*id).kind {
        RecordKind::Value(Ty::Float(ref float)) => Some(float),
        _ => None,
    });
    let floats: HashSet<&FloatTy> = floats.collect();
    (!records.is_empty() && have_own_stacks(&floats)).then_some(records)
}

/// Adds the records that are made once in an iteration. Returns whether nothing else is recorded.
fn add_records(
    stmts: &[Stmt],
    in_inner_loop: bool,
    plan: &Plan,
    records: &mut Vec<RecordId>,
) -> bool {
    stmts.iter().all(|stmt| {
        let in_loop = in_inner_loop || matches!(stmt.kind, StmtKind::Loop(..));
        let is_simple = match &stmt.kind {
            StmtKind::Call(_) | StmtKind::Forward(_) | StmtKind::Break | StmtKind::Take(_) => false,
            StmtKind::Record(id, _) | StmtKind::RecordControl(id, _) => {
                records.push(*id);
                !in_inner_loop && plan.record(*id).kind.slot_type().is_some()
            }
            _ => true,
        };
        let mut blocks = stmt.blocks().into_iter();
        is_simple && blocks.all(|b| add_records(&b.stmts, in_loop, plan, records))
    })
}

/// Whether each of these types has a stack of its own; a generic type may be any of them.
fn have_own_stacks(floats: &HashSet<&FloatTy>) -> bool {
    let is_certain = |float: &&FloatTy| matches!(float, FloatTy::F32 | FloatTy::F64);
    floats.len() < 2 || floats.iter().all(is_certain)
}
