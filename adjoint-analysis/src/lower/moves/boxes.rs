//! Boxes that are moved into or out of `Option`s: there is nothing that could be left in their place, so
//! they are held in `Option`s themselves.

use std::collections::BTreeSet;

use super::boxed_source;
use crate::ir::{Block, Expr, Mode, Origin, Place, Proj, Stmt, StmtKind, Ty, VarId};
use crate::lower::Lower;

impl Lower {
    /// Puts `Option`s for the variables that hold such boxes.
    pub(super) fn hold_boxes(&mut self, body: &mut Block) {
        let (mut moved, mut fixed) = (BTreeSet::new(), BTreeSet::new());
        body.walk(&mut |stmt| {
            stmt.walk_exprs(&mut |e| moved.extend(boxed_source(e)));
            match &stmt.kind {
                StmtKind::Let(v, Some(Expr::Read(p))) if is_payload(p) => moved.extend([*v]),
                StmtKind::Let(..) => {}
                _ => fixed.extend(stmt.declared()),
            }
        });
        let func = &self.func;
        let is_box = |v: &VarId| {
            let var = func.var(*v);
            let local = var.mode == Mode::Owned && func.ret != Some(*v);
            local && var.origin != Origin::Param && matches!(var.ty, Ty::Boxed(_))
        };
        moved.retain(|v| is_box(v) && !fixed.contains(v));
        for v in &moved {
            let ty = &mut self.func.vars[v.index()].ty;
            *ty = Ty::Option(Box::new(ty.clone()));
        }
        self.held_in_options(body, &moved);
    }

    fn held_in_options(&self, block: &mut Block, boxes: &BTreeSet<VarId>) {
        for stmt in &mut block.stmts {
            let target = match &stmt.kind {
                StmtKind::Let(v, Some(_)) => Some(*v),
                StmtKind::Assign(p, _) if p.is_whole() => Some(p.root),
                _ => None,
            };
            let target = target.filter(|v| boxes.contains(v));
            held_places(stmt, boxes);
            if let (Some(v), StmtKind::Let(_, Some(e)) | StmtKind::Assign(_, e)) =
                (target, &mut stmt.kind)
            {
                let ty = self.func.var(v).ty.clone();
                let none = Expr::Lit(String::new(), Ty::Unit);
                let held = std::mem::replace(e, none);
                *e = Expr::Variant("Some".into(), vec![("0".into(), held)], ty);
            }
            if let (Some(v), StmtKind::Assign(p, _)) = (target, &mut stmt.kind) {
                *p = self.func.place(v);
            }
            for inner in stmt.blocks_mut() {
                self.held_in_options(inner, boxes);
            }
        }
    }
}

/// Whether the place is what an `Option` holds.
fn is_payload(place: &Place) -> bool {
    place.proj.last() == Some(&Proj::Variant("Some".into(), "0".into()))
}

fn held_places(stmt: &mut Stmt, boxes: &BTreeSet<VarId>) {
    crate::lower::dereference::map_places(stmt, &mut |place| {
        if boxes.contains(&place.root) {
            let some = Proj::Variant("Some".into(), "0".into());
            place.proj.insert(0, some);
        }
    });
}
