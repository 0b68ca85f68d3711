//! The feasible candidates of references at a use, and a copy of the use for each combination.

use std::collections::{BTreeMap, BTreeSet};

use super::{Dereference, MAX_COPIES, candidate_lit, reroot};
use crate::ir::construct::binary;
use crate::ir::place::are_disjoint;
use crate::ir::{Arg, BinOp, Block, Expr, Place, Stmt, StmtId, StmtKind, VarId};
use crate::mir::references::points_to::blank;

/// The simultaneous uses of references in a piece of code: by the borrow rules, they restrict each other's candidates.
#[derive(Clone, Default)]
pub(super) struct JointUses {
    /// The references that it names.
    pub named: BTreeSet<VarId>,
    /// The places behind references that are borrowed at the same time, by the reference's variable.
    pub borrowed: BTreeMap<VarId, Vec<Place>>,
    /// Other places borrowed at the same time; the flag is true for `&mut`.
    pub places: Vec<(Place, bool)>,
}

impl Dereference<'_> {
    pub(super) fn joint_uses(&self, stmt: &Stmt) -> JointUses {
        let itself = |v: &VarId| self.reference(*v).map(|r| r.itself);
        let named = roots(stmt).iter().filter_map(itself).collect();
        let mut together = JointUses {
            named,
            ..JointUses::default()
        };
        let lent: Vec<(&Place, bool)> = match &stmt.kind {
            StmtKind::Call(call) => {
                let is_mut = |a: &Arg| matches!(a, Arg::Mut(_));
                let args = call.args.iter();
                args.filter_map(|a| Some((a.place()?, is_mut(a)))).collect()
            }
            StmtKind::Swap(a, b) => vec![(a, true), (b, true)],
            _ => Vec::new(),
        };
        for (place, is_mut) in lent {
            match itself(&place.root) {
                Some(r) => together.borrowed.entry(r).or_default().push(place.clone()),
                None => together.places.push((place.clone(), is_mut)),
            }
        }
        together
    }

    /// The references that a loop names and does not move.
    pub(super) fn unmoved(&self, stmt: &Stmt) -> JointUses {
        let mut moved = BTreeSet::new();
        let mut named = self.joint_uses(stmt).named;
        for body in stmt.blocks() {
            body.walk(&mut |s| {
                named.extend(self.joint_uses(s).named);
                moved.extend(s.declared());
                moved.extend(s.written().iter().map(|p| p.root));
            });
        }
        named.retain(|v| !moved.contains(v));
        JointUses {
            named,
            ..JointUses::default()
        }
    }

    /// The named references whose candidate is not decided.
    pub(super) fn undecided(&self, together: &JointUses) -> Vec<VarId> {
        let several = |v: &VarId| {
            !self.decided.contains_key(v)
                && self.integers.contains_key(v)
                && self.points_to.candidates(*v).len() > 1
        };
        together.named.iter().copied().filter(several).collect()
    }

    /// The candidates that a reference can point to here: they are in scope, and no reference that is used at the same
    /// time points there, if one of the two is a `&mut`.
    pub(super) fn feasible(&self, itself: VarId, together: &JointUses) -> Vec<usize> {
        let candidates = &self.points_to.class(itself).candidates;
        let mut found = self.points_to.candidates(itself);
        found.retain(|at| self.scope.contains(&candidates[*at].root));
        let apart: Vec<usize> = found
            .iter()
            .copied()
            .filter(|at| !self.conflicts(itself, *at, together))
            .collect();
        match apart.is_empty() {
            true => found,
            false => apart,
        }
    }

    fn conflicts(&self, itself: VarId, at: usize, together: &JointUses) -> bool {
        let place = &self.points_to.class(itself).candidates[at];
        let whole =
            |v: VarId, p: &Place| !self.points_to.class(v).windowed && certainly_overlap(p, place);
        let is_mut = |v: VarId| self.itself(v).is_some_and(|r| r.mutable);
        let own = !self.points_to.class(itself).windowed;
        let lent = together.borrowed.contains_key(&itself);
        let others = together.named.iter().filter(|v| **v != itself);
        let decided = |v: &VarId| {
            let candidates = self.points_to.candidates(*v);
            let only = candidates.first().filter(|_| candidates.len() == 1);
            self.decided.get(v).or(only).copied()
        };
        let others: Vec<(VarId, usize)> = others.filter_map(|v| Some((*v, decided(v)?))).collect();
        if others
            .iter()
            .any(|(v, other)| *other == at && self.points_to.never_alias(*v, itself))
        {
            return true;
        }
        let with_references = others
            .into_iter()
            .map(|(v, at)| (v, &self.points_to.class(v).candidates[at]));
        let mut with_references = with_references.filter(|(v, p)| {
            let unique = is_mut(*v) || is_mut(itself);
            let both_live = !self.points_to.related(*v, itself)
                || self.borrow_overlap((*v, p), (itself, place), together);
            unique && both_live && whole(*v, p)
        });
        let mut with_places = together.places.iter().filter(|(p, mutable)| {
            lent && (*mutable || is_mut(itself))
                && certainly_overlap(&self.points_to.skeleton(p).0, place)
        });
        own && (with_references.next().is_some() || with_places.next().is_some())
    }

    /// Whether parts of two references' targets that certainly overlap are borrowed together.
    fn borrow_overlap(
        &self,
        (a, at_a): (VarId, &Place),
        (b, at_b): (VarId, &Place),
        together: &JointUses,
    ) -> bool {
        let parts = |v: VarId, at: &Place| {
            let lent = together.borrowed.get(&v).into_iter().flatten();
            let part = |p: &Place| {
                let mut part = self.points_to.skeleton(p).0;
                reroot(&mut part, at);
                part
            };
            lent.map(part).collect::<Vec<_>>()
        };
        let others = parts(b, at_b);
        let same = |part: &Place| others.iter().any(|other| certainly_overlap(part, other));
        parts(a, at_a).iter().any(same)
    }

    /// Emits a piece of code for each combination of candidates of the references that it names.
    pub(super) fn for_each_candidate(
        &mut self,
        id: StmtId,
        together: &JointUses,
        out: &mut Vec<Stmt>,
        write: &mut dyn FnMut(&mut Self, &mut Vec<Stmt>),
    ) {
        let Some(itself) = self.undecided(together).first().copied() else {
            return write(self, out);
        };
        let feasible = self.feasible(itself, together);
        if feasible.is_empty() {
            return self.refuse(itself);
        }
        let copying = self.is_copy;
        let mut arms = Vec::new();
        for (i, at) in feasible.iter().enumerate() {
            self.is_copy = copying || i > 0;
            self.decided.insert(itself, *at);
            let mut arm = Vec::new();
            self.for_each_candidate(id, together, &mut arm, write);
            arms.push((*at, arm));
        }
        self.decided.remove(&itself);
        self.is_copy = copying;
        let Some((_, last)) = arms.pop() else { return };
        let which = self.integers[&itself].candidate.clone();
        let chain = arms.into_iter().rev().fold(last, |els, (at, arm)| {
            let Some(which) = &which else { return arm };
            let test = binary(BinOp::Eq, Expr::Read(which.clone()), candidate_lit(at));
            let kind = StmtKind::If(test, Block::new(arm), Block::new(els));
            let mut chain = Vec::new();
            self.push(id, kind, &mut chain);
            chain
        });
        out.extend(chain);
    }

    /// The number of copies that the combinations of candidates need, or some number above the limit.
    pub(super) fn combinations(&mut self, together: &JointUses) -> usize {
        let Some(itself) = self.undecided(together).first().copied() else {
            return 1;
        };
        let mut all = 0;
        for at in self.feasible(itself, together) {
            self.decided.insert(itself, at);
            all += self.combinations(together);
            if all > MAX_COPIES {
                break;
            }
        }
        self.decided.remove(&itself);
        all
    }
}

/// Whether two places without operands certainly overlap.
fn certainly_overlap(a: &Place, b: &Place) -> bool {
    let certain = |p: &Place| p.operands().into_iter().all(|e| *e != blank());
    let shared = a.proj.iter().zip(&b.proj).all(|(x, y)| x == y);
    a.root == b.root && certain(a) && certain(b) && shared
}

/// Whether a call borrows places of one variable that no split shows to be disjoint.
pub(super) fn may_overlap(stmt: &Stmt) -> bool {
    let StmtKind::Call(call) = &stmt.kind else {
        return false;
    };
    let is_mut = |a: &Arg| matches!(a, Arg::Mut(_));
    let lent = call
        .args
        .iter()
        .filter_map(|a| Some((a.place()?, is_mut(a))));
    let lent: Vec<(&Place, bool)> = lent.collect();
    lent.iter().enumerate().any(|(i, (a, a_mut))| {
        let clash = |(b, b_mut): &(&Place, bool)| {
            (*a_mut || *b_mut) && a.root == b.root && !are_disjoint(a, b)
        };
        lent[i + 1..].iter().any(clash)
    })
}

/// The roots of all places that the statement itself names.
fn roots(stmt: &Stmt) -> BTreeSet<VarId> {
    let mut roots: BTreeSet<VarId> = stmt.own_places().iter().map(|p| p.root).collect();
    stmt.walk_exprs(&mut |e| roots.extend(e.own_places().iter().map(|p| p.root)));
    roots
}
