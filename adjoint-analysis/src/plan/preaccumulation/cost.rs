//! What a plan costs.

use crate::ir::{BinOp, Block, Expr, Func, LoopHead, Range, Stmt, StmtKind};
use crate::passes::tbr::cost::is_expensive;
use crate::plan::{Plan, RecordKind};

/// How often a loop is taken to run whose bounds are not literals.
const ITERATIONS: f64 = 64.0;

/// The work of a record, which is written and read, relative to an addition.
const RECORD: f64 = 4.0;

/// That of a division or a function.
const EXPENSIVE: f64 = 16.0;

/// By which factor the work may grow for users of a function without loops, which other adjoints call in theirs.
const STRAIGHT_GROWTH: f64 = 1.05;

/// Whether a plan costs less than another one: for other adjoints that call it, and for users, for whom values are left in
/// locals where the sweeps are fused.
pub fn is_better(plan: &Plan, than: &Plan) -> bool {
    let fused = [plan, than].map(|plan| plan.fused.as_deref().map(Cost::of));
    let is_better_fused = match fused {
        [Some(new), Some(old)] => {
            let may_grow = !has_loops(plan) && new.work <= STRAIGHT_GROWTH * old.work;
            new.tape <= old.tape && (new.work < old.work || may_grow)
        }
        [new, old] => new == old,
    };
    is_better_fused && Cost::of(plan).is_less(&Cost::of(than))
}

fn has_loops(plan: &Plan) -> bool {
    let mut found = false;
    let body = &plan.func.body;
    body.walk(&mut |s| found |= matches!(s.kind, StmtKind::Loop(..)));
    found
}

/// The values that a plan has on the tape.
pub fn tape(plan: &Plan) -> f64 {
    Cost::of(plan).tape
}

/// The cost of both sweeps.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Cost {
    /// The values on the tape.
    tape: f64,
    /// The operations on reals, with the records.
    work: f64,
}

impl Cost {
    /// The cost of a plan.
    fn of(plan: &Plan) -> Cost {
        let mut cost = Cost::default();
        for sweep in [&plan.forward, &plan.reverse] {
            cost.block(plan, sweep, 1.0);
        }
        cost
    }

    /// Whether there is less on the tape, for no more work.
    fn is_less(&self, other: &Cost) -> bool {
        self.tape < other.tape && self.work <= other.work
    }

    fn block(&mut self, plan: &Plan, block: &Block, times: f64) {
        for stmt in &block.stmts {
            self.stmt(plan, stmt, times);
        }
    }

    fn stmt(&mut self, plan: &Plan, stmt: &Stmt, times: f64) {
        if let StmtKind::Record(id, _) = &stmt.kind
            && matches!(plan.record(*id).kind, RecordKind::Value(_))
        {
            self.tape += times;
            self.work += times * RECORD;
        }
        if let StmtKind::Incr(..) = stmt.kind {
            self.work += times;
        }
        for e in stmt.operands() {
            self.work += times * work(e, &plan.func);
        }
        let inside = match &stmt.kind {
            StmtKind::Loop(head, _) => times * iterations(head),
            _ => times,
        };
        for inner in stmt.blocks() {
            self.block(plan, inner, inside);
        }
    }
}

fn iterations(head: &LoopHead) -> f64 {
    let literal = |e: &Expr| match e {
        Expr::Lit(text, _) => text.parse::<f64>().ok(),
        _ => None,
    };
    let between = |range: &Range| Some(literal(&range.hi)? - literal(&range.lo)?);
    let range = match head {
        LoopHead::Counted(_, range)
        | LoopHead::Reversed(_, range)
        | LoopHead::Distributed(_, range, _)
        | LoopHead::ReversedFrom(_, range, _) => Some(range),
        _ => None,
    };
    range.and_then(between).unwrap_or(ITERATIONS)
}

/// The work of an expression's operations on reals.
fn work(e: &Expr, func: &Func) -> f64 {
    let own = match e {
        // The gradient is not evaluated.
        Expr::Preaccumulated(value, _) => return work(value, func),
        Expr::Partial(..) => EXPENSIVE,
        e if is_expensive(e, func) => EXPENSIVE,
        Expr::Scale(..) => 2.0,
        Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, a, _)
            if a.ty(func).is_float() =>
        {
            1.0
        }
        Expr::Intrinsic(..) => 1.0,
        _ => 0.0,
    };
    let children = e.children().into_iter();
    own + children.map(|e| work(e, func)).sum::<f64>()
}
