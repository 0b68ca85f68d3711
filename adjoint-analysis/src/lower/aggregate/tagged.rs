//! `Option` and `Result`, split into a tag and a payload for each variant.
//!
//! `while let Some(i) = at { .. at = i.checked_sub(2); }` becomes a loop over plain scalars this way. A value of the
//! type itself is rebuilt where one has to exist (an argument, a returned value, an element); an existing one is split
//! by [`Expr::Is`] and [`Proj::Variant`].

mod join;

use proc_macro2::Span;

use crate::ir::default_value::default_value;
use crate::ir::{Expr, Place, Proj, UnOp};
use crate::lower::expr::assign::is_same_view;
use crate::lower::reference::Kind;
use crate::lower::value::{Value, index_type};
use crate::lower::{LabeledStmt, Lower, Origin, StmtKind, Ty};
use crate::refuse::Reason;

/// The enum of a split value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// `Option`
    Option,
    /// `Result`
    Result,
    /// One of the two; only rustc knows which.
    Either,
}

/// An `Option` or `Result`, split into its tag and payloads.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its enum.
    pub family: Family,
    /// True if it is `Some` or `Ok`.
    pub tag: Expr,
    /// The payload of `Some` or `Ok`; it exists only if the tag is true.
    pub yes: Value,
    /// The payload of `Err`; it exists only if the tag is false.
    pub no: Value,
    /// The mutability, if this is a reference to the enum.
    pub by_ref: Option<bool>,
}

impl Choice {
    /// A split value that is owned, not a reference.
    pub fn owned(family: Family, tag: Expr, yes: Value, no: Value) -> Value {
        Value::Choice(Box::new(Choice {
            family,
            tag,
            yes,
            no,
            by_ref: None,
        }))
    }
}

impl Family {
    /// The variant for a true tag.
    pub fn yes(self) -> &'static str {
        match self {
            Family::Option => "Some",
            Family::Result => "Ok",
            Family::Either => "_",
        }
    }

    /// The variant for a false tag.
    pub fn no(self) -> &'static str {
        if self == Family::Option {
            "None"
        } else {
            "Err"
        }
    }

    /// The enum of the type, if it is one of the two.
    pub fn of_type(ty: &Ty) -> Option<Family> {
        match ty {
            Ty::Option(_) => Some(Family::Option),
            Ty::Result(..) => Some(Family::Result),
            _ => None,
        }
    }

    /// The enum of a variant's name.
    pub fn of_variant(name: &str) -> Option<Family> {
        match name {
            "Some" | "None" => Some(Family::Option),
            "Ok" | "Err" => Some(Family::Result),
            _ => None,
        }
    }
}

/// The value of a boolean literal.
pub fn known(tag: &Expr) -> Option<bool> {
    match tag {
        Expr::Lit(text, Ty::Bool) => text.parse().ok(),
        _ => None,
    }
}

/// A boolean literal.
pub fn lit(truth: bool) -> Expr {
    Expr::Lit(truth.to_string(), Ty::Bool)
}

/// The negation.
pub fn not(e: Expr) -> Expr {
    match known(&e) {
        Some(truth) => lit(!truth),
        None => Expr::Unary(UnOp::Not, Box::new(e)),
    }
}

impl Lower {
    /// `Some(yes)` if the tag is true, else `None`.
    pub fn some_if(&self, tag: Expr, yes: Value) -> Value {
        Choice::owned(Family::Option, tag, yes, Value::Unit)
    }

    /// `Some(value)`, `Ok(value)`, `Err(value)`; `None` ignores the value.
    pub fn variant_value(&mut self, name: &str, value: Value) -> Value {
        let family = Family::of_variant(name).unwrap_or(Family::Option);
        self.of_family(family, matches!(name, "Some" | "Ok"), value)
    }

    /// The type of the enum with fresh payload types.
    pub fn type_of_family(&mut self, family: Family) -> Option<Ty> {
        let held = Box::new(self.fresh());
        match family {
            Family::Option => Some(Ty::Option(held)),
            Family::Result => Some(Ty::Result(held, Box::new(self.fresh()))),
            Family::Either => None,
        }
    }

    /// The type of the enum that a split value represents.
    pub fn choice_ty(&mut self, c: &Choice) -> Ty {
        let yes = Box::new(self.value_ty(&c.yes));
        match c.family {
            Family::Option => Ty::Option(yes),
            Family::Result => Ty::Result(yes, Box::new(self.value_ty(&c.no))),
            Family::Either => Ty::Unknown,
        }
    }

    /// The enum of a value, if its type is known to be `Option` or `Result`.
    pub fn family_of(&mut self, value: &Value) -> Option<Family> {
        if let Value::Choice(c) = value {
            return Some(c.family);
        }
        match self.unboxed_ty(value) {
            Ty::Option(_) => Some(Family::Option),
            Ty::Result(..) => Some(Family::Result),
            _ => None,
        }
    }

    fn unboxed_ty(&mut self, value: &Value) -> Ty {
        let mut ty = self.value_ty(value);
        while let Ty::Boxed(inner) = ty {
            ty = self.shallow(&inner);
        }
        ty
    }

    /// Splits the value, as one of this enum.
    pub fn choice(&mut self, value: Value, family: Family, span: Span) -> Choice {
        if let Value::Choice(c) = value {
            return *c;
        }
        let by_ref = match &value {
            Value::View(_, mutable) => Some(*mutable),
            _ => None,
        };
        let place = self.place_of(value, span);
        let place = self.unboxed(&place);
        let (yes_ty, no_ty) = self.payload_types(&place, family);
        let part = |variant: &str, ty: Ty| {
            let part = place.project(Proj::Variant(variant.into(), "0".into()), ty);
            match by_ref {
                Some(mutable) => Value::View(part, mutable),
                None => Value::Place(part),
            }
        };
        let no = match family {
            Family::Option => Value::Unit,
            _ => part("Err", no_ty),
        };
        let yes = part(family.yes(), yes_ty);
        let tag = Expr::Is(place, family.yes().into());
        Choice {
            family,
            tag,
            yes,
            no,
            by_ref,
        }
    }

    /// The payload types of the enum at a place.
    fn payload_types(&mut self, place: &Place, family: Family) -> (Ty, Ty) {
        let (yes, no) = (self.fresh(), self.fresh());
        let ty = match family {
            Family::Option => Ty::Option(Box::new(yes.clone())),
            Family::Result => Ty::Result(Box::new(yes.clone()), Box::new(no.clone())),
            Family::Either => {
                self.infer.leave_to_rustc(&yes);
                self.infer.leave_to_rustc(&no);
                return (yes, no);
            }
        };
        self.unify(&place.ty, &ty);
        (yes, no)
    }

    /// Whether the value is an owned `Option` of a box or of a user's type, and not of a reference to such: these types
    /// have no default value for an unused payload.
    pub fn is_owner_of_memory(&mut self, c: &Choice) -> bool {
        let payload = self.value_ty(&c.yes);
        let is_reference = matches!(c.yes, Value::View(..));
        let is_owned = matches!(payload, Ty::Boxed(_) | Ty::Named(_));
        c.family == Family::Option && is_owned && !is_reference
    }

    /// The place of the `Option` that `as_ref` or `as_mut` was called on to get this value, and its mutability.
    pub fn viewed_option(&self, c: &Choice) -> Option<(Place, bool)> {
        let (Expr::Is(option, tag), Value::View(payload, mutable)) = (&c.tag, &c.yes) else {
            return None;
        };
        let behind = payload.proj.strip_prefix(&option.proj[..])?;
        let (first, rest) = behind.split_first()?;
        let some = *first == Proj::Variant("Some".into(), "0".into());
        let whole = rest.iter().all(|step| *step == Proj::Deref);
        let viewed = tag == "Some" && c.by_ref.is_none() && some && whole;
        (viewed && option.root == payload.root).then(|| (option.clone(), *mutable))
    }

    /// Declares a reassignable `Option` of a reference into an `Option`, as a reference to the `Option` itself.
    pub fn option_reference(
        &mut self,
        name: &str,
        (option, mutable): (Place, bool),
        span: Span,
    ) -> Value {
        let (kind, ty) = (Kind::moving(mutable), option.ty.clone());
        let reference = self.new_reference(name, kind, ty, Some(option), span);
        let c = self.choice(reference, Family::Option, span);
        Value::Choice(Box::new(Choice { by_ref: None, ..c }))
    }

    /// Whether the value is an `Option` of a box that is read from a place.
    pub fn is_copy_of_box(&mut self, c: &Choice) -> bool {
        let payload = self.value_ty(&c.yes);
        let placed = matches!((&c.tag, &c.yes), (Expr::Is(..), Value::Place(_)));
        placed && c.family == Family::Option && matches!(payload, Ty::Boxed(_))
    }

    /// Copies tag and payloads to variables of their own, named after `name`. A tag that is known and never changes
    /// stays known.
    pub fn own_choice(&mut self, name: &str, c: Choice, mutable: bool, span: Span) -> Choice {
        let flag = match c.family {
            Family::Option => format!("{name}_is_some"),
            _ => format!("{name}_is_ok"),
        };
        let (tag, stored) = match known(&c.tag) {
            Some(_) if !mutable => (c.tag.clone(), c.tag),
            _ => {
                let var = self.let_var(span, &flag, c.tag, Ty::Bool, Origin::Local);
                let read = Expr::Read(self.draft.func.place(var));
                (read.clone(), read)
            }
        };
        let yes = self.own_payload(name, c.yes, &tag, mutable, span);
        let no = self.own_payload(&format!("{name}_err"), c.no, &not(tag), mutable, span);
        Choice {
            tag: stored,
            yes,
            no,
            ..c
        }
    }

    fn own_payload(
        &mut self,
        name: &str,
        value: Value,
        tag: &Expr,
        mutable: bool,
        span: Span,
    ) -> Value {
        match value {
            Value::Unit => value,
            Value::View(to, is_mut) if mutable && (is_mut || !self.is_copied(&to)) => {
                let (kind, ty) = (Kind::moving(is_mut), to.ty.clone());
                self.new_reference(name, kind, ty, Some(to), span)
            }
            Value::View(to, is_mut) if is_mut || !mutable => {
                Value::View(self.settle_under(tag, to, span), is_mut)
            }
            Value::Absent(_) if !mutable => value,
            value
                if !matches!(value, Value::Absent(_) | Value::View(..))
                    && (known(tag) == Some(true) || self.is_total(&value)) =>
            {
                self.owned(name, value, mutable, span)
            }
            value => {
                let dest = self.blank(name, &value, span);
                self.under(
                    tag.clone(),
                    span,
                    |l| l.store_payload(dest.clone(), value, span),
                    |_| {},
                );
                dest
            }
        }
    }

    /// Freezes the place, which needs to exist only if the tag is true: its indices are evaluated under the tag.
    fn settle_under(&mut self, tag: &Expr, place: Place, span: Span) -> Place {
        let mut place = self.anchor(place, span);
        if known(tag) == Some(true) {
            return self.settle_operands(place, span);
        }
        for e in place.operands_mut() {
            let ty = index_type(e);
            let index = Value::Expr(e.clone(), ty.clone());
            *e = match default_value(&ty).filter(|_| !self.is_total(&index)) {
                None => self.fix(e.clone(), ty, span),
                Some(blank) => {
                    let at = self.temp(span, "at", blank, ty);
                    let to = Value::Place(at.clone());
                    self.under(tag.clone(), span, |l| l.store(to, index, span), |_| {});
                    Expr::Read(at)
                }
            };
        }
        place
    }

    /// Declares variables without values, for a value of the structure of `like`.
    pub fn blank(&mut self, name: &str, like: &Value, span: Span) -> Value {
        match like {
            Value::Unit => Value::Unit,
            Value::Tuple(_) | Value::Record(..) => {
                let mut names = like.names_of_parts().into_iter();
                like.clone().map(|v| {
                    let part = names.next().unwrap_or_default();
                    self.blank(&format!("{name}_{part}"), &v, span)
                })
            }
            Value::Choice(c) => {
                let var = self.let_var(
                    span,
                    &format!("{name}_flag"),
                    lit(false),
                    Ty::Bool,
                    Origin::Local,
                );
                let (yes, no) = (
                    self.blank(name, &c.yes, span),
                    self.blank(name, &c.no, span),
                );
                let tag = Expr::Read(self.draft.func.place(var));
                Value::Choice(Box::new(Choice {
                    tag,
                    yes,
                    no,
                    ..(**c).clone()
                }))
            }
            Value::View(like, is_mut) if *is_mut || !self.is_copied(like) => {
                let ty = like.ty.clone();
                self.new_reference(name, Kind::moving(*is_mut), ty, None, span)
            }
            like => {
                let ty = self.value_ty(like);
                let var = self.new_var(name, ty, Origin::Local);
                self.emit(span, StmtKind::Let(var, None));
                if let Value::Absent(_) = like {
                    self.undecided.push(var);
                }
                Value::Place(self.draft.func.place(var))
            }
        }
    }

    /// Freezes the tag: later statements don't change it.
    pub fn flag(&mut self, tag: Expr, span: Span) -> Expr {
        match &tag {
            Expr::Lit(..) => tag,
            Expr::Read(p) if self.draft.func.var(p.root).origin == Origin::Temp => tag,
            _ => Expr::Read(self.temp(span, "test", tag, Ty::Bool)),
        }
    }

    /// Emits two arms under a test; nothing is emitted if both are empty.
    pub fn under(
        &mut self,
        test: Expr,
        span: Span,
        then: impl FnOnce(&mut Self),
        els: impl FnOnce(&mut Self),
    ) {
        match known(&test) {
            Some(true) => then(self),
            Some(false) => els(self),
            None => {
                let ((then, ()), (els, ())) = (self.in_block(then), self.in_block(els));
                if !then.is_empty() || !els.is_empty() {
                    let id = self.stmt_id(span);
                    self.out.push(LabeledStmt::If(id, test, then, els));
                }
            }
        }
    }

    /// Stores a value in an `Option` or `Result` that is split into variables.
    pub fn store_choice(&mut self, dest: &Choice, value: Value, span: Span) {
        let c = self.choice(value, dest.family, span);
        if let Some((reference, _)) = self.viewed_option(dest) {
            return match self.viewed_option(&c) {
                Some((to, _)) => self.point(&reference, to, span),
                None => {
                    let what = "an `Option` of a reference that is made anew";
                    self.refuse(span, Reason::Reference(what.into()));
                }
            };
        }
        let tag = match known(&c.tag) {
            Some(_) => c.tag,
            None => self.flag(c.tag, span),
        };
        let (to_yes, to_no) = (dest.yes.clone(), dest.no.clone());
        let total = dest.family == Family::Option && self.is_total(&c.yes);
        match total && known(&tag).is_none() {
            true => self.store_payload(to_yes, c.yes, span),
            false => self.under(
                tag.clone(),
                span,
                |l| l.store_payload(to_yes, c.yes, span),
                |l| l.store_payload(to_no, c.no, span),
            ),
        }
        if let Expr::Read(flag) = &dest.tag {
            self.emit(span, StmtKind::Assign(flag.clone(), tag));
        }
    }

    fn store_payload(&mut self, dest: Value, value: Value, span: Span) {
        match (dest, value) {
            (Value::Unit, _) | (_, Value::Unit) => {}
            (dest, Value::Absent(ty)) => {
                let found = self.value_ty(&dest);
                self.unify(&found, &ty);
            }
            (dest, value) if is_same_view(&dest, &value) => {}
            (dest, value) => self.store(dest, value, span),
        }
    }

    /// Rebuilds one value of the enum's type from tag and payloads.
    pub fn whole(&mut self, c: Choice, span: Span) -> (Expr, Ty) {
        let ty = self.choice_ty(&c);
        if let Some(truth) = known(&c.tag) {
            return (self.variant_of(c, truth, &ty, span), ty);
        }
        let var = self.new_var("value", ty.clone(), Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        let place = Place::var(var, ty.clone());
        self.assign_choice(&place, c, span);
        (Expr::Read(place), ty)
    }

    /// Rebuilds the enum at a place of its own type.
    pub fn assign_choice(&mut self, place: &Place, c: Choice, span: Span) {
        let ty = self.choice_ty(&c);
        self.unify(&place.ty, &ty);
        let arm = |l: &mut Self, truth: bool| {
            let value = l.variant_of(c.clone(), truth, &ty, span);
            l.emit(span, StmtKind::Assign(place.clone(), value));
        };
        match known(&c.tag) {
            Some(truth) => arm(self, truth),
            None => {
                let tag = self.flag(c.tag.clone(), span);
                let (then, ()) = self.in_block(|l| arm(l, true));
                let (els, ()) = self.in_block(|l| arm(l, false));
                let id = self.stmt_id(span);
                self.out.push(LabeledStmt::If(id, tag, then, els));
            }
        }
    }

    fn variant_of(&mut self, c: Choice, truth: bool, ty: &Ty, span: Span) -> Expr {
        let name = if truth { c.family.yes() } else { c.family.no() };
        let payload = if truth { c.yes } else { c.no };
        let is_lent = matches!(&payload, Value::Lent(of, true) if self.is_reassigned(of));
        if is_lent || matches!(payload, Value::View(..)) && c.by_ref.is_none() {
            let what = "an `Option` or `Result` of a reference as a value";
            self.refuse(span, Reason::Reference(what.into()));
        }
        let fields = match payload {
            Value::Unit if name == "None" => Vec::new(),
            payload => vec![("0".to_string(), self.read(payload, span).0)],
        };
        Expr::Variant(name.into(), fields, ty.clone())
    }

    /// Borrows a split value: `&option`, `&mut option`.
    pub fn borrow_choice(&mut self, c: Choice, mutable: bool, span: Span) -> Choice {
        let yes = self.referred(c.yes, mutable, span);
        let no = self.referred(c.no, mutable, span);
        Choice {
            yes,
            no,
            by_ref: Some(mutable),
            ..c
        }
    }

    /// A reference to the value, or to each part of a split one.
    pub fn referred(&mut self, value: Value, mutable: bool, span: Span) -> Value {
        match value {
            Value::Place(p) => Value::View(p, mutable),
            Value::Expr(..) => Value::View(self.place_of(value, span), mutable),
            value if mutable && self.is_reassigned(&value) => Value::Lent(Box::new(value), true),
            Value::Tuple(parts) => {
                let parts = parts.into_iter().map(|p| self.referred(p, mutable, span));
                Value::Tuple(parts.collect())
            }
            Value::Record(..) => Value::Lent(Box::new(value), mutable),
            Value::Choice(c) => Value::Choice(Box::new(self.borrow_choice(*c, mutable, span))),
            other => other,
        }
    }

    /// The referents of references to a value or to its parts.
    pub fn dereferenced(value: Value) -> Value {
        match value {
            Value::View(p, _) => Value::Place(p),
            Value::Lent(of, _) => *of,
            Value::Tuple(_) => value.map(Lower::dereferenced),
            Value::Choice(c) => Value::Choice(Box::new(Lower::deref_choice(*c))),
            other => other,
        }
    }

    /// Dereferences a split value and its payloads: `*option`, `option.copied()`.
    pub fn deref_choice(c: Choice) -> Choice {
        Choice {
            yes: Lower::dereferenced(c.yes),
            no: Lower::dereferenced(c.no),
            by_ref: None,
            ..c
        }
    }

    /// Whether evaluating the value can't fail, so that it may be evaluated while the tag is false.
    fn is_total(&self, value: &Value) -> bool {
        match value {
            Value::Place(p) => self.is_always_there(p),
            Value::Expr(e, _) => {
                let mut total = true;
                e.walk(&mut |e| {
                    total &= match e {
                        Expr::Lit(..) => true,
                        Expr::Read(p) | Expr::Len(p) => self.is_always_there(p),
                        Expr::Discrete(name, ..) => {
                            name.starts_with("checked_")
                                || name == "unwrap_or"
                                || name == "partial_cmp"
                        }
                        Expr::Code(_, reads, _) => reads.is_empty(),
                        _ => false,
                    }
                });
                total
            }
            _ => false,
        }
    }

    /// Whether the place is a variable that always has a value. One of a type without a default is stored in an
    /// `Option` where it may be unset.
    fn is_always_there(&self, place: &Place) -> bool {
        place.is_whole()
            && match self.shallow(&place.ty) {
                ty @ Ty::Infer(_) => self.infer.is_number(&ty),
                ty => default_value(&ty).is_some(),
            }
    }
}
