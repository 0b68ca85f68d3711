//! References that are chosen or moved at run time: categories C4 of `[PTR]` §2.1.
//!
//! A reference whose place is fixed when it is bound is a [`Value::View`] of that place, and nothing
//! else. One that is chosen by a branch, or assigned again, gets two variables here that no finished
//! function has: one for the reference itself, which statements make point somewhere
//! (`itself = place`, `swap itself, other`), and one for its target, which is the root of the places
//! behind it. Lowering goes on with the target as with any variable. When the whole body is known,
//! [`crate::mir::references::points_to`] finds what each may point to, and [`crate::mir::references::dereference`] writes integers in
//! the place of both.

use crate::mir::references::Reference;
use proc_macro2::Span;

use super::aggregate::tagged::Choice;
use super::types::{held_type, ungrouped};
use super::value::{Binding, Value};
use super::{Lower, Origin, StmtKind, Ty};
use crate::ir::{Expr, Place, Proj, VarId};
use crate::refuse::Reason;

/// A new reference, as its name tells it.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Whether it is a `&mut` one.
    pub mutable: bool,
    /// Whether it may be assigned again once it has been used.
    pub moves: bool,
}

impl Kind {
    /// A reference that may be assigned again.
    pub fn moving(mutable: bool) -> Kind {
        Kind {
            mutable,
            moves: true,
        }
    }
}

impl Lower {
    /// Whether a shared reference to the place is as good as a copy of the value.
    pub fn is_copied(&self, place: &Place) -> bool {
        let ty = self.shallow(&place.ty);
        ty.is_scalar() || matches!(ty, Ty::Infer(_)) && !self.is_constructed(&ty)
    }

    /// A reference as it is declared: one to a slice may come to refer to a part of what is an array now. What is of a
    /// type with a name that is not seen, is of the type that the name turns out to stand for.
    pub fn as_declared(&self, value: Value, ty: &Ty) -> Value {
        let is_named = |ty: &Ty| matches!(self.shallow(ty), Ty::Named(_));
        match (value, self.shallow(ty)) {
            (Value::View(p, mutable), Ty::Slice(t)) => Value::View(self.as_slice(p, t), mutable),
            (Value::Place(p), ty @ (Ty::Array(..) | Ty::Tuple(_))) if is_named(&p.ty) => {
                Value::Place(Place { ty, ..p })
            }
            (value, _) => value,
        }
    }

    /// All of an array as a slice.
    pub fn as_slice(&self, place: Place, element: Box<Ty>) -> Place {
        match self.shallow(&place.ty) {
            Ty::Array(..) => Place {
                ty: Ty::Slice(element),
                ..place
            },
            _ => place,
        }
    }

    /// Declares a reference, and makes it point to the place, if there is one already.
    pub fn new_reference(
        &mut self,
        name: &str,
        kind: Kind,
        ty: Ty,
        to: Option<Place>,
        span: Span,
    ) -> Value {
        let itself = self.new_var(&format!("{name}_to"), ty, Origin::Local);
        let to = to.map(|p| Expr::Read(self.settle(p, span)));
        self.emit(span, StmtKind::Let(itself, to));
        self.as_reference(itself, kind, span)
    }

    /// The variable becomes a reference.
    fn as_reference(&mut self, itself: VarId, kind: Kind, span: Span) -> Value {
        let var = self.draft.func.var(itself).clone();
        let name = var.name.strip_suffix("_to").unwrap_or(&var.name);
        let target = self.new_var(name, var.ty.clone(), Origin::Local);
        self.draft.references.push(Reference {
            itself,
            target,
            mutable: kind.mutable,
            moves: kind.moves,
            span,
        });
        Value::View(Place::var(target, var.ty), kind.mutable)
    }

    /// The reference whose target the place is a part of.
    pub fn reference_at(&self, place: &Place) -> Option<&Reference> {
        self.draft
            .references
            .iter()
            .find(|r| r.target == place.root)
    }

    /// The reference that is the whole of a view: one that can be assigned again.
    pub fn reference_of(&self, view: &Place) -> Option<VarId> {
        let reference = self.reference_at(view).filter(|_| view.is_whole());
        reference.map(|r| r.itself)
    }

    /// Whether the value is a reference that can be assigned again.
    pub fn is_reassigned(&self, value: &Value) -> bool {
        matches!(value, Value::View(p, _) if self.reference_of(p).is_some())
    }

    /// Refuses to let a reference lead elsewhere that is one of several, chosen at run time: the chosen one would not.
    pub fn refuse_chosen(&mut self, value: &Value, span: Span) -> bool {
        let chosen = matches!(value, Value::View(p, _) if p.is_whole()
            && self.reference_at(p).is_some_and(|r| !r.moves));
        if chosen {
            let what = "a reference, one of several chosen at run time, that is assigned again";
            self.refuse(span, Reason::Reference(what.into()));
        }
        chosen
    }

    /// `reference = &place`
    pub fn point(&mut self, reference: &Place, to: Place, span: Span) {
        let Some(itself) = self.reference_of(reference) else {
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
            Some(Proj::Index(_)) => self.settle_operands(to, span),
            _ => to,
        };
        let place = self.draft.func.place(itself);
        self.emit(span, StmtKind::Assign(place, Expr::Read(to)));
    }

    /// The place with what it is reached through as it is now: a reference in it that may move later is
    /// copied.
    pub fn anchor(&mut self, place: Place, span: Span) -> Place {
        let Some(found) = self.reference_at(&place).filter(|r| r.moves).cloned() else {
            return place;
        };
        let target = self.draft.func.place(found.target);
        let name = self.draft.func.var(found.target).name.clone();
        let itself = self.new_var(&format!("{name}_to"), target.ty.clone(), Origin::Local);
        self.emit(span, StmtKind::Let(itself, Some(Expr::Read(target))));
        let kind = Kind {
            mutable: found.mutable,
            moves: false,
        };
        match self.as_reference(itself, kind, span) {
            Value::View(copy, _) => place.with_root(copy.root),
            _ => place,
        }
    }

    /// A name that was declared without a value gets a reference as its first: the name stands for one.
    pub fn refer(&mut self, var: VarId, to: Place, mutable: bool, span: Span) -> bool {
        let Some(at) = self.undecided.iter().position(|v| *v == var) else {
            return false;
        };
        self.undecided.swap_remove(at);
        if self.read_undecided.contains(&var) {
            let what = "a reference that is used, in a loop, before the statement that says what it leads to,";
            self.refuse(span, Reason::Reference(what.into()));
            return true;
        }
        let kind = Kind::moving(mutable);
        let value = self.as_reference(var, kind, span);
        for binding in self.scopes.iter_mut().flat_map(|s| s.values_mut()) {
            match binding {
                Binding::Var(v) if *v == var => *binding = Binding::Value(value.clone()),
                Binding::Var(_) => {}
                Binding::Value(held) => put_reference(held, var, &value),
            }
        }
        if let Value::View(reference, _) = value {
            self.point(&reference, to, span);
        }
        true
    }

    /// Variables for an `Option` of this type, or a `Result`, that holds no reference yet: they may be used, in a loop,
    /// before the statement that lets the reference lead somewhere.
    pub fn empty_reference(
        &mut self,
        name: &str,
        value: &Value,
        declared: &syn::Type,
        span: Span,
    ) -> Option<Value> {
        let (_, held) = held_type(declared)?;
        let Value::Choice(c) = value else {
            return None;
        };
        if !matches!(c.yes, Value::Absent(_)) || !self.leads_nowhere(held) {
            return None;
        }
        let without = Choice {
            yes: Value::Unit,
            ..Choice::clone(c)
        };
        let own = self.own_choice(name, without, true, span);
        let yes = match held {
            syn::Type::Tuple(t) => {
                let parts = t.elems.iter().enumerate();
                let parts = parts.map(|(k, ty)| self.nothing(&format!("{name}_{k}"), ty, span));
                Value::Tuple(parts.collect())
            }
            held => self.nothing(name, held, span),
        };
        Some(Value::Choice(Box::new(Choice { yes, ..own })))
    }

    /// Whether it is a reference, or a tuple of numbers and references, of types that are known.
    fn leads_nowhere(&mut self, held: &syn::Type) -> bool {
        match held {
            syn::Type::Reference(r) => {
                let ty = self.written_type(&r.elem);
                let is_copied = r.mutability.is_none() && ty.is_scalar();
                !is_copied && !matches!(ty, Ty::Unknown | Ty::Discrete(_))
            }
            syn::Type::Tuple(t) => {
                let is_reference =
                    |ty: &&syn::Type| matches!(ungrouped(ty), syn::Type::Reference(_));
                let (references, values): (Vec<_>, Vec<_>) = t.elems.iter().partition(is_reference);
                let known = references
                    .iter()
                    .all(|ty| self.leads_nowhere(ungrouped(ty)));
                let scalar = values.iter().all(|ty| self.written_type(ty).is_scalar());
                !references.is_empty() && known && scalar
            }
            _ => false,
        }
    }

    /// A reference of this type that leads nowhere, or a number without a value.
    fn nothing(&mut self, name: &str, ty: &syn::Type, span: Span) -> Value {
        if let syn::Type::Reference(r) = ungrouped(ty) {
            let (kind, ty) = (
                Kind::moving(r.mutability.is_some()),
                self.written_type(&r.elem),
            );
            return self.new_reference(name, kind, ty, None, span);
        }
        let ty = self.written_type(ty);
        let var = self.new_var(name, ty, Origin::Local);
        self.emit(span, StmtKind::Let(var, None));
        Value::Place(self.draft.func.place(var))
    }

    /// Notes that a variable is read of which it is not known yet whether it is a reference.
    pub fn note_read(&mut self, place: &Place) {
        if self.undecided.contains(&place.root) {
            self.read_undecided.insert(place.root);
        }
    }

    /// What a variable that takes a value from several places stands for.
    pub fn delivered(&self, var: VarId) -> Value {
        match self.draft.references.iter().find(|r| r.itself == var) {
            Some(r) => Value::View(self.draft.func.place(r.target), r.mutable),
            None => Value::Place(self.draft.func.place(var)),
        }
    }
}

/// Puts a reference for a variable that turns out to be one.
fn put_reference(held: &mut Value, var: VarId, by: &Value) {
    match held {
        Value::Place(p) if p.is_whole() && p.root == var => *held = by.clone(),
        Value::Tuple(parts) | Value::Record(_, parts) => {
            parts.iter_mut().for_each(|p| put_reference(p, var, by));
        }
        Value::Lent(of, _) => put_reference(of, var, by),
        Value::Choice(c) => {
            put_reference(&mut c.yes, var, by);
            put_reference(&mut c.no, var, by);
        }
        _ => {}
    }
}
