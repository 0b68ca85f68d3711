//! What a plan costs: the cost model of flattening and preaccumulation.

use super::{Plan, RecordKind, Storage};
use crate::ir::{BinOp, Block, Expr, Func, LoopHead, Range, RecordId, Stmt, StmtKind};
use crate::passes::activity::Boundary;
use crate::passes::activity::summary::Cost;
use crate::passes::tbr::cost::{is_expensive, scalars};

/// How often a loop is taken to run whose bounds are not literals.
const ITERATIONS: f64 = 64.0;

/// The work of a record, which is written and read, relative to an addition.
const RECORD: f64 = 4.0;

/// That of a division or a function.
const EXPENSIVE: f64 = 16.0;

/// That of the test and the step of a loop.
const ITERATION: f64 = 1.0;

/// That of both sweeps' calls, without what they call.
const CALL: f64 = 4.0;

/// By which factor the work may grow: with gradients, for users of a function without loops, which other adjoints call in theirs;
/// with a flattened function, for these.
const WORK_GROWTH: f64 = 1.05;

/// By which factor the tape of a flattened function may grow: in strips, and for other adjoints that call it.
const TAPE_GROWTH: f64 = 2.0;

/// Compares plans of one function.
#[derive(Clone, Copy)]
pub struct Costs<'a>(pub &'a Boundary);

impl Costs<'_> {
    /// Whether gradients make the plan better: less is on the tape for no more work, for other adjoints that call it, and for
    /// users, for whom values are left in locals where the sweeps are fused. Of a function without loops, which is mostly called by
    /// other adjoints, users may have as much on the tape, and a little more work.
    pub fn is_better(self, plan: &Plan, than: &Plan) -> bool {
        let is_better_fused = match self.fused(plan, than) {
            [Some(new), Some(old)] if plan.func.has_loops() => {
                new.tape < old.tape && new.work <= old.work
            }
            [Some(new), Some(old)] => new.tape <= old.tape && new.work <= WORK_GROWTH * old.work,
            [new, old] => new == old,
        };
        let (new, old) = (self.of(plan), self.of(than));
        is_better_fused && new.tape < old.tape && new.work <= old.work
    }

    /// Whether the plan of a flattened function is better: for users, there is no more work, and no more on the tape, but for what
    /// is there for a strip only; for other adjoints that call it, not much more.
    pub fn is_better_flattened(self, plan: &Plan, than: &Plan) -> bool {
        let [new, old] = [plan, than].map(|plan| self.sum(plan.fused.as_deref().unwrap_or(plan)));
        let for_users = new.lasting_tape <= old.lasting_tape
            && new.cost.tape <= TAPE_GROWTH * old.cost.tape
            && new.cost.work <= old.cost.work;
        let [new, old] = [plan, than].map(|plan| self.of(plan));
        let for_others = new.tape <= TAPE_GROWTH * old.tape && new.work <= WORK_GROWTH * old.work;
        for_users && for_others
    }

    fn fused(self, plan: &Plan, than: &Plan) -> [Option<Cost>; 2] {
        [plan, than].map(|plan| plan.fused.as_deref().map(|fused| self.of(fused)))
    }

    /// How many records a user's sweeps push and pop, those of callees aside: a frame's are at known places.
    pub fn pushes(self, plan: &Plan) -> f64 {
        self.sum(plan.fused.as_deref().unwrap_or(plan)).pushes
    }

    /// The cost of both sweeps.
    pub fn of(self, plan: &Plan) -> Cost {
        self.sum(plan).cost
    }

    fn sum<'p>(self, plan: &'p Plan) -> Sum<'p>
    where
        Self: 'p,
    {
        let mut sum = Sum {
            plan,
            boundary: self.0,
            cost: Cost::default(),
            lasting_tape: 0.0,
            pushes: 0.0,
            in_strips: false,
        };
        for sweep in [&plan.forward, &plan.reverse] {
            sum.block(sweep, 1.0);
        }
        sum
    }
}

/// How many reals a run of the block puts on the tape, where a callee is taken to put as many there as a loop runs.
pub fn reals_recorded(block: &Block, plan: &Plan) -> f64 {
    let of_stmt = |stmt: &Stmt| {
        let times = match &stmt.kind {
            StmtKind::Record(record, _) => return reals(plan, *record),
            StmtKind::Forward(_) => return ITERATIONS,
            StmtKind::Loop(head, _) => iterations(head),
            _ => 1.0,
        };
        let blocks = stmt.blocks().into_iter();
        times * blocks.map(|b| reals_recorded(b, plan)).sum::<f64>()
    };
    block.stmts.iter().map(of_stmt).sum()
}

/// The size of a record of values.
fn reals(plan: &Plan, record: RecordId) -> f64 {
    match &plan.record(record).kind {
        RecordKind::Value(ty) => scalars(ty).map_or(ITERATIONS, |n| n as f64),
        _ => 0.0,
    }
}

struct Sum<'a> {
    plan: &'a Plan,
    boundary: &'a Boundary,
    cost: Cost,
    /// What is on the tape beyond a strip.
    lasting_tape: f64,
    pushes: f64,
    in_strips: bool,
}

impl Sum<'_> {
    fn block(&mut self, block: &Block, times: f64) {
        for stmt in &block.stmts {
            self.stmt(stmt, times);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, times: f64) {
        if let StmtKind::Record(id, _) | StmtKind::RecordControl(id, _) = &stmt.kind
            && self.plan.record(*id).storage == Storage::Stack
        {
            self.pushes += times;
        }
        match &stmt.kind {
            StmtKind::Record(id, _) => {
                let reals = times * reals(self.plan, *id);
                self.add(reals, reals * RECORD);
            }
            StmtKind::Incr(..) => self.add(0.0, times),
            StmtKind::Reverse { call, .. } => {
                let summary = self.boundary.summary(call, &self.plan.func);
                let Cost { tape, work } = summary.map_or(Cost::default(), |s| s.cost);
                self.add(times * tape, times * (work + CALL));
            }
            _ => {}
        }
        for e in stmt.operands() {
            self.add(0.0, times * work(e, &self.plan.func));
        }
        let inside = match &stmt.kind {
            // The loops inside are taken to run as often as it would without strips.
            _ if stmt.is_over_strips() => times,
            StmtKind::Loop(head, _) => times * iterations(head),
            _ => times,
        };
        if inside > times {
            self.add(0.0, inside * ITERATION);
        }
        let around = self.in_strips;
        self.in_strips |= stmt.is_over_strips();
        match &stmt.kind {
            // Its parts are another form of its body.
            StmtKind::Loop(LoopHead::Distributed(..), body) => self.block(body, inside),
            _ => stmt.blocks().iter().for_each(|b| self.block(b, inside)),
        }
        self.in_strips = around;
    }

    fn add(&mut self, tape: f64, work: f64) {
        self.cost.tape += tape;
        self.lasting_tape += if self.in_strips { 0.0 } else { tape };
        self.cost.work += work;
    }
}

fn iterations(head: &LoopHead) -> f64 {
    let range = match head {
        LoopHead::Counted(_, range)
        | LoopHead::Reversed(_, range)
        | LoopHead::Distributed(_, range, _)
        | LoopHead::ReversedFrom(_, range, _) => Some(range),
        _ => None,
    };
    let distance = range.and_then(Range::literal_distance);
    let iterations = distance.map_or(ITERATIONS, |n| n as f64);
    let step = range.and_then(|range| range.step.as_ref());
    let step = step.and_then(|step| match step {
        Expr::Lit(text, _) => text.parse::<f64>().ok(),
        _ => None,
    });
    (iterations / step.unwrap_or(1.0)).max(1.0)
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
