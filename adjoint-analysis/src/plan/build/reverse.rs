//! The reverse sweep: the mirror of each block, which requests the records that it needs.

use super::{Build, RecordPurpose, has_reverse, zero};
use crate::ir::{Block, Demand, Expr, LoopHead, Origin, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::passes::control::loop_exits;
use crate::passes::sets::names::named_in;
use crate::passes::sets::set::VarSet;
use crate::passes::tbr::LocalRestore;
use crate::plan::RecordKind;
use crate::plan::memory::opposite;
use crate::plan::statement::StmtAdjoint;

impl Build {
    pub(super) fn reverse_function(&mut self, body: &Block) -> Block {
        let mut block = self.reverse_block(body);
        // Restores the result for adjoints that read it.
        if let Some(ret) = self.func.ret {
            let last = body.stmts.last().map_or(StmtId(0), |s| s.id);
            let mut head = Vec::new();
            if named_in(&block.stmts).contains(ret) {
                self.declare_local(ret, last, None, &mut head);
            }
            head.append(&mut block.stmts);
            block.stmts = head;
        }
        // A parameter used as work space has an adjoint of its own.
        let first = body.stmts.first().map_or(StmtId(0), |s| s.id);
        for p in self.func.params.clone() {
            if let Some(a) = self
                .adjoint
                .get(&p)
                .filter(|_| !self.interface.contains(&p))
            {
                block.stmts.insert(
                    0,
                    Stmt {
                        id: first,
                        kind: StmtKind::Let(*a, None),
                    },
                );
            }
        }
        block
    }

    /// The mirror of a block: restores its locals, then reverses its statements from the last to the first.
    pub(super) fn reverse_block(&mut self, block: &Block) -> Block {
        let mut undone = Vec::new();
        for stmt in block.stmts.iter().rev() {
            self.reverse_stmt(stmt, &mut undone);
        }
        let mut prologue = Vec::new();
        let mut recomputed = Vec::new();
        let in_undone = named_in(&undone);
        let declared: VarSet = undone.iter().filter_map(Stmt::declared).collect();
        let is_created = |a: VarId| in_undone.contains(a) && !declared.contains(a);
        let mut needed = in_undone.clone();
        // Recomputed definitions read other locals, so the last declared one is restored first.
        for stmt in block.stmts.iter().rev() {
            let Some(v) = stmt.declared() else { continue };
            if needed.contains(v) || self.shapes(v, &is_created) {
                let at_end = self.at_end(v);
                let init = match (&stmt.kind, at_end) {
                    (_, Some(LocalRestore::Copy)) => self.copied_back(v),
                    (_, Some(LocalRestore::Invert)) => self.inverse_at_end(v),
                    (StmtKind::Let(_, init), _) => init.clone(),
                    _ => None,
                };
                let mut local = Vec::new();
                match at_end {
                    Some(LocalRestore::Zeros) => {
                        let zeros = self.zeros(v, stmt.id, &mut local);
                        zeros.each_named_var(&mut |v| {
                            needed.insert(v);
                        });
                        recomputed.push(zeros);
                    }
                    Some(LocalRestore::Recompute | LocalRestore::Copy | LocalRestore::Invert) => {
                        let again = Stmt {
                            id: stmt.id,
                            kind: StmtKind::Let(v, init),
                        };
                        again.each_named_var(&mut |v| {
                            needed.insert(v);
                        });
                        recomputed.push(again);
                    }
                    Some(LocalRestore::Constant) => local.push(Stmt {
                        id: stmt.id,
                        kind: StmtKind::Let(v, self.values.last.get(&v).cloned()),
                    }),
                    _ => self.declare_local(v, stmt.id, init, &mut local),
                }
                prologue.extend(local);
            }
        }
        prologue.extend(recomputed.into_iter().rev());
        for stmt in &block.stmts {
            let adjoint = stmt.declared().and_then(|v| self.adjoint.get(&v).copied());
            if let Some(a) = adjoint.filter(|a| is_created(*a)) {
                prologue.push(Stmt {
                    id: stmt.id,
                    kind: StmtKind::Let(a, None),
                });
            }
        }
        prologue.extend(undone);
        Block::new(prologue)
    }

    /// A declaration of a `Vec` with as many zeros as it had elements.
    fn zeros(&mut self, v: VarId, id: StmtId, out: &mut Vec<Stmt>) -> Stmt {
        let lengths = [&self.own.lengths, &self.for_caller.lengths];
        let known = lengths
            .into_iter()
            .find_map(|lengths| lengths.get(&v))
            .cloned();
        let length = known.unwrap_or_else(|| {
            let record = self.record(RecordPurpose::Length(v), RecordKind::Count, id);
            let length = self.temp("length", Ty::USIZE);
            let kind = StmtKind::RestoreControl(record, length);
            out.push(Stmt { id, kind });
            Expr::Read(self.func.place(length))
        });
        let ty = self.func.var(v).ty.clone();
        let zero = ty.element().and_then(zero).map(Box::new);
        let zeros = zero.map(|zero| Expr::Repeat(zero, Box::new(length), ty));
        let kind = StmtKind::Let(v, zeros);
        Stmt { id, kind }
    }

    /// What holds the last value of a local.
    fn copied_back(&self, v: VarId) -> Option<Expr> {
        let copies = [&self.own.copies, &self.for_caller.copies];
        let holder = copies.into_iter().find_map(|copies| copies.get(&v))?;
        Some(Expr::Read(self.func.place(*holder)))
    }

    /// What the local is where its scope ends.
    fn inverse_at_end(&self, v: VarId) -> Option<Expr> {
        let ends = [&self.own.inverted_ends, &self.for_caller.inverted_ends];
        ends.into_iter().find_map(|ends| ends.get(&v)).cloned()
    }

    /// A local of the primal in the mirrored scope, with its last value where that is needed.
    fn declare_local(&mut self, v: VarId, id: StmtId, init: Option<Expr>, out: &mut Vec<Stmt>) {
        match self.at_end(v) {
            Some(LocalRestore::Record) => {
                let kind = self.kind_of(v, &self.func.var(v).ty);
                let record = self.record(RecordPurpose::Last(v), kind, id);
                out.push(Stmt {
                    id,
                    kind: StmtKind::Let(v, None),
                });
                let place = self.func.place(v);
                out.push(Stmt {
                    id,
                    kind: StmtKind::Restore(record, place),
                });
            }
            // It is only written, or only its shape matters.
            _ => {
                let blank = init.filter(is_constant).or_else(|| self.blank(v));
                out.push(Stmt {
                    id,
                    kind: StmtKind::Let(v, blank),
                });
            }
        }
    }

    /// The initial value of a tuple or an array that is restored in parts, and of what a step that is run again writes.
    fn blank(&self, v: VarId) -> Option<Expr> {
        let ty = &self.func.var(v).ty;
        let is_replayed = || self.loop_states.values().any(|s| s.writes(v));
        (matches!(ty, Ty::Tuple(_) | Ty::Array(..)) || is_replayed())
            .then(|| zero(ty))
            .flatten()
    }

    /// Whether an adjoint is created with the shape of the variable.
    fn shapes(&self, v: VarId, is_created: &dyn Fn(VarId) -> bool) -> bool {
        let shaped = |a: VarId| self.func.var(a).origin == Origin::Adjoint(v) && is_created(a);
        !self.func.var(v).ty.has_static_shape() && self.func.var_ids().any(shaped)
    }

    fn reverse_stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        match &stmt.kind {
            StmtKind::If(test, then, els) => self.reverse_if(stmt.id, test, then, els, out),
            StmtKind::Loop(head, body) => self.reverse_loop(stmt.id, head, body, out),
            StmtKind::Swap(..) => {
                if self.recorded(stmt.id, 0) {
                    out.push(stmt.clone());
                }
                let adjoint = self.adjoint_of(stmt.id);
                when(stmt.id, adjoint.demand, adjoint.code, out);
                when(stmt.id, adjoint.demand, adjoint.after, out);
            }
            StmtKind::Insert(..) | StmtKind::Remove(..) => self.reverse_resize(stmt, out),
            _ => self.reverse_simple(stmt, out),
        }
        self.restore_saved(stmt.id, out);
    }

    /// The adjoint of a statement, which is reversed once.
    fn adjoint_of(&mut self, id: StmtId) -> StmtAdjoint {
        std::mem::take(&mut self.local[id.index()])
    }

    /// An inserted element is removed before its adjoint reads the rest; a removed one is inserted again.
    fn reverse_resize(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        if self.recorded(stmt.id, 0) {
            out.extend(opposite(stmt, |v| self.func.place(v)));
        }
        let adjoint = self.adjoint_of(stmt.id);
        when(stmt.id, adjoint.demand, adjoint.code, out);
    }

    fn reverse_simple(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let id = stmt.id;
        let adjoint = self.adjoint_of(id);
        let is_active_call = matches!(stmt.kind, StmtKind::Call(_))
            && self.uses[id.index()].any
            && has_reverse(&adjoint);
        if is_active_call {
            self.reversed_calls.insert(id);
            self.calls.extend(adjoint.site.map(|site| (id, site)));
        }
        let mut restores = Vec::new();
        let written = if is_active_call {
            Vec::new()
        } else {
            stmt.written()
        };
        for (n, place) in written.into_iter().enumerate().rev() {
            if let Some(old) = self.constant(id).or(self.inverse(id)) {
                let kind = StmtKind::Assign(place.clone(), old.clone());
                restores.push(Stmt { id, kind });
                continue;
            }
            if !self.recorded(id, n) {
                continue;
            }
            let kind = self.kind_of(place.root, &place.ty);
            let record = self.record(RecordPurpose::Overwritten(id, n), kind, id);
            restores.push(Stmt {
                id,
                kind: StmtKind::Restore(record, place.clone()),
            });
        }
        out.extend(adjoint.before);
        if adjoint.overlaps {
            out.extend(restores);
            when(id, adjoint.demand, adjoint.code, out);
        } else {
            when(id, adjoint.demand, adjoint.code, out);
            out.extend(restores);
        }
        when(id, adjoint.demand, adjoint.after, out);
    }

    /// `[CFR]` Algorithm 3. The arm taken is recorded where the arms merge, unless the condition can be evaluated
    /// again.
    fn reverse_if(
        &mut self,
        id: StmtId,
        test: &Expr,
        then: &Block,
        els: &Block,
        out: &mut Vec<Stmt>,
    ) {
        let (then, els) = (self.reverse_block(then), self.reverse_block(els));
        if then.is_empty() && els.is_empty() {
            return;
        }
        let recomputed = self.own.recomputed_tests.get(&id).copied().unwrap_or(false);
        let teller = self.own.implied.get(&id);
        let implied = teller.and_then(|by| self.values.test(id, *by)).cloned();
        let test = match implied.or(recomputed.then(|| test.clone())) {
            Some(test) => test,
            None => {
                let record = self.record(RecordPurpose::Way(id), RecordKind::Flag, id);
                let way = self.temp("way", Ty::Bool);
                out.push(Stmt {
                    id,
                    kind: StmtKind::RestoreControl(record, way),
                });
                Expr::Read(self.func.place(way))
            }
        };
        out.push(Stmt {
            id,
            kind: StmtKind::If(test, then, els),
        });
    }

    /// `[CFR]` Algorithm 4. A counted loop without a `break` needs no counter.
    fn reverse_loop(&mut self, id: StmtId, head: &LoopHead, body: &Block, out: &mut Vec<Stmt>) {
        if self.loop_states.contains_key(&id) {
            return self.reverse_checkpointed(id, head, body, out);
        }
        let leaves = has_break(body);
        let body = self.reverse_block(body);
        if body.is_empty() {
            return;
        }
        // The bounds are available if a statement in the loop has an adjoint, but not if the loop only restores flags.
        let bounded = self.uses[id.index()].any;
        let head = match head {
            LoopHead::Counted(v, range) if !leaves && bounded => {
                LoopHead::Reversed(*v, range.clone())
            }
            LoopHead::Counted(v, range) if self.own.exit_iteration.contains_key(&id) => {
                let ran = loop_exits::iterations_run(range, self.own.exit_iteration[&id]);
                let trips = self.temp("trips", Ty::USIZE);
                let kind = StmtKind::Let(trips, Some(ran));
                out.push(Stmt { id, kind });
                LoopHead::ReversedFrom(*v, range.clone(), trips)
            }
            _ if self.own.recomputed_trips.contains(&id) => {
                let trips = self.temp("trips", Ty::USIZE);
                let count = self.trips.get(&id).cloned();
                let kind = StmtKind::Let(trips, count);
                out.push(Stmt { id, kind });
                LoopHead::Times(trips)
            }
            LoopHead::While(_) | LoopHead::Forever
                if self.own.trips_from_counters.contains_key(&id) =>
            {
                let trips = self.temp("trips", Ty::USIZE);
                let count = self.own.trips_from_counters.get(&id).cloned();
                let kind = StmtKind::Let(trips, count);
                out.push(Stmt { id, kind });
                LoopHead::Times(trips)
            }
            head => {
                let record = self.record(RecordPurpose::Count(id), RecordKind::Count, id);
                let trips = self.temp("trips", Ty::USIZE);
                out.push(Stmt {
                    id,
                    kind: StmtKind::RestoreControl(record, trips),
                });
                match head {
                    LoopHead::Counted(v, range)
                        if bounded || named_in(&body.stmts).contains(*v) =>
                    {
                        LoopHead::ReversedFrom(*v, range.clone(), trips)
                    }
                    _ => LoopHead::Times(trips),
                }
            }
        };
        out.push(Stmt {
            id,
            kind: StmtKind::Loop(head, body),
        });
    }
}

/// Code that runs for some callers.
fn when(id: StmtId, demand: Demand, code: Vec<Stmt>, out: &mut Vec<Stmt>) {
    if !code.is_empty() {
        out.push(Stmt {
            id,
            kind: StmtKind::When(demand, Block::new(code)),
        });
    }
}

/// Whether a loop body leaves its loop by a `break`.
fn has_break(body: &Block) -> bool {
    body.stmts.iter().any(|s| match &s.kind {
        StmtKind::Break => true,
        StmtKind::If(_, a, b) => has_break(a) || has_break(b),
        _ => false,
    })
}

fn is_constant(e: &Expr) -> bool {
    let mut constant = true;
    e.walk(&mut |e| constant &= e.own_places().is_empty());
    constant
}
