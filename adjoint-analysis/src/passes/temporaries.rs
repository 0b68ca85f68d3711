//! Names for expensive intermediate results.
//!
//! [TBR] §6 speaks of the "canonicalization of the input code": a result such as `exp(..)` inside an
//! expression becomes a variable of its own, so that to-be-recorded analysis decides for it as for
//! any other variable. Cheap operations stay in the tree; the reverse sweep evaluates them again.
//!
//! Real arguments of calls get a variable too, so that the increment that the callee returns has
//! somewhere to go.

use super::cost::is_expensive;
use crate::ir::{Arg, Block, Expr, Func, Mode, Origin, Place, Stmt, StmtId, StmtKind, Ty, VarId};

/// The function with the temporaries, and for each statement id the one it comes from.
pub fn introduce(func: &Func, statements: usize) -> (Func, Vec<StmtId>) {
    let mut pass = Temporaries {
        func: func.clone(),
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
    /// Declarations to go before the statement at hand.
    prelude: Vec<Stmt>,
}

impl Temporaries {
    fn block(&mut self, block: &mut Block) {
        let stmts = std::mem::take(&mut block.stmts);
        for mut stmt in stmts {
            let origin = stmt.id;
            match &mut stmt.kind {
                StmtKind::Let(v, Some(e)) if self.func.var(*v).ty.carries_floats() => {
                    self.operands(e, origin);
                }
                StmtKind::Assign(p, e) if p.ty.carries_floats() => self.operands(e, origin),
                StmtKind::Incr(_, e) => self.split(e, origin),
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
        if !ty.carries_floats() || matches!(e, Expr::Lit(..) | Expr::Code(..)) {
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
            _ => "argument",
        };
        let var = self.func.add_var(name, ty.clone(), Mode::Owned, Origin::Temp);
        let value = std::mem::replace(e, Expr::Read(Place::var(var, ty)));
        self.origins.push(origin);
        let id = StmtId(self.origins.len() as u32 - 1);
        self.prelude.push(Stmt { id, kind: StmtKind::Let(var, Some(value)) });
    }
}
