//! The snapshots of checkpointed loops: what they hold and why, and what they leave out.

use super::tape::snapshot_bytes;
use super::view::{View, markdown_code};
use crate::emit::public::documentation::join_names;
use crate::ir::{Checkpoint, Origin, Place, RecordId, StmtId, VarId};
use crate::passes::checkpoint::{LoopState, loop_states};

/// An entry for each checkpointed loop.
pub fn entries(view: &View<'_>) -> Vec<String> {
    let states = loop_states(view.func());
    let entry = |(id, held): (StmtId, Vec<(RecordId, Place)>)| {
        let state = states.get(&id)?;
        let checkpoint = view.func().checkpoints.get(&id)?;
        Some(format!(
            "{}: {}{}; at most {} at a time",
            view.quoted_line(id),
            contents(view, state, &held),
            left_out(view, state, &held),
            number(view, checkpoint)
        ))
    };
    view.snapshots().into_iter().filter_map(entry).collect()
}

/// What a snapshot holds, with the reasons, and its size.
fn contents(view: &View<'_>, state: &LoopState, held: &[(RecordId, Place)]) -> String {
    if held.is_empty() {
        return String::from("nothing is held");
    }
    let (read, partly): (Vec<VarId>, Vec<VarId>) = held
        .iter()
        .map(|(_, place)| place.root)
        .partition(|v| state.read.contains(v));
    let groups = [
        (read, "which steps read and change"),
        (
            partly,
            "which is required behind a step that need not write it",
        ),
    ];
    format!(
        "of {}, `{}` bytes",
        join_groups(view, groups),
        snapshot_bytes(view, held)
    )
}

/// What steps name and snapshots do not hold, with the reasons.
fn left_out(view: &View<'_>, state: &LoopState, held: &[(RecordId, Place)]) -> String {
    let is_held = |v: &VarId| held.iter().any(|(_, place)| place.root == *v);
    let is_users = |v: &VarId| view.func().var(*v).origin != Origin::Temp;
    let others = state.named.iter().copied();
    let (changed, constant): (Vec<VarId>, Vec<VarId>) = others
        .filter(|v| !is_held(v) && is_users(v))
        .partition(|v| state.written.contains(v));
    let groups = [
        (constant, "which no step changes"),
        (changed, "which each step makes before it reads it"),
    ];
    match join_groups(view, groups) {
        text if text.is_empty() => text,
        text => format!("; not of {text}"),
    }
}

/// `a and b, which …, and c, which …`
fn join_groups<const N: usize>(view: &View<'_>, groups: [(Vec<VarId>, &str); N]) -> String {
    let group = |(vars, reason): (Vec<VarId>, &str)| {
        let names: Vec<String> = vars.iter().map(|v| view.name(*v)).collect();
        (!names.is_empty()).then(|| format!("{}, {reason}", join_names(&names)))
    };
    let texts: Vec<String> = groups.into_iter().filter_map(group).collect();
    texts.join(", and ")
}

/// `3`, `3 in memory and 20 in files`
fn number(view: &View<'_>, checkpoint: &Checkpoint) -> String {
    let snapshots = markdown_code(&view.expr(&checkpoint.snapshots));
    match &checkpoint.disk {
        Some(disk) => format!(
            "{snapshots} in memory and {} in files",
            markdown_code(&view.expr(disk))
        ),
        None => snapshots,
    }
}
