//! The adjoint report, which an editor shows on hover.

use std::collections::BTreeSet;

use super::control::{obstacle_to_local, sentence, ways};
use super::needs::{Need, Needs, needs};
use super::tape;
use super::view::{Recorded, View, When, code, listed, shortened};
use crate::expand::Analysed;
use crate::ir::{Expr, Mode, Origin, StmtKind, VarId};
use crate::passes::set::VarSet;
use crate::plan::Storage;

/// The adjoint report of a function, in Markdown.
pub fn markdown(analysed: &Analysed) -> String {
    let view = View::new(analysed);
    let needs = needs(&view);
    let mut report = vec![summary(&view), String::from("# Adjoint report"), roles(&view)];
    let section = |title: &str, items: Vec<String>| {
        let list: Vec<String> = items.iter().map(|i| format!("- {i}")).collect();
        (!list.is_empty()).then(|| format!("**{title}**\n{}", list.join("\n")))
    };
    report.extend(section("Recorded", recorded(&view, &needs)));
    report.extend(section("Computed again", recomputed(&view, &needs)));
    report.extend(section("Control flow", control(&view)));
    report.push(format!("**Tape**: {}.", tape::formula(&view)));
    report.join("\n\n")
}

fn summary(view: &View<'_>) -> String {
    let func = view.func();
    let name = |v: &VarId| code(&format!("{}_adj", func.var(*v).name));
    let (boundary, interface) = (&view.analysed.boundary, &view.plan().interface);
    let is_output = |v: &&VarId| boundary.dependents.contains(**v);
    let mut seeds: Vec<String> = interface.iter().filter(is_output).map(name).collect();
    if func.ret.is_some_and(|r| boundary.dependents.contains(r)) {
        seeds.push(String::from("`ret_adj`"));
    }
    let into: Vec<String> = interface.iter().map(name).collect();
    format!(
        "Adjoint of {}: runs it, then takes {} back to {}.",
        code(&func.name),
        listed(&seeds),
        listed(&into)
    )
}

fn roles(view: &View<'_>) -> String {
    let (boundary, active) = (&view.analysed.boundary, &view.analysed.facts.activity.active);
    let mut lines = vec![
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
    // Two blanks at the end of a line break it.
    lines.join("  \n")
}

fn names(view: &View<'_>, set: &VarSet) -> String {
    let is_shown = |v: &VarId| view.func().var(*v).origin != Origin::Temp;
    let shown: Vec<String> = set.iter().filter(is_shown).map(|v| view.name(v)).collect();
    if shown.is_empty() { String::from("none") } else { shown.join(", ") }
}

// Recorded values.

fn recorded(view: &View<'_>, needs: &Needs) -> Vec<String> {
    view.recorded().iter().map(|r| recorded_value(view, needs, r)).collect()
}

fn recorded_value(view: &View<'_>, needs: &Needs, recorded: &Recorded) -> String {
    let (record, root) = (view.record(recorded.id), recorded.place.root);
    let mut text = match recorded.when {
        When::Overwritten => {
            let by = view.site(record.of);
            format!("{} before {by}", code(&view.place(&recorded.place)))
        }
        When::EndOfScope => match view.declared.get(&root) {
            Some(declared) => {
                format!("{}, last value, from {}", value(view, root), view.at(*declared))
            }
            None => view.name(root),
        },
    };
    let uses = match recorded.when {
        When::Overwritten => needs.overwritten.get(&(record.of, root)),
        When::EndOfScope => needs.last.get(&root),
    };
    let empty = BTreeSet::new();
    text += &format!("; {}", needed(view, uses.unwrap_or(&empty), root, record.for_caller));
    if recorded.when == When::EndOfScope {
        let why = obstacle_to_local(view, root);
        text += &why.map(|why| format!("; recorded because {why}")).unwrap_or_default();
    }
    if let Storage::Frame { of, .. } = record.storage {
        text += &format!("; in the frame of the loop at {}", view.at(of));
    }
    text
}

/// A variable; a temporary with the expression that it names.
fn value(view: &View<'_>, v: VarId) -> String {
    let definition = view.declared.get(&v).and_then(|s| view.stmts.get(s)).map(|s| &s.kind);
    match definition {
        Some(StmtKind::Let(_, Some(e))) if view.func().var(v).origin == Origin::Temp => {
            format!("{} = {}", view.name(v), code(&shortened(&view.expr(e))))
        }
        _ => view.name(v),
    }
}

/// Who needs a value.
fn needed(view: &View<'_>, uses: &BTreeSet<Need>, v: VarId, for_caller: bool) -> String {
    let mut adjoints = Vec::new();
    let mut others = Vec::new();
    for need in uses {
        let (list, text) = match need {
            Need::Adjoint(id) => (&mut adjoints, view.at(*id)),
            Need::Control(id) => (&mut others, format!("the reversal of {}", view.at(*id))),
            Need::Place(id) => (&mut others, format!("the place that {} overwrites", view.at(*id))),
            Need::Caller => continue,
        };
        if !list.contains(&text) {
            list.push(text);
        }
    }
    let mut parts = Vec::new();
    if !adjoints.is_empty() {
        let plural = if adjoints.len() > 1 { "s" } else { "" };
        parts.push(format!("the adjoint{plural} of {}", first_few(&adjoints)));
    }
    parts.extend(others);
    let owned_shape = !view.func().var(v).ty.is_fixed() && view.func().var(v).mode == Mode::Owned;
    match (parts.is_empty(), for_caller) {
        (_, true) => String::from("only for a caller that needs its `&mut` arguments back"),
        (false, false) => format!("needed by {}", listed(&parts)),
        (true, false) if !view.analysed.facts.config.tbr => {
            String::from("needed by nothing (to-be-recorded analysis is off)")
        }
        (true, false) if owned_shape => String::from("needed for the shape of its adjoint"),
        (true, false) => String::from("needed to go back"),
    }
}

fn first_few(parts: &[String]) -> String {
    const MOST: usize = 4;
    match parts.len() > MOST {
        true => format!("{} and {} more", parts[..MOST].join(", "), parts.len() - MOST),
        false => listed(parts),
    }
}

// Values that cost no record.

fn recomputed(view: &View<'_>, needs: &Needs) -> Vec<String> {
    let mut items: Vec<(VarId, String)> = Vec::new();
    view.plan().reverse.walk(&mut |s| {
        let StmtKind::Let(v, Some(e)) = &s.kind else { return };
        let is_local = view.is_primal(*v) && view.declared.contains_key(v);
        if !is_local || is_literal(e) || items.iter().any(|(known, _)| known == v) {
            return;
        }
        let empty = BTreeSet::new();
        let uses = needs.last.get(v).unwrap_or(&empty);
        let definition = code(&shortened(&view.expr(e)));
        let who = needed(view, uses, *v, false);
        items.push((*v, format!("{} = {definition}; {who}", view.name(*v))));
    });
    items.into_iter().map(|(_, text)| text).collect()
}

fn is_literal(e: &Expr) -> bool {
    matches!(e, Expr::Lit(..))
}

// Loops and branches.

fn control(view: &View<'_>) -> Vec<String> {
    let ways = ways(view);
    let mut items = Vec::new();
    view.func().body.walk(&mut |stmt| {
        let how = ways.get(&stmt.id).and_then(|way| sentence(view, stmt, way));
        items.extend(how.map(|how| format!("{}: {how}", view.site(stmt.id))));
    });
    items
}
