//! The live ranges of what loops of a forward sweep write, which record nothing themselves: mostly sums.
//!
//! A variable that is alive where the tape may grow is in memory there, since a call leaves no float in a register. Compilers then
//! put it there for all of its life, and each addition in the loop waits for the store of the one before it. So the value is taken
//! to memory and back once, behind the loop: what comes later is another variable.

use std::collections::BTreeSet;

use super::Emit;
use crate::emit::private;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Block, Mode, Stmt, StmtKind, VarId};

impl Emit<'_> {
    /// What comes behind a loop with this body, in front of these statements.
    pub(super) fn split_live_ranges(&self, body: &Block, behind: &[Stmt]) -> TokenBuf {
        let sweeps = [&self.plan.forward, &self.plan.reverse];
        let is_left_alone = self.in_reverse || self.is_listing || self.grow_tape(&body.stmts);
        if is_left_alone || !sweeps.iter().any(|sweep| self.grow_tape(&sweep.stmts)) {
            return TokenBuf::empty();
        }
        // A compiler moves what is computed from it, up to its use. What is named nowhere behind the loop may be declared further out.
        let grows_later = self.grow_tape(behind);
        let is_needed = |v: &VarId| grows_later || Stmt::mentions(behind, *v) == 0;
        let p = private();
        let split = self.summed(body).into_iter().filter(is_needed).map(|v| {
            let name = self.name(v);
            code!(#name = #p::by_memory(#name);)
        });
        split.collect()
    }

    /// The floats from outside of the loop that it writes.
    fn summed(&self, body: &Block) -> BTreeSet<VarId> {
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
