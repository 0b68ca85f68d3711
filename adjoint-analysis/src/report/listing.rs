//! The annotated listing: the primal with the sets of the analyses in columns, then both sweeps as code.

use std::collections::BTreeMap;

use super::columns::columns;
use super::control::{ControlReversal, control_reversals};
use super::sweeps;
use super::view::{RecordPoint, View};
use crate::analysed::Analysed;
use crate::ir::{Block, LoopHead, Stmt, StmtId, StmtKind, VarId};
use crate::passes::sets::set::{CellSet, VarSet};
use crate::passes::tbr::LocalRestore;

/// The columns. A set column shows the elements that the statement adds (`+`) and removes (`-`).
const HEADINGS: [&str; 6] = ["line", "primal", "varied", "useful", "active", "Req"];

/// The listing, as text.
pub fn listing(analysed: &Analysed) -> String {
    let view = View::new(analysed);
    let mut table = Table {
        reversals: control_reversals(&view),
        recorded: recorded(&view),
        view: &view,
        rows: vec![],
    };
    table.header();
    table.block(&view.func().body, 1);
    table.rows.push(Row::of(None, String::from("}")));
    let fused = sweeps::fused(&view).map(|code| format!("\nBoth sweeps in one\n\n{code}"));
    format!(
        "Primal, with what each statement does to the sets of [TBR] §4 (varied, useful, active) and \
         §5 (Req: InReq → OutReq)\n\n{}\nForward sweep\n\n{}\nReverse sweep\n\n{}{}",
        table.text(),
        sweeps::forward(&view),
        sweeps::reverse(&view),
        fused.unwrap_or_default()
    )
}

/// The values recorded at each statement.
fn recorded(view: &View<'_>) -> BTreeMap<StmtId, Vec<String>> {
    let mut notes: BTreeMap<StmtId, Vec<String>> = BTreeMap::new();
    for recorded in &view.recorded {
        let record = view.record(recorded.id);
        let place = view.place(&recorded.place);
        let whom = if record.demand.only_restores() {
            " (for the caller)"
        } else {
            ""
        };
        let when = match recorded.when {
            RecordPoint::Overwritten => "recorded before",
            RecordPoint::EndOfScope => "recorded at end of scope",
        };
        notes
            .entry(record.of)
            .or_default()
            .push(format!("{place} {when}{whom}"));
    }
    for v in view.recorded_lengths() {
        let note = format!(
            "length of {} recorded at end of scope",
            view.func().var(v).name
        );
        notes.entry(view.declared[&v]).or_default().push(note);
    }
    notes
}

/// One line of the listing.
struct Row {
    cells: [String; 6],
    note: String,
}

impl Row {
    fn of(line: Option<usize>, text: String) -> Row {
        let line = line.map(|n| n.to_string()).unwrap_or_default();
        let cells = [
            line,
            text,
            String::new(),
            String::new(),
            String::new(),
            String::new(),
        ];
        Row {
            cells,
            note: String::new(),
        }
    }

    fn with_note(&self) -> [String; 7] {
        let mut cells = self.cells.iter().chain([&self.note]);
        std::array::from_fn(|_| cells.next().cloned().unwrap_or_default())
    }
}

struct Table<'a, 'b> {
    view: &'a View<'b>,
    reversals: BTreeMap<StmtId, ControlReversal>,
    recorded: BTreeMap<StmtId, Vec<String>>,
    rows: Vec<Row>,
}

impl Table<'_, '_> {
    /// The signature, with the sets at entry.
    fn header(&mut self) {
        let facts = &self.view.analysed.facts;
        let mut row = Row::of(None, format!("{} {{", sweeps::signature(self.view)));
        let first = self.view.func().body.stmts.first().map(|s| s.id);
        if let Some(id) = first {
            row.cells[2] = self.set(&facts.activity.varied_in[id.index()]);
            row.cells[3] = self.set(&facts.activity.useful_in[id.index()]);
            row.cells[5] = facts
                .own
                .in_req
                .get(&id)
                .map(|s| self.set(&facts.cells.vars(s)))
                .unwrap_or_default();
        }
        row.cells[4] = self.set(&facts.activity.active);
        self.rows.push(row);
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for stmt in &block.stmts {
            self.stmt(stmt, depth);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        let indent = "    ".repeat(depth);
        let line = self.view.line(stmt.id).map(|(n, _)| *n);
        let text = self.view.stmt(stmt);
        match &stmt.kind {
            StmtKind::If(_, then, els) => {
                self.head(stmt, line, format!("{indent}{text} {{"));
                self.block(then, depth + 1);
                if !els.is_empty() {
                    self.rows.push(Row::of(None, format!("{indent}}} else {{")));
                    self.block(els, depth + 1);
                }
                self.rows.push(Row::of(None, format!("{indent}}}")));
            }
            StmtKind::Loop(_, body) => {
                self.head(stmt, line, format!("{indent}{text} {{"));
                self.block(body, depth + 1);
                self.rows.push(Row::of(None, format!("{indent}}}")));
            }
            _ => self.simple(stmt, line, format!("{indent}{text};")),
        }
    }

    fn head(&mut self, stmt: &Stmt, line: Option<usize>, text: String) {
        let mut row = Row::of(line, text);
        let counted = matches!(stmt.kind, StmtKind::Loop(LoopHead::Counted(..), _));
        let branch = matches!(stmt.kind, StmtKind::If(..));
        row.note = String::from(match self.reversals.get(&stmt.id) {
            Some(ControlReversal::Recorded) if branch => "flag recorded",
            Some(ControlReversal::Recorded) => "trips recorded",
            Some(ControlReversal::Implied(_)) if branch => "told by a label",
            Some(ControlReversal::Implied(_)) => "trips told by a label",
            Some(ControlReversal::Counted(_)) => "trips held in a variable",
            Some(ControlReversal::Recomputed) if branch => "condition recomputed",
            Some(ControlReversal::Recomputed) if counted => "bounds recomputed",
            Some(ControlReversal::Recomputed) => "trips recomputed",
            _ => "not reversed",
        });
        if let StmtKind::Loop(_, body) = &stmt.kind {
            self.on_entry(stmt, body, &mut row);
        }
        self.rows.push(row);
    }

    /// The elements that the later iterations of a loop add to the sets of the first.
    fn on_entry(&self, stmt: &Stmt, body: &Block, row: &mut Row) {
        let Some(first) = body.stmts.first().map(|s| s.id) else {
            return;
        };
        let facts = &self.view.analysed.facts;
        let varied = &facts.activity.varied_in;
        let useful = &facts.activity.useful_in;
        row.cells[2] = self.difference(&varied[stmt.id.index()], &varied[first.index()]);
        row.cells[3] = self.difference(&useful[stmt.id.index()], &useful[first.index()]);
        if let (Some(before), Some(after)) =
            (facts.own.in_req.get(&stmt.id), facts.own.in_req.get(&first))
        {
            row.cells[5] = self.required(before, after);
        }
    }

    fn required(&self, before: &CellSet, after: &CellSet) -> String {
        let cells = &self.view.analysed.facts.cells;
        self.difference(&cells.vars(before), &cells.vars(after))
    }

    fn simple(&mut self, stmt: &Stmt, line: Option<usize>, text: String) {
        let facts = &self.view.analysed.facts;
        let (activity, i) = (&facts.activity, stmt.id.index());
        let mut row = Row::of(line, text);
        row.cells[2] = self.difference(&activity.varied_in[i], &activity.varied_out[i]);
        row.cells[3] = self.difference(&activity.useful_in[i], &activity.useful_out[i]);
        let written = stmt
            .written()
            .into_iter()
            .map(|p| p.root)
            .chain(stmt.declared());
        let active: VarSet = written
            .filter(|v| activity.writes_active(stmt.id, &self.view.func().place(*v)))
            .collect();
        row.cells[4] = self.names(&active).join(" ");
        if let (Some(before), Some(after)) = (
            facts.own.in_req.get(&stmt.id),
            facts.own.out_req.get(&stmt.id),
        ) {
            row.cells[5] = self.required(before, after);
        }
        let mut notes = self.recorded.get(&stmt.id).cloned().unwrap_or_default();
        notes.extend(self.inverted(stmt));
        notes.extend(stmt.declared().and_then(|v| self.recomputed(v)));
        row.note = notes.join(", ");
        self.rows.push(row);
    }

    /// The integer that is overwritten and comes back by inversion.
    fn inverted(&self, stmt: &Stmt) -> Option<String> {
        self.view.analysed.facts.inverse(stmt.id)?;
        let overwritten = *stmt.written().first()?;
        Some(format!("{} inverted before", self.view.place(overwritten)))
    }

    fn recomputed(&self, v: VarId) -> Option<String> {
        let facts = &self.view.analysed.facts;
        let own = facts.own.at_end.get(&v).copied().flatten();
        let name = &self.view.func().var(v).name;
        match own? {
            LocalRestore::Recompute => Some(format!("{name} recomputed")),
            LocalRestore::Invert => Some(format!("{name} inverted")),
            LocalRestore::Copy => {
                let holder = &self.view.func().var(facts.own.copies[&v]).name;
                Some(format!("{name} copied back from {holder}"))
            }
            LocalRestore::Record | LocalRestore::Constant | LocalRestore::Zeros => None,
        }
    }

    fn names(&self, set: &VarSet) -> Vec<String> {
        set.iter()
            .map(|v| self.view.func().var(v).name.clone())
            .collect()
    }

    fn set(&self, set: &VarSet) -> String {
        format!("{{{}}}", self.names(set).join(", "))
    }

    fn difference(&self, before: &VarSet, after: &VarSet) -> String {
        let (mut added, mut taken) = (after.clone(), before.clone());
        added.subtract(before);
        taken.subtract(after);
        let plus = self.names(&added).into_iter().map(|n| format!("+{n}"));
        let minus = self.names(&taken).into_iter().map(|n| format!("-{n}"));
        plus.chain(minus).collect::<Vec<_>>().join(" ")
    }

    fn text(&self) -> String {
        let headings = Row {
            cells: HEADINGS.map(String::from),
            note: String::from("tape"),
        };
        let rows = std::iter::once(&headings).chain(&self.rows);
        let rows: Vec<[String; 7]> = rows.map(Row::with_note).collect();
        columns(&rows, [true, false, false, false, false, false, false])
    }
}
