//! Joins of control flow: the arms of a branch and their common value.

use std::collections::HashSet;

use proc_macro2::Span;

use super::super::reference::Kind;
use super::super::value::Value;
use super::super::{Lower, Origin, Place, Stmt, StmtKind, Ty, VarId};
use super::Arm;
use crate::ir::Expr;
use crate::lower::aggregate::tagged::known;
use crate::lower::expr::assign::is_same_view;
use crate::mir::labeled::LabeledStmt;

impl Lower {
    /// Emits a branch of two arms; its value, if it has one, is in a temporary.
    pub fn branch(&mut self, span: Span, test: Expr, mut then: Arm, mut els: Arm) -> Value {
        if let Some(truth) = known(&test) {
            let (raws, value) = if truth { then } else { els };
            self.out.extend(raws);
            return self.pin(value, span);
        }
        let passed_on = match self.passed_on(&mut els, &then.1) {
            None => self.passed_on(&mut then, &els.1),
            dest => dest,
        };
        let dest = match passed_on {
            Some(dest) => dest,
            None => {
                let own = self.in_arms(&[&then, &els]);
                self.destination(&[&then.1, &els.1], &own, span)
            }
        };
        let mut close = |(mut raws, value): Arm| {
            raws.extend(self.in_block(|l| l.deliver(&dest, value, span)).0);
            raws
        };
        let (then, els) = (close(then), close(els));
        let id = self.stmt_id(span);
        self.out.push(LabeledStmt::If(id, test, then, els));
        dest
    }

    /// Reuses the temporary of a branch at the end of an arm for the outer branch, and declares it here: a chain of
    /// `else if` then has one temporary, which each of its arms assigns.
    fn passed_on(&mut self, arm: &mut Arm, other: &Value) -> Option<Value> {
        let plain = matches!(other, Value::Expr(..) | Value::Place(_) | Value::Never);
        let (Value::Place(place), [.., declared, LabeledStmt::If(..)], true) =
            (&arm.1, &arm.0[..], plain)
        else {
            return None;
        };
        let own = |s: &Stmt| matches!(s.kind, StmtKind::Let(v, None) if v == place.root);
        if !place.is_whole() || !matches!(declared, LabeledStmt::Stmt(s) if own(s)) {
            return None;
        }
        if !matches!(other, Value::Never) {
            let found = self.value_ty(other);
            self.unify(&place.ty, &found);
        }
        self.out.push(arm.0.remove(arm.0.len() - 2));
        Some(std::mem::replace(&mut arm.1, Value::Never))
    }

    /// Declares the place for the value of several arms; `own` are the arms' own variables.
    pub fn destination(&mut self, values: &[&Value], own: &HashSet<VarId>, span: Span) -> Value {
        let live: Vec<&Value> = values
            .iter()
            .copied()
            .filter(|v| !matches!(v, Value::Never))
            .collect();
        let Some(first) = live.first() else {
            return Value::Never;
        };
        if live.iter().all(|v| matches!(v, Value::Unit)) {
            return Value::Unit;
        }
        if live.iter().any(|v| matches!(v, Value::Choice(_))) {
            return self.choice_destination(&live, own, span);
        }
        let arms = live.iter().map(|v| parts_like(v, first));
        if let Some(arms) = arms.collect::<Option<Vec<_>>>() {
            let mut i = 0;
            return (*first).clone().seen_through().map(|_| {
                let column: Vec<&Value> = arms.iter().map(|parts| &parts[i]).collect();
                i += 1;
                self.destination(&column, own, span)
            });
        }
        if let Value::View(place, mutable) = first {
            let same = live
                .iter()
                .all(|v| matches!(v, Value::View(p, _) if p == place));
            if same && !is_reached_by(place, own) {
                return Value::View(place.clone(), *mutable);
            }
            // The referent's type may be unknown, so only numbers are copied.
            let scalar = live
                .iter()
                .all(|v| matches!(v, Value::View(p, false) if self.infer.is_number(&p.ty)));
            if live.iter().all(|v| matches!(v, Value::View(..))) && (!scalar || self.by_reference) {
                return self.chosen(&live, span);
            }
        }
        let ty = self.fresh();
        for value in live {
            let found = self.value_ty(value);
            self.unify(&ty, &found);
        }
        let var = self.new_var("value", ty.clone(), Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        Value::Place(super::super::Place::var(var, ty))
    }

    /// The arms' own variables, which the code after the branch can't see, and the targets of references among them. If
    /// an arm exits, there are none: the code after the branch is in the scope of the other arm.
    pub(super) fn in_arms(&self, arms: &[&Arm]) -> HashSet<VarId> {
        let exits = |arm: &&Arm| matches!(arm.1, Value::Never) && exits(&arm.0);
        if arms.iter().any(exits) {
            return HashSet::new();
        }
        let mut own = declared(arms.iter().flat_map(|arm| &arm.0));
        let targets = self
            .draft
            .references
            .iter()
            .filter(|r| own.contains(&r.itself));
        let targets: Vec<VarId> = targets.map(|r| r.target).collect();
        own.extend(targets);
        own
    }

    /// Declares a reference that each arm sets.
    fn chosen(&mut self, arms: &[&Value], span: Span) -> Value {
        let ty = self.fresh();
        let types: Vec<Ty> = arms.iter().map(|arm| self.value_ty(arm)).collect();
        // Arrays of different lengths have the common type of a slice.
        let extent = |ty: &Ty| match ty {
            Ty::Array(_, extent) => Some(extent.clone()),
            _ => None,
        };
        let extents: Vec<_> = types.iter().map(extent).collect();
        let differ = extents.windows(2).any(|pair| pair[0] != pair[1]);
        if differ && types.iter().any(|ty| matches!(ty, Ty::Array(..))) {
            let element = Box::new(self.fresh());
            self.unify(&ty, &Ty::Slice(element));
        }
        for found in &types {
            self.unify(&ty, found);
        }
        let mutable = |arm: &&Value| matches!(arm, Value::View(_, true));
        let kind = Kind {
            mutable: arms.iter().all(mutable),
            moves: false,
        };
        self.new_reference("chosen", kind, ty, None, span)
    }

    /// Stores an arm's value in its destination.
    pub(super) fn deliver(&mut self, dest: &Value, value: Value, span: Span) {
        match (dest, value) {
            (_, Value::Never) | (Value::Unit | Value::Never, _) => {}
            (dest, value) if is_same_view(dest, &value) => {}
            (dest, value) => self.store(dest.clone(), value, span),
        }
    }
}

/// Whether every path through the code ends with an exit, rather than with a panic.
fn exits(raws: &[LabeledStmt]) -> bool {
    match raws.last() {
        Some(LabeledStmt::Exit(_)) => true,
        Some(LabeledStmt::If(_, _, then, els)) => exits(then) && exits(els),
        _ => false,
    }
}

/// The variables that the statements declare.
fn declared<'a>(raws: impl Iterator<Item = &'a LabeledStmt>) -> HashSet<VarId> {
    let mut found = HashSet::new();
    for raw in raws {
        match raw {
            LabeledStmt::Stmt(stmt) => found.extend(stmt.declared()),
            LabeledStmt::If(_, _, then, els) => found.extend(declared(then.iter().chain(els))),
            LabeledStmt::Loop(_, _, _, body) | LabeledStmt::Labeled(_, body) => {
                found.extend(declared(body.iter()))
            }
            LabeledStmt::Exit(_) | LabeledStmt::Break(_) => {}
        }
    }
    found
}

/// Whether the place is in one of the variables, or an index on its path reads one.
fn is_reached_by(place: &Place, own: &HashSet<VarId>) -> bool {
    let mut found = own.contains(&place.root);
    for e in place.operands() {
        e.walk(&mut |e| found |= e.own_places().iter().any(|p| own.contains(&p.root)));
    }
    found
}

/// The parts of a tuple or struct, also behind a shared reference, if it has the structure of `other`.
fn parts_like<'v>(value: &'v Value, other: &Value) -> Option<&'v [Value]> {
    match (value, other) {
        (Value::Lent(value, false), other) => parts_like(value, other),
        (value, Value::Lent(other, false)) => parts_like(value, other),
        (Value::Tuple(parts), Value::Tuple(others)) if parts.len() == others.len() => Some(parts),
        (Value::Record(of, parts), Value::Record(other, _)) if of.name == other.name => Some(parts),
        _ => None,
    }
}
