//! `Option` and `Result`, split into a tag and a payload for each variant.
//!
//! `while let Some(i) = at { .. at = i.checked_sub(2); }` becomes a loop over plain scalars this way. A value of the
//! type itself is rebuilt where one has to exist (an argument, a returned value, an element); an existing one is split
//! by [`Expr::Is`] and [`Proj::Variant`].

mod join;
mod rebuild;

use proc_macro2::Span;

use crate::ir::default_value::default_value;
use crate::ir::{Expr, Place, Proj, UnOp};
use crate::lower::expr::assign::is_same_ref;
use crate::lower::reference::RefKind;
use crate::lower::value::{Value, index_type};
use crate::lower::{LabeledStmt, Lower, Origin, StmtKind, Ty};
use crate::refuse::Reason;

/// The enum of a split value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EnumKind {
    /// `Option`
    Option,
    /// `Result`
    Result,
    /// One of the two; only rustc knows which.
    Unknown,
}

/// An `Option` or `Result`, split into its tag and payloads.
#[derive(Clone, Debug)]
pub struct SplitEnum {
    /// Its enum.
    pub kind: EnumKind,
    /// True if it is `Some` or `Ok`.
    pub tag: Expr,
    /// The payload of `Some` or `Ok`; it exists only if the tag is true.
    pub payload: Value,
    /// The payload of `Err`; it exists only if the tag is false.
    pub err_payload: Value,
    /// The mutability, if this is a reference to the enum.
    pub by_ref: Option<bool>,
}

impl SplitEnum {
    /// A split value that is owned, not a reference.
    pub fn owned(family: EnumKind, tag: Expr, yes: Value, no: Value) -> Value {
        Value::SplitEnum(Box::new(SplitEnum {
            kind: family,
            tag,
            payload: yes,
            err_payload: no,
            by_ref: None,
        }))
    }
}

impl EnumKind {
    /// The variant for a true tag.
    pub fn true_variant(self) -> &'static str {
        match self {
            EnumKind::Option => "Some",
            EnumKind::Result => "Ok",
            EnumKind::Unknown => "_",
        }
    }

    /// The variant for a false tag.
    pub fn false_variant(self) -> &'static str {
        if self == EnumKind::Option {
            "None"
        } else {
            "Err"
        }
    }

    /// The enum of the type, if it is one of the two.
    pub fn of_type(ty: &Ty) -> Option<EnumKind> {
        match ty {
            Ty::Option(_) => Some(EnumKind::Option),
            Ty::Result(..) => Some(EnumKind::Result),
            _ => None,
        }
    }

    /// The enum of a variant's name.
    pub fn of_variant(name: &str) -> Option<EnumKind> {
        match name {
            "Some" | "None" => Some(EnumKind::Option),
            "Ok" | "Err" => Some(EnumKind::Result),
            _ => None,
        }
    }
}

/// The value of a boolean literal.
pub fn literal_bool(tag: &Expr) -> Option<bool> {
    match tag {
        Expr::Lit(text, Ty::Bool) => text.parse().ok(),
        _ => None,
    }
}

/// A boolean literal.
pub fn bool_lit(truth: bool) -> Expr {
    Expr::Lit(truth.to_string(), Ty::Bool)
}

/// The negation.
pub fn not(e: Expr) -> Expr {
    match literal_bool(&e) {
        Some(truth) => bool_lit(!truth),
        None => Expr::Unary(UnOp::Not, Box::new(e)),
    }
}

impl Lower {
    /// `Some(yes)` if the tag is true, else `None`.
    pub fn some_if(&self, tag: Expr, yes: Value) -> Value {
        SplitEnum::owned(EnumKind::Option, tag, yes, Value::Unit)
    }

    /// `Some(value)`, `Ok(value)`, `Err(value)`; `None` ignores the value.
    pub fn variant_value(&mut self, name: &str, value: Value) -> Value {
        let family = EnumKind::of_variant(name).unwrap_or(EnumKind::Option);
        self.known_variant(family, matches!(name, "Some" | "Ok"), value)
    }

    /// The type of the enum with fresh payload types.
    pub fn fresh_enum_ty(&mut self, family: EnumKind) -> Option<Ty> {
        let held = Box::new(self.fresh_ty());
        match family {
            EnumKind::Option => Some(Ty::Option(held)),
            EnumKind::Result => Some(Ty::Result(held, Box::new(self.fresh_ty()))),
            EnumKind::Unknown => None,
        }
    }

    /// The type of the enum that a split value represents.
    pub fn split_enum_ty(&mut self, c: &SplitEnum) -> Ty {
        let yes = Box::new(self.value_ty(&c.payload));
        match c.kind {
            EnumKind::Option => Ty::Option(yes),
            EnumKind::Result => Ty::Result(yes, Box::new(self.value_ty(&c.err_payload))),
            EnumKind::Unknown => Ty::Unknown,
        }
    }

    /// The enum of a value, if its type is known to be `Option` or `Result`.
    pub fn enum_kind_of(&mut self, value: &Value) -> Option<EnumKind> {
        if let Value::SplitEnum(c) = value {
            return Some(c.kind);
        }
        match self.unboxed_ty(value) {
            Ty::Option(_) => Some(EnumKind::Option),
            Ty::Result(..) => Some(EnumKind::Result),
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
    pub fn split_enum(&mut self, value: Value, family: EnumKind, span: Span) -> SplitEnum {
        if let Value::SplitEnum(c) = value {
            return *c;
        }
        let by_ref = match &value {
            Value::PlaceRef(_, mutable) => Some(*mutable),
            _ => None,
        };
        let place = self.place_of(value, span);
        let place = self.deref_boxes(&place);
        let (yes_ty, no_ty) = self.payload_types(&place, family);
        let part = |variant: &str, ty: Ty| {
            let part = place.project(Proj::Variant(variant.into(), "0".into()), ty);
            match by_ref {
                Some(mutable) => Value::PlaceRef(part, mutable),
                None => Value::Place(part),
            }
        };
        let no = match family {
            EnumKind::Option => Value::Unit,
            _ => part("Err", no_ty),
        };
        let yes = part(family.true_variant(), yes_ty);
        let tag = Expr::Is(place, family.true_variant().into());
        SplitEnum {
            kind: family,
            tag,
            payload: yes,
            err_payload: no,
            by_ref,
        }
    }

    /// The payload types of the enum at a place.
    fn payload_types(&mut self, place: &Place, family: EnumKind) -> (Ty, Ty) {
        let (yes, no) = (self.fresh_ty(), self.fresh_ty());
        let ty = match family {
            EnumKind::Option => Ty::Option(Box::new(yes.clone())),
            EnumKind::Result => Ty::Result(Box::new(yes.clone()), Box::new(no.clone())),
            EnumKind::Unknown => {
                self.infer.mark_external(&yes);
                self.infer.mark_external(&no);
                return (yes, no);
            }
        };
        self.unify(&place.ty, &ty);
        (yes, no)
    }

    /// Whether the value is an owned `Option` of a box or of a user's type, and not of a reference to such: these types
    /// have no default value for an unused payload.
    pub fn is_owning_option(&mut self, c: &SplitEnum) -> bool {
        let payload = self.value_ty(&c.payload);
        let is_reference = matches!(c.payload, Value::PlaceRef(..));
        let is_owned = matches!(payload, Ty::Boxed(_) | Ty::Named(_));
        c.kind == EnumKind::Option && is_owned && !is_reference
    }

    /// The place of the `Option` that `as_ref` or `as_mut` was called on to get this value, and its mutability.
    pub fn as_ref_source(&self, c: &SplitEnum) -> Option<(Place, bool)> {
        let (Expr::Is(option, tag), Value::PlaceRef(payload, mutable)) = (&c.tag, &c.payload)
        else {
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
    pub fn new_option_ref(
        &mut self,
        name: &str,
        (option, mutable): (Place, bool),
        span: Span,
    ) -> Value {
        let (kind, ty) = (RefKind::rebindable(mutable), option.ty.clone());
        let reference = self.new_reference(name, kind, ty, Some(option), span);
        let c = self.split_enum(reference, EnumKind::Option, span);
        Value::SplitEnum(Box::new(SplitEnum { by_ref: None, ..c }))
    }

    /// Whether the value is an `Option` of a box that is read from a place.
    pub fn is_copy_of_box(&mut self, c: &SplitEnum) -> bool {
        let payload = self.value_ty(&c.payload);
        let placed = matches!((&c.tag, &c.payload), (Expr::Is(..), Value::Place(_)));
        placed && c.kind == EnumKind::Option && matches!(payload, Ty::Boxed(_))
    }

    /// Copies tag and payloads to variables of their own, named after `name`. A tag that is known and never changes
    /// stays known.
    pub fn owned_split_enum(
        &mut self,
        name: &str,
        c: SplitEnum,
        mutable: bool,
        span: Span,
    ) -> SplitEnum {
        let flag = match c.kind {
            EnumKind::Option => format!("{name}_is_some"),
            _ => format!("{name}_is_ok"),
        };
        let (tag, stored) = match literal_bool(&c.tag) {
            Some(_) if !mutable => (c.tag.clone(), c.tag),
            _ => {
                let var = self.let_var(span, &flag, c.tag, Ty::Bool, Origin::Local);
                let read = Expr::Read(self.draft.func.place(var));
                (read.clone(), read)
            }
        };
        let yes = self.owned_payload(name, c.payload, &tag, mutable, span);
        let no = self.owned_payload(
            &format!("{name}_err"),
            c.err_payload,
            &not(tag),
            mutable,
            span,
        );
        SplitEnum {
            tag: stored,
            payload: yes,
            err_payload: no,
            ..c
        }
    }

    fn owned_payload(
        &mut self,
        name: &str,
        value: Value,
        tag: &Expr,
        mutable: bool,
        span: Span,
    ) -> Value {
        match value {
            Value::Unit => value,
            Value::PlaceRef(to, is_mut) if mutable && (is_mut || !self.is_copyable(&to)) => {
                let (kind, ty) = (RefKind::rebindable(is_mut), to.ty.clone());
                self.new_reference(name, kind, ty, Some(to), span)
            }
            Value::PlaceRef(to, is_mut) if is_mut || !mutable => {
                Value::PlaceRef(self.freeze_place_if(tag, to, span), is_mut)
            }
            Value::Uninit(_) if !mutable => value,
            value
                if !matches!(value, Value::Uninit(_) | Value::PlaceRef(..))
                    && (literal_bool(tag) == Some(true) || self.is_total(&value)) =>
            {
                self.owned_value(name, value, mutable, span)
            }
            value => {
                let dest = self.declare_like(name, &value, span);
                self.emit_if(
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
    fn freeze_place_if(&mut self, tag: &Expr, place: Place, span: Span) -> Place {
        let mut place = self.snapshot_ref(place, span);
        if literal_bool(tag) == Some(true) {
            return self.freeze_indices(place, span);
        }
        for e in place.operands_mut() {
            let ty = index_type(e);
            let index = Value::Expr(e.clone(), ty.clone());
            *e = match default_value(&ty).filter(|_| !self.is_total(&index)) {
                None => self.stable_operand(e.clone(), ty, span),
                Some(blank) => {
                    let at = self.temp(span, "at", blank, ty);
                    let to = Value::Place(at.clone());
                    self.emit_if(tag.clone(), span, |l| l.store(to, index, span), |_| {});
                    Expr::Read(at)
                }
            };
        }
        place
    }

    /// Declares variables without values, for a value of the structure of `like`.
    pub fn declare_like(&mut self, name: &str, like: &Value, span: Span) -> Value {
        match like {
            Value::Unit => Value::Unit,
            Value::Tuple(_) | Value::RefStruct(..) => {
                let mut names = like.part_names().into_iter();
                like.clone().map_parts(|v| {
                    let part = names.next().unwrap_or_default();
                    self.declare_like(&format!("{name}_{part}"), &v, span)
                })
            }
            Value::SplitEnum(c) => {
                let var = self.let_var(
                    span,
                    &format!("{name}_flag"),
                    bool_lit(false),
                    Ty::Bool,
                    Origin::Local,
                );
                let (yes, no) = (
                    self.declare_like(name, &c.payload, span),
                    self.declare_like(name, &c.err_payload, span),
                );
                let tag = Expr::Read(self.draft.func.place(var));
                Value::SplitEnum(Box::new(SplitEnum {
                    tag,
                    payload: yes,
                    err_payload: no,
                    ..(**c).clone()
                }))
            }
            Value::PlaceRef(like, is_mut) if *is_mut || !self.is_copyable(like) => {
                let ty = like.ty.clone();
                self.new_reference(name, RefKind::rebindable(*is_mut), ty, None, span)
            }
            like => {
                let ty = self.value_ty(like);
                let var = self.new_var(name, ty, Origin::Local);
                self.emit(span, StmtKind::Let(var, None));
                if let Value::Uninit(_) = like {
                    self.unassigned.push(var);
                }
                Value::Place(self.draft.func.place(var))
            }
        }
    }

    /// Freezes the tag: later statements don't change it.
    pub fn freeze_tag(&mut self, tag: Expr, span: Span) -> Expr {
        match &tag {
            Expr::Lit(..) => tag,
            Expr::Read(p) if self.draft.func.var(p.root).origin == Origin::Temp => tag,
            _ => Expr::Read(self.temp(span, "test", tag, Ty::Bool)),
        }
    }

    /// Emits two arms under a test; nothing is emitted if both are empty.
    pub fn emit_if(
        &mut self,
        test: Expr,
        span: Span,
        then: impl FnOnce(&mut Self),
        els: impl FnOnce(&mut Self),
    ) {
        match literal_bool(&test) {
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
    pub fn store_split_enum(&mut self, dest: &SplitEnum, value: Value, span: Span) {
        let c = self.split_enum(value, dest.kind, span);
        if let Some((reference, _)) = self.as_ref_source(dest) {
            return match self.as_ref_source(&c) {
                Some((to, _)) => self.rebind(&reference, to, span),
                None => {
                    let what = "an `Option` of a reference that is made anew";
                    self.refuse(span, Reason::Reference(what.into()));
                }
            };
        }
        let tag = match literal_bool(&c.tag) {
            Some(_) => c.tag,
            None => self.freeze_tag(c.tag, span),
        };
        let (to_yes, to_no) = (dest.payload.clone(), dest.err_payload.clone());
        let total = dest.kind == EnumKind::Option && self.is_total(&c.payload);
        match total && literal_bool(&tag).is_none() {
            true => self.store_payload(to_yes, c.payload, span),
            false => self.emit_if(
                tag.clone(),
                span,
                |l| l.store_payload(to_yes, c.payload, span),
                |l| l.store_payload(to_no, c.err_payload, span),
            ),
        }
        if let Expr::Read(flag) = &dest.tag {
            self.emit(span, StmtKind::Assign(flag.clone(), tag));
        }
    }

    fn store_payload(&mut self, dest: Value, value: Value, span: Span) {
        match (dest, value) {
            (Value::Unit, _) | (_, Value::Unit) => {}
            (dest, Value::Uninit(ty)) => {
                let found = self.value_ty(&dest);
                self.unify(&found, &ty);
            }
            (dest, value) if is_same_ref(&dest, &value) => {}
            (dest, value) => self.store(dest, value, span),
        }
    }

    /// Borrows a split value: `&option`, `&mut option`.
    pub fn borrow_split_enum(&mut self, c: SplitEnum, mutable: bool, span: Span) -> SplitEnum {
        let yes = self.ref_to(c.payload, mutable, span);
        let no = self.ref_to(c.err_payload, mutable, span);
        SplitEnum {
            payload: yes,
            err_payload: no,
            by_ref: Some(mutable),
            ..c
        }
    }

    /// A reference to the value, or to each part of a split one.
    pub fn ref_to(&mut self, value: Value, mutable: bool, span: Span) -> Value {
        match value {
            Value::Place(p) => Value::PlaceRef(p, mutable),
            Value::Expr(..) => Value::PlaceRef(self.place_of(value, span), mutable),
            value if mutable && self.is_rebindable(&value) => {
                Value::RefToAggregate(Box::new(value), true)
            }
            Value::Tuple(parts) => {
                let parts = parts.into_iter().map(|p| self.ref_to(p, mutable, span));
                Value::Tuple(parts.collect())
            }
            Value::RefStruct(..) => Value::RefToAggregate(Box::new(value), mutable),
            Value::SplitEnum(c) => {
                Value::SplitEnum(Box::new(self.borrow_split_enum(*c, mutable, span)))
            }
            other => other,
        }
    }

    /// The referents of references to a value or to its parts.
    pub fn deref_value(value: Value) -> Value {
        match value {
            Value::PlaceRef(p, _) => Value::Place(p),
            Value::RefToAggregate(of, _) => *of,
            Value::Tuple(_) => value.map_parts(Lower::deref_value),
            Value::SplitEnum(c) => Value::SplitEnum(Box::new(Lower::deref_split_enum(*c))),
            other => other,
        }
    }

    /// Dereferences a split value and its payloads: `*option`, `option.copied()`.
    pub fn deref_split_enum(c: SplitEnum) -> SplitEnum {
        SplitEnum {
            payload: Lower::deref_value(c.payload),
            err_payload: Lower::deref_value(c.err_payload),
            by_ref: None,
            ..c
        }
    }

    /// Whether evaluating the value can't fail, so that it may be evaluated while the tag is false.
    fn is_total(&self, value: &Value) -> bool {
        match value {
            Value::Place(p) => self.is_always_init(p),
            Value::Expr(e, _) => {
                let mut total = true;
                e.walk(&mut |e| {
                    total &= match e {
                        Expr::Lit(..) => true,
                        Expr::Read(p) | Expr::Len(p) => self.is_always_init(p),
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
    fn is_always_init(&self, place: &Place) -> bool {
        place.is_whole()
            && match self.shallow(&place.ty) {
                ty @ Ty::Infer(_) => self.infer.is_number(&ty),
                ty => default_value(&ty).is_some(),
            }
    }
}
