//! The live ranges of what loops of a forward sweep write, which record nothing themselves: mostly sums.
//!
//! A variable that is alive where the tape may grow is in memory there, since a call leaves no float in a register. Compilers then
//! put it there for all of its life, and each addition in the loop waits for the store of the one before it. So the value is taken
//! to memory and back once, behind the loop: what comes later is another variable. What comes from an earlier run of the loop is
//! taken there in front of it, too.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Emit;
use crate::emit::private;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Block, Expr, Mode, Origin, Place, Stmt, StmtKind, VarId};

impl Emit<'_> {
    /// What comes behind a loop with this body, in front of these statements.
    pub(super) fn split_live_ranges(&self, body: &Block, behind: &[Stmt]) -> TokenBuf {
        if self.in_reverse || !self.may_split(body) {
            return TokenBuf::empty();
        }
        // A compiler moves what is computed from it, up to its use. What is named nowhere behind the loop may be declared further out.
        let grows_later = self.grow_tape(behind);
        let is_needed = |v: &VarId| {
            grows_later || Stmt::mentions(behind, *v) == 0 || self.is_result(*v, behind)
        };
        self.split(self.summed(body).into_iter().filter(is_needed))
    }

    /// Whether the variable is the result behind these statements, and the reverse sweep runs before that is returned.
    fn is_result(&self, v: VarId, behind: &[Stmt]) -> bool {
        let is_result = |p: &Place| self.plan.func.ret == Some(p.root);
        self.is_fused
            && behind.iter().any(|s| match &s.kind {
                StmtKind::Assign(p, Expr::Read(of)) => is_result(p) && of.root == v,
                _ => false,
            })
    }

    /// What comes in front of the iterations of a loop with this body, behind what opens its frame.
    pub(super) fn split_in_front(&self, body: &Block) -> TokenBuf {
        if self.in_reverse || self.carried.is_empty() || !self.may_split(body) {
            return TokenBuf::empty();
        }
        // The result has no value before the first run; other variables of this type are declared with one.
        let has_value = |v: &VarId| {
            let var = self.plan.func.var(*v);
            var.origin != Origin::Ret && var.ty.is_machine_float()
        };
        let is_carried = |v: &VarId| self.carried.contains(v) && has_value(v);
        self.split(self.summed(body).into_iter().filter(is_carried))
    }

    /// The sums that come from one run of the statements to the next, by way of where the tape may grow.
    pub(super) fn carried_through(&self, body: &Block) -> Rc<BTreeSet<VarId>> {
        match !self.in_reverse && self.grow_tape(&body.stmts) {
            true => Rc::new(self.summed(body)),
            false => Rc::default(),
        }
    }

    /// Whether values that the statements write may be alive where the tape grows, which it doesn't in them.
    fn may_split(&self, body: &Block) -> bool {
        let sweeps = [&self.plan.forward, &self.plan.reverse];
        let grows = sweeps.iter().any(|sweep| self.grow_tape(&sweep.stmts));
        !self.is_listing && grows && !self.grow_tape(&body.stmts)
    }

    fn split(&self, variables: impl Iterator<Item = VarId>) -> TokenBuf {
        let p = private();
        let split = variables.map(|v| {
            let name = self.name(v);
            code!(#name = #p::by_memory(#name);)
        });
        split.collect()
    }

    /// The floats from outside of the loop that it writes.
    pub(super) fn summed(&self, body: &Block) -> BTreeSet<VarId> {
        let (mut found, mut inner) = <(BTreeSet<VarId>, BTreeSet<VarId>)>::default();
        body.walk(&mut |s| {
            inner.extend(s.declared());
            for place in s.written() {
                let is_own = self.plan.func.var(place.root).mode == Mode::Owned;
                if place.is_whole() && place.ty.is_float() && is_own {
                    found.insert(place.root);
                }
            }
        });
        &found - &inner
    }

    /// Whether the tape may grow there: what is put into a frame has its place.
    fn grow_tape(&self, stmts: &[Stmt]) -> bool {
        let mut grow = false;
        Stmt::walk_all(stmts, &mut |s| {
            grow |= self.frame_slots.contains_key(&s.id)
                || match &s.kind {
                    StmtKind::Record(record, _) | StmtKind::RecordControl(record, _) => {
                        self.slot(*record).is_none()
                    }
                    StmtKind::Forward(_) => true,
                    _ => false,
                };
        });
        grow
    }
}
