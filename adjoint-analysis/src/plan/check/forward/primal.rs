//! The forward sweep is the primal with records: statement by statement, by id.

use std::collections::{HashMap, HashSet};

use super::shape::{is_primal, primal_variables};
use crate::ir::total::Totality;
use crate::ir::{Block, Expr, LoopHead, Mode, Stmt, StmtId, StmtKind, VarId};
use crate::plan::Plan;
use crate::plan::check::faults::{FaultKind, Faults};
use crate::plan::check::terms::cells::each_place;

/// Conditions that the sweep has in another form than the primal; their values have to agree.
pub type Rewritten<'a> = HashMap<StmtId, &'a Expr>;

/// Compares the forward sweep with the primal.
pub fn compare<'a>(plan: &'a Plan, faults: &mut Faults) -> Rewritten<'a> {
    let mut compare = Compare {
        faults,
        primal: primal_variables(plan),
        rewritten: HashMap::new(),
        missing: Vec::new(),
    };
    compare.block(&plan.func.body, &plan.forward);
    let Compare {
        rewritten, missing, ..
    } = compare;
    if !missing.is_empty() {
        let mut report = Report {
            needed: needed(plan),
            total: Totality::of(&plan.func),
            faults,
        };
        missing.iter().for_each(|s| report.stmt(s));
    }
    rewritten
}

struct Compare<'a, 'f> {
    faults: &'f mut Faults,
    primal: HashSet<VarId>,
    rewritten: Rewritten<'a>,
    missing: Vec<&'a Stmt>,
}

impl<'a> Compare<'a, '_> {
    fn block(&mut self, primal: &'a Block, sweep: &'a Block) {
        let mut rest = primal.stmts.iter();
        for stmt in &sweep.stmts {
            if !is_primal(&self.primal, stmt) {
                continue;
            }
            let ahead = rest.as_slice().iter().position(|p| p.id == stmt.id);
            let Some(skipped) = ahead else {
                let message = "the primal has no such statement here";
                self.faults.add(stmt.id, FaultKind::NotPrimal, message);
                continue;
            };
            self.missing.extend(rest.by_ref().take(skipped));
            if let Some(original) = rest.next() {
                self.stmt(original, stmt);
            }
        }
        self.missing.extend(rest);
    }

    fn stmt(&mut self, primal: &'a Stmt, sweep: &'a Stmt) {
        let same = match (&primal.kind, &sweep.kind) {
            (StmtKind::Call(a), StmtKind::Forward(b)) => a == b,
            (StmtKind::If(c, a, b), StmtKind::If(d, x, y)) => {
                if c != d {
                    self.rewritten.insert(primal.id, c);
                }
                self.block(a, x);
                self.block(b, y);
                true
            }
            (StmtKind::Loop(head, a), StmtKind::Loop(other, b)) => {
                self.block(a, b);
                head == other
            }
            (a, b) => a == b,
        };
        if !same {
            let message = "the statement is not the primal's";
            self.faults.add(sweep.id, FaultKind::NotPrimal, message);
        }
    }
}

/// The variables that the two sweeps or the outputs need.
fn needed(plan: &Plan) -> HashSet<VarId> {
    let params = plan.func.params.iter().copied();
    let mut vars: HashSet<VarId> = params
        .filter(|v| plan.func.var(*v).mode == Mode::Mut)
        .chain(plan.func.ret)
        .collect();
    for block in [&plan.forward, &plan.reverse] {
        block.walk(&mut |s| each_place(s, &mut |p| vars.extend([p.root])));
    }
    vars
}

/// A statement may be missing if nothing needs its effect.
struct Report<'a, 'f> {
    needed: HashSet<VarId>,
    total: Totality<'a>,
    faults: &'f mut Faults,
}

impl Report<'_, '_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let written = stmt.written().into_iter();
        let mut vars = written.map(|p| p.root).chain(stmt.declared());
        if vars.any(|v| self.needed.contains(&v)) || self.has_effect(stmt) || self.may_panic(stmt) {
            let message = "the forward sweep leaves this statement out, and its effect is needed";
            let fault = FaultKind::MissingPrimal;
            self.faults.add(stmt.id, fault, message);
        }
        let inner = stmt.blocks().into_iter().flat_map(|b| &b.stmts);
        inner.for_each(|s| self.stmt(s));
    }

    /// Whether it has an effect besides writing variables.
    fn has_effect(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Let(..) | StmtKind::Assign(..) | StmtKind::Incr(..) | StmtKind::If(..) => {
                false
            }
            StmtKind::Loop(head, _) => !matches!(head, LoopHead::Counted(..)),
            _ => true,
        }
    }

    fn may_panic(&self, stmt: &Stmt) -> bool {
        let total = &self.total;
        let written = stmt.written();
        !written.iter().all(|p| total.is_total_place(p))
            || !stmt.operands().iter().all(|e| total.is_total(e))
    }
}
