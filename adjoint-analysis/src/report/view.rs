//! The view of an analysed function that reports use: statements by id, their text, their loops.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::text::one_line;
use crate::analysed::Analysed;
use crate::emit::Emit;
use crate::emit::public::documentation::join_names;
use crate::ir::{
    AdjArg, Arg, Block, Call, Expr, Func, LoopHead, Mode, Origin, Place, Range, RecordId, Stmt,
    StmtId, StmtKind, VarId,
};
use crate::passes::control::Control;
use crate::passes::control::trips::trips;
use crate::passes::sets::set::VarSet;
use crate::plan::{Plan, Record};

/// A construct that encloses a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enclosing {
    /// A loop.
    Loop(StmtId),
    /// An arm of a branch, or the code after a possible `break`.
    Arm,
}

/// The time of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordPoint {
    /// Before the statement overwrites it.
    Overwritten,
    /// At the end of the variable's scope.
    EndOfScope,
}

/// A recorded value.
pub struct Recorded {
    /// The record.
    pub id: RecordId,
    /// The recorded place.
    pub place: Place,
    /// The time.
    pub when: RecordPoint,
}

/// The analysed function and its tables.
pub struct View<'a> {
    /// The analysed function.
    pub analysed: &'a Analysed,
    emit: Emit<'a>,
    /// The statements of the primal.
    pub stmts: BTreeMap<StmtId, &'a Stmt>,
    /// The positions of the statements in textual order.
    pub order: BTreeMap<StmtId, usize>,
    /// The loops and arms around each statement, outermost first.
    pub enclosing: BTreeMap<StmtId, Vec<Enclosing>>,
    /// The statement that declares each variable.
    pub declared: BTreeMap<VarId, StmtId>,
    /// The variables that are written after their declaration.
    reassigned: VarSet,
    /// The recorded values, in the order of their statements.
    pub recorded: Vec<Recorded>,
    /// A cache of the statements' source lines.
    lines: Vec<OnceCell<Option<(usize, String)>>>,
    /// The trip counts of its loops.
    control: OnceCell<Control>,
}

impl<'a> View<'a> {
    /// Whether a variable is written after its declaration.
    pub fn is_overwritten(&self, v: VarId) -> bool {
        self.reassigned.contains(v)
    }

    /// Builds the tables.
    pub fn new(analysed: &'a Analysed) -> View<'a> {
        let emit = Emit::new(&analysed.plan, &analysed.lowered.code);
        let (stmts, order, around, declared) = Default::default();
        let mut written = VarSet::default();
        let body = &analysed.lowered.func.body;
        body.walk(&mut |s| written.extend(s.written().iter().map(|p| p.root)));
        let mut view = View {
            analysed,
            emit,
            stmts,
            order,
            enclosing: around,
            declared,
            reassigned: written,
            recorded: Vec::new(),
            lines: vec![OnceCell::new(); analysed.lowered.spans.len()],
            control: OnceCell::new(),
        };
        view.visit(&analysed.plan.func.body, &mut Vec::new());
        view.recorded = view.all_recorded();
        view
    }

    fn visit(&mut self, block: &'a Block, around: &mut Vec<Enclosing>) {
        for stmt in &block.stmts {
            self.stmts.insert(stmt.id, stmt);
            self.order.insert(stmt.id, self.order.len());
            self.enclosing.insert(stmt.id, around.clone());
            self.declared.extend(stmt.declared().map(|v| (v, stmt.id)));
            let inside = match stmt.kind {
                StmtKind::Loop(..) => Enclosing::Loop(stmt.id),
                _ => Enclosing::Arm,
            };
            for inner in stmt.blocks() {
                around.push(inside);
                self.visit(inner, around);
                around.pop();
            }
        }
    }

    /// The plan.
    pub fn plan(&self) -> &'a Plan {
        &self.analysed.plan
    }

    /// The primal.
    pub fn func(&self) -> &'a Func {
        &self.analysed.plan.func
    }

    /// Whether the variable belongs to the primal and not to the planner.
    pub fn is_primal(&self, v: VarId) -> bool {
        v.index() < self.analysed.lowered.func.vars.len()
    }

    /// The trip counts that can be computed.
    pub fn control(&self) -> &Control {
        let trips = || match self.analysed.facts.config.recomputation {
            true => trips(self.func()),
            false => BTreeMap::new(),
        };
        let control = || Control {
            trips: trips(),
            ..Control::default()
        };
        self.control.get_or_init(control)
    }

    /// The record of this id.
    pub fn record(&self, id: RecordId) -> &'a Record {
        self.analysed.plan.record(id)
    }

    /// The `Vec`s whose lengths are recorded at the ends of their scopes, in the order of their declarations.
    pub fn recorded_lengths(&self) -> Vec<VarId> {
        let mut found = BTreeMap::new();
        self.plan().each_forward_stmt(&mut |s| {
            if let StmtKind::RecordControl(_, Expr::Len(place)) = &s.kind {
                found.insert(self.order.get(&s.id), place.root);
            }
        });
        found.into_values().collect()
    }

    /// What the snapshots of each checkpointed loop hold.
    pub fn snapshots(&self) -> BTreeMap<StmtId, Vec<(RecordId, Place)>> {
        let mut found = BTreeMap::new();
        self.plan().each_forward_stmt(&mut |s| {
            if let StmtKind::Take(records) = &s.kind {
                let held = records.stmts.iter().filter_map(|r| match &r.kind {
                    StmtKind::Record(id, place) => Some((*id, place.clone())),
                    _ => None,
                });
                found.insert(s.id, held.collect());
            }
        });
        found
    }

    fn all_recorded(&self) -> Vec<Recorded> {
        let plan = self.plan();
        let mut found: Vec<Recorded> = Vec::new();
        let taken: Vec<RecordId> = self
            .snapshots()
            .into_values()
            .flatten()
            .map(|(id, _)| id)
            .collect();
        plan.each_forward_stmt(&mut |s| {
            if let StmtKind::Record(id, place) = &s.kind
                && found.iter().all(|r| r.id != *id)
                && !taken.contains(id)
            {
                let when = self.when(*id, place);
                found.push(Recorded {
                    id: *id,
                    place: place.clone(),
                    when,
                });
            }
        });
        let position = |r: &Recorded| self.order.get(&plan.record(r.id).of).copied();
        found.sort_by_cached_key(position);
        found
    }

    fn when(&self, id: RecordId, place: &Place) -> RecordPoint {
        let plan = self.plan();
        let of = self.stmts.get(&plan.record(id).of);
        let own = of.is_some_and(|s| s.declared() == Some(place.root));
        // The returned value is recorded after everything else.
        let last = plan.forward.stmts.last().map(|s| &s.kind);
        let result = matches!(last, Some(StmtKind::Record(r, _)) if *r == id);
        if own || result {
            RecordPoint::EndOfScope
        } else {
            RecordPoint::Overwritten
        }
    }

    // Text.

    /// The name of a variable; the returned value has none of its own.
    pub fn name(&self, v: VarId) -> String {
        match self.func().var(v).origin {
            Origin::Ret => String::from("the returned value"),
            _ => markdown_code(&self.func().var(v).name),
        }
    }

    /// The text of an expression.
    pub fn expr(&self, e: &Expr) -> String {
        one_line(self.emit.expr(e))
    }

    /// The text of a place.
    pub fn place(&self, place: &Place) -> String {
        one_line(self.emit.receiver(place))
    }

    /// The text of a range, as it is iterated over.
    pub fn range(&self, range: &Range) -> String {
        one_line(self.emit.range(range))
    }

    /// The text of a statement; for a loop or branch, that of its head.
    pub fn stmt(&self, stmt: &Stmt) -> String {
        let name = |v: &VarId| self.func().var(*v).name.clone();
        match &stmt.kind {
            StmtKind::Let(v, None) => format!("let {}", name(v)),
            StmtKind::Let(v, Some(e)) => format!("let {} = {}", name(v), self.expr(e)),
            StmtKind::Assign(p, e) => format!("{} = {}", self.place(p), self.expr(e)),
            StmtKind::Incr(p, e) => format!("{} += {}", self.place(p), self.expr(e)),
            StmtKind::Swap(a, b) => format!("swap({}, {})", self.place(a), self.place(b)),
            StmtKind::Insert(p, None, e) => format!("{}.push({})", self.place(p), self.expr(e)),
            StmtKind::Insert(p, Some(at), e) => {
                format!(
                    "{}.insert({}, {})",
                    self.place(p),
                    self.expr(at),
                    self.expr(e)
                )
            }
            StmtKind::Remove(v, p, at) => {
                let taken = v
                    .map(|v| format!("let {} = ", name(&v)))
                    .unwrap_or_default();
                let how = at.as_ref().map_or(String::from("pop()"), |at| {
                    format!("remove({})", self.expr(at))
                });
                format!("{taken}{}.{how}", self.place(p))
            }
            StmtKind::Call(call) => self.call(call, "", &[]),
            StmtKind::Passive(id, places) => one_line(self.emit.user_code(*id, places)),
            StmtKind::If(test, ..) => format!("if {}", self.expr(test)),
            StmtKind::Loop(head, _) => self.head(head),
            StmtKind::When(..) => String::from("for some callers"),
            StmtKind::Take(_) => String::from("snapshot"),
            StmtKind::Replay(..) => String::from("the step again, from its snapshot"),
            StmtKind::Break => String::from("break"),
            StmtKind::Zero(p) => format!("{} = 0.0", self.place(p)),
            StmtKind::Record(_, p) => format!("push({})", self.place(p)),
            StmtKind::Restore(_, p) => format!("pop({})", self.place(p)),
            StmtKind::RecordControl(_, e) => format!("push({})", self.expr(e)),
            StmtKind::RestoreControl(_, v) => format!("let {} = pop()", name(v)),
            StmtKind::Forward(call) => self.call(call, "forward ", &[]),
            StmtKind::Reverse { call, adjoints, .. } => self.call(call, "reverse ", adjoints),
        }
    }

    fn head(&self, head: &LoopHead) -> String {
        let name = |v: &VarId| &self.func().var(*v).name;
        match head {
            LoopHead::Counted(v, range) => format!("for {} in {}", name(v), self.range(range)),
            LoopHead::While(test) | LoopHead::CountedWhile(_, test) => {
                format!("while {}", self.expr(test))
            }
            LoopHead::Forever => String::from("loop"),
            LoopHead::Reversed(v, range) => {
                format!("for {} in {}, reversed", name(v), self.range(range))
            }
            LoopHead::Distributed(v, range, _) => {
                format!("for {} in {}, in any order", name(v), self.range(range))
            }
            LoopHead::ReversedFrom(v, range, trips) => {
                let (v, trips, range) = (name(v), name(trips), self.range(range));
                format!("for {v} in the first {trips} of {range}, reversed")
            }
            LoopHead::Times(trips) => format!("for _ in 0..{}", name(trips)),
        }
    }

    fn call(&self, call: &Call, verb: &str, adjoints: &[AdjArg]) -> String {
        let mut args = Vec::new();
        for (k, arg) in call.args.iter().enumerate() {
            args.push(match arg {
                Arg::Value(e) => self.expr(e),
                Arg::Shared(p) => self.reference_arg("&", p),
                Arg::Mut(p) => self.reference_arg("&mut ", p),
            });
            if let Some(AdjArg::Place(p)) = adjoints.get(k) {
                args.push(self.reference_arg("&mut ", p));
            }
        }
        let result = call
            .result
            .map(|v| format!("let {} = ", self.func().var(v).name));
        let callee = call.callee.name.replace(' ', "");
        format!(
            "{}{verb}{callee}({})",
            result.unwrap_or_default(),
            args.join(", ")
        )
    }

    /// A reference argument; a variable that is a reference is passed as it is.
    fn reference_arg(&self, sign: &str, place: &Place) -> String {
        let is_reference = place.is_whole() && self.func().var(place.root).mode != Mode::Owned;
        format!(
            "{}{}",
            if is_reference { "" } else { sign },
            self.place(place)
        )
    }

    /// The location of a statement: its line, or its text if there is no source.
    pub fn location(&self, id: StmtId) -> String {
        match self.line(id) {
            Some((line, _)) => format!("line {line}"),
            None => self.text(id),
        }
    }

    /// The location of several statements: `line 7`, `lines 7, 8 and 9`, or their texts.
    pub fn locations(&self, ids: &[StmtId]) -> String {
        const MOST: usize = 5;
        let lines: Option<Vec<usize>> = ids.iter().map(|id| Some(self.line(*id)?.0)).collect();
        let (word, mut parts) = match lines {
            Some(mut lines) => {
                lines.sort_unstable();
                lines.dedup();
                let word = if lines.len() > 1 { "lines " } else { "line " };
                (word, lines.iter().map(usize::to_string).collect::<Vec<_>>())
            }
            None => ("", ids.iter().map(|id| self.location(*id)).collect()),
        };
        if parts.len() > MOST {
            let more = parts.split_off(MOST - 1).len();
            parts.push(format!("{more} more"));
        }
        format!("{word}{}", join_names(&parts))
    }

    /// The statement as the user wrote it, with its line.
    pub fn quoted_line(&self, id: StmtId) -> String {
        match self.line(id) {
            Some((line, text)) => {
                let is_control = self.stmts.get(&id).is_some_and(|s| !s.blocks().is_empty());
                let head = text.split(" {").next().filter(|_| is_control);
                format!(
                    "{} (line {line})",
                    markdown_code(&shortened(head.unwrap_or(text)))
                )
            }
            None => self.text(id),
        }
    }

    /// The number and the text of the source line where the statement starts.
    pub fn line(&self, id: StmtId) -> Option<&(usize, String)> {
        let line = self.lines.get(id.index())?;
        let found = || {
            let span = self.analysed.lowered.spans[id.index()];
            self.analysed.source.as_ref()?.line(span)
        };
        line.get_or_init(found).as_ref()
    }

    /// The text of a statement, as code.
    pub fn text(&self, id: StmtId) -> String {
        let text = self.stmts.get(&id).map(|s| self.stmt(s));
        markdown_code(&shortened(&text.unwrap_or_default()))
    }
}

/// The text as Markdown code.
pub fn markdown_code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

/// The beginning of a long text.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 72;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_string(),
    }
}
