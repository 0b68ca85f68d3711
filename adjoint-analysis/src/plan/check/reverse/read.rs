//! What a statement of the reverse sweep may read: the values that its primal statement saw.

use std::collections::HashMap;

use super::{Reverse, ReverseState};
use crate::ir::{BinOp, Expr, Intrinsic, Place, Stmt, StmtId, StmtKind, UnOp, VarId};
use crate::plan::check::faults::FaultKind;
use crate::plan::check::forward::shape::Class;
use crate::plan::check::terms::term::Term;
use crate::rules::{self, Partial, Use};

/// The role in which a value is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// As an operand or as the result, as the primal statement allows.
    Free,
    /// In an operation that is evaluated again: an operand, if both are possible.
    Inner,
    /// As an operand.
    Operand,
    /// As the result.
    Result,
    /// In an index.
    Index,
}

/// Whether each argument of each partial is an operand or the result, by the table of rules.
pub struct Roles(HashMap<&'static str, Vec<Option<Role>>>);

impl Roles {
    /// From the table.
    pub fn new() -> Roles {
        let mut roles: HashMap<&'static str, Vec<Option<Role>>> = HashMap::new();
        let intrinsics = Intrinsic::ALL.iter().flat_map(|i| rules::intrinsic(*i));
        let operators = BinOp::ALL
            .iter()
            .filter_map(|op| rules::binary(*op))
            .flatten();
        for partial in intrinsics.chain(operators).flat_map(Partial::factors) {
            let Partial::Function(name, uses) = partial else {
                continue;
            };
            let new: Vec<_> = uses
                .iter()
                .map(|u| match u {
                    Use::Operand(_) => Some(Role::Operand),
                    Use::Result => Some(Role::Result),
                })
                .collect();
            let known = roles.entry(name).or_insert_with(|| new.clone());
            for (k, role) in known.iter_mut().enumerate() {
                *role = role.filter(|r| new.get(k) == Some(&Some(*r)));
            }
        }
        Roles(roles)
    }

    fn of(&self, name: &str, k: usize) -> Role {
        let role = self.0.get(name).and_then(|roles| *roles.get(k)?);
        role.unwrap_or(Role::Free)
    }
}

impl Reverse<'_, '_> {
    /// Checks that the expression, in a statement that comes from `id`, reads the right values.
    pub fn check(&mut self, id: StmtId, e: &Expr, role: Role, now: &ReverseState) {
        match e {
            Expr::Read(p) | Expr::Is(p, _) => return self.check_place(id, p, role, now),
            Expr::ZeroLike(p) if p.is_whole() && self.fixed_lengths.contains(p.root) => {
                return self.has_value(id, p, now);
            }
            // An adjoint gets the shape that its variable had before.
            Expr::ZeroLike(p) => return self.check_place(id, p, Role::Operand, now),
            Expr::Code(_, places, _) => {
                places
                    .iter()
                    .for_each(|p| self.check_place(id, p, role, now));
                return;
            }
            Expr::Len(p) => {
                self.in_scope(id, e, now);
                self.check_length(id, p, now);
            }
            _ => {}
        }
        for (k, child) in e.children().into_iter().enumerate() {
            let inner = match e {
                _ if role == Role::Index => Role::Index,
                Expr::Len(_) => Role::Index,
                Expr::Partial(name, _) if matches!(child, Expr::Read(_)) => self.roles.of(name, k),
                Expr::Partial(..) | Expr::Intrinsic(..) => Role::Operand,
                Expr::Unary(UnOp::Neg, _) | Expr::Binary(BinOp::Mul, ..) | Expr::Scale(..) => role,
                _ if role == Role::Free => Role::Inner,
                _ => role,
            };
            self.check(id, child, inner, now);
        }
    }

    fn check_place(&mut self, id: StmtId, p: &Place, role: Role, now: &ReverseState) {
        for e in p.operands() {
            self.check(id, e, Role::Index, now);
        }
        self.in_scope(id, &Expr::Read(p.clone()), now);
        match self.class(p.root) {
            Class::Adjoint => self.read_adjoint(id, p, now),
            Class::Primal => self.check_value(id, p, p, role, now),
            Class::Own => {
                if self.counts.contains(&p.root) {
                    let message = "a number of iterations is read as a value";
                    self.faults.add(id, FaultKind::StaleRead, message);
                }
                let value = self.values.read(&now.values, p);
                if value.is_some_and(|t| self.values.terms.is_unset(t)) {
                    self.has_value(id, p, now);
                }
                if let Some(origin) = now.copies.get(&p.root) {
                    let mut origin = origin.clone();
                    origin.proj.extend(p.proj.iter().cloned());
                    origin.ty = p.ty.clone();
                    self.check_value(id, p, &origin, role, now);
                }
            }
        }
    }

    /// The value at `p` must be one that the primal statement saw at `origin`.
    fn check_value(
        &mut self,
        id: StmtId,
        p: &Place,
        origin: &Place,
        role: Role,
        now: &ReverseState,
    ) {
        let Some(value) = self.values.read(&now.values, p) else {
            return;
        };
        if !self.allowed(id, origin, role).contains(&value) {
            let computed = self
                .values
                .under(p)
                .iter()
                .any(|c| now.computed.contains(c));
            let kind = match role {
                _ if computed => FaultKind::StaleRecompute,
                Role::Index => FaultKind::StaleIndex,
                _ => FaultKind::StaleRead,
            };
            let name = self.name(p.root);
            self.faults.add(
                id,
                kind,
                format!("`{name}` does not hold what the primal statement saw"),
            );
        }
    }

    fn check_length(&mut self, id: StmtId, p: &Place, now: &ReverseState) {
        // That of a variable with one length was checked where it was declared.
        if p.is_whole() && self.fixed_lengths.contains(p.root) {
            return;
        }
        // A variable of the planner is no copy of a primal value, or one that is judged as such.
        let own = self.class(p.root) == Class::Own && !now.copies.contains_key(&p.root);
        let now = self.values.len(&now.values, p);
        let facts = self.facts;
        let states = [facts.before.get(&id), facts.after.get(&id)];
        let adjoint = self.class(p.root) == Class::Adjoint || own;
        let seen = |v: &mut crate::plan::check::terms::cells::Evaluator<'_>| {
            states.into_iter().flatten().any(|s| v.len(s, p) == now)
        };
        if !adjoint && !seen(self.values) {
            let name = self.name(p.root);
            let message = format!("`{name}` does not have the length that it had");
            self.faults.add(id, FaultKind::StaleIndex, message);
        }
    }

    /// Checks that a `Vec` which never changes its length is declared with that of its declaration in the primal.
    pub fn has_length(&mut self, id: StmtId, v: VarId, now: &ReverseState) {
        if !self.fixed_lengths.contains(v) {
            return;
        }
        let place = self.plan.func.place(v);
        let length = self.values.len(&now.values, &place);
        if !self.lengths_declared(id, &place).contains(&length) {
            let name = self.name(v);
            let message = format!("`{name}` does not have as many elements as it had");
            self.faults.add(id, FaultKind::StaleRead, message);
        }
    }

    /// The length of a variable where the primal statement has declared it; also that of what was copied into it.
    fn lengths_declared(&mut self, id: StmtId, v: &Place) -> Vec<Term> {
        let facts = self.facts;
        let copied = match self.primal.get(&id).map(|s| &s.kind) {
            Some(StmtKind::Let(_, Some(Expr::Read(p)))) => Some(p),
            _ => None,
        };
        let original = facts.before.get(&id).zip(copied);
        let own = facts.after.get(&id).map(|state| (state, v));
        let lengths = own.into_iter().chain(original);
        lengths
            .map(|(state, p)| self.values.len(state, p))
            .collect()
    }

    /// The values of a place that may be read in place of those that the primal statement saw.
    fn allowed(&mut self, id: StmtId, p: &Place, role: Role) -> Vec<Term> {
        let (Some(before), Some(after)) = (self.facts.before.get(&id), self.facts.after.get(&id))
        else {
            return Vec::new();
        };
        let spot = self.values.spot(before, p);
        let (old, new) = (
            self.values.get(before, &spot),
            self.values.get(after, &spot),
        );
        let (Some(a), Some(b)) = (old, new) else {
            return old.into_iter().chain(new).collect();
        };
        let stmt = self.primal.get(&id).copied();
        let both = match role {
            Role::Operand | Role::Index => (true, false),
            Role::Result => (false, true),
            Role::Free => stmt.map_or((true, false), |s| self.reads_as(s, p)),
            Role::Inner => match stmt.map_or((true, false), |s| self.reads_as(s, p)) {
                (true, _) => (true, false),
                result => result,
            },
        };
        [both.0.then_some(a), both.1.then_some(b)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Whether the adjoint of the statement may read the place as an operand, and as the result. For a statement that
    /// overwrites a place that it reads both may be possible, so the operands of its partials decide.
    fn reads_as(&self, stmt: &Stmt, p: &Place) -> (bool, bool) {
        let (StmtKind::Let(_, Some(e)) | StmtKind::Assign(_, e)) = &stmt.kind else {
            return (true, false);
        };
        let cells = self.values.under(p);
        let mut reads = false;
        e.walk(&mut |e| {
            let places = e.own_places().iter();
            reads |= places
                .flat_map(|q| self.values.under(q))
                .any(|c| cells.contains(&c));
        });
        if !reads {
            return (false, true);
        }
        let mut operands = false;
        e.walk(&mut |e| operands |= uses(e).iter().any(|u| matches!(u, Use::Operand(_))));
        let written = match &stmt.kind {
            StmtKind::Assign(written, _) => written.proj == p.proj,
            _ => true,
        };
        let result = written && uses(e).contains(&Use::Result);
        (operands || !result, result)
    }
}

/// What the partials of the operation at the root of the tree use.
fn uses(e: &Expr) -> Vec<Use> {
    let partials: &[Partial] = match e {
        Expr::Intrinsic(i, _) => rules::intrinsic(*i),
        Expr::Binary(op, _, _) => rules::binary(*op).map_or(&[], |p| &p[..]),
        _ => &[],
    };
    partials.iter().flat_map(|p| p.uses()).collect()
}
