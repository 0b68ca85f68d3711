//! What the sections of the adjoint report say of a value.

use super::needs::{Need, NeedSet, Needs};
use super::view::{RecordPoint, View, markdown_code, shortened};
use crate::emit::public::documentation::join_names;
use crate::ir::{Mode, Origin, Place, StmtId, StmtKind, VarId};

/// A value that dies: which variable or place, and where.
pub fn subject(view: &View<'_>, place: &Place, of: StmtId, when: RecordPoint) -> String {
    let root = place.root;
    match when {
        RecordPoint::Overwritten => format!(
            "{} before {}",
            markdown_code(&view.place(place)),
            view.quoted_line(of)
        ),
        RecordPoint::EndOfScope => {
            let from = view
                .declared
                .get(&root)
                .map(|id| format!(" ({})", view.location(*id)));
            let last = if view.is_overwritten(root) {
                "last value of "
            } else {
                ""
            };
            format!("{last}{}{}", value(view, root), from.unwrap_or_default())
        }
    }
}

/// Who requires it.
pub fn needed_by(
    view: &View<'_>,
    needs: &Needs,
    root: VarId,
    of: StmtId,
    when: RecordPoint,
) -> String {
    let uses = match when {
        RecordPoint::Overwritten => needs.overwritten.get(&(of, root)),
        RecordPoint::EndOfScope => Some(needs.last(root)),
    };
    let empty = NeedSet::default();
    needs_text(view, uses.unwrap_or(&empty), root)
}

/// A variable; a temporary is followed by its expression.
fn value(view: &View<'_>, v: VarId) -> String {
    let definition = view
        .declared
        .get(&v)
        .and_then(|s| view.stmts.get(s))
        .map(|s| &s.kind);
    match definition {
        Some(StmtKind::Let(_, Some(e))) if view.func().var(v).origin == Origin::Temp => {
            format!(
                "{} = {}",
                view.name(v),
                markdown_code(&shortened(&view.expr(e)))
            )
        }
        _ => view.name(v),
    }
}

/// The uses that require a value.
fn needs_text(view: &View<'_>, uses: &NeedSet, v: VarId) -> String {
    let [mut adjoints, mut control, mut places] = [Vec::new(), Vec::new(), Vec::new()];
    for need in uses.iter() {
        match need {
            Need::Adjoint(id) => adjoints.push(id),
            Need::Control(id) => control.push(id),
            Need::Place(id) => places.push(id),
            Need::Caller => {}
        }
    }
    let mut parts = Vec::new();
    let mut part = |words: &str, ids: &[StmtId]| {
        if !ids.is_empty() {
            parts.push(format!("{words} {}", view.locations(ids)));
        }
    };
    part("the adjoint of", &adjoints);
    part("the reversal of", &control);
    part("the place overwritten in", &places);
    let var = view.func().var(v);
    match parts.is_empty() {
        false => format!("for {}", join_names(&parts)),
        true if !view.analysed.facts.config.tbr => {
            String::from("for nothing: the to-be-recorded analysis is off")
        }
        true if !var.ty.has_static_shape() && var.mode == Mode::Owned => {
            String::from("for the shape of its adjoint")
        }
        true => String::from("to go back"),
    }
}
