//! Printing of statements and blocks.

use super::Printer;
use crate::ir::{
    AdjArg, Alignment, Arg, Block, Call, Callee, Checkpoint, Expr, LoopHead, Peeled, Place, Range,
    Rev, Separation, Stmt, StmtKind, VarId,
};

impl Printer<'_> {
    /// Prints a block with its braces.
    pub(super) fn block(&mut self, block: &Block) {
        self.push("{\n");
        self.depth += 1;
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.depth -= 1;
        self.indent();
        self.push("}");
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        self.indent();
        self.push(&format!("#{} ", stmt.id.0));
        self.kind(&stmt.kind);
        let checkpoint = self.func.checkpoints.get(&stmt.id);
        if let (StmtKind::Loop(..), Some(checkpoint)) = (&stmt.kind, checkpoint) {
            self.checkpoint(checkpoint);
        }
        if stmt.blocks().is_empty() {
            self.push(";");
        }
        self.push("\n");
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.push(" checkpoint ");
        self.expr(&checkpoint.snapshots, 0);
        if let Some(disk) = &checkpoint.disk {
            self.push(" disk ");
            self.expr(disk, 0);
        }
    }

    fn branch(&mut self, condition: &Expr, yes: &Block, no: &Block) {
        self.push("if ");
        self.expr(condition, 0);
        self.push(" ");
        self.block(yes);
        if !no.is_empty() {
            self.push(" else ");
            self.block(no);
        }
    }

    fn kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Let(v, None) => {
                self.push("let ");
                self.var(*v);
            }
            StmtKind::Let(v, Some(init)) => {
                self.declared(*v);
                self.expr(init, 0);
            }
            StmtKind::Assign(place, e) => self.assignment(place, " = ", e),
            StmtKind::Incr(place, e) => self.assignment(place, " += ", e),
            StmtKind::Swap(a, b) => {
                self.on_place("swap ", a);
                self.on_place(", ", b);
            }
            StmtKind::Insert(place, at, e) => {
                self.on_place(if at.is_some() { "insert " } else { "push " }, place);
                for e in at.iter().chain([e]) {
                    self.push(", ");
                    self.expr(e, 0);
                }
            }
            StmtKind::Remove(v, place, at) => self.remove(*v, place, at.as_ref()),
            StmtKind::Call(call) => self.call("call ", call, &[]),
            StmtKind::Passive(code, reads) => {
                self.push("passive ");
                self.code(*code, reads);
            }
            StmtKind::Zero(place) => self.on_place("zero ", place),
            StmtKind::Record(id, place) => self.on_place(&format!("record r{} ", id.0), place),
            StmtKind::Restore(id, place) => self.on_place(&format!("restore r{} ", id.0), place),
            StmtKind::RecordControl(id, e) => {
                self.push(&format!("record r{} way ", id.0));
                self.expr(e, 0);
            }
            StmtKind::RestoreControl(id, v) => {
                self.declared(*v);
                self.push(&format!("way r{}", id.0));
            }
            StmtKind::Forward(call) => self.call("forward ", call, &[]),
            StmtKind::Reverse {
                call,
                adjoints,
                seed,
            } => {
                self.call("reverse ", call, adjoints);
                if let Some(seed) = seed {
                    self.push(" seed ");
                    self.expr(seed, 0);
                }
            }
            StmtKind::Break => self.push("break"),
            StmtKind::If(condition, yes, no) => self.branch(condition, yes, no),
            StmtKind::Loop(head, body) => {
                self.loop_head(head);
                self.block(body);
                if let LoopHead::Distributed(_, _, distribution) = head {
                    self.peeled(&distribution.peeled);
                    let separations = &distribution.separations;
                    separations.iter().for_each(|s| self.separation(s));
                }
                for part in head.parts() {
                    self.push(" part ");
                    if let Some(Alignment { of, ahead }) = part.alignment {
                        self.push(&format!("aligned {of} ahead {ahead} "));
                    }
                    if let Some(seed) = part.seed {
                        self.push("nonzero ");
                        self.var(seed);
                        self.push(" ");
                    }
                    for (word, vars) in [("takes ", &part.takes), ("gives ", &part.gives)] {
                        for v in vars {
                            self.push(word);
                            self.var(*v);
                            self.push(" ");
                        }
                    }
                    self.block(&part.block);
                }
            }
            StmtKind::Take(records) => {
                self.push("take ");
                self.block(records);
            }
            StmtKind::Replay(restores, forward) => {
                self.push("replay ");
                self.block(restores);
                self.push(" ");
                self.block(forward);
            }
            StmtKind::When(demand, body) => {
                self.push("when ");
                self.demand(*demand);
                self.push(" ");
                self.block(body);
            }
        }
    }

    fn remove(&mut self, v: Option<VarId>, place: &Place, at: Option<&Expr>) {
        if let Some(v) = v {
            self.declared(v);
        }
        self.on_place(if at.is_some() { "remove " } else { "pop " }, place);
        if let Some(at) = at {
            self.push(", ");
            self.expr(at, 0);
        }
    }

    fn on_place(&mut self, words: &str, place: &Place) {
        self.push(words);
        self.place(place);
    }

    /// `let v = `
    fn declared(&mut self, v: VarId) {
        self.push("let ");
        self.var(v);
        self.push(" = ");
    }

    fn assignment(&mut self, place: &Place, sign: &str, e: &Expr) {
        self.place(place);
        self.push(sign);
        self.expr(e, 0);
    }

    /// The path of a callee.
    pub(super) fn callee(&mut self, callee: &Callee) {
        self.path(&callee.name);
        if let Some(path) = callee.path {
            self.push(&format!(" ${}", path.0));
        }
    }

    fn call(&mut self, verb: &str, call: &Call, adjoints: &[AdjArg]) {
        if let Some(result) = call.result {
            self.declared(result);
        }
        self.push(verb);
        self.callee(&call.callee);
        self.push("(");
        let count = call.args.len().max(adjoints.len());
        let pairs: Vec<_> = (0..count)
            .map(|i| (call.args.get(i), adjoints.get(i)))
            .collect();
        self.list(&pairs, |p, (arg, adjoint)| {
            if let Some(arg) = arg {
                p.arg(arg);
            }
            if let Some(adjoint) = adjoint {
                p.push(": ");
                p.adjoint(adjoint);
            }
        });
        self.push(")");
    }

    fn arg(&mut self, arg: &Arg) {
        match arg {
            Arg::Value(e) => self.expr(e, 0),
            Arg::Shared(place) => self.on_place("&", place),
            Arg::Mut(place) => self.on_place("&mut ", place),
        }
    }

    fn adjoint(&mut self, adjoint: &AdjArg) {
        match adjoint {
            AdjArg::None => self.push("none"),
            AdjArg::Ignored => self.push("_"),
            AdjArg::Place(place) => self.on_place("&mut ", place),
            AdjArg::Scratch(None) => self.push("scratch"),
            AdjArg::Scratch(Some(place)) => self.on_place("scratch ", place),
            AdjArg::Increment(v) => {
                self.push("let ");
                self.var(*v);
            }
        }
    }

    fn loop_head(&mut self, head: &LoopHead) {
        match head {
            LoopHead::Counted(index, range) => self.counted(*index, "", range),
            LoopHead::Reversed(index, range) | LoopHead::Distributed(index, range, _) => {
                self.counted(*index, "rev ", range)
            }
            LoopHead::ReversedFrom(index, range, trips) => {
                self.counted(*index, "rev ", range);
                self.push(" times ");
                self.var(*trips);
            }
            LoopHead::While(condition) => {
                self.push("while ");
                self.expr(condition, 0);
            }
            LoopHead::CountedWhile(number, condition) => {
                self.push("counting ");
                self.var(*number);
                self.push(" while ");
                self.expr(condition, 0);
            }
            LoopHead::Forever => self.push("loop"),
            LoopHead::Times(count) => {
                self.push("times ");
                self.var(*count);
            }
        }
        self.push(" ");
    }

    fn peeled(&mut self, peeled: &Peeled) {
        for (word, count) in [("first", peeled.first), ("last", peeled.last)] {
            if count > 0 {
                self.push(&format!(" {word} {count}"));
            }
        }
        for [from, value] in &peeled.inside {
            self.push(" inside ");
            self.expr(from, 0);
            self.push(" is ");
            self.expr(value, 0);
        }
    }

    fn separation(&mut self, separation: &Separation) {
        let [a, b] = &separation.indices;
        self.push(match separation.are_runs {
            true => " apart runs ",
            false => " apart ",
        });
        self.expr(a, 0);
        self.push(", ");
        self.expr(b, 0);
    }

    fn counted(&mut self, index: VarId, direction: &str, range: &Range) {
        self.push("for ");
        self.var(index);
        if self
            .func
            .vars
            .get(index.index())
            .is_none_or(|v| v.ty != range.ty)
        {
            self.annotation(&range.ty);
        }
        self.push(" in ");
        self.push(direction);
        self.expr(&range.lo, 0);
        self.push(if range.inclusive { "..=" } else { ".." });
        self.expr(&range.hi, 0);
        if range.rev == Rev::BeforeStep {
            self.push(" rev");
        }
        if let Some(step) = &range.step {
            self.push(" step ");
            self.expr(step, 0);
        }
        if range.rev == Rev::AfterStep {
            self.push(if range.step.is_some() {
                " rev"
            } else {
                " step rev"
            });
        }
    }
}
