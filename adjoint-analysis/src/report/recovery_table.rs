//! Tables of the integers and control values that the reverse sweep needs, and how each comes back: one for the code
//! outside of loops, and one for each loop.

use std::collections::BTreeMap;

use super::columns::columns;
use super::control::{ControlReversal, control_reversals, sentence};
use super::formula::formula;
use super::levels::{Level, levels};
use super::phrases::subject;
use super::recovery::{How, Recovery, recoveries};
use super::view::View;
use crate::analysed::Analysed;
use crate::ir::{LoopHead, Stmt, StmtId, StmtKind};

type Row = [String; 3];

/// The tables, as text; a function that needs no such value has none.
pub fn recovery_tables(analysed: &Analysed) -> String {
    let view = View::new(analysed);
    let (reversals, recoveries) = (control_reversals(&view), recoveries(&view));
    let mut text = String::new();
    for (number, level) in levels(&view).iter().enumerate() {
        let mut rows = controls(&view, level, &reversals);
        let is_here = |r: &&Recovery| r.is_discrete() && level.contains(&view, r.of);
        let here = recoveries.iter().filter(is_here);
        rows.extend(here.map(|r| value(&view, r)));
        if !rows.is_empty() {
            rows.insert(0, ["value", "comes back", "as"].map(String::from));
            text += &format!("\n{number}: {}\n\n", level.title(&view));
            text += &columns(&rows, [false; 3]);
        }
    }
    match text.is_empty() {
        true => text,
        false => format!(
            "Integers and control values that the reverse sweep needs, and how they come back\n{text}"
        ),
    }
}

/// The index or the trip count of the loop, and the branches in it.
fn controls(
    view: &View<'_>,
    level: &Level<'_>,
    reversals: &BTreeMap<StmtId, ControlReversal>,
) -> Vec<Row> {
    let own = level.of.and_then(|id| view.stmts.get(&id).copied());
    let mut branches: Vec<&Stmt> = Vec::new();
    level.block.walk(&mut |s| {
        let is_branch = matches!(s.kind, StmtKind::If(..));
        branches.extend(Some(s).filter(|s| is_branch && level.contains(view, s.id)));
    });
    let stmts = own.into_iter().chain(branches);
    let row = |s: &Stmt| {
        let way = reversals.get(&s.id)?;
        let how = sentence(view, s, way)?;
        let what = match &s.kind {
            StmtKind::Loop(LoopHead::Counted(v, _), _) => view.name(*v),
            StmtKind::Loop(..) => String::from("trip count"),
            _ => view.quoted_line(s.id),
        };
        let word = match (way, &s.kind) {
            (ControlReversal::Recorded, _) => "stored",
            (_, StmtKind::Loop(LoopHead::Counted(..), _)) => "loop index",
            (ControlReversal::Recomputed, _) => "recomputed",
            _ => "implied",
        };
        Some([what, word.to_string(), how].map(|cell| plain(&cell)))
    };
    stmts.filter_map(row).collect()
}

fn value(view: &View<'_>, r: &Recovery) -> Row {
    let (word, code) = match &r.how {
        How::Recorded => ("stored", String::new()),
        How::Inverted(e) => ("inverted", formula(view, e).sentence(view)),
        How::Evaluated(e) => ("recomputed", view.expr(e)),
        How::Copied(e) => ("copied", view.expr(e)),
        How::Constant(e) => ("constant", view.expr(e)),
    };
    let what = subject(view, &r.place, r.of, r.when);
    [what, word.to_string(), code].map(|cell| plain(&cell))
}

/// Without the marks of Markdown.
fn plain(text: &str) -> String {
    text.replace('`', "")
}
