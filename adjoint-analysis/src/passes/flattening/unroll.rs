//! Unrolled code: loops with constant bounds, one iteration after another, so that a run goes through them.
//!
//! Integers that are constant in an iteration are literals there, and branches on them are decided. What an iteration
//! declares is a variable of its own, so nothing is overwritten but what the loop overwrites.

use std::collections::{BTreeMap, BTreeSet};

use super::substitution::Substitution;
use crate::ir::construct::{derived, usize_lit};
use crate::ir::peeled::{boolean, truth};
use crate::ir::{
    BinOp, Block, Expr, Func, IntTy, LoopHead, Range, Rev, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::passes::control::trips::leaves;
use crate::passes::sets::set::VarSet;

/// Which loops are unrolled.
#[derive(Clone, Copy)]
pub struct Limits {
    /// At most so many iterations.
    pub iterations: usize,
    /// At most so many statements that a loop becomes, those of loops in it included.
    pub statements: usize,
}

/// The function without the loops of assignments that have constant bounds and few iterations; `origins` maps each
/// statement id to the user's statement. First iterations have the loop's variables and ids.
pub fn unroll(func: Func, origins: &mut Vec<StmtId>, limits: Limits) -> Func {
    let mut assigned = VarSet::default();
    func.body
        .walk(&mut |s| assigned.extend(s.written().iter().map(|p| p.root)));
    let body = func.body.clone();
    let mut pass = Unroll {
        func,
        limits,
        assigned,
        state: State::default(),
        origins,
    };
    let mut stmts = Vec::new();
    pass.block(&body, &mut stmts);
    pass.func.body = Block::new(stmts);
    pass.func
}

/// What is known where the walk is.
#[derive(Clone, Default)]
struct State {
    /// The integers that are constant.
    constants: BTreeMap<VarId, Expr>,
    /// The current iteration; none outside of unrolled loops.
    iteration: Option<usize>,
    /// Its variables.
    renamed: Substitution,
    /// The statements and variables that earlier iterations have.
    used: (BTreeSet<StmtId>, VarSet),
}

struct Unroll<'a> {
    func: Func,
    limits: Limits,
    /// The variables that are assigned.
    assigned: VarSet,
    state: State,
    origins: &'a mut Vec<StmtId>,
}

impl Unroll<'_> {
    fn block(&mut self, block: &Block, out: &mut Vec<Stmt>) {
        block.stmts.iter().for_each(|s| self.stmt(s, out));
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        match &stmt.kind {
            StmtKind::Loop(LoopHead::Counted(v, range), body) => {
                if let Some(stmts) = self.unrolled(stmt.id, *v, range, body) {
                    return out.extend(stmts);
                }
            }
            StmtKind::If(condition, then, els) if self.state.iteration.is_some() => {
                let condition = self.folded(condition);
                if let Some(is_taken) = truth(&condition) {
                    return self.block(if is_taken { then } else { els }, out);
                }
            }
            _ => {}
        }
        self.copy(stmt, out);
    }

    /// The iterations of a loop, if they are few, and consist of assignments.
    fn unrolled(&mut self, id: StmtId, v: VarId, range: &Range, body: &Block) -> Option<Vec<Stmt>> {
        let is_checkpointed = self.func.checkpoints.contains_key(&id);
        let values = self
            .values(range)
            .filter(|_| !is_checkpointed && !leaves(body))?;
        let before = (self.state.clone(), self.origins.len(), self.func.vars.len());
        let mut out = Vec::new();
        for (iteration, k) in values.into_iter().enumerate() {
            let mut stmts = Vec::new();
            self.state.iteration = Some(iteration);
            let index = self.declared(v);
            self.state.constants.insert(v, usize_lit(k));
            self.block(body, &mut stmts);
            // The user's code takes places.
            if Stmt::mentions(&stmts, index) > 0 {
                let kind = StmtKind::Let(index, Some(usize_lit(k)));
                stmts.insert(0, self.fresh(id, kind));
            }
            out.append(&mut stmts);
            if !are_assignments(&out) || size(&out) > self.limits.statements {
                let (state, statements, variables) = before;
                self.state = state;
                self.origins.truncate(statements);
                self.func.vars.truncate(variables);
                return None;
            }
        }
        self.state.iteration = before.0.iteration;
        Some(out)
    }

    /// The statement in the current iteration.
    fn copy(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        if let StmtKind::Let(v, value) = &stmt.kind {
            let constant = value.as_ref().map(|value| self.folded(value));
            let constant = constant.filter(|e| integer(e).is_some() && !self.assigned.contains(*v));
            match constant {
                Some(constant) => _ = self.state.constants.insert(*v, constant),
                None => _ = self.state.constants.remove(v),
            }
        }
        let mut own = Stmt {
            id: stmt.id,
            kind: match &stmt.kind {
                StmtKind::If(condition, ..) => {
                    StmtKind::If(condition.clone(), Block::default(), Block::default())
                }
                StmtKind::Loop(head, _) => StmtKind::Loop(head.clone(), Block::default()),
                kind => kind.clone(),
            },
        };
        // A declaration does not see its own variable.
        if self.state.iteration.is_some() {
            own.operands_mut().into_iter().for_each(|e| self.fold(e));
        }
        stmt.declared().iter().for_each(|v| _ = self.declared(*v));
        if let StmtKind::Loop(head, _) = &stmt.kind {
            head.index().iter().for_each(|v| _ = self.declared(*v));
        }
        let mut own = self.state.renamed.stmt(&own);
        for (own, inner) in own.blocks_mut().into_iter().zip(stmt.blocks()) {
            self.block(inner, &mut own.stmts);
        }
        out.push(self.fresh(stmt.id, own.kind));
    }

    /// The variable that an iteration declares: a new one after the first iteration.
    fn declared(&mut self, v: VarId) -> VarId {
        if self.state.used.1.insert(v) {
            self.state.renamed.remove(v);
            return v;
        }
        let var = self.func.var(v).clone();
        // Emitted code declares variables with numbers of their own.
        let iteration = self.state.iteration.unwrap_or_default();
        let name = format!("{}_in_{iteration}", var.name);
        let own = self.func.add_var(&name, var.ty, var.mode, var.origin);
        self.state.renamed.insert(v, &self.func.place(own));
        own
    }

    fn fresh(&mut self, id: StmtId, kind: StmtKind) -> Stmt {
        match self.state.used.0.insert(id) {
            true => Stmt { id, kind },
            false => derived(self.origins, id, kind),
        }
    }

    /// The values of an index, in order.
    fn values(&self, range: &Range) -> Option<Vec<usize>> {
        if range.ty != Ty::USIZE || range.step.is_some() {
            return None;
        }
        let [lo, hi] = [&range.lo, &range.hi].map(|e| integer(&self.folded(e)));
        let (lo, hi) = (usize::try_from(lo?).ok()?, usize::try_from(hi?).ok()?);
        let hi = hi.checked_add(usize::from(range.inclusive))?;
        if hi.saturating_sub(lo) > self.limits.iterations {
            return None;
        }
        let up = lo..hi;
        Some(match range.rev {
            Rev::No => up.collect(),
            _ => up.rev().collect(),
        })
    }

    fn folded(&self, e: &Expr) -> Expr {
        let mut e = e.clone();
        self.fold(&mut e);
        e
    }

    fn fold(&self, e: &mut Expr) {
        e.children_mut().into_iter().for_each(|e| self.fold(e));
        let folded = match e {
            Expr::Read(p) if p.is_whole() => self.state.constants.get(&p.root).cloned(),
            Expr::Binary(op, a, b) => operation(*op, a, b),
            Expr::Discrete(name, args, _) => method(name, args),
            _ => None,
        };
        if let Some(folded) = folded {
            *e = folded;
        }
    }
}

/// Whether nothing but assignments is there, in branches too, and no code that reads reals.
fn are_assignments(stmts: &[Stmt]) -> bool {
    let mut all = true;
    Stmt::walk_all(stmts, &mut |s| {
        all &= matches!(
            s.kind,
            StmtKind::Let(..)
                | StmtKind::Assign(..)
                | StmtKind::Incr(..)
                | StmtKind::Swap(..)
                | StmtKind::If(..)
        );
        s.walk_exprs(&mut |e| {
            if let Expr::Code(_, reads, _) = e {
                all &= !reads.iter().any(|p| p.ty.carries_floats());
            }
        });
    });
    all
}

fn size(stmts: &[Stmt]) -> usize {
    let mut size = 0;
    Stmt::walk_all(stmts, &mut |_| size += 1);
    size
}
fn integer(e: &Expr) -> Option<i128> {
    match e {
        // A literal without a type of its own has it from what it is used with.
        Expr::Lit(text, Ty::Int(int)) if *int != IntTy::Infer => text.parse().ok(),
        _ => None,
    }
}

/// The value of an operation on literals, if it is one that can't overflow its type.
fn operation(op: BinOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let (x, y) = (integer(a)?, integer(b)?);
    let truth = |value: bool| Some(boolean(value));
    let value = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x.checked_mul(y)?,
        BinOp::Div if y > 0 => x / y,
        BinOp::Rem if y > 0 => x % y,
        BinOp::Eq => return truth(x == y),
        BinOp::Ne => return truth(x != y),
        BinOp::Lt => return truth(x < y),
        BinOp::Le => return truth(x <= y),
        BinOp::Gt => return truth(x > y),
        BinOp::Ge => return truth(x >= y),
        _ => return None,
    };
    let Expr::Lit(_, ty) = a else { return None };
    let most = match *ty == Ty::USIZE {
        true => i128::from(u16::MAX),
        // What every integer type holds.
        false => 127,
    };
    let literal = || Expr::Lit(value.to_string(), ty.clone());
    (0..=most).contains(&value).then(literal)
}

/// The value of a method of literals, as they are in the numbers of iterations of `zip` and `skip`.
fn method(name: &str, args: &[Expr]) -> Option<Expr> {
    let [a, b] = args else { return None };
    let (x, y) = (integer(a)?, integer(b)?);
    match name {
        "min" if y < x => Some(b.clone()),
        "min" => Some(a.clone()),
        "max" if y > x => Some(b.clone()),
        "max" => Some(a.clone()),
        "saturating_sub" if y <= x => operation(BinOp::Sub, a, b),
        _ => None,
    }
}
