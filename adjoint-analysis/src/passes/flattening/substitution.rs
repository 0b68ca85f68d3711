//! Substitution: places in the place of variables.

use std::collections::BTreeMap;

use crate::ir::{Block, Expr, LoopHead, Place, Stmt, StmtKind, VarId};

/// The places that variables stand for.
#[derive(Clone, Default)]
pub struct Substitution {
    places: BTreeMap<VarId, Place>,
}

impl Substitution {
    /// Lets the variable stand for the place. One that is declared stands for another variable.
    pub fn insert(&mut self, v: VarId, place: &Place) {
        self.places.insert(v, place.clone());
    }

    /// Lets the variable stand for itself.
    pub fn remove(&mut self, v: VarId) {
        self.places.remove(&v);
    }

    /// The variable, in which the place is that it stands for.
    pub fn var(&self, v: VarId) -> VarId {
        self.places.get(&v).map_or(v, |place| place.root)
    }

    /// The place without the variables.
    pub fn place(&self, place: &Place) -> Place {
        let mut own = place.clone();
        own.operands_mut().into_iter().for_each(|e| self.expr(e));
        self.root(&mut own);
        own
    }

    /// Replaces the variables in the expression.
    pub fn expr(&self, e: &mut Expr) {
        e.children_mut().into_iter().for_each(|e| self.expr(e));
        e.own_places_mut().iter_mut().for_each(|p| self.root(p));
    }

    fn root(&self, place: &mut Place) {
        let Some(of) = self.places.get(&place.root) else {
            return;
        };
        let ty = match place.is_whole() {
            true => of.ty.clone(),
            false => place.ty.clone(),
        };
        *place = Place {
            root: of.root,
            proj: [&of.proj[..], &place.proj[..]].concat(),
            ty,
        };
    }

    /// The statement without the variables.
    pub fn stmt(&self, stmt: &Stmt) -> Stmt {
        let mut stmt = stmt.clone();
        stmt.operands_mut().into_iter().for_each(|e| self.expr(e));
        stmt.own_places_mut().into_iter().for_each(|p| self.root(p));
        match &mut stmt.kind {
            StmtKind::Let(v, _) | StmtKind::Loop(LoopHead::Counted(v, _), _) => *v = self.var(*v),
            _ => {}
        }
        stmt.blocks_mut().into_iter().for_each(|b| self.block(b));
        stmt
    }

    fn block(&self, block: &mut Block) {
        for stmt in &mut block.stmts {
            *stmt = self.stmt(stmt);
        }
    }
}
