//! Reversed calls.

use super::faults::FaultKind;
use super::reverse::{Now, Reverse};
use crate::ir::{AdjArg, Arg, Call, Expr, Place, StmtId, StmtKind};

impl Reverse<'_, '_> {
    /// The callee takes its arguments as the call did, `&mut` ones as it left them, and gives these
    /// back as they were before it.
    pub fn reverse_call(
        &mut self,
        id: StmtId,
        call: &Call,
        adjoints: &[AdjArg],
        seed: Option<&Expr>,
        now: &mut Now,
    ) {
        if !self.advance(id, now) {
            return;
        }
        let forward = match self.primal.get(&id).map(|s| &s.kind) {
            Some(StmtKind::Forward(f)) if f.callee == call.callee => f,
            _ => {
                let message = "the forward sweep does not run the callee's forward sweep here";
                return self.faults.add(id, FaultKind::Unbalanced, message);
            }
        };
        let count = forward.args.len();
        if call.args.len() != count || adjoints.len() != count {
            return self
                .faults
                .add(id, FaultKind::Mirror, "the arguments are not the call's");
        }
        for (k, (arg, original)) in call.args.iter().zip(&forward.args).enumerate() {
            self.argument(id, arg, original, self.is_read(id, k), now);
        }
        if let Some(e) = seed {
            self.adjoint_reads(id, e, now);
        }
        for (adjoint, original) in adjoints.iter().zip(&forward.args) {
            self.adjoint_argument(id, adjoint, matches!(original, Arg::Mut(_)), now);
        }
        for arg in &call.args {
            if let Arg::Mut(p) = arg {
                self.give_back(id, p, now);
            }
        }
    }

    /// Whether the callee reads what the argument holds; the plan says so, and its callee keeps to it.
    fn is_read(&self, id: StmtId, k: usize) -> bool {
        let read = self.plan.calls.get(&id).and_then(|site| site.reads.get(k));
        read.is_none_or(|demand| !demand.is_never())
    }

    fn argument(&mut self, id: StmtId, arg: &Arg, original: &Arg, read: bool, now: &mut Now) {
        let (Some(before), Some(after)) = (self.facts.before.get(&id), self.facts.after.get(&id))
        else {
            return;
        };
        match (arg, original) {
            (Arg::Value(e), Arg::Value(f)) => {
                self.in_scope(id, e, now);
                if read && self.values.eval(&now.values, e) != self.values.eval(before, f) {
                    self.stale(id, FaultKind::StaleRead);
                }
            }
            (Arg::Shared(p), Arg::Shared(q)) | (Arg::Mut(p), Arg::Mut(q)) => {
                self.in_scope(id, &Expr::Read(p.clone()), now);
                let spot = self.values.spot(&now.values, p);
                let seen = self.values.spot(before, q);
                if spot != seen {
                    let same = p.root == q.root && p.proj == q.proj;
                    let kind = if same {
                        FaultKind::StaleIndex
                    } else {
                        FaultKind::WrongPlace
                    };
                    return self.stale(id, kind);
                }
                let state = if matches!(arg, Arg::Mut(_)) {
                    after
                } else {
                    before
                };
                let seen = self.values.get(state, &seen);
                if read && self.values.get(&now.values, &spot) != seen {
                    self.stale(id, FaultKind::StaleRead);
                }
            }
            _ => self
                .faults
                .add(id, FaultKind::Mirror, "the arguments are not the call's"),
        }
    }

    fn stale(&mut self, id: StmtId, kind: FaultKind) {
        self.faults.add(
            id,
            kind,
            "an argument of the reversed call is not what the call saw",
        );
    }

    fn give_back(&mut self, id: StmtId, p: &Place, now: &mut Now) {
        let spot = self.values.spot(&now.values, p);
        let before = self.facts.before.get(&id);
        let back = self.gives_back(id);
        let old = before
            .filter(|_| back)
            .and_then(|state| self.values.get(state, &spot));
        let old = old.unwrap_or_else(|| self.values.terms.unknown());
        self.values.put(&mut now.values, &spot, old);
    }

    /// Whether the callee gives its `&mut` arguments back; the plan says so, and asks the callee to.
    fn gives_back(&self, id: StmtId) -> bool {
        match self.plan.calls.get(&id) {
            Some(site) => !site.restore.is_never(),
            None => true,
        }
    }

    fn adjoint_argument(&mut self, id: StmtId, adjoint: &AdjArg, is_mut: bool, now: &mut Now) {
        match adjoint {
            AdjArg::Place(p) | AdjArg::Scratch(Some(p)) => {
                self.adjoint_place(id, p, now);
                if is_mut && matches!(adjoint, AdjArg::Place(_)) {
                    self.read_adjoint(id, p, now);
                    self.killed(p.clone(), false);
                }
                self.grow(p, now);
            }
            AdjArg::Increment(v) => {
                let increment = self.values.terms.unknown();
                self.values.set(&mut now.values, *v, increment);
            }
            AdjArg::None | AdjArg::Ignored | AdjArg::Scratch(None) => {}
        }
    }
}
