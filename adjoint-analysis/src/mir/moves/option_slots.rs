//! Variables that are held in `Option`s, because they may be unassigned and their type has no default value.
//!
//! A box that is moved into or out of an `Option` leaves nothing in its place. A value that one branch of an `if`
//! assigns (`Err(Failure { at })`) is read under a flag, which rustc does not follow.

use std::collections::BTreeSet;

use super::wrapped_variable;
use crate::ir::{Block, Expr, Mode, Origin, Place, Proj, Stmt, StmtKind, Ty, VarId};
use crate::mir::draft::Draft;
use crate::mir::references::dereference::map_places;

impl Draft {
    /// Wraps such variables in `Option`s.
    pub(super) fn hold_in_options(&mut self, body: &mut Block) {
        self.return_from_variable(body);
        let unassigned = self.maybe_unassigned(body);
        let mut held = unassigned.used;
        held.extend(unassigned.at_end);
        held.extend(self.moved_boxes(body));
        held.extend(self.assigned_in_loops(body));
        let func = &self.func;
        held.retain(|v| {
            let var = func.var(*v);
            let local = var.mode == Mode::Owned && func.ret != Some(*v);
            local && var.origin != Origin::Param
        });
        if held.is_empty() {
            return;
        }
        for v in &held {
            let ty = &mut self.func.vars[v.index()].ty;
            *ty = Ty::Option(Box::new(ty.clone()));
        }
        self.wrap_in_options(body, &held);
    }

    /// Introduces a variable for a returned value that rustc could not see to be assigned: the returned value can't be
    /// held in an `Option` itself.
    fn return_from_variable(&mut self, body: &mut Block) {
        let Some(ret) = self.func.ret.filter(|_| self.maybe_unassigned(body).ret) else {
            return;
        };
        let (span, to) = (self.return_span, self.func.place(ret));
        let var = self.new_var("returned", to.ty.clone(), Origin::Local);
        replace_variable(body, ret, var);
        let mut stmt = |kind| Stmt {
            id: self.stmt_id(span),
            kind,
        };
        body.stmts.insert(0, stmt(StmtKind::Let(var, None)));
        let value = Expr::Read(Place::var(var, to.ty.clone()));
        body.stmts.push(stmt(StmtKind::Assign(to, value)));
    }

    /// The variables that hold moved boxes.
    fn moved_boxes(&self, body: &Block) -> BTreeSet<VarId> {
        let (mut moved, mut fixed) = (BTreeSet::new(), BTreeSet::new());
        body.walk(&mut |stmt| {
            stmt.walk_exprs(&mut |e| moved.extend(wrapped_variable(e)));
            match &stmt.kind {
                StmtKind::Let(v, Some(Expr::Read(p))) if is_payload(p) => moved.extend([*v]),
                StmtKind::Let(..) => {}
                _ => fixed.extend(stmt.declared()),
            }
        });
        let is_box = |v: &VarId| matches!(self.func.var(*v).ty, Ty::Boxed(_));
        moved.retain(|v| is_box(v) && !fixed.contains(v));
        moved
    }

    /// The variables without an initialiser that a loop assigns: if an iteration may be the first to do so, the
    /// overwritten value could not be recorded.
    fn assigned_in_loops(&self, body: &Block) -> BTreeSet<VarId> {
        let (mut bare, mut found) = (BTreeSet::new(), BTreeSet::new());
        body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Let(v, None) if !self.func.var(*v).ty.has_initial_value() => {
                bare.insert(*v);
            }
            StmtKind::Loop(_, inside) => {
                let outer = |p: &&Place| p.is_whole() && bare.contains(&p.root);
                inside.walk(&mut |s| {
                    found.extend(s.written().into_iter().filter(outer).map(|p| p.root));
                });
            }
            _ => {}
        });
        found
    }

    fn wrap_in_options(&self, block: &mut Block, held: &BTreeSet<VarId>) {
        for stmt in &mut block.stmts {
            if let StmtKind::Let(v, init @ None) = &mut stmt.kind
                && held.contains(v)
            {
                let ty = self.func.var(*v).ty.clone();
                *init = Some(Expr::Variant("None".into(), Vec::new(), ty));
                continue;
            }
            let target = match &stmt.kind {
                StmtKind::Let(v, Some(_)) => Some(*v),
                StmtKind::Assign(p, _) if p.is_whole() => Some(p.root),
                _ => None,
            };
            let target = target.filter(|v| held.contains(v));
            unwrap_places(stmt, held);
            if let (Some(v), StmtKind::Let(_, Some(e)) | StmtKind::Assign(_, e)) =
                (target, &mut stmt.kind)
            {
                let ty = self.func.var(v).ty.clone();
                let none = Expr::Lit(String::new(), Ty::Unit);
                let value = std::mem::replace(e, none);
                *e = Expr::Variant("Some".into(), vec![("0".into(), value)], ty);
            }
            if let (Some(v), StmtKind::Assign(p, _)) = (target, &mut stmt.kind) {
                *p = self.func.place(v);
            }
            for inner in stmt.blocks_mut() {
                self.wrap_in_options(inner, held);
            }
        }
    }
}

/// Whether the place is the payload of an `Option`.
fn is_payload(place: &Place) -> bool {
    place.proj.last() == Some(&Proj::Variant("Some".into(), "0".into()))
}

/// Replaces one variable by another.
fn replace_variable(block: &mut Block, old: VarId, new: VarId) {
    for stmt in &mut block.stmts {
        map_places(stmt, &mut |place| {
            if place.root == old {
                place.root = new;
            }
        });
        for inner in stmt.blocks_mut() {
            replace_variable(inner, old, new);
        }
    }
}

fn unwrap_places(stmt: &mut Stmt, held: &BTreeSet<VarId>) {
    map_places(stmt, &mut |place| {
        if held.contains(&place.root) {
            let some = Proj::Variant("Some".into(), "0".into());
            place.proj.insert(0, some);
        }
    });
}
