//! Simplifications before references become integers: references that never move, and constants that have to live as
//! long as the references to them.

use std::collections::{BTreeMap, BTreeSet};

use super::{map_places, reroot};
use crate::ir::{Block, Expr, Origin, Place, StmtKind, VarId};
use crate::mir::draft::Draft;
use crate::mir::references::Reference;
use crate::mir::references::points_to::{PointsTo, declaring_blocks};

impl Draft {
    /// Replaces references by their targets in places: a name may be lowered as a value first and as a reference later.
    pub(super) fn roots_to_targets(&self, body: &mut Block) {
        let target = |v: VarId| {
            let found = self.references.iter().find(|r| r.itself == v);
            found.map(|r| r.target)
        };
        for stmt in &mut body.stmts {
            let is_move = |p: &Place| p.is_whole() && target(p.root).is_some();
            let moved = match &stmt.kind {
                StmtKind::Assign(p, Expr::Read(_)) if is_move(p) => vec![p.clone()],
                StmtKind::Swap(a, b) if is_move(a) && is_move(b) => vec![a.clone(), b.clone()],
                _ => Vec::new(),
            };
            map_places(stmt, &mut |p| p.root = target(p.root).unwrap_or(p.root));
            for (place, kept) in stmt.own_places_mut().into_iter().zip(moved) {
                *place = kept;
            }
            for inner in stmt.blocks_mut() {
                self.roots_to_targets(inner);
            }
        }
    }

    /// Replaces each reference that is assigned once, to a place that does not move, by that place; returns the others.
    pub(super) fn replace_fixed(&mut self, body: &mut Block) -> Vec<Reference> {
        let mut made: BTreeMap<VarId, Vec<Option<Place>>> = BTreeMap::new();
        body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Let(v, Some(Expr::Read(to))) => {
                made.entry(*v).or_default().push(Some(to.clone()));
            }
            StmtKind::Assign(p, _) => made.entry(p.root).or_default().push(None),
            StmtKind::Swap(a, b) => {
                made.entry(a.root).or_default().push(None);
                made.entry(b.root).or_default().push(None);
            }
            _ => {}
        });
        let mut fixed: BTreeMap<VarId, Place> = BTreeMap::new();
        let mut open = self.references.clone();
        loop {
            let stays = |to: &Place| {
                let behind = open.iter().find(|r| r.target == to.root);
                behind.is_none_or(|r| !r.rebindable)
            };
            let found = open
                .iter()
                .position(|r| match made.get(&r.itself).map(Vec::as_slice) {
                    Some([Some(to)]) => stays(to),
                    _ => false,
                });
            let Some(at) = found else { break };
            let reference = open.remove(at);
            if let Some(Some(to)) = made.get(&reference.itself).and_then(|all| all.first()) {
                fixed.insert(reference.target, to.clone());
            }
            drop_let(body, reference.itself);
        }
        replace_roots(body, &fixed);
        open
    }
}

/// Removes the declaration of a variable.
pub fn drop_let(block: &mut Block, v: VarId) {
    block.stmts.retain(|s| s.declared() != Some(v));
    for stmt in &mut block.stmts {
        stmt.blocks_mut().into_iter().for_each(|b| drop_let(b, v));
    }
}

/// Replaces the roots of places by places.
pub fn replace_roots(block: &mut Block, by: &BTreeMap<VarId, Place>) {
    for stmt in &mut block.stmts {
        map_places(stmt, &mut |place| {
            while let Some(to) = by.get(&place.root) {
                reroot(place, to);
            }
        });
        for inner in stmt.blocks_mut() {
            replace_roots(inner, by);
        }
    }
}

/// Constants that a reference points to although an inner block declares them, as rustc promotes them: by the reference
/// with which they are declared.
pub(super) fn promoted_constants(
    draft: &Draft,
    references: &[Reference],
    points_to: &PointsTo,
    body: &Block,
) -> BTreeMap<VarId, Vec<VarId>> {
    let blocks = declaring_blocks(body);
    let mut lifted: BTreeMap<VarId, Vec<VarId>> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    // A shared constant is declared with the outermost reference, so that all references see it.
    let mut outermost: Vec<&Reference> = references.iter().collect();
    outermost.sort_by_key(|r| blocks.get(&r.itself).map_or(0, Vec::len));
    for r in outermost {
        for at in points_to.candidates(r.itself) {
            let root = points_to.class(r.itself).candidates[at].root;
            let (Some(own), Some(of)) = (blocks.get(&root), blocks.get(&r.itself)) else {
                continue;
            };
            let constant = draft.func.var(root).origin == Origin::Temp;
            if constant && !of.starts_with(own) && taken.insert(root) {
                lifted.entry(r.itself).or_default().push(root);
            }
        }
    }
    lifted
}
