//! Calls of external callees whose derivative only some callers need.
//!
//! For all other callers the callee needs no adjoint ([`super::external_callee`]): it is called as written if the caller
//! context says that its reverse sweep does nothing.

use std::collections::BTreeMap;

use super::external_callee::NeededBy;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{Emit, private};
use crate::ir::{Block, Call, Demand, Stmt, StmtId, StmtKind, VarId};
use crate::plan::Plan;

impl Emit<'_> {
    /// Whether the callee is external and only some callers need its adjoint.
    pub fn is_conditional_call(&self, call: &Call) -> bool {
        let callee = self.external_of(call);
        callee.is_some_and(|callee| callee.needed_by == NeededBy::SomeCallers)
    }

    /// Whether the variable is the result of such a call.
    pub fn is_conditional_result(&self, v: VarId) -> bool {
        let call = self.result_calls.get(&v);
        call.is_some_and(|call| self.is_conditional_call(call))
    }

    /// Whether the variable is the result of a call of an external callee.
    pub fn is_external_result(&self, v: VarId) -> bool {
        let call = self.result_calls.get(&v);
        call.is_some_and(|call| self.is_external(call))
    }

    /// The callee's forward sweep for callers that reverse the call, the plain call for all others.
    pub fn sweep_or_call(&self, id: StmtId, sweep: TokenBuf, call: TokenBuf) -> TokenBuf {
        match self.reversal_demands.get(&id) {
            Some(demand) => self.if_demanded(*demand, sweep, call),
            None => {
                let reversed = self.reversal_test(id);
                code!(if #reversed { #sweep } else { #call })
            }
        }
    }

    /// Guards the reversal of a call by the callee's own test, if the demand may include callers for which the callee
    /// does nothing.
    pub fn guard_reversal(&self, body: &Block, code: TokenBuf) -> TokenBuf {
        let reversed = body.stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Reverse { call, .. } if self.is_conditional_call(call) => Some(stmt.id),
            _ => None,
        });
        let untold = reversed.filter(|id| !self.reversal_demands.contains_key(id));
        match untold.map(|id| self.reversal_test(id)) {
            Some(reversed) => code!(if #reversed { #code }),
            None => code,
        }
    }

    /// Whether the callee's reverse sweep does anything, as a constant expression.
    fn reversal_test(&self, id: StmtId) -> TokenBuf {
        let (p, site) = (private(), self.site_of(id));
        code!(const { #p::is_reversed::<#site>() })
    }
}

/// The demands of reversals that are equal to what the callee's site says, so that one test serves both.
pub fn reversal_demands(plan: &Plan) -> BTreeMap<StmtId, Demand> {
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
