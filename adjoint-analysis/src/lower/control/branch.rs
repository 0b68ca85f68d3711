//! Joins of control flow: the arms of a branch and their common value.

use std::collections::HashSet;

use proc_macro2::Span;

use super::super::reference::RefKind;
use super::super::value::Value;
use super::super::{Lower, Origin, Place, Stmt, StmtKind, Ty, VarId};
use super::Arm;
use crate::ir::Expr;
use crate::lower::aggregate::split_enum::literal_bool;
use crate::lower::expr::assign::is_same_ref;
use crate::mir::labeled::LabeledStmt;

impl Lower {
    /// Emits a branch of two arms; its value, if it has one, is in a temporary.
    pub fn emit_branch(&mut self, span: Span, test: Expr, mut then: Arm, mut els: Arm) -> Value {
        if let Some(truth) = literal_bool(&test) {
            let (raws, value) = if truth { then } else { els };
            self.out.extend(raws);
            return self.copy_to_temp(value, span);
        }
        let passed_on = match self.reuse_arm_temp(&mut els, &then.1) {
            None => self.reuse_arm_temp(&mut then, &els.1),
            dest => dest,
        };
        let dest = match passed_on {
            Some(dest) => dest,
            None => {
                let own = self.arm_vars(&[&then, &els]);
                self.join_destination(&[&then.1, &els.1], &own, span)
            }
        };
        let mut close = |(mut raws, value): Arm| {
            raws.extend(self.in_block(|l| l.store_arm(&dest, value, span)).0);
            raws
        };
        let (then, els) = (close(then), close(els));
        let id = self.stmt_id(span);
        self.out.push(LabeledStmt::If(id, test, then, els));
        dest
    }

    /// Reuses the temporary of a branch at the end of an arm for the outer branch, and declares it here: a chain of
    /// `else if` then has one temporary, which each of its arms assigns.
    fn reuse_arm_temp(&mut self, arm: &mut Arm, other: &Value) -> Option<Value> {
        let plain = matches!(other, Value::Expr(..) | Value::Place(_) | Value::Diverges);
        let (Value::Place(place), [.., declared, LabeledStmt::If(..)], true) =
            (&arm.1, &arm.0[..], plain)
        else {
            return None;
        };
        let own = |s: &Stmt| matches!(s.kind, StmtKind::Let(v, None) if v == place.root);
        if !place.is_whole() || !matches!(declared, LabeledStmt::Stmt(s) if own(s)) {
            return None;
        }
        if !matches!(other, Value::Diverges) {
            let found = self.value_ty(other);
            self.unify(&place.ty, &found);
        }
        self.out.push(arm.0.remove(arm.0.len() - 2));
        Some(std::mem::replace(&mut arm.1, Value::Diverges))
    }

    /// Declares the place for the value of several arms; `own` are the arms' own variables.
    pub fn join_destination(
        &mut self,
        values: &[&Value],
        own: &HashSet<VarId>,
        span: Span,
    ) -> Value {
        let live: Vec<&Value> = values
            .iter()
            .copied()
            .filter(|v| !matches!(v, Value::Diverges))
            .collect();
        let Some(first) = live.first() else {
            return Value::Diverges;
        };
        if live.iter().all(|v| matches!(v, Value::Unit)) {
            return Value::Unit;
        }
        if live.iter().any(|v| matches!(v, Value::SplitEnum(_))) {
            return self.split_enum_destination(&live, own, span);
        }
        let arms = live.iter().map(|v| matching_parts(v, first));
        if let Some(arms) = arms.collect::<Option<Vec<_>>>() {
            let mut i = 0;
            return (*first).clone().strip_ref().map_parts(|_| {
                let column: Vec<&Value> = arms.iter().map(|parts| &parts[i]).collect();
                i += 1;
                self.join_destination(&column, own, span)
            });
        }
        if let Value::PlaceRef(place, mutable) = first {
            let same = live
                .iter()
                .all(|v| matches!(v, Value::PlaceRef(p, _) if p == place));
            if same && !depends_on_vars(place, own) {
                return Value::PlaceRef(place.clone(), *mutable);
            }
            // The referent's type may be unknown, so only numbers are copied.
            let scalar = live
                .iter()
                .all(|v| matches!(v, Value::PlaceRef(p, false) if self.infer.is_number(&p.ty)));
            if live.iter().all(|v| matches!(v, Value::PlaceRef(..)))
                && (!scalar || self.keep_reference)
            {
                return self.join_references(&live, span);
            }
        }
        let ty = self.fresh_ty();
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
    pub(super) fn arm_vars(&self, arms: &[&Arm]) -> HashSet<VarId> {
        let exits = |arm: &&Arm| matches!(arm.1, Value::Diverges) && always_exits(&arm.0);
        if arms.iter().any(exits) {
            return HashSet::new();
        }
        let mut own = declared_vars(arms.iter().flat_map(|arm| &arm.0));
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
    fn join_references(&mut self, arms: &[&Value], span: Span) -> Value {
        let ty = self.fresh_ty();
        let types: Vec<Ty> = arms.iter().map(|arm| self.value_ty(arm)).collect();
        // Arrays of different lengths have the common type of a slice.
        let extent = |ty: &Ty| match ty {
            Ty::Array(_, extent) => Some(extent.clone()),
            _ => None,
        };
        let extents: Vec<_> = types.iter().map(extent).collect();
        let differ = extents.windows(2).any(|pair| pair[0] != pair[1]);
        if differ && types.iter().any(|ty| matches!(ty, Ty::Array(..))) {
            let element = Box::new(self.fresh_ty());
            self.unify(&ty, &Ty::Slice(element));
        }
        for found in &types {
            self.unify(&ty, found);
        }
        let mutable = |arm: &&Value| matches!(arm, Value::PlaceRef(_, true));
        let kind = RefKind {
            mutable: arms.iter().all(mutable),
            rebindable: false,
        };
        self.new_reference("chosen", kind, ty, None, span)
    }

    /// Stores an arm's value in its destination.
    pub(super) fn store_arm(&mut self, dest: &Value, value: Value, span: Span) {
        match (dest, value) {
            (_, Value::Diverges) | (Value::Unit | Value::Diverges, _) => {}
            (dest, value) if is_same_ref(dest, &value) => {}
            (dest, value) => self.store(dest.clone(), value, span),
        }
    }
}

/// Whether every path through the code ends with an exit, rather than with a panic.
fn always_exits(raws: &[LabeledStmt]) -> bool {
    match raws.last() {
        Some(LabeledStmt::Exit(_)) => true,
        Some(LabeledStmt::If(_, _, then, els)) => always_exits(then) && always_exits(els),
        _ => false,
    }
}

/// The variables that the statements declare.
fn declared_vars<'a>(raws: impl Iterator<Item = &'a LabeledStmt>) -> HashSet<VarId> {
    let mut found = HashSet::new();
    for raw in raws {
        match raw {
            LabeledStmt::Stmt(stmt) => found.extend(stmt.declared()),
            LabeledStmt::If(_, _, then, els) => found.extend(declared_vars(then.iter().chain(els))),
            LabeledStmt::Loop(_, _, _, body) | LabeledStmt::Labeled(_, body) => {
                found.extend(declared_vars(body.iter()))
            }
            LabeledStmt::Exit(_) | LabeledStmt::Break(_) => {}
        }
    }
    found
}

/// Whether the place is in one of the variables, or an index on its path reads one.
fn depends_on_vars(place: &Place, own: &HashSet<VarId>) -> bool {
    let mut found = own.contains(&place.root);
    for e in place.operands() {
        e.walk(&mut |e| found |= e.own_places().iter().any(|p| own.contains(&p.root)));
    }
    found
}

/// The parts of a tuple or struct, also behind a shared reference, if it has the structure of `other`.
fn matching_parts<'v>(value: &'v Value, other: &Value) -> Option<&'v [Value]> {
    match (value, other) {
        (Value::RefToAggregate(value, false), other) => matching_parts(value, other),
        (value, Value::RefToAggregate(other, false)) => matching_parts(value, other),
        (Value::Tuple(parts), Value::Tuple(others)) if parts.len() == others.len() => Some(parts),
        (Value::RefStruct(of, parts), Value::RefStruct(other, _)) if of.name == other.name => {
            Some(parts)
        }
        _ => None,
    }
}
