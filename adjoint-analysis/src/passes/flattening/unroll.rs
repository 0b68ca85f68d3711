//! Unrolled code: loops with constant bounds, one iteration after another, so that a run goes through them.
//!
//! Integers that are constant in an iteration are literals there, and branches on them are decided.

use std::collections::BTreeMap;

use crate::ir::construct::usize_lit;
use crate::ir::{
    BinOp, Block, Expr, Func, LoopHead, Range, Rev, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::passes::control::trips::leaves;
use crate::passes::sets::set::VarSet;

/// Code of more statements is neither inlined nor unrolled.
pub(super) const MOST_STATEMENTS: usize = 600;

/// A body without loops.
pub struct Unrolled {
    /// The statements, with ids of their own.
    pub body: Block,
    /// The statement that each id comes from.
    pub origins: Vec<StmtId>,
}

/// The body of a function without its loops, if they all have constant bounds and few iterations.
pub fn unroll(func: &Func) -> Option<Unrolled> {
    let mut assigned = VarSet::default();
    func.body
        .walk(&mut |s| assigned.extend(s.written().iter().map(|p| p.root)));
    let mut pass = Unroll {
        func,
        declared: VarSet::default(),
        assigned,
        constants: BTreeMap::new(),
        origins: Vec::new(),
    };
    let body = pass.block(&func.body)?;
    Some(Unrolled {
        body,
        origins: pass.origins,
    })
}

struct Unroll<'a> {
    func: &'a Func,
    /// The variables in scope that were declared.
    declared: VarSet,
    /// The variables that are assigned.
    assigned: VarSet,
    /// The integers that are constant where the walk is.
    constants: BTreeMap<VarId, Expr>,
    origins: Vec<StmtId>,
}

impl Unroll<'_> {
    fn block(&mut self, block: &Block) -> Option<Block> {
        let (mut out, outer) = (Vec::new(), self.declared.clone());
        let mut stmts = block.stmts.iter();
        stmts.try_for_each(|s| self.stmt(s, &mut out))?;
        self.declared = outer;
        Some(Block::new(out))
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) -> Option<()> {
        match &stmt.kind {
            StmtKind::Loop(LoopHead::Counted(v, range), body) if !leaves(body) => {
                for k in self.values(range)? {
                    let value = usize_lit(k);
                    self.push(stmt.id, StmtKind::Let(*v, Some(value.clone())), out)?;
                    self.constants.insert(*v, value);
                    body.stmts.iter().try_for_each(|s| self.stmt(s, out))?;
                }
                Some(())
            }
            StmtKind::Loop(..) => None,
            StmtKind::If(condition, then, els) => {
                let condition = self.folded(condition);
                if let Some(taken) = truth(&condition) {
                    let arm = if taken { then } else { els };
                    return arm.stmts.iter().try_for_each(|s| self.stmt(s, out));
                }
                let (then, els) = (self.block(then)?, self.block(els)?);
                self.push(stmt.id, StmtKind::If(condition, then, els), out)
            }
            _ => {
                let mut own = stmt.clone();
                own.operands_mut().into_iter().for_each(|e| self.fold(e));
                match &own.kind {
                    StmtKind::Let(v, Some(value))
                        if integer(value).is_some() && !self.assigned.contains(*v) =>
                    {
                        self.constants.insert(*v, value.clone());
                    }
                    // It may have been one in the iteration before.
                    StmtKind::Let(v, _) => _ = self.constants.remove(v),
                    _ => {}
                }
                self.push(stmt.id, own.kind, out)
            }
        }
    }

    /// Adds a statement. What was declared in the iteration before is assigned.
    fn push(&mut self, origin: StmtId, kind: StmtKind, out: &mut Vec<Stmt>) -> Option<()> {
        let kind = match kind {
            StmtKind::Let(v, value) if self.declared.contains(v) => match value {
                Some(value) => StmtKind::Assign(self.func.place(v), value),
                None => return Some(()),
            },
            kind => kind,
        };
        if let StmtKind::Let(v, _) = &kind {
            self.declared.insert(*v);
        }
        let id = StmtId(self.origins.len() as u32);
        self.origins.push(origin);
        out.push(Stmt { id, kind });
        (self.origins.len() <= MOST_STATEMENTS).then_some(())
    }

    /// The values of an index, in order.
    fn values(&self, range: &Range) -> Option<Vec<usize>> {
        if range.ty != Ty::USIZE || range.step.is_some() {
            return None;
        }
        let [lo, hi] = [&range.lo, &range.hi].map(|e| integer(&self.folded(e)));
        let (lo, hi) = (usize::try_from(lo?).ok()?, usize::try_from(hi?).ok()?);
        let hi = hi.checked_add(usize::from(range.inclusive))?;
        if hi.saturating_sub(lo) > MOST_STATEMENTS {
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
            Expr::Read(p) if p.is_whole() => self.constants.get(&p.root).cloned(),
            Expr::Binary(op, a, b) => operation(*op, a, b),
            Expr::Discrete(name, args, _) => method(name, args),
            _ => None,
        };
        if let Some(folded) = folded {
            *e = folded;
        }
    }
}

fn integer(e: &Expr) -> Option<i128> {
    match e {
        Expr::Lit(text, Ty::Int(_)) => text.parse().ok(),
        _ => None,
    }
}

fn truth(e: &Expr) -> Option<bool> {
    match e {
        Expr::Lit(text, Ty::Bool) => text.parse().ok(),
        _ => None,
    }
}

/// The value of an operation on literals, if it is one that can't overflow its type.
fn operation(op: BinOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let (x, y) = (integer(a)?, integer(b)?);
    let truth = |value: bool| Some(Expr::Lit(value.to_string(), Ty::Bool));
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
