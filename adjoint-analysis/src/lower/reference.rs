//! References that are chosen or reassigned at run time: category C4 of `[PTR]` §2.1.
//!
//! A reference whose target is fixed when it is bound is a value that names this place, and nothing else. A reference
//! that is chosen by a branch or assigned again gets two variables that exist only until lowering is finished:
//! `itself`, the reference, which statements set (`itself = place`, `swap itself, other`), and `target`, the root of
//! all places behind the reference. Lowering treats the target like any other variable. When the whole body is known,
//! [`crate::mir::references::points_to`] computes what each reference may point to, and
//! [`crate::mir::references::dereference`] replaces both variables by integers.

use crate::mir::references::Reference;
use proc_macro2::Span;

use super::aggregate::split_enum::SplitEnum;
use super::types::{payload_type, ungrouped};
use super::value::{Binding, Value};
use super::{Lower, Origin, StmtKind, Ty};
use crate::ir::{Expr, Place, Proj, VarId};
use crate::refuse::Reason;

/// The kind of a new reference.
#[derive(Clone, Copy, Debug)]
pub struct RefKind {
    /// Whether it is a `&mut` one.
    pub mutable: bool,
    /// Whether it may be reassigned after its first use.
    pub rebindable: bool,
}

impl RefKind {
    /// The kind of a reference that may be reassigned.
    pub fn rebindable(mutable: bool) -> RefKind {
        RefKind {
            mutable,
            rebindable: true,
        }
    }
}

impl Lower {
    /// Whether a copy of the value can replace a shared reference to the place.
    pub fn is_copyable(&self, place: &Place) -> bool {
        let ty = self.shallow(&place.ty);
        ty.is_scalar() || matches!(ty, Ty::Infer(_)) && !self.has_constructor(&ty)
    }

    /// Coerces a value to its declared type. A reference to an array becomes one to a slice, so that it may later refer
    /// to a part of an array. A place of a named type that is not visible takes the array or tuple type that the name
    /// turns out to alias.
    pub fn coerce_to_declared(&self, value: Value, ty: &Ty) -> Value {
        let is_named = |ty: &Ty| matches!(self.shallow(ty), Ty::Named(_));
        match (value, self.shallow(ty)) {
            (Value::PlaceRef(p, mutable), Ty::Slice(t)) => {
                Value::PlaceRef(self.as_slice(p, t), mutable)
            }
            (Value::Place(p), ty @ (Ty::Array(..) | Ty::Tuple(_))) if is_named(&p.ty) => {
                Value::Place(Place { ty, ..p })
            }
            (value, _) => value,
        }
    }

    /// Coerces an array to a slice.
    pub fn as_slice(&self, place: Place, element: Box<Ty>) -> Place {
        match self.shallow(&place.ty) {
            Ty::Array(..) => Place {
                ty: Ty::Slice(element),
                ..place
            },
            _ => place,
        }
    }

    /// Declares a reference, and sets its target if it has one already.
    pub fn new_reference(
        &mut self,
        name: &str,
        kind: RefKind,
        ty: Ty,
        to: Option<Place>,
        span: Span,
    ) -> Value {
        let itself = self.new_var(&format!("{name}_to"), ty, Origin::Local);
        let to = to.map(|p| Expr::Read(self.freeze_place(p, span)));
        self.emit(span, StmtKind::Let(itself, to));
        self.make_reference(itself, kind, span)
    }

    /// Turns the variable into a reference.
    fn make_reference(&mut self, itself: VarId, kind: RefKind, span: Span) -> Value {
        let var = self.draft.func.var(itself).clone();
        let name = var.name.strip_suffix("_to").unwrap_or(&var.name);
        let target = self.new_var(name, var.ty.clone(), Origin::Local);
        self.draft.references.push(Reference {
            itself,
            target,
            mutable: kind.mutable,
            rebindable: kind.rebindable,
            span,
        });
        Value::PlaceRef(Place::var(target, var.ty), kind.mutable)
    }

    /// The reference through which the place is reached.
    pub fn reference_at(&self, place: &Place) -> Option<&Reference> {
        self.draft
            .references
            .iter()
            .find(|r| r.target == place.root)
    }

    /// The variable of the reassignable reference that the view is, rather than a part of its target.
    pub fn rebindable_var(&self, view: &Place) -> Option<VarId> {
        let reference = self.reference_at(view).filter(|_| view.is_whole());
        reference.map(|r| r.itself)
    }

    /// Whether the value is a reassignable reference.
    pub fn is_rebindable(&self, value: &Value) -> bool {
        matches!(value, Value::PlaceRef(p, _) if self.rebindable_var(p).is_some())
    }

    /// Refuses to reassign through a reference that is itself chosen at run time among several: only the chosen copy
    /// would change.
    pub fn refuse_chosen_ref(&mut self, value: &Value, span: Span) -> bool {
        let chosen = matches!(value, Value::PlaceRef(p, _) if p.is_whole()
            && self.reference_at(p).is_some_and(|r| !r.rebindable));
        if chosen {
            let what = "a reference, one of several chosen at run time, that is assigned again";
            self.refuse(span, Reason::Reference(what.into()));
        }
        chosen
    }

    /// `reference = &place`
    pub fn rebind(&mut self, reference: &Place, to: Place, span: Span) {
        let Some(itself) = self.rebindable_var(reference) else {
            let what = "a reference that changes what it points to";
            self.refuse(span, Reason::Reference(what.into()));
            return;
        };
        let narrows = match (self.shallow(&reference.ty), self.shallow(&to.ty)) {
            (Ty::Array(_, n), Ty::Array(_, extent)) => n != extent,
            (Ty::Array(..), to) => matches!(to, Ty::Slice(_) | Ty::Vec(_)),
            _ => false,
        };
        if narrows {
            let what = "a reference to an array that becomes one to a part of it, of a type not visible here,";
            self.refuse(span, Reason::Reference(what.into()));
            return;
        }
        self.unify(&reference.ty, &to.ty);
        let to = match to.proj.last() {
            Some(Proj::Index(_)) => self.freeze_indices(to, span),
            _ => to,
        };
        let place = self.draft.func.place(itself);
        self.emit(span, StmtKind::Assign(place, Expr::Read(to)));
    }

    /// Copies a reassignable reference that the place is reached through, so that reassigning it later leaves the
    /// place.
    pub fn snapshot_ref(&mut self, place: Place, span: Span) -> Place {
        let Some(found) = self.reference_at(&place).filter(|r| r.rebindable).cloned() else {
            return place;
        };
        let target = self.draft.func.place(found.target);
        let name = self.draft.func.var(found.target).name.clone();
        let itself = self.new_var(&format!("{name}_to"), target.ty.clone(), Origin::Local);
        self.emit(span, StmtKind::Let(itself, Some(Expr::Read(target))));
        let kind = RefKind {
            mutable: found.mutable,
            rebindable: false,
        };
        match self.make_reference(itself, kind, span) {
            Value::PlaceRef(copy, _) => place.with_root(copy.root),
            _ => place,
        }
    }

    /// The first assignment to a name declared without a value, by a reference: the variable becomes a reference.
    pub fn init_as_reference(&mut self, var: VarId, to: Place, mutable: bool, span: Span) -> bool {
        let Some(at) = self.unassigned.iter().position(|v| *v == var) else {
            return false;
        };
        self.unassigned.swap_remove(at);
        if self.read_unassigned.contains(&var) {
            let what = "a reference that is used, in a loop, before the statement that says what it leads to,";
            self.refuse(span, Reason::Reference(what.into()));
            return true;
        }
        let kind = RefKind::rebindable(mutable);
        let value = self.make_reference(var, kind, span);
        for binding in self.scopes.iter_mut().flat_map(|s| s.values_mut()) {
            match binding {
                Binding::Var(v) if *v == var => *binding = Binding::Value(value.clone()),
                Binding::Var(_) => {}
                Binding::Value(held) => replace_var(held, var, &value),
            }
        }
        if let Value::PlaceRef(reference, _) = value {
            self.rebind(&reference, to, span);
        }
        true
    }

    /// Variables for an `Option` or `Result` of this type that holds no reference yet. In a loop they may be read
    /// before the statement that sets the reference.
    pub fn declare_empty_ref(
        &mut self,
        name: &str,
        value: &Value,
        declared: &syn::Type,
        span: Span,
    ) -> Option<Value> {
        let (_, held) = payload_type(declared)?;
        let Value::SplitEnum(c) = value else {
            return None;
        };
        if !matches!(c.payload, Value::Uninit(_)) || !self.may_be_empty_ref(held) {
            return None;
        }
        let without = SplitEnum {
            payload: Value::Unit,
            ..SplitEnum::clone(c)
        };
        let own = self.owned_split_enum(name, without, true, span);
        let yes = match held {
            syn::Type::Tuple(t) => {
                let parts = t.elems.iter().enumerate();
                let parts =
                    parts.map(|(k, ty)| self.empty_ref_part(&format!("{name}_{k}"), ty, span));
                Value::Tuple(parts.collect())
            }
            held => self.empty_ref_part(name, held, span),
        };
        Some(Value::SplitEnum(Box::new(SplitEnum {
            payload: yes,
            ..own
        })))
    }

    /// Whether the payload is a reference, or a tuple of numbers and references, all of known types.
    fn may_be_empty_ref(&mut self, held: &syn::Type) -> bool {
        match held {
            syn::Type::Reference(r) => {
                let ty = self.declared_type(&r.elem);
                let is_copied = r.mutability.is_none() && ty.is_scalar();
                !is_copied && !matches!(ty, Ty::Unknown | Ty::Discrete(_))
            }
            syn::Type::Tuple(t) => {
                let is_reference =
                    |ty: &&syn::Type| matches!(ungrouped(ty), syn::Type::Reference(_));
                let (references, values): (Vec<_>, Vec<_>) = t.elems.iter().partition(is_reference);
                let known = references
                    .iter()
                    .all(|ty| self.may_be_empty_ref(ungrouped(ty)));
                let scalar = values.iter().all(|ty| self.declared_type(ty).is_scalar());
                !references.is_empty() && known && scalar
            }
            _ => false,
        }
    }

    /// A reference of this type without a target, or a number without a value.
    fn empty_ref_part(&mut self, name: &str, ty: &syn::Type, span: Span) -> Value {
        if let syn::Type::Reference(r) = ungrouped(ty) {
            let (kind, ty) = (
                RefKind::rebindable(r.mutability.is_some()),
                self.declared_type(&r.elem),
            );
            return self.new_reference(name, kind, ty, None, span);
        }
        let ty = self.declared_type(ty);
        let var = self.new_var(name, ty, Origin::Local);
        self.emit(span, StmtKind::Let(var, None));
        Value::Place(self.draft.func.place(var))
    }

    /// Records a read of a variable that has no value yet and may still become a reference.
    pub fn note_read(&mut self, place: &Place) {
        if self.unassigned.contains(&place.root) {
            self.read_unassigned.insert(place.root);
        }
    }

    /// The value of a variable that several branches assign: a place, or a reference if it became one.
    pub fn value_of_var(&self, var: VarId) -> Value {
        match self.draft.references.iter().find(|r| r.itself == var) {
            Some(r) => Value::PlaceRef(self.draft.func.place(r.target), r.mutable),
            None => Value::Place(self.draft.func.place(var)),
        }
    }
}

/// Replaces a variable by the reference that it turned out to be.
fn replace_var(held: &mut Value, var: VarId, by: &Value) {
    match held {
        Value::Place(p) if p.is_whole() && p.root == var => *held = by.clone(),
        Value::Tuple(parts) | Value::RefStruct(_, parts) => {
            parts.iter_mut().for_each(|p| replace_var(p, var, by));
        }
        Value::RefToAggregate(of, _) => replace_var(of, var, by),
        Value::SplitEnum(c) => {
            replace_var(&mut c.payload, var, by);
            replace_var(&mut c.err_payload, var, by);
        }
        _ => {}
    }
}
