//! Whether a function is one that Rust would accept, as far as changes made by [`super::shrink()`]
//! can spoil it: scopes, definite assignment, what may be written, where `break` stands. A variable must not have a value
//! on some paths alone, as lowering leaves none such.

use std::collections::BTreeSet;

use crate::ir::{Arg, Block, Expr, Func, LoopHead, Mode, Origin, Place, Stmt, StmtKind, VarId};

/// The first rule that the function breaks.
pub fn check(func: &Func) -> Result<(), String> {
    let params: BTreeSet<VarId> = func.params.iter().copied().collect();
    let mut state = State {
        func,
        alive: params.clone(),
        assigned: params,
    };
    state.alive.extend(func.ret);
    state.block(&func.body, false)?;
    match func.ret {
        Some(ret) if !state.assigned.contains(&ret) => Err("the result is not assigned".into()),
        _ => Ok(()),
    }
}

#[derive(Clone)]
struct State<'a> {
    func: &'a Func,
    alive: BTreeSet<VarId>,
    assigned: BTreeSet<VarId>,
}

impl State<'_> {
    /// `in_loop` says that a `break` at the end leaves a loop. Returns whether one is there.
    fn block(&mut self, block: &Block, in_loop: bool) -> Result<bool, String> {
        let outer = self.alive.clone();
        let mut broken = false;
        for (i, stmt) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            broken = self.stmt(stmt, in_loop && last)?;
        }
        self.assigned.retain(|v| outer.contains(v));
        self.alive = outer;
        Ok(broken)
    }

    fn stmt(&mut self, stmt: &Stmt, tail: bool) -> Result<bool, String> {
        for e in stmt.operands() {
            self.operand(e)?;
        }
        match &stmt.kind {
            StmtKind::Let(var, init) => self.declare(*var, init.is_some())?,
            StmtKind::Assign(place, _) => self.write(place, place.is_whole())?,
            StmtKind::Incr(place, _) => self.write(place, false)?,
            StmtKind::Swap(a, b) => {
                self.write(a, false)?;
                self.write(b, false)?;
            }
            StmtKind::Insert(place, ..) => self.write(place, false)?,
            StmtKind::Remove(var, place, _) => {
                self.write(place, false)?;
                var.map_or(Ok(()), |var| self.declare(var, true))?;
            }
            StmtKind::Call(call) => {
                for arg in &call.args {
                    match arg {
                        Arg::Value(_) => {}
                        Arg::Shared(place) => self.read(place)?,
                        Arg::Mut(place) => self.write(place, false)?,
                    }
                }
                call.result.map_or(Ok(()), |var| self.declare(var, true))?;
            }
            StmtKind::If(_, yes, no) => return self.branch(yes, no, tail),
            StmtKind::Loop(head, body) => {
                let mut inner = self.clone();
                if let LoopHead::Counted(index, _) = head {
                    inner.declare(*index, true)?;
                }
                inner.block(body, true)?;
                self.given_on_some_path(body)?;
            }
            StmtKind::Break if tail => return Ok(true),
            other => return Err(format!("{other:?} does not belong here")),
        }
        Ok(false)
    }

    fn branch(&mut self, yes: &Block, no: &Block, tail: bool) -> Result<bool, String> {
        let mut other = self.clone();
        let (left, left_too) = (self.block(yes, tail)?, other.block(no, tail)?);
        match (left, left_too) {
            (true, _) => self.assigned = other.assigned,
            (false, true) => {}
            (false, false) => {
                let mut one_sided = self.assigned.symmetric_difference(&other.assigned);
                if let Some(v) = one_sided.next() {
                    return Err(self.may_lack_value(*v));
                }
            }
        }
        Ok(left && left_too)
    }

    /// Refuses a loop that gives its first value to a variable from outside.
    fn given_on_some_path(&self, body: &Block) -> Result<(), String> {
        let mut given = None;
        body.walk(&mut |s| {
            let whole = s.written().into_iter().filter(|p| p.is_whole());
            let mut first = whole
                .map(|p| p.root)
                .filter(|v| self.alive.contains(v) && !self.assigned.contains(v));
            given = given.or(first.next());
        });
        given.map_or(Ok(()), |v| Err(self.may_lack_value(v)))
    }

    /// Lowering gives such a variable a value where it is declared.
    fn may_lack_value(&self, v: VarId) -> String {
        format!("`{}` has a value on some paths alone", self.name(v))
    }

    fn name(&self, var: VarId) -> &str {
        &self.func.var(var).name
    }

    fn declare(&mut self, var: VarId, assigned: bool) -> Result<(), String> {
        if !self.alive.insert(var) {
            return Err(format!("`{}` is declared twice", self.name(var)));
        }
        if assigned {
            self.assigned.insert(var);
        }
        Ok(())
    }

    fn operand(&self, e: &Expr) -> Result<(), String> {
        e.own_places()
            .iter()
            .try_for_each(|place| self.read(place))?;
        e.children()
            .into_iter()
            .try_for_each(|child| self.operand(child))
    }

    fn read(&self, place: &Place) -> Result<(), String> {
        match self.assigned.contains(&place.root) && self.alive.contains(&place.root) {
            true => place
                .operands()
                .into_iter()
                .try_for_each(|e| self.operand(e)),
            false => Err(format!(
                "`{}` is read without a value",
                self.name(place.root)
            )),
        }
    }

    fn write(&mut self, place: &Place, whole: bool) -> Result<(), String> {
        let var = self.func.var(place.root);
        let fixed = matches!(var.origin, Origin::Param) && var.mode != Mode::Mut
            || matches!(var.origin, Origin::Index);
        if fixed || !self.alive.contains(&place.root) {
            return Err(format!("`{}` is written", var.name));
        }
        if whole {
            self.assigned.insert(place.root);
            return Ok(());
        }
        self.read(place)
    }
}
