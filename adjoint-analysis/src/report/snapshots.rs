//! The snapshots of checkpointed loops: what they hold and why, and what they leave out.

use super::tape::snapshot_bytes;
use super::view::{View, markdown_code};
use crate::emit::public::documentation::join_names;
use crate::ir::{Checkpoint, Expr, LoopHead, Origin, Place, RecordId, StmtId, StmtKind};
use crate::passes::checkpoint::{LoopState, loop_states};
use crate::passes::control::trips::leaves;

/// An entry for each checkpointed loop.
pub fn entries(view: &View<'_>) -> Vec<String> {
    let states = loop_states(view.plan().callees());
    let entry = |(id, held): (StmtId, Vec<(RecordId, Place)>)| {
        let state = states.get(&id)?;
        let checkpoint = view.func().checkpoints.get(&id)?;
        Some(format!(
            "{}: {}{}; at most {} at a time{}",
            view.quoted_line(id),
            contents(view, state, &held),
            left_out(view, (id, state), &held),
            number(view, checkpoint),
            runs(view, id, checkpoint)
        ))
    };
    view.snapshots().into_iter().filter_map(entry).collect()
}

/// What a snapshot holds, with the reasons, and its size.
fn contents(view: &View<'_>, state: &LoopState, held: &[(RecordId, Place)]) -> String {
    if held.is_empty() {
        return String::from("nothing is held");
    }
    let is_read = |p: &&Place| state.read.iter().any(|r| r.may_overlap(p));
    let places = held.iter().map(|(_, place)| place);
    let (read, partly): (Vec<&Place>, Vec<&Place>) = places.partition(is_read);
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
fn left_out(
    view: &View<'_>,
    (id, state): (StmtId, &LoopState),
    held: &[(RecordId, Place)],
) -> String {
    let is_among = |p: &Place, all: &[Place]| all.iter().any(|other| other.may_overlap(p));
    let is_held = |p: &Place| held.iter().any(|(_, other)| other.may_overlap(p));
    let is_users = |p: &Place| view.func().var(p.root).origin != Origin::Temp;
    let untouched = state.named.iter().filter(|v| !state.writes(**v));
    let mut constant: Vec<Place> = untouched.map(|v| view.func().place(*v)).collect();
    let fields = state.constants().filter(|p| !p.is_whole());
    constant.extend(
        fields
            .filter(|p| !is_among(p, &constant))
            .cloned()
            .collect::<Vec<_>>(),
    );
    let changed = state.written.iter().filter(|p| !is_held(p) && is_users(p));
    let (partly, made): (Vec<&Place>, Vec<&Place>) =
        changed.partition(|p| is_among(p, &state.partly_constant));
    let (numbered, made): (Vec<&Place>, Vec<&Place>) = made
        .into_iter()
        .partition(|p| follows_from_index(view, id, p));
    let groups = [
        (
            constant.iter().filter(|p| is_users(p)).collect(),
            "which no step changes",
        ),
        (numbered, "which the number of the step gives"),
        (made, "which each step makes before it reads it"),
        (
            partly,
            "of which each step makes what it reads, but for elements that no step changes",
        ),
    ];
    match join_groups(view, groups) {
        text if text.is_empty() => text,
        text => format!("; not of {text}"),
    }
}

/// Whether the loop's body sets the place, before all else that it does with it, to a value that its index gives.
fn follows_from_index(view: &View<'_>, id: StmtId, place: &Place) -> bool {
    let Some(StmtKind::Loop(head, body)) = view.stmts.get(&id).map(|stmt| &stmt.kind) else {
        return false;
    };
    let mut writes = body.stmts.iter().filter(|s| {
        let mut written = s.written().into_iter();
        written.any(|p| p.may_overlap(place))
    });
    match (writes.next().map(|s| &s.kind), head.index()) {
        (Some(StmtKind::Assign(p, e)), Some(index)) => p == place && e.reads().contains(&index),
        _ => false,
    }
}

/// `a and b, which …, and c, which …`
fn join_groups<const N: usize>(view: &View<'_>, groups: [(Vec<&Place>, &str); N]) -> String {
    let name = |place: &Place| match place.is_whole() {
        true => view.name(place.root),
        false => markdown_code(&view.place(place)),
    };
    let group = |(places, reason): (Vec<&Place>, &str)| {
        let names: Vec<String> = places.into_iter().map(name).collect();
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

/// How often steps are run without records.
fn runs(view: &View<'_>, id: StmtId, checkpoint: &Checkpoint) -> String {
    let counted = match view.stmts.get(&id).map(|stmt| &stmt.kind) {
        Some(StmtKind::Loop(LoopHead::Counted(v, _), _))
            if view.func().var(*v).origin == Origin::Temp =>
        {
            return String::from("; it is run once more");
        }
        Some(StmtKind::Loop(LoopHead::Counted(..), body)) => !leaves(body),
        _ => false,
    };
    let disk = checkpoint.disk.iter().map(literal);
    let snapshots: Option<u128> = disk.chain([literal(&checkpoint.snapshots)]).sum();
    match snapshots.filter(|n| *n > 0) {
        _ if !counted => String::from(
            "; with `s` of them, no step is run more than `r` times without records, where `C(s + r, s)` is more than the number of steps",
        ),
        None => String::from(
            "; with `s` of them, `l` steps are run `r·(l + 1) − C(s + r, r − 1)` times without records, for the least `r` with `C(s + r, s) > l`",
        ),
        Some(snapshots) => {
            let [few, many] = [100, 10_000].map(|steps| plain_runs(steps, snapshots));
            format!("; 100 steps are run {few} times without records, 10,000 steps {many} times")
        }
    }
}

fn literal(e: &Expr) -> Option<u128> {
    match e {
        Expr::Lit(text, _) => text.parse().ok(),
        _ => None,
    }
}

/// How many steps the optimal schedule runs without records, the forward sweep's included: r·(l + 1) − C(s + r, r − 1), for l
/// steps and s snapshots, with the least r for which C(s + r, s) > l (`[REV]`, the way to the loop's exit as one step more).
fn plain_runs(steps: u128, snapshots: u128) -> u128 {
    let (mut r, mut before, mut beta) = (0, 0, 1);
    while beta <= steps {
        r += 1;
        before = beta;
        beta = beta * (snapshots + r) / r;
    }
    // C(s + r, r − 1) from C(s + r − 1, s).
    r * (steps + 1) - before * (snapshots + r) / (snapshots + 1)
}

#[cfg(test)]
mod tests {
    use super::plain_runs;

    #[test]
    fn runs_are_those_of_the_schedule() {
        // 101 · 100 / 2; one more than there are steps; 7 · 10,001 − C(17, 6).
        assert_eq!(plain_runs(100, 1), 5050);
        assert_eq!(plain_runs(100, 200), 100);
        assert_eq!(plain_runs(10_000, 10), 57_631);
    }
}
