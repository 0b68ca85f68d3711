//! Calls of visible straight-line functions, replaced by their bodies: `[FLAT]` §7.1.
//!
//! A reference parameter is the place that is lent; any other variable of the callee is a new one.

use std::collections::BTreeMap;

use super::unroll::MOST_STATEMENTS;
use crate::ir::construct::usize_lit;
use crate::ir::{
    Arg, Block, Call, Expr, Func, LoopHead, Mode, Origin, Place, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::passes::activity::Boundary;

/// A function without calls.
#[derive(Clone, PartialEq, Debug)]
pub struct Inlined {
    /// The function, with statement ids of its own.
    pub func: Func,
    /// The statement that each id comes from; none, if it is one of a callee's.
    pub origins: Vec<Option<StmtId>>,
}

/// The function without calls, if all its callees are visible, and it has neither code that only rustc understands nor loops
/// that a condition ends.
pub fn inline(func: &Func, boundary: &Boundary) -> Option<Inlined> {
    let mut pass = Inline {
        func: func.clone(),
        boundary,
        origins: Vec::new(),
    };
    let body = std::mem::take(&mut pass.func.body);
    pass.func.body = pass.block(&body)?;
    Some(Inlined {
        func: pass.func,
        origins: pass.origins,
    })
}

struct Inline<'a> {
    func: Func,
    boundary: &'a Boundary,
    origins: Vec<Option<StmtId>>,
}

impl Inline<'_> {
    fn block(&mut self, block: &Block) -> Option<Block> {
        let mut out = Vec::new();
        for stmt in &block.stmts {
            let origin = Some(stmt.id);
            let kind = match &stmt.kind {
                StmtKind::Call(call) => {
                    self.call(call, &mut out)?;
                    continue;
                }
                StmtKind::Let(..) | StmtKind::Assign(..) | StmtKind::Incr(..) => stmt.kind.clone(),
                StmtKind::If(condition, then, els) => {
                    let [then, els] = [self.block(then)?, self.block(els)?];
                    StmtKind::If(condition.clone(), then, els)
                }
                StmtKind::Loop(head @ LoopHead::Counted(..), body) => {
                    StmtKind::Loop(head.clone(), self.block(body)?)
                }
                _ => return None,
            };
            self.push(origin, kind, &mut out);
        }
        (self.origins.len() <= MOST_STATEMENTS).then(|| Block::new(out))
    }

    fn push(&mut self, origin: Option<StmtId>, kind: StmtKind, out: &mut Vec<Stmt>) {
        let id = StmtId(self.origins.len() as u32);
        self.origins.push(origin);
        out.push(Stmt { id, kind });
    }

    fn call(&mut self, call: &Call, out: &mut Vec<Stmt>) -> Option<()> {
        if self.boundary.inactive.contains(call, &self.func) {
            return None;
        }
        let summary = self.boundary.summary(call, &self.func)?;
        let callee = summary.body.clone()?;
        let mut renamed = Renamed::default();
        for (v, arg) in callee.params.iter().zip(&call.args) {
            match (callee.var(*v).mode, arg) {
                (Mode::Owned, Arg::Value(value)) => {
                    let own = self.copy(&callee, *v, &mut renamed);
                    self.push(None, StmtKind::Let(own, Some(value.clone())), out);
                }
                (Mode::Owned, _) | (_, Arg::Value(_)) => return None,
                (_, Arg::Shared(place) | Arg::Mut(place)) => renamed.lent(*v, place),
            }
        }
        for v in callee.var_ids().filter(|v| !callee.params.contains(v)) {
            self.copy(&callee, v, &mut renamed);
        }
        let ret = callee.ret.map(|v| renamed.place(&callee.place(v)));
        if let Some(ret) = &ret {
            self.push(None, StmtKind::Let(ret.root, None), out);
        }
        for stmt in &callee.body.stmts {
            let stmt = renamed.stmt(stmt)?;
            self.renumbered(stmt, out);
        }
        if let (Some(result), Some(ret)) = (call.result, ret) {
            self.push(None, StmtKind::Let(result, Some(Expr::Read(ret))), out);
        }
        Some(())
    }

    /// A new variable for one of the callee's.
    fn copy(&mut self, callee: &Func, v: VarId, renamed: &mut Renamed) -> VarId {
        let var = callee.var(v);
        let origin = Origin::Temp;
        let own = self
            .func
            .add_var(&var.name, var.ty.clone(), Mode::Owned, origin);
        renamed.lent(v, &self.func.place(own));
        own
    }

    fn renumbered(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        let mut kind = stmt.kind;
        let blocks = match &mut kind {
            StmtKind::If(_, then, els) => vec![then, els],
            StmtKind::Loop(_, body) => vec![body],
            _ => Vec::new(),
        };
        for block in blocks {
            let mut inner = Vec::new();
            for stmt in std::mem::take(&mut block.stmts) {
                self.renumbered(stmt, &mut inner);
            }
            block.stmts = inner;
        }
        self.push(None, kind, out);
    }
}

/// The places that the variables of a callee are.
#[derive(Default)]
struct Renamed {
    places: BTreeMap<VarId, Place>,
}

impl Renamed {
    fn lent(&mut self, v: VarId, place: &Place) {
        self.places.insert(v, place.clone());
    }

    fn var(&self, v: VarId) -> VarId {
        self.places.get(&v).map_or(v, |place| place.root)
    }

    fn place(&self, place: &Place) -> Place {
        let mut own = place.clone();
        own.operands_mut().into_iter().for_each(|e| self.expr(e));
        match self.places.get(&place.root) {
            Some(lent) if own.proj.is_empty() => lent.clone(),
            Some(lent) => Place {
                root: lent.root,
                proj: [&lent.proj[..], &own.proj[..]].concat(),
                ty: own.ty,
            },
            None => own,
        }
    }

    fn expr(&self, e: &mut Expr) {
        match e {
            Expr::Read(p) | Expr::Len(p) => *p = self.place(p),
            e => e.children_mut().into_iter().for_each(|e| self.expr(e)),
        }
    }

    /// The statement; none, if it has code whose variables can't be renamed.
    fn stmt(&self, stmt: &Stmt) -> Option<Stmt> {
        let mut stmt = stmt.clone();
        stmt.operands_mut().into_iter().for_each(literal_counts);
        let mut has_code = false;
        stmt.walk_exprs(&mut |e| has_code |= matches!(e, Expr::Code(..) | Expr::Is(..)));
        if has_code {
            return None;
        }
        let value = |e: &Expr| {
            let mut e = e.clone();
            self.expr(&mut e);
            e
        };
        let kind = match &stmt.kind {
            StmtKind::Let(v, e) => StmtKind::Let(self.var(*v), e.as_ref().map(value)),
            StmtKind::Assign(p, e) => StmtKind::Assign(self.place(p), value(e)),
            StmtKind::Incr(p, e) => StmtKind::Incr(self.place(p), value(e)),
            StmtKind::If(condition, then, els) => {
                StmtKind::If(value(condition), self.block(then)?, self.block(els)?)
            }
            StmtKind::Loop(LoopHead::Counted(v, range), body) => {
                let mut range = range.clone();
                range.operands_mut().into_iter().for_each(|e| self.expr(e));
                let head = LoopHead::Counted(self.var(*v), range);
                StmtKind::Loop(head, self.block(body)?)
            }
            StmtKind::Break => StmtKind::Break,
            _ => return None,
        };
        Some(Stmt { id: stmt.id, kind })
    }

    fn block(&self, block: &Block) -> Option<Block> {
        let stmts: Option<Vec<Stmt>> = block.stmts.iter().map(|s| self.stmt(s)).collect();
        stmts.map(Block::new)
    }
}

/// Gives arrays of a literal length that length, which may be code.
fn literal_counts(e: &mut Expr) {
    if let Expr::Repeat(_, count, Ty::Array(_, length)) = e
        && let Ok(length) = length.parse()
    {
        **count = usize_lit(length);
    }
    e.children_mut().into_iter().for_each(literal_counts);
}
