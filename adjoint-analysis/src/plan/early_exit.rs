//! Early exits of reversed loops, where the seed of what is left has become zero.
//!
//! **Problem.** `if distance < nearest { nearest = distance; }` and `largest = largest.max(x)` choose one iteration. Its reversal
//! takes the seed and leaves zero; all iterations behind it go on with that and add nothing.
//!
//! **Rule.** A reversed loop whose body may set a seed to zero ends where the seed is zero at the end of an iteration.
//!
//! **Conditions.** With a zero seed, an iteration adds zeros, and the seed stays zero: what vanishes with the seed is found by taking
//! away what does not until nothing changes. It writes nothing else that is read behind the loop: what it restores is a
//! variable of the block that the loop is in, or of one around that for some callers, and is not named there again. It takes nothing from the tape but its own slots.

use super::{Plan, Storage};
use crate::ir::construct::{binary, zero_lit};
use crate::ir::{BinOp, Block, Expr, LoopHead, Stmt, StmtId, StmtKind, VarId};
use crate::passes::sets::set::VarSet;
use crate::rules::is_choice;

/// Gives the loops of the reverse sweep early exits.
pub fn exit_early(plan: &mut Plan) {
    let mut reverse = std::mem::take(&mut plan.reverse);
    block(&mut reverse, &Around::default(), plan);
    plan.reverse = reverse;
}

/// What is around a block that is run once whenever what is around it is.
#[derive(Clone, Default)]
struct Around {
    /// The variables that are declared in front of it.
    declared: VarSet,
    /// Those that are named behind it.
    named: VarSet,
}

impl Around {
    /// Around the statement with this number.
    fn stmt(&self, stmts: &[Stmt], n: usize) -> Around {
        let mut around = self.clone();
        let declared = stmts[..n].iter().filter_map(|s| s.declared());
        around.declared.extend(declared);
        Stmt::walk_all(&stmts[n + 1..], &mut |s| {
            s.each_named_var(&mut |v| {
                around.named.insert(v);
            });
        });
        around
    }

    /// Whether the value that the variable has behind the statement is not read.
    fn is_over(&self, v: VarId) -> bool {
        self.declared.contains(v) && !self.named.contains(v)
    }
}

fn block(block: &mut Block, around: &Around, plan: &Plan) {
    for n in 0..block.stmts.len() {
        let inside = match &block.stmts[n].kind {
            StmtKind::When(..) => around.stmt(&block.stmts, n),
            StmtKind::Loop(LoopHead::Reversed(..), _) => {
                if let Some(seed) = seed(&block.stmts, n, around, plan) {
                    add_exit(&mut block.stmts[n], seed, plan);
                }
                Around::default()
            }
            _ => Around::default(),
        };
        for inner in block.stmts[n].blocks_mut() {
            self::block(inner, &inside, plan);
        }
    }
}

/// The seed where the loop with this number may end when it is zero.
fn seed(stmts: &[Stmt], n: usize, around: &Around, plan: &Plan) -> Option<VarId> {
    let StmtKind::Loop(_, body) = &stmts[n].kind else {
        return None;
    };
    let (mut found, mut restored, mut inner) = (Vec::new(), Vec::new(), VarSet::default());
    body.walk(&mut |s| {
        found.extend(set_to_zero(s));
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
    let leaves_nothing = || {
        let around = around.stmt(stmts, n);
        restored.iter().all(|v| around.is_over(*v))
    };
    let is_seed = |v: &VarId| !inner.contains(*v) && plan.func.var(*v).ty.is_machine_float();
    let mut seeds = found.into_iter().filter(is_seed);
    seeds.find(|v| ends(*v) && has_own_slots(body, stmts[n].id, plan) && leaves_nothing())
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

fn add_exit(stmt: &mut Stmt, seed: VarId, plan: &Plan) {
    let id = stmt.id;
    if let StmtKind::Loop(_, body) = &mut stmt.kind {
        let seed = Expr::Read(plan.func.place(seed));
        let zero = zero_lit(&seed.ty(&plan.func));
        let is_zero = binary(BinOp::Eq, seed, zero);
        let leave = Block::new(vec![Stmt {
            id,
            kind: StmtKind::Break,
        }]);
        let kind = StmtKind::If(is_zero, leave, Block::default());
        body.stmts.push(Stmt { id, kind });
    }
}
