//! The adjoint report in Markdown, which an editor shows on hover.

use std::collections::BTreeSet;

use super::control::{ControlReversal, control_reversals, obstacle_to_local, sentence};
use super::formula::formula;
use super::fused::FusedSweeps;
use super::gradients::Gradients;
use super::needs::{Needs, needs};
use super::phrases::{needed_by, subject};
use super::recovery::{How, Recovery, recoveries};
use super::view::{RecordPoint, Recorded, View, markdown_code, shortened};
use super::{snapshots, tape};
use crate::analysed::Analysed;
use crate::emit::public::documentation::join_names;
use crate::ir::{Block, Origin, StmtId, StmtKind, VarId};
use crate::passes::sets::set::{Set, VarSet};
use crate::plan::{RecordKind, Storage};

/// The adjoint report of a function, in Markdown.
pub fn markdown(analysed: &Analysed) -> String {
    [summary(analysed), body(analysed)].join("\n\n")
}

/// The report without its first sentence.
pub fn body(analysed: &Analysed) -> String {
    let view = View::new(analysed);
    let (needs, recoveries) = (needs(&view), recoveries(&view));
    let mut report = vec![String::from("# Adjoint report"), roles(&view)];
    let section = |title: &str, items: Vec<String>| {
        let list: Vec<String> = items.iter().map(|i| format!("- {i}")).collect();
        (!list.is_empty()).then(|| format!("**{title}**\n{}", list.join("\n")))
    };
    let (fused, gradients) = (FusedSweeps::of(&view), Gradients::of(&view));
    report.extend(section("Preaccumulated", gradients.items(&view)));
    let recorded = recorded(&view, (&needs, &gradients), fused.as_ref());
    report.extend(section("Recorded", recorded));
    report.extend(section("Inverted", inverted(&view, &needs, &recoveries)));
    let again = recomputed(&view, &needs, &recoveries);
    report.extend(section("Computed again", again));
    report.extend(section("Control flow", control(&view)));
    report.extend(section("Snapshots", snapshots::entries(&view)));
    report.extend(section("Left out of the forward sweep", dead_code(&view)));
    let loops = fused.iter().flat_map(|f| fused_loops(&view, f)).collect();
    report.extend(section("Fused", loops));
    let split = tape::formula(&view, None);
    report.push(match &fused {
        Some(fused) => {
            let own = tape::formula(&view, Some(fused));
            format!("**Tape**: {own}. Where another adjoint calls it: {split}.")
        }
        None => format!("**Tape**: {split}."),
    });
    report.join("\n\n")
}

/// The first sentence.
pub fn summary(analysed: &Analysed) -> String {
    let func = &analysed.plan.func;
    let name = |v: &VarId| markdown_code(&format!("{}_adj", func.var(*v).name));
    let (boundary, interface) = (&analysed.boundary, &analysed.plan.interface);
    let is_output = |v: &&VarId| boundary.dependents.contains(**v);
    let mut seeds: Vec<String> = interface.iter().filter(is_output).map(name).collect();
    if func.ret.is_some_and(|r| boundary.dependents.contains(r)) {
        seeds.push(String::from("`ret_adj`"));
    }
    let into: Vec<String> = interface.iter().map(name).collect();
    format!(
        "Adjoint of {}: runs it, then takes {} back to {}.",
        markdown_code(&func.name),
        join_names(&seeds),
        join_names(&into)
    )
}

fn roles(view: &View<'_>) -> String {
    let (boundary, active) = (
        &view.analysed.boundary,
        &view.analysed.facts.activity.active,
    );
    let mut lines = [
        format!("**Independents**: {}", names(view, &boundary.independents)),
        format!("**Dependents**: {}", names(view, &boundary.dependents)),
        format!("**Active**: {}", names(view, active)),
    ];
    let func = view.func();
    let passive = |v: &VarId| {
        let var = func.var(*v);
        let named = matches!(var.origin, Origin::Param | Origin::Local);
        named && view.is_primal(*v) && var.ty.carries_floats() && !active.contains(*v)
    };
    let passive: VarSet = func.var_ids().filter(passive).collect();
    if !passive.is_empty() {
        lines[2] += &format!("; not active: {}", names(view, &passive));
    }
    // Two blanks at the end of a line make a line break.
    lines.join("  \n")
}

fn names(view: &View<'_>, set: &VarSet) -> String {
    let is_made_up = |v: &VarId| matches!(view.func().var(*v).origin, Origin::Temp | Origin::Label);
    let is_shown = |v: &VarId| !is_made_up(v);
    let shown: Vec<String> = set.iter().filter(is_shown).map(|v| view.name(v)).collect();
    if shown.is_empty() {
        String::from("none")
    } else {
        shown.join(", ")
    }
}

/// The loops that are fused.
fn fused_loops(view: &View<'_>, fused: &FusedSweeps) -> Vec<String> {
    let text = |(id, length): (&StmtId, &usize)| {
        let which = view.quoted_line(*id);
        format!("{which}: {length} iterations at most run before they are reversed")
    };
    fused.loops.iter().map(text).collect()
}

/// The end of the text about a record that fused sweeps don't make.
const FUSED: &str = "; a local, where the sweeps are fused";

// Recorded values.

fn recorded(
    view: &View<'_>,
    (needs, gradients): (&Needs, &Gradients),
    fused: Option<&FusedSweeps>,
) -> Vec<String> {
    let is_label = |r: &Recorded| view.func().var(r.place.root).origin == Origin::Label;
    let (for_caller, own): (Vec<_>, Vec<_>) = view
        .recorded
        .iter()
        .filter(|r| !is_label(r))
        .partition(|r| view.record(r.id).demand.only_restores());
    let mut items: Vec<String> = own
        .iter()
        .map(|r| {
            let is_local = fused.is_some_and(|fused| !fused.makes(r.id));
            recorded_value(view, (needs, gradients), r) + if is_local { FUSED } else { "" }
        })
        .collect();
    let lengths = view.recorded_lengths().into_iter();
    items.extend(lengths.map(|v| {
        let at = view.location(view.declared[&v]);
        format!(
            "length of {} ({at}), of which no adjoint reads an element",
            view.name(v)
        )
    }));
    if !for_caller.is_empty() {
        let value = |r: &&Recorded| {
            format!(
                "{} at {}",
                markdown_code(&view.place(&r.place)),
                view.location(view.record(r.id).of)
            )
        };
        let values: Vec<String> = for_caller.iter().map(value).collect();
        items.push(format!(
            "only where a caller needs its `&mut` arguments back: {}",
            join_names(&values)
        ));
    }
    items
}

fn recorded_value(
    view: &View<'_>,
    (needs, gradients): (&Needs, &Gradients),
    recorded: &Recorded,
) -> String {
    let (record, root) = (view.record(recorded.id), recorded.place.root);
    let entry = gradients.entry(view, root);
    let why = match recorded.when {
        RecordPoint::EndOfScope if entry.is_none() => obstacle_to_local(view, root),
        _ => None,
    };
    let mut text = entry.unwrap_or_else(|| {
        let what = subject(view, &recorded.place, record.of, recorded.when);
        let who = needed_by(view, needs, root, record.of, recorded.when);
        format!("{what}; {who}")
    });
    if let Some(why) = why {
        text += &format!("; {why}");
    }
    if let Storage::Frame { of, .. } = record.storage {
        text += &format!("; in the frame of {}", view.location(of));
    }
    text
}

// Values that are needed but not recorded.

fn inverted(view: &View<'_>, needs: &Needs, recoveries: &[Recovery]) -> Vec<String> {
    let inverse = |r: &&Recovery| match &r.how {
        How::Inverted(e) => {
            let what = subject(view, &r.place, r.of, r.when);
            let who = needed_by(view, needs, r.place.root, r.of, r.when);
            let value = formula(view, e).sentence(view);
            Some((view.order.get(&r.of), format!("{what}: {value}; {who}")))
        }
        _ => None,
    };
    let mut items: Vec<_> = recoveries
        .iter()
        .rev()
        .filter_map(|r| inverse(&r))
        .collect();
    items.sort_by_key(|(position, _)| *position);
    items.into_iter().map(|(_, text)| text).collect()
}

fn recomputed(view: &View<'_>, needs: &Needs, recoveries: &[Recovery]) -> Vec<String> {
    let mut items = Vec::new();
    for r in recoveries {
        let e = match &r.how {
            How::Evaluated(e) | How::Copied(e) => e,
            // Of reals, only the shape matters.
            How::Constant(e) if r.is_discrete() && r.is_users(view) => e,
            _ => continue,
        };
        let what = match r.when {
            RecordPoint::Overwritten => subject(view, &r.place, r.of, r.when),
            RecordPoint::EndOfScope => view.name(r.place.root),
        };
        let definition = markdown_code(&shortened(&view.expr(e)));
        let who = needed_by(view, needs, r.place.root, r.of, r.when);
        items.push(format!("{what} = {definition}; {who}"));
    }
    items
}

// Loops and branches.

fn control(view: &View<'_>) -> Vec<String> {
    let ways = control_reversals(view);
    let mut items = Vec::new();
    for recorded in &view.recorded {
        let (v, record) = (recorded.place.root, view.record(recorded.id));
        if view.func().var(v).origin == Origin::Label {
            let branch = |id: &StmtId| {
                let stmt = view.stmts.get(id);
                stmt.is_some_and(|s| matches!(s.kind, StmtKind::If(..)))
            };
            let told: Vec<StmtId> = ways
                .iter()
                .filter(|(id, way)| **way == ControlReversal::Implied(v) && branch(id))
                .map(|(id, _)| *id)
                .collect();
            let (name, at) = (view.name(v), view.location(record.of));
            let what = match record.kind {
                RecordKind::Count => "the iteration that left the loop, or 0",
                _ => "a label",
            };
            let tells = match told.is_empty() {
                true => String::new(),
                false => format!(", tells the ways of {}", view.locations(&told)),
            };
            items.push(format!("{name} ({at}): {what}, recorded{tells}"));
        }
    }
    view.func().body.walk(&mut |stmt| {
        let how = ways.get(&stmt.id).and_then(|way| sentence(view, stmt, way));
        items.extend(how.map(|how| format!("{}: {how}", view.quoted_line(stmt.id))));
    });
    items
}

// Dead code.

/// The top-level primal statements that nothing needs.
fn dead_code(view: &View<'_>) -> Vec<String> {
    let mut kept: Set<StmtId> = Set::default();
    view.plan().forward.walk(&mut |s| {
        kept.insert(s.id);
    });
    let mut dead = Vec::new();
    collect_dead(&view.func().body, &kept, &mut dead);
    // One line may have several statements.
    let mut lines = BTreeSet::new();
    dead.retain(|id| view.line(*id).is_none_or(|(line, _)| lines.insert(*line)));
    dead.iter().map(|id| view.quoted_line(*id)).collect()
}

fn collect_dead(block: &Block, kept: &Set<StmtId>, dead: &mut Vec<StmtId>) {
    for stmt in &block.stmts {
        match kept.contains(stmt.id) {
            true => stmt
                .blocks()
                .into_iter()
                .for_each(|b| collect_dead(b, kept, dead)),
            false => dead.push(stmt.id),
        }
    }
}
