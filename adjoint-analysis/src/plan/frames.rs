//! Frames: records of a counted loop, addressed by the iteration.
//!
//! A counted loop that runs to its end, and has neither loops nor calls inside, keeps its scalar
//! records in one frame per type, reserved on entry and indexed by the iteration; each slot is
//! written and read in place. All other records are pushed and popped.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Plan, RecordKind, Storage};
use crate::ir::{Block, FloatTy, LoopHead, RecordId, StmtId, StmtKind, Ty};

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
            let RecordKind::Value(ty) = &plan.records[id.index()].kind else {
                continue;
            };
            let next = slots.entry(ty.clone()).or_default();
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
    let mut simple = true;
    body.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Loop(..)
        | StmtKind::Call(_)
        | StmtKind::Forward(_)
        | StmtKind::Break
        | StmtKind::Take(_) => {
            simple = false;
        }
        StmtKind::Record(id, _) => match &plan.record(*id).kind {
            RecordKind::Value(Ty::Bool) | RecordKind::Flag | RecordKind::Label(_) => {}
            // The stack of such an integer is that of the widest type.
            RecordKind::Value(Ty::Int(crate::ir::IntTy::Infer)) => simple = false,
            RecordKind::Value(ty) if ty.is_scalar() => records.push(*id),
            _ => simple = false,
        },
        _ => {}
    });
    let floats = records.iter().filter_map(|id| match plan.record(*id).kind {
        RecordKind::Value(Ty::Float(ref float)) => Some(float),
        _ => None,
    });
    let floats: HashSet<&FloatTy> = floats.collect();
    (simple && !records.is_empty() && have_own_stacks(&floats)).then_some(records)
}

/// Whether each of these types has a stack of its own; a generic type may be any of them.
fn have_own_stacks(floats: &HashSet<&FloatTy>) -> bool {
    let is_certain = |float: &&FloatTy| matches!(float, FloatTy::F32 | FloatTy::F64);
    floats.len() < 2 || floats.iter().all(is_certain)
}
