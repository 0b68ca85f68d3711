//! Early exits of reversed loops, where the seed of what is left has become zero.
//!
//! **Problem.** `if distance < nearest { nearest = distance; }` and `largest = largest.max(x)` choose one iteration. Its reversal
//! takes the seed and leaves zero; all iterations behind it go on with that and add nothing.
//!
//! **Rule.** A reversed loop whose body may set a seed to zero ends where the seed is zero at the end of an iteration.
//!
//! **Conditions.** With a zero seed, an iteration adds zeros, and the seed stays zero: what vanishes with the seed is found by taking
//! away what does not until nothing changes. It writes nothing else that is read behind the loop: what it restores is a
//! variable of the block that the loop is in, or of one around that for some callers, and is not named there again. It takes
//! nothing from the tape but its own slots.

use super::{Plan, Storage};
use crate::ir::construct::{binary, zero_lit};
use crate::ir::{BinOp, Block, Expr, LoopHead, Stmt, StmtId, StmtKind, VarId};
use crate::passes::sets::set::VarSet;
use crate::rules::is_choice;

/// Gives the loops of the reverse sweep early exits.
pub fn exit_early(plan: &mut Plan) {
    let mut exits = Vec::new();
    block(&plan.reverse, &mut Vec::new(), plan, &mut exits);
    if !exits.is_empty() {
        let mut reverse = std::mem::take(&mut plan.reverse);
        add_exits(&mut reverse, &exits, plan);
        plan.reverse = reverse;
    }
}

/// A statement by its number in a block, which is run once whenever the block around is.
type Around<'p> = Vec<(&'p [Stmt], usize)>;

/// Finds the loops of a block and the seeds for which they end.
fn block<'p>(
    block: &'p Block,
    around: &mut Around<'p>,
    plan: &'p Plan,
    exits: &mut Vec<(StmtId, VarId)>,
) {
    for (n, stmt) in block.stmts.iter().enumerate() {
        match &stmt.kind {
            StmtKind::When(_, inner) => {
                around.push((&block.stmts, n));
                self::block(inner, around, plan, exits);
                around.pop();
                continue;
            }
            StmtKind::Loop(LoopHead::Reversed(..), body) => {
                around.push((&block.stmts, n));
                let seed = seed(stmt.id, body, around, plan);
                exits.extend(seed.map(|seed| (stmt.id, seed)));
                around.pop();
            }
            _ => {}
        }
        stmt.each_block(&mut |inner| self::block(inner, &mut Vec::new(), plan, exits));
    }
}

/// Whether the variable is declared in front of one of these statements, and not named behind them.
fn is_over(v: VarId, around: &Around<'_>) -> bool {
    let declares = |stmts: &[Stmt]| stmts.iter().any(|s| s.declared() == Some(v));
    let is_declared = around.iter().any(|(stmts, n)| declares(&stmts[..*n]));
    let mut behind = around.iter().map(|(stmts, n)| &stmts[n + 1..]);
    is_declared && behind.all(|stmts| Stmt::mentions(stmts, v) == 0)
}

/// The seed where the loop with this body may end when it is zero.
fn seed(id: StmtId, body: &Block, around: &Around<'_>, plan: &Plan) -> Option<VarId> {
    let mut found = Vec::new();
    body.walk(&mut |s| found.extend(set_to_zero(s)));
    if found.is_empty() {
        return None;
    }
    let (mut restored, mut inner) = (Vec::new(), VarSet::default());
    body.walk(&mut |s| {
        inner.extend(s.declared());
        if let StmtKind::Restore(_, p) = &s.kind {
            restored.push(p.root);
        }
    });
    restored.retain(|v| !inner.contains(*v));
    let ends = |seed: VarId| {
        let inner = &inner;
        let ending = Ending { inner, seed, plan };
        ending.adds_nothing(body)
    };
    let leaves_nothing = || restored.iter().all(|v| is_over(*v, around));
    let is_seed = |v: &VarId| !inner.contains(*v) && plan.func.var(*v).ty.is_machine_float();
    let mut seeds = found.into_iter().filter(is_seed);
    seeds.find(|v| ends(*v) && has_own_slots(body, id, plan) && leaves_nothing())
}

/// The variable that the statement may set to zero: by a choice, or by a zero, which is in a branch if other iterations have
/// another value.
fn set_to_zero(stmt: &Stmt) -> Option<VarId> {
    let place = match &stmt.kind {
        StmtKind::Assign(p, Expr::Scale(_, partial)) if is_choice(partial) => p,
        StmtKind::Assign(p, e) if is_zero(e) => p,
        StmtKind::Zero(p) => p,
        _ => return None,
    };
    place.is_whole().then_some(place.root)
}

fn is_zero(e: &Expr) -> bool {
    matches!(e, Expr::Lit(text, _) if text.parse() == Ok(0.0))
}

/// Whether the body takes nothing from the tape but slots of this loop.
fn has_own_slots(body: &Block, id: StmtId, plan: &Plan) -> bool {
    let mut own = true;
    body.walk(&mut |s| {
        own &= match &s.kind {
            StmtKind::Restore(r, _) | StmtKind::RestoreControl(r, _) => {
                matches!(plan.record(*r).storage, Storage::Frame { of, .. } if of == id)
            }
            StmtKind::Let(..)
            | StmtKind::Assign(..)
            | StmtKind::Incr(..)
            | StmtKind::Zero(_)
            | StmtKind::If(..)
            | StmtKind::When(..)
            | StmtKind::Loop(LoopHead::Reversed(..) | LoopHead::Distributed(..), _) => true,
            _ => false,
        };
    });
    own
}

/// An iteration that starts with a zero seed.
struct Ending<'p> {
    /// The locals of the body.
    inner: &'p VarSet,
    seed: VarId,
    plan: &'p Plan,
}

impl Ending<'_> {
    /// Whether it adds only zeros, and leaves the seed zero.
    fn adds_nothing(&self, body: &Block) -> bool {
        let mut zero = self.inner.clone();
        zero.insert(self.seed);
        loop {
            let mut lost = Vec::new();
            let mut adds = false;
            each_own(body, &mut |s| {
                let vanishes = match &s.kind {
                    StmtKind::Let(_, None) | StmtKind::Zero(_) => true,
                    StmtKind::Let(_, Some(e)) | StmtKind::Assign(_, e) | StmtKind::Incr(_, e) => {
                        self.vanishes(e, &zero)
                    }
                    _ => false,
                };
                for v in s.written().iter().map(|p| p.root).chain(s.declared()) {
                    let is_own = self.inner.contains(v) || v == self.seed;
                    let is_restored = matches!(s.kind, StmtKind::Restore(..));
                    match is_own {
                        true if !vanishes => lost.push(v),
                        true => {}
                        false if is_restored => {}
                        false => adds |= !(vanishes && matches!(s.kind, StmtKind::Incr(..))),
                    }
                }
            });
            let before = zero.clone();
            lost.into_iter().for_each(|v| zero.remove(v));
            if zero == before {
                return !adds && zero.contains(self.seed);
            }
        }
    }

    /// Whether the value is zero where these are.
    fn vanishes(&self, e: &Expr, zero: &VarSet) -> bool {
        let is_zero_var = |v: VarId| zero.contains(v);
        match e {
            e if is_zero(e) => true,
            Expr::Read(p) => p.is_whole() && is_zero_var(p.root),
            Expr::Unary(_, a) | Expr::Scale(a, _) => self.vanishes(a, zero),
            Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => {
                self.vanishes(a, zero) && self.vanishes(b, zero)
            }
            // A number times zero.
            Expr::Binary(BinOp::Mul, a, b) => {
                let is_constant = |v: VarId| !self.plan.func.var(v).ty.carries_floats();
                self.vanishes(a, zero) && b.reads().into_iter().all(is_constant)
            }
            _ => false,
        }
    }
}

/// Calls `f` on the statements of the block; parts of a distributed loop do what its body does.
fn each_own<'b>(block: &'b Block, f: &mut dyn FnMut(&'b Stmt)) {
    for stmt in &block.stmts {
        f(stmt);
        match &stmt.kind {
            StmtKind::Loop(_, body) => each_own(body, f),
            _ => stmt.each_block(&mut |inner| each_own(inner, f)),
        }
    }
}

fn add_exits(block: &mut Block, exits: &[(StmtId, VarId)], plan: &Plan) {
    for stmt in &mut block.stmts {
        let id = stmt.id;
        let exit = exits.iter().find(|(of, _)| *of == id);
        if let (StmtKind::Loop(LoopHead::Reversed(..), body), Some((_, seed))) =
            (&mut stmt.kind, exit)
        {
            let seed = Expr::Read(plan.func.place(*seed));
            let zero = zero_lit(&seed.ty(&plan.func));
            let leave = Block::new(vec![Stmt {
                id,
                kind: StmtKind::Break,
            }]);
            let kind = StmtKind::If(binary(BinOp::Eq, seed, zero), leave, Block::default());
            body.stmts.push(Stmt { id, kind });
        }
        for inner in stmt.blocks_mut() {
            add_exits(inner, exits, plan);
        }
    }
}
