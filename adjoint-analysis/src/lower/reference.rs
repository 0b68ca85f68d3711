//! References that are chosen or moved at run time: categories C4 of `[PTR]` §2.1.
//!
//! A reference whose place is fixed when it is bound is a [`Value::View`] of that place, and nothing
//! else. One that is chosen by a branch, or assigned again, gets two variables here that no finished
//! function has: one for the reference itself, which statements make point somewhere
//! (`itself = place`, `swap itself, other`), and one for its target, which is the root of the places
//! behind it. Lowering goes on with the target as with any variable. When the whole body is known,
//! [`super::points_to`] finds what each may point to, and [`super::dereference`] writes integers in
//! the place of both.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::choice::{Choice, Family};
use super::code::By;
use super::expr::strip_parens;
use super::value::{Binding, Value};
use super::{Lower, Origin, StmtKind, Ty};
use crate::ir::{BinOp, Expr, Place, Proj, VarId};
use crate::refuse::Reason;

/// Methods that move the references of an array, or put others there.
const REARRANGING: &[&str] = &[
    "clone_from_slice",
    "copy_from_slice",
    "copy_within",
    "fill",
    "fill_with",
    "rotate_left",
    "rotate_right",
    "select_nth_unstable",
    "select_nth_unstable_by",
    "select_nth_unstable_by_key",
    "sort",
    "sort_by",
    "sort_by_cached_key",
    "sort_by_key",
    "sort_unstable",
    "sort_unstable_by",
    "sort_unstable_by_key",
    "swap_with_slice",
];

/// A reference that is chosen or moved at run time.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The reference itself.
    pub itself: VarId,
    /// What stands for the value that it refers to.
    pub target: VarId,
    /// Whether it is a `&mut` one.
    pub mutable: bool,
    /// Whether it may be assigned again once it has been used.
    pub moves: bool,
    /// Where it is made.
    pub span: Span,
}

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
        ty.is_scalar() || matches!(ty, Ty::Infer(_))
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
        let var = self.func.var(itself).clone();
        let name = var.name.strip_suffix("_to").unwrap_or(&var.name);
        let target = self.new_var(name, var.ty.clone(), Origin::Local);
        self.references.push(Reference {
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
        self.references.iter().find(|r| r.target == place.root)
    }

    /// The reference that is the whole of a view: one that can be assigned again.
    fn reference_of(&self, view: &Place) -> Option<VarId> {
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
        let place = self.func.place(itself);
        self.emit(span, StmtKind::Assign(place, Expr::Read(to)));
    }

    /// The place with what it is reached through as it is now: a reference in it that may move later is
    /// copied.
    pub fn anchor(&mut self, place: Place, span: Span) -> Place {
        let Some(found) = self.reference_at(&place).filter(|r| r.moves).cloned() else {
            return place;
        };
        let target = self.func.place(found.target);
        let name = self.func.var(found.target).name.clone();
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

    /// What a variable that takes a value from several places stands for.
    pub fn delivered(&self, var: VarId) -> Value {
        match self.references.iter().find(|r| r.itself == var) {
            Some(r) => Value::View(self.func.place(r.target), r.mutable),
            None => Value::Place(self.func.place(var)),
        }
    }

    /// An argument `&mut r` where `r` is itself a reference, or one that leads to such a reference: `a`, `&mut *a`.
    fn reference_argument(&mut self, arg: &syn::Expr) -> Option<Place> {
        let syn::Expr::Reference(r) = strip_parens(arg) else {
            return self.leads_to_reference(arg);
        };
        r.mutability?;
        match strip_parens(&r.expr) {
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => {
                self.leads_to_reference(&u.expr)
            }
            inner => match self.named_value(inner)? {
                Value::View(place, _) => Some(place),
                Value::Lent(..) => {
                    let what = "a reference to a reference that is assigned again";
                    self.refuse(r.span(), Reason::Reference(what.into()));
                    None
                }
                _ => None,
            },
        }
    }

    /// The reference that the named one leads to.
    fn leads_to_reference(&mut self, named: &syn::Expr) -> Option<Place> {
        match self.named_value(named)? {
            Value::Lent(of, _) => match *of {
                Value::View(place, _) => Some(place),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a name, a field of one or an element of a list of references stands for, of which nothing is taken.
    fn named_value(&mut self, e: &syn::Expr) -> Option<Value> {
        let e = strip_parens(e);
        if let syn::Expr::Index(element) = e {
            let list = self.named_value(&element.expr)?.seen_through();
            return matches!(&list, Value::Tuple(parts) if is_list(parts))
                .then(|| self.named_element(element));
        }
        let is_name = match e {
            syn::Expr::Path(_) => true,
            syn::Expr::Field(f) => matches!(strip_parens(&f.base), syn::Expr::Path(_)),
            _ => false,
        };
        is_name.then(|| self.in_block(|l| l.expr(e)).1)
    }

    fn named_element(&mut self, element: &syn::ExprIndex) -> Value {
        let (raws, value) = self.in_block(|l| l.expr(&syn::Expr::Index(element.clone())));
        if raws.is_empty() {
            return value;
        }
        let what = "an element, chosen at run time, of an array of references";
        self.refuse(element.span(), Reason::Reference(what.into()))
    }

    /// `swap`, `replace` and `take` of `mem`, of references themselves.
    pub fn move_references(
        &mut self,
        name: &str,
        args: &[&syn::Expr],
        span: Span,
    ) -> Option<Value> {
        if let Some(moved) = self.move_choices(name, args, span) {
            return Some(moved);
        }
        let first = self.reference_argument(args.first()?)?;
        match (name, args) {
            ("swap", [_, second]) => {
                let second = self.reference_argument(second)?;
                self.swap_references(&first, &second, span);
                Some(Value::Unit)
            }
            ("replace" | "take", _)
                if self.refuse_chosen(&Value::View(first.clone(), true), span) =>
            {
                Some(Value::Never)
            }
            ("replace", [_, new]) => {
                let new = self.expr(new);
                let old = self.anchor(first.clone(), span);
                let old_is_mut = self.reference_at(&first).is_some_and(|r| r.mutable);
                match new {
                    Value::View(to, _) => self.point(&first, to, span),
                    other => self.refuse_use(&other, span, Reason::NotAPlace),
                }
                Some(Value::View(old, old_is_mut))
            }
            ("take", [_]) => {
                let old = self.anchor(first.clone(), span);
                let old_is_mut = self.reference_at(&first).is_some_and(|r| r.mutable);
                let nothing = Expr::Lit("0".into(), Ty::USIZE);
                let element = match self.shallow(&first.ty).element() {
                    Some(element) => element.clone(),
                    None => self.fresh(),
                };
                let none = Proj::Range(None, Some(Box::new(nothing)));
                let empty = first.project(none, Ty::Slice(Box::new(element)));
                self.point(&first, empty, span);
                Some(Value::View(old, old_is_mut))
            }
            _ => None,
        }
    }

    /// The same of `Option`s and `Result`s that hold references.
    fn move_choices(&mut self, name: &str, args: &[&syn::Expr], span: Span) -> Option<Value> {
        let first = self.lent_choice(args.first()?)?;
        let second = match (name, args) {
            ("swap", [_, second]) => Value::Choice(Box::new(self.lent_choice(second)?)),
            ("replace", [_, new]) => self.expr(new),
            ("take", [_]) => self.of_family(Family::Option, false, Value::Unit),
            _ => return None,
        };
        let new = self.pin(second.clone(), span);
        let old = self.own_choice("taken", first.clone(), false, span);
        let old = Value::Choice(Box::new(old));
        self.store_choice(&first, new, span);
        match (name, second) {
            ("swap", Value::Choice(second)) => {
                self.store_choice(&second, old, span);
                Some(Value::Unit)
            }
            _ => Some(old),
        }
    }

    /// `&mut o`, where `o` is an `Option` or `Result` that holds a reference which can be assigned again.
    fn lent_choice(&mut self, arg: &syn::Expr) -> Option<Choice> {
        let syn::Expr::Reference(r) = strip_parens(arg) else {
            return None;
        };
        if let syn::Expr::Index(_) = strip_parens(&r.expr) {
            return None;
        }
        match self.named_value(&r.expr)? {
            Value::Choice(c) if c.by_ref.is_none() && self.is_reassigned(&c.yes) => Some(*c),
            _ => None,
        }
    }

    fn swap_references(&mut self, a: &Place, b: &Place, span: Span) {
        let views = [a, b].map(|p| Value::View(p.clone(), true));
        if views.iter().any(|view| self.refuse_chosen(view, span)) {
            return;
        }
        let (Some(first), Some(second)) = (self.reference_of(a), self.reference_of(b)) else {
            let what = "a reference that changes what it points to";
            self.refuse(span, Reason::Reference(what.into()));
            return;
        };
        self.unify(&a.ty, &b.ty);
        let (a, b) = (self.func.place(first), self.func.place(second));
        self.emit(span, StmtKind::Swap(a, b));
    }

    /// An element of an array of references.
    pub fn listed(&mut self, parts: &[Value], index: Expr, span: Span) -> Value {
        if let Some(part) = literal(&index).and_then(|k| parts.get(k)) {
            return part.clone();
        }
        let index = self.number_in(index, parts.len(), span);
        self.choose(parts, index, span)
    }

    /// `list[i] = &x`, where `i` is known at run time.
    pub fn assign_listed(&mut self, element: &syn::ExprIndex, value: &Value) -> bool {
        let list = self.named_value(&element.expr).map(Value::seen_through);
        let Some(Value::Tuple(parts)) = list.filter(|l| matches!(l, Value::Tuple(p) if is_list(p)))
        else {
            return false;
        };
        let span = element.span();
        let value = self.pin(value.clone(), span);
        let index = self.bound(&element.index);
        if let Some(part) = literal(&index).and_then(|k| parts.get(k)) {
            self.store(part.clone(), value, span);
            return true;
        }
        let at = self.number_in(index, parts.len(), span);
        for (k, part) in parts.into_iter().enumerate() {
            let number = Expr::Lit(k.to_string(), Ty::USIZE);
            let test = Expr::Binary(BinOp::Eq, Box::new(at.clone()), Box::new(number));
            let value = value.clone();
            self.under(test, span, |l| l.store(part, value, span), |_| {});
        }
        true
    }

    /// An index of a list of references: where there is none of this number, indexing panics.
    fn number_in(&mut self, index: Expr, n: usize, span: Span) -> Expr {
        let index = self.fix(index, Ty::USIZE, span);
        let at = self.temp(span, "at", index.clone(), Ty::USIZE);
        let code = self.add_code(quote::quote!(let () = [(); #n][__place_0]), vec![By::Value]);
        self.emit(span, StmtKind::Passive(code, vec![at]));
        index
    }

    /// The reference of this number, which there is.
    pub fn choose(&mut self, parts: &[Value], index: Expr, span: Span) -> Value {
        let Some((first, rest)) = parts.split_first() else {
            return Value::Never;
        };
        if rest.is_empty() {
            return first.clone();
        }
        let test = Expr::Binary(
            BinOp::Eq,
            Box::new(index.clone()),
            Box::new(Expr::Lit("0".into(), Ty::USIZE)),
        );
        let one = Box::new(Expr::Lit("1".into(), Ty::USIZE));
        let next = Expr::Binary(BinOp::Sub, Box::new(index), one);
        let outer = std::mem::replace(&mut self.by_reference, true);
        let then = (Vec::new(), first.clone());
        let els = self.in_block(|l| l.choose(rest, next, span));
        let chosen = self.branch(span, test, then, els);
        self.by_reference = outer;
        chosen
    }

    /// `list.swap(0, 1)`, `list.reverse()` and `list.len()` of an array of references.
    pub fn list_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let span = m.method.span();
        let Value::Tuple(parts) = receiver else {
            return None;
        };
        if !is_list(parts) {
            return None;
        }
        match (name, m.args.len()) {
            ("len", 0) => {
                let n = Expr::Lit(parts.len().to_string(), Ty::USIZE);
                Some(Value::Expr(n, Ty::USIZE))
            }
            ("reverse", 0) => {
                for (first, last) in (0..parts.len() / 2).map(|k| (k, parts.len() - 1 - k)) {
                    if let (Value::View(a, _), Value::View(b, _)) = (&parts[first], &parts[last]) {
                        self.swap_references(a, b, span);
                    }
                }
                Some(Value::Unit)
            }
            (name, _) if REARRANGING.contains(&name) => {
                let what = format!("`{name}` of an array of references");
                Some(self.refuse(span, Reason::Reference(what)))
            }
            ("swap", 2) => {
                let at = self.operands(m.args.iter());
                let mut places = at.into_iter().map(|v| {
                    let (e, _) = self.read(v, span);
                    match parts.get(literal(&e)?)? {
                        Value::View(place, _) => Some(place.clone()),
                        _ => None,
                    }
                });
                match (places.next().flatten(), places.next().flatten()) {
                    (Some(a), Some(b)) => self.swap_references(&a, &b, span),
                    _ => {
                        let what = "an element, chosen at run time, of an array of references";
                        self.refuse(span, Reason::Reference(what.into()));
                    }
                }
                Some(Value::Unit)
            }
            _ => None,
        }
    }
}

/// Whether the values are references, as the elements of an array can be.
pub fn is_list(parts: &[Value]) -> bool {
    !parts.is_empty() && parts.iter().all(|p| matches!(p, Value::View(..)))
}

fn literal(index: &Expr) -> Option<usize> {
    match index {
        Expr::Lit(text, _) => text.parse().ok(),
        _ => None,
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
