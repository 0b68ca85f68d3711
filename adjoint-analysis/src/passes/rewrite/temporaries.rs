//! Names for expensive intermediate results.
//!
//! `[TBR]` §6 speaks of the "canonicalization of the input code": a result such as `exp(..)` inside
//! an expression becomes a variable of its own, so that to-be-recorded analysis decides for it as for
//! any other variable. Cheap operations stay in the tree; the reverse sweep evaluates them again.
//!
//! An index that reads a variable which its statement overwrites, and a loop bound that the body changes, become
//! variables too: the reverse sweep has to find the same place, and the same number of iterations.
//!
//! So do real arguments of calls, to have an adjoint for the increment that the callee returns.

use crate::ir::{
    Arg, Block, Expr, Func, LoopHead, Mode, Origin, Place, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::passes::tbr::cost::{is_constant, is_expensive};

/// The function with the temporaries, and for each statement id the one it comes from.
pub fn introduce(func: Func, statements: usize) -> (Func, Vec<StmtId>) {
    let mut pass = Temporaries {
        func,
        origins: (0..statements as u32).map(StmtId).collect(),
        prelude: Vec::new(),
    };
    let mut body = std::mem::take(&mut pass.func.body);
    pass.block(&mut body);
    pass.func.body = body;
    (pass.func, pass.origins)
}

struct Temporaries {
    func: Func,
    origins: Vec<StmtId>,
    /// Declarations to insert before the current statement.
    prelude: Vec<Stmt>,
}

impl Temporaries {
    fn block(&mut self, block: &mut Block) {
        let stmts = std::mem::take(&mut block.stmts);
        for mut stmt in stmts {
            let origin = stmt.id;
            self.hoist_indices(&mut stmt);
            match &mut stmt.kind {
                StmtKind::Let(v, Some(e)) if self.func.var(*v).ty.carries_floats() => {
                    self.operands(e, origin);
                }
                StmtKind::Assign(p, e) if p.ty.carries_floats() => self.operands(e, origin),
                StmtKind::Incr(_, e) | StmtKind::Insert(_, _, e) => self.split(e, origin),
                StmtKind::Remove(v @ None, p, _) => *v = self.removed_var(p),
                StmtKind::Call(call) => {
                    for arg in &mut call.args {
                        if let Arg::Value(e) = arg {
                            self.argument(e, origin);
                        }
                    }
                }
                _ => {}
            }
            block.stmts.append(&mut self.prelude);
            for inner in stmt.blocks_mut() {
                self.block(inner);
            }
            block.stmts.push(stmt);
        }
    }

    /// An element removed from a `Vec` may have to be inserted again.
    fn removed_var(&mut self, place: &Place) -> Option<VarId> {
        let ty = place.known_ty(&self.func).element().cloned();
        let ty = ty.unwrap_or(Ty::Unknown);
        Some(self.func.add_var("taken", ty, Mode::Owned, Origin::Temp))
    }

    /// Evaluates indices and bounds before a statement that changes their operands.
    fn hoist_indices(&mut self, stmt: &mut Stmt) {
        let origin = stmt.id;
        let mut written: Vec<VarId> = stmt.written().iter().map(|p| p.root).collect();
        for inner in stmt.blocks() {
            inner.walk(&mut |s| written.extend(s.written().iter().map(|p| p.root)));
        }
        let changed = |e: &Expr| {
            let mut hit = false;
            e.walk(&mut |e| hit |= e.own_places().iter().any(|p| written.contains(&p.root)));
            hit
        };
        let mut taken: Vec<&mut Expr> = match &mut stmt.kind {
            StmtKind::Loop(LoopHead::Counted(_, range), _) => range.operands_mut(),
            StmtKind::Loop(..) | StmtKind::If(..) => Vec::new(),
            // The callee's reverse sweep gets the same by-value arguments.
            StmtKind::Call(call) => call.args.iter_mut().flat_map(Arg::operands_mut).collect(),
            StmtKind::Insert(p, at, _) | StmtKind::Remove(_, p, at) => {
                p.operands_mut().into_iter().chain(at).collect()
            }
            _ => stmt
                .own_places_mut()
                .into_iter()
                .flat_map(|p| p.operands_mut())
                .collect(),
        };
        taken.retain(|e| changed(e));
        for e in taken {
            self.name(e, origin);
        }
    }

    /// Names the expensive results below the root of the expression.
    fn operands(&mut self, e: &mut Expr, origin: StmtId) {
        match e {
            Expr::Read(_) | Expr::Len(_) | Expr::Code(..) | Expr::Lit(..) | Expr::Discrete(..) => {}
            Expr::Cast(inner, _) if !inner.ty(&self.func).is_float() => {}
            Expr::Repeat(value, _, _) => self.split(value, origin),
            _ => {
                for child in e.children_mut() {
                    self.split(child, origin);
                }
            }
        }
    }

    /// Names the expensive results in the expression, its root included.
    fn split(&mut self, e: &mut Expr, origin: StmtId) {
        self.operands(e, origin);
        if is_expensive(e, &self.func) && e.reads().iter().any(|v| self.is_real(*v)) {
            self.name(e, origin);
        }
    }

    /// A real argument by value is a variable or a literal.
    fn argument(&mut self, e: &mut Expr, origin: StmtId) {
        let ty = e.ty(&self.func);
        let constant = is_constant(e) && !matches!(e, Expr::Aggregate(..));
        if !ty.carries_floats() || constant || matches!(e, Expr::Code(..)) {
            return;
        }
        self.operands(e, origin);
        if !matches!(e, Expr::Read(_)) {
            self.name(e, origin);
        }
    }

    fn is_real(&self, v: VarId) -> bool {
        self.func.var(v).ty.carries_floats()
    }

    fn name(&mut self, e: &mut Expr, origin: StmtId) {
        let ty: Ty = e.ty(&self.func);
        let name = match e {
            Expr::Intrinsic(op, _) => op.name(),
            Expr::Binary(..) => "quotient",
            _ if ty.is_float() => "argument",
            _ => "at",
        };
        let var = self
            .func
            .add_var(name, ty.clone(), Mode::Owned, Origin::Temp);
        let value = std::mem::replace(e, Expr::Read(Place::var(var, ty)));
        self.origins.push(origin);
        let id = StmtId(self.origins.len() as u32 - 1);
        self.prelude.push(Stmt {
            id,
            kind: StmtKind::Let(var, Some(value)),
        });
    }
}
