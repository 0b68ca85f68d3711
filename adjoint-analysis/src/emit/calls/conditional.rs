//! Calls through which a derivative goes for some callers only, of functions that are not seen.
//!
//! For the others they need nothing ([`super::missing_callee`]): the callee is called as it is written where the context says
//! that its reverse sweep does nothing.

use std::collections::BTreeMap;

use super::missing_callee::Needed;
use crate::emit::piece::{Piece, code};
use crate::emit::{Emit, private};
use crate::ir::{Block, Call, Demand, Stmt, StmtId, StmtKind, VarId};
use crate::plan::Plan;

impl Emit<'_> {
    /// Whether the call is of a callee that needs an adjoint for some callers only.
    pub fn is_sometimes(&self, call: &Call) -> bool {
        let callee = self.unseen_of(call);
        callee.is_some_and(|callee| callee.needed == Needed::Sometimes)
    }

    /// Whether the variable is the result of such a call.
    pub fn is_of_sometimes(&self, v: VarId) -> bool {
        let call = self.results.get(&v);
        call.is_some_and(|call| self.is_sometimes(call))
    }

    /// Whether the variable is the result of a call whose callee is not seen.
    pub fn is_of_unseen(&self, v: VarId) -> bool {
        let call = self.results.get(&v);
        call.is_some_and(|call| self.is_unseen(call))
    }

    /// The forward sweep of the callee for whom it is reversed, and the call for all others.
    pub fn where_reversed(&self, id: StmtId, sweep: Piece, call: Piece) -> Piece {
        match self.reversed.get(&id) {
            Some(demand) => self.either(*demand, sweep, call),
            None => {
                let reversed = self.reverses(id);
                code!(if #reversed { #sweep } else { #call })
            }
        }
    }

    /// The reversal of a call, which may be demanded by more callers than the context of the call tells.
    pub fn where_callees_are_reversed(&self, body: &Block, code: Piece) -> Piece {
        let reversed = body.stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Reverse { call, .. } if self.is_sometimes(call) => Some(stmt.id),
            _ => None,
        });
        let untold = reversed.filter(|id| !self.reversed.contains_key(id));
        match untold.map(|id| self.reverses(id)) {
            Some(reversed) => code!(if #reversed { #code }),
            None => code,
        }
    }

    /// Whether the reverse sweep of the callee does anything, as a constant.
    fn reverses(&self, id: StmtId) -> Piece {
        let (p, site) = (private(), self.site_of(id));
        code!(const { #p::is_reversed::<#site>() })
    }
}

/// For whom calls are reversed, where that is told alike by the plan and by what the callee is told.
pub fn reversed(plan: &Plan) -> BTreeMap<StmtId, Demand> {
    let mut found = BTreeMap::new();
    plan.reverse.walk(&mut |stmt| {
        let StmtKind::When(demand, body) = &stmt.kind else {
            return;
        };
        let is_reversal = |s: &&Stmt| matches!(s.kind, StmtKind::Reverse { .. });
        if let Some(site) = body
            .stmts
            .iter()
            .find(is_reversal)
            .map(|s| plan.calls.get(&s.id))
            && site.is_some_and(|site| site.is_reversed_for(*demand))
        {
            found.insert(stmt.id, *demand);
        }
    });
    found
}
