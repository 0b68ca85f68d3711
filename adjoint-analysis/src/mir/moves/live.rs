//! Liveness of variables.

use std::collections::BTreeMap;

use crate::ir::place::are_disjoint;
use crate::ir::{Block, Func, LoopHead, Mode, Place, Stmt, StmtId, StmtKind, VarId};
use crate::passes::sets::set::VarSet;

/// The live variables after each statement. An assignment of a part kills nothing.
pub(super) struct Live {
    after: BTreeMap<StmtId, VarSet>,
}

/// Whether a place is overwritten by these statements before anything of it is read.
pub(super) fn is_overwritten(place: &Place, stmts: &[Stmt]) -> bool {
    let fixed = place.operands().is_empty();
    let overlaps = |p: &Place| p.root == place.root && !are_disjoint(p, place);
    for stmt in stmts.iter().filter(|_| fixed) {
        let mut read = false;
        let mut here = |s: &Stmt| {
            let assigned = match &s.kind {
                StmtKind::Assign(p, _) if s.id == stmt.id => Some(p),
                _ => None,
            };
            let mut own = s.own_places().into_iter();
            read |= own.any(|p| overlaps(p) && Some(p) != assigned);
            s.walk_exprs(&mut |e| read |= e.own_places().iter().any(overlaps));
        };
        here(stmt);
        stmt.blocks().into_iter().for_each(|b| b.walk(&mut here));
        match &stmt.kind {
            _ if read => return false,
            StmtKind::Assign(p, _) if overlaps(p) => {
                return p.operands().is_empty() && place.proj.starts_with(&p.proj);
            }
            StmtKind::If(..) | StmtKind::Loop(..) | StmtKind::Break => return false,
            _ => {}
        }
    }
    false
}

impl Live {
    /// Computes the liveness in a function with this body.
    pub fn of(func: &Func, body: &Block) -> Live {
        let seen = |v: &VarId| func.var(*v).mode != Mode::Owned;
        let params = func.params.iter().copied().filter(seen);
        let end = params.chain(func.ret).collect();
        let mut live = Live {
            after: BTreeMap::new(),
        };
        live.block(body, end, &VarSet::default());
        live
    }

    /// Whether the variable is live after a statement.
    pub fn after(&self, id: StmtId, v: VarId) -> bool {
        self.after.get(&id).is_none_or(|live| live.contains(v))
    }

    /// The live variables before a block, from those after it and those after the loop that a `break` leaves.
    fn block(&mut self, block: &Block, mut live: VarSet, leaving: &VarSet) -> VarSet {
        for stmt in block.stmts.iter().rev() {
            self.after.entry(stmt.id).or_default().union(&live);
            live = self.stmt(stmt, live, leaving);
        }
        live
    }

    fn stmt(&mut self, stmt: &Stmt, mut live: VarSet, leaving: &VarSet) -> VarSet {
        match &stmt.kind {
            StmtKind::Break => return leaving.clone(),
            StmtKind::If(_, then, els) => {
                let mut before = self.block(then, live.clone(), leaving);
                before.union(&self.block(els, live, leaving));
                live = before;
            }
            StmtKind::Loop(head, body) => live = self.loop_(stmt, head, body, live),
            _ => {}
        }
        if let Some(v) = stmt.declared() {
            live.remove(v);
        }
        if let StmtKind::Assign(p, _) = &stmt.kind
            && p.is_whole()
        {
            live.remove(p.root);
        } else {
            live.extend(stmt.own_places().iter().map(|p| p.root));
        }
        stmt.walk_exprs(&mut |e| live.extend(e.own_places().iter().map(|p| p.root)));
        live
    }

    /// The live variables before the head is evaluated.
    fn loop_(&mut self, stmt: &Stmt, head: &LoopHead, body: &Block, behind: VarSet) -> VarSet {
        let mut reads = VarSet::default();
        stmt.walk_exprs(&mut |e| reads.extend(e.own_places().iter().map(|p| p.root)));
        let ends = !matches!(head, LoopHead::Forever);
        let mut entry: VarSet = reads;
        if ends {
            entry.union(&behind);
        }
        loop {
            let next = self.block(body, entry.clone(), &behind);
            if !entry.union(&next) {
                return entry;
            }
        }
    }
}
