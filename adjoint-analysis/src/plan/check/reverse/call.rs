//! Reversed calls.

use super::{Reverse, ReverseState};
use crate::ir::{AdjArg, Arg, Call, Expr, Place, StmtId, StmtKind, Ty};
use crate::plan::check::faults::FaultKind;
use crate::plan::check::terms::term::Term;

impl Reverse<'_, '_> {
    /// The callee gets its arguments as the call did, `&mut` ones with their exit values, which it restores to the
    /// values before the call.
    pub fn reverse_call(
        &mut self,
        id: StmtId,
        call: &Call,
        adjoints: &[AdjArg],
        seed: Option<&Expr>,
        now: &mut ReverseState,
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
        self.values.assume_disjoint(&now.values, call);
        for (k, (arg, original)) in call.args.iter().zip(&forward.args).enumerate() {
            self.argument(id, arg, original, self.is_read(id, k), now);
        }
        match seed {
            Some(e) if self.is_passed_on(id, 0) => self.adjoint_reads(id, e, now),
            Some(e) => self.in_scope(id, e, now),
            None => {}
        }
        for (k, (adjoint, original)) in adjoints.iter().zip(&forward.args).enumerate() {
            self.adjoint_argument(id, k, adjoint, original, now);
        }
        let left = self.values.left_by_callee(call, self.plan.callees());
        let before = now.values.clone();
        for arg in &call.args {
            if let Arg::Mut(p) = arg {
                self.give_back(id, p, now);
            }
        }
        for c in left {
            now.values.set(c.index(), before[c.index()]);
        }
        self.values.drop_disjointness();
    }

    /// Whether the callee reads the argument's value; the plan says so, and its callee conforms.
    fn is_read(&self, id: StmtId, k: usize) -> bool {
        let read = self.plan.calls.get(&id).and_then(|site| site.reads.get(k));
        read.is_none_or(|demand| !demand.is_never())
    }

    /// Whether the callee may propagate the adjoint of an output: its site says that the output is useful, and its
    /// handle that the output depends on a varied argument.
    fn is_passed_on(&self, id: StmtId, output: usize) -> bool {
        let site = self.plan.calls.get(&id);
        let useful = site.and_then(|site| site.useful.get(output));
        let varied = self.plan.links.get(id).map(|link| &link.outputs);
        useful.is_none_or(|useful| *useful != 0)
            && varied.is_none_or(|ports| ports.iter().any(|port| port.position == output))
    }

    /// Whether the callee adds to the adjoint of an argument: not if nothing is varied or useful for it, and not to a
    /// varied argument that no useful output depends on, according to its handle. The adjoint of a `&mut` argument that
    /// isn't varied may be work space.
    fn is_touched(&self, id: StmtId, k: usize, arg: &Arg) -> bool {
        let Some(site) = self.plan.calls.get(&id).filter(|s| k < s.varied.len()) else {
            return true;
        };
        let is_work_space = matches!(arg, Arg::Mut(_)) && site.varied[k] == 0;
        let useful = self.plan.links.get(id).map(|link| &link.arguments);
        !site.argument(k, arg).is_never()
            && (is_work_space
                || useful.is_none_or(|ports| ports.iter().any(|port| port.position == k)))
    }

    fn argument(
        &mut self,
        id: StmtId,
        arg: &Arg,
        original: &Arg,
        read: bool,
        now: &mut ReverseState,
    ) {
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

    fn give_back(&mut self, id: StmtId, p: &Place, now: &mut ReverseState) {
        let spot = self.values.spot(&now.values, p);
        let before = self.facts.before.get(&id);
        let back = self.gives_back(id);
        let old = before
            .filter(|_| back)
            .and_then(|state| self.values.get(state, &spot));
        let old = old.unwrap_or_else(|| self.values.terms.unknown());
        self.values.put(&mut now.values, &spot, old);
    }

    /// Whether the callee restores its `&mut` arguments; the plan says so and requests it.
    fn gives_back(&self, id: StmtId) -> bool {
        match self.plan.calls.get(&id) {
            Some(site) => !site.restore.is_never(),
            None => true,
        }
    }

    fn adjoint_argument(
        &mut self,
        id: StmtId,
        k: usize,
        adjoint: &AdjArg,
        original: &Arg,
        now: &mut ReverseState,
    ) {
        match adjoint {
            AdjArg::Place(p) | AdjArg::Scratch(Some(p)) => {
                self.adjoint_place(id, p, now);
                if let (AdjArg::Place(_), Arg::Mut(_)) = (adjoint, original) {
                    if self.is_passed_on(id, k + 1) {
                        self.read_adjoint(id, p, now);
                    }
                    self.killed(p.clone(), false);
                }
                if self.is_touched(id, k, original) {
                    self.grow(p, now);
                }
            }
            AdjArg::Increment(v) => {
                let increment = match self.is_touched(id, k, original) {
                    true => self.values.terms.unknown(),
                    false => self.no_increment(now),
                };
                self.values.set(&mut now.values, *v, increment);
            }
            AdjArg::None | AdjArg::Ignored | AdjArg::Scratch(None) => {}
        }
    }

    fn no_increment(&mut self, now: &ReverseState) -> Term {
        let zero = Expr::Lit("0.0".into(), Ty::F64);
        self.values.eval(&now.values, &zero)
    }

    /// Whether the expression is an increment that the callee doesn't write.
    pub fn is_no_increment(&mut self, e: &Expr, now: &ReverseState) -> bool {
        matches!(e, Expr::Read(_)) && self.values.eval(&now.values, e) == self.no_increment(now)
    }
}
