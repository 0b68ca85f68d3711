//! Copies: second names of one value.
//!
//! **Problem.** What an iterator adapter or a method makes is a variable, and `let` gives it another one, as an index has
//! one name in a loop's head and one as the parameter of a closure. Each name of an array costs a copy of it, an adjoint, and
//! a record; behind a second name of an index, a loop isn't recognised as one that sets each element.
//!
//! - `let d = u`, of an array that is declared in the same block and named by nothing behind, is `u` itself, unless a loop
//!   overwrites `d`: each iteration would have to record what adjoints of statements before the copy need of `u`.
//! - `let j = i`, of integers or truth values that nothing changes, is `i` itself.
//! - `let at = 3`, of a temporary that nothing changes, is `3`.
//!
//! The name that stays is the user's.

use crate::ir::{Block, Expr, Func, Origin, Stmt, StmtKind, Ty, VarId};
use crate::passes::sets::set::VarSet;

/// The function with one variable for each such value.
pub fn coalesce(mut func: Func) -> Func {
    let mut fixed: VarSet = func.var_ids().collect();
    func.body.walk(&mut |s| {
        for place in s.written() {
            fixed.remove(place.root);
        }
    });
    let mut body = std::mem::take(&mut func.body);
    let mut pass = Copies { func, fixed };
    pass.block(&mut body);
    pass.func.body = body;
    pass.func
}

struct Copies {
    func: Func,
    /// The variables that nothing writes but their declaration.
    fixed: VarSet,
}

impl Copies {
    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            for inner in block.stmts[at].blocks_mut() {
                self.block(inner);
            }
            match copy(&block.stmts[at]) {
                Some((copy, of))
                    if self.is_same_value(copy, of) || self.ends_with_copy(block, at, of, copy) =>
                {
                    self.keep_users_name(of, copy);
                    block.stmts.remove(at);
                    replace(&mut block.stmts[at..], copy, of);
                    if !self.fixed.contains(copy) {
                        self.fixed.remove(of);
                    }
                }
                _ => match self.literal(block, at) {
                    Some((v, literal)) => {
                        block.stmts.remove(at);
                        replace_reads(&mut block.stmts[at..], v, &literal);
                    }
                    None => at += 1,
                },
            }
        }
    }

    /// The integer that a statement of the block declares as a temporary, if that is a literal. The user's code takes places.
    fn literal(&self, block: &Block, at: usize) -> Option<(VarId, Expr)> {
        let StmtKind::Let(v, Some(value @ Expr::Lit(_, Ty::Int(_)))) = &block.stmts[at].kind else {
            return None;
        };
        let var = self.func.var(*v);
        let is_fixed = self.fixed.contains(*v) && self.is_variable(*v);
        let is_temporary = var.origin == Origin::Temp && matches!(var.ty, Ty::Int(_));
        let behind = &block.stmts[at + 1..];
        let is_replaced = || reads(behind, *v) == Stmt::mentions(behind, *v);
        (is_fixed && is_temporary && is_replaced()).then(|| (*v, value.clone()))
    }

    fn is_same_value(&self, copy: VarId, of: VarId) -> bool {
        let is_discrete = matches!(self.func.var(of).ty, Ty::Int(_) | Ty::Bool);
        is_discrete
            && self.is_variable(copy)
            && self.func.var(copy).ty == self.func.var(of).ty
            && self.func.var(of).origin != Origin::Label
            && self.fixed.contains(copy)
            && self.fixed.contains(of)
    }

    /// Whether the variable is declared in the block before the copy, and nothing names it after that.
    fn ends_with_copy(&self, block: &Block, at: usize, of: VarId, copy: VarId) -> bool {
        let ty = &self.func.var(of).ty;
        let is_list = matches!(ty, Ty::Vec(_) | Ty::Array(..) | Ty::Boxed(_)) && ty.is_known();
        let mut before = block.stmts[..at].iter();
        is_list
            && [copy, of].into_iter().all(|v| self.is_variable(v))
            && self.func.var(copy).ty == *ty
            && before.any(|s| s.declared() == Some(of))
            && Stmt::mentions(&block.stmts[at + 1..], of) == 0
            && !loops_write(&block.stmts[at + 1..], copy)
    }

    /// Whether it is an own variable, which no option of a loop reads.
    fn is_variable(&self, v: VarId) -> bool {
        let is_own = matches!(self.func.var(v).origin, Origin::Local | Origin::Temp);
        is_own && self.func.checkpoints.is_empty()
    }

    /// The variable that stays takes the copy's name if it has none of the user's.
    fn keep_users_name(&mut self, stays: VarId, copy: VarId) {
        let [stays, copy] = [stays, copy].map(VarId::index);
        if self.func.vars[copy].origin != Origin::Local {
            return;
        }
        let unnamed = matches!(self.func.vars[stays].origin, Origin::Temp | Origin::Index);
        if !unnamed {
            return;
        }
        let name = std::mem::take(&mut self.func.vars[copy].name);
        let other = std::mem::replace(&mut self.func.vars[stays].name, name);
        self.func.vars[copy].name = other;
        if self.func.vars[stays].origin == Origin::Temp {
            self.func.vars[stays].origin = Origin::Local;
        }
    }
}

/// The variable that the statement declares as a copy, and of which one.
fn copy(stmt: &Stmt) -> Option<(VarId, VarId)> {
    match &stmt.kind {
        StmtKind::Let(v, Some(Expr::Read(p))) if p.is_whole() => Some((*v, p.root)),
        _ => None,
    }
}

/// Whether a loop among the statements, or inside one, writes the variable.
fn loops_write(stmts: &[Stmt], v: VarId) -> bool {
    let mut found = false;
    Stmt::walk_all(stmts, &mut |s| {
        if let StmtKind::Loop(_, body) = &s.kind {
            body.walk(&mut |s| found |= s.written().iter().any(|p| p.root == v));
        }
    });
    found
}

/// Puts one variable in the place of another.
fn replace(stmts: &mut [Stmt], v: VarId, by: VarId) {
    for stmt in stmts {
        for place in stmt.own_places_mut() {
            if place.root == v {
                place.root = by;
            }
        }
        for e in stmt.operands_mut() {
            replace_in(e, v, by);
        }
        for inner in stmt.blocks_mut() {
            replace(&mut inner.stmts, v, by);
        }
    }
}

/// How often expressions in the statements read the variable as a whole.
fn reads(stmts: &[Stmt], v: VarId) -> usize {
    let mut count = 0;
    Stmt::walk_all(stmts, &mut |s| {
        s.walk_exprs(&mut |e| {
            let is_read = matches!(e, Expr::Read(p) if p.is_whole() && p.root == v);
            count += usize::from(is_read);
        });
    });
    count
}

/// Puts an expression in the place of a variable that is only read.
fn replace_reads(stmts: &mut [Stmt], v: VarId, by: &Expr) {
    for stmt in stmts {
        for e in stmt.operands_mut() {
            e.replace_reads(v, by);
        }
        for inner in stmt.blocks_mut() {
            replace_reads(&mut inner.stmts, v, by);
        }
    }
}

fn replace_in(e: &mut Expr, v: VarId, by: VarId) {
    for place in e.own_places_mut() {
        if place.root == v {
            place.root = by;
        }
    }
    for child in e.children_mut() {
        replace_in(child, v, by);
    }
}
